"""How many traces are written and scored at once: what is held of them, with what is stored of each, stays bounded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ragvigil.scorer.assembly.assemble import Assembled
from ragvigil.scorer.store.port import RawTrace

MOST_A_COMMIT = 200
_BYTES_A_COMMIT = 16 * 2**20
"""One vote of some bytes brings back all that is stored of its trace, which may be thousands of times as much."""
_MOST_TOGETHER = 64
_BYTES_TOGETHER = 4 * 2**20


def of_a_commit(assembled: Sequence[Assembled], stored: Mapping[str, int]) -> Sequence[Assembled]:
    """The first traces, which are written at once; `stored` has the bytes of those that are in the store already.

    Late spans of a trace among them wait: they are merged with what is stored of it.
    """
    chosen: dict[str, Assembled] = {}
    size = 0
    for item in assembled[:MOST_A_COMMIT]:
        size += _size(item) + stored.get(item.trace_id, 0)
        if item.trace_id in chosen or (chosen and size > _BYTES_A_COMMIT):
            break
        chosen[item.trace_id] = item
    return list(chosen.values())


def exceeds_a_commit(assembled: Sequence[Assembled]) -> bool:
    """Whether some of them wait for a commit after the next: until then nothing more need be read."""
    return len(of_a_commit(assembled, {})) < len(assembled)


def together(assembled: Sequence[Assembled], known: Mapping[str, RawTrace]) -> Iterator[Sequence[Assembled]]:
    """Runs of traces that are scored together; `known` is what is stored of them."""
    start = size = 0
    for place, item in enumerate(assembled):
        stored = known.get(item.trace_id)
        more = _size(item) + (len(stored.spans) + len(stored.logs) if stored else 0)
        if place > start and (size + more > _BYTES_TOGETHER or place - start >= _MOST_TOGETHER):
            yield assembled[start:place]
            start, size = place, 0
        size += more
    if assembled:
        yield assembled[start:]


def _size(item: Assembled) -> int:
    return sum(map(len, (*item.spans, *item.logs)))

"""What came of the latest traces whose texts are withheld, in memory alone: more may come of them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from ragvigil.scorer.assembly.assemble import Assembled

_LONGEST = 600 * 10**9
"""Nanoseconds for which a text is held at most: as long as an open trace may be by default."""
_MOST = 32 * 2**20
"""Bytes of all that is held."""


@dataclass(frozen=True, slots=True)
class _Trace:
    since: int
    item: Assembled
    size: int


class Held:
    """Bounded by age and by size: the oldest goes first."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._traces: OrderedDict[str, _Trace] = OrderedDict()
        self._size = 0

    def with_earlier(self, item: Assembled, *, first: bool) -> Assembled | None:
        """All that came of the trace, this included, which is held from now on; None where its beginning is gone.

        `first` says that nothing came before.
        """
        self.tidy()
        earlier = self._pop(item.trace_id)
        if earlier is None and not first:
            return None
        if earlier is not None:  # each once: what could not be stored comes again
            spans = dict.fromkeys((*earlier.item.spans, *item.spans))
            logs = dict.fromkeys((*earlier.item.logs, *item.logs))
            item = replace(item, spans=tuple(spans), logs=tuple(logs))
        size = sum(map(len, (*item.spans, *item.logs)))
        since = earlier.since if earlier is not None else self._now()
        self._traces[item.trace_id] = _Trace(since, item, size)
        self._size += size
        while self._size > _MOST:
            self._pop(next(iter(self._traces)))
        return item

    def tidy(self) -> None:
        """Let go of what has been held for long."""
        oldest = self._now() - _LONGEST
        self.drop([key for key, one in self._traces.items() if one.since <= oldest])

    def drop(self, trace_ids: Iterable[str]) -> None:
        """Let go of these."""
        for trace_id in trace_ids:
            self._pop(trace_id)

    def _pop(self, trace_id: str) -> _Trace | None:
        found = self._traces.pop(trace_id, None)
        self._size -= found.size if found is not None else 0
        return found

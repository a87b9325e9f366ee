"""Which retrieved documents an answer cites, read where the answer is, so that no text need leave for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from ragvigil.tracer._citing import markers_in

_SEPARATOR = re.compile(r"[,;|]")
_RANGE = re.compile(r"(\d{1,3})\s?[-\u2013]\s?(\d{1,3})\Z")
LONGEST_UNKNOWN = 64


class Cited(NamedTuple):
    """What an answer cites, each once, in order of appearance."""

    ids: list[str]
    """Ids of retrieved documents; for one without an id, its rank in brackets, such as ``[2]``."""
    unknown: list[str]
    """Ranks and ids that were not retrieved; of other words in brackets nothing is said."""


def read_citations(answer: str, retrieved: Sequence[str | None]) -> Cited:
    """The documents that bracketed ids and ordinals mean; ordinals count the retrieved documents from 1.

    >>> read_citations("Yes [doc-3][2], no [doc-9] [7] [sic].", ["doc-3", "doc-5"])
    Cited(ids=['doc-3', 'doc-5'], unknown=['doc-9', '7'])
    """
    return cited_by(read_answer_once(answer).markers, tuple(retrieved))


# A request's generator and root have the same answer, one right after the other.
read_answer_once = lru_cache(maxsize=4)(markers_in)


@lru_cache(maxsize=4)
def cited_by(markers: tuple[str, ...], retrieved: tuple[str | None, ...]) -> Cited:
    """The documents that these markers mean."""
    known = {identity for identity in retrieved if identity is not None}
    found: dict[str, bool] = {}
    for marker in markers:
        content = marker.partition("†")[0].strip()
        if content in known:
            found[content] = True
            continue
        for part in _SEPARATOR.split(content):
            _read(part.strip(" '\"`^"), retrieved, known, found)
    ids = [cited for cited, there in found.items() if there]
    return Cited(ids, [cited for cited, there in found.items() if not there])


def _read(part: str, retrieved: Sequence[str | None], known: set[str], found: dict[str, bool]) -> None:
    """Note what one part of a marker means; words that only stand in brackets mean nothing."""
    if part in known:
        found[part] = True
        return
    for rank in _ordinals(part):
        if rank > len(retrieved):
            found[str(rank)] = False
        else:
            found[retrieved[rank - 1] or f"[{rank}]"] = True
    shape = _shape(part) if len(part) <= LONGEST_UNKNOWN and not part.isdigit() else ""
    if shape and any(_shape(identity) == shape for identity in known):
        found[part] = False


def _ordinals(part: str) -> range:
    if part.isascii() and part.isdigit() and len(part) <= 3:
        return range(int(part), int(part) + 1) if int(part) else range(0)
    bounds = _RANGE.match(part)
    if bounds is None:
        return range(0)
    first, last = int(bounds[1]), int(bounds[2])
    return range(first, last + 1) if 0 < first < last <= first + 50 else range(0)


def _shape(identity: str) -> str:
    """What alike ids have in common: runs of letters and of digits, and what stands between them.

    >>> _shape("doc-17#2") == _shape("doc-3#11"), _shape("sic") == _shape("doc-3")
    (True, False)
    """
    return re.sub(r"\d+", "9", re.sub(r"[^\W\d_]+", "a", identity)) if re.search(r"\d", identity) else ""

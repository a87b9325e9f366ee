"""Citation markers of an answer that is longer than what is kept of it, read as it flows by."""

from __future__ import annotations

import re
from typing import NamedTuple

MOST_MARKERS = 1_000
"""Different markers that are kept of one answer."""
MOST_LOOKS = 100_000
"""Brackets that are looked at in one answer: hostile ones must not cost the service's time."""
MOST_AT_ONCE = 4 * 2**20
"""Characters of one piece that are read in the service's own time."""

_OPENING = re.compile(r"[\[【]")
WHOLE_MARKER = re.compile(r"\[\^?([^\[\]\n]{1,200})\]|【([^【】\n]{1,200})】")
_MARKER = re.compile(
    r"\[\^?([^\[\]\n]{1,200}+)(?:(\])|\Z)|【([^【】\n]{1,200}+)(?:(】)|\Z)|\[(\^)(\])|[\[【]\^?\Z"
)
"""The same, or what may become it with what follows."""


class Citing(NamedTuple):
    """The different markers of an answer, in order of appearance."""

    markers: tuple[str, ...]
    read: int | None = None
    """Characters that were read when there were too many; None when it was all of the answer."""


class Markers:
    """Collects markers piece by piece; one that lies across pieces is found like any other."""

    __slots__ = ("_found", "_looks", "_read", "_rest", "_stopped")

    def __init__(self) -> None:
        self._found: dict[str, None] = {}
        self._looks = 0
        self._read = 0
        self._rest = ""
        """The beginning of what may become a marker, at most some 200 characters."""
        self._stopped = False

    def feed(self, piece: str) -> None:
        """Read on; what comes after the limits is left alone."""
        if self._stopped:
            return
        if len(piece) > MOST_AT_ONCE:
            self._stopped, piece = True, piece[:MOST_AT_ONCE]
        if not self._rest and "[" not in piece and "【" not in piece:
            self._read += len(piece)
            return
        text, before = self._rest + piece, self._read - len(self._rest)
        self._rest, at = "", 0
        self._read += len(piece)
        while (opening := _OPENING.search(text, at)) is not None:
            at = opening.start()
            if self._looks >= MOST_LOOKS or len(self._found) >= MOST_MARKERS:
                self._stopped, self._read = True, before + at
                return
            self._looks += 1
            match = _MARKER.match(text, at)
            if match is None:
                at += 1
            elif match.lastindex is None or match.lastindex in _OPEN:
                self._rest = text[at:]
                return
            else:
                self._found[match[1] or match[3] or match[5]] = None
                at = match.end()

    def result(self) -> Citing:
        """What was found, now that nothing follows."""
        found = dict(self._found)
        if self._stopped:
            return Citing(tuple(found), self._read)
        for match in WHOLE_MARKER.finditer(self._rest):
            found[match[1] or match[2]] = None
        return Citing(tuple(found))


def markers_in(text: str) -> Citing:
    """The markers of a whole answer.

    >>> markers_in("Yes [doc-3][2], no [^7].").markers
    ('doc-3', '2', '7')
    """
    found: dict[str, None] = {}
    for match in WHOLE_MARKER.finditer(text):
        if len(found) >= MOST_MARKERS:
            return Citing(tuple(found), match.start())
        found[match[1] or match[2]] = None
    return Citing(tuple(found))


_OPEN = (1, 3)
"""Groups that are the last of a match that the end of the text has cut short."""

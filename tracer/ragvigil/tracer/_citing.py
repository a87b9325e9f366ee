"""What may be citation markers of an answer, found as it flows by; what they mean is told later (`_citations`).

A marker is 200 characters at most, and whether something is one depends on nothing but it, a few characters before it
and whether it stands in a block of code. So what has gone by is forgotten.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MOST_MARKERS = 1_000
"""Different markers that are kept of one answer."""
MOST_LOOKS = 100_000
"""Brackets that are looked at in one answer: hostile ones must not cost the service's time."""
MOST_AT_ONCE = 4 * 2**20
"""Characters of one piece that are read in the service's own time."""

ASIDE, RAISED, PLACED = "(", "^", "]"
"""What a marker begins with that stood in parentheses, above the line, or is a word at the place of a citation."""

OPENING = re.compile(r"[\[\uff3b【(\uff08<`~⁰¹²³⁴-⁹]")
"""What begins a marker or code; an answer without it cites nothing that is read here."""
_FENCE = re.compile(r"```|~~~")
_MARKER = re.compile(
    r"[\[\uff3b]\^?(?P<bracketed>[^\[\]\uff3b\uff3d\n]{1,200})[\]\uff3d]"
    r"|【(?P<tool>[^【】\n]{1,200})】"
    r"|[(\uff08](?P<aside>[^()\uff08\uff09\[\]\n]{1,200})[)\uff09]"
    r"|<sup>(?P<raised>[\d,\s\[\]-]{1,40})</sup>"
    r"|(?P<superscript>[⁰¹²³⁴-⁹]{1,3}(?:[,\u207b\u2013-][⁰¹²³⁴-⁹]{1,3}){0,9})"
    r"|(?P<ticks>`{1,3})[^`\n]{1,200}(?P=ticks)"
)
_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹\u207b", "0123456789-")
_FORMULA = re.compile(r"[=^${]\s?\Z")
"""What no citation in brackets follows."""
_RAISED = {
    "superscript": re.compile(r"(?:[.,;:!?)»”\"'…。」]|[^\W\d_]{4}|[\u2e80-\uffef])\Z"),
    "raised": re.compile(r"(?:\A|[^\w)]|[^\W\d_]{2})\Z"),
}
"""What a raised number follows that is no power: a mark, or a word, for a superscript one longer than a unit."""
_WORD = re.compile(r"(?=[\W\d_]{0,40}[^\W\d_])[^\W_][\w.:/#-]{0,63}\Z")
_FOLLOWS = re.compile(
    r"(?:[^\s\[({<'\"`=$@#,:][ \t]{1,2}|\][,;]?[ \t]?|[.!?\u2026\u2e80-\uffef]"
    r"|(?:ource|uelle|uente|fonte|ronnen|onti)[ns]?\s?:\s)\Z",
    re.IGNORECASE,
)
"""What stands before a citation."""
_INTRODUCED = re.compile(
    r"(?:\A|[^\w])(?:an?|the|to|of|for|with|by|from|at|in|on|is|are|your|my|our|their|this|dear|hello|hi|press|click|tap|then"
    r"|de[mnrs]?|das|die|eine?[mnrs]?|an|zu|mit|von|vo[mn]|auf|ist|sind|liebe[rs]?|les?|la|du|à|au|par|pour|avec|est|cher"
    r"|el|los|las|una?|al|con|por|para|es|son|hola|os?|uma?|do|da|ao|com|il|lo|gli|uno|di|per|ciao|em|en)[ \t]{1,2}\Z",
    re.IGNORECASE,
)
"""Words that go on with what is in brackets, so that it cites nothing."""
_CLOSED = re.compile(
    r"[ \t]*[*_]{0,3}(?:[.!?;:,)|\u3002\uff01\uff1f\uff0c\uff1b\u2026\[\n]|[ \t]*[\u2013\u2014\[|]|\Z)"
)
"""What follows a citation at the end of a clause."""
_ENDED = re.compile(r"[.!?\u2026][ \t]{1,2}\Z")
_MARGIN = re.compile(r"(?:\A|\n) {0,3}\Z")
_BEFORE, _BEHIND = 8, 256
"""Characters before and behind its beginning that decide whether something is a marker."""
_ENOUGH = 4_096


class Citing(NamedTuple):
    """The different markers of an answer, in order of appearance."""

    markers: tuple[str, ...]
    """What stood in them."""
    read: int | None = None
    """Characters that were read when there were too many; None when it was all of the answer."""


class Markers:
    """Collects markers piece by piece; one that lies across pieces is found like any other."""

    __slots__ = ("_at", "_fence", "_found", "_gone", "_looks", "_read", "_stopped", "_text")

    def __init__(self) -> None:
        self._found: dict[str, None] = {}
        self._looks = 0
        self._text = ""
        """What has not gone by."""
        self._at = 0
        """Where in it to read on."""
        self._gone = 0
        """Characters that have gone by."""
        self._fence: str | None = None
        """What the block of code began with that is read."""
        self._read: int | None = None
        self._stopped = False

    def feed(self, piece: str) -> None:
        """Read on; what comes after the limits is left alone."""
        if self._stopped:
            return
        self._text += piece[:MOST_AT_ONCE]
        if len(piece) > MOST_AT_ONCE:
            self._read_to(len(self._text))
            self._stop(len(self._text))
        elif len(self._text) >= _ENOUGH:
            self._read_to(len(self._text) - _BEHIND)

    def result(self) -> Citing:
        """What was found, now that nothing follows."""
        if not self._stopped:
            self._read_to(len(self._text))
        return Citing(tuple(self._found), self._read)

    def _read_to(self, end: int) -> None:
        """Look at all that begins before `end`, and forget what is of no more use."""
        text, at = self._text, self._at
        while not self._stopped:
            opening = (_FENCE if self._fence else OPENING).search(text, at)
            if opening is None or opening.start() >= end:
                at = max(at, end)
                break
            at = opening.start()
            if self._looks >= MOST_LOOKS or len(self._found) >= MOST_MARKERS:
                self._stop(at)
            else:
                self._looks += 1
                at = self._look(text, at)
        gone = max(0, at - _BEFORE)
        self._text, self._at, self._gone = text[gone:], at - gone, self._gone + gone

    def _look(self, text: str, at: int) -> int:
        """Note the marker that begins there, if one does; where to read on."""
        fence = _FENCE.match(text, at) if text[at] in "`~" else None
        if fence is not None and _MARGIN.search(text[max(0, at - _BEFORE) : at]):
            if self._fence in (None, fence[0]):
                self._fence = None if self._fence else fence[0]
            return fence.end()
        match = None if self._fence else _MARKER.match(text, at)
        if match is None:
            return at + 1
        kind = match.lastgroup or ""
        said, before = match[kind], text[max(0, at - _BEFORE) : at]
        if kind == "aside":
            self._found[ASIDE + said] = None
        elif kind in _RAISED:
            if _RAISED[kind].search(before):
                self._found[RAISED + said.translate(_DIGITS).strip("[] ")] = None
        elif kind != "ticks" and not _FORMULA.search(before):
            self._found[PLACED + said if _is_placed(text, match, before) else said] = None
        return match.end()

    def _stop(self, at: int) -> None:
        self._stopped, self._read = True, self._gone + at


def _is_placed(text: str, match: re.Match[str], before: str) -> bool:
    """Whether it is one word that stands where a citation does: behind a clause, or behind brackets."""
    said, following = match["bracketed"], text[match.end() : match.end() + 4]
    if (
        said is None
        or _WORD.match(said) is None
        or _FOLLOWS.search(before) is None
        or _INTRODUCED.search(before)
    ):
        return False
    if before.endswith("]") and " " in before[before.rfind("[") + 1 :]:
        return False  # the label of a link: `[the manual][manual]`
    between = _ENDED.search(before) is not None and not said.isalpha() and following[:1].isspace()
    return before.rstrip(" ,;").endswith("]") or between or _CLOSED.match(following) is not None


def markers_in(text: str) -> Citing:
    """The markers of a whole answer.

    >>> markers_in("Yes [doc-3][2], no [^7], as the guide (doc-4) says.¹ See `rows[5]`.").markers
    (']doc-3', '2', '7', '(doc-4', '^1')
    """
    markers = Markers()
    markers.feed(text)
    return markers.result()

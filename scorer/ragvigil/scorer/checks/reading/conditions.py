"""Conditions: exceptions, preconditions and ends by which a sentence restricts what it, or the one before it, says."""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple

from ragvigil.scorer.checks.reading.patterns import choices, parted, skipping, tells
from ragvigil.scorer.checks.reading.words import FRAME_STEMS, content_of
from ragvigil.scorer.data import read_data

Restriction = Literal["exception", "precondition", "stop", "proviso"]
_DATA: dict[str, Any] = read_data("conditions.json")
_EXCEPTION = re.compile("|".join(_DATA["exception"]), re.IGNORECASE)
"""Not sorted by letters: where it ends matters."""
_PROVISO = re.compile("|".join(_DATA["proviso"]), re.IGNORECASE)
_PART: dict[Restriction, re.Pattern[str]] = {"exception": _EXCEPTION, "proviso": _PROVISO}
"""What is told by a part of a sentence, behind such words."""
_NO_PROVISO = re.compile("|".join(_DATA["no_proviso"]), re.IGNORECASE)
"""Its groups are the words that begin none here."""
_CHOICES = [
    choice
    for kind in ("exception", "precondition", "stop", "proviso")
    for pattern in _DATA[kind]
    for choice in choices(pattern)
]
_AT_WORDS, _OTHERS = parted(_CHOICES)
_MAY_RESTRICT = skipping(_AT_WORDS)
_MAY_BEGIN = re.compile("|".join(_OTHERS), re.IGNORECASE)
"""With it: whether any kind occurs at all, in a tenth of the time."""
_WHOLE: dict[Restriction, re.Pattern[str]] = {
    "precondition": tells(_DATA["precondition"], re.IGNORECASE),
    "stop": tells(_DATA["stop"], re.IGNORECASE),
}
_LOOKED_AT = 600
_LEADING = 3
"""Characters before a condition with which a sentence still begins with it."""
_CLAUSE_END = re.compile(r"[.!?](?:\s|\Z)|[;:\n]|\s[\u2013\u2014-]\s|\)|,\s(?:but|aber|pero|mais|mas|ma)\s")
_COMMA = re.compile(r",\s")


class Condition(NamedTuple):
    """What restricts a rule."""

    kind: Restriction
    text: str
    """As it stands, with the words that announce it."""
    stems: frozenset[str]
    """What it is about."""
    rule: frozenset[str]
    """What the rest of the sentence is about."""


def conditions(sentence: str, kinds: frozenset[Restriction]) -> list[Condition]:
    """The conditions of these kinds that a sentence names; an exception ends with its clause.

    >>> [one.text for one in conditions("Parking is free, except on public holidays.", frozenset({"exception"}))]
    ['except on public holidays']
    >>> [one.kind for one in conditions("Stop if the lamp turns red.", frozenset({"stop", "exception"}))]
    ['stop']
    """
    text = sentence[:_LOOKED_AT]
    found: list[Condition] = []
    if _MAY_RESTRICT.search(text) is None and _MAY_BEGIN.match(text) is None:
        return found
    for kind, pattern in _PART.items():
        if kind in kinds and not found and (match := _part(kind, pattern, text)) is not None:
            end = _end(text, match.start(), match.end())
            stems = _stems(text[match.end() : end])
            rule = _stems(f"{text[: match.start()]} {text[end:]}")
            if stems:
                found.append(Condition(kind, text[match.start() : end].strip(), stems - rule, rule))
    whole = None
    for kind, pattern in _WHOLE.items():
        if kind in kinds and not found and pattern.search(text) is not None:
            whole = _stems(text) if whole is None else whole
            found.append(Condition(kind, text.strip(), whole, frozenset()))
    return found


def _part(kind: Restriction, pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Where the first condition of a kind is announced."""
    match = pattern.search(text)
    if match is None or kind != "proviso":
        return match
    none = {one.start(one.lastindex or 0) for one in _NO_PROVISO.finditer(text)}
    return next((one for one in pattern.finditer(text, match.start()) if one.start() not in none), None)


def _end(text: str, start: int, after: int) -> int:
    """Where an exception ends: with its clause, or at a comma where the sentence begins with it."""
    ends = [match.start() for match in (_CLAUSE_END.search(text, after),) if match is not None]
    if start <= _LEADING:
        ends += [match.start() for match in (_COMMA.search(text, after),) if match is not None]
    return min(ends, default=len(text))


def _stems(text: str) -> frozenset[str]:
    return content_of(text) - FRAME_STEMS

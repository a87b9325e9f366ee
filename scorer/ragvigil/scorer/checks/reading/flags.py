"""Flags of a record: what it says to be so, not so or unknown, and how its names may be written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

from ragvigil.scorer.checks.reading.records import spaced
from ragvigil.scorer.checks.reading.words import Word, words

Truth = Literal["true", "false", "null"]
_COMMON = 3
"""Names in which a word must occur to tell nothing about any one of them."""


class Flag(NamedTuple):
    """Something that a record says to be so, not so or missing."""

    sequence: tuple[str, ...]
    """Stems of the words of its name, without those that many names share."""
    joined: str
    """Stem of those words written as one."""
    content: frozenset[str]
    """The meaningful ones of them; empty where they only tell something side by side, as in take-out."""
    truth: Truth


def read_flags(named: Sequence[tuple[str, Truth | None]]) -> list[Flag]:
    """The flags among the values of a record, each given by its name and its truth, None where it has none.

    >>> [(flag.sequence, flag.joined, flag.truth) for flag in read_flags([("WiFi", "false"), ("Name", None)])]
    [(('wi', 'fi'), 'wifi', 'false')]
    """
    parts = [[(part, words(part)) for part in spaced(name).split()] for name, _ in named]
    uses = Counter(
        stem for one in parts for stem in {word.stem for _, read in one for word in read if word.content}
    )
    found: list[Flag] = []
    for one, (_, truth) in zip(parts, named, strict=True):
        own = [(part, read) for part, read in one if all(uses[word.stem] < _COMMON for word in read)]
        sequence = [word for _, read in own for word in read]
        content = frozenset(word.stem for word in sequence if word.content)
        if truth and content:
            found.append(_flag("".join(part for part, _ in own), sequence, content, truth))
    return found


def _flag(name: str, sequence: Sequence[Word], content: frozenset[str], truth: Truth) -> Flag:
    joined = words(name)
    side_by_side = len(content) == 1 and len(sequence) > 1
    return Flag(
        tuple(word.stem for word in sequence),
        joined[0].stem if len(joined) == 1 else "",
        frozenset() if side_by_side else content,
        truth,
    )

"""Entries: a "no" that is all of a cell, or of what stands behind a key, denies that alone, not the row or the record.

"| Basic | $9 | no |" does not deny that Basic costs $9, nor does "induction: no" that a kettle is black.
"""

from __future__ import annotations

import re
from collections.abc import Set
from functools import lru_cache
from typing import NamedTuple

from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import Word, content_of, words

_ENTRY = re.compile(r"(?P<joint>[:|])[ \t*_`❌✗✘]*(?P<told>[^\W\d_]+)[ \t*_`❌✗✘]*(?=[|,;.\n]|\Z)")
_KEY = re.compile(r"[^|:,;\n]*\Z")
_LONGEST_KEY = 80
_BELOW_HEADS = re.compile(r"\s*\|?[ \t]*:?-{2,}")


class Entries(NamedTuple):
    """What a sentence says beside its entries that only deny."""

    denied: list[frozenset[str]]
    """The meaningful stems of the key of each."""
    rest: list[Word]
    """The words of the others, or of all where there is one key and nothing else."""

    def deny(self, said: Set[str]) -> bool:
        """Whether one of them denies what has the stems `said`."""
        return any(key <= said for key in self.denied)


def entries_of(best: Segment) -> Entries | None:
    """What `best` says beside its entries that only deny; None where it has none.

    >>> from ragvigil.scorer.checks.reading.evidence import Evidence
    >>> from ragvigil.scorer.trace import Document
    >>> record = Evidence([Document("a", "colour: black; induction: no")]).segments[0]
    >>> texts = ("It works with induction.", "It is black.")
    >>> [entries_of(record).deny({word.stem for word in words(text)}) for text in texts]
    [True, False]
    """
    if best.span is None:
        return None
    text = best.sentence
    return _entries_of(text) if "|" in text or ":" in text else None  # as mostly


@lru_cache(maxsize=1 << 8)
def _entries_of(text: str) -> Entries | None:
    alone = [one for one in _ENTRY.finditer(text) if all(word.negation for word in words(one["told"]))]
    if not alone:
        return None
    before = [text[max(0, one.start() - _LONGEST_KEY) : one.start()] for one in alone if one["joint"] == ":"]
    keys = [content_of(found[0]) for one in before if (found := _KEY.search(one))]
    ends = [0, *(end for one in alone for end in one.span("told")), len(text)]
    rest = "".join(text[ends[place] : ends[place + 1]] for place in range(0, len(ends), 2))
    says_nothing_else = len(alone) == len(keys) == 1 < len(keys[0]) and content_of(rest) <= keys[0]
    told = words(text if says_nothing_else else rest)  # one rule for smoking in rooms: never
    return Entries([key for key in keys if key], told)


def are_heads(best: Segment) -> bool:
    """Whether `best` is the first row of a table, which says nothing of any other row."""
    if best.span is None or not best.text.startswith("|", best.span[0]):
        return False
    return _BELOW_HEADS.match(best.text, best.span[1]) is not None

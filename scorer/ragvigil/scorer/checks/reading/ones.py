"""One of a thing: "1 infant" where the passages say "one infant", "a single one", *ein* or *una*.

In them a lone *one* is no number, for it is a pronoun as well: so only a 1 that counts the same thing is that word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from ragvigil.scorer.checks.reading.patterns import LETTERS
from ragvigil.scorer.checks.reading.surrounding import stems_around
from ragvigil.scorer.checks.reading.words import Word, offsets, words
from ragvigil.scorer.data import read_data
from ragvigil.scorer.lazily import made_once

_MEASURES: Any = read_data("measures.json")["measures"]
_UNITS = frozenset(
    word.stem
    for units in _MEASURES.values()
    for _, names in units
    for name in names.split()
    for word in words(name)
)
_WHAT = r"[^\W\d_]{2,30}(?:[ -][^\W\d_]{2,30}){0,2}"
_LONE = re.compile(rf"1(?<![\w.,:/+#$€£¥-]1)(?:[ \u00a0-](?P<what>{_WHAT})|(?P<ends>[ \t|*_.]*\Z))")
_LABEL = re.compile(rf"(?P<what>{_WHAT})[*_]{{0,2}}(?::|\s?\|)[*_\s]{{0,4}}\Z")
_LONGEST_LABEL = 100
_SAID = re.compile(
    rf"(?:(?P<one>one|a\ssingle)|(?:ein(?:e[nmrs]?)?|un[ae]?|uma?))[\s-](?P<what>{_WHAT})",
    re.IGNORECASE,
)
_STARTS = re.compile(r"[aeou](?<![\w-].)(?:n|in|m|\ss)", re.IGNORECASE)
"""Where such a word may begin: the engine skips to a few letters."""
_DENIED = re.compile(r"\b(?:no|not|any|every|each|more than|less than|over|which)\s\Z", re.IGNORECASE)
_BEFORE = 12
_NEAR = 40
_MOST_ONES, _MOST_SAID, _MOST_COUNTED = 50, 5000, 50
_SHORTEST, _ENDING = 3, 2


class _One(NamedTuple):
    """Where the passages tell of one thing."""

    start: int
    word: Word
    what: tuple[str, ...]
    """The stems of the meaningful words behind it."""
    article: bool
    """Whether its word may also be *a*."""


def may_count_one(text: str) -> bool:
    """Whether a 1 counts something: a quick first look.

    >>> [may_count_one(text) for text in ("Take 1 bag.", "USB ports: 1", "Take 1.5 l.", "Take 10 bags.", "At 1:00")]
    [True, True, False, False, False]
    """
    return "1" in text and _LONE.search(text) is not None


class Ones:
    """Of which things the passages tell that there is one."""

    def __init__(self, evidence: str) -> None:
        self._evidence = evidence
        small = evidence.lower()
        self._small = small if len(small) == len(evidence) else evidence
        self._room = _MOST_ONES

    def in_words(self, sequence: Sequence[Word], text: str) -> Sequence[Word]:
        """`sequence`, the words of `text`, with a 1 as the word of the passages for one of the same thing.

        >>> text, known = "Each adult may take 1 infant and 1 bag.", Ones("Adults may take one infant, two bags.")
        >>> [word.stem for word in known.in_words(words(text), text)]
        ['each', 'adult', 'may', 'tak', 'one', 'infant', 'and', '1', 'bag']
        """
        found = list(sequence)
        for place, (said, what) in _counted(sequence, text):
            if self._room <= 0:
                break
            if f"1 {said}" in self._small:
                continue  # as mostly
            self._room -= 1
            if one := self._one(sequence, said, what):
                found[place] = one
        return found

    def _one(self, claim: Sequence[Word], said: str, what: Sequence[str]) -> Word | None:
        """How the passages tell of one of `what`, as it is `said`; None where they count it otherwise, too."""
        mine = {word.stem for word in claim if word.content}
        best = max(
            (one for stem in what for one in self._of.get(stem, ()) if _is_same(what, one)),
            key=lambda one: (len(mine & stems_around(self._evidence, one.start)), -one.start),
            default=None,
        )
        if best is None:
            return None
        shared = frozenset(what).intersection(best.what)
        near = len(mine & stems_around(self._evidence, best.start))
        for start in self._counted_otherwise(said, shared):
            if start is None or len(mine & stems_around(self._evidence, start)) >= near:
                return None
        return best.word

    @made_once
    def _of(self) -> dict[str, list[_One]]:
        found: dict[str, list[_One]] = {}
        told = 0
        for start in _STARTS.finditer(self._evidence):
            one = _SAID.match(self._evidence, start.start())
            if one is None or _DENIED.search(self._evidence[max(0, one.start() - _BEFORE) : one.start()]):
                continue
            what = _meaningful(one["what"])
            said = words(one[0])
            read = _One(
                one.start(),
                said[len(words(one[0][: one.start("what") - one.start()])) - 1],
                what,
                not one["one"],
            )
            for stem in what:
                found.setdefault(stem, []).append(read)
            told += 1
            if told == _MOST_SAID:
                break
        return {stem: ones for stem, ones in found.items() if len(ones) <= _MOST_COUNTED}

    def _counted_otherwise(self, said: str, shared: frozenset[str]) -> Iterator[int | None]:
        """Where a number other than one stands before what is `said`; None where that is said too often to tell."""
        start, seen = -1, 0
        while (start := self._small.find(said, start + 1)) >= 0:
            seen += 1
            if seen > _MOST_COUNTED:
                yield None
                return
            behind = self._evidence[start : start + _NEAR].partition(" ")[0]
            told = words(self._evidence[max(0, start - _NEAR) : start] + behind)
            numbers = [at for at, word in enumerate(told) if word.numbers]
            if numbers and shared <= {word.stem for word in _until_a_stop(told[numbers[-1] + 1 :])}:
                yield start


def _counted(sequence: Sequence[Word], text: str) -> Iterator[tuple[int, tuple[str, Sequence[str]]]]:
    """Which words are a 1 that counts something, with how its first letters are said, and the stems of what it is."""
    starts = {first: place for place, (first, _) in enumerate(offsets(text))}
    for one in _LONE.finditer(text):
        place = starts.get(one.start())
        what = one["what"]
        if what is None:
            label = _LABEL.search(text, max(0, one.start() - _LONGEST_LABEL), one.start())
            what = label and label["what"]
        if place is None or not what or sequence[place].stem != "1":
            continue
        if stems := _meaningful(what):
            last = LETTERS.findall(what)[: len(stems)][-1].lower()
            yield place, (last[: max(_SHORTEST, len(last) - _ENDING)], stems)


def _meaningful(what: str) -> tuple[str, ...]:
    return tuple(word.stem for word in _until_a_stop(words(what)))


def _until_a_stop(told: Sequence[Word]) -> Iterator[Word]:
    return takewhile(lambda word: word.content and not word.numbers, told)


def _is_same(what: Sequence[str], one: _One) -> bool:
    """Whether both are of the same thing: its name ends what one side says, behind an article what both say."""
    if one.article:
        return (what[-1] == one.what[-1] and what[-1] not in _UNITS) or (
            what[0] == one.what[0] and what[0] not in _UNITS
        )
    return any(stem in one.what and (stem == what[-1] or stem == one.what[-1]) for stem in what)

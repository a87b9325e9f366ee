"""What a text must hold for each of many patterns: so few of them are made, and fewer are searched for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from ragvigil.scorer.checks.reading.remembered import Remembered

_START = 3
"""Letters by which the parts of words are looked up."""


class _Spellings(NamedTuple):
    """The members of a set: those with a whole word within by the longest such word, and all others."""

    around: Mapping[str, Sequence[str]]
    others: Sequence[str]


class Needs:
    """Which patterns can be found in a text.

    `patterns` has for each pattern its ways to be found, for each of these the sets of which a text must hold
    something, as places in `sets`; the first of a way holds parts of words, the others may hold phrases.

    >>> needs = Needs([["cannot", "n't"], ["document", "know"], ["sorry"]], [[[1, 0], [2]], [[2]]])
    >>> texts = ("the documents don't say", "that is known", "sorry, it is not")
    >>> [needs.met(text, text.split()) for text in texts]
    [[0], [], [0, 1]]
    """

    def __init__(self, sets: Sequence[Sequence[str]], patterns: Sequence[Sequence[Sequence[int]]]) -> None:
        behind = {other for ways in patterns for way in ways for other in way[1:]}
        self._spellings = {other: _spellings(sets[other]) for other in behind}
        self._always: list[int] = []
        self._ways: dict[int, list[tuple[int, Sequence[int]]]] = {}
        """By its first set each way to be found: the place of the pattern, and the other sets, quick ones first."""
        for place, ways in enumerate(patterns):
            for way in ways:
                if way:
                    others = sorted(way[1:], key=lambda other: len(self._spellings[other].others))
                    self._ways.setdefault(way[0], []).append((place, others))
                else:
                    self._always.append(place)
        self._starts: dict[str, list[tuple[str, int]]] = {}
        for number in self._ways:
            for part in sets[number]:
                self._starts.setdefault(part[:_START], []).append((part, number))
        self._sizes = sorted({len(start) for start in self._starts})
        self._held = Remembered(self._sets_in)

    def met(self, plain: str, tokens: Iterable[str]) -> list[int]:
        """Places of the patterns that a text in lower case can hold; `tokens` stand between its white space."""
        return sorted({*self._met(plain, {*tokens})})

    def any_met(self, plain: str, tokens: Iterable[str]) -> bool:
        """Whether a text in lower case can hold any of the patterns: told by the first of them."""
        return next(self._met(plain, {*tokens}), None) is not None

    def _met(self, plain: str, words: Set[str]) -> Iterator[int]:
        yield from self._always
        known: dict[int, bool] = {}
        for number in set[int]().union(*map(self._held.__getitem__, words)):
            for place, others in self._ways[number]:
                for other in others:
                    if other not in known:
                        known[other] = self._is_held(other, plain, words)
                    if not known[other]:
                        break
                else:
                    yield place

    def _is_held(self, number: int, plain: str, words: Set[str]) -> bool:
        """Whether a text holds something of a set: a phrase is looked for only where a whole word of it is there."""
        around, others = self._spellings[number]
        for word in around.keys() & words:
            if any(one in plain for one in around[word]):
                return True
        return any(one in plain for one in others)

    def _sets_in(self, word: str) -> tuple[int, ...]:
        """First sets of which a word holds a part."""
        begun = {word[at : at + size] for size in self._sizes for at in range(len(word))}
        near = [entry for start in begun for entry in self._starts.get(start, ())]
        return tuple({number for part, number in near if part in word})


def _spellings(phrases: Iterable[str]) -> _Spellings:
    """The phrases by whole words: those with a space on both sides.

    >>> _spellings([" in the", "cannot say", "i can't "])
    _Spellings(around={'in': (' in the',), "can't": ("i can't ",)}, others=('cannot say',))
    """
    around: dict[str, tuple[str, ...]] = {}
    others: list[str] = []
    for phrase in phrases:
        within = [word for word in phrase.split(" ")[1:-1] if word.split() == [word]]
        if within:
            word = max(within, key=len)
            around[word] = (*around.get(word, ()), phrase)
        else:
            others.append(phrase)
    return _Spellings(around, tuple(others))

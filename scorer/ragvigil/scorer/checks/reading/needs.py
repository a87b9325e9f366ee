"""What a text must hold for each of many patterns: so few of them are made, and fewer are searched for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragvigil.scorer.checks.reading.remembered import Remembered

_START = 3
"""Letters by which the parts of words are looked up."""


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
        self._always: list[int] = []
        self._ways: dict[int, list[tuple[int, list[Sequence[str]]]]] = {}
        """By its first set each way to be found: the place of the pattern, and the other sets."""
        for place, ways in enumerate(patterns):
            for way in ways:
                if way:
                    self._ways.setdefault(way[0], []).append((place, [sets[other] for other in way[1:]]))
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
        able = {*self._always}
        for number in set[int]().union(*map(self._held.__getitem__, tokens)):
            for place, others in self._ways[number]:
                if all(any(one in plain for one in spellings) for spellings in others):
                    able.add(place)
        return sorted(able)

    def _sets_in(self, word: str) -> tuple[int, ...]:
        """First sets of which a word holds a part."""
        begun = {word[at : at + size] for size in self._sizes for at in range(len(word))}
        near = [entry for start in begun for entry in self._starts.get(start, ())]
        return tuple({number for part, number in near if part in word})

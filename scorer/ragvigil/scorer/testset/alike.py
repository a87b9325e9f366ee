"""Which questions are one: the same words however they are spaced, or other words that ask the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.words import words
from ragvigil.scorer.judge.similarity import Lexical

ALIKE = 0.9
"""Similarity from which two questions are one, where they ask by the same word and for the same numbers."""
_CLOSING = " ?!.\u2026\u3002\uff1f\uff01"
"""What ends a question or does not, and asks nothing else."""
_ASKING = frozenset(one.strip("¿") for one in LEXICON.asking)


class _Turn(NamedTuple):
    """What makes another question of the same words."""

    asking: frozenset[str]
    values: frozenset[str]
    turning: frozenset[str]


def plain(query: str) -> str:
    """A question as it is compared: capitals, spaces and its last sign aside.

    >>> plain("When  does it open? "), plain("?")
    ('when does it open', '?')
    """
    return " ".join(query.casefold().split()).rstrip(_CLOSING) or query


class Known:
    """Questions that are there already, each with a name; looks up whether another one is of them."""

    def __init__(self, questions: Iterable[tuple[str, str]] = ()) -> None:
        """`questions`: (name, text)."""
        self._names: dict[str, str] = {}
        self._by_turn: dict[_Turn, list[str]] = {}
        self._near = Lexical()
        for name, query in questions:
            self.add(name, query)

    def add(self, name: str, query: str) -> None:
        """One more; where its words are there already, the first name stays."""
        key = plain(query)
        if key not in self._names:
            self._names[key] = name
            self._by_turn.setdefault(_turn(query), []).append(key)

    def same(self, query: str) -> str | None:
        """The name of the one with the same words."""
        return self._names.get(plain(query))

    def alike(self, query: str) -> str | None:
        """The name of the first that asks the same in other words, by its telling words; None where none does.

        >>> known = Known([("a", "How do I reset my password?"), ("b", "When does it open?")])
        >>> known.alike("How can I reset the password, please?"), known.alike("Where does it open?")
        ('a', None)
        """
        asked = plain(query)
        near = (one for one in self._by_turn.get(_turn(query), ()) if self._near.between(asked, one) >= ALIKE)
        return next((self._names[one] for one in near), None)


def _turn(query: str) -> _Turn:
    """What is asked for and about which numbers, whether it is denied, and of how many.

    "When does it open?" and "where" have the same telling words; so have office 7 and office 8, nearly.
    """
    read = words(query)
    return _Turn(
        frozenset(one.strip("¿?,.;:") for one in query.casefold().split()) & _ASKING,
        frozenset(value for word in read for value in word.numbers),
        frozenset(word.stem for word in read if word.negation or word.qualifier),
    )

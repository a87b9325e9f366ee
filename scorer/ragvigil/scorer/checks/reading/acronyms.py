"""Acronyms: what an answer calls by its initials, and the passages by its whole name: AAA, MFA."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragvigil.scorer.checks.reading.claims import Statement
from ragvigil.scorer.checks.reading.patterns import LETTERS
from ragvigil.scorer.checks.reading.words import Word, offsets, words
from ragvigil.scorer.lazily import made_once

_ACRONYM = re.compile(r"[A-Z](?<![\w.-].)[A-Z]{2,5}(?=s?(?![\w-]|\.\w))")
"""It begins with a capital letter, to which the engine skips."""
_ENDS = re.compile(r"[.!?;:\n|]")
_MOST_ACRONYMS, _MOST_TRIED = 50, 20
"""Of one answer, and places at which the initials of one are looked at."""


def may_abbreviate(text: str) -> bool:
    """Whether `text` holds what may be an acronym: a quick first look."""
    return _ACRONYM.search(text) is not None


class Names:
    """What the passages spell out, asked by its initials."""

    def __init__(self, evidence: str) -> None:
        self._evidence = evidence
        self._found: dict[str, Word | None] = {}

    def spelled_out(self, statement: Statement) -> Statement:
        """`statement` with a word of the whole name in place of each acronym that the passages do not have.

        >>> from ragvigil.scorer.checks.reading.claims import read_statements
        >>> told = read_statements("Disputes go to the AAA, not to the ICC.", [])[0]
        >>> rules = Names("Rules of the American Arbitration Association apply.")
        >>> [word.stem for word in rules.spelled_out(told).words]
        ['disput', 'go', 'to', 'the', 'american', 'not', 'to', 'the', 'icc']
        """
        found = {
            match.start(): name
            for match in _ACRONYM.finditer(statement.text)
            if (name := self._name(match[0])) is not None
        }
        if not found:
            return statement
        starts = [first for first, _ in offsets(statement.text)]
        told = [found.get(start, word) for start, word in zip(starts, statement.words, strict=True)]
        return statement._replace(words=tuple(told))

    def _name(self, acronym: str) -> Word | None:
        """The longest word of the first name with these initials, or several of it; None where there is no need."""
        if acronym not in self._found:
            if len(self._found) == _MOST_ACRONYMS:
                return None
            said = re.search(rf"(?<![\w.-]){acronym}(?P<more>s?)(?!\w)", self._evidence)
            if said:
                self._found[acronym] = words(said[0])[0] if said["more"] else None
            else:
                self._found[acronym] = self._sought(acronym)
        return self._found[acronym]

    def _sought(self, acronym: str) -> Word | None:
        place = -1
        for _ in range(_MOST_TRIED):
            place = self._initials.find(acronym, place + 1)
            if place < 0:
                break
            run = self._parts[place : place + len(acronym)]
            said = self._evidence[run[0].start() : run[-1].end()]
            if not _ENDS.search(said) and _is_a_name(run, told := words(said)):
                return max(told, key=lambda word: len(word.stem))
        return None

    @made_once
    def _parts(self) -> list[re.Match[str]]:
        return list(LETTERS.finditer(self._evidence))

    @made_once
    def _initials(self) -> str:
        """The first letter of each word in capitals, one that is two in capitals as it is."""
        firsts = (part[0][0] for part in self._parts)
        return "".join(first.upper() if len(first.upper()) == 1 else first for first in firsts)


def _is_a_name(run: Sequence[re.Match[str]], told: Sequence[Word]) -> bool:
    """Whether all words begin with a capital letter, or all carry meaning."""
    return all(part[0][0].isupper() for part in run) or all(word.content for word in told)

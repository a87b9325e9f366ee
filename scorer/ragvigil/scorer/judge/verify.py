"""Holding a reply against the trace: what can be decided without a model is decided here, and overrides it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.claims import Statement
from ragvigil.scorer.checks.reading.passages import name_of
from ragvigil.scorer.checks.reading.words import Word, words
from ragvigil.scorer.judge.reply import ReplyClaim
from ragvigil.scorer.verdict import Claim

_SAME = 0.6
"""Share of a claim's words that a stretch of the answer must hold to be where the claim was made."""
_MISSED = 0.5
"""Share of a statement's words that the claims made in it must hold for it to have been judged."""
_MISSED_BY_ALL = 0.75
"""Share that all claims together must hold: then the statement repeats what was said elsewhere."""
_PROBABILITY = {"supported": 1.0, "partial": 0.5, "unsupported": 0.0}


@dataclass(frozen=True, slots=True)
class Verified:
    """Claims that stand, and what was wrong with the reply."""

    claims: tuple[Claim, ...]
    flags: tuple[str, ...]
    missed: tuple[Statement, ...]
    """Statements of the answer that need evidence and that no claim is about."""


def verify(claims: Sequence[ReplyClaim], prepared: Prepared) -> Verified:
    """Claims that are found in the answer, with passages that exist; everything else is flagged.

    A claim called supported by no passage that exists is unsupported: a judge that was talked into a verdict, or
    made it up, names none or invents one.
    """
    known = {name_of(document) for document in prepared.record.documents}
    meanings = _Meanings(prepared.statements)
    flags: list[str] = []
    found: list[Claim] = []
    placed: list[tuple[str, tuple[int, int]]] = []
    for claim in claims:
        place = _place(claim.claim, prepared, meanings)
        if place is None:
            flags.append("claim_not_in_answer")
            continue
        placed.append((claim.claim, place))
        passages = tuple(dict.fromkeys(one for one in map(_bare, claim.supported_by) if one in known))
        if len(passages) < len(set(claim.supported_by)):
            flags.append("unknown_passage")
        verdict = claim.verdict
        if verdict != "unsupported" and not passages:
            verdict = "unsupported"
            flags.append("support_without_passage")
        start, end = place
        found.append(Claim(prepared.answer[start:end], start, end, passages, verdict, _PROBABILITY[verdict]))
    missed = _missed(placed, prepared, meanings)
    if missed:
        flags.append("statements_not_judged")
    return Verified(tuple(found), tuple(dict.fromkeys(flags)), missed)


@dataclass(frozen=True, slots=True)
class Located:
    """Claims where the answer makes them, and the statements that no claim was about."""

    texts: tuple[str, ...]
    places: tuple[tuple[int, int], ...]
    flags: tuple[str, ...]


def located(claims: Sequence[str], prepared: Prepared) -> Located:
    """Each claim once at its place in the answer; what needs evidence and is in none of them comes as a claim too."""
    meanings = _Meanings(prepared.statements)
    flags: list[str] = []
    found: dict[tuple[int, int], str] = {}
    for claim in claims:
        place = _place(claim, prepared, meanings)
        if place is None:
            flags.append("claim_not_in_answer")
        else:
            found.setdefault(place, claim)
    for one in _missed([(text, place) for place, text in found.items()], prepared, meanings):
        found.setdefault((one.start, one.end), prepared.answer[one.start : one.end])
        flags.append("statements_not_judged")
    places = sorted(found)
    return Located(tuple(found[place] for place in places), tuple(places), tuple(dict.fromkeys(flags)))


def _bare(identifier: str) -> str:
    """An id without the brackets that models like to leave around it."""
    return identifier.strip().removeprefix("[").removesuffix("]")


class _Meaning(NamedTuple):
    """What of a text can be found again in other words."""

    stems: frozenset[str]
    """Of the meaningful words."""
    figures: frozenset[str]

    @classmethod
    def of(cls, read: Sequence[Word]) -> _Meaning:
        """That of some words."""
        return cls(
            frozenset(word.stem for word in read if word.content),
            frozenset(figure for word in read for figure in word.numbers),
        )


class _Meanings:
    """Claims and statements, each read once: most claims are statements word for word."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self._of = {one.text: _Meaning.of(one.words) for one in statements}

    def of(self, text: str) -> _Meaning:
        """That of one text."""
        if text not in self._of:
            self._of[text] = _Meaning.of(words(text))
        return self._of[text]


def _place(claim: str, prepared: Prepared, meanings: _Meanings) -> tuple[int, int] | None:
    """Where in the answer a claim was made: word for word, else the statement that shares most words with it.

    Words without a meaning of their own ("The") are no claim.
    """
    said = meanings.of(claim).stems
    if not said:
        return None
    at = prepared.answer.find(claim)
    if at >= 0:
        return at, at + len(claim)
    shared, place = max(
        (
            (len(said & meanings.of(one.text).stems) / len(said), (one.start, one.end))
            for one in prepared.statements
        ),
        default=(0.0, (0, 0)),
    )
    return place if shared >= _SAME else None


def _missed(
    claims: Sequence[tuple[str, tuple[int, int]]], prepared: Prepared, meanings: _Meanings
) -> tuple[Statement, ...]:
    """Statements that need evidence, and of which the claims hold too few words or not every figure."""
    told = [(meanings.of(claim), start, end) for claim, (start, end) in claims]
    everywhere = frozenset[str]().union(*(one.stems for one, _, _ in told))
    figures = frozenset[str]().union(*(one.figures for one, _, _ in told))

    def held_within(one: Statement, needed: _Meaning) -> int:
        within = (said.stems for said, start, end in told if start < one.end and end > one.start)
        return len(needed.stems.intersection(frozenset[str]().union(*within)))

    def misses(one: Statement) -> bool:
        needed = meanings.of(one.text)
        size = len(needed.stems)
        few = (
            len(needed.stems & everywhere) < _MISSED_BY_ALL * size
            and held_within(one, needed) < _MISSED * size
        )
        return few or not needed.figures <= figures

    return tuple(
        one for one in prepared.statements if one.checkworthy and one.kind != "refusal" and misses(one)
    )

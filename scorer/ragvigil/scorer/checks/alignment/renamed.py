"""Names exchanged: a claim that says of one name what a sentence says of another, in the same place of it.

"The Bank of India said" is not carried by "the Bank of Japan said", though it is by all words but one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.language import language_of
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import Word, words

_ALL_NOUNS = "de"
"""The language in which all nouns begin with a capital letter."""
_MOST_NAMES = 0.5
_SHORTEST = 3
_OTHERWISE_CALLED = frozenset(
    word.stem
    for word in words(
        "US USA America American United States UK Britain British Kingdom England EU European Europe"
    )
)
"""Stems of names that have others in the same places."""


class _Run(NamedTuple):
    """Names one after another, between two words."""

    before: str
    names: tuple[str, ...]
    behind: str


def is_renamed(
    claim: Sequence[Word], text: str, best: Segment, evidence: Evidence, question: Collection[str]
) -> bool:
    """Whether `claim`, the words of `text`, has a name found nowhere where the `best` sentence has another name.

    The words before and behind it must be the same, and neither an abbreviation of the other.

    >>> from ragvigil.scorer.trace import Document
    >>> bank = Evidence([Document("a", "On Thursday the Bank of Japan said that it would buy bonds.")])
    >>> texts = ("The Bank of India said that it would buy bonds.", "The Bank of Japan said that it would.")
    >>> [is_renamed(words(text), text, bank.segments[0], bank, ()) for text in texts]
    [True, False]
    """
    names = [word for word in claim[1:] if word.name]
    novel = {word.stem for word in names if _is_novel(word, evidence, question)}
    if best.span is None or not novel:
        return False  # as mostly
    sentence = best.sentence
    said = {word.stem for word in claim}
    there = {
        (run.before, run.behind): run.names
        for run in _runs(words(sentence))
        if said.isdisjoint(run.names) and _OTHERWISE_CALLED.isdisjoint(run.names)
    }
    if not there:
        return False
    found = any(
        novel.issuperset(run.names)
        and _OTHERWISE_CALLED.isdisjoint(run.names)
        and (run.before, run.behind) in there
        and not _abbreviate(run.names, there[run.before, run.behind])
        for run in _runs(claim)
    )
    return found and _capitalises_names(claim) and language_of(f"{text} {sentence}") != _ALL_NOUNS


def _is_novel(word: Word, evidence: Evidence, question: Collection[str]) -> bool:
    """Whether a name stands nowhere."""
    return (
        word.content
        and len(word.stem) >= _SHORTEST
        and word.stem not in evidence.places
        and word.stem not in question
        and word.stem not in evidence.kin
    )


def _runs(sequence: Sequence[Word]) -> Iterator[_Run]:
    """The names of `sequence` that stand between two words that are none."""
    first: int | None = None
    for place, word in enumerate(sequence):
        if word.name and place:
            first = place if first is None else first
        elif first is not None:
            yield _Run(sequence[first - 1].stem, tuple(one.stem for one in sequence[first:place]), word.stem)
            first = None


def _abbreviate(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether one of two runs may be the initials of the other."""
    for short, long in ((one, other), (other, one)):
        if len(short) == 1 and len(long) > 1 and short[0][:1] == long[0][:1]:
            return True
    return any(mine[:_SHORTEST] == theirs[:_SHORTEST] for mine in one for theirs in other)


def _capitalises_names(claim: Sequence[Word]) -> bool:
    """Whether not most words begin with a capital letter, as in a title."""
    return sum(word.name for word in claim) <= _MOST_NAMES * len(claim)

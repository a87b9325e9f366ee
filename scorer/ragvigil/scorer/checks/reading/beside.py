"""What a statement is beside its question and passages: a refusal, a heading, or a denial that a passage makes, too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from functools import cache

from ragvigil.scorer.checks.reading.claims import Statement
from ragvigil.scorer.checks.reading.headings import repeats_question
from ragvigil.scorer.checks.reading.leading_in import asks_what_is_missing
from ragvigil.scorer.checks.reading.negation import denies
from ragvigil.scorer.checks.reading.unanswered import ASKED, leaves_unanswered, lowered
from ragvigil.scorer.checks.reading.words import Word, stems_of, words

_SENTENCES = re.compile(r"(?<=[.!?;])\s+|\n+|(?<=[\u3002\uff01\uff1f\uff1b])")
_OF_ONESELF = re.compile(r"\b(?:I|[Ww]e|[Ii]ch|[Ww]ir|[Jj]e|[Jj]'|[Nn]ous|[Ii]k|[Ww]ij)\b")
_NO = re.compile(r"\W{0,4}no\W{0,4}", re.IGNORECASE)
_ENOUGH = 2
"""Words of meaning by which a fact is known again without those for giving and stating."""
_LETTERS = 4
"""Of a stem that is written as it begins, with no accent left out: by them a sentence is passed over at once."""


def beside(statement: Statement, before: Statement | None, question: str, texts: Iterable[str]) -> Statement:
    """`statement` with its kind as the one before it, the question and the texts of the passages show it."""
    kind, text = statement.kind, statement.text
    if kind == "claim":
        if repeats_question(text, question):
            return statement._replace(kind="heading")
        if (
            question
            and leaves_unanswered(text, question)
            and not repeats_denial(text, statement.words, texts)
        ):
            return statement._replace(kind="refusal")
    elif kind == "refusal" and (
        _answers_no(statement, before, question)
        or (not _OF_ONESELF.search(text) and repeats_denial(text, statement.words, texts, _ENOUGH))
    ):
        return statement._replace(kind="claim")
    return statement  # as mostly


def _answers_no(statement: Statement, before: Statement | None, question: str) -> bool:
    """Whether a refusal stands behind "No," and says of a source what was asked of it: whether it mentions pets."""
    if before is None or before.kind != "phrase" or not _NO.fullmatch(before.text):
        return False
    return asks_what_is_missing(question, statement.text)


def repeats_denial(statement: str, sequence: Sequence[Word], texts: Iterable[str], fewest: int = 1) -> bool:
    """Whether a sentence of `texts` denies something and holds all words of meaning, `fewest` at least, of a statement.

    `sequence` are the words of the statement.

    >>> texts = ["Bring a towel. There is no age limit for the tour on Sundays."]
    >>> said = ("There is no age limit.", "There is no age limit for towels.")
    >>> [repeats_denial(one, words(one), texts) for one in said]
    [True, False]
    """
    said = frozenset(word.stem for word in sequence if word.content and not word.negation)
    if len(said - _aside()) >= _ENOUGH:
        said -= _aside()
    if len(said) < fewest:
        return False
    plain = lowered(statement)
    written = sorted(stem[:_LETTERS] for stem in said if stem[:_LETTERS] in plain)
    telling = max(written, key=len, default="")
    return any(
        telling in sentence and _denies_all(sentence, said)
        for text in map(lowered, texts)
        if telling in text
        for sentence in _SENTENCES.split(text)
    )


@cache
def _aside() -> frozenset[str]:
    """The stems of words for giving and stating, as a source does or does not."""
    return stems_of([re.sub(r"\W+", " ", f"{ASKED['weakly']} {ASKED['aside']}")])


def _denies_all(sentence: str, said: Set[str]) -> bool:
    read = words(sentence)
    return said <= {word.stem for word in read} and denies(read)

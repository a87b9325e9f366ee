"""What stands before a refusal and answers nothing, and questions that a refusal answers, told by the question."""

from __future__ import annotations

import re

from ragvigil.scorer.checks.reading.question import key_stems
from ragvigil.scorer.checks.reading.refusal import concludes
from ragvigil.scorer.checks.reading.unanswered import (
    LONGEST,
    LONGEST_QUESTION,
    NUMBER,
    asked_pattern,
    lowered,
    of_one_or_more,
)
from ragvigil.scorer.checks.reading.words import content_of

_TELLING_THAT = re.compile(r"\b(?:that|says?|states?|shows?)\b(?! (?:i|we|was|were|is|are)\b)")
_MORE = re.compile(r"\b(?:other|another|further|more|else|additional|rest)\b")
"""Asks for more than what was told."""
_OWN = re.compile(r"\b(?:i|we|my|context|passages?|excerpts?|provided|retrieved)\b")
_NEARLY_ALL = 0.6
"""Share of what was asked that a refusal must name more of, so that what stands before it answers nothing."""


def introduces(statement: str, refusal: str, question: str) -> bool:
    """Whether a statement before a refusal only says what the sources hold, and nothing asked that this leaves out.

    >>> asked = "How do I export to Parquet?"
    >>> introduces("The docs pages describe CSV exports.", "I found no description of Parquet exports.", asked)
    True
    >>> introduces("The docs say that Parquet is exported by --parquet.", "I found no example.", asked)
    False
    """
    plain, asked = lowered(statement), lowered(question[:LONGEST_QUESTION])
    if (
        len(plain) > LONGEST
        or not asked_pattern("about_sources").search(plain)
        or _MORE.search(lowered(refusal))
    ):
        return False
    if not set(NUMBER.findall(plain)) <= set(NUMBER.findall(asked)):
        return False
    keys, refused = set(key_stems(asked)), content_of(lowered(refusal))
    if len(keys & refused) > _NEARLY_ALL * len(keys):
        return True
    if _TELLING_THAT.search(plain):
        return False
    if concludes(refusal):
        return True
    return asked_pattern("covering").search(plain) is not None and not (keys & content_of(plain)) - refused


def asks_what_is_missing(question: str, refusal: str) -> bool:
    """Whether a question asks what a source leaves out, or whether it tells something: then its silence answers.

    >>> asks_what_is_missing("Does the lease mention pets?", "No, the lease does not mention pets.")
    True
    >>> asks_what_is_missing("Are pets allowed?", "The lease does not mention pets.")
    False
    """
    plain = lowered(refusal[:LONGEST])
    if _OWN.search(plain):
        return False
    found = asked_pattern("whether").finditer(lowered(question[:LONGEST_QUESTION]))
    return any(re.search(of_one_or_more(one[one.lastgroup or 0]), plain) for one in found)

"""Sentences that say of a source that it does not tell what was asked: only the question shows that they refuse.

"The ticket lacks the account number" does where that number was asked for; where the ticket was asked about it answers.
"""

from __future__ import annotations

import re
from collections.abc import Set
from functools import cache
from typing import Any

from ragvigil.scorer.checks.reading.question import key_stems
from ragvigil.scorer.checks.reading.words import content_of, stems_of
from ragvigil.scorer.data import read_data

_DATA: dict[str, Any] = read_data("abstention.json")
_ASKED: dict[str, str] = _DATA["asked"]
_HINT = re.compile(
    r"n(?:'t|(?<!\wn)(?:ot?|othing|ever))\b|l(?<!\wl)acks?\b|o(?<!\wo)mits?\b|s(?<!\ws)ilent\b"
)
"""Written by its first letters, so that all others are passed over at once."""
_PLURAL = re.compile(r"(?:ies|y|s)\Z")
_LONGEST = 300
_LONGEST_QUESTION = 600
_MOST_OF = 0.5
"""Share of what was asked that a sentence must name more of, where a thing could lack that, too."""


@cache
def _silent() -> re.Pattern[str]:
    """Made when a claim first denies something."""
    opener = _DATA["words"]["opener"]
    one = _ASKED
    return re.compile(
        rf"\W{{0,3}}(?:{opener})?(?:the|this|that|these|those|my|our|your)\s(?:[\w'-]{{1,30}}\s){{0,3}}?"
        rf"(?:(?P<source>{one['sources']})|(?P<thing>{one['things']})){one['given']}\s"
        rf"(?:(?P<telling>{one['telling']})|(?:{one['holding']}))\s(?P<what>[^.;:,]{{1,160}})[.!\s]*"
    )


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(_ASKED[name] if name != "values" else rf"\b(?:{_ASKED[name]})\b")


@cache
def _aside() -> frozenset[str]:
    return stems_of([_ASKED["aside"]])


def leaves_unanswered(statement: str, question: str) -> bool:
    r"""Whether a statement only says that a source does not tell what `question` asks, and it does not ask about that.

    >>> lacks = "The ticket lacks the account number."
    >>> leaves_unanswered(lacks, "What is the account number?"), leaves_unanswered(lacks, "What does the ticket lack?")
    (True, False)
    >>> leaves_unanswered("The ticket doesn\u2019t state the account number.", "What is the account number?")
    True
    >>> leaves_unanswered("The plan lacks a discount.", "What discount do I get?")
    False
    """
    if len(statement) > _LONGEST:
        return False
    plain = statement.replace("\u2019", "'").lower()
    if not _HINT.search(plain):
        return False  # as mostly
    found = _silent().fullmatch(plain)
    if found is None:
        return False
    asked = question[:_LONGEST_QUESTION].replace("\u2019", "'").lower()
    what = content_of(found["what"]) - _aside()
    if not what or not what <= stems_of([asked]):
        return False
    if re.search(_of_one_or_more(found["source"] or found["thing"]), asked):
        return False
    return bool(found["telling"]) or _asks_for_a_value(asked, what, found)


def _of_one_or_more(noun: str) -> str:
    """A pattern for a noun in the singular and plural; by its stem a call would be a caller, too.

    >>> re.findall(_of_one_or_more("policies"), "policy, policies, police"), _of_one_or_more("call")
    (['policy', 'policies'], '\\\\bcall(?:y|ies|e?s)?\\\\b')
    """
    return rf"\b{re.escape(_PLURAL.sub('', noun))}(?:y|ies|e?s)?\b"


def _asks_for_a_value(asked: str, what: Set[str], found: re.Match[str]) -> bool:
    """Whether a question asks for what a source does not hold, in words that are no matter of things that hold it."""
    if not _pattern("asks").search(asked) or _pattern("otherwise").search(asked):
        return False
    if _pattern("values").search(found["what"]):
        return True
    keys = set(key_stems(asked))
    return found["thing"] is None and len(what & keys) > _MOST_OF * len(keys)

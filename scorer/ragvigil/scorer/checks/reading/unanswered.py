"""Sentences that say of a source that it does not tell what was asked: only the question shows that they refuse.

"The ticket lacks the account number" does where that number was asked for; where the ticket was asked about it answers.
"""

from __future__ import annotations

import re
from collections.abc import Set
from functools import cache, lru_cache
from typing import Any

from ragvigil.scorer.checks.reading.question import key_stems
from ragvigil.scorer.checks.reading.words import content_of, stems_of
from ragvigil.scorer.data import read_data
from ragvigil.scorer.lazily import made_once

_DATA: dict[str, Any] = read_data("abstention.json")
ASKED: dict[str, str] = _DATA["asked"]
"""The patterns, some with the names of others in angle brackets."""
_HINT = re.compile(
    r"n(?:'t|(?<!\wn)(?:ot?|othing|ever|owhere|either))\b|l(?<!\wl)acks?\b|o(?<!\wo)(?:mits?|pen)\b"
    r"|s(?<!\ws)ilent\b|c(?<!\wc)annot\b|f(?<!\wf)ails?\b"
    r"|u(?<!\wu)n(?:able|clear|said|stated|specified|mentioned|addressed)\b"
)
"""Written by its first letters, so that all others are passed over at once."""
NUMBER = re.compile(r"\d+")
_NAMED = re.compile(r"(?<!\?P)<([a-z_]+)>")
_WORD = re.compile(r"[\w'-]+")
_PLURAL = re.compile(r"(?:ies|y|s)\Z")
LONGEST = 300
LONGEST_QUESTION = 600
_SHAPES = ("active", "passive", "none", "nowhere", "open", "own")
_MOST_OF = 0.5
"""Share of what was asked that a sentence must name more of, where a thing could lack that, too."""


@cache
def _silent() -> re.Pattern[str]:
    """Made when a claim first denies something."""
    opener = _DATA["words"]["opener"]
    one = ASKED
    return re.compile(
        rf"\W{{0,3}}(?:{opener})?(?:the|this|that|these|those|my|our|your)\s(?:[\w'-]{{1,30}}\s){{0,3}}?"
        rf"(?:(?P<source>{one['sources']})|(?P<thing>{one['things']})){one['given']}\s"
        rf"(?:(?P<telling>{one['telling']})|(?P<none>{one['holding_none']})|(?:{one['holding']}))\s"
        r"(?P<what>[^.;:,]{1,160})[.!\s]*"
    )


@cache
def _shape(name: str) -> re.Pattern[str]:
    """A sentence that may say nothing but that there is no answer, made when a claim first denies something."""
    return re.compile(rf"\W{{0,3}}(?:{_DATA['words']['opener']})?{spelt_out(ASKED[name])}[.!\s]*")


def spelt_out(pattern: str) -> str:
    """`pattern` with what the names in angle brackets stand for."""
    return _NAMED.sub(lambda name: spelt_out(ASKED[name[1]]), pattern)


@cache
def asked_pattern(name: str, *, whole_words: bool = False) -> re.Pattern[str]:
    """One of the patterns of `asked`, made when it is first looked for."""
    pattern = spelt_out(ASKED[name])
    return re.compile(rf"\b(?:{pattern})\b" if whole_words else pattern)


@cache
def _aside() -> frozenset[str]:
    return stems_of([ASKED["aside"]])


class _Question:
    """A question in lower case, and what each shape of a sentence is laid beside."""

    def __init__(self, text: str) -> None:
        self.text = lowered(text)

    @made_once
    def stems(self) -> frozenset[str]:
        """Of all its words."""
        return stems_of([self.text])

    @made_once
    def keys(self) -> frozenset[str]:
        """The stems that say what it is about."""
        return frozenset(key_stems(self.text))

    @made_once
    def for_a_value(self) -> bool:
        """Whether it asks for a value, and not whether or how."""
        asks, otherwise = asked_pattern("asks"), asked_pattern("otherwise")
        return asks.search(self.text) is not None and not otherwise.search(self.text)

    def names(self, noun: str) -> bool:
        """Whether it has a noun, in the singular or plural."""
        return re.search(of_one_or_more(noun), self.text) is not None


_question = lru_cache(maxsize=1 << 4)(_Question)
"""Read once for all statements of an answer."""


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
    if len(statement) > LONGEST:
        return False
    plain = lowered(statement)
    if not _HINT.search(plain):
        return False  # as mostly
    asked = _question(question[:LONGEST_QUESTION])
    if _is_silent(plain, asked) or any(_adds_nothing(name, plain, asked) for name in _SHAPES):
        return True
    return _denies_alone(plain, asked)


def lowered(text: str) -> str:
    """In lower case, with plain apostrophes."""
    return text.replace("\u2019", "'").lower()


def _denies_alone(plain: str, asked: _Question) -> bool:
    """Whether a sentence of any shape names a text, denies that this tells, and has no other word than the question.

    >>> asked = _Question("How loud is the dishwasher?")
    >>> _denies_alone("how loud the dishwasher is isn't part of the product description.", asked)
    True
    >>> _denies_alone("the test report doesn't say that the dishwasher hums.", asked)
    False
    """
    rest = asked_pattern("phrases").sub("@", plain)
    if rest == plain or not asked_pattern("denials").search(rest):
        return False
    if not set(NUMBER.findall(plain)) <= set(NUMBER.findall(asked.text)):
        return False
    if any(map(asked.names, asked_pattern("read_texts", whole_words=True).findall(plain))):
        return False
    vocabulary = asked_pattern("vocabulary")
    words = [one for one in _WORD.findall(rest) if not vocabulary.fullmatch(one)]
    return content_of(" ".join(words)) - _aside() <= asked.stems


def _is_silent(plain: str, asked: _Question) -> bool:
    """Whether it says of a source that this does not tell or hold what was asked."""
    found = _silent().fullmatch(plain)
    if found is None:
        return False
    what = content_of(found["what"]) - _aside()
    if not what or not what <= asked.stems or asked.names(found["source"] or found["thing"]):
        return False
    return bool(found["telling"]) or _asks_for_a_value(asked, what, found)


def _adds_nothing(name: str, plain: str, asked: _Question) -> bool:
    """Whether a sentence of one of the shapes has no word of meaning beside those of the question.

    >>> asked = _Question("When does the next cohort start?")
    >>> _adds_nothing("passive", "the start date of the next cohort has not been provided.", asked)
    True
    >>> _adds_nothing("passive", "a start in spring has not been stated.", asked)
    False
    """
    found = _shape(name).fullmatch(plain)
    if found is None:
        return False
    parts = found.groupdict(default="")
    words = content_of(f"{parts['rest']} {parts.get('more', '')}") - _aside()
    values = _naming_values(words)
    if not words or not words - values <= asked.stems:
        return False
    if (source := parts.get("source")) and asked.names(source):
        return False
    told = parts.get("strict") or parts.get("weak")
    if told and not stems_of([told, told.removesuffix("n")]).isdisjoint(asked.stems):
        return False  # "What reason did he give?" asks whether one was given or shown
    weak, placed = parts.get("weak", ""), bool(parts.get("place"))
    bare = bool(parts.get("bare")) and not placed
    if not (bare or weak or name in ("none", "nowhere")):
        return True
    whole = re.fullmatch(ASKED["repeated"], weak) is not None and words >= asked.keys
    valued = bool(values) and name != "nowhere" and _is_alone(weak)
    return asked.for_a_value and (placed or bare or whole or valued)


def _naming_values(stems: Set[str]) -> frozenset[str]:
    """Those of `stems` by which a number, a name or the like is called."""
    named = asked_pattern("values", whole_words=True)
    return frozenset(stem for stem in stems if named.fullmatch(stem) or stem in _values())


def _is_alone(weak: str) -> bool:
    """Whether a source and no thing is what does not give a value so, be there a word for giving at all."""
    return not weak or re.fullmatch(ASKED["alone"], weak) is not None


@cache
def _values() -> frozenset[str]:
    """The stems of what a number, a name or the like is called by."""
    return stems_of([re.sub(r"\W+", " ", ASKED["values"])])


def of_one_or_more(noun: str) -> str:
    """A pattern for a noun in the singular and plural; by its stem a call would be a caller, too.

    >>> re.findall(of_one_or_more("policies"), "policy, policies, police"), of_one_or_more("call")
    (['policy', 'policies'], '\\\\bcall(?:y|ies|e?s)?\\\\b')
    """
    return rf"\b{re.escape(_PLURAL.sub('', noun))}(?:y|ies|e?s)?\b"


def _asks_for_a_value(asked: _Question, what: Set[str], found: re.Match[str]) -> bool:
    """Whether a question asks for what a source does not hold, in words that are no matter of things that hold it."""
    if not asked.for_a_value:
        return False
    if asked_pattern("values", whole_words=True).search(found["what"]):
        return True
    if found["none"]:
        return False
    return found["thing"] is None and len(what & asked.keys) > _MOST_OF * len(asked.keys)

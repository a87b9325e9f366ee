"""Values in words: bounds of a number, parts of a whole and quantities that a claim tells otherwise than a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from ragvigil.scorer.checks.reading.expressions import (
    CLOCK,
    CURRENCY_SIGNS,
    OPPOSITES,
    SHARES,
    Meaning,
    expressions,
)
from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.ordinals import tells_another
from ragvigil.scorer.checks.reading.patterns import skipping
from ragvigil.scorer.checks.reading.words import words
from ragvigil.scorer.choices import longest_first

_UP, _DOWN = OPPOSITES["limits"]["up"], OPPOSITES["limits"]["down"]
_LIMIT = re.compile(
    rf"\b(?P<not>(?:not|no|nicht|kein|keine|não|pas|n't)\s)?(?:(?P<up>{longest_first(_UP)})|{longest_first(_DOWN)})"
    r"\s(?:the\sage\sof\s|a\stotal\sof\s)?[$€£¥]?(?P<number>\d[\d.,]*\d|\d|[^\W\d_]+)",
    re.IGNORECASE,
)
_MAY_LIMIT = skipping([longest_first((*_UP, *_DOWN))])
_BEFORE_A_PART = re.compile(
    rf"\b(?:{longest_first([*_UP, *_DOWN])}|nearly|almost|about|around|approximately|roughly|just|only|another|"
    r"additional|further|remaining|fast|rund|etwa|knapp|gut|casi|cerca|presque|environ|près|quase)(?:\s(?:de|d['\u2019]|of|to))?\s(?:an?\s)?\Z",
    re.IGNORECASE,
)
_LONGEST_BEFORE = 24
_SHARE = re.compile(
    rf"(?<![\w-])(?:(?P<share>{longest_first(SHARES)})|(?P<percent>\d{{1,3}}(?:[.,]\d{{1,2}})?)\s?(?:%|per\s?cent|percent|prozent|"
    r"por\sciento|por\scento|pour\scent))"
    r"(?=\s(?:of|der|des|aller|unserer|de|du|del|dos|das|do|da)\s|\sd['\u2019]|-?\smajority)(?!\sof\san?\shour)",
    re.IGNORECASE,
)
_MAY_BE_A_SHARE = skipping([longest_first(SHARES)])
_MAY_BE_A_PERCENTAGE = re.compile(r"\d\s?[%pP]")
_NEAR_A_SHARE, _NEAR_A_PERCENTAGE = 0.01, 0.06
"""How far one share may be from another and still be it."""
_MAY_TELL_A_PART = skipping(
    (
        "hour",
        "stunde",
        "hora",
        "heure",
        "half",
        "quarter",
        "demi-heure",
        "viertelstunde",
        "dreiviertelstunde",
        "halbe",
    )
)
_ALL = re.compile(
    r"(?<!not\s)(?<!nicht\s)(?<!pas\s)(?<!não\s)(?<!no\s)(?<!non\s)(?<!niet\s)"
    rf"\b(?:{longest_first(OPPOSITES['quantities']['all'])})\s(?:of\s)?(?:the\s|our\s)?(\w+)",
    re.IGNORECASE,
)
_SOME = re.compile(
    rf"\b(?:{longest_first(OPPOSITES['quantities']['some'])})\s(?:of\s)?(?:the\s|our\s)?(\w+)", re.IGNORECASE
)
_MAY_BE_ALL = skipping([longest_first(OPPOSITES["quantities"]["all"])])
_CURRENCY_NAME = skipping([r"(?:usd|dollars?|eur|euros?|gbp|pounds|jpy|yen|inr|brl|reais|chf)\b"])
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SIGN = re.compile(r"(?:(?<![\w.,)\]%])[-\u2212\u2013](?=\d)|\b(?:minus|menos)\s+(?=\d))", re.IGNORECASE)
_MAY_SIGN = re.compile(r"[-\u2212\u2013](?=\d)|\b(?:minus|menos)\b", re.IGNORECASE)
_TIME, _SUM = "time", "sum"

_CURRENCIES = ("usd", "dollar", "dollars", "eur", "euro", "euros", "gbp", "chf")
VALUE_WORDS = frozenset((*_CURRENCIES, "percent", "prozent", "procent")).union(
    re.split("[ -]", name)[-1] for name in (*SHARES, *chain.from_iterable(OPPOSITES["quantities"].values()))
)
LIMIT_WORDS = frozenset((*_UP, *_DOWN))
"""The words by which a claim may tell another value."""


def other_limit(claim: str, sentence: str) -> bool:
    """Whether one number that both have is the least on one side and the most on the other.

    >>> other_limit("Orders under $50 ship free.", "Orders over $50 ship free.")
    True
    >>> other_limit("Not more than 5 users.", "Up to five users."), other_limit("Over 5 users.", "Under 8 users.")
    (False, False)
    """
    mine = _limits(claim)
    theirs = _limits(sentence) if mine else {}
    return tells_another(mine, theirs)


def _limits(text: str) -> dict[str, set[bool]]:
    """For each number with a bound, whether it is the least."""
    found: dict[str, set[bool]] = {}
    for one in _LIMIT.finditer(text) if _MAY_LIMIT.search(text) else ():
        said = one["number"].casefold()
        number = LEXICON.number_words.get(said, said)
        if number[0].isdecimal():
            found.setdefault(number, set()).add((one["up"] is not None) != (one["not"] is not None))
    return found


def other_sign(claim: str, sentence: str) -> bool:
    """Whether a number that both have is never on the same side of naught.

    >>> other_sign("It fell to -5.", "It rose to 5."), other_sign("Down to minus 5.", "It is -5.")
    (True, False)
    """
    if not may_tell_signs(claim, sentence):
        return False  # as mostly
    mine, theirs = _signs(claim), _signs(sentence)
    return any(one in theirs and signs.isdisjoint(theirs[one]) for one, signs in mine.items())


def may_tell_signs(claim: str, sentence: str) -> bool:
    """Whether one of them might tell a negative number: a quick first look."""
    return _may_sign(claim) or _may_sign(sentence)


def _may_sign(text: str) -> bool:
    if text.isascii() and "-" not in text and "minus" not in (plain := text.lower()) and "menos" not in plain:
        return False  # as mostly
    return _MAY_SIGN.search(text) is not None


def _signs(text: str) -> dict[str, set[bool]]:
    negative = {found.end() for found in _SIGN.finditer(text)}
    found: dict[str, set[bool]] = {}
    for number in _NUMBER.finditer(text):
        found.setdefault(number[0], set()).add(number.start() in negative)
    return found


def other_part(claim: str, sentence: str) -> bool:
    """Whether each side tells exactly one part of a whole, or one time in words, and not the same.

    >>> other_part("A third of the staff works there.", "A quarter of the staff works there.")
    True
    >>> other_part("Half of the staff.", "52% of the staff."), other_part("More than half of us.", "Two thirds of us.")
    (False, False)
    >>> other_part("It takes half an hour.", "It takes 45 minutes."), other_part("half an hour", "30 minutes")
    (True, False)
    """
    mine = list(_shares(claim))
    theirs = list(_shares(sentence)) if len(mine) == 1 else []
    if len(mine) == len(theirs) == 1:
        (one, spelled), (other, others_spelled) = mine[0], theirs[0]
        if one is None or other is None or not (spelled or others_spelled):
            return False
        return abs(one - other) > (_NEAR_A_SHARE if spelled and others_spelled else _NEAR_A_PERCENTAGE)
    return _another_time_in_words(claim, sentence)


def _shares(text: str) -> Iterator[tuple[float | None, bool]]:
    """Each share, None where it is only near to it, and whether it is told in words."""
    if not _MAY_BE_A_SHARE.search(text) and not _MAY_BE_A_PERCENTAGE.search(text):
        return  # as mostly: the pattern tries all its words everywhere
    for one in _SHARE.finditer(text):
        if _bounded(text, one.start()):
            yield None, True
        elif one["share"]:
            yield SHARES[one["share"].casefold()], True
        else:
            yield float(one["percent"].replace(",", ".")) / 100, False


def _bounded(text: str, start: int) -> bool:
    return _BEFORE_A_PART.search(text[max(0, start - _LONGEST_BEFORE) : start]) is not None


def may_tell_a_part(claim: str, sentence: str) -> bool:
    """Whether both might tell a time in words: a quick first look."""
    return _MAY_TELL_A_PART.search(claim) is not None and (
        _MAY_TELL_A_PART.search(sentence) is not None or _NUMBER.search(sentence) is not None
    )


def _another_time_in_words(claim: str, sentence: str) -> bool:
    if not _MAY_TELL_A_PART.search(claim) and not _MAY_TELL_A_PART.search(sentence):
        return False
    one = _times(claim)
    other = _times(sentence) if len(one) == 1 and one[0][0] is not None else []
    if len(other) != 1 or one[0][0] is None or other[0][0] is None:
        return False
    mine, theirs = one[0][0], other[0][0]
    return (one[0][1] or other[0][1]) and mine.isdisjoint(theirs) and {*dict(mine)} == {*dict(theirs)}


def _times(text: str) -> list[tuple[frozenset[Meaning] | None, bool]]:
    """Each length of time, None where it is only a bound, and whether it is told without digits."""
    told = expressions(text, (CLOCK, _TIME))
    if any(kind == CLOCK for one in told for kind, _ in one.meanings):
        return []  # a quarter to eight
    found = [
        (one.start, one.end, one.meanings)
        for one in told
        if all(kind in (_TIME, "calendar") for kind, _ in one.meanings)
    ]
    return [
        (None if _bounded(text, start) else amounts, _NUMBER.search(text, start, end) is None)
        for start, end, amounts in found
    ]


def may_tell_sums(claim: str, sentence: str) -> bool:
    """Whether both might tell a sum of money, each in another currency: a quick first look."""
    mine = _currencies(claim)
    return bool(mine) and not mine.issuperset(_currencies(sentence))


def has_a_sign(text: str) -> bool:
    """Whether a sign of money stands in `text`."""
    return "$" in text or (not text.isascii() and not CURRENCY_SIGNS.isdisjoint(text))


def _currencies(text: str) -> set[str]:
    return {
        *(one for one in CURRENCY_SIGNS if one in text),
        *(one.casefold() for one in _CURRENCY_NAME.findall(text)),
    }


def other_currency(claim: str, sentence: str) -> bool:
    """Whether each side tells exactly one sum of money, and the same number of another currency.

    >>> other_currency("It costs $4.90.", "It costs €4.90."), other_currency("It costs $4.90.", "It costs 4.90 USD.")
    (True, False)
    """
    if not may_tell_sums(claim, sentence):
        return False
    one, other = (
        [
            told.meanings
            for told in expressions(text, (_SUM,))
            if all(kind.startswith(f"{_SUM} ") for kind, _ in told.meanings)
        ]
        for text in (claim, sentence)
    )
    if len(one) != 1 or len(other) != 1:
        return False
    (kinds, amounts), (others, theirs) = (
        ({kind for kind, _ in said}, {amount for _, amount in said}) for said in (one[0], other[0])
    )
    return kinds.isdisjoint(others) and not amounts.isdisjoint(theirs)


def not_of_all(claim: str, sentence: str) -> bool:
    """Whether `claim` says of all what `sentence` says of some of the same.

    >>> not_of_all("All users get it.", "Some users get it."), not_of_all("Some users get it.", "All users get it.")
    (True, False)
    >>> not_of_all("Not all users get it.", "Some users get it, others do not.")
    False
    """
    told = _SOME.finditer(sentence) if _MAY_BE_ALL.search(claim) else ()
    some = {one[1].casefold() for one in told}
    return bool(some) and any(_alike(one[1].casefold(), some) for one in _ALL.finditer(claim))


def _alike(name: str, others: Iterable[str]) -> bool:
    stem = words(name)[0].stem
    return any(words(other)[0].stem == stem for other in others)


def same_numbers(claim: str, sentence: str) -> bool:
    """Whether both have the same numbers, and any.

    >>> same_numbers("It starts on 1 May.", "It ends on 1 May."), same_numbers("It starts.", "It ends.")
    (True, False)
    """
    mine = set(_NUMBER.findall(claim))
    return bool(mine) and mine == set(_NUMBER.findall(sentence))


def share_numbers(claim: str, sentence: str) -> bool:
    """Whether both have a number in common, or one has none: else each tells its own month or day with its own value.

    >>> share_numbers("58 in May.", "58 in June."), share_numbers("58 in May.", "69 in June."), share_numbers("A", "1")
    (True, False, True)
    """
    mine, theirs = set(_NUMBER.findall(claim)), set(_NUMBER.findall(sentence))
    return not mine or not theirs or not mine.isdisjoint(theirs)

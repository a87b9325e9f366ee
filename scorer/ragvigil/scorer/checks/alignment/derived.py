"""Derived values: totals and changes that an answer works out itself of numbers that the evidence tells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, combinations, pairwise
from math import prod

from ragvigil.scorer.checks.alignment.numbers import YEARS
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.expressions import CURRENCIES, CURRENCY_SIGNS
from ragvigil.scorer.checks.reading.patterns import skipping
from ragvigil.scorer.checks.reading.words import Word, offsets, things_of, values
from ragvigil.scorer.choices import longest_first

_TOTAL = skipping(
    [
        r"(?:totals?|altogether|in all|together|combined|that is|that's|i\.e|comes? to|works? out)\b",
        r"(?:amounts? to|adds? up|would (?:be|cost|pay|come)|you(?:'d|'ll| will) (?:pay|get|need|save)|so|per|each)\b",
        r"(?:insgesamt|zusammen|also|das (?:sind|macht)|en total|es decir|por tanto|au total|soit|c'est-à-dire)\b",
        r"(?:in totale|cioè|no total|ou seja|em conjunto|w sumie|łącznie|czyli|totaal)\b",
    ]
)
_TOTAL_SIGN = re.compile(
    r"[=\u00d7\u2211\u5408\u603b\u4e00\u306a\u3067\u6240](?:(?<=[=\u00d7\u2211])|(?<=\u5408)[\u8a08\u8ba1]"
    r"|(?<=[\u603b\u4e00])\u5171|(?<=\u306a)\u306e\u3067|(?<=\u3067)\u3059\u306e\u3067|(?<=\u6240)\u4ee5)"
)
"""What says that a number is worked out, in words and in signs, Chinese characters or kana."""
_CHANGE = skipping(
    [
        r"(?:add(?:s|ed|ing)?|gr[eo]ws?|growth|r[io]se[ns]?|increas\w+|up|f[ae]ll(?:s|en)?|decreas\w+|declin\w+)\b",
        r"(?:dropp?\w*|down|gain\w*|lost|more|less|fewer|difference|changed?|higher|lower|improv\w+|by)\b",
        r"(?:stieg|wuchs|sank|zunahme|rückgang|mehr|weniger|aument\w+|subi\w+|creci\w+|cresc\w+|cai\w+|baj\w+)\b",
        r"(?:más|mais|menos|augment\w+|baiss\w+|hausse|moins)\b",
    ]
)
"""What says that a number is the difference of two others."""
_COUNTED = 12
"""Whole numbers up to it count things: an answer may bring them itself, and they are no results."""
_MOST_TOLD, _MOST_ROWS = 6, 20
_RECENT_YEARS = frozenset(range(1900, 2100))
"""A set, as YEARS is: a float is looked for in a range by comparing it with all."""
_DIGITS_OF_A_YEAR = 4
_EXACTLY = 1e-6
_IS_MONEY = re.compile(rf"\s?(?:{longest_first(CURRENCIES)})(?![^\W\u3040-\u9fff])", re.IGNORECASE)


def derived_values(
    claim: Sequence[Word], text: str, lacking: Collection[int], evidence: Evidence
) -> frozenset[int]:
    """Which words of `claim`, those of `text`, are `lacking` numbers that are worked out of others.

    A total is the sum or the product of two or three numbers beside it, or so many times one of a sentence; a change
    is that between two numbers of a sentence, or row of a table, that is about the claim.

    >>> from ragvigil.scorer.checks.reading.words import words
    >>> from ragvigil.scorer.trace import Document
    >>> table = Evidence([Document("a", "| Europe | 121.7 | 139.2 |\\n| Asia | 54.8 | 69.5 |")])
    >>> texts = ("Six tablets of 200 mg, that is 1,200 mg.", "Europe added 17.5 million.", "Asia added 17.5.")
    >>> told = zip(texts, (7, 2, 2), strict=True)
    >>> [sorted(derived_values(words(text), text, {place}, table)) for text, place in told]
    [[7], [2], []]
    """
    told = {place: amount for place in lacking if (amount := _plain_number(claim[place].numbers)) is not None}
    if not told:
        return frozenset()  # as mostly
    where = offsets(text)
    sought = {place: amount for place, amount in told.items() if _may_result(amount, text, *where[place])}
    if not sought:
        return frozenset()
    totals, changes = _TOTAL.search(text) or _TOTAL_SIGN.search(text), _CHANGE.search(text)
    rows = list(_rows(claim, evidence)) if totals or changes else []
    found = _totals(claim, sought, rows) if totals else frozenset[int]()
    return found | _changes(claim, text, sought, rows) if changes else found


def _may_result(amount: float, text: str, start: int, end: int) -> bool:
    """Whether what `text` has from `start` to `end` may be worked out: no small count, unless of money, and no year."""
    if amount <= _COUNTED and amount % 1 == 0:
        return text[:start].rstrip()[-1:] in CURRENCY_SIGNS or _IS_MONEY.match(text, end) is not None
    return amount not in YEARS or end - start > _DIGITS_OF_A_YEAR


def _plain_number(numbers: Sequence[str]) -> float | None:
    """The value of a word with these `numbers`; None where that is no plain number, as of a date, or there is none."""
    return float(numbers[0]) if numbers and numbers[0].replace(".", "", 1).isdecimal() else None


def _totals(
    claim: Sequence[Word], sought: dict[int, float], rows: Sequence[Sequence[float]]
) -> frozenset[int]:
    """Which of the numbers `sought` are totals; those that are may be parts of the others."""
    found = frozenset[int]()
    while more := _totals_of(claim, {one: sought[one] for one in sought if one not in found}, rows):
        found |= more
    return found


def _totals_of(
    claim: Sequence[Word], sought: dict[int, float], rows: Sequence[Sequence[float]]
) -> frozenset[int]:
    told = [
        amount
        for place, word in enumerate(claim)
        if place not in sought and (amount := _plain_number(word.numbers)) is not None
    ]
    if not 0 < len(told) <= _MOST_TOLD:
        return frozenset()
    often = [amount for amount in told if amount <= _COUNTED and amount % 1 == 0]
    often += list(map(prod, combinations(often, 2)))
    results = {
        *(each * times for each in chain.from_iterable(rows) for times in often),
        sum(told),
        *map(sum, combinations(told, 2)),
        *map(prod, combinations(told, 2)),
        *map(prod, combinations(told, 3)),
    }
    return frozenset(
        place
        for place, amount in sought.items()
        if any(abs(amount - result) <= _EXACTLY * amount for result in results)
    )


def _changes(
    claim: Sequence[Word], text: str, sought: dict[int, float], rows: Sequence[Sequence[float]]
) -> frozenset[int]:
    where = offsets(text)
    return frozenset(
        place
        for place, amount in sought.items()
        if any(_is_change(amount, _decimals(claim[place]), row, text[where[place][1] :]) for row in rows)
    )


def _rows(claim: Sequence[Word], evidence: Evidence) -> Iterator[list[float]]:
    """The numbers of the few sentences that share words with `claim`, or of those that share most."""
    stems = things_of(claim)
    shared = Counter(chain.from_iterable(evidence.places.get(stem, ()) for stem in stems))
    about = [place for place, _ in shared.most_common(_MOST_ROWS)]
    for place in about:
        told = [
            amount
            for one in values(evidence.segments[place].words)
            if (amount := _plain_number(one)) is not None
        ]
        if 0 < len(told) <= _MOST_TOLD:
            yield [amount for amount in told if amount not in _RECENT_YEARS] or told


def _is_change(amount: float, decimals: int, row: Sequence[float], behind: str) -> bool:
    """Whether `amount` is how much two numbers of `row` in a row differ, in per cent where it says so."""
    near = 0.5 * 10.0**-decimals + _EXACTLY
    if behind.lstrip().startswith(
        ("%", "percent", "per cent", "Prozent", "por ciento", "por cento", "pour cent")
    ):
        return any(one and abs(100 * abs(other - one) / one - amount) <= near for one, other in pairwise(row))
    return any(abs(abs(other - one) - amount) <= near for one, other in pairwise(row))


def _decimals(word: Word) -> int:
    return len(word.numbers[0].partition(".")[2])

"""Another one: the question names an order, account or product by its number, and the passages tell of others only."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ragvigil.scorer.checks.reading.expressions import CURRENCIES
from ragvigil.scorer.data import read_data

_THINGS = "|".join(read_data("questions.json")["numbered_things"])
_DIGITS = re.compile(r"\d{3}")
_NAMED = re.compile(
    r"(?<![\w.-])(?P<letters>[A-Za-z]{1,8}(?:-[A-Za-z]{1,8})?)[-_]?(?P<number>\d{3,12}(?:-\d{2,12}){0,3})(?![\w-]|\.\d)"
)
"""Letters and digits in one: INC-20418, X200, CVE-2021-44228."""
_NUMBERED = re.compile(
    rf"\b(?P<thing>{_THINGS})(?: (?:no|nr|number|nummer|n[°º]|número|numero|numéro|id))?[.:# ]{{1,3}}"
    r"(?P<number>\d{3,12}(?:-\d{2,12}){0,3})(?![\w-]|[.,]\d)",
    re.IGNORECASE,
)
"""A number behind what it is of: order 4711."""
_FIRST_LETTERS = 5
_NO_SIGN = re.compile(r"[\W_]+")
_MOST_CHARACTERS = 20_000
"""Of a passage."""

Named = tuple[str, str]
"""The kind of thing, and its digits."""


def named_by_number(text: str) -> dict[Named, str]:
    """What a text names by its number, with how it is written there.

    >>> named_by_number("Is INC-20418 of order no. 4711?"), named_by_number("Is it open in 2024?")
    ({('inc', '20418'): 'INC-20418', ('order', '4711'): 'order no. 4711'}, {})
    """
    found: dict[Named, str] = {}
    for match in (*_NAMED.finditer(text), *_NUMBERED.finditer(text)) if _DIGITS.search(text) else ():
        kind = match[1].casefold()
        if kind not in CURRENCIES and kind.upper() not in CURRENCIES:
            found[kind[:_FIRST_LETTERS], _NO_SIGN.sub("", match["number"])] = match[0]
    return found


def another_one(
    asked: Mapping[Named, str], texts: Sequence[str], carrying: Sequence[str]
) -> tuple[str, str] | None:
    """What was asked about, and what the passages tell of instead; None where they do not.

    They do where none of the `texts` has the number, and each one that is `carrying` the answer, up to where it does,
    names just one other of the kind with as many digits: several are a list or a range.

    >>> asked = named_by_number("Where is order 4711?")
    >>> [another_one(asked, [one], [one]) for one in ("Order no. 4712 is in Bonn.", "Orders take two days.")]
    [('order 4711', 'Order no. 4712'), None]
    """
    for (kind, number), told in asked.items():
        if not carrying or any(number in _NO_SIGN.sub("", text) for text in texts):
            continue
        others = [_one_of(kind, len(number), text[:_MOST_CHARACTERS]) for text in carrying]
        if all(others):
            return told, others[0] or ""
    return None


def _one_of(kind: str, digits: int, text: str) -> str | None:
    named = named_by_number(text).items()
    found = [told for (of, number), told in named if of == kind and len(number) == digits]
    return found[0] if len(found) == 1 else None

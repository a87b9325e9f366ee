"""Dialled numbers: those of telephones, which are the same however their digits are grouped."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragvigil.scorer.checks.reading.reserved import at_home

_SPACE = " \u00a0\u202f"
_DIALLED = re.compile(
    rf"(?:(?<![\w.,:/+])\+\d{{1,12}}[{_SPACE}./-]?|(?<![\w.,:/+-])(?=[\d(]))(?:\(\d{{1,5}}\)[{_SPACE}/-]{{0,3}})?"
    rf"\d{{0,15}}(?:[{_SPACE}./\u2011\u2013-]{{1,3}}\d{{1,12}}){{0,8}}(?!\w)"
)
_ANOTHER_ZERO = re.compile(r"\(0\)")
_DOTTED = re.compile(r"(?!\d{3}\.\d{3}\.\d{4}\Z)[1-9]\d*(?:\.\d+)+\Z")
"""Dates, versions and addresses of computers look so, and telephone numbers seldom but in America."""
_NO_DIGIT = re.compile(r"\D+")
FEWEST_DIALLED, _MOST = 7, 17
"""Digits of a telephone number (ITU-T E.164 has 15 at most, beside the 00 before them)."""


def dialled(text: str) -> Iterator[tuple[int, int, str]]:
    """What may be telephone numbers in `text`: where each stands, and its digits, with a plus before a country's code.

    >>> [one for _, _, one in dialled("+49 (0)89 1234-567 (24 hours), 0421/98 76 54 or room 12 at 192.168.100.200")]
    ['+49891234567', '421987654']
    """
    for found in _DIALLED.finditer(text):
        digits = _NO_DIGIT.sub("", _ANOTHER_ZERO.sub("", found[0]))
        if not FEWEST_DIALLED <= len(digits) <= _MOST or _DOTTED.match(found[0]):
            continue
        if found[0].startswith(("+", "00")):
            yield *found.span(), "+" + digits.removeprefix("00")
        elif len(home := at_home(found[0])) >= FEWEST_DIALLED:
            yield *found.span(), home


def ways_to_dial(text: str) -> frozenset[str]:
    """The digits of all telephone numbers of `text` as `dialled` has them, and as they are dialled at home."""
    told = {found: text[first:last] for first, last, found in dialled(text)}
    return frozenset((*told, *map(at_home, told.values())))

"""Versions and sections: numbers with points, of which the one with a zero at its end is another."""

from __future__ import annotations

import re

from ragvigil.scorer.checks.reading.expressions import OPPOSITES
from ragvigil.scorer.checks.reading.ordinals import tells_another

_VERSION = re.compile(
    rf"(?<![\w.])(?P<thing>{'|'.join(OPPOSITES['numbered'])})\s?"
    r"(?P<number>\d+(?:\.\d+){1,3})(?![\w%€$£¥]|\.\d)",
    re.IGNORECASE,
)
_POINT = re.compile(r"\d\.\d")
_ENDS_IN_ZERO = re.compile(r"\d\.\d*[1-9]0(?!\d)")
"""Which a version or a section may, though it is not the one without the zero."""


def may_tell_versions(claim: str, sentence: str) -> bool:
    """Whether `another_version` might find any: a quick look."""
    return _ENDS_IN_ZERO.search(claim) is not None or _ENDS_IN_ZERO.search(sentence) is not None


def another_version(claim: str, sentence: str) -> bool:
    """Whether both number the same thing once, and only a zero at the end differs.

    >>> another_version("It needs Python 3.10.", "It needs Python 3.1."), another_version("v2.0", "Version 2.0")
    (True, False)
    """
    mine = _versions(claim) if _POINT.search(claim) else {}
    theirs = _versions(sentence) if mine else {}
    return tells_another(mine, theirs)


def _versions(text: str) -> dict[str, set[str]]:
    """By what is numbered the numbers with points behind it."""
    found: dict[str, set[str]] = {}
    for one in _VERSION.finditer(text):
        found.setdefault(one["thing"].casefold(), set()).add(one["number"])
    return found

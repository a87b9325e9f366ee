"""Ids in words, such as ``[sick-pay]``, that were not retrieved, told from other words at the place of a citation."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ragvigil.tracer._asides import is_aside

_NAME = re.compile(r"[^\W_](?:[\w.:/#-]{0,62}[^\W_])?\Z")
_NO_WORDS = re.compile(r"\d|\.[a-z]{2,5}\Z", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_SEPARATOR = re.compile(r"[._:/#-]")
_KNOWN_NUMBERED = re.compile(r"(?:utf|iso|covid|gpt|sha|http|ipv|mp|usb|wpa)[\d._:/-]{1,20}\Z", re.IGNORECASE)
"""Names of things in the world that are written as a slug with a number."""
_SHORTEST = 3


def words_cited(placed: Iterable[str], known: Iterable[str], *, by_id: bool) -> list[str]:
    """Those of `placed`, unknown words at the place of a citation, that are ids beside the `known` ones.

    `by_id`: whether the answer cites any of those by its id.

    >>> words_cited(["remote", "policy-7", "sic", "EMAIL", "K12"], ["laptop", "meal"], by_id=False)
    ['remote', 'policy-7']
    >>> words_cited(["remote", "policy-7"], ["doc-3"], by_id=True)
    []
    """
    in_words = [one for one in known if _NAME.match(one) and not _NO_WORDS.search(one) and _long_enough(one)]
    if not in_words:
        return []
    moulds = {_mould(one) for one in in_words}
    capitals = any(one.isupper() for one in known)
    return [one for one in placed if _may_be(one, moulds, capitals=capitals, by_id=by_id)]


def _may_be(name: str, moulds: set[str], *, capitals: bool, by_id: bool) -> bool:
    if not _NAME.match(name) or not _long_enough(name) or is_aside(name) or _KNOWN_NUMBERED.match(name):
        return False
    if name.isdecimal() or (name.isupper() and not capitals):
        return False
    numbered = _DIGIT.search(name) is not None
    if not name.isalpha() and not _SEPARATOR.search(name):
        return False
    mould = _mould(name)
    return numbered or mould in moulds or (by_id and mould[0] in {one[0] for one in moulds})


def _long_enough(name: str) -> bool:
    return len(name) >= _SHORTEST or not name.isascii()


def _mould(name: str) -> str:
    """What ids written alike have in common: their separators, each once, and the case of their letters."""
    case = "a" if name == name.lower() else "A" if name == name.upper() else "C"
    return case + "".join(sorted(set(re.sub(r"[^\W_]+", "", name))))

"""Reserved data: addresses, numbers and keys that are nobody's, such as examples in documentation.

What they are stands in `data/reserved.json`, with its sources.
"""

from __future__ import annotations

import re

from ragvigil.scorer.data import read_data

_DATA = read_data("reserved.json")


def _whole(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(_DATA[name])})\Z", re.IGNORECASE)


_ROLE, _PLACEHOLDER, _PHONE, _IP = _whole("email"), _whole("secret"), _whole("phone"), _whole("ip")
_WITHIN = re.compile("|".join(_DATA["within"]), re.IGNORECASE)
_PUBLISHED = {kind: frozenset(_DATA[kind.lower()]) for kind in ("CARD", "IBAN", "SSN", "CPF")}
_VERSION = re.compile(r"\d+(?:\.\d+){0,2}(?:-\w+)?\Z|\d+(?:\.\d+){4,}\Z")
_OF_A_THING = re.compile(
    rf"\b(?:{'|'.join(_DATA['references'])})"
    r"(?: (?:no|nr|num|number|nummer|n[°º]|número|numero|numéro|id|code))?[.:# ]{0,3}\Z",
    re.IGNORECASE,
)
_NO_SIGN = re.compile(r"[\W_]+")
_LONGEST = 100


def is_reserved(kind: str, value: str, before: str = "") -> bool:
    """Whether a datum of this `kind`, as redaction calls it, is nobody's; `before`: the text in front of it.

    >>> [is_reserved("EMAIL", one) for one in ("support@shop.de", "you@shop.de", "left-pad@1.3.0", "ana.silva@shop.de")]
    [True, True, True, False]
    >>> is_reserved("CARD", "4242 4242 4242 4242"), is_reserved("PHONE", "100-200-3000", "about order no. ")
    (True, True)
    """
    if len(value) > _LONGEST:
        return False
    if kind == "EMAIL":
        name, _, domain = value.partition("@")
        return _VERSION.match(domain) is not None or (
            _ROLE.match(name) is not None and not domain[-1:].isdigit()
        )
    if kind == "SECRET":
        return _WITHIN.search(value) is not None or _PLACEHOLDER.match(value) is not None
    if kind == "IP":
        return _IP.match(value) is not None
    plain = _NO_SIGN.sub("", value).upper()
    if kind == "PHONE":
        dialled = f"+{plain}" if value.lstrip().startswith("+") else plain
        return _PHONE.match(dialled) is not None or _OF_A_THING.search(before) is not None
    return plain in _PUBLISHED.get(kind, ())

"""Reserved data: addresses, numbers and keys that are nobody's, such as examples in documentation.

What they are stands in `data/reserved.json`, with its sources.
"""

from __future__ import annotations

import re

from ragvigil.scorer.checks.reading.program_values import is_program_value
from ragvigil.scorer.data import read_data

_DATA = read_data("reserved.json")


def _whole(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(_DATA[name])})\Z", re.IGNORECASE)


_NO_SIGN = re.compile(r"[\W_]+")


def _plain(value: str) -> str:
    return _NO_SIGN.sub("", value).upper()


_ROLE, _OF_AN_EXAMPLE, _OF_THE_SERVICE = (
    _whole(name) for name in ("email", "email_of_an_example", "email_of_the_service")
)
_PLACEHOLDER, _PHONE, _IP = _whole("secret"), _whole("phone"), _whole("ip")
_PUBLISHED = {
    kind: frozenset(map(_plain, _DATA[name]))
    for name, kind in {
        "published_secret": "SECRET",
        "card": "CARD",
        "iban": "IBAN",
        "ssn": "SSN",
        "cpf": "CPF",
    }.items()
}
_EXAMPLE_DOMAIN = re.compile(
    r"(?:(?:\A|\.)example\.(?:com|org|net)|\.example|\.test|\.invalid)\Z", re.IGNORECASE
)
_VERSION = re.compile(r"\d+(?:\.\d+){0,2}(?:-\w+)?\Z|\d+(?:\.\d+){4,}\Z")
_THING, _NUMBER = "|".join(_DATA["references"]), "|".join(_DATA["numbers"])
_OF_A_THING = re.compile(
    rf"\b(?:(?:{_THING})(?:[ -]?(?:{_NUMBER})|(?=[: ]{{0,2}}#))"
    rf"|(?:{_NUMBER})\.?(?: d[aeio]l{{0,2}}[ae]? | d')(?:{_THING}))[.:# ]{{0,4}}\Z",
    re.IGNORECASE,
)
"""*Order no.*, *Bestellnummer*, *número de pedido*; a thing alone may be the customer's, and the number to call her."""
_SIGNS_OF_A_PHONE = re.compile(r"[^\d+]+")
_COUNTRY = re.compile(
    r"\A(?:(?:\+|00)(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3}) ?"
    r"|1 (?=\d{3} \d{3} \d{4}\Z))?0?"
)
"""Before a number at home: the country's code (ITU-T E.164), of one digit to three, and the 0 before a region."""
_LONGEST = 100
_IN_CODE = re.compile(r"\A`?([^`]+)`[.:!?)]{0,2}\Z")
"""With the sign at which code within a sentence ends."""
_QUOTES = ("'", '"')
"""What stands between two is a text, and nothing that is called."""


def is_reserved(kind: str, value: str, before: str = "") -> bool:
    """Whether a datum of this `kind`, as redaction calls it, is nobody's; `before`: the text in front of it.

    >>> [is_reserved("EMAIL", one) for one in ("support@shop.de", "you@shop.de", "left-pad@1.3.0", "ana.silva@shop.de")]
    [True, True, True, False]
    >>> is_reserved("CARD", "4242 4242 4242 4242"), is_reserved("PHONE", "100-200-3000", "about order no. ")
    (True, True)
    """
    if _plain(value) in _PUBLISHED.get(kind, ()):
        return True
    if len(value) > _LONGEST:
        return False
    if kind == "EMAIL":
        return _mailbox(value)
    if kind == "SECRET":
        value = _IN_CODE.sub(r"\1", value)
        return _PLACEHOLDER.match(value) is not None or (
            is_program_value(value) and not (before[-1:] in _QUOTES and ("(" in value or "[" in value))
        )
    if kind == "IP":
        return _IP.match(value) is not None
    if kind == "PHONE":
        written = _written(value)
        return _PHONE.match(written) is not None or (
            not written.startswith("+") and _OF_A_THING.search(before) is not None
        )
    return False


def _mailbox(value: str) -> bool:
    """Whether an address is that of a role, a placeholder's or a package with its version."""
    name, _, domain = value.partition("@")
    if _VERSION.match(domain):
        return True
    if domain[-1:].isdigit():
        return False
    may_be = _OF_AN_EXAMPLE.match(name) or _OF_THE_SERVICE.match(name)
    return _ROLE.match(name) is not None or (
        may_be is not None and _EXAMPLE_DOMAIN.search(domain) is not None
    )


def domain_of_service(value: str) -> str | None:
    """The domain of a mailbox that is a service's where its texts name the domain, and may be a person's elsewhere.

    >>> domain_of_service("hello@shop.de"), domain_of_service("ana@shop.de")
    ('shop.de', None)
    """
    name, _, domain = value.partition("@")
    return domain if domain and _OF_THE_SERVICE.match(name) else None


def at_home(phone: str) -> str:
    """The digits of a phone number without its country's code and the 0 before a region, which are not always dialled.

    >>> {at_home(one) for one in ("030 90182077", "+49 (0)30 90182077", "0049 30 90182077")}
    {'3090182077'}
    """
    return _plain(_COUNTRY.sub("", _written(phone), count=1))


def _written(phone: str) -> str:
    return _SIGNS_OF_A_PHONE.sub(" ", phone).strip()

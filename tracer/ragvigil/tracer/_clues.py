"""What the rules of `redaction` need to find before they can match: cheap looks at bytes, so that few rules run.

A clue may be there without anything to replace, never the other way round.
"""

from __future__ import annotations

import re
import sys

_SEPARATORS = b" .-/()+\\" + bytes(range(0x80, 0xC0)) + b"\xc2\xe2"
"""Those of numbers, the bytes that continue a character in UTF-8, and those that begin unbroken and narrow spaces."""
_DIGIT_SCRIPTS = b"\xd9\xdb\xdf\xe0\xe1\xea\xf0"
"""First bytes of characters among which scripts other than Latin have their digits."""


def _class_of(byte: int) -> int:
    if 48 <= byte <= 57:
        return ord("0")
    if 65 <= byte <= 90:
        return ord("A")
    return ord("9") if byte in _DIGIT_SCRIPTS else ord("a")


_CLASSES = bytes(map(_class_of, range(256)))
_OF_NUMBERS = bytes(48 if byte in _SEPARATORS or one in b"0A" else 97 for byte, one in enumerate(_CLASSES))
"""Digits, capitals and separators as ``0``, all others as ``a``."""
_BEFORE_UNDERSCORE = (
    *(b"live", b"test", b"ghp", b"gho", b"ghu", b"ghs", b"ghr", b"pat", b"hf", b"npm"),
    *(b"gsk", b"r8", b"lsv2", b"pcsk", b"jina", b"whsec", b"dop"),
)
_BEFORE_HYPHEN = (b"GOCSPX", b"sk", b"glpat", b"pypi", b"xai", b"pplx", b"nvapi", b"tvly")
_SLACK = re.compile(rb"xox[abeprs]-")
_FEWEST_DIGITS = 7
"""Fewer in a row are nothing that any rule looks for."""
_SHORTEST_NUMBER = b"0" * _FEWEST_DIGITS
_MOST_STRETCHES = 30
"""Looked for one by one; of a table of numbers all that follows is one."""
_KEY_LETTERS = bytes(
    119 if byte >= 0x80 or chr(byte).isalnum() or byte in b"_.~+/=-" else 32 for byte in range(256)
)
"""Letters of keys and tokens as ``w``, all others as spaces."""
_SHORTEST_KEY = b"w" * 15
"""``xoxb-`` and ten letters; every other key, and what follows ``Bearer``, is longer."""
_SECRET_NAMES = (b"key", b"secret", b"token", b"passw", b"pwd", b"passphrase")
_FOREIGN_SECRET_NAMES = (b"senha", b"contrase", b"kennwort", b"mot de passe")
_HEADERS = (b"authorization", b"cookie", b"x-", b"api-key")
_ELEMENTS = (b"key>", b"secret>", b"token>", b"passw", b"pwd>")
_FULL_WIDTH_DIGIT = re.compile(rb"\xef\xbc[\x90-\x99]")
_FOUR_PARTS = re.compile(rb"\.[0-9]{1,3}\.[0-9]")
_LETTERED_CNPJ = re.compile(rb"/[A-Z0-9]{4}-?[0-9]")
_ACCOUNT = re.compile(rb"AA00[A0]{11}")
_ACCOUNT_IN_ANY_CASE = re.compile(rb"[Aa]{2}00[Aa]{0,4}0{10}")
_AREA_CODE = re.compile(rb"0[0-9]{1,4}(?:[ ./-]|\xc2\xa0|\xe2\x80[\x80-\xbf])[0-9]")


class Look:
    """Bytes as the clues see them: UTF-8, or a message that holds UTF-8 texts."""

    __slots__ = ("_keyed", "_lower", "_too_many", "classes", "data", "numbers", "other_digits")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._lower: bytes | None = None
        self._keyed: bool | None = None
        self.numbers = _numbers(data)
        """The stretches in which alone a number of seven characters may stand, or more, also one with capitals."""
        self.classes = _classes_in(self.numbers)
        """Of these."""
        self.other_digits = not data.isascii() and (
            b"9" in data.translate(_CLASSES)
            or (b"\xef\xbc" in data and _FULL_WIDTH_DIGIT.search(data) is not None)
        )
        self._too_many = sys.maxsize if _SHORTEST_NUMBER in self.classes else _FEWEST_DIGITS
        """So many digits in a row, or more, are known not to be there."""

    @property
    def lower(self) -> bytes:
        """The bytes in lower case."""
        if self._lower is None:
            self._lower = self.data.lower()
        return self._lower

    @property
    def keyed(self) -> bool:
        """Whether as many letters of a key may follow each other as the shortest one has.

        >>> Look(b"Water boils at 100 degrees").keyed, Look(b"with xoxb-0123456789").keyed
        (False, True)
        """
        if self._keyed is None:
            data = self.data  # ids in a message are such letters nearly always: not worth the look
            self._keyed = not data.isascii() or _SHORTEST_KEY in bytearray(data).translate(_KEY_LETTERS)
        return self._keyed

    def digits(self, count: int) -> bool:
        """Whether so many digits follow each other with nothing but separators between.

        >>> Look(b"4111 1111").digits(8), Look(b"4111, 1111").digits(8)
        (True, False)
        """
        if count < self._too_many:
            if b"0" * count in self.classes:
                return True
            self._too_many = count
        return self.other_digits


def _classes_in(data: bytes) -> bytes:
    """A letter for each kind of byte (0 digit, A upper case, a other), without the separators of numbers."""
    return data.translate(_CLASSES, _SEPARATORS)


def _numbers(data: bytes) -> bytes:
    """The stretches of digits, capitals and separators, seven or more in a row, a line each.

    >>> _numbers(b"Call +55 11 98765-4321 on 24 June, or 555 1234")
    b' +55 11 98765-4321 \\n 555 1234'
    """
    kinds = bytearray(data).translate(_OF_NUMBERS)  # that of bytes takes half as long again
    found: list[bytes] = []
    place = kinds.find(_SHORTEST_NUMBER)
    while place >= 0:
        end = kinds.find(b"a", place) if len(found) < _MOST_STRETCHES else -1
        if end < 0:
            end = len(data)
        found.append(data[place:end])
        place = kinds.find(_SHORTEST_NUMBER, end)
    return b"\n".join(found)


def email(look: Look) -> bool:
    """Whether an e-mail address may be there."""
    return b"@" in look.data


def email_in_url(look: Look) -> bool:
    """Whether an e-mail address may be there as a query of the web has it."""
    data = look.data  # a single byte is found many times as fast
    return b"%" in data and (b"%40" in data or b"%2540" in data)


def login_in_url(look: Look) -> bool:
    """Whether a password may be there as an address of a server has it."""
    return b"@" in look.data and b"://" in look.data


def key_block(look: Look) -> bool:
    """Whether a PEM block may be there."""
    return b"-" in look.data and b"-----BEGIN" in look.data


def token(look: Look) -> bool:
    """Whether a key that tells by its first letters may be there."""
    data = look.data
    return look.keyed and (
        b"eyJ" in data
        or b"AKIA" in data
        or b"ASIA" in data
        or b"AIza" in data
        or b"SG." in data
        or b"ya29." in data
        or b"slack.com/services" in data
        or b"/api/webhooks/" in data
        or b"dapi" in data
        or b":AA" in data
        or _follows(data, b"_", _BEFORE_UNDERSCORE)
        or _follows(data, b"-", _BEFORE_HYPHEN)
        or (b"xox" in data and _SLACK.search(data) is not None)
    )


def _follows(data: bytes, mark: bytes, starts: tuple[bytes, ...]) -> bool:
    """Whether the mark stands after one of the starts: one pass for all of them."""
    place = data.find(mark)
    while place >= 0:
        if data.endswith(starts, 0, place):
            return True
        place = data.find(mark, place + 1)
    return False


def bearer(look: Look) -> bool:
    """Whether credentials of an HTTP header may be there."""
    return look.keyed and (b"bearer" in look.lower or b"basic" in look.lower)


def assigned(look: Look) -> bool:
    """Whether a secret may follow its name."""
    if b":" not in look.data and b"=" not in look.data:
        return False
    lower = look.lower
    return any(name in lower for name in (*_SECRET_NAMES, *_FOREIGN_SECRET_NAMES))


def signed(look: Look) -> bool:
    """Whether an address may be there that opens by its signature."""
    return b"=" in look.data and look.keyed and b"sig" in look.lower


def cookie(look: Look) -> bool:
    """Whether a cookie may be there as a header has it."""
    return b"=" in look.data and b":" in look.data and b"cookie:" in look.lower


def header_pair(look: Look) -> bool:
    """Whether a header may be there as one of a list of pairs."""
    data = look.data
    pairs = (b"'" in data and b"'," in data) or (b'"' in data and b'",' in data)
    return pairs and any(name in look.lower for name in _HEADERS)


def login_of_curl(look: Look) -> bool:
    """Whether a password may be there as an argument of curl."""
    data = look.data
    return b"-" in data and b"curl" in data and (b" -u" in data or b"-u " in data or b"--user" in data)


def element(look: Look) -> bool:
    """Whether an element of XML may hold a secret."""
    data = look.data
    return b"<" in data and b"</" in data and any(name in look.lower for name in _ELEMENTS)


def ipv6(look: Look) -> bool:
    """Whether an IPv6 address may be there."""
    colons = look.data.count(b":") if b":" in look.data else 0
    return colons >= 7 or (colons >= 2 and b"::" in look.data)


def ipv4(look: Look) -> bool:
    """Whether an IPv4 address may be there."""
    return _FOUR_PARTS.search(look.numbers) is not None or look.other_digits


def iban(look: Look) -> bool:
    """Whether an international account number may be there."""
    classes = look.classes
    return (b"AA00" in classes and _ACCOUNT.search(classes) is not None) or look.other_digits


def iban_in_any_case(look: Look) -> bool:
    """Whether one may be there that is not written in capitals."""
    return look.digits(10) and _ACCOUNT_IN_ANY_CASE.search(_classes_in(look.data)) is not None


def spelt_email(look: Look) -> bool:
    """Whether an e-mail address may be there with signs in brackets."""
    data = look.data
    return _precedes(data, b"[", (b"at]", b"@]", b".]")) or _precedes(data, b"(", (b"at)",))


def _precedes(data: bytes, mark: bytes, ends: tuple[bytes, ...]) -> bool:
    """Whether the mark stands before one of these: a single byte is found many times as fast."""
    place = data.find(mark) + 1
    while place > 0:
        if data.startswith(ends, place):
            return True
        place = data.find(mark, place) + 1
    return False


def told_password(look: Look) -> bool:
    """Whether a sentence may say what a password is."""
    data = look.data
    return (
        b"asswor" in data
        or b"ennwort" in data
        or b"ot de passe est" in data
        or (
            not data.isascii()
            and (b"enha \xc3\xa9" in data or b"passe \xc3\xa9" in data or b"ontrase\xc3\xb1a es" in data)
        )
    )


def cnpj(look: Look) -> bool:
    """Whether a CNPJ may be there."""
    return look.digits(14) or (b"/" in look.numbers and _LETTERED_CNPJ.search(look.numbers) is not None)


def cpf(look: Look) -> bool:
    """Whether a CPF may be there."""
    return look.digits(11)


def ssn(look: Look) -> bool:
    """Whether a social security number may be there."""
    return look.digits(9)


def card(look: Look) -> bool:
    """Whether a card number may be there."""
    return look.digits(13)


def separated_card(look: Look) -> bool:
    """Whether a card number may stand there between other signs than cards have: of 15 or 16 digits."""
    return look.digits(15)


def phone(look: Look) -> bool:
    """Whether a telephone number may be there: ten digits, or seven after a sign of one."""
    if not look.digits(7):
        return False
    data = look.data
    return look.digits(10) or b"+" in data or b"(" in data or _AREA_CODE.search(data) is not None

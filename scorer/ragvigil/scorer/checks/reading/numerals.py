"""Numerals: what a number written in digits may stand for, however its digits are grouped and in whatever script."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_CLOCK = re.compile(r"(\d{1,2}):(\d{1,2})(?::(\d{1,2}))?\Z")
_FRACTION = re.compile(r"(\d{1,3})/([1-9]\d{0,2})\Z")
_PARTS = {
    "¼": 0.25,
    "½": 0.5,
    "¾": 0.75,
    "⅓": 1 / 3,
    "⅔": 2 / 3,
    "⅛": 0.125,
    "⅜": 0.375,
    "⅝": 0.625,
    "⅞": 0.875,
}
_THIRDS = "⅓⅔"
PARTS = "".join(_PARTS)
"""Signs of a part of one, as in 1½."""
_MARK = re.compile("[.,']")
_SPACES = " \u00a0\u2009\u202f"
_MAYBE_SPACED = re.compile(rf"[0-9](?:[{_SPACES}][0-9](?:[0-9]{{2}}(?![0-9])|/[2-9])|T[0-9]{{2}}:[0-9])")
_DAY_AND_TIME = re.compile("(?<=[0-9]{4}-[0-9]{2}-[0-9]{2})T(?=[0-9]{2}:[0-9]{2})")
_SPACED = re.compile(
    rf"(?<![^\W_])(?<![.,:/'\u2019+])(?<![0-9][{_SPACES}])[1-9][0-9]{{0,2}}"
    rf"([{_SPACES}])[0-9]{{3}}(?:\1[0-9]{{3}}){{0,6}}(?![0-9]|[{_SPACES}:/'\u2019][0-9]|-(?:[^\W\d]|[0-9]{{4}}))"
)
_MIXED_SPACED = re.compile(
    rf"(?<![^\W_])(?<![.,:/'\u2019+])(?<![0-9][{_SPACES}])[1-9][0-9]{{0,2}}[{_SPACES}]"
    r"(?:1/[2-9]|2/[35]|3/[458]|4/5|5/[68]|7/8)(?![0-9/]|[.,][0-9])"
)
_MIXED = re.compile(r"([1-9]\d{0,2})'(\d)/(\d)\Z")
"""A whole number and a part of one, which `plain_digits` joins."""
_FOREIGN = re.compile(r"[^\D0-9]")
"""A decimal digit of another script."""
_WIDE_COLON = re.compile("(?<=[0-9])\uff1a(?=[0-9])")
_WIDE = "[\uff10-\uff19]"
_WIDE_GROUPS = re.compile(
    rf"(?<!{_WIDE})(?<!{_WIDE}[\uff0c\uff0e]){_WIDE}{{1,3}}(?:\uff0c{_WIDE}{{3}})+(?!\uff0c?{_WIDE})"
    rf"|(?<={_WIDE})\uff0e(?={_WIDE})"
)
"""Full-width digits in threes, and a full-width point between them; such a comma between others parts a list."""
_WIDE_MARKS = str.maketrans({"\uff0c": ",", "\uff0e": "."})
_BETWEEN_DIGITS = re.compile("(?<=[0-9]),[0-9]")
_COLUMN = r"-?[0-9]+(?:\.[0-9]+)?"
_BEHIND_A_DAY = "(?<=[0-9]-[0-9][0-9]-[0-9][0-9])"
_ROW = re.compile(
    rf"(?:(?<=[A-Za-z\u00c0-\u024f\u0370-\u052f\"'),]),{_COLUMN}|{_BEHIND_A_DAY})(?:,{_COLUMN})++"
    rf"(?=,(?!-?[0-9])|[ \t]*(?:[^\S \t]|\Z))|{_BEHIND_A_DAY},(?=-?[0-9])"
)
"""Several numbers of a line whose commas part columns, behind a word or a day, up to its end or to another column.

Behind a day a comma parts a number anyway.
"""
_OVER_COLUMNS = re.compile(r",(?<=[A-Za-z\u00c0-\u024f\u0370-\u052f\"'),],)([0-9]+(?:[.,][0-9]+)+)")
_LIST = re.compile(r"(?<![\w.,:/'\u2019])[0-9]+(?:[.,][0-9]+){2,}(?![\w:/])")
_UNDERSCORED = re.compile(r"(?<![\w.,:/])[1-9][0-9]{0,2}(?:_[0-9]{3}){1,5}(?!\w)")
_JOINED = str.maketrans(dict.fromkeys(f"{_SPACES}_", "'"))
_ARABIC_MARKS = str.maketrans({"\u066b": ".", "\u066c": ","})

_HAN_DIGITS = {
    sign: value
    for value, signs in enumerate(("\u3007零", "一", "二两兩", "三", "四", "五", "六", "七", "八", "九"))
    for sign in signs
}
_HAN_UNITS = {
    "十": 10,
    "\u3038": 10,
    "百": 100,
    "千": 1000,
    "万": 10**4,
    "萬": 10**4,
    "億": 10**8,
    "亿": 10**8,
    "兆": 10**12,
}
_HAN = frozenset({*_HAN_DIGITS, *_HAN_UNITS})
_SECTION = 10**4
_TEN = "\u3038"
"""A ten of its own, one character as the others are, that no other word holds."""
_COUNTED = (
    "[年月日天名人个個件次回円元块塊岁歳周週点點页頁章节節条條項项层層階倍度台枚册本部位种種家间間米克吨分秒小時时"
    "ヶヵか公美欧余多%\uff05]|ユーロ|ドル|キロ|メートル|パーセント"
)
_SURELY_COUNTED = (
    "[ヶヵか]月|個月|个月|[年日天歳岁円元名]|人(?![々間间口工生民物事類类])|週間|周(?![围囲辺边到])"
    "|時間|小时|小時|分钟|分鐘|分間"
)
_SIGNS = "".join(sorted(_HAN))
HAN_NUMERAL = (
    rf"[{_SIGNS}]{{2,16}}(?={_COUNTED})|[{''.join(_HAN_DIGITS)}][{_SIGNS}]{{0,14}}[万萬億亿兆]"
    rf"|(?<=百分之)[{_SIGNS}]{{2,6}}|{_TEN}"
)
"""A number in Chinese characters: before what it counts, or a large one."""
_ALONE = re.compile(
    rf"(?<![第統统唯{_SIGNS}])[一二三四五六七八九十](?={_SURELY_COUNTED})(?!一[日天年](?:中|間|间|起|到))"
)
"""One that is alone before what surely is counted."""
_ALONE_AS = str.maketrans({**{sign: str(value) for sign, value in _HAN_DIGITS.items()}, "十": _TEN})


def han_number(numeral: str) -> str | None:
    """The value of a number of several Chinese characters, or of what stands for a lone ten; None of anything else.

    >>> [han_number(one) for one in ("一万二千", "三百五十万", "二十", "二〇二四", "四五", "亿万", "一", "cat")]
    ['12000', '3500000', '20', '2024', None, None, None, None]
    """
    if (len(numeral) < 2 and numeral != _TEN) or not _HAN.issuperset(numeral):
        return None
    digits = [_HAN_DIGITS.get(sign) for sign in numeral]
    if None not in digits:
        placed = len(numeral) > 2 or 0 in digits
        return "".join(map(str, digits)) if placed else None
    total, section, digit = 0, 0, None
    for sign, value in zip(numeral, digits, strict=True):
        if value is not None:
            if digit:
                return None
            digit = value
            continue
        unit = _HAN_UNITS[sign]
        if unit < _SECTION:
            section += (digit or 1) * unit
        elif section + (digit or 0):
            total, section = total + (section + (digit or 0)) * unit, 0
        else:
            return None
        digit = None
    return str(total + section + (digit or 0))


def plain_digits(text: str) -> str:
    """`text` with every digit in ASCII and an apostrophe for what parts groups of three; as long as it was.

    Between a day and a time of ISO 8601 a space stands instead of the T. Rows of numbers stay apart: white space that
    parts groups stands between nothing but groups of three. An apostrophe also joins a whole number to the part of one
    behind it. Commas that part numbers are semicolons.

    >>> plain_digits("१२ किमी, 1 500 000 km, room 7 12 450"), plain_digits("1 1/2 cups, 5 3/4/2025")
    ("12 किमी, 1'500'000 km, room 7 12 450", "1'1/2 cups, 5 3/4/2025")
    >>> plain_digits("store,visitors,orders\\nKiel,288,250"), plain_digits("In all,1,200 people"), plain_digits("5_000")
    ('store,visitors,orders\\nKiel;288;250', 'In all,1,200 people', "5'000")
    >>> plain_digits("\uff11\uff0c\uff15\uff10\uff10円, \uff13\uff15\uff0e\uff15度, \uff11\uff0c\uff12\uff0c\uff13")
    '1,500円, 35.5度, 1\uff0c2\uff0c3'
    """
    if not text.isascii():
        if "\uff0c" in text or "\uff0e" in text:
            text = _WIDE_GROUPS.sub(lambda found: found[0].translate(_WIDE_MARKS), text)
        if _FOREIGN.search(text):
            text = _FOREIGN.sub(lambda digit: str(unicodedata.decimal(digit[0])), text)
            text = text.translate(_ARABIC_MARKS)
        if "\uff1a" in text:
            text = _WIDE_COLON.sub(":", text)
        if _ALONE.search(text):
            text = _ALONE.sub(lambda numeral: numeral[0].translate(_ALONE_AS), text)
    if _MAYBE_SPACED.search(text):
        text = _DAY_AND_TIME.sub(" ", text)
        text = _SPACED.sub(_join, text)
        text = _MIXED_SPACED.sub(_join, text)
    if "_" in text:
        text = _UNDERSCORED.sub(_join, text)
    return _apart(text) if "," in text and _BETWEEN_DIGITS.search(text) else text


def _apart(text: str) -> str:
    """`text` with semicolons for commas that part numbers: those of columns, and of what is no number as a whole.

    >>> _apart("2026-02-01,412,380"), _apart("ports 80,443,9090"), _apart("a loss of -12,500 or 1,234,567.5")
    ('2026-02-01;412;380', 'ports 80;443;9090', 'a loss of -12,500 or 1,234,567.5')
    """
    text = _ROW.sub(lambda columns: columns[0].replace(",", ";"), text)
    return _LIST.sub(
        lambda found: found[0] if _grouped(found[0]) != (found[0],) else found[0].replace(",", ";"), text
    )


def over_columns(text: str) -> Iterator[str]:
    """What numbers in columns of `text` may stand for together: of a thousand or of decimals, whose comma parts none.

    >>> [*over_columns("North,1,250\\nMiete,1.250,00\\nParis,48.85,2.35")]
    ['1250', '1.25', '1250']
    """
    for found in _OVER_COLUMNS.finditer(text):
        values = _grouped(found[1])
        if values != (found[1],):
            yield from values


def _join(number: re.Match[str]) -> str:
    return number[0].translate(_JOINED)


def readings(token: str) -> tuple[str, ...]:
    """Values a numeral may stand for, in one spelling, the likeliest first.

    >>> readings("1,234"), readings("1.234,5"), readings("12,50"), readings("9:0"), readings("3/4"), readings("007")
    (('1234', '1.234'), ('1234.5',), ('12.5',), ('9:00', '9'), ('3/4', '3', '4', '0.75'), ('7',))
    >>> readings("1'1/2"), readings("2'2/3"), readings("14:02:15"), readings("14:02:00")
    (('1.5',), ('2.667', '2.67'), ('14:02', '14:02:15'), ('14:02',))
    """
    if token[-1] in PARTS:
        return _with_part(token)
    clock = _CLOCK.match(token)
    if clock:
        hour, minute = int(clock[1]), int(clock[2])
        at = f"{hour}:{minute:02}"
        exactly = (f"{at}:{int(clock[3]):02}",) if clock[3] and int(clock[3]) else ()
        return (at, *((str(hour),) if minute == 0 else ()), *exactly)
    mixed = _MIXED.match(token)
    if mixed:
        value = int(mixed[1]) + int(mixed[2]) / int(mixed[3])
        return tuple(dict.fromkeys(decimal(f"{value:.{places}f}") for places in (3, 2)))
    if "/" in token or ":" in token:
        parts = [value for part in re.split("[/:]", token) for value in readings(part)]
        return (token, *parts, *_quotient(token))
    return _grouped(token.replace("\u2019", "'"))


def likely(values: tuple[str, ...]) -> tuple[str, ...]:
    """`values` of a numeral that an answer tells, without that of three decimals that are all naught: 7,000 is not 7.

    >>> likely(readings("7,000")), likely(readings("7,125")), likely(("7", "7000"))
    (('7000',), ('7125', '7.125'), ('7', '7000'))
    """
    return (values[0], *values[2:]) if len(values) > 1 and values[0] == f"{values[1]}000" else values


def _with_part(token: str) -> tuple[str, ...]:
    """The value of a whole number with the sign of a part behind it; of a third to three places and to two.

    >>> readings("1½"), readings("2 ¾"), readings("0.5½"), readings("2⅓")
    (('1.5',), ('2.75',), ('0.5½',), ('2.333', '2.33'))
    """
    whole = token[:-1].rstrip()
    if not whole.isdecimal():
        return (token,)
    value = int(whole) + _PARTS[token[-1]]
    places = (3, 2) if token[-1] in _THIRDS else (3,)
    return tuple(decimal(f"{value:.{one}f}") for one in places)


def decimal(digits: str) -> str:
    """A number without zeros that add nothing.

    >>> decimal("007.50"), decimal("0.0")
    ('7.5', '0')
    """
    whole, _, fraction = digits.partition(".")
    fraction = fraction.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{fraction}" if fraction else "")


def _quotient(token: str) -> tuple[str, ...]:
    """What a fraction comes to, exactly or to two and three places."""
    found = _FRACTION.match(token)
    if not found:
        return ()
    quotient = int(found[1]) / int(found[2])
    return tuple(dict.fromkeys(decimal(f"{quotient:.{places}f}") for places in (2, 3)))


def _grouped(token: str) -> tuple[str, ...]:
    """The readings of digits with points, commas and apostrophes: of two kinds of mark the last begins the decimals."""
    parts, marks = _MARK.split(token), _MARK.findall(token)
    if not marks:
        return (decimal(token),)
    cents = ""
    if marks[0] != marks[-1] and marks[-1] != "'":
        marks.pop()
        cents = "." + parts.pop()
    found: list[str] = []
    if len(set(marks)) == 1 and _are_groups(parts, marks[0]):
        found.append(decimal("".join(parts) + cents))
    if len(marks) == 1 and marks[0] != "'" and not cents:
        found.append(decimal(".".join(parts)))
    return tuple(found) or (token,)


def _are_groups(parts: list[str], mark: str) -> bool:
    """Whether digits stand in threes, or with commas in twos before the last three, as in India."""
    first, *middle, last = map(len, parts)
    return (
        first <= 3
        and not parts[0].startswith("0")
        and last == 3
        and (all(one == 3 for one in middle) or (mark == "," and all(one == 2 for one in (*middle, 2))))
    )

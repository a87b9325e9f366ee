"""Denying: "not" where it is no word of its own: Turkish and Korean verbs, Japanese and Chinese characters.

What has the form of a denial and is none (must, only, not only, unless) is looked for first: `data/denying.json`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ragvigil.scorer.checks.reading.markup import Span
from ragvigil.scorer.data import read_data

_DATA: Any = read_data("denying.json")
_VOWELS = "ae\u0131io\u00f6u\u00fc"
_BACK = frozenset("a\u0131ou")
_HIGH = dict(zip(_VOWELS, "\u0131i\u0131iu\u00fcu\u00fc", strict=True))
"""For the last vowel of a verb that of an ending behind it."""
_AORIST = re.compile(rf"(\w*([{_VOWELS}])([^\W\d_{_VOWELS}]{{0,3}}))m([ae])z(?:l[ae]r)?")
_HIGH_AORIST = frozenset(_DATA["turkish_high"])
_VOICED: Mapping[str, str] = _DATA["turkish_voiced"]
_NO_VERBS = frozenset(_DATA["turkish_no_verbs"])
"""Surnames, of which a text in ASCII may have lost the capital, and what is an adjective: stainless."""
_TURKISH = re.compile(
    rf"[\u0131\u015f\u011f]|[{_VOWELS}]\w{{1,3}}(?:[iu]l|[ieu]n|il[ae])m[ae]z|\b(?:ol|et)m[ae]z"
)
"""Of a denied aorist: what French and Hungarian verbs have not (*fermez*, *jellemez*)."""
_PRESENT = re.compile("(\\w{2,})m([\u0131iu\u00fc])(yor\\w{0,6})")
_FUTURE = re.compile("(\\w{2,})m([ae])y([ae]c[ae][k\u011f]\\w{0,8})")
_CONTINUING = re.compile(r"(\w{2,})m([ae])(m(?:akta|ekte)\w{0,6})")
_PASSIVE = re.compile(
    "(\\w+([\u0131iu\u00fc])[ln])m([ae])((?:d[\u0131i](?![k\u011f])|m[\u0131i]\u015f|mel|mal)\\w{0,8})"
)
_KOREAN = re.compile("|".join(_DATA["korean"]))
_FORMAL: Mapping[str, str] = _DATA["korean_formal"]
_KOREAN_FORM = re.compile(f"([\uac00-\ud7a3]{{1,12}})([{''.join(_FORMAL)}])\uc9c0[\ub294\ub3c4]?")


def _pattern(told: Mapping[str, Sequence[str]]) -> re.Pattern[str]:
    return re.compile(f"(?P<none>{'|'.join(told['none'])})|{'|'.join(told['denying'])}")


_JAPANESE, _CHINESE = _pattern(_DATA["japanese"]), _pattern(_DATA["chinese"])
_KANA = re.compile("[\u3041-\u30fa]")
_FEWEST_CHINESE = 4
"""Characters of a text that may be a sentence."""


def affirmed(token: str) -> str | None:
    """What a Turkish verb form says that `token`, in small letters, denies; None where it is none.

    >>> [affirmed(one) for one in ("edilmez", "bulunmaz", "edilmemektedir", "edilmiyor", "verilmeyecek")]
    ['edilir', 'bulunur', 'edilmektedir', 'ediliyor', 'verilecek']
    >>> [affirmed(one) for one in ("gomez", "yilmaz", "fermez", "korkmaz", "gömüyor", "mayor")]
    [None, None, None, None, None, None]
    """
    if found := _AORIST.fullmatch(token):
        return _aorist(*found.groups()) if token not in _NO_VERBS and _TURKISH.search(token) else None
    if found := _PRESENT.fullmatch(token):
        base, high, rest = found.groups()
        if _is_short(base):
            return None
        return f"{base[:-1] if base[-1] in _VOWELS else base}{high}{rest}"
    if found := _FUTURE.fullmatch(token):
        return (
            None if _is_short(found[1]) else f"{found[1]}{'y' if found[1][-1] in _VOWELS else ''}{found[3]}"
        )
    if found := _CONTINUING.fullmatch(token):
        return found[1] + found[3] if found[2] == found[3][1] else None
    found = _PASSIVE.fullmatch(token)
    return found[1] + found[4] if found and (found[2] in _BACK) == (found[3] == "a") else None


def _is_short(base: str) -> bool:
    """Whether *m* may be of the verb itself, as in *gömüyor*, *yamayacak*."""
    return base[-1] in _VOWELS and sum(map(base.count, _VOWELS)) == 1


def _aorist(base: str, vowel: str, ending: str, denying: str) -> str | None:
    """The aorist of `base`, which ends in `vowel` and the consonants `ending`; `denying`: the vowel of *-maz, -mez*."""
    lone = sum(map(base.count, _VOWELS)) == 1
    if (vowel in _BACK) != (denying == "a") or (lone and not ending):
        return None
    if not ending:
        return f"{base}r"
    if lone and base not in _HIGH_AORIST:
        return f"{_VOICED.get(base, base)}{denying}r"
    return f"{base}{_HIGH[vowel]}r"


def denies_in_korean(token: str) -> bool:
    """Whether a Korean word denies what stands before it; what only tells a condition does not.

    >>> [denies_in_korean(one) for one in ("않습니다", "없습니다", "없이는", "아니라", "않으면")]
    [True, True, False, False, False]
    """
    return _KOREAN.match(token) is not None


def in_formal_korean(token: str) -> str:
    """The form that a sentence ends in of a verb that is to be denied; any other `token` as it is.

    >>> in_formal_korean("포함되지"), in_formal_korean("편지")
    ('포함됩니다', '편지')
    """
    found = _KOREAN_FORM.fullmatch(token)
    return found[1] + _FORMAL[found[2]] if found else token


def denials_in(run: str) -> list[Span]:
    """Where a run of Japanese or Chinese characters denies.

    >>> [[run[slice(*one)] for one in denials_in(run)] for run in ("朝食は含まれません", "保存しなければなりません")]
    [['ません'], []]
    >>> [[run[slice(*one)] for one in denials_in(run)] for run in ("酒店不允许携带狗", "不仅便宜而且好")]
    [['不'], []]
    """
    pattern = _JAPANESE if _KANA.search(run) else _CHINESE
    if pattern is _CHINESE and len(run) < _FEWEST_CHINESE:
        return []
    return [found.span() for found in pattern.finditer(run) if found["none"] is None]


def _open(told: Mapping[str, Sequence[str]]) -> re.Pattern[str]:
    whole, begun, within = ("|".join(told[kind]) for kind in ("words", "beginnings", "within"))
    return re.compile(rf"(?<!\w)(?:(?:{whole})(?!\w)|{begun})|{within}")


_OPEN = _open(_DATA["open"])
_JOINT = re.compile("[,;:?\u061f\u060c\u061b](?!\\d)|[\u3001\uff0c\uff1b\uff1a\uff1f]|\\s[-\u2013\u2014]\\s")
"""Between clauses, or behind a question."""


def leaves_open(denial: str, other: str) -> bool:
    """Whether a sentence that denies need not deny what `other` says: another clause, a bound, or a question.

    >>> leaves_open("Tidak lebih dari 5", ""), leaves_open("Tidak ada", ""), leaves_open("Tidak, ada", "")
    (True, False, True)
    """
    return _JOINT.search(denial) is not None or any(map(_OPEN.search, (denial.casefold(), other.casefold())))


MAY_DENY = frozenset("不未没沒无無并並なま")
"""One of them stands in each denial that `denials_in` finds."""

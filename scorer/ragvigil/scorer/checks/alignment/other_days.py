"""Other days: a claim that says of a weekday what a sentence says of others, and that no passage names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ragvigil.scorer.checks.alignment.bounds import EXCEPT_DAYS
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.weekdays import may_name_a_day, short_days_of
from ragvigil.scorer.checks.reading.words import Word, words
from ragvigil.scorer.choices import longest_first

_NAMES = {
    **LEXICON.days,
    **{
        f"{name.removesuffix('-feira')}s-feiras": day
        for name, day in LEXICON.days.items()
        if name.endswith("-feira")
    },
}
_SIGNS = LEXICON.day_signs
_ZH, _JA, _KO = ("".join(_SIGNS[language]) for language in ("zh", "ja", "ko"))
_DAY = re.compile(
    rf"(?<![^\W\d_])(?P<name>{longest_first(_NAMES)})(?:s|er)?(?![^\W\d_])"
    rf"|(?:[周週](?!\w?[次天个個回间間])|星期|礼拜)(?P<zh>[{_ZH}])(?![次个個回])|(?P<ja>[{_JA}])曜|(?P<ko>[{_KO}])요일",
    re.IGNORECASE,
)
_MAY_BE_FAR = re.compile("[周週星礼曜]|요일")
_LEAVES_ROOM = re.compile(
    rf"\b(?:{EXCEPT_DAYS}|except\w*|daily|every\s?day|week-?days?|week-?ends?|holidays?|also|otherwise|other|moved|"
    r"instead|if|täglich|werktags?|wochentags?|wochenende\w*|auch|sonst|feiertag\w*|tous\sles\sjours|aussi|"
    r"todos\slos\sdías|también|todos\sos\sdias|também|ogni\sgiorno)\b"
    r"|\b(?:segunda|terça|quarta|quinta|sexta)s?\b(?!-feira)"
    r"|每天|每日|毎日|平日|工作日|[周週]末|土日|除|以外|改",
    re.IGNORECASE,
)
_THROUGH = re.compile(
    r"\s*(?:to|through|thru|until|till|-|\u2013|\u2014|~|\uff5e|\u301c|bis|a|\u00e0|au|al|hasta|até|alla|至|到|から|日から|부터)\s*",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:open|opens|geöffnet|offen|ouvert\w*|ouvre|abiert\w*|abre|abert\w*|apert\w*)\b|营业|営業",
    re.IGNORECASE,
)
_SHUT = re.compile(
    r"\b(?:close[sd]?|shut|geschlossen|schließt|fermée?|ferme|cerrad\w*|cierra|fechad\w*|fecha|chius\w*|chiude)\b|休|关|閉",
    re.IGNORECASE,
)
_ALIKE = 0.8
_FAR_ALIKE = 0.7
_FEWEST = 2


def names_another_day(claim: Sequence[Word], text: str, best: Segment, evidence: Evidence) -> bool:
    """Whether `claim`, the words of `text`, says of days that no passage names what the `best` sentence says of others.

    >>> from ragvigil.scorer.trace import Document
    >>> waste = Evidence([Document("a", "Waste is collected every Tuesday and Friday.")])
    >>> texts = ("Waste is collected every Thursday.", "Waste is collected every Friday.")
    >>> [names_another_day(words(one), one, waste.segments[0], waste) for one in texts]
    [True, False]
    """
    if best.span is None or not (
        may_name_a_day(claim, text) or (not text.isascii() and _MAY_BE_FAR.search(text))
    ):
        return False  # as mostly
    sentence = best.text[slice(*best.span)]
    mine, theirs = _days(text), _days(sentence)
    if not mine or not theirs or not mine.isdisjoint(theirs):
        return False
    if (
        _LEAVES_ROOM.search(text)
        or _LEAVES_ROOM.search(sentence)
        or (_OPEN.search(text) and _SHUT.search(sentence))
    ):
        return False
    if any(word.numbers and best.numbers.isdisjoint(word.numbers) for word in claim):
        return False
    named = {word.stem for found in _DAY.finditer(text) for word in words(found[0])}
    said = {word.stem for word in claim if word.content} - named
    enough = _ALIKE if text.isascii() or not _MAY_BE_FAR.search(text) else _FAR_ALIKE
    if len(said) < _FEWEST or len(said & best.content) < enough * len(said):
        return False
    told = _days(evidence.in_small_letters)
    if told is None or not mine.isdisjoint(told):
        return False
    return mine.isdisjoint(short_days_of(evidence.in_small_letters))


def _days(text: str) -> set[int] | None:
    """The weekdays that are named one by one; None where there is a range of them."""
    found = list(_DAY.finditer(text))
    if any(_THROUGH.fullmatch(text, one.end(), other.start()) for one, other in pairwise(found)):
        return None
    return {day for one in found if (day := _day(one)) is not None}


def _day(found: re.Match[str]) -> int | None:
    """Which day of the week it is; None for the name with a letter of another alphabet."""
    if found["name"]:
        return _NAMES.get(found["name"].lower())
    return next(days[found[language]] for language, days in _SIGNS.items() if found[language])

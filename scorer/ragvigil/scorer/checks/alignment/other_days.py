"""Other days: a claim that says of a weekday what a sentence says of others, and that no passage names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, pairwise

from ragvigil.scorer.checks.alignment.bounds import EXCEPT_DAYS
from ragvigil.scorer.checks.alignment.hours import days_named
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.weekdays import SHORT_DAYS, may_name_a_day, short_days_of
from ragvigil.scorer.checks.reading.words import Word, stems_of, things_of, words
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
_RECKONED = re.compile(
    r"\b(?:(?:work(?:ing)?|business|opening|calendar|school)?-?days?|weeks?|next|follow\w*|later|after\w*|before|earlier|"
    r"consecutive\w*|starting|nights?|weekend\w*|(?:werk|arbeits|wochen)?tag\w{0,2}|wochen?|nächst\w*|"
    r"folgend\w*|später|danach|darauf\w*|nach|jours?|semaines?|suivante?s?|prochaine?s?|après|plus\stard|días?|semanas?|"
    r"siguientes?|próxim[oa]s?|después|dias?|seguintes?|depois|após|giorn[oi]|settiman[ae]|prossim[oi]|successiv[oi]|"
    r"sonnabends?|dopo|(?:werk)?dag(?:en)?|weken|volgende|daarna)\b|天|每|毎|翌|次|后|後|다음",
    re.IGNORECASE,
)
"""Words for days and weeks, and for what comes after others: "on the next working day", "for three days"."""
_WEEKLY = re.compile(
    r"\b(?:weeks?|weekly|wochen?|wöchentlich|semaines?|semanas?|settiman[ae]|week|sonnabends?)\b|週に|每周|一周|일주일",
    re.IGNORECASE,
)
"""Words for all days of a week, and a second name of one."""
_SHORTER = {"m": 0, "tu": 1, "w": 2, "weds": 2, "th": 3, "f": 4}
"""Names of days that are shorter than those a range may have."""
_SHORT = re.compile(
    rf"(?<![^\W_])(?:(?=(?-i:[A-Z]))(?:{longest_first((*SHORT_DAYS, *_SHORTER))})(?![^\W_])"
    rf"|(?:{longest_first(SHORT_DAYS)})(?=\.))",
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
_TIME = re.compile(r"\d{1,2}(?:[:.]\d\d|\s?[ap]\.?m\b|\s?(?:Uhr|h)\b)", re.IGNORECASE)
_ALL_WEEK = {*range(7)}
_STEMS = stems_of((*_NAMES, *SHORT_DAYS))
_ALIKE = 0.8
_FAR_ALIKE = 0.7
_FEWEST = 2
_MOST_READ = 300
"""Sentences that are read for other days."""


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
    sentence = best.sentence
    mine, theirs = _days(text), _days(sentence)
    if mine is None or theirs is None or not mine.isdisjoint(theirs):
        return _names_one_more(claim, text, sentence, best, evidence)
    if not mine or not theirs:
        return False
    if _LEAVES_ROOM.search(text) or _LEAVES_ROOM.search(sentence):
        return False
    if (_OPEN.search(text) and _SHUT.search(sentence)) or not _says_the_same(claim, text, best):
        return False
    told = _days(evidence.in_small_letters)
    if told is None or not mine.isdisjoint(told):
        return False
    return mine.isdisjoint(short_days_of(evidence.in_small_letters))


def _says_the_same(claim: Sequence[Word], text: str, best: Segment) -> bool:
    """Whether the `best` sentence has all numbers and nearly all words of `claim`, those of `text`, days aside."""
    if any(word.numbers and best.numbers.isdisjoint(word.numbers) for word in claim):
        return False
    named = {word.stem for found in _DAY.finditer(text) for word in words(found[0])}
    said = {word.stem for word in claim if word.content} - named
    enough = _ALIKE if text.isascii() or not _MAY_BE_FAR.search(text) else _FAR_ALIKE
    return len(said) >= _FEWEST and len(said & best.content) >= enough * len(said)


def _names_one_more(
    claim: Sequence[Word], text: str, sentence: str, best: Segment, evidence: Evidence
) -> bool:
    """Whether a range or list of days has some that no passage names, beside such a one in the `best` sentence.

    Both tell the same of them, or two times of the day, and neither has words from which days can be worked out; no
    other sentence names another day, or tells of what the claim does that it is so on more of them.

    >>> from ragvigil.scorer.trace import Document
    >>> desk = Evidence([Document("a", "The desk answers calls Monday to Friday.")])
    >>> texts = ("The desk answers calls Monday to Saturday.", "The desk answers calls Tuesday to Friday.")
    >>> [names_another_day(words(one), one, desk.segments[0], desk) for one in texts]
    [True, False]
    """
    mine, theirs = _listed(text), _listed(sentence)
    if mine <= theirs or mine.isdisjoint(theirs):
        return False
    if any(pattern.search(one) for pattern in (_LEAVES_ROOM, _SHUT, _RECKONED) for one in (text, sentence)):
        return False
    numbers = [word.numbers for word in claim if word.numbers]
    if any(best.numbers.isdisjoint(one) for one in numbers):
        return False
    said = things_of(claim) - _STEMS
    like = len(said) >= _FEWEST and len(said & best.content) >= _ALIKE * len(said)
    if not like and not (len(numbers) >= _FEWEST and _keeps_hours(text)):
        return False
    if len(evidence.segments) > _MOST_READ:
        return False
    told = _days_told(evidence.in_small_letters) | _days_told(best.text, daily=True)
    if not (mine - theirs).isdisjoint(told) or not mine | theirs >= told:
        return False  # nor where another day is told of: closed on Sundays
    return not _may_be_so_elsewhere(mine - theirs, said, best, evidence)


@lru_cache(maxsize=1 << 4)
def _days_told(text: str, *, daily: bool = False) -> frozenset[int]:
    """The days that are named, in short, too; with `daily` also where all of them are."""
    named = (days for _, days in days_named(text) if daily or days != _ALL_WEEK)
    return frozenset((*short_days_of(text), *chain.from_iterable(named)))


def _listed(text: str) -> set[int]:
    """The days of the only list or range of days in `text`, where it names no other."""
    found = days_named(text)
    return found[0][1] if len(found) == 1 and len(found[0][1]) >= _FEWEST else set()


def _may_be_so_elsewhere(days: set[int], said: set[str], best: Segment, evidence: Evidence) -> bool:
    """Whether another sentence names one of the `days` in short, or says of what is `said` that it is so every day.

    What is so every day of one thing is not so of another, unless the sentence or the one before it has its words.
    """
    segments = evidence.segments
    at = next((place for place, one in enumerate(segments) if one is best), -1)
    for place, one in enumerate(segments):
        sentence = one.sentence
        if not days.isdisjoint(_days_in_short(sentence)):
            return True
        if place == at or not _leaves_days_open(sentence):
            continue
        near = [other for other in segments[max(0, place - 1) : place + 1] if other is not best]
        beside = abs(place - at) == 1 and one.passage == best.passage
        if beside or _WEEKLY.search(sentence) or any(not said.isdisjoint(other.content) for other in near):
            return True
    return False


@lru_cache(maxsize=1 << 9)
def _days_in_short(sentence: str) -> frozenset[int]:
    names = (name.lower() for name in _SHORT.findall(sentence))
    return frozenset(SHORT_DAYS.get(name, _SHORTER.get(name, -1)) for name in names)


@lru_cache(maxsize=1 << 9)
def _leaves_days_open(sentence: str) -> bool:
    return bool(_RECKONED.search(sentence) or _LEAVES_ROOM.search(sentence))


def _keeps_hours(text: str) -> bool:
    """Whether it tells two times of the day."""
    return len(_TIME.findall(text)) >= _FEWEST


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

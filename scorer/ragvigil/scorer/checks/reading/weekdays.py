"""Weekdays in short, two of them or one beside a time: Mo-Fr, Sat 9:00, which a passage writes in full."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.patterns import LETTERS, letters_of
from ragvigil.scorer.checks.reading.words import Word, offsets, words
from ragvigil.scorer.choices import longest_first

SHORT_DAYS = {
    name: day
    for names in (
        *("mon tue wed thu fri sat sun", "mo di mi do fr sa so", "lun mar mié jue vie sáb dom"),
        *("mon tues wed thur fri sat sun", "lun mar mer jeu ven sam dim", "seg ter qua qui sex sáb dom"),
        *("mon tue wed thurs fri sat sun", "lun mar mer gio ven sab dom", "ma di wo do vr za zo"),
    )
    for day, name in enumerate(names.split())
    if name not in ("ma", "so") or names.startswith("mo di")
}
"""Days of the week in short, from Monday, 0."""
_NAME = rf"(?:{longest_first(SHORT_DAYS)})\.?"
_JOINED = r"(?:\s?[-\u2013\u2014/&,]\s?|\s(?:to|through|till|and|bis|und|a|al|y|au|et|e|t/m|en)\s)"
_SPAN = re.compile(
    rf"(?<![^\W_])(?:(?P<one>{_NAME}){_JOINED}(?P<two>{_NAME})"
    r"|(?P<only>"
    + _NAME
    + r")(?=(?::|,)?\s(?:(?:from\s|von\s|de\s|das\s)?\d{1,2}[:.h]\d\d|(?:closed|geschlossen)\b)))(?![^\W_])",
    re.IGNORECASE,
)
_FULL = frozenset(name + ending for name in LEXICON.days for ending in ("", "s"))
_RUN = re.compile(r"[^\W\d_]+(?:-feira)?")
_BEGINNINGS = frozenset(
    LETTERS.findall(name)[0] + ending
    for name in (*LEXICON.days, "weekday", "weekend")
    for ending in ("", "s", "er")
)
"""What a day that is named in full begins with: segunda, of segunda-feira."""
_BY_STEM: dict[str, list[str]] = {}
for _name in sorted(_BEGINNINGS):
    _BY_STEM.setdefault(words(_name)[0].stem, []).append(_name)


def may_name_days(text: str, runs: Collection[str]) -> bool:
    """Whether days are told in short: a quick first look. `runs`: the letters in a row of `text`, in lower case.

    >>> may_name_days("Mo\u2013Fr von 8 bis 18 Uhr", ("mo", "fr")), may_name_days("So ist es.", ("so", "ist", "es"))
    (True, False)
    """
    return not SHORT_DAYS.keys().isdisjoint(runs) and _SPAN.search(text) is not None


def may_name_in_full(runs: Collection[str]) -> bool:
    """Whether days are told in full: a quick first look. `runs`: as of `may_name_days`."""
    return not _FULL.isdisjoint(runs)


def may_name_a_day(claim: Sequence[Word], text: str) -> bool:
    """Whether `claim`, the words of `text`, may name a day, or the days of the week or its end, in full.

    >>> texts = ("closed on Mondays", "in the last quarter", "às quartas-feiras")
    >>> [may_name_a_day(words(text), text) for text in texts]
    [True, False, True]
    """
    stems = _BY_STEM.keys() & [word.stem for word in claim]
    if not stems:
        return False  # as mostly
    plain = text.lower()
    if not any(name in plain for stem in stems for name in _BY_STEM[stem]):
        return False  # a quarter
    return not _BEGINNINGS.isdisjoint(letters_of(text))


def days_of(evidence: str) -> Mapping[int, Word]:
    """By day of the week the first word of `evidence` that names it.

    >>> [word.stem for word in days_of("montags bis freitags, Sundays").values()]
    ['montag', 'freitag', 'sundai']
    """
    found: dict[int, Word] = {}
    for run in _RUN.findall(evidence):
        said = run.casefold()
        day = LEXICON.days.get(said, LEXICON.days.get(said.removesuffix("s")))
        if day is not None and day not in found:
            found[day] = words(run)[0]
    return found


def short_days_of(evidence: str) -> Mapping[int, Word]:
    """By day of the week the first word of `evidence` that names it in short.

    >>> [word.stem for word in short_days_of("Mon-Wed 9:00-17:00, Sun closed").values()]
    ['mon', 'wed', 'sun']
    """
    found: dict[int, Word] = {}
    for one in _SPAN.finditer(evidence):
        for said in filter(None, one.groups()):
            day = SHORT_DAYS.get(said.rstrip(".").casefold())
            if day is not None:
                found.setdefault(day, words(said)[0])
    return found


def in_short(sequence: Sequence[Word], text: str, days: Mapping[int, Word]) -> Sequence[Word]:
    """`sequence`, the words of `text`, with days that it names as the short words for those `days`."""
    named: dict[int, Word] = {}
    for run in _RUN.finditer(text):
        said = run[0].casefold()
        day = LEXICON.days.get(said, LEXICON.days.get(said.removesuffix("s")))
        if day is not None and day in days:
            named[run.start()] = days[day]
    starts = [first for first, _ in offsets(text)]
    return [named.get(start, word) for start, word in zip(starts, sequence, strict=True)]


def in_full(sequence: Sequence[Word], text: str, days: Mapping[int, Word]) -> Sequence[Word]:
    """`sequence`, the words of `text`, with days in short as the words for those `days`."""
    named = {
        span[0]: day
        for found in _SPAN.finditer(text)
        for name in ("one", "two", "only")
        if (said := found[name]) and (span := found.span(name))
        for day in [days.get(SHORT_DAYS.get(said.rstrip(".").casefold(), -1))]
        if day is not None
    }
    if not named:
        return sequence
    starts = [first for first, _ in offsets(text)]
    return [named.get(start, word) for start, word in zip(starts, sequence, strict=True)]

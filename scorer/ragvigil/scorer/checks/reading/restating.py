"""Restating: what an answer says in other units, or as another form of a date or time, in the words of the evidence."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from ragvigil.scorer.checks.reading import shortened, weekdays
from ragvigil.scorer.checks.reading.acronyms import Names, may_abbreviate
from ragvigil.scorer.checks.reading.claims import Statement
from ragvigil.scorer.checks.reading.converted import Measures, converted, may_convert
from ragvigil.scorer.checks.reading.days_afar import far_years
from ragvigil.scorer.checks.reading.expressions import (
    CLOCK,
    Expression,
    Meaning,
    expressions,
    implied,
    may_have,
)
from ragvigil.scorer.checks.reading.hours_afar import far_times
from ragvigil.scorer.checks.reading.ones import Ones, may_count_one
from ragvigil.scorer.checks.reading.ordinals import may_have_ordinals, ordinals
from ragvigil.scorer.checks.reading.patterns import letters_of
from ragvigil.scorer.checks.reading.per_cent import Shares, may_tell_shares
from ragvigil.scorer.checks.reading.rounding import lacks, may_round, numbers_of, unrounded
from ragvigil.scorer.checks.reading.scaled import may_scale, rescaled, scaled_figures
from ragvigil.scorer.checks.reading.scales_afar import amounts, may_be_large, may_scale_afar
from ragvigil.scorer.checks.reading.words import Word, offsets, overlapping, words

_LONGEST_READ = 200_000
"""Characters of the passages in all that are looked through for measures and dates."""
_DIGIT = re.compile(r"\d")
_PLACE, _HOURS, _YEARS, _AMOUNT = "place", "hours", "year", "amount"
_YEAR = 4
"""Digits of one."""
_ALWAYS = re.compile(
    r"\b(?:24/7|24\shours\s(?:a|per)\sday(?:(?:,\s|\sand\s|,\sand\s|\s)(?:seven|7)\sdays\s(?:a|per)\sweek)?|a?round\sthe\sclock|"
    r"rund\sum\sdie\suhr|24\sheures\ssur\s24|24\shoras(?:\s(?:por|al)\sd[ií]a)?)(?!\w)",
    re.IGNORECASE,
)
"""In so many words: at all hours."""
_MOST = 500
"""Measures and dates of one answer that are looked for."""


def restated(statements: Sequence[Statement], texts: Sequence[str]) -> Sequence[Statement]:
    """`statements`, with the words of the passages `texts` where those say the same in another way.

    Words keep their number and places: each word of such an expression that the evidence's lacks becomes one of its.

    >>> from ragvigil.scorer.checks.reading.claims import read_statements
    >>> told = restated(read_statements("The road is 5000 m long.", []), ["The road: 5 km."])
    >>> [word.stem for word in told[0].words]
    ['the', 'road', 'is', '5', 'km', 'long']
    """
    said = {place: one.text for place, one in enumerate(statements) if one.checkworthy}
    runs = {place: letters_of(text) for place, text in said.items()}
    telling = [place for place, text in said.items() if _may_have(text, runs[place])]
    evidence = "\n".join(texts)[:_LONGEST_READ] if telling else ""
    unknown = _unknown(((place, said[place], _told(said[place])) for place in telling), evidence)
    told = statements
    if unknown:
        known = _known(evidence, (one for each in unknown.values() for one in each))
        told = _all_restated(statements, unknown, known)
    numbered = {place: text for place, text in said.items() if _DIGIT.search(text)}
    told = _in_other_scales(told, numbered, texts)
    told = _rescaled(_unrounded(told, numbered, texts), numbered, texts)
    told = _as_counted(told, numbered, texts)
    return _spelled_out(_in_other_units(told, said, runs, texts), said, texts)


def _in_other_units(
    statements: Sequence[Statement],
    said: Mapping[int, str],
    runs: Mapping[int, Collection[str]],
    texts: Sequence[str],
) -> Sequence[Statement]:
    """`statements`, with measures in the units of the passages, and numbers and days in short in full.

    `said`: the texts of those that need evidence, by place; `runs`: the letters in a row of each, in lower case.
    """
    measuring = {place for place, text in said.items() if may_convert(text, runs[place])}
    shortening = {place for place, text in said.items() if shortened.may_shorten(text)}
    naming = {place for place, text in said.items() if weekdays.may_name_days(text, runs[place])}
    full = {place for place in said if weekdays.may_name_in_full(runs[place])}
    if not (measuring or shortening or naming or full):
        return statements  # as mostly
    evidence = list(_first(texts))
    whole = "\n".join(evidence)
    known = Measures(evidence)
    days: Mapping[int, Word] = weekdays.days_of(whole) if naming else {}
    told = list(statements)
    for place in sorted(measuring):
        one = told[place]
        told[place] = one._replace(words=tuple(converted(one.words, one.text, known)))
    for place in sorted(shortening):
        one = told[place]
        told[place] = one._replace(words=tuple(shortened.in_full(one.words, one.text, whole)))
    for place in sorted(naming):
        one = told[place]
        told[place] = one._replace(words=tuple(weekdays.in_full(one.words, one.text, days)))
    short: Mapping[int, Word] = _only_in_short(whole) if full else {}
    for place in sorted(full) if short else ():
        one = told[place]
        told[place] = one._replace(words=tuple(weekdays.in_short(one.words, one.text, short)))
    return told


def _only_in_short(evidence: str) -> Mapping[int, Word]:
    """The days of the week that `evidence` names in short alone, each with the word for it."""
    short = weekdays.short_days_of(evidence)
    named: Mapping[int, Word] = weekdays.days_of(evidence) if short else {}
    return {day: word for day, word in short.items() if day not in named}


def _in_other_scales(
    statements: Sequence[Statement], numbered: Mapping[int, str], texts: Sequence[str]
) -> Sequence[Statement]:
    """`statements`, with amounts in the scales of the passages, where one side tells one in that of its language.

    `numbered`: the texts of those that need evidence and have a digit, by place; likewise below.
    """
    large = {place: text for place, text in numbered.items() if may_be_large(text)}
    if not large:
        return statements  # as mostly
    evidence = "\n".join(texts)[:_LONGEST_READ]
    unknown = _unknown(((place, text, _amounts(text)) for place, text in large.items()), evidence)
    if not unknown or not (any(map(may_scale_afar, large.values())) or may_scale_afar(evidence)):
        return statements  # as mostly
    known: dict[Meaning, list[Word]] = {}
    for one in _amounts(evidence):
        said = words(evidence[one.start : one.end])
        for meaning in one.meanings:
            known.setdefault(meaning, said)
    return _all_restated(statements, unknown, known)


def _amounts(text: str) -> Iterator[Expression]:
    """The large amounts of `text`, in whatever scale."""
    for start, end, values in amounts(text):
        yield Expression(start, end, frozenset((_AMOUNT, value) for value in values))


def _rescaled(
    statements: Sequence[Statement], numbered: Mapping[int, str], texts: Sequence[str]
) -> Sequence[Statement]:
    """`statements`, with amounts as the figures of passages that tell them in thousands or millions."""
    telling = {place for place, text in numbered.items() if may_scale(text)}
    known = scaled_figures(list(_first(texts))) if telling else None
    if known is None or not known.amounts:
        return statements  # as mostly
    return [
        one._replace(words=tuple(rescaled(one.words, one.text, known))) if place in telling else one
        for place, one in enumerate(statements)
    ]


def _spelled_out(
    statements: Sequence[Statement], said: Mapping[int, str], texts: Sequence[str]
) -> Sequence[Statement]:
    """`statements`, with a word of its whole name for each acronym that the passages only spell out."""
    named = {place for place, text in said.items() if may_abbreviate(text)}
    if not named:
        return statements  # as mostly
    names = Names("\n".join(texts)[:_LONGEST_READ])
    return [names.spelled_out(one) if place in named else one for place, one in enumerate(statements)]


def _unrounded(
    statements: Sequence[Statement], numbered: Mapping[int, str], texts: Sequence[str]
) -> Sequence[Statement]:
    """`statements`, with rounded numbers as those of the passages."""
    rounding = {place for place, text in numbered.items() if may_round(text)}
    if not rounding:
        return statements  # as mostly
    claims = [statements[place].text for place in sorted(rounding)]
    evidence = "\n".join(texts)[:_LONGEST_READ]
    if not any(lacks(evidence, claim) for claim in claims):
        return statements  # as often
    numbers = numbers_of(evidence, claims)
    return [
        one._replace(words=tuple(unrounded(one.words, one.text, numbers))) if place in rounding else one
        for place, one in enumerate(statements)
    ]


def _as_counted(
    statements: Sequence[Statement], numbered: Mapping[int, str], texts: Sequence[str]
) -> Sequence[Statement]:
    """`statements`, with a 1, and with shares, in the form that the passages have for the same."""
    counting = {place for place, text in numbered.items() if may_count_one(text)}
    sharing = {place for place, text in numbered.items() if may_tell_shares(text)}
    if not counting and not sharing:
        return statements  # as mostly
    evidence = "\n".join(texts)[:_LONGEST_READ]
    ones, shares = Ones(evidence), Shares(evidence)
    told = list(statements)
    for place in sorted(counting):
        told[place] = told[place]._replace(words=tuple(ones.in_words(told[place].words, told[place].text)))
    for place in sorted(sharing):
        told[place] = told[place]._replace(words=tuple(shares.as_told(told[place].words, told[place].text)))
    return told


def _first(texts: Iterable[str]) -> Iterator[str]:
    """As much of `texts` as is looked through."""
    room = _LONGEST_READ
    for text in texts:
        if room <= 0:
            break
        yield text[:room]
        room -= len(text)


def _stands(said: str, evidence: str) -> bool:
    """Whether `evidence` has what is `said` in the same words: "four" does not stand in "fourth".

    >>> _stands("four", "on the fourth day"), _stands("5 km", "15 km"), _stands("5 km", "It is 5 km.")
    (False, False, True)
    """
    start = evidence.find(said)
    while start >= 0:
        before, behind = evidence[start - 1 : start] if start else "", evidence[start + len(said) :][:1]
        if not (said[0].isalnum() and before.isalnum()) and not (said[-1].isalpha() and behind.isalpha()):
            return True
        start = evidence.find(said, start + 1)
    return False


def _may_have(text: str, runs: Collection[str]) -> bool:
    """Whether `_told` might find any: a quick first look. `runs`: the letters in a row of `text`, in lower case."""
    if may_have(text, runs) or may_have_ordinals(text, runs):
        return True
    if not text.isascii() and (".ศ." in text or next(far_times(text), None) is not None):
        return True
    return ("clock" in text or "Uhr" in text) and _ALWAYS.search(text) is not None


def _told(text: str, kinds: frozenset[str] | None = None) -> list[Expression]:
    """Its expressions, the ordinals among them, and where it says "at all hours"; of `kinds` alone, None: of all."""
    found = expressions(text, None if kinds is None else kinds - {_PLACE, _HOURS, _YEARS})
    if kinds is None or _HOURS in kinds:
        found += [Expression(*one.span(), frozenset({(_HOURS, 24.0)})) for one in _ALWAYS.finditer(text)]
    if kinds is None or CLOCK in kinds:
        found += [
            Expression(start, end, frozenset((CLOCK, float(minute)) for minute in at))
            for start, end, at in far_times(text)
        ]
    if kinds is None or _PLACE in kinds:
        found += [
            Expression(start, end, frozenset({(_PLACE, float(at))})) for start, end, at in ordinals(text)
        ]
    if kinds is None or _YEARS in kinds:
        found += [
            Expression(start, end, frozenset({(_YEARS, float(year))})) for start, end, year in far_years(text)
        ]
    return found


def _known(evidence: str, wanted: Iterable[Expression]) -> Mapping[Meaning, list[Word]]:
    """The words of the first expression in the passages of each meaning, of the kinds that are `wanted`."""
    found: dict[Meaning, list[Word]] = {}
    kinds = frozenset(kind for one in wanted for kind, _ in one.meanings)
    for one in _told(evidence, kinds):
        said = words(evidence[one.start : one.end])
        for meaning in one.meanings:
            found.setdefault(meaning, said)
        for kind, day in implied(one.meanings) - one.meanings:
            found.setdefault((kind, day), _without_year(said))
    return found


def _without_year(said: Sequence[Word]) -> list[Word]:
    return [word for word in said if len(word.stem) != _YEAR or not word.numbers]


def _unknown(
    telling: Iterable[tuple[int, str, Iterable[Expression]]], evidence: str
) -> dict[int, list[Expression]]:
    """Of the expressions that the text at each place tells, `_MOST` of an answer, those that the evidence lacks."""
    found: dict[int, list[Expression]] = {}
    room = _MOST if evidence else 0
    for place, text, told in telling if room else ():
        lacking = [one for one in islice(told, room) if not _stands(text[one.start : one.end], evidence)]
        if lacking:
            found[place] = lacking
            room -= len(lacking)
        if not room:
            break
    return found


def _all_restated(
    statements: Sequence[Statement],
    unknown: Mapping[int, Sequence[Expression]],
    known: Mapping[Meaning, list[Word]],
) -> Sequence[Statement]:
    return [
        _restated(one, unknown[place], known) if place in unknown else one
        for place, one in enumerate(statements)
    ]


def _restated(
    statement: Statement, unknown: Sequence[Expression], known: Mapping[Meaning, list[Word]]
) -> Statement:
    sequence, places = list(statement.words), offsets(statement.text)
    for one in unknown:
        said = next((known[meaning] for meaning in sorted(one.meanings, key=str) if meaning in known), None)
        if said:
            _put(sequence, places, one, said)
    return statement._replace(words=tuple(sequence))


def _put(
    sequence: list[Word], places: Sequence[tuple[int, int]], expression: Expression, said: Sequence[Word]
) -> None:
    """Put words of the evidence in place of those of an expression that it has not; `places`: where all words stand."""
    stems = {word.stem for word in said}
    where = overlapping(places, expression.start, expression.end)
    mine = {sequence[place].stem for place in where}
    spare = [word for word in said if word.stem not in mine] or list(said)
    for place in where:
        if sequence[place].stem not in stems:
            sequence[place] = spare[0]
            spare = spare[1:] or spare

"""Swaps: what a sentence says with another unit, scale, sign, month, day or place, or with the opposite word.

A fitted model of shared words cannot see them: all words but one are the same. The tables are `data/opposites.json`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain, pairwise, takewhile
from typing import Literal, TypeVar

from ragvigil.scorer.checks.alignment.alike import mean_the_same
from ragvigil.scorer.checks.alignment.days import (
    another_day,
    another_weekday,
    leaves_room,
    may_tell_another_day,
    tells_a_day,
)
from ragvigil.scorer.checks.alignment.moments import another_moment, may_tell_moments
from ragvigil.scorer.checks.alignment.values import (
    LIMIT_WORDS,
    VALUE_WORDS,
    may_tell_a_part,
    may_tell_signs,
    may_tell_sums,
    not_of_all,
    other_currency,
    other_limit,
    other_part,
    other_sign,
    same_numbers,
    share_numbers,
)
from ragvigil.scorer.checks.alignment.versions import another_version, may_tell_versions
from ragvigil.scorer.checks.reading.clock import TIME_WORDS
from ragvigil.scorer.checks.reading.days_afar import OTHER_MONTHS
from ragvigil.scorer.checks.reading.expressions import OPPOSITES
from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.negation import denies
from ragvigil.scorer.checks.reading.ordinals import ORDINALS, QUARTERS, another_place
from ragvigil.scorer.checks.reading.words import Word, stems_of, words

TimeSwap = Literal["month", "date", "weekday", "moment"]
Swap = TimeSwap | Literal["unit", "scale", "sign", "place", "version", "period", "part", "opposite"]

T = TypeVar("T")
_Table = Sequence[tuple[Set[str], Set[str]]]
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
SCALES = {
    name: power
    for power, names in (
        (3, "thousand tausend mil mille"),
        (6, "million millions milhão milhões millón millones millionen"),
        (9, "billion billions bn bilhão bilhões milliarde milliarden milliard milliards"),
        (12, "trillion trillions"),
    )
    for name in names.split()
}


def _groups(entries: Iterable[str]) -> dict[str, int]:
    return {name: place for place, names in enumerate(entries) for name in names.split()}


UNITS: dict[str, tuple[str, int]] = {
    name: (kind, place)
    for kind, entries in OPPOSITES["units"].items()
    for name, place in _groups(entries).items()
}
_MONTHS = _groups(OPPOSITES["months"])
_WEEKENDS = ("weekend", "weekends", "wochenende", "wochenenden")
_PER = frozenset(OPPOSITES["per"])
_LASTING, _ELAPSING, _ROLES, _APART, _OFTEN = (
    tuple((frozenset[str](one), frozenset[str](other)) for one, other in OPPOSITES[name])
    for name in ("opposites", "elapsing", "roles", "apart", "often")
)
"""Words that exclude each other; those that do unless both sides deny, for what has not come after a week does not
come within one; those that do only where both sides tell the same number, as starts and ends; those that tell of
another thing, of which another number may be so: summer and winter; and how often it is so: 10 monthly, 120 yearly."""
_OPPOSITES = (*_LASTING, *_ELAPSING)
_HOW_OFTEN = frozenset(name.split()[-1] for name in chain.from_iterable(chain.from_iterable(_OFTEN)))
_KINDS = frozenset(OPPOSITES["kinds_of_time"])
"""Which days, weeks or months they are."""
UNIT_STEMS = stems_of(UNITS)
"""Stems of the units, some of which mean nothing elsewhere: m, in."""
_OPPOSITE = frozenset(chain.from_iterable(chain.from_iterable(_OPPOSITES)))
_THROUGH = frozenset(
    ("to", "and", "or", "bis", "und", "oder", "a", "à", "y", "e", "et", "o", "ou", "tot", "do")
)
"""Between two numbers of which the unit behind the second one is that of both."""
_THAN = frozenset(("than", "que", "als"))
_TOLD = stems_of(
    chain(
        *(UNITS, SCALES, _MONTHS, OTHER_MONTHS, LEXICON.days, _WEEKENDS, ORDINALS, QUARTERS),
        *(TIME_WORDS, VALUE_WORDS, _HOW_OFTEN, *chain.from_iterable(_OPPOSITES)),
    )
)
"""Stems of everything in the tables that is not told of one thing alone."""
_ROLE_OF = {
    word.stem: words(one[0])[0].stem
    for one in (tuple(chain.from_iterable(map(sorted, sides))) for sides in _ROLES)
    for name in one
    for word in words(name)
}
"""For the stem of each word that tells what a value is one stem for all that may stand in its place."""
_ROLE_STEMS = frozenset((*_ROLE_OF, *_ROLE_OF.values()))
_HINTS = _TOLD | _ROLE_OF.keys() | stems_of(LIMIT_WORDS)
_ALIKE = 0.65
_PART = re.compile(r"[,;:()\u2013\u2014]\s|\s\(")
"""Between the parts of a sentence, of which one may be much like a claim that says no more."""
_FEWEST_WITHIN = 2


def _forms(sides: Iterable[Sequence[str]]) -> dict[str, str]:
    """For the stem of each form of a verb, and of words that mean the same, the stem of the first of them."""
    found: dict[str, str] = {}
    for entries in (*sides, *(forms.split() for forms in OPPOSITES["forms"])):
        stems = dict.fromkeys(word.stem for entry in entries if " " not in entry for word in words(entry))
        known = next((found[one] for one in stems if one in found), next(iter(stems), ""))
        found |= {one: known for one in stems if one not in found}
    return found


_FORMS = _forms(OPPOSITES["opposites"][0])


def in_one_form(stems: Iterable[str]) -> set[str]:
    """`stems` with one in place of all that are forms of one verb, or say that something goes up, or down.

    >>> in_one_form(["ros", "sal"]) == in_one_form(["ris", "sal"]), in_one_form(["fel"]) == in_one_form(["ros"])
    (True, False)
    """
    return {_FORMS.get(one, one) for one in stems}


def form_of(stem: str) -> str:
    """What stands for `stem` in `in_one_form`."""
    return _FORMS.get(stem, stem)


def may_swap(claim: Sequence[Word], text: str, sentence: str) -> bool:
    """Whether `claim`, the words of `text`, has a word of the tables or a day, or either text a sign: a quick look.

    >>> [may_swap(words(text), text, "It is so.") for text in ("Sales fell.", "It is so.", "It is -3.")]
    [True, False, True]
    """
    if not _HINTS.isdisjoint([word.stem for word in claim]) or tells_a_day(claim):
        return True
    return _is_numbered(text, sentence) or may_tell_moments(text, sentence)


def _is_numbered(text: str, sentence: str) -> bool:
    """Whether a sign or a number may tell what no word of the tables does: a quick look."""
    return (
        may_tell_signs(text, sentence)
        or may_tell_versions(text, sentence)
        or may_tell_a_part(text, sentence)
        or may_tell_sums(text, sentence)
    )


def swapped(claim: Sequence[Word], text: str, sequence: Sequence[Word], sentence: str) -> Swap | None:
    """What `claim`, the words of `text`, says otherwise than `sequence`, those of a `sentence` that is much like it.

    Nothing is compared unless the claim has a word of the tables that the sentence lacks, or either has a sign; of a
    claim that has but a number which the sentence lacks, beside a month or as a date, only the days.
    """
    told = [word.stem for word in claim if word.stem in _HINTS]
    there = {word.stem for word in sequence}
    times_only = there.issuperset(told) and not _is_numbered(text, sentence)
    if times_only and there.issuperset([word.stem for word in claim]):
        return None  # it quotes the sentence
    if times_only and not may_tell_another_day(claim, there) and not may_tell_moments(text, sentence):
        return None
    part = _part_alike(_matter(claim, there), _matter(sequence, {word.stem for word in claim}), sentence)
    if part is None:
        return None
    if not times_only:
        return swap_of(text, part)
    if another_day(text, part):
        return "date"
    return "moment" if another_moment(text, part) else None


def _part_alike(mine: Set[str], theirs: Set[str], sentence: str) -> str | None:
    """What of a `sentence` is much like a claim, `mine` and `theirs` being what matters of both."""
    if not _much_alike(mine, theirs):
        if len(mine) < _FEWEST_WITHIN or not mine <= theirs:
            return None
        parts = [part for part in _PART.split(sentence) if _much_alike(mine, _matter(words(part), mine))]
        return parts[0] if len(parts) == 1 else None
    if len(mine) >= _FEWEST_WITHIN and mine < theirs:
        parts = [part for part in _PART.split(sentence) if _matter(words(part), mine) == mine]
        return parts[0] if len(parts) == 1 else sentence
    return sentence


def _much_alike(mine: Set[str], theirs: Set[str]) -> bool:
    shared = len(mine & theirs)
    return shared > 0 and shared >= _ALIKE * len(mine | theirs)


def may_be_swapped(said: Set[str], there: Set[str]) -> bool:
    """Whether a claim and a sentence with these meaningful stems can be much alike: what few of them are.

    >>> may_be_swapped({"sal", "fel"}, {"sal", "ros", "12"}), may_be_swapped({"rain", "fel"}, {"sal", "ros"})
    (True, False)
    """
    mine = said - _TOLD
    if _ROLE_STEMS.isdisjoint(mine):  # as mostly
        shared = len(mine & there)
    else:
        mine = {_ROLE_OF.get(one, one) for one in mine}
        shared = len(mine & {_ROLE_OF.get(one, one) for one in there})
    return shared > 0 and shared >= _ALIKE * len(mine)


def _matter(sequence: Sequence[Word], others: Set[str]) -> set[str]:
    """The meaningful stems that are no numbers, and in no table unless the others have them, too."""
    return {
        _ROLE_OF.get(word.stem, word.stem)
        for word in sequence
        if word.content and not word.numbers and (word.stem not in _TOLD or word.stem in others)
    }


def swap_of(claim: str, sentence: str) -> Swap | None:
    """What `claim` says otherwise than a `sentence` that is nearly the same; None where nothing of the kind differs.

    >>> swap_of("It lasts 24 years.", "It lasts 24 months."), swap_of("Sales fell 12%.", "Sales rose 12%.")
    ('unit', 'opposite')
    """
    mine, theirs = parts_of(claim), parts_of(sentence)
    if _differ(counted(mine, UNITS), counted(theirs, UNITS)):
        return "unit"
    if _differ(counted(mine, SCALES), counted(theirs, SCALES)):
        return "scale"
    if other_sign(claim, sentence):
        return "sign"
    if another_version(claim, sentence):
        return "version"
    if time := _another_time(claim, sentence, mine, theirs):
        return None if _opposite(mine, theirs) else time  # closed on Sunday leaves room for open on Saturday
    if another_place(claim, sentence):
        return None if _opposite(mine, theirs) else "place"
    if _alone_and_other(_periods(mine), _periods(theirs)) and not mean_the_same(claim, sentence):
        return "period"
    if other_part(claim, sentence):
        return "part"
    if other_currency(claim, sentence):
        return "unit"
    return "opposite" if _is_the_opposite(claim, sentence, mine, theirs) else None


def _is_the_opposite(claim: str, sentence: str, mine: list[str], theirs: list[str]) -> bool:
    """Whether `claim`, of the parts `mine`, has the opposite word or bound of `sentence`, of the parts `theirs`."""
    if _opposite(mine, theirs) and (
        _opposite(mine, theirs, _LASTING)
        or not (all(denies(words(text)) for text in (claim, sentence)) or mean_the_same(claim, sentence))
    ):
        return True
    if other_limit(claim, sentence) or not_of_all(claim, sentence):
        return True
    if not _HOW_OFTEN.isdisjoint(mine) and share_numbers(claim, sentence) and _opposite(mine, theirs, _OFTEN):
        return True
    return same_numbers(claim, sentence) and _opposite(mine, theirs, _ROLES)


def _another_time(claim: str, sentence: str, mine: list[str], theirs: list[str]) -> TimeSwap | None:
    """Which time `claim`, of the parts `mine`, tells otherwise than `sentence`, of the parts `theirs`."""
    others = _alone_and_other(_months(mine), _months(theirs))
    if others and not leaves_room(claim, sentence) and share_numbers(claim, sentence):
        return "month"
    if another_day(claim, sentence):
        return "date"
    weekday, moment = another_weekday(claim, sentence), another_moment(claim, sentence)
    if weekday and moment:
        return None  # at ten on Monday, at eleven on Sunday
    return "weekday" if weekday else "moment" if moment else None


def of_another(claim: str, sentence: str) -> bool:
    """Whether they tell other numbers, each of another thing: when it starts and when it ends, or of summer and winter.

    >>> of_another("It opens at 9 in summer.", "It opens at 10 in winter."), of_another("It opens at 9.", "At 10.")
    (True, False)
    """
    mine, theirs = parts_of(claim), parts_of(sentence)
    return not same_numbers(claim, sentence) and (
        _opposite(mine, theirs, _ROLES) or _opposite(mine, theirs, _APART)
    )


def opposed(claim: str, sentence: str) -> bool:
    """Whether one side has a word of one kind and the other side one of the opposite: open and closed."""
    return _opposite(parts_of(claim), parts_of(sentence))


def parts_of(text: str) -> list[str]:
    """The words and numbers of `text` in small letters.

    >>> parts_of("20 working days: 1.5%"), counted(parts_of("20 working days"), UNITS)
    (['20', 'working', 'days', '1.5'], {'20': {('time', 3)}})
    """
    return [part.casefold() for part in _TOKEN.findall(text)]


def counted(parts: list[str], names: Mapping[str, T]) -> dict[str, set[T]]:
    """For each number what it counts, of `names`, of which words like *working* may stand before.

    >>> counted(parts_of("30 to 45 seconds"), UNITS)
    {'45': {('time', 0)}, '30': {('time', 0)}}
    """
    found: dict[str, set[T]] = {}
    if names.keys().isdisjoint(parts):
        return found  # as mostly
    for one, after, last in zip(parts, parts[1:], [*parts[2:], ""], strict=False):
        if after in _KINDS:
            after, last = last, ""
        if one[0].isdigit() and after in names and not (after in SCALES and last in SCALES):
            found.setdefault(one, set()).add(names[after])
    for one, joint, other in zip(parts, parts[1:], parts[2:], strict=False):
        if joint in _THROUGH and one[0].isdigit() and one not in found and other in found:
            found[one] = found[other]
    return found


def _differ(mine: Mapping[str, set[T]], theirs: Mapping[str, set[T]]) -> bool:
    """Whether a number that both have never stands for the same."""
    return any(one in theirs and what.isdisjoint(theirs[one]) for one, what in mine.items())


def _months(parts: list[str]) -> list[int]:
    return [_MONTHS[one] for one in parts if one in _MONTHS]


def _periods(parts: list[str]) -> list[int]:
    times = [UNITS[after] for one, after in pairwise(parts) if one in _PER and after in UNITS]
    return [place for kind, place in times if kind == "time"]


def _alone_and_other(mine: list[int], theirs: list[int]) -> bool:
    """Whether each side names exactly one, and not the same."""
    return len(mine) == 1 and len(theirs) == 1 and mine != theirs


def _opposite(mine: list[str], theirs: list[str], table: _Table = _OPPOSITES) -> bool:
    """Whether one side has a word of one kind and the other side one of the opposite, and neither has both."""
    if not _of_the_same(mine, theirs):
        return False
    said = _phrases(mine)
    if table is _OPPOSITES and _OPPOSITE.isdisjoint(said):
        return False  # as mostly
    told = [sides for sides in table if sides[0].isdisjoint(said) != sides[1].isdisjoint(said)]
    if not told:
        return False  # as mostly
    there = _phrases(theirs)
    return any(
        one.isdisjoint(there) != one.isdisjoint(said) and other.isdisjoint(there) != other.isdisjoint(said)
        for one, other in told
    )


def _of_the_same(mine: list[str], theirs: list[str]) -> bool:
    """Whether both compare the same thing; B is slower than A says what A is faster than B says."""
    if not (_THAN.intersection(mine) and _THAN.intersection(theirs)):
        return True
    one, other = ({*takewhile(lambda part: part not in _THAN, parts)} for parts in (mine, theirs))
    return _OPPOSITE.issuperset(one ^ other)


def _phrases(parts: list[str]) -> set[str]:
    pairs = [f"{one} {after}" for one, after in pairwise(parts)]
    triples = [f"{one} {after}" for one, after in zip(pairs, parts[2:], strict=False)]
    return {*parts, *pairs, *triples}

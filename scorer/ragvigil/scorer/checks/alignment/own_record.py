"""Own record: a value of one record that another one lacks, as the parcel of another order, or has otherwise."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.flags import Flag
from ragvigil.scorer.checks.reading.stretches import Stretch
from ragvigil.scorer.checks.reading.words import Word, words

_MOST_RECORDS, _MOST_NAMED = 20, 50
_FEWEST_DIGITS = 3
"""Of a number that tells which record is meant: few digits also count things."""
_SEVERAL = frozenset(
    word.stem
    for word in words(
        "both all every each any other others another same too also beide beiden alle allen jede jeder jedes andere "
        "anderen anderer auch ambos ambas todos todas cada otro otra otros otras también outro outra outros outras "
        "também tous toutes chaque autre autres aussi entrambi entrambe tutti tutte ogni altro altra altri altre anche "
        "elke ander andere ook oba obie wszystkie każdy każda inny inna inne też także"
    )
)
"""Words that speak of other records as well."""
_NUMBER = frozenset(
    word.stem
    for word in words("number code id nummer kennung número código numéro code numero codice numer kod")
)
"""Words that claims put behind the name of a value."""


def told_by_its_record(
    flag: Flag, claim: Sequence[Word], question: Collection[str], evidence: Evidence
) -> bool:
    """Whether `claim` tells what `flag` misses as the record has it that claim and question are about.

    It must give that record's value under the same name, word for word; `question` holds the stems of what was asked.
    Both together must name what only that record has, and nothing of another record that it has not: what is said of
    no order in particular, or of the order without a parcel, stays in doubt.

    >>> from ragvigil.scorer.trace import Document
    >>> told = ('{"name": "Ann", "parcel": "JD1"}', '{"name": "Bob", "parcel": null}')
    >>> orders = Evidence([Document(str(rank), text) for rank, text in enumerate(told)])
    >>> [told_by_its_record(orders.flags[0], words("Parcel JD1."), who, orders) for who in (("ann",), ("bob",), ())]
    [True, False, False]
    """
    if flag.place is None:
        return False
    missing = evidence.values[flag.place]
    told = evidence.told_once[missing.path[-1]]
    if missing.passage not in told or not 1 < len(told) <= _MOST_RECORDS:
        return False
    said = [word.stem for word in claim]
    if not _SEVERAL.isdisjoint(said):
        return False
    return any(
        one.absent is None and _is_meant(one, claim, said, question, evidence) for one in told.values()
    )


def is_of_another_record(claim: Sequence[Word], evidence: Evidence) -> bool:
    """Whether `claim` names one record of several by its name and tells a number that only other ones hold.

    >>> from ragvigil.scorer.trace import Document
    >>> records = ('{"name": "Aria S", "seats": 5, "range": 395}', '{"name": "Aria L", "seats": 5, "range": 520}')
    >>> cars = Evidence([Document(str(place), text) for place, text in enumerate(records)])
    >>> [is_of_another_record(words(f"The Aria S has {told}."), cars) for told in ("520 km", "395 km", "5 seats")]
    [True, False, False]
    """
    numbered = [word for word in claim if word.numbers]
    if not numbered or not 1 < len(evidence.record_names) <= _MOST_NAMED:
        return False  # as mostly
    said = {word.stem for word in claim}
    named = {passage for passage, stems in evidence.record_names.items() if stems <= said}
    most = max((evidence.record_names[one] for one in named), key=len, default=frozenset[str]())
    if not named or any(not evidence.record_names[one] <= most for one in named):
        return False
    own = {one for one in named if evidence.record_names[one] == most}
    return any(
        (held := set(evidence.passages_of(word.stem)))
        and held.isdisjoint(own)
        and held <= evidence.record_names.keys()
        for word in numbered
        if word.stem not in most
    )


def _is_meant(
    told: Stretch, claim: Sequence[Word], said: Sequence[str], question: Collection[str], evidence: Evidence
) -> bool:
    """Whether `claim`, of the stems `said`, gives the value `told`, and its record is the one that is spoken of."""
    value = [word.stem for word in words(str(told.value))]
    if not _holds(said, value):
        return False
    records, own = evidence.records_of, told.passage
    content = {word.stem for word in claim if word.content}
    if not all(own in records[stem] for stem in content.union(question) if stem in records):
        return False
    if _telling(content.union(question), own, evidence) <= set(value):
        return False
    of_its_own = [stem for stem in content if stem not in question and stem not in _NUMBER]
    of_its_own += [word.stem for word in claim[1:] if word.numbers or word.name]
    return all(own in records.get(stem, ()) for stem in of_its_own)


def _telling(stems: Iterable[str], own: int, evidence: Evidence) -> set[str]:
    """Those of `stems` by which the record of the passage `own` alone is called, and which no other one has."""
    only = frozenset((own,))
    return {
        stem
        for stem in stems
        if evidence.records_of.get(stem) == only == evidence.called.get(stem)
        and not (stem.isdecimal() and len(stem) < _FEWEST_DIGITS)
    }


def _holds(sequence: Sequence[str], part: Sequence[str]) -> bool:
    size = len(part)
    return size > 0 and any(
        sequence[place : place + size] == part for place in range(len(sequence) - size + 1)
    )

"""Questions of production as rows of a test set, drawn with known probabilities."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import NamedTuple

from ragvigil.scorer.sample import allocate, fraction
from ragvigil.scorer.testset.alike import Known, plain
from ragvigil.scorer.testset.row import LANGUAGE, AnswerType, Row, answer_type_named

_DOMAIN = b"ragvigil:testset:v2\0"
"""Another hash than the one that says who is judged: judged questions are no likelier than others."""
_SCALES = 12
"""Halvings of the hash at which sets are looked at: a draw of one in four thousand is told from chance."""
MARK = "production"
"""The tag of a row that people asked."""


class Question(NamedTuple):
    """One question of the traffic, redacted as the store keeps it."""

    trace_id: str
    span_id: str
    query: str
    segment: Mapping[str, str]
    upstream: float
    """Probability in (0, 1] with which the sender kept its trace."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Rows that were drawn, and what became of the other questions."""

    rows: tuple[Row, ...]
    asked: int
    """Questions of the traffic."""
    repeated: int
    """Of these, those whose words were asked before."""
    known: int
    """Different questions that other sets hold already, in the same words or in others, or that were asked earlier."""
    alike: tuple[tuple[str, str], ...]
    """(left out, kept): drawn questions that ask in other words what one before them asks."""


@dataclass(slots=True)
class _Unit:
    """One question, however often it was asked."""

    first: Question
    times: int = 0
    stands_for: float = 0.0
    """Questions of the traffic before the sender's sampling."""


def drawn(
    questions: Sequence[Question],
    size: int,
    by: Sequence[str],
    *,
    without: Iterable[tuple[str, str]] = (),
    earlier: Iterable[str] = (),
    tags: tuple[str, ...] = (MARK,),
) -> Drawn:
    """About `size` different questions, in their order; of each segment that `by` tells apart by its root.

    What was asked more than once is drawn once, and whether is a hash of its words: the same questions each time,
    whoever asks them, and those of a smaller draw are in a larger one. `without` are (name, text) of questions that
    other sets hold: those are left out, and so is what asks the same in other words (`alike`), and where sets were
    drawn here the rest is drawn by the first hash that none of them was drawn by: the same one after a row of them was
    changed, but for the rare row that tips it. Of `earlier` questions only what has their words is left out. The
    inverse of `inclusion` is how many questions of the traffic a row stands for.

    >>> asked = [Question(f"{n:032x}", "1", f"Why {n % 500}?", {"language": "en"}, 0.5) for n in range(1000)]
    >>> found = drawn(asked, 100, ["language"])
    >>> len(found.rows), found.repeated, found.rows[0].asked, found.rows[0].inclusion
    (101, 500, 2, 0.05)
    """
    others = list(without)
    held = Known(others)
    units: dict[str, _Unit] = {}
    for one in questions:
        unit = units.setdefault(plain(one.query), _Unit(one))
        unit.times += 1
        unit.stands_for += 1.0 / one.upstream
    before = frozenset(map(plain, earlier))
    fresh = [unit for key, unit in units.items() if key not in before and held.same(key) is None]
    rows: list[Row] = []
    seen, alike = Known(), list[tuple[str, str]]()
    known = len(units) - len(fresh)
    for unit, chance in _chosen(fresh, size, by, _domain(others)):
        if held.alike(unit.first.query) is not None:
            known += 1
            continue
        row = _row(unit, chance, tags)
        twin = seen.alike(row.query)
        if twin is None:
            seen.add(str(len(rows)), row.query)
            rows.append(row)
        else:
            alike.append((row.query, rows[int(twin)].query))
            rows[int(twin)] = _with(rows[int(twin)], row)
    return Drawn(tuple(rows), len(questions), len(questions) - len(units), known, tuple(alike))


def _domain(others: Sequence[tuple[str, str]]) -> bytes:
    """What the hash begins with: the first one by which the others were not drawn, for they took its lowest.

    By how they lie, not by which they are: a row more or less leaves it the same, and so does a set written by hand.
    """
    texts = {plain(text) for _, text in others}
    domains = chain([_DOMAIN], (_DOMAIN + b"%d\0" % number for number in count(1)))
    return next(one for one in domains if not _drawn_by([fraction(text, one) for text in texts]))


def _drawn_by(places: Sequence[float]) -> bool:
    """Whether more of them lie low, or fewer high, than chance explains: at each scale, for sets are of any size."""
    for halvings in range(1, _SCALES + 1):
        share = 0.5**halvings
        usual = share * len(places)
        slack = 3.0 * usual**0.5 + 3.0
        low, high = sum(one < share for one in places), sum(one >= 1.0 - share for one in places)
        if low > usual + slack or high < usual - slack:
            return True
    return False


def _chosen(
    units: Sequence[_Unit], size: int, by: Sequence[str], domain: bytes
) -> Iterator[tuple[_Unit, float]]:
    """Those that are drawn, each with the chance that it was."""
    if not units:
        return
    strata = [tuple(one.first.segment.get(name, "") for name in by) for one in units]
    counts = Counter(strata)
    chances = allocate(list(counts.values()), budget=min(1.0, size / len(units)), floor=0.0)
    chance = dict(zip(counts, map(float, chances), strict=True))
    for one, stratum in zip(units, strata, strict=True):
        if fraction(plain(one.first.query), domain) < chance[stratum]:
            yield one, chance[stratum]


def _with(row: Row, twin: Row) -> Row:
    """The row, standing for what its twin stood for too."""
    stands_for = 1.0 / (row.inclusion or 1.0) + 1.0 / (twin.inclusion or 1.0)
    return row.model_copy(update={"inclusion": 1.0 / stands_for, "asked": row.asked + twin.asked})


def _row(unit: _Unit, chance: float, tags: tuple[str, ...]) -> Row:
    one = unit.first
    language = one.segment.get("language", "")
    return Row(
        query_id=f"{one.trace_id}-{one.span_id}",
        query=one.query,
        answer_type=_answer_type(one.segment.get("answer_type", "")),
        language=language if re.fullmatch(LANGUAGE, language) else None,
        tags=tags,
        trace_id=one.trace_id,
        inclusion=chance / unit.stands_for,
        asked=unit.times,
    )


def _answer_type(name: str) -> AnswerType | None:
    """The type that the service names; that there is no answer is for people to say."""
    found = answer_type_named(name)
    return None if found == "no_answer" else found

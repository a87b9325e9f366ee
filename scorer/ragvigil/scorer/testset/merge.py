"""One test set of what several annotators wrote about the same questions, and how far they agreed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.estimate import Estimate, Refusal, krippendorff_alpha
from ragvigil.scorer.estimate.figure import Figure, mean
from ragvigil.scorer.offline.synth import carries
from ragvigil.scorer.testset.alike import plain
from ragvigil.scorer.testset.lint import kind_of
from ragvigil.scorer.testset.read import Testset
from ragvigil.scorer.testset.row import Row

_VALUES = ("expected_refusal", "answer_type", "language", "intent", "hops", "golden_answer")
"""Fields of which one value can stand."""
_SETS = ("golden_context_ids", "required_facts", "forbidden_claims", "tags", "nuggets")
"""Fields of which each part stands for itself."""
_CODED: Mapping[str, Callable[[Row], str]] = {
    "expected_refusal": lambda row: str(row.expected_refusal),
    "answer_type": lambda row: row.answer_type or "",
    "kind": lambda row: kind_of(row) or "",
}


@dataclass(frozen=True, slots=True)
class Disputed:
    """A row that nobody settled."""

    query_id: str
    why: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far annotators agree on one field."""

    field: str
    method: str
    """Krippendorff's alpha of what has few values; else the share that two of them have in common, of 0 to 1."""
    found: Estimate | Figure | Refusal


@dataclass(frozen=True, slots=True)
class Merged:
    """The rows on which there is one opinion."""

    rows: tuple[Row, ...]
    disputed: tuple[Disputed, ...]
    settled: int
    """Rows that the adjudicator decided."""
    drafts: tuple[Row, ...]
    """The disputed rows, as the first annotator has them."""
    agreement: tuple[Agreement, ...]


def merged(sets: Sequence[Testset], adjudicated: Testset | None = None) -> Merged:
    """What most annotators say of each question, field by field; the adjudicator's row stands as it is.

    Of a value that nobody else gave, and of a question that only one of several has, there is no majority: the row is
    disputed. Of lists each part stands that more than half have. Golden answers agree where each carries the other, by
    the built-in judge. Raises InputError for one id with two questions.
    """
    said: dict[str, list[Row]] = {}
    for one in sets:
        for row in one.rows:
            said.setdefault(row.query_id, []).append(row)
    final = {} if adjudicated is None else {row.query_id: row for row in adjudicated.rows}
    _refuse_other_questions(said, final)
    rows: list[Row] = []
    disputed: list[Disputed] = []
    for name, given in said.items():
        found = final[name] if name in final else _settled(given)
        if isinstance(found, Row):
            rows.append(found)
        else:
            disputed.append(Disputed(name, found))
    return Merged(
        tuple(rows),
        tuple(disputed),
        sum(name in final for name in said),
        tuple(said[one.query_id][0] for one in disputed),
        tuple(_agreement([given for given in said.values() if len(given) > 1])),
    )


def _refuse_other_questions(said: Mapping[str, Sequence[Row]], final: Mapping[str, Row]) -> None:
    strange = next((name for name in final if name not in said), None)
    if strange is not None:
        raise InputError(
            f"row {strange}", "is adjudicated, and no annotator has it; give it the query_id of theirs"
        )
    for name, given in said.items():
        asked = {plain(row.query) for row in (*given, *([final[name]] if name in final else []))}
        if len(asked) > 1:
            raise InputError(
                f"row {name}", "has two questions under one query_id; annotators change no question"
            )


def _settled(given: Sequence[Row]) -> Row | str:
    """The row of a majority, or the fields on which there is none."""
    if len(given) == 1:
        return "only one annotator has it"
    told: dict[str, object] = {}
    open_ones: list[str] = []
    for field in _VALUES:
        same = _same_answer if field == "golden_answer" else _same
        votes = [getattr(row, field) for row in given]
        agreeing = [sum(same(one, other) for other in votes) for one in votes]
        most = max(agreeing)
        if most * 2 <= len(given):
            open_ones.append(field)
        told[field] = votes[agreeing.index(most)]
    for field in _SETS:
        parts = Counter(part for row in given for part in dict.fromkeys(getattr(row, field)))
        told[field] = tuple(part for part, count in parts.items() if count * 2 > len(given))
        if parts and not told[field] and field == "golden_context_ids":
            open_ones.append(field)
    if open_ones:
        return f"no majority for {', '.join(open_ones)}"
    return given[0].model_copy(update=told)


def _same(one: object, other: object) -> bool:
    return one == other


def _same_answer(one: str | None, other: str | None) -> bool:
    if one is None or other is None:
        return one is other
    return plain(one) == plain(other) or (carries(one, other) and carries(other, one))


def _agreement(given: Sequence[Sequence[Row]]) -> list[Agreement]:
    most = max(map(len, given), default=0)
    found: list[Agreement] = []
    for field, code in _CODED.items():
        told = [[code(row) for row in rows] for rows in given]
        names = sorted({one for rows in told for one in rows})
        labels = [[names.index(one) for one in rows] + [-1] * (most - len(rows)) for rows in told]
        if labels:
            alpha = krippendorff_alpha(labels, kinds=max(2, len(names)))
            found.append(Agreement(field, "Krippendorff's alpha", alpha))
    for field, common in (("golden_context_ids", _common_ids), ("golden_answer", _common_answer)):
        shares = np.array([_pairwise(rows, common) for rows in given], dtype=np.float64)
        found.append(
            Agreement(
                field, "share in common, by pair", mean(field, shares, np.arange(len(shares), dtype=np.int64))
            )
        )
    return found


def _pairwise(rows: Sequence[Row], common: Callable[[Row, Row], float]) -> float:
    pairs = [common(one, other) for one, other in combinations(rows, 2)]
    return sum(pairs) / len(pairs)


def _common_ids(one: Row, other: Row) -> float:
    """Jaccard's index; two that name none agree."""
    first, second = set(one.golden_context_ids), set(other.golden_context_ids)
    return len(first & second) / len(first | second) if first | second else 1.0


def _common_answer(one: Row, other: Row) -> float:
    return float(_same_answer(one.golden_answer, other.golden_answer))

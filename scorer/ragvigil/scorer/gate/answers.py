"""The answers that a gate looks at, each with what its test set knows of the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.offline.rows import called, naming, record_of, row_id, rows_in, unread
from ragvigil.scorer.testset.read import Testset
from ragvigil.scorer.testset.row import Row
from ragvigil.scorer.trace import RagTrace

_DIMENSIONS = ("language", "answer_type", "intent")


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer."""

    id: str
    item: Mapping[str, object]
    """As `evaluate` takes it."""
    record: RagTrace
    dimensions: Mapping[str, str]
    """By which segments are told apart: language, answer_type and intent, as the test set has them where there is one,
    and what the row's `segment` says."""
    tags: tuple[str, ...]
    expected_refusal: bool | None
    """None where nobody said."""


@dataclass(frozen=True, slots=True)
class Answers:
    """All answers of one version of the service."""

    all: tuple[Answered, ...]
    unanswered: tuple[str, ...] = ()
    """Questions without an answer: none is there, or a blank one."""


def read_answers(path: Path, testset: Testset | None) -> Answers:
    """The answers of a file of rows {id, query, evidence, answer}; with a test set, id is a query_id of it.

    Raises InputError that names file, line, field and fix: for a row that cannot be read, an id that is there twice,
    and an answer to a question that the test set does not ask.
    """
    known = None if testset is None else {row.query_id: row for row in testset.rows}
    found: dict[str, Answered] = {}
    for number, told in rows_in(path):
        place = f"{called(path)}, line {number}"
        with naming(path):
            name = str(row_id({"id": told.get("query_id"), **told}, number))
        if name in found:
            raise InputError(f"{place}, id", f"answers {name[:60]!r} a second time; leave one out")
        row = None
        if known is not None:
            row = known.get(name)
            if row is None:
                raise InputError(
                    f"{place}, id", f"the test set has no question {name[:60]!r}; give its query_id as id"
                )
        found[name] = _answered(name, told, row, number, path)
    if not found:
        raise InputError(called(path), "holds no answer; put one JSON object on each line")
    blank = {name for name, one in found.items() if not (one.record.answer or "").strip()}
    lacking = [name for name in (found if known is None else known) if name not in found or name in blank]
    return Answers(tuple(found.values()), tuple(lacking))


def same_question(one: str | None, other: str | None) -> bool:
    """Whether it is one question, however it is spaced.

    >>> same_question("When? ", "When?"), same_question("When?", None)
    (True, False)
    """
    return (one or "").split() == (other or "").split()


def _answered(name: str, told: Mapping[str, object], row: Row | None, number: int, path: Path) -> Answered:
    place = f"{called(path)}, line {number}"
    item = dict(told) | {"id": name}
    with naming(path):
        record = record_of(item, number)
    if row is not None:
        if record.query is None:
            item["query"] = row.query
        elif not same_question(record.query, row.query):
            raise InputError(
                f"{place}, query", f"is not the question {name[:60]!r} of the test set; ask that one"
            )
        item |= _known(row)
    source = item if row is None else row.model_dump()
    own = {key: str(source[key]) for key in _DIMENSIONS if source.get(key)}
    dimensions = own | dict(record.segment) if row is None else dict(record.segment) | own
    item["segment"] = dimensions
    tags = source.get("tags")
    refusal = source.get("expected_refusal")
    if refusal is not None and not isinstance(refusal, bool):
        raise InputError(f"{place}, expected_refusal", "must be true or false")
    try:
        unread([item])
    except InputError as error:
        raise InputError(place, error.problem) from None
    with naming(path):
        record = record_of(item, number)
    return Answered(name, item, record, dimensions, _tags(tags), refusal)


def _known(row: Row) -> dict[str, object]:
    """What the test set says of the right answer, as `evaluate` reads it."""
    told: dict[str, object] = {
        "tags": list(row.tags),
        "required_facts": [one.fact for one in row.required_facts if one.importance == "required"],
        "forbidden_claims": list(row.forbidden_claims),
    }
    return told | ({"golden_answer": row.golden_answer} if row.golden_answer else {})


def _tags(value: object) -> tuple[str, ...]:
    return tuple(map(str, cast("Sequence[object]", value))) if isinstance(value, list | tuple) else ()

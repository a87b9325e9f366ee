"""What people read of answers: the latest ones of a choice, and everything that is known of one."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ragvigil.scorer.failure_tags import JUDGED, TAGS
from ragvigil.scorer.store._rows import record_of
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import Claim, Verdict

if TYPE_CHECKING:
    from pydantic import TypeAdapter

MOST_SEARCHED = 50_000
"""Answers that one look goes back, so that a rare choice in a large store ends too."""
_BEGINNING = 300
_TAGGED = f"('failure_tags', '{JUDGED}')"
_CHOSEN = (
    "SELECT r.id, r.trace_id, r.span_id, r.service, r.environment, r.started_at, substr(r.query, 1, ?) AS query, "
    "substr(r.answer, 1, ?) AS answer, r.error, l.state, v.state AS verdict, v.faithfulness, v.passed "
    "FROM (SELECT id FROM records WHERE (started_at, id) < (?, ?) ORDER BY started_at DESC, id DESC LIMIT ?) s "
    "CROSS JOIN records r ON r.id = s.id CROSS JOIN ledger l USING (trace_id, span_id) "
    "LEFT JOIN verdicts v ON v.record_id = r.id AND v.current"
)
_OF_TAG = (
    "EXISTS (SELECT 1 FROM scores t JOIN instruments i ON i.id = t.instrument_id WHERE t.record_id = r.id "
    f"AND t.current AND i.name IN {_TAGGED} AND json_extract(t.details, ?) IS NOT NULL)"
)
_ONE = (
    "SELECT r.*, t.spans, l.state, l.reason AS ledger_reason, l.inclusion, l.stratum, count(*) OVER () AS in_all "
    "FROM records r "
    "LEFT JOIN traces t USING (trace_id) JOIN ledger l USING (trace_id, span_id) "
    "WHERE trace_id = ? AND (? IS NULL OR span_id = ?) ORDER BY r.started_at, r.id LIMIT ?"
)
_SCORES = (
    "SELECT i.name, i.check_version, i.judge_version, s.value, s.reason FROM scores s "
    "JOIN instruments i ON i.id = s.instrument_id WHERE s.record_id = ? AND s.current ORDER BY i.id"
)
_VERDICT = (
    "SELECT i.name, i.judge_version, i.prompt_digest, v.* FROM verdicts v "
    "JOIN instruments i ON i.id = v.instrument_id WHERE v.record_id = ? AND v.current"
)


class Place(NamedTuple):
    """Where an answer stands in the order of all: by when it began, then by when it came."""

    started_at: int
    """Unix nanoseconds."""
    id: int


_LAST = Place(2**63 - 1, 2**63 - 1)


@dataclass(frozen=True, slots=True)
class Choice:
    """Which answers; None or False takes all, and "" as environment those that name none."""

    service: str | None = None
    environment: str | None = None
    verdict: str | None = None
    """State of the verdict, such as ``contradicted``."""
    failing: bool = False
    """Those that the judge did not pass."""
    tag: str | None = None
    """A failure tag. ValueError for one that is none."""
    before: Place | None = None
    """Those that come before that place in the order of all."""

    def __post_init__(self) -> None:
        if self.tag is not None and self.tag not in TAGS:
            raise ValueError(f"there is no failure tag {self.tag!r}")


@dataclass(frozen=True, slots=True)
class Listed:
    """One answer in a list: its beginning."""

    trace_id: str
    span_id: str
    service: str
    environment: str | None
    started_at: int
    query: str | None
    answer: str | None
    error: str | None
    state: str
    """In the ledger."""
    verdict: str | None
    faithfulness: float | None
    passed: bool | None


@dataclass(frozen=True, slots=True)
class Found:
    """Answers, newest first, and how far back the look went."""

    answers: Sequence[Listed]
    further: Place | None
    """Where to go on looking; None where the oldest of all was looked at."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One score of a record."""

    name: str
    version: str
    by_judge: bool
    value: float | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Known:
    """Everything that is known of one answer."""

    record: RagTrace
    content: bool
    """Whether question, answer and passages are still kept."""
    state: str
    """In the ledger."""
    reason: str | None
    inclusion: float
    """Probability with which it was to be judged."""
    stratum: str | None
    verdict: Verdict | None
    scores: Sequence[Scored]


def latest(connection: sqlite3.Connection, choice: Choice, limit: int) -> Found:
    """The newest answers of the choice, at most `limit`, of the newest MOST_SEARCHED before `choice.before`."""
    where, values = _conditions(choice)
    before = choice.before or _LAST
    rows = connection.execute(
        f"{_CHOSEN}{where} ORDER BY r.started_at DESC, r.id DESC LIMIT ?",
        (_BEGINNING, _BEGINNING, *before, MOST_SEARCHED, *values, limit),
    ).fetchall()
    if len(rows) == limit:
        further: Place | None = Place(rows[-1]["started_at"], rows[-1]["id"])
    else:
        further = _last_searched(connection, before)
    return Found([_listed(row) for row in rows], further)


def known(
    connection: sqlite3.Connection, trace_id: str, span_id: str | None, limit: int
) -> tuple[Sequence[Known], int]:
    """The records of that trace (or the one of that span), `limit` at most, and how many there are."""
    rows = connection.execute(_ONE, (trace_id, span_id, span_id, limit)).fetchall()
    return [_known(connection, row) for row in rows], rows[0]["in_all"] if rows else 0


def places(connection: sqlite3.Connection) -> Sequence[tuple[str, str | None]]:
    """Service and environment of what is watched, in order of their names."""
    rows = connection.execute("SELECT DISTINCT service, environment FROM series ORDER BY 1, 2")
    return [(row[0], row[1] or None) for row in rows]


def _conditions(choice: Choice) -> tuple[str, list[object]]:
    wanted: Mapping[str, object | None] = {
        "r.service = ?": choice.service,
        "r.environment = ?": choice.environment,
        "v.state = ?": choice.verdict,
        "v.passed = ?": 0 if choice.failing else None,
        _OF_TAG: None if choice.tag is None else f"$.{choice.tag}",
    }
    asked = {condition: value for condition, value in wanted.items() if value is not None}
    return (" WHERE " + " AND ".join(asked) if asked else ""), list(asked.values())


def _last_searched(connection: sqlite3.Connection, before: Place) -> Place | None:
    row = connection.execute(
        "SELECT started_at, id FROM records WHERE (started_at, id) < (?, ?) "
        "ORDER BY started_at DESC, id DESC LIMIT 1 OFFSET ?",
        (*before, MOST_SEARCHED - 1),
    ).fetchone()
    return None if row is None else Place(*row)


def _listed(row: sqlite3.Row) -> Listed:
    return Listed(
        row["trace_id"],
        row["span_id"],
        row["service"],
        row["environment"] or None,
        row["started_at"],
        row["query"],
        row["answer"],
        row["error"],
        row["state"],
        row["verdict"],
        row["faithfulness"],
        None if row["passed"] is None else bool(row["passed"]),
    )


def _known(connection: sqlite3.Connection, row: sqlite3.Row) -> Known:
    content = row["spans"] is not None and row["evidence"] is not None
    columns: dict[str, Any] = dict(row)
    if not content:  # passages point into the spans, which go with the content
        columns["evidence"] = None
    record = record_of(columns)
    return Known(
        record,
        content,
        row["state"],
        row["ledger_reason"],
        row["inclusion"],
        row["stratum"],
        _verdict(connection, row["id"]),
        [
            Scored(score[0], score[1], bool(score[2]), score[3], score[4])
            for score in connection.execute(_SCORES, (row["id"],))
        ],
    )


def _verdict(connection: sqlite3.Connection, record_id: int) -> Verdict | None:
    row = connection.execute(_VERDICT, (record_id,)).fetchone()
    if row is None:
        return None
    return Verdict(
        row["name"],
        row["judge_version"],
        row["prompt_digest"],
        row["state"],
        row["support"],
        row["faithfulness"],
        _claims().validate_json(row["claims"]),
        row["reason"],
        json.loads(row["details"]),
    )


@cache
def _claims() -> TypeAdapter[tuple[Claim, ...]]:
    from pydantic import TypeAdapter

    return TypeAdapter(tuple[Claim, ...])

"""What a report reads of a store that another process writes: answers of a stretch with scores and verdicts."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from ragvigil.scorer.sample import fraction
from ragvigil.scorer.store._sqlite_seen import NO_VERDICT
from ragvigil.scorer.verdict import State
from ragvigil.scorer.watch.port import Place

MOST_ANSWERS = 20_000
"""Answers that are read, or little more; of more a sample of whole conversations, by a hash of their names."""
_ALL = 2**32
_WHERE = (
    "FROM records r JOIN ledger l USING (trace_id, span_id) WHERE l.state <> 'filtered' "
    "AND r.service = ? AND r.environment = ? AND r.started_at >= ? AND r.started_at < ?"
)
_ANSWERS = (
    "SELECT r.id, r.trace_id, r.started_at, r.query, coalesce(r.conversation_id, '') AS conversation, r.feedback, "
    "r.segment, r.cost_usd, r.total_seconds, r.retrieval_seconds, r.generation_seconds, r.output_tokens, l.inclusion, "
    "l.state, l.reason, l.updated_at, coalesce(r.upstream_probability, 1.0) AS upstream, o.value AS passed, o.weight, "
    "i.judge_version || ' ' || i.prompt_digest AS judge, v.faithfulness, v.state AS verdict, v.reason AS why, "
    "coalesce(r.query, r.answer, r.evidence) IS NOT NULL AS whole, "
    # Which judge said it: a refusal is judged, and makes no observation of faithfulness.
    "json_extract(v.details, '$.success') AS success, vi.judge_version || ' ' || vi.prompt_digest AS success_by "
    "FROM (SELECT r.id {where} AND ragvigil_hash(coalesce(r.conversation_id, r.trace_id)) < ?) s "
    "CROSS JOIN records r ON r.id = s.id "
    "JOIN ledger l USING (trace_id, span_id) "
    "LEFT JOIN observations o ON o.record_id = r.id AND o.series = 'faithfulness' "
    "LEFT JOIN instruments i ON i.id = o.instrument_id "
    "LEFT JOIN verdicts v ON v.record_id = r.id AND v.current "
    "LEFT JOIN instruments vi ON vi.id = v.instrument_id ORDER BY r.started_at, r.id"
)
_SCORES = (
    "SELECT s.record_id, s.instrument_id, s.value, s.details FROM json_each(?) j CROSS JOIN json_each(?) k "
    "CROSS JOIN scores s ON s.record_id = j.value AND s.instrument_id = k.value WHERE s.current"
)
_GIVEN_UP = frozenset({"shed", "failed", "expired"})

Awaited = Literal["nothing", "waits", "lost"]


class Answer(NamedTuple):
    """One answer of the stretch."""

    id: int
    trace_id: str
    started_at: int
    query: str | None
    conversation: str
    """Empty where there is none."""
    feedback: Sequence[Mapping[str, object]]
    segment: Mapping[str, str]
    cost_usd: float | None
    total_seconds: float | None
    retrieval_seconds: float | None
    generation_seconds: float | None
    output_tokens: int | None
    inclusion: float
    upstream: float
    passed: float | None
    """1 or 0 of a verdict on an answer with claims."""
    weight: float | None
    judge: str | None
    faithfulness: float | None
    verdict: State | None
    why: str | None
    whole: bool = True
    """Whether its content is still there: without it, a check's number is left and not what it was about."""
    success: int | None = None
    """1 where the judge says that it succeeded from end to end, 0 that it did not."""
    success_by: str | None = None
    """Which judge gave the verdict, like `judge`, also where no faithfulness was judged."""
    awaited: Awaited = "nothing"
    """Of an answer that was to be judged and has no verdict: whether one is still to come, or never came."""


class Read(NamedTuple):
    """The answers, and how many there were."""

    answers: Sequence[Answer]
    total: int


class Score(NamedTuple):
    """What a check or judge measured of an answer."""

    value: float | None
    details: Mapping[str, Any]


def places(connection: sqlite3.Connection, since: int, until: int) -> Sequence[Place]:
    """Services with answers in the stretch, the busiest first."""
    rows = connection.execute(
        "SELECT service, environment FROM records WHERE started_at >= ? AND started_at < ? "
        "GROUP BY 1, 2 ORDER BY count(*) DESC, 1, 2 LIMIT 100",
        (since, until),
    )
    return [Place(row[0], row[1] or None) for row in rows]


def answers(
    connection: sqlite3.Connection, place: Place, since: int, until: int, overdue: int | None = None
) -> Read:
    """The answers of [since, until) in Unix nanoseconds, filtered ones left out, in order of time.

    What waits for its verdict since before `overdue` (None: since ever) is lost, like what was shed, failed or
    expired, and what the judge answered with nothing that could be read. A verdict that nothing could be judged, for
    want of claims, evidence or content, is a verdict.
    """
    values = (place.service, place.environment or "", since, until)
    total = int(connection.execute(f"SELECT count(*) {_WHERE}", values).fetchone()[0])
    share = _ALL if total <= MOST_ANSWERS else _ALL * MOST_ANSWERS // total
    connection.create_function("ragvigil_hash", 1, _hash, deterministic=True)
    rows = connection.execute(_ANSWERS.format(where=_WHERE), (*values, share))
    found: list[Answer] = []
    for row in rows:
        plain: dict[str, Any] = dict(row)
        plain |= {
            "feedback": json.loads(row["feedback"]),
            "segment": json.loads(row["segment"]),
            "awaited": _awaited(row, overdue),
        }
        for name in ("state", "reason", "updated_at"):
            del plain[name]
        found.append(Answer(**plain))
    return Read(found, total)


def _awaited(row: sqlite3.Row, overdue: int | None) -> Awaited:
    state = row["state"]
    if row["passed"] is not None or row["inclusion"] <= 0.0:
        return "nothing"
    if state == "pending":
        return "lost" if overdue is not None and row["updated_at"] < overdue else "waits"
    if state in _GIVEN_UP:
        # What expired because too much waited was drawn out of the sample again by its hash; the others count for it.
        return "lost" if fraction(row["trace_id"]) < row["inclusion"] else "nothing"
    return "lost" if state == "judged" and row["reason"] in NO_VERDICT else "nothing"


def _hash(name: str) -> int:
    """32 bits; of a conversation all answers or none are read, for what follows an answer is said about it."""
    return zlib.crc32(name.encode())


def scores(
    connection: sqlite3.Connection,
    record_ids: Sequence[int],
    names: Sequence[str],
    detailed: Sequence[str] = (),
) -> dict[str, dict[int, Score]]:
    """Current scores of those records by name and record; details only of those named in `detailed`."""
    wanted = json.dumps([*names])
    known: dict[int, str] = {
        row[0]: row[1]
        for row in connection.execute(
            "SELECT id, name FROM instruments WHERE name IN (SELECT value FROM json_each(?))", (wanted,)
        )
    }
    found: dict[str, dict[int, Score]] = {name: {} for name in names}
    rows = connection.execute(_SCORES, (json.dumps(list(record_ids)), json.dumps(list(known))))
    for row in rows:
        name = known[row["instrument_id"]]
        details: dict[str, Any] = json.loads(row["details"] or "{}") if name in detailed else {}
        found[name][row["record_id"]] = Score(row["value"], details)
    return found


def read_traces(connection: sqlite3.Connection, since: int, until: int) -> int:
    """Answers of the stretch that somebody has read and labelled."""
    row = connection.execute(
        "SELECT count(DISTINCT l.record_id) FROM labels l JOIN records r ON r.id = l.record_id "
        "WHERE r.started_at >= ? AND r.started_at < ?",
        (since, until),
    ).fetchone()
    return int(row[0])

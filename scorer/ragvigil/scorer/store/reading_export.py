"""Every score of a stretch of time, with what it is a score of and by which versions: rows for files."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple

from ragvigil.scorer.store.reading_scores import worst_claim

_PAGE = 500
_PAGES = (
    "SELECT r.id, r.trace_id, r.span_id, r.version, r.service, nullif(r.environment, ''), r.service_version, "
    "r.model, r.prompt_version, r.started_at, r.segment, r.conversation_id, l.state, l.inclusion, "
    "r.upstream_probability FROM records r JOIN ledger l USING (trace_id, span_id) "
    "WHERE (r.started_at, r.id) > (:at, :id) AND r.started_at >= :since AND r.started_at < :until "
    "AND (:service IS NULL OR r.service = :service) ORDER BY r.started_at, r.id LIMIT :limit"
)
"""In the order of a ScoreRow, up to its score."""
_VERSIONS = (
    "nullif(i.check_version, '') AS check_version, nullif(i.judge_version, '') AS judge_version, "
    "nullif(i.prompt_digest, '') AS prompt_digest, lower(hex(s.input_hash)) AS input_hash, s.current, s.created_at"
)
_WHERE = (
    "JOIN instruments i ON i.id = s.instrument_id WHERE s.record_id IN (SELECT value FROM json_each(:ids)) "
    "AND (s.current OR :history) AND (:names IS NULL OR {} IN (SELECT value FROM json_each(:names)))"
)


def _of_verdicts(name: str) -> str:
    return (
        f"SELECT s.record_id, '{name}', s.{name}, s.state, {_VERSIONS}, s.reason, s.claims FROM verdicts s "
        + _WHERE.format(f"'{name}'")
    )


_EVERY_SCORE = " UNION ALL ".join(
    (
        f"SELECT s.record_id, i.name, s.value, NULL AS state, {_VERSIONS}, s.reason, NULL AS claims FROM scores s "
        + _WHERE.format("i.name"),
        _of_verdicts("faithfulness"),
        _of_verdicts("support"),
    )
)
_SCORES = f"{_EVERY_SCORE} ORDER BY 1, 2, 10"
"""After the record's id in the order of the rest of it; of the last two, its explanation is made."""


class ScoreRow(NamedTuple):
    """One score of one version of one answer. No question, passage or answer is in it."""

    record_id: int
    trace_id: str
    span_id: str
    record_version: int
    service: str
    environment: str | None
    service_version: str | None
    model: str | None
    prompt_version: str | None
    started_at: int
    """Unix nanoseconds."""
    segment: str
    """JSON object of dimensions."""
    conversation_id: str | None
    """As stored: a pseudonym, unless store.user_ids says otherwise."""
    ledger_state: str
    inclusion: float
    """Probability with which it was to be judged: weigh judged scores by its inverse."""
    upstream_probability: float | None
    score: str
    value: float | None
    state: str | None
    """The verdict's, for what a judge gave."""
    check_version: str | None
    judge_version: str | None
    prompt_digest: str | None
    input_hash: str
    """SHA-256 over question, answer and evidence, hexadecimal."""
    current: bool
    """Whether the series read it; an older version of the answer or of the check is not."""
    scored_at: int
    """Unix nanoseconds."""
    explanation: str | None
    """Only where asked for: it may quote the answer."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which scores."""

    since: int
    until: int
    """Unix nanoseconds, of the question; `until` is not in it."""
    service: str | None = None
    names: frozenset[str] | None = None
    """None: all."""
    history: bool = False
    """Whether scores that are no longer current come too."""
    explanations: bool = False


def score_rows(
    opening: Callable[[], AbstractContextManager[sqlite3.Connection]], wanted: Wanted
) -> Iterator[ScoreRow]:
    """The rows in order of time, read page by page: a long export holds up no checkpoint of the store."""
    place = {"at": wanted.since - 1, "id": 0}
    bounds = {"since": wanted.since, "until": wanted.until, "service": wanted.service, "limit": _PAGE}
    asked: dict[str, object] = {"history": wanted.history, "names": None}
    if wanted.names is not None:
        asked["names"] = json.dumps(sorted(wanted.names))
    while True:
        with opening() as connection:
            connection.execute("BEGIN")
            records = connection.execute(_PAGES, {**place, **bounds}).fetchall()
            asked["ids"] = json.dumps([row["id"] for row in records])
            by_record: dict[int, list[sqlite3.Row]] = {}
            for row in connection.execute(_SCORES, asked):
                by_record.setdefault(row["record_id"], []).append(row)
        for record in records:
            of_record = tuple(record)
            for score in by_record.get(record["id"], ()):
                rest = (*score[1:8], bool(score["current"]), score["created_at"], _why(score, wanted))
                yield ScoreRow._make((*of_record, *rest))
        if len(records) < _PAGE:
            return
        place = {"at": records[-1]["started_at"], "id": records[-1]["id"]}


def _why(score: sqlite3.Row, wanted: Wanted) -> str | None:
    if not wanted.explanations:
        return None
    return score["reason"] or (worst_claim(score["claims"]) if score["claims"] else None)

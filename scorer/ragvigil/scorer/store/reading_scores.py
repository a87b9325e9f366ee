"""Scores as they leave: of the records that changed, for other tools, and of a stretch of time, for files."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple, cast

from ragvigil.exporters import Score, ScoredAnswer

JUDGED = ("faithfulness", "support")
"""Scores that a verdict itself gives; every other is a check's, or was measured with a verdict."""
_EXPLANATION_CHARACTERS = 500
_CHANGES = "SELECT seq, record_id, part FROM outgoing WHERE seq > ? ORDER BY seq LIMIT ?"
_IDS = "(SELECT value FROM json_each(?))"
_RECORDS = f"SELECT id, trace_id, span_id, service, environment FROM records WHERE id IN {_IDS}"
_SCORES = (
    "SELECT s.record_id, i.name, i.check_version, i.judge_version, i.prompt_digest, s.value, s.reason, "
    "s.input_hash, s.created_at FROM scores s JOIN instruments i ON i.id = s.instrument_id "
    f"WHERE s.record_id IN {_IDS} AND s.current AND i.name IN {_IDS} AND (i.judge_version <> '') = ? "
    "ORDER BY s.record_id, i.name"
)
_VERDICTS = (
    "SELECT v.record_id, i.judge_version, i.prompt_digest, v.state, v.support, v.faithfulness, v.claims, v.reason, "
    "v.input_hash, v.created_at FROM verdicts v JOIN instruments i ON i.id = v.instrument_id "
    f"WHERE v.record_id IN {_IDS} AND v.current ORDER BY v.record_id"
)


class Change(NamedTuple):
    """New scores of one record."""

    seq: int
    record_id: int
    part: str


@dataclass(frozen=True, slots=True)
class Choice:
    """What of an answer leaves."""

    names: tuple[str, ...]
    explanations: bool = True


def changes(connection: sqlite3.Connection, sink: str, limit: int) -> Sequence[Change]:
    """What the sink has not taken, oldest first; [] when there is nothing, or no such sink."""
    row = connection.execute("SELECT seq FROM sinks WHERE name = ?", (sink,)).fetchone()
    return [] if row is None else [Change(*one) for one in connection.execute(_CHANGES, (row[0], limit))]


def waiting(connection: sqlite3.Connection) -> Mapping[str, tuple[int, int]]:
    """By sink: changes that wait for it (an upper bound, from their numbers), and those dropped at the bound."""
    newest = connection.execute("SELECT max(seq) FROM outgoing").fetchone()[0]
    rows = connection.execute("SELECT name, seq, dropped FROM sinks")
    return {row[0]: (max(0, (newest or row[1]) - row[1]), row[2]) for row in rows}


def scored_answers(
    connection: sqlite3.Connection, found: Sequence[Change], choice: Choice
) -> Sequence[ScoredAnswer]:
    """The records of these changes with the scores they have now; one that is gone is left out."""
    checks = {change.record_id for change in found if change.part == "checks"}
    verdicts = {change.record_id for change in found if change.part == "verdict"}
    by_record: dict[int, list[Score]] = {}
    for record_id, score in chain(
        _scored(connection, checks, choice, by_judge=False),
        _judged(connection, verdicts, choice),
        _scored(connection, verdicts, choice, by_judge=True),
    ):
        by_record.setdefault(record_id, []).append(score)
    rows = connection.execute(_RECORDS, (json.dumps(sorted(by_record)),))
    return [
        ScoredAnswer(row[1], row[2], row[3], row[4] or None, tuple(by_record[row[0]]))
        for row in sorted(rows, key=lambda row: row[0])
    ]


def _scored(
    connection: sqlite3.Connection, records: Collection[int], choice: Choice, *, by_judge: bool
) -> Iterator[tuple[int, Score]]:
    """Results of checks, or what a judge measured beside the verdict: criteria and measures."""
    names = [name for name in choice.names if name not in JUDGED]
    if not names or not records:
        return
    values = (json.dumps(sorted(records)), json.dumps(names), by_judge)
    for row in connection.execute(_SCORES, values):
        name, judge = row["name"], f"{row['judge_version']} {row['prompt_digest'][:12]}"
        yield (
            row["record_id"],
            Score(
                name,
                row["value"],
                None if row["value"] is not None else "no_value",
                _cut(row["reason"]) if choice.explanations else None,
                "model" if by_judge else "code",
                judge if by_judge else f"{name} {row['check_version']}",
                row["input_hash"].hex(),
                row["created_at"],
            ),
        )


def _judged(
    connection: sqlite3.Connection, records: Collection[int], choice: Choice
) -> Iterator[tuple[int, Score]]:
    names = [name for name in choice.names if name in JUDGED]
    if not names or not records:
        return
    for row in connection.execute(_VERDICTS, (json.dumps(sorted(records)),)):
        why = _cut(row["reason"] or worst_claim(row["claims"])) if choice.explanations else None
        instrument = f"{row['judge_version']} {row['prompt_digest'][:12]}"
        for name in names:
            yield (
                row["record_id"],
                Score(
                    name,
                    row[name],
                    row["state"],
                    why,
                    "model",
                    instrument,
                    row["input_hash"].hex(),
                    row["created_at"],
                ),
            )


def worst_claim(claims: str) -> str | None:
    """The claim that the passages carry least, in words; None when they carry all."""
    found: list[dict[str, Any]] = json.loads(claims)
    bad = [claim for claim in found if claim.get("verdict") != "supported"]
    if not bad:
        return None
    worst = min(bad, key=lambda claim: cast("float", claim.get("probability", 1.0)))
    return f"not in the passages: {worst.get('text', '')}"


def _cut(text: str | None) -> str | None:
    if text is None or len(text) <= _EXPLANATION_CHARACTERS:
        return text
    return text[: _EXPLANATION_CHARACTERS - 1] + "…"

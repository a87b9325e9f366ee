"""What the calibration reads of a store that another process writes: judged traffic, draws, labels, answers."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from ragvigil.scorer.labels.port import Drawn, Given, Item
from ragvigil.scorer.sample import fraction
from ragvigil.scorer.store._packing import unpack
from ragvigil.scorer.store._rows import record_of
from ragvigil.scorer.store._sqlite_labels import FRAME
from ragvigil.scorer.store._sqlite_seen import NO_VERDICT
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.watch.port import Place, Seen

_MOST_RECORDS = 100_000
_TRAFFIC = (
    "SELECT * FROM (SELECT r.id, r.trace_id, r.started_at, r.segment, "
    "coalesce(r.conversation_id, r.trace_id) AS conversation, "
    "(SELECT json_extract(s.details, '$.faithfulness') FROM scores s JOIN instruments c ON c.id = s.instrument_id "
    "WHERE s.record_id = r.id AND s.current AND c.name = 'supported_claims') AS cheap, "
    "NULL AS citation_ok, NULL AS documents, "
    f"CASE WHEN v.state IN {NO_VERDICT} THEN 'failed' ELSE l.state END AS state, l.inclusion, "
    "CASE WHEN v.state IN ('supported', 'partial', 'unsupported', 'contradicted') THEN v.passed END AS passed, "
    "CASE WHEN v.state IN ('supported', 'partial', 'unsupported', 'contradicted') AND v.passed IS NOT NULL "
    "THEN i.judge_version || ' ' || i.prompt_digest END AS judge, NULL AS stream "
    "FROM records r JOIN ledger l USING (trace_id, span_id) "
    "LEFT JOIN verdicts v ON v.record_id = r.id AND v.current LEFT JOIN instruments i ON i.id = v.instrument_id "
    "WHERE r.service = ? AND r.environment = ? AND r.started_at >= ? AND r.started_at < ? "
    "AND r.evidence IS NOT NULL AND r.answer IS NOT NULL "
    "ORDER BY r.started_at DESC, r.id DESC LIMIT ?) ORDER BY started_at, id"
)
_CRITERION = (
    "SELECT * FROM (SELECT r.id, r.trace_id, r.started_at, r.segment, "
    "coalesce(r.conversation_id, r.trace_id) AS conversation, coalesce("
    "(SELECT json_extract(c.details, '$.faithfulness') FROM scores c JOIN instruments o ON o.id = c.instrument_id "
    "WHERE c.record_id = r.id AND c.current AND o.name = 'supported_claims'), 0.5) AS cheap, "
    "NULL AS citation_ok, NULL AS documents, l.state, "
    "l.inclusion * coalesce(json_extract(s.details, '$.share'), 1.0) AS inclusion, s.value AS passed, "
    "CASE WHEN s.value IS NOT NULL THEN i.judge_version || ' ' || i.prompt_digest END AS judge, NULL AS stream "
    "FROM records r JOIN ledger l USING (trace_id, span_id) JOIN scores s ON s.record_id = r.id AND s.current "
    "JOIN instruments i ON i.id = s.instrument_id AND i.name = ? "
    "WHERE r.service = ? AND r.environment = ? AND r.started_at >= ? AND r.started_at < ? "
    "AND r.evidence IS NOT NULL AND r.answer IS NOT NULL AND s.value IS NOT NULL "
    "ORDER BY r.started_at DESC, r.id DESC LIMIT ?) ORDER BY started_at, id"
)
_DRAWS = (
    "SELECT * FROM label_draws WHERE service = ? AND environment = ? AND criterion = ? AND (? IS NULL OR judge = ?) "
    "ORDER BY created_at DESC, id DESC LIMIT 1"
)
_GIVEN = (
    "SELECT l.record_id, hex(l.input_hash) AS input_hash, l.annotator, l.label, l.note, l.final, l.source, l.criterion "
    "FROM labels l JOIN records r ON r.id = l.record_id AND r.input_hash = l.input_hash WHERE l.criterion = ? "
    "ORDER BY l.at, l.annotator"
)
_ANSWERS = (
    "SELECT r.*, t.spans FROM records r JOIN traces t USING (trace_id) "
    "WHERE r.id IN (SELECT value FROM json_each(?)) AND r.evidence IS NOT NULL AND r.answer IS NOT NULL"
)


def judged_services(connection: sqlite3.Connection) -> Sequence[Place]:
    """Services with verdicts, the one with most first."""
    rows = connection.execute(
        "SELECT r.service, r.environment FROM verdicts v JOIN records r ON r.id = v.record_id WHERE v.current "
        "GROUP BY 1, 2 ORDER BY count(*) DESC, 1, 2"
    )
    return [Place(row[0], row[1] or None) for row in rows]


def traffic(
    connection: sqlite3.Connection, place: Place, since: int, until: int, criterion: str = ""
) -> Sequence[Seen]:
    """The records of a stretch whose content is still there, the latest 100,000 at most, in order of time.

    With a criterion only those of which it says pass or fail, with that as the verdict. One that the judge answered
    with nothing that could be read has failed: its verdict never came.
    """
    conversations: dict[str, int] = {}
    where = (place.service, place.environment or "", since, until, _MOST_RECORDS)
    rows = connection.execute(
        *(_CRITERION, (f"criteria.{criterion}", *where)) if criterion else (_TRAFFIC, where)
    )
    return [
        Seen(*row)._replace(conversation=conversations.setdefault(row["conversation"], len(conversations)))
        for row in rows
    ]


def latest_draw(
    connection: sqlite3.Connection, place: Place, judge: str | None = None, *, criterion: str = ""
) -> Drawn | None:
    """The newest draw of a service about faithfulness or a criterion, of one judge's verdicts where one is named."""
    where = (place.service, place.environment or "", criterion, judge, judge)
    row = connection.execute(_DRAWS, where).fetchone()
    return None if row is None else _drawn(connection, row)


def draws(connection: sqlite3.Connection, criterion: str = "") -> Sequence[Drawn]:
    """Every draw about faithfulness or a criterion, newest first."""
    rows = connection.execute(
        "SELECT * FROM label_draws WHERE criterion = ? ORDER BY created_at DESC, id DESC", (criterion,)
    ).fetchall()
    return [_drawn(connection, row) for row in rows]


def criteria(connection: sqlite3.Connection) -> Sequence[str]:
    """Ids of the criteria that were ever measured."""
    rows = connection.execute(
        "SELECT DISTINCT substr(name, 10) FROM instruments WHERE name LIKE 'criteria.%' ORDER BY 1"
    )
    return [row[0] for row in rows]


def labels(connection: sqlite3.Connection, criterion: str = "") -> Sequence[Given]:
    """What everybody said of answers that are still as they were read, in order of time."""
    return [
        Given(
            row["record_id"],
            row["input_hash"].lower(),
            row["annotator"],
            row["label"],
            row["note"],
            final=bool(row["final"]),
            source=row["source"],
            criterion=row["criterion"],
        )
        for row in connection.execute(_GIVEN, (criterion,))
    ]


def some_judged(connection: sqlite3.Connection, place: Place, limit: int) -> list[RagTrace]:
    """Records with a verdict on their claims and with their content, drawn by the hash of their trace ids."""
    rows = connection.execute(
        "SELECT r.id, r.trace_id FROM verdicts v JOIN records r ON r.id = v.record_id WHERE v.current "
        "AND v.passed IS NOT NULL AND r.service = ? AND r.environment = ? AND r.evidence IS NOT NULL",
        (place.service, place.environment or ""),
    ).fetchall()
    drawn = sorted(rows, key=lambda row: fraction(row["trace_id"]))[:limit]
    return [record for record, _ in answers(connection, [row["id"] for row in drawn]).values()]


def wishes(connection: sqlite3.Connection) -> list[int]:
    """Record ids of the answers on which judges do not agree, newest first."""
    rows = connection.execute("SELECT record_id FROM label_wishes ORDER BY at DESC, record_id DESC")
    return [row[0] for row in rows]


def answers(connection: sqlite3.Connection, record_ids: Sequence[int]) -> dict[int, tuple[RagTrace, str]]:
    """Those records whose content is still there, with their input hash (hex), by id."""
    rows = connection.execute(_ANSWERS, (json.dumps(list(record_ids)),))
    return {row["id"]: (record_of(row), bytes(row["input_hash"]).hex()) for row in rows}


def find(
    connection: sqlite3.Connection, trace_id: str, span_id: str | None
) -> Sequence[tuple[int, str, str]]:
    """(id, span id, input hash) of the records of a trace, or of one span of it."""
    rows = connection.execute(
        "SELECT id, span_id, lower(hex(input_hash)) FROM records WHERE trace_id = ? AND (? IS NULL OR span_id = ?)",
        (trace_id, span_id, span_id),
    )
    return [(row[0], row[1], row[2]) for row in rows]


def _drawn(connection: sqlite3.Connection, row: sqlite3.Row) -> Drawn:
    items = connection.execute(
        "SELECT record_id, place, position, inclusion, readers FROM label_items WHERE draw_id = ? ORDER BY position",
        (row["id"],),
    )
    return Drawn(
        row["id"],
        row["service"],
        row["environment"],
        row["since"],
        row["until"],
        row["judge"],
        row["created_at"],
        FRAME.validate_json(unpack(row["frame"])),
        tuple(Item(*item) for item in items),
        row["criterion"],
    )


def readable(connection: sqlite3.Connection, drawn: Drawn) -> frozenset[int]:
    """Records of a draw's frame that are still what they were then, with their content."""
    rows = connection.execute(
        "SELECT id FROM records WHERE service = ? AND environment = ? AND started_at >= ? AND started_at < ? "
        "AND evidence IS NOT NULL AND answer IS NOT NULL",
        (drawn.service, drawn.environment, drawn.since, drawn.until),
    )
    return frozenset(row[0] for row in rows).intersection(drawn.frame.record_id)

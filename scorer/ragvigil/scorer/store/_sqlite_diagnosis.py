"""DiagnosisStore over one SQLite connection: a bounded sample of the records around an incident."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ragvigil.exporters import Example
from ragvigil.scorer.detect.stretches import outside, untouched
from ragvigil.scorer.diagnose.case import SIGNALS, Case, Reach, Shown
from ragvigil.scorer.diagnose.evidence import MARGIN, MOST_RECORDS, Evidence, evidence_of
from ragvigil.scorer.estimate.window import Booleans, Floats
from ragvigil.scorer.failure_tags import TAGS
from ragvigil.scorer.incidents.causes import disturbing
from ragvigil.scorer.moments import DAY
from ragvigil.scorer.monitoring import FLOOR, Incident, SeriesKey
from ragvigil.scorer.store._sqlite_monitoring import joined
from ragvigil.scorer.store.reading import changes

_BEFORE = 2 * DAY
_MARGIN = round(MARGIN * 1e9)
_MOST_COUNTED = 200_000
_LONGEST_VALUE = 64
_MOST_CHANGES = 200
_HASH = "(({id} * 2654435761) & 4294967295) < ?"
_ALL = 2**32
_SIGHTED = "FROM sightings WHERE service = ? AND environment = ? AND started_at >= ? AND started_at < ?"
_RECORDED = (
    "FROM records r JOIN ledger l USING (trace_id, span_id) WHERE l.state <> 'filtered' "
    "AND r.service = ? AND r.environment = ? AND r.started_at >= ? AND r.started_at < ?"
)
_MEASURED = (
    "FROM observations o JOIN series USING (series, service, environment, instrument_id) "
    "WHERE o.series = ? AND o.service = ? AND o.environment = ? AND o.bucket >= ? AND o.bucket < ?"
)
_ROWS = (
    "SELECT r.id, r.started_at, coalesce(r.conversation_id, r.trace_id) AS conversation, r.service_version, r.model, "
    "r.prompt_version, r.segment FROM json_each(?) j CROSS JOIN records r ON r.id = j.value"
)
_EMPTY = "empty_retrieval"
_SCORES = (
    "SELECT s.record_id, s.instrument_id, s.value, iif(s.value = 1, s.details, NULL) AS details "
    "FROM json_each(?) j CROSS JOIN json_each(?) k CROSS JOIN scores s "
    "ON s.record_id = j.value AND s.instrument_id = k.value WHERE s.current"
)
_VERDICTS = (
    "SELECT o.record_id, o.value FROM json_each(?) j CROSS JOIN observations o "
    "ON o.record_id = j.value AND o.series = 'faithfulness' "
    "JOIN series USING (series, service, environment, instrument_id)"
)
_EARLIER = (
    "SELECT min(since, coalesce(CAST(1e9 * json_extract(diagnosis, '$.onset.lower') AS INTEGER), since)), "
    "min(resolved_at, :since), min(coalesce(recovering_since, resolved_at), :since) "
    "FROM incidents LEFT JOIN diagnoses ON incident_id = incidents.id "
    "AND json_extract(diagnosis, '$.kind') <> 'unclear' "
    "WHERE series IN (SELECT value FROM json_each(:disturbing)) AND service = :service AND environment = :environment "
    "AND since < :since AND resolved_at >= :reach AND NOT withdrawn "
    "AND json_extract(\"before\", '$.method') <> :floor "
    "AND (series = :series OR coalesce(recovering_since, resolved_at) <= :since)"
)
"""Whole incidents, from the earliest moment at which one may have begun: a few of its answers among those of before
would make what was at fault expected. Another series' fall that was not over when this one began may be the same."""
_COLUMNS = ("service_version", "model", "prompt_version")


@dataclass(slots=True)
class _Sample:
    """What was drawn of the records, by id."""

    everyone: dict[int, float | None] = field(default_factory=dict[int, float | None])
    """Their cheap score."""
    measured: dict[int, tuple[float, float]] = field(default_factory=dict[int, tuple[float, float]])
    """Their outcome and weight."""

    def evidence(self, rows: Sequence[sqlite3.Row]) -> Evidence:
        """With what their rows say of them, in that order."""
        return evidence_of(
            time=[row["started_at"] / 1e9 for row in rows],
            outcome=[self.measured.get(row["id"], (None,))[0] for row in rows],
            inclusion=[min(1.0, 1.0 / self.measured.get(row["id"], (1.0, 1.0))[1]) for row in rows],
            cheap=[self.everyone.get(row["id"]) for row in rows],
            everyone=[row["id"] in self.everyone for row in rows],
            conversation=[row["conversation"] for row in rows],
            attributes=[_attributes(row) for row in rows],
        )


class SqliteDiagnosis:
    """What a diagnosis reads and keeps, in one SQLite file."""

    def __init__(self, connection: sqlite3.Connection, reason: Callable[[str, int], str]) -> None:
        """`reason` says in words what is wrong with a record of a series."""
        self._connection = connection
        self._reason = reason

    def case(self, incident: Incident, now: int) -> Case:
        """At most MOST_RECORDS of before and of since, and as many with an outcome, drawn by a hash of their ids."""
        key = incident.key
        earlier = self._earlier(incident)
        spans = [one[:2] for one in earlier]
        well = max((ended for _, ended in spans), default=0)
        near = max(incident.since - _MARGIN, well)
        far = max(untouched(near, _BEFORE, spans), self._reaches(near))
        sample = _Sample()
        for stretches in (outside(far, near, spans), [(near, now + 1)]):
            self._draw(sample, key, stretches)
        ids = json.dumps(sorted({*sample.everyone, *sample.measured}))
        rows = self._connection.execute(_ROWS, (ids,)).fetchall()
        rows.sort(key=lambda row: (row["started_at"], row["id"]))
        signals, tags = self._scores(ids, {row["id"]: place for place, row in enumerate(rows)})
        if key.name != "faithfulness":
            self._verdicts(ids, signals["faithfulness"], rows)
        told = changes(
            self._connection,
            since=near - _BEFORE,
            until=now + 1,
            service=key.service,
            environment=key.environment,
            limit=_MOST_CHANGES,
        )
        record = np.array([row["id"] for row in rows], dtype=np.int64)
        notes = (*_left_out(spans, far), *self._notes(key, far, now))
        return Case(
            key.name,
            incident.since / 1e9,
            sample.evidence(rows),
            record,
            signals,
            tags,
            told,
            notes,
            well / 1e9 if spans else None,
            self._seen(key, spans),
            max(one[2] for one in earlier) / 1e9 if earlier else None,
            None if incident.again_since is not None else incident.opened_at / 1e9,
        )

    def reach(self, incident: Incident, values: Sequence[tuple[str, str]], since: int, now: int) -> Reach:
        """Counted in the records; users and conversations only where there are not too many answers."""
        key = incident.key
        where, given = _RECORDED, [key.service, key.environment or "", since, now + 1]
        for name, value in values:
            where += f" AND r.{name} = ?" if name in _COLUMNS else " AND json_extract(r.segment, ?) = ?"
            given += [value] if name in _COLUMNS else [f"$.{json.dumps(name)}", value]
        limited = f"SELECT r.conversation_id AS c, r.user_id AS u {where} LIMIT {_MOST_COUNTED + 1}"
        row = self._connection.execute(
            f"SELECT count(*), count(DISTINCT c), count(DISTINCT u) FROM ({limited})", given
        ).fetchone()
        if row[0] > _MOST_COUNTED:
            return Reach(row[0], None, None)
        return Reach(*row)

    def shown(self, incident: Incident, record_ids: Sequence[int]) -> Sequence[Shown]:
        """In the order of the ids; those whose content is gone are left out."""
        rows = self._connection.execute(
            "SELECT id, trace_id, query, answer, coalesce(conversation_id, trace_id) AS conversation FROM records "
            "WHERE id IN (SELECT value FROM json_each(?)) "
            "AND query IS NOT NULL",
            (json.dumps(list(record_ids)),),
        )
        found = {row["id"]: row for row in rows}
        return [
            Shown(
                found[one]["conversation"],
                Example(
                    found[one]["trace_id"],
                    found[one]["query"],
                    found[one]["answer"],
                    self._why(incident, one),
                ),
            )
            for one in record_ids
            if one in found
        ]

    def save_diagnosis(self, incident_id: str, at: int, diagnosis: str) -> None:
        """Keep it, instead of what was kept."""
        with joined(self._connection):
            self._connection.execute(
                "INSERT OR REPLACE INTO diagnoses (incident_id, at, diagnosis) VALUES (?, ?, ?)",
                (incident_id, at, diagnosis),
            )

    def diagnosis(self, incident_id: str) -> tuple[int, str] | None:
        """(when, what) was last kept."""
        row = self._connection.execute(
            "SELECT at, diagnosis FROM diagnoses WHERE incident_id = ?", (incident_id,)
        ).fetchone()
        return None if row is None else (row["at"], row["diagnosis"])

    def _why(self, incident: Incident, record_id: int) -> str:
        name = incident.key.name
        return "nothing was retrieved" if name == "retrieval" else self._reason(name, record_id)

    def _earlier(self, incident: Incident) -> list[tuple[int, int, int]]:
        """From when until when incidents of before this one lasted, of its series and of what disturbs that.

        Third is from when on each was well again, at most its end.
        """
        key = incident.key
        given = {
            "series": key.name,
            "disturbing": json.dumps(disturbing(key.name)),
            "service": key.service,
            "environment": key.environment or "",
            "since": incident.since,
            "reach": incident.since - _MARGIN - 2 * _BEFORE,
            "floor": FLOOR,
        }
        return [(row[0], row[1], row[2]) for row in self._connection.execute(_EARLIER, given)]

    def _seen(self, key: SeriesKey, spans: Sequence[tuple[int, int]]) -> frozenset[tuple[str, str]]:
        """The values that a bounded sample of the answers in those stretches had."""
        place = (key.service, key.environment or "")
        rows = self._thinned(", ".join((*_COLUMNS, "segment")), _RECORDED, "r.id", place, spans)
        return frozenset(pair for row in rows for pair in _attributes(row).items())

    def _reaches(self, near: int) -> int:
        """How far back the latest records before that moment reach, of all services."""
        row = self._connection.execute(
            "SELECT started_at FROM records WHERE started_at < ? ORDER BY started_at DESC LIMIT 1 OFFSET ?",
            (near, _MOST_COUNTED),
        ).fetchone()
        return 0 if row is None else int(row[0])

    def _draw(self, sample: _Sample, key: SeriesKey, parts: Sequence[tuple[int, int]]) -> None:
        place = (key.service, key.environment or "")
        outcome = "min(documents, 1)" if key.name == "retrieval" else "NULL"
        columns = f"record_id AS id, cheap, {outcome} AS x, 1.0 AS w"
        rows = self._thinned(columns, _SIGHTED, "record_id", place, parts)
        if not rows and key.name != "retrieval":
            rows = self._thinned("r.id, NULL AS cheap, NULL AS x, 1.0 AS w", _RECORDED, "r.id", place, parts)
        judged = key.name == "faithfulness"
        for row in rows:
            sample.everyone[row["id"]] = row["cheap"] if judged else None
        if key.name != "retrieval":
            columns = "o.record_id AS id, o.value AS x, o.weight AS w"
            rows = self._thinned(columns, _MEASURED, "o.record_id", (key.name, *place), parts)
        sample.measured.update({row["id"]: (row["x"], row["w"]) for row in rows if row["x"] is not None})

    def _thinned(
        self, columns: str, source: str, name: str, place: tuple[str, ...], parts: Sequence[tuple[int, int]]
    ) -> Sequence[sqlite3.Row]:
        """At most about MOST_RECORDS of all parts (from, to) together."""
        counts = f"SELECT count(*) {source}"
        count = sum(int(self._connection.execute(counts, (*place, *part)).fetchone()[0]) for part in parts)
        share = _ALL if count <= MOST_RECORDS else _ALL * MOST_RECORDS // count
        query = f"SELECT {columns} {source} AND {_HASH.format(id=name)}"
        return [row for part in parts for row in self._connection.execute(query, (*place, *part, share))]

    def _scores(self, ids: str, places: Mapping[int, int]) -> tuple[dict[str, Floats], dict[str, Booleans]]:
        size = len(places)
        signals = {name: np.full(size, np.nan) for name in SIGNALS}
        tags = {str(tag): np.zeros(size, dtype=np.bool_) for tag in TAGS}
        wanted = json.dumps([*SIGNALS, _EMPTY, "failure_tags"])
        names: dict[int, str] = {
            row[0]: row[1]
            for row in self._connection.execute(
                "SELECT id, name FROM instruments WHERE name IN (SELECT value FROM json_each(?))", (wanted,)
            )
        }
        for row in self._connection.execute(_SCORES, (ids, json.dumps(list(names)))):
            name, place = names[row["instrument_id"]], places[row["record_id"]]
            value = np.nan if row["value"] is None else row["value"]
            if name == _EMPTY:
                signals["retrieved"][place] = 1.0 - value
                continue
            if name != "failure_tags":
                signals[name][place] = value
                continue
            for tag in json.loads(row["details"] or "{}"):
                if tag in tags:
                    tags[tag][place] = True
        return signals, tags

    def _verdicts(self, ids: str, into: Floats, rows: Sequence[sqlite3.Row]) -> None:
        """Whether the answers were faithful, beside what the series itself measures of them."""
        places = {row["id"]: place for place, row in enumerate(rows)}
        for record_id, value in self._connection.execute(_VERDICTS, (ids,)):
            into[places[record_id]] = value

    def _notes(self, key: SeriesKey, since: int, now: int) -> tuple[str, ...]:
        rows = self._connection.execute(
            "SELECT count(DISTINCT instrument_id) FROM rollups WHERE series = ? AND service = ? AND environment = ? "
            "AND bucket >= ? AND bucket < ? AND n > 0",
            (key.name, key.service, key.environment or "", since, now),
        )
        if int(rows.fetchone()[0]) < 2:
            return ()
        return (
            f"{key.name} was measured by two versions in this time; only the present one's values are read.",
        )


def _left_out(spans: Sequence[tuple[int, int]], since: int) -> tuple[str, ...]:
    """What is said of earlier incidents that lie in what is read."""
    count = sum(ended > since for _, ended in spans)
    if not count:
        return ()
    which = "an earlier incident" if count == 1 else f"{count} earlier incidents"
    return (f"the answers of {which} are left out of before.",)


def _attributes(row: sqlite3.Row) -> dict[str, str]:
    found: dict[str, str] = json.loads(row["segment"])
    found |= {name: row[name] for name in _COLUMNS if row[name]}
    return {name: value for name, value in found.items() if len(value) <= _LONGEST_VALUE}

"""StormStore over one SQLite connection.

A member's messages are in the outbox as everybody's are, with the reason `grouped:STORM` instead of being sent: so who
is one is committed with its incident, survives a crash, and is seen in `ragvigil incidents`.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from ragvigil.exporters import Alert, from_json
from ragvigil.scorer.incidents.escalation import unreminded
from ragvigil.scorer.incidents.storms import STORM, Marks, Member, Storm
from ragvigil.scorer.monitoring import Incident, SeriesKey
from ragvigil.scorer.store._rows import incident_of
from ragvigil.scorer.store._sqlite_monitoring import SqliteMonitoring, joined
from ragvigil.scorer.store._sqlite_outbox import GROUPED, JOIN_STORM, post
from ragvigil.scorer.store._sqlite_silenced import SILENCED

_MEMBERS = (
    "SELECT incidents.*, outbox.alert AS alert, max(outbox.id), EXISTS (SELECT 1 FROM acknowledgements "
    f"WHERE incident_id = incidents.id) AS taken, {SILENCED} AS silenced, outbox.channel, EXISTS "
    "(SELECT 1 FROM outbox AS news WHERE news.incident_id = incidents.id AND news.reason = outbox.reason "
    "AND news.attempts = 0 AND news.action IN ('trigger', 'update', 'resolve')) AS untold "
    f"FROM outbox {JOIN_STORM} "
    "JOIN incidents ON incidents.id = outbox.incident_id WHERE storm.id = :storm AND outbox.action = 'trigger' "
    "GROUP BY outbox.incident_id"
)
_TOLD = (
    "SELECT channel, max(iif(action IN ('trigger', 'update') "
    "AND json_extract(alert, '$.title') NOT LIKE 'Reminder: %' "
    "AND json_extract(alert, '$.title') NOT LIKE 'Escalated: %', created_at, NULL)) AS at "
    "FROM outbox WHERE incident_id = ? GROUP BY channel ORDER BY min(id)"
)
"""Who hears of it, and when there was news; what repeats what was said is none."""
_TELL = "UPDATE outbox SET attempts = incident_id IN (SELECT value FROM json_each(?)) WHERE reason = ?"
_BEFORE = (
    "SELECT incidents.service, max(incidents.resolved_at IS NULL) FROM outbox "
    "JOIN incidents ON incidents.id = outbox.incident_id "
    "WHERE channel = ? AND action = 'trigger' AND created_at >= ? AND created_at <= ? "
    f"AND coalesce(reason, '') NOT IN ('superseded', 'silenced') AND coalesce(reason, '') NOT LIKE '{GROUPED}%' "
    f"AND series != '{STORM}' AND json_extract(alert, '$.severity') IN ('critical', 'error') GROUP BY 1"
)
_LATEST = (
    "SELECT r.model, r.prompt_version, r.segment FROM sightings s JOIN records r ON r.id = s.record_id "
    "WHERE s.service = ? AND s.environment = ? ORDER BY s.started_at DESC LIMIT 20"
)
_MOSTLY = 0.5


class SqliteStorms:
    """Storms that are not over, and what they say."""

    def __init__(self, connection: sqlite3.Connection, monitoring: SqliteMonitoring) -> None:
        self._connection = connection
        self._monitoring = monitoring

    def standing(self, now: int) -> Sequence[Storm]:
        """Those that are not over, with whom they speak for at `now` (Unix nanoseconds)."""
        return [self._storm(one, now) for one in self._monitoring.standing(STORM)]

    def marks(self, keys: Iterable[SeriesKey]) -> Marks:
        """What marks the latest answers of each; once for each service of which any can be found by its time."""
        places = {(key.service, key.environment or ""): key for key in sorted(keys)}
        found = ((key, self._mark(place)) for place, key in places.items())
        return {key: marks for key, marks in found if marks is not None}

    def tell(
        self, incident: Incident, alert: Alert | None, channels: Sequence[str], about: Collection[str]
    ) -> None:
        """Keep the storm, and put the alert into the outbox of those channels, in one transaction.

        `about` are the ids of the members of which it tells how they stand.
        """
        with joined(self._connection):
            self._monitoring.save_incident(incident, None, ())
            if alert is not None:
                post(self._connection, alert, channels)
                self._connection.execute(_TELL, (json.dumps(sorted(about)), f"{GROUPED}{incident.id}"))

    def _storm(self, incident: Incident, now: int) -> Storm:
        rows = self._connection.execute(_MEMBERS, {"storm": incident.id, "now": now}).fetchall()
        members = [
            Member(
                incident_of(row),
                unreminded(from_json(row["alert"])),
                bool(row["taken"]),
                bool(row["silenced"]),
                bool(row["untold"]),
            )
            for row in rows
        ]
        channel = rows[0]["channel"] if rows else None
        told = self._connection.execute(_TOLD, (incident.id,)).fetchall()
        own = self._connection.execute(_BEFORE, (channel, incident.since, incident.opened_at))
        return Storm(
            incident,
            list(dict.fromkeys(one for one in (channel, *(row["channel"] for row in told)) if one)),
            members,
            {row[0]: bool(row[1]) for row in own},
            max((row["at"] for row in told if row["at"] is not None), default=None),
        )

    def _mark(self, place: tuple[str, str]) -> Sequence[tuple[str, str]] | None:
        rows = self._connection.execute(_LATEST, place).fetchall()
        if not rows:
            return None
        counts = Counter(mark for row in rows for mark in _marks(row))
        return [mark for mark, count in counts.items() if count > _MOSTLY * len(rows)]


def _marks(row: sqlite3.Row) -> Iterable[tuple[str, str]]:
    """Model, version of the prompt and dimensions of one record."""
    known = {"model": row["model"], "prompt_version": row["prompt_version"], **json.loads(row["segment"])}
    return [(name, str(value)) for name, value in known.items() if value is not None]

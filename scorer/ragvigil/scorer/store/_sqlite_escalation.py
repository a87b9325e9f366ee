"""EscalationStore over one SQLite connection."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence, Set
from dataclasses import replace

from ragvigil.exporters import Alert, from_json
from ragvigil.scorer.incidents.escalation import Told, Unanswered, is_repeated
from ragvigil.scorer.incidents.storms import STORM
from ragvigil.scorer.monitoring import Incident
from ragvigil.scorer.store._rows import incident_of, key_of
from ragvigil.scorer.store._sqlite_monitoring import joined, with_caveat
from ragvigil.scorer.store._sqlite_outbox import GROUPED, JOIN_STORM, post
from ragvigil.scorer.store._sqlite_silenced import HELD_UNTIL, LET_GO, SILENCED

_SAID = (
    "SELECT channel, action, created_at, delivered_at, alert, json_extract(alert, '$.title') AS title, attempts, "
    "refused_at, reason FROM outbox WHERE incident_id = ? ORDER BY id"
)
_SET_ASIDE = ("superseded", "silenced", GROUPED)
_QUIET = frozenset({"acknowledge", "unacknowledge"})
"""What wakes nobody is no telling."""
_ASKING = (
    f"SELECT DISTINCT incidents.* FROM outbox {JOIN_STORM} JOIN incidents ON incidents.id = outbox.incident_id "
    f"WHERE storm.id = :storm AND incidents.resolved_at IS NULL AND NOT {SILENCED} "
    "AND incidents.id NOT IN (SELECT incident_id FROM acknowledgements) ORDER BY incidents.id"
)
"""Members of a storm that nobody has in hand."""
_LET_GO_NEWS = (
    "SELECT incidents.*, outbox.alert, outbox.channel FROM outbox INDEXED BY outbox_waiting "
    "JOIN incidents ON incidents.id = outbox.incident_id "
    "WHERE delivered_at IS NULL AND refused_at IS NULL "
    "AND action IN ('trigger', 'update') AND attempts = 0 "
    f"AND incidents.resolved_at IS NULL AND {LET_GO} AND NOT {SILENCED} ORDER BY outbox.id LIMIT :limit"
)
_WAITED_FOR = (
    "SELECT DISTINCT channel FROM outbox INDEXED BY outbox_waiting "
    "WHERE delivered_at IS NULL AND refused_at IS NULL"
)
_HANDED_BACK = "SELECT at FROM handed_back WHERE incident_id = :incident"


class SqliteEscalation:
    """What is open and unanswered, and what is said about it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def unanswered(self, now: int) -> Sequence[Unanswered]:
        """Open incidents that were told and that nobody has in hand, oldest first."""
        rows = self._connection.execute(
            "SELECT * FROM incidents WHERE resolved_at IS NULL AND told AND id NOT IN "
            "(SELECT incident_id FROM acknowledgements) AND EXISTS (SELECT 1 FROM outbox "
            f"WHERE outbox.incident_id = incidents.id AND NOT {SILENCED}) ORDER BY opened_at, id",
            {"now": now},
        ).fetchall()
        found = (self._unanswered(row) for row in rows)
        waiting = [replace(one, began=self._answerable(one, now)) for one in found if one is not None]
        return [asking for one in waiting if (asking := self._asking(one, now)) is not None]

    def waiting_for(self) -> Set[str]:
        """Channels that have not taken a message yet, configured or not."""
        return {row["channel"] for row in self._connection.execute(_WAITED_FOR)}

    def _asking(self, one: Unanswered, now: int) -> Unanswered | None:
        """With those for whom a storm asks; None where all of them are in somebody's hand, or silenced."""
        if one.incident.key.name != STORM:
            return one
        rows = self._connection.execute(_ASKING, {"storm": one.incident.id, "now": now}).fetchall()
        asks = [(key_of(row), row["segment"]) for row in rows]
        return replace(one, asks=asks) if asks else None

    def with_caveat(self, incident: Incident, alert: Alert) -> Alert:
        """The alert with what is known of sampling before the scorer."""
        return with_caveat(self._connection, incident.key, alert)

    def let_go(self, now: int, limit: int) -> Sequence[tuple[Incident, Alert, str]]:
        """What was said of open incidents during a silence that is over, news alone, and the channel it waits for."""
        rows = self._connection.execute(_LET_GO_NEWS, {"now": now, "limit": limit}).fetchall()
        return [(incident_of(row), from_json(row["alert"]), row["channel"]) for row in rows]

    def post(self, alert: Alert, channels: Sequence[str]) -> None:
        """Put an alert into the outbox of those channels."""
        with joined(self._connection):
            post(self._connection, alert, channels)

    def _unanswered(self, row: sqlite3.Row) -> Unanswered | None:
        began: int | None = None
        alert = None
        told: dict[str, Told] = {}
        for one in self._connection.execute(_SAID, (row["id"],)):
            if one["action"] == "resolve":
                began = None
                told.clear()
            else:
                began = began or one["created_at"]
            if one["delivered_at"] is None and (one["reason"] or "").startswith(_SET_ASIDE):
                continue
            quiet = one["action"] in _QUIET or is_repeated(one["title"])
            alert = one["alert"] if alert is None or not quiet else alert
            if one["action"] not in (*_QUIET, "resolve"):
                told[one["channel"]] = _told(one, told.get(one["channel"]))
        if alert is None or began is None:
            return None
        return Unanswered(incident_of(row), from_json(alert), began, told)

    def _answerable(self, one: Unanswered, now: int) -> int:
        """From when it could be answered: not while a silence held it, or somebody had it in hand."""
        moments = {"incident": one.incident.id, "began": one.began, "now": now}
        later = (self._connection.execute(sql, moments).fetchone() for sql in (HELD_UNTIL, _HANDED_BACK))
        return max(one.began, *(row[0] or 0 for row in later if row is not None))


def _told(row: sqlite3.Row, earlier: Told | None) -> Told:
    """What the channel was told with one message more."""
    taken = row["delivered_at"]
    heard = taken if earlier is None or earlier.heard_at is None else earlier.heard_at
    return Told(row["channel"], row["created_at"], taken, heard, failed=taken is None and row["attempts"] > 0)

"""The outbox in one SQLite file: what is put in, what is due, what became of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from ragvigil.exporters import Acknowledgement, Action, Alert, from_json, to_json
from ragvigil.scorer.diagnose.diagnoser import DIAGNOSED
from ragvigil.scorer.incidents.deliver import LONGEST_DELAY_SECONDS
from ragvigil.scorer.incidents.pages import standing
from ragvigil.scorer.moments import calendar_time, unix_nanoseconds
from ragvigil.scorer.monitoring import Delivery
from ragvigil.scorer.store._rows import incident_of
from ragvigil.scorer.store._sqlite_silenced import SILENCED

_BEYOND = round((LONGEST_DELAY_SECONDS + 1.0) * 1e9)
"""Nanoseconds: nothing waits so long but by a clock that was set back since, so it is due."""
_LOUDER: tuple[Action, ...] = ("trigger", "update")
"""What must be heard although something newer took its place before it was sent, the loudest first."""
_LOUDEST = "instr('critical error warning info', json_extract(alert, '$.severity'))"
GROUPED = "grouped:"
"""Why a message was not sent: the storm with the id that follows speaks for its incident there. One attempt is noted
when the storm has told what the message says."""
JOIN_STORM = (
    f"JOIN incidents AS storm ON storm.id = substr(outbox.reason, {len(GROUPED) + 1}) "
    f"AND outbox.reason = '{GROUPED}' || storm.id AND storm.resolved_at IS NULL "
    "AND NOT EXISTS (SELECT 1 FROM outbox AS later WHERE later.incident_id = outbox.incident_id "
    "AND later.channel = outbox.channel AND later.id > outbox.id AND later.action = 'trigger' "
    "AND later.reason IS NOT outbox.reason)"
)
"""To rows of `outbox`: the storm that is not over and speaks for them; what was paged for anew speaks for itself."""
_WAITING = "incident_id = :incident AND channel = :channel AND delivered_at IS NULL AND refused_at IS NULL"


def post(connection: sqlite3.Connection, alert: Alert, channels: Sequence[str]) -> None:
    """Put an alert in, for each channel instead of what still waits there about the same incident.

    A channel that was away hears how things stand, once, and not how they came to: what was news to others is titled
    as a page to whom it is the first. The message that waits may be on its way at this moment, so it is set aside and
    never changed.
    """
    moment = unix_nanoseconds(alert.at)
    alert = replace(alert, acknowledged=_acknowledgement(connection, alert.incident_id))
    for channel in channels:
        storm = None if alert.action == "trigger" else _speaker(connection, alert.incident_id, channel)
        if storm is not None:
            group(connection, alert, channel, storm)
            continue
        action = _supersede(connection, alert, channel, moment)
        told = _as_first(connection, alert, channel) if action == "trigger" != alert.action else alert
        connection.execute(
            "INSERT INTO outbox (incident_id, channel, action, alert, created_at, next_at) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (alert.incident_id, channel, action, to_json(replace(told, action=action)), moment, moment),
        )
        if action == "resolve":
            _withdraw(connection, alert.incident_id, channel, moment)


def group(connection: sqlite3.Connection, alert: Alert, channel: str, storm: str) -> None:
    """Keep what the storm of that id says to the channel instead: it is not sent, and can be seen."""
    moment = unix_nanoseconds(alert.at)
    connection.execute(
        "INSERT INTO outbox (incident_id, channel, action, alert, created_at, next_at, refused_at, reason) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            alert.incident_id,
            channel,
            alert.action,
            to_json(alert),
            moment,
            moment,
            moment,
            f"{GROUPED}{storm}",
        ),
    )


def _speaker(connection: sqlite3.Connection, incident: str, channel: str) -> str | None:
    sql = f"SELECT storm.id FROM outbox {JOIN_STORM} WHERE incident_id = ? AND channel = ? LIMIT 1"
    row = connection.execute(sql, (incident, channel)).fetchone()
    return None if row is None else row[0]


def set_aside(connection: sqlite3.Connection, incident: str, channel: str, now: int) -> set[str]:
    """Let what waits for that channel about that incident go unsent; what it would have done."""
    place = {"incident": incident, "channel": channel, "now": now}
    waiting = waiting_for(connection, incident, channel)
    if waiting:
        connection.execute(
            f"UPDATE outbox SET refused_at = :now, reason = 'superseded' WHERE {_WAITING}", place
        )
    return waiting


def waiting_for(connection: sqlite3.Connection, incident: str, channel: str) -> set[str]:
    """What waits for that channel about that incident would do."""
    place = {"incident": incident, "channel": channel}
    return {row[0] for row in connection.execute(f"SELECT action FROM outbox WHERE {_WAITING}", place)}


def _supersede(connection: sqlite3.Connection, alert: Alert, channel: str, now: int) -> Action:
    """Set aside what waits; what the new message does: an update of what nobody has seen opens the incident.

    And who has it in hand is said by the update that waits, which is news to more people.
    """
    waiting = set_aside(connection, alert.incident_id, channel, now)
    if alert.action == "resolve":
        return alert.action
    for louder in _LOUDER:
        if louder == alert.action or louder in waiting:
            return louder
    return alert.action


def _as_first(connection: sqlite3.Connection, alert: Alert, channel: str) -> Alert:
    """The alert with the title of a page: who hears of a fall first has not heard from where it "fell further"."""
    place = (alert.incident_id, channel)
    if (
        alert.action != "update"
    ):  # who has it in hand: news of the page that waited, whatever others heard last
        sql = "SELECT alert FROM outbox WHERE incident_id = ? AND channel = ? AND action = 'trigger' ORDER BY id DESC"
        (waited,) = connection.execute(f"{sql} LIMIT 1", place).fetchone()
        return replace(alert, title=from_json(waited).title)
    row = connection.execute("SELECT * FROM incidents WHERE id = ?", place[:1]).fetchone()
    if row is None or not row["series"].startswith(DIAGNOSED):
        return alert
    return replace(alert, title=standing(incident_of(row)))


def _acknowledgement(connection: sqlite3.Connection, incident: str) -> Acknowledgement | None:
    row = connection.execute(
        "SELECT by, at, note FROM acknowledgements WHERE incident_id = ?", (incident,)
    ).fetchone()
    if row is None:
        return None
    return Acknowledgement(row["by"], calendar_time(row["at"]), row["note"])


def _withdraw(connection: sqlite3.Connection, incident: str, channel: str, now: int) -> None:
    """Let go of what a silence holds of a resolved incident of which the channel has heard nothing."""
    connection.execute(
        f"UPDATE outbox SET refused_at = :now, reason = 'silenced' WHERE {_WAITING} AND {SILENCED} "
        "AND NOT EXISTS (SELECT 1 FROM outbox AS told WHERE told.incident_id = :incident "
        "AND told.channel = :channel AND told.attempts > 0)",
        {"now": now, "incident": incident, "channel": channel},
    )


class SqliteOutbox:
    """The courier's queue, in one SQLite file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def due(self, now: int, limit: int) -> Sequence[Delivery]:
        """What is due, at most `limit` for each channel: one that is away must not crowd out the others.

        What is graver goes first: a page must not wait behind hundreds of tickets.
        """
        rows = self._connection.execute(
            "SELECT id, channel, alert, attempts, reference FROM "
            f"(SELECT *, row_number() OVER (PARTITION BY channel ORDER BY {_LOUDEST}, next_at, id) AS place "
            "FROM outbox WHERE (next_at <= :now OR next_at > :beyond) AND id IN (SELECT min(id) FROM outbox "
            "INDEXED BY outbox_waiting WHERE delivered_at IS NULL AND refused_at IS NULL "
            f"GROUP BY incident_id, channel) AND NOT {SILENCED}) "
            "LEFT JOIN channel_messages USING (incident_id, channel) "
            f"WHERE place <= :limit ORDER BY {_LOUDEST}, next_at, id",
            {"now": now, "limit": limit, "beyond": now + _BEYOND},
        )
        return [
            Delivery(row["id"], row["channel"], from_json(row["alert"]), row["attempts"], row["reference"])
            for row in rows
        ]

    def delivered(self, delivery: int, at: int, reference: str | None) -> None:
        """The channel has it; `reference` is handed back with the incident's next alert, None keeps what is kept."""
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._update(
                "delivered_at = ?, refused_at = NULL, attempts = attempts + 1, reason = NULL", at, delivery
            )
            if reference is not None:
                self._connection.execute(
                    "INSERT OR REPLACE INTO channel_messages SELECT incident_id, channel, ? FROM outbox WHERE id = ?",
                    (reference, delivery),
                )
            self._update_what_is_open(delivery)

    def _update_what_is_open(self, delivery: int) -> None:
        """What was to open the incident updates it, when an older message got through while being set aside."""
        waiting = self._connection.execute(
            "SELECT later.id, later.alert FROM outbox AS later JOIN outbox AS told USING (incident_id, channel) "
            "WHERE told.id = ? AND later.id > told.id AND later.action = 'trigger' "
            "AND later.delivered_at IS NULL AND later.refused_at IS NULL",
            (delivery,),
        ).fetchall()
        for later, alert in waiting:
            update = to_json(replace(from_json(alert), action="update"))
            self._update("action = 'update', alert = ?", update, later)

    def postponed(self, delivery: int, next_at: int, reason: str) -> None:
        """Try again at `next_at`."""
        self._update(
            "next_at = ?, attempts = attempts + 1, reason = iif(refused_at IS NULL, ?, reason)",
            next_at,
            reason,
            delivery,
        )

    def resumed(self, channel: str, at: int) -> None:
        """The channel takes messages again: all that waits for it is due, in the order in which it was put in."""
        self._connection.execute(
            "UPDATE outbox SET next_at = ? WHERE channel = ? AND delivered_at IS NULL AND refused_at IS NULL",
            (at, channel),
        )

    def refused(self, delivery: int, at: int, reason: str) -> None:
        """The channel will never take this message; kept and shown, not retried."""
        self._update("refused_at = ?, attempts = attempts + 1, reason = ?", at, reason, delivery)

    def _update(self, assignments: str, *values: object) -> None:
        self._connection.execute(f"UPDATE outbox SET {assignments} WHERE id = ?", values)


class OutboxHere:
    """OutboxStore for a courier on the thread that writes the store."""

    def __init__(self, outbox: SqliteOutbox) -> None:
        self._outbox = outbox

    async def due(self, now: int, limit: int) -> Sequence[Delivery]:
        """Deliveries whose time has come."""
        return self._outbox.due(now, limit)

    async def delivered(self, delivery: int, at: int, reference: str | None) -> None:
        """The channel has it."""
        self._outbox.delivered(delivery, at, reference)

    async def postponed(self, delivery: int, next_at: int, reason: str) -> None:
        """Try again later."""
        self._outbox.postponed(delivery, next_at, reason)

    async def resumed(self, channel: str, at: int) -> None:
        """The channel takes messages again."""
        self._outbox.resumed(channel, at)

    async def refused(self, delivery: int, at: int, reason: str) -> None:
        """Never try again."""
        self._outbox.refused(delivery, at, reason)

"""What people read of incidents: how each stands, who has it in hand, what holds it back, who was told."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ragvigil.exporters import Alert, from_json
from ragvigil.scorer.incidents.causes import explaining
from ragvigil.scorer.incidents.deliver import NOT_CONFIGURED
from ragvigil.scorer.incidents.oncall import Silence
from ragvigil.scorer.moments import DAY
from ragvigil.scorer.monitoring import Incident
from ragvigil.scorer.store._rows import incident_of
from ragvigil.scorer.store._sqlite_silenced import SILENCED
from ragvigil.scorer.store.reading import Message, messages_about

State = Literal["open", "acknowledged", "silenced", "resolved"]


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """Who has an incident in hand."""

    at: int
    """Unix time, nanoseconds."""
    by: str
    note: str


@dataclass(frozen=True, slots=True)
class Standing:
    """One incident with all that was said about it."""

    incident: Incident
    acknowledged: Acknowledged | None
    silenced_by: Sequence[str]
    """Ids of the silences that hold it back now; none once it is resolved."""
    messages: Sequence[Message]
    """To channels, oldest first."""
    silenced_until: int | None = None
    """Until when (Unix nanoseconds) silences hold back what waits of it, resolved or not; None where none does."""
    explained_by: str | None = None
    """Id of the incident with which it shares its cause, so that nobody was told of it."""

    @property
    def state(self) -> State:
        """How it stands now."""
        if self.incident.resolved_at is not None:
            return "resolved"
        if self.silenced_by:
            return "silenced"
        return "open" if self.acknowledged is None else "acknowledged"


def standing(
    connection: sqlite3.Connection, now: int, *, resolved: bool, limit: int = 100
) -> Sequence[Standing]:
    """The newest incidents as they stand at `now` (Unix nanoseconds), newest first; resolved ones too if `resolved`."""
    rows = connection.execute(
        "SELECT * FROM incidents WHERE ? OR resolved_at IS NULL ORDER BY opened_at DESC, id LIMIT ?",
        (resolved, limit),
    )
    active = _active(connection, now)
    return [_standing(connection, incident_of(row), active) for row in rows.fetchall()]


def standing_of(connection: sqlite3.Connection, incident: Incident, now: int) -> Standing:
    """One incident as it stands at `now` (Unix nanoseconds)."""
    return _standing(connection, incident, _active(connection, now))


def last_told(connection: sqlite3.Connection, incident: str) -> Alert | None:
    """The newest message about that incident to any channel; None where nobody was to be told."""
    row = connection.execute(
        "SELECT alert FROM outbox WHERE incident_id = ? ORDER BY id DESC LIMIT 1", (incident,)
    ).fetchone()
    return None if row is None else from_json(row[0])


def last_paged(connection: sqlite3.Connection, incident: str) -> Alert | None:
    """The newest message that said how bad it is, with the traces that show it; None where nobody was to be told."""
    row = connection.execute(
        "SELECT alert FROM outbox WHERE incident_id = ? AND action IN ('trigger', 'update') ORDER BY id DESC LIMIT 1",
        (incident,),
    ).fetchone()
    return None if row is None else from_json(row[0])


def held_back(connection: sqlite3.Connection, now: int) -> int:
    """How many of the messages that wait a silence holds back at `now` (Unix nanoseconds)."""
    row = connection.execute(
        f"SELECT count(*) FROM outbox WHERE delivered_at IS NULL AND refused_at IS NULL AND {SILENCED}",
        {"now": now},
    ).fetchone()
    return int(row[0])


def unconfigured(connection: sqlite3.Connection) -> Sequence[tuple[str, int]]:
    """Channels that the running scorer knows nothing of, with how many messages wait for each."""
    rows = connection.execute(
        "SELECT channel, count(*) FROM outbox WHERE delivered_at IS NULL AND refused_at IS NULL "
        "AND reason = ? GROUP BY channel ORDER BY channel",
        (NOT_CONFIGURED,),
    )
    return [(row[0], row[1]) for row in rows]


def silences(connection: sqlite3.Connection, ending_after: int) -> Sequence[Silence]:
    """Silences that end after that moment, the next to end first."""
    rows = connection.execute(
        "SELECT id, starts_at, ends_at, comment, by, series, service, environment, segment FROM silences "
        "WHERE ends_at > ? ORDER BY ends_at, id",
        (ending_after,),
    )
    return [Silence(**dict(row)) for row in rows]


def _active(connection: sqlite3.Connection, now: int) -> Sequence[Silence]:
    return [one for one in silences(connection, now) if one.starts_at <= now]


def _standing(connection: sqlite3.Connection, incident: Incident, active: Sequence[Silence]) -> Standing:
    said = connection.execute(
        "SELECT at, by, note FROM acknowledgements WHERE incident_id = ?", (incident.id,)
    ).fetchone()
    holding = [one for one in active if one.matches(incident.key, incident.segment)]
    return Standing(
        incident,
        None if said is None else Acknowledged(**dict(said)),
        [one.id for one in holding if incident.resolved_at is None],
        messages_about(connection, incident.id),
        max((one.ends_at for one in holding), default=None),
        _explained_by(connection, incident),
    )


def _explained_by(connection: sqlite3.Connection, incident: Incident) -> str | None:
    """The told one of its service that began nearest to it, of those that may explain it."""
    if incident.told:
        return None
    rows = connection.execute(
        "SELECT other.* FROM incidents AS own JOIN incidents AS other USING (service, environment) "
        "WHERE own.id = ? AND other.told ORDER BY abs(other.since - own.since), other.id LIMIT 20",
        (incident.id,),
    )
    found = explaining(incident, map(incident_of, rows), within=DAY, now=incident.opened_at)
    return None if found is None else found.id


def incidents_named(connection: sqlite3.Connection, name: str, limit: int = 10) -> Sequence[Incident]:
    """The incident of that id; else those whose id or number begins so, newest first."""
    rows = connection.execute("SELECT * FROM incidents WHERE id = ?", (name,)).fetchall()
    if not rows and name:
        rows = connection.execute(
            "SELECT * FROM incidents WHERE substr(id, 1, length(?)) = ? OR substr(id, 5, length(?)) = ? "
            "ORDER BY opened_at DESC, id LIMIT ?",
            (name, name, name, name, limit),
        ).fetchall()
    return [incident_of(row) for row in rows]

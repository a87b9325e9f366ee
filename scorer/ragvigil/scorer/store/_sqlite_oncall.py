"""Acknowledgements and silences, in one SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import replace

from ragvigil.exporters import Action, from_json
from ragvigil.scorer.config import Channel, shows
from ragvigil.scorer.errors import OrderError
from ragvigil.scorer.incidents.escalation import unreminded
from ragvigil.scorer.incidents.oncall import Acknowledge, Service, Silence, Unacknowledge, Unsilence
from ragvigil.scorer.moments import calendar_time
from ragvigil.scorer.store._sqlite_monitoring import joined
from ragvigil.scorer.store._sqlite_outbox import JOIN_STORM, post, set_aside, waiting_for


class SqliteOncall:
    """What people say about incidents; channels that can show an acknowledgement are told of it."""

    def __init__(self, connection: sqlite3.Connection, channels: Mapping[str, Channel]) -> None:
        self._connection = connection
        self._channels = channels

    def acknowledge(self, wanted: Acknowledge, at: int) -> str:
        """Note who has it in hand, and show it to the channels that heard of it; the incident's id."""
        incident = self._standing(wanted.incident)
        if wanted.automatic and self._in_hand(incident):
            return incident  # our own acknowledgement, back from the service that we told
        with joined(self._connection):
            for one in (incident, *self._spoken_for(incident)):
                self._connection.execute(
                    "INSERT OR REPLACE INTO acknowledgements VALUES (?, ?, ?, ?)",
                    (one, at, wanted.by, wanted.note),
                )
                self._show(one, "acknowledge", at, known_to=wanted.via if one == incident else None)
        return incident

    def unacknowledge(self, wanted: Unacknowledge, at: int) -> str:
        """Nobody has it in hand; the incident's id."""
        incident = self._standing(wanted.incident)
        if self._in_hand(incident):
            with joined(self._connection):
                for one in (incident, *self._spoken_for(incident)):
                    self._connection.execute("DELETE FROM acknowledgements WHERE incident_id = ?", (one,))
                    self._connection.execute("INSERT OR REPLACE INTO handed_back VALUES (?, ?)", (one, at))
                    self._show(one, "unacknowledge", at, known_to=wanted.via if one == incident else None)
        return incident

    def _spoken_for(self, storm: str) -> list[str]:
        """The open incidents that a storm speaks for: who has it in hand has them."""
        rows = self._connection.execute(
            f"SELECT DISTINCT outbox.incident_id FROM outbox {JOIN_STORM} JOIN incidents ON incidents.id = "
            "outbox.incident_id WHERE storm.id = ? AND incidents.resolved_at IS NULL ORDER BY 1",
            (storm,),
        )
        return [row[0] for row in rows]

    def _in_hand(self, incident: str) -> bool:
        sql = "SELECT 1 FROM acknowledgements WHERE incident_id = ?"
        return self._connection.execute(sql, (incident,)).fetchone() is not None

    def _show(self, incident: str, action: Action, at: int, *, known_to: Service | None) -> None:
        """Post what was last said of it to whoever heard of it and can show this; not to the channel that said it.

        A page that still waits is posted anew to anybody, so that it arrives with who has it in hand by then.
        """
        row = self._connection.execute(
            "SELECT action, alert FROM outbox WHERE incident_id = ? ORDER BY id DESC LIMIT 1", (incident,)
        ).fetchone()
        if row is None or row["action"] == "resolve":
            return  # nobody heard that it is open
        told = self._connection.execute(
            "SELECT DISTINCT channel FROM outbox WHERE incident_id = ? ORDER BY channel", (incident,)
        )
        sections = {name: self._channels.get(name) for (name,) in told.fetchall()}
        known = self._said_by(sections, known_to)
        wanted: list[str] = []
        for name, section in sections.items():
            waiting = waiting_for(self._connection, incident, name)
            news = section is not None and name != known and shows(section, action)
            if waiting & {"trigger", "update"} or news:
                wanted.append(name)
            elif waiting:
                set_aside(self._connection, incident, name, at)  # an acknowledgement that holds no more
        moment = calendar_time(at)
        alert = unreminded(from_json(row["alert"]))
        post(self._connection, replace(alert, action=action, at=moment), wanted)

    def _said_by(self, sections: Mapping[str, Channel | None], service: Service | None) -> str | None:
        """The channel that shows it already; None when there is none, or when it may be any of several.

        PagerDuty does not say by which routing key it heard of an incident, so all of its channels hear: what an
        acknowledged incident is told a second time changes nothing there. A Slack message shows nothing by itself.
        """
        there = [name for name, one in sections.items() if one and one.type == service == "pagerduty"]
        return there[0] if len(there) == 1 else None

    def _standing(self, given: str) -> str:
        """The id of the one open incident that is meant."""
        rows = self._connection.execute(
            "SELECT id, resolved_at FROM incidents WHERE substr(id, 1, length(:given)) = :given "
            "OR dedup_key = :given ORDER BY resolved_at IS NOT NULL, opened_at DESC",
            {"given": given},
        ).fetchall()
        standing = [str(row["id"]) for row in rows if row["resolved_at"] is None]
        if not rows:
            raise OrderError(f"no incident {given!r}; ragvigil incidents --all shows what there is")
        if not standing:
            raise OrderError(f"{rows[0]['id']} is resolved already")
        if len(standing) > 1:
            raise OrderError(f"{given!r} may be {' or '.join(standing[:3])}; give more of the id")
        return standing[0]

    def silence(self, wanted: Silence, at: int) -> str:
        """Keep it; its id."""
        if wanted.ends_at <= at:
            raise OrderError("the silence would end before it begins to count; give a later end")
        self._connection.execute(
            "INSERT OR IGNORE INTO silences VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                wanted.id,
                wanted.series,
                wanted.service,
                wanted.environment,
                wanted.segment,
                wanted.starts_at,
                wanted.ends_at,
                wanted.comment,
                wanted.by,
                at,
            ),
        )
        return wanted.id

    def unsilence(self, wanted: Unsilence, at: int) -> str:
        """End it now; its id."""
        row = self._connection.execute(
            "SELECT ends_at FROM silences WHERE id = ?", (wanted.silence,)
        ).fetchone()
        if row is None:
            raise OrderError(f"no silence {wanted.silence!r}; ragvigil silence list shows what there is")
        if row["ends_at"] <= at:
            raise OrderError(f"{wanted.silence} has ended already")
        self._connection.execute(
            "UPDATE silences SET ends_at = ?, starts_at = min(starts_at, ?) WHERE id = ?",
            (at, at, wanted.silence),
        )
        return wanted.silence

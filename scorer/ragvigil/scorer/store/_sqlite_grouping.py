"""Which page is one too many for a channel, so that a storm speaks for it there, in one SQLite file."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterable, Mapping

from ragvigil.exporters import Alert
from ragvigil.scorer.config import Monitor
from ragvigil.scorer.incidents.storms import PAGES, STORM, opened, told_as
from ragvigil.scorer.moments import SECOND, unix_nanoseconds
from ragvigil.scorer.monitoring import Incident
from ragvigil.scorer.store._sqlite_outbox import GROUPED
from ragvigil.scorer.store._sqlite_silenced import SILENCED

_OWN = "scorer_"
"""How the series of ragvigil's own health begin."""
_OPENINGS = (
    "SELECT service, environment, min(created_at) AS at FROM outbox "
    "JOIN incidents ON incidents.id = outbox.incident_id "
    "WHERE channel = :channel AND action = 'trigger' AND created_at > :since AND created_at <= :now "
    f"AND series != '{STORM}' AND substr(series, 1, {len(_OWN)}) != '{_OWN}' "
    "AND json_extract(alert, '$.severity') IN ('critical', 'error') "
    "AND json_extract(alert, '$.title') NOT LIKE 'Escalated: %' "
    f"AND NOT {SILENCED} AND outbox.id > coalesce((SELECT max(taken.id) FROM outbox AS taken "
    f"JOIN acknowledgements ON taken.reason = '{GROUPED}' || acknowledgements.incident_id "
    "WHERE taken.channel = :channel AND taken.action = 'trigger' AND taken.created_at > :since), 0) GROUP BY 1, 2"
)
"""Who was paged for on a channel since a moment, and since the storm there that somebody has in hand; what is silenced
woke nobody."""
_IS_SILENCED = f"SELECT 1 FROM (SELECT :incident AS incident_id) AS outbox WHERE {SILENCED}"
_TAKING = (
    f"SELECT id FROM incidents WHERE series = '{STORM}' AND resolved_at IS NULL "
    "AND id NOT IN (SELECT incident_id FROM acknowledgements) AND EXISTS (SELECT 1 FROM outbox "
    f"WHERE channel = :channel AND action = 'trigger' AND reason = '{GROUPED}' || incidents.id "
    f"AND created_at > :since AND created_at <= :now + {SECOND}) ORDER BY opened_at DESC LIMIT 1"
)
"""The storm that takes members: nobody has it in hand, and it grew lately; of another nobody would be woken."""
_IS_OPEN = f"SELECT 1 FROM incidents WHERE series = '{STORM}' AND service = ? AND resolved_at IS NULL"
_IS_KNOWN = "SELECT 1 FROM incidents WHERE id = ?"


class Grouping:
    """Groups by channel: the page of so many services within so long, and those after it, are a storm's."""

    def __init__(self, connection: sqlite3.Connection, settings: Monitor) -> None:
        self._connection = connection
        self._after = settings.group_after
        self._window = round(settings.group_window_seconds * 1e9)

    def storms(
        self, incident: Incident, alert: Alert, channels: Iterable[str]
    ) -> Mapping[str, str | Incident]:
        """The channels on which a storm speaks for this page, and its id; the storm where it begins with it.

        `incident` is in the store already. A ticket, ragvigil's own illness and what is silenced are no part of any.
        """
        page = alert.action == "trigger" and alert.severity in PAGES
        if not self._after or not page or incident.key.name.startswith(_OWN):
            return {}
        now = unix_nanoseconds(alert.at)
        silenced = self._connection.execute(_IS_SILENCED, {"incident": incident.id, "now": now})
        if silenced.fetchone() is not None:
            return {}
        found: dict[str, str | Incident] = {}
        for channel in channels:
            told = {"channel": channel, "since": now - self._window, "now": now}
            rows = self._connection.execute(_OPENINGS, told).fetchall()
            own = (incident.key.service, incident.key.environment or "")
            others = [row["at"] for row in rows if (row["service"], row["environment"]) != own]
            if len(others) + 1 < self._after:
                continue
            taking = self._connection.execute(_TAKING, told).fetchone()
            found[channel] = (
                self._begun(channel, now, min(others, default=now)) if taking is None else taking[0]
            )
        return found

    def _begun(self, channel: str, at: int, since: int) -> Incident:
        """A storm of its own, though another stands there, or one that is over began in the same second."""
        names = (told_as(channel, number) for number in itertools.count(1))
        name = next(one for one in names if not self._is_any(_IS_OPEN, one))
        storm = opened(name, at, since)
        while self._is_any(_IS_KNOWN, storm.id):
            at += SECOND
            storm = opened(name, at, since)
        return storm

    def _is_any(self, sql: str, what: str) -> bool:
        return self._connection.execute(sql, (what,)).fetchone() is not None

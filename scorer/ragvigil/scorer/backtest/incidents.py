"""Incidents that are kept in memory, asked as MonitorStore asks for them."""

from __future__ import annotations

from collections.abc import Sequence

from ragvigil.scorer.monitoring import Incident, SeriesKey


class Incidents:
    """What a store answers about incidents, from a dictionary."""

    incidents: dict[str, Incident]
    """Each by its id."""

    def open_incident(self, key: SeriesKey) -> Incident | None:
        """The one of that series that is not resolved."""
        return next(
            (one for one in self.incidents.values() if one.key == key and one.resolved_at is None), None
        )

    def neighbours(self, key: SeriesKey, since: int) -> Sequence[Incident]:
        """Of that service, open or resolved since then, newest first."""
        near = [
            one
            for one in self.incidents.values()
            if one.key[1:] == key[1:] and (one.resolved_at is None or one.resolved_at >= since)
        ]
        return sorted(near, key=lambda one: -one.opened_at)

    def incident_spans(self, key: SeriesKey, since: int) -> Sequence[tuple[int, int | None]]:
        """Those that touch [since, now)."""
        return [
            (one.since, one.resolved_at)
            for one in self.incidents.values()
            if one.key == key and not one.withdrawn and (one.resolved_at is None or one.resolved_at >= since)
        ]

"""What people read of one fall: the rate of its series or segment over time, and answers that show it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from ragvigil.exporters import Example
from ragvigil.scorer.diagnose.diagnoser import read
from ragvigil.scorer.diagnose.diagnosis import Diagnosis
from ragvigil.scorer.monitoring import Bucket, Incident, SeriesKey
from ragvigil.scorer.store._sqlite_diagnosis import SqliteDiagnosis
from ragvigil.scorer.store._sqlite_monitoring import SqliteMonitoring
from ragvigil.scorer.store._sqlite_observations import SqliteObservations
from ragvigil.scorer.store._sqlite_watching import SqliteWatching


def buckets_of(connection: sqlite3.Connection, key: SeriesKey, since: int, until: int) -> Sequence[Bucket]:
    """What was seen of a series in [since, until), Unix nanoseconds, as the monitor sums it up."""
    return SqliteMonitoring(connection, {}).buckets(key, since, until)


def first_seen(connection: sqlite3.Connection, key: SeriesKey) -> int | None:
    """When a series begins."""
    return SqliteMonitoring(connection, {}).first_seen(key)


def neighbours(connection: sqlite3.Connection, key: SeriesKey, since: int) -> Sequence[Incident]:
    """Incidents of its service that are open, or resolved since then, newest first."""
    return SqliteMonitoring(connection, {}).neighbours(key, since)


@dataclass(frozen=True, slots=True)
class Fall:
    """The readers of one store. What a sequential detector found is read from the answers that it saw."""

    monitoring: SqliteMonitoring
    watching: SqliteWatching
    diagnosing: SqliteDiagnosis

    @classmethod
    def of(cls, connection: sqlite3.Connection) -> Self:
        """Those of a connection."""
        monitoring = SqliteMonitoring(connection, {})
        watching = SqliteWatching(
            connection, monitoring, SqliteObservations(connection, bucket_nanoseconds=1)
        )
        return cls(monitoring, watching, SqliteDiagnosis(connection, monitoring.reason))

    def buckets(self, incident: Incident, since: int, until: int, grain: int) -> Sequence[Bucket]:
        """Sums over time: of the incident's segment where it has one, by `grain` nanoseconds."""
        if incident.detector == "sequential":
            return self.watching.levels(incident.key, incident.stream, since, until, grain)
        return self.monitoring.buckets(incident.key, since, until)

    def first_seen(self, incident: Incident) -> int | None:
        """When its series begins; None where nobody says."""
        return self.monitoring.first_seen(incident.key)

    def diagnosis(self, incident: Incident) -> Diagnosis | None:
        """Why it fell, as it was last worked out; None where nothing is kept that this version reads."""
        kept = self.diagnosing.diagnosis(incident.id)
        return None if kept is None else read(kept[1])

    def examples(self, incident: Incident, until: int, limit: int) -> Sequence[Example]:
        """Traces since the fall that show it."""
        if incident.detector == "sequential":
            return self.watching.examples(incident.key, incident.stream, incident.since, until, limit)
        return self.monitoring.examples(incident.key, incident.since, until, limit)

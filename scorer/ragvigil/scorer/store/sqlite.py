"""One SQLite file: opened by one writing process, read by any."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from os.path import samestat
from pathlib import Path
from typing import Self

from ragvigil.scorer.bound_values import bind_as_they_are
from ragvigil.scorer.config import Settings
from ragvigil.scorer.errors import StoreError, StoreNotNowError, located
from ragvigil.scorer.redact import Pseudonyms
from ragvigil.scorer.store._sqlite_arrivals import SqliteArriving
from ragvigil.scorer.store._sqlite_backlog import SqliteBacklog
from ragvigil.scorer.store._sqlite_diagnosis import SqliteDiagnosis
from ragvigil.scorer.store._sqlite_erasures import SqliteErasures
from ragvigil.scorer.store._sqlite_escalation import SqliteEscalation
from ragvigil.scorer.store._sqlite_grouping import Grouping
from ragvigil.scorer.store._sqlite_keys import note_key
from ragvigil.scorer.store._sqlite_labels import SqliteLabels
from ragvigil.scorer.store._sqlite_leaks import SqliteLeaks
from ragvigil.scorer.store._sqlite_meta import remember
from ragvigil.scorer.store._sqlite_monitoring import SqliteMonitoring, joined
from ragvigil.scorer.store._sqlite_observations import SqliteObservations
from ragvigil.scorer.store._sqlite_oncall import SqliteOncall
from ragvigil.scorer.store._sqlite_outbox import SqliteOutbox
from ragvigil.scorer.store._sqlite_outgoing import SqliteOutgoing
from ragvigil.scorer.store._sqlite_own_inbox import recognise
from ragvigil.scorer.store._sqlite_records import SqliteRecords
from ragvigil.scorer.store._sqlite_retention import SqliteRetention
from ragvigil.scorer.store._sqlite_storms import SqliteStorms
from ragvigil.scorer.store._sqlite_watching import SqliteWatching
from ragvigil.scorer.store.reading import CitationStyle, citation_styles
from ragvigil.scorer.store.schema_version import bring_up_to_date, known_version
from ragvigil.scorer.unusable import unusable

_BUSY_SECONDS = 10.0
_LONGEST_LOG_BYTES = 64 * 2**20


class SqliteStore:
    """The store of one scorer: records, monitoring and outbox over one connection of the opening thread.

    Raises StoreError when the file is no store, is newer than this version, or cannot be written.
    """

    def __init__(self, settings: Settings, *, durable: bool = True) -> None:
        """Open the file; one that is not `durable` may be lost with the power, as what can be made again."""
        path = settings.store.path
        bind_as_they_are()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)  # it holds what people asked and were told
            self._connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
            self._path, self._file = path, path.stat()
        except (OSError, sqlite3.Error) as error:
            raise unusable(path, error) from error
        try:
            self._equip(settings)
            if not durable:
                self._connection.execute("PRAGMA synchronous = OFF")
        except sqlite3.Error as error:
            self.close()
            raise unusable(path, error) from error
        except BaseException:
            self.close()
            raise

    def _equip(self, settings: Settings) -> None:
        self._connection.row_factory = sqlite3.Row
        self._prepare(settings)
        bucket = round(settings.monitor.bucket_seconds * 1e9)
        self.pseudonyms = self._pseudonyms(settings)
        self.erasures = SqliteErasures(self._connection, self.pseudonyms)
        self.outgoing = SqliteOutgoing(
            self._connection, most=settings.export.max_waiting if settings.export.sinks else None
        )
        self.records = SqliteRecords(
            self._connection,
            bucket_nanoseconds=bucket,
            pseudonyms=self.pseudonyms,
            erasures=self.erasures,
            sighting_seconds=settings.detect.late_seconds if settings.detect.enabled else None,
            outgoing=self.outgoing,
        )
        self.monitoring = SqliteMonitoring(
            self._connection, settings.routes, Grouping(self._connection, settings.monitor)
        )
        self.diagnosing = SqliteDiagnosis(self._connection, self.monitoring.reason)
        self.watching = SqliteWatching(
            self._connection,
            self.monitoring,
            SqliteObservations(self._connection, bucket_nanoseconds=bucket),
        )
        self.outbox = SqliteOutbox(self._connection)
        self.oncall = SqliteOncall(self._connection, settings.channels)
        self.leaks = SqliteLeaks(self._connection, self.monitoring)
        self.arriving = SqliteArriving(self._connection, self.monitoring)
        self.escalation = SqliteEscalation(self._connection)
        self.storms = SqliteStorms(self._connection, self.monitoring)
        self.labels = SqliteLabels(self._connection)
        self.backlog = SqliteBacklog(self._connection)
        self.retention = SqliteRetention(self._connection)

    def recognise(self, inbox: Path) -> None:
        """Read that inbox from its start where it is not the one that this store has read before."""
        recognise(self._connection, inbox)

    def refuse_when_deleted(self) -> None:
        """Raise StoreNotNowError where its path leads to no file or another: what is written here, nobody will read.

        A path that cannot be looked at for now says nothing of the file.
        """
        try:
            found = self._path.stat()
        except (FileNotFoundError, NotADirectoryError):
            found = None
        except OSError:
            return
        if found is None or not samestat(found, self._file):
            raise StoreNotNowError(
                f"{located(self._path)}: was deleted while in use; the next start begins it anew"
            )

    def transaction(self) -> AbstractContextManager[None]:
        """All that is written inside becomes durable at once: one wait for the disk instead of many."""
        return joined(self._connection)

    def checkpoint(self) -> None:
        """Copy the write-ahead log into the file, so that the log stays small."""
        self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def citation_styles(self) -> Sequence[CitationStyle]:
        """The most frequent style of each service that cites, over its latest records."""
        return citation_styles(self._connection)

    def beat(self, now: int) -> None:
        """Note that the scorer lives at `now`."""
        remember(self._connection, "alive_at", str(now))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _prepare(self, settings: Settings) -> None:
        version = known_version(
            self._connection, settings.store.path
        )  # before somebody else's file is changed
        self._connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # heeded only before the first table
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute(f"PRAGMA journal_size_limit = {_LONGEST_LOG_BYTES}")
        self._connection.execute("PRAGMA secure_delete = ON")  # what retention takes out is overwritten
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("PRAGMA wal_autocheckpoint = 0")
        bring_up_to_date(self._connection, version)
        self._fix_bucket(settings.monitor.bucket_seconds)

    def _fix_bucket(self, seconds: float) -> None:
        stored = float(self._remembered("bucket_seconds", lambda: repr(seconds)))
        if stored != seconds:
            raise StoreError(
                f"monitor.bucket_seconds is {seconds:g}, but this store was made with {stored:g}: "
                "set it back, or name another store"
            )

    def _pseudonyms(self, settings: Settings) -> Pseudonyms:
        configured = settings.store.user_id_key
        key = (
            configured.get_secret_value()
            if configured
            else self._remembered("user_id_key", secrets.token_hex)
        )
        pseudonyms = Pseudonyms(key, plain=settings.store.user_ids == "plain")
        note_key(self._connection, pseudonyms)
        return pseudonyms

    def _remembered(self, key: str, make: Callable[[], str]) -> str:
        self._connection.execute("INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)", (key, make()))
        return str(self._connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()[0])

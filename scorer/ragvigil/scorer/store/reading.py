"""What people and pages read of a store that another process writes: ledger, series, incidents, answers."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ragvigil.exporters import Measurement
from ragvigil.scorer.changes import Change
from ragvigil.scorer.errors import StoreError, located, why
from ragvigil.scorer.monitor.shares import Coverage
from ragvigil.scorer.monitoring import Incident, SeriesKey, SeriesState
from ragvigil.scorer.store._rows import incident_of, key_of, measurement_of
from ragvigil.scorer.store._sqlite_meta import remembered
from ragvigil.scorer.store._sqlite_monitoring import LAST_BUCKET, read_coverage
from ragvigil.scorer.store._sqlite_retention import BYTES_A_ROLLUP
from ragvigil.scorer.store._sqlite_seen import told_state
from ragvigil.scorer.store.reading_latest import STYLES_OF_EACH
from ragvigil.scorer.store.schema_version import refuse_earlier_version
from ragvigil.scorer.unusable import code_of, passes, refused

_BUSY_SECONDS = 10.0
_MISSED_TICKS = 4
"""Evaluations that may be late before a scorer counts as not running."""
_AS_WHOM = "run this as the user that the scorer runs as, for example with sudo -u USER"
_BESIDE = "a store is read with a file beside it"
_DELETED = ("records_expired", "records_expired_early", "records_forgotten")
_SERIES = f"SELECT s.*, {LAST_BUCKET} AS last FROM series s ORDER BY service, environment, series"  # noqa: S608 - ours
_CHANGES = (
    "SELECT * FROM (SELECT *, CASE source WHEN 'traffic' THEN lag(text) OVER "
    "(PARTITION BY source, service, environment, kind ORDER BY at, id) END AS before FROM changes) "
    "WHERE at >= ? AND at < ? AND (? IS NULL OR service IN (?, '')) "
    "AND (? IS NULL OR environment IN (?, '')) ORDER BY at DESC, id LIMIT ?"
)


@dataclass(frozen=True, slots=True)
class Ledger:
    """How many records stand in each state, and how many were ever ingested."""

    ingested: int
    states: dict[str, int]
    filtered: dict[str, int]
    """The filtered ones by reason."""
    dropped_spans: int = 0
    """Spans beyond the bounds of one trace."""
    lost_spans: int = 0
    """Spans that tracers in services say they lost."""
    not_finite: int = 0
    """Figures on spans that were NaN or infinite, and so unknown."""
    not_kept: int = 0
    """Late parts of stored traces that could not be redacted, and so were not kept."""
    after_content: int = 0
    """Late parts of traces whose content was gone already: spans, and what was said of the answer."""
    deleted: int = 0
    """Ingested ones that stand nowhere any more: by age, by the ceiling on disk, or forgotten."""
    without_verdict: dict[str, int] = field(default_factory=dict[str, int])
    """Of the judged ones, those whose verdict says nothing of the answer, by its state."""

    @property
    def told(self) -> dict[str, int]:
        """The states as people are told them: `judged` has a verdict that says something of the answer.

        What lacked content or passages is `not_scoreable`, an answer of the judge that nobody could read `failed`.

        >>> Ledger(9, {"judged": 9}, {}, without_verdict={"partial_evidence": 5, "unparseable": 1}).told
        {'judged': 3, 'not_scoreable': 5, 'failed': 1}
        """
        told = dict(self.states)
        for verdict, count in self.without_verdict.items():
            state = told_state("judged", verdict)
            told["judged"] -= count
            told[state] = told.get(state, 0) + count
        return {state: count for state, count in told.items() if count or state in self.states}

    @property
    def balanced(self) -> bool:
        """Whether every ingested record is in exactly one state.

        >>> Ledger(3, {"judged": 1, "checked_only": 2}, {}).balanced
        True
        """
        return self.ingested == sum(self.states.values()) + self.deleted


@dataclass(frozen=True, slots=True)
class SeriesStatus:
    """The latest evaluation of one series."""

    key: SeriesKey
    state: SeriesState
    evaluated_at: int | None
    before: Measurement | None
    now: Measurement | None
    last: int = 0
    """Start of its newest bucket, Unix nanoseconds."""
    first: int | None = None
    """Start of its first bucket."""


@dataclass(frozen=True, slots=True)
class Message:
    """One alert's way to one channel."""

    incident_id: str
    channel: str
    action: str
    attempts: int
    delivered_at: int | None
    refused_at: int | None
    reason: str | None


def open_for_reading(path: Path) -> sqlite3.Connection:
    """A read-only connection to a store that may be written at this moment.

    Raises StoreError when there is none.
    """
    _refuse_absent(path)
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=_BUSY_SECONDS)
    except sqlite3.Error as error:
        raise _unreadable(path, error) from error
    connection.row_factory = sqlite3.Row
    try:
        connection.execute("SELECT 1 FROM ledger LIMIT 1")
        refuse_earlier_version(connection, path)
    except sqlite3.Error as error:
        connection.close()
        raise _unreadable(path, error) from error
    except StoreError:
        connection.close()
        raise
    return connection


def _refuse_absent(path: Path) -> None:
    try:
        found = path.is_file()
    except OSError as error:  # its folder is another user's
        raise StoreError(f"{located(path)}: {why(error)}; {_AS_WHOM}") from None
    if not found:
        raise StoreError(
            f"{located(path)}: no such store; name the one of your scorer with --config or --store, "
            f"or start one with: ragvigil serve --store sqlite:///{path}"
        )


def _unreadable(path: Path, error: sqlite3.Error) -> StoreError:
    """Also to read it SQLite makes a file beside it, unless a scorer has it open; what hindered that is found out."""
    told = code_of(error)
    refusal = refused(path) if told in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR) else None
    if refusal is not None and refusal.errno == errno.EROFS:
        return StoreError(f"{located(path)}: its disk is read-only, and {_BESIDE}; read a copy elsewhere")
    if told == sqlite3.SQLITE_IOERR or (refusal is not None and passes(refusal)):
        hindered = why(refusal) if refusal else error
        return StoreError(
            f"{located(path)}: its disk is full or fails ({hindered}), and {_BESIDE}; make room there"
        )
    if told == sqlite3.SQLITE_CANTOPEN:
        return StoreError(f"{located(path)}: cannot be opened by this user; {_AS_WHOM}")
    if told == sqlite3.SQLITE_BUSY:
        return StoreError(f"{located(path)}: another process has locked it; try again in a moment")
    return StoreError(f"{located(path)}: not a ragvigil store ({error})")


def ledger(connection: sqlite3.Connection) -> Ledger:
    """The sums of the ledger, read in one statement so that they belong together."""
    rows = connection.execute(
        "SELECT state, CASE WHEN state IN ('filtered', 'judged') THEN reason END AS reason, count(*) AS records, "
        "(SELECT coalesce(max(value), 0) FROM counters WHERE name = 'ingested') AS ingested "
        "FROM ledger GROUP BY 1, 2 UNION ALL "
        "SELECT NULL, NULL, coalesce(sum(CASE WHEN name IN (?, ?, ?) THEN value END), 0), "
        "coalesce(max(CASE name WHEN 'ingested' THEN value END), 0) FROM counters",
        _DELETED,
    ).fetchall()
    states: dict[str, int] = {}
    filtered: dict[str, int] = {}
    without_verdict: dict[str, int] = {}
    for row in rows:
        if row["state"] is not None:
            states[row["state"]] = states.get(row["state"], 0) + row["records"]
        if row["state"] == "filtered" and row["reason"] is not None:
            filtered[row["reason"]] = row["records"]
        elif told_state("judged", row["reason"]) != "judged":
            without_verdict[row["reason"]] = row["records"]
    counts = dict(connection.execute("SELECT name, value FROM counters").fetchall())
    return Ledger(
        rows[-1]["ingested"],
        states,
        filtered,
        dropped_spans=counts.get("dropped_spans", 0),
        lost_spans=counts.get("lost_spans", 0),
        not_finite=counts.get("not_finite", 0),
        not_kept=counts.get("not_kept", 0),
        after_content=counts.get("after_content", 0),
        deleted=rows[-1]["records"],
        without_verdict=without_verdict,
    )


def verdicts(connection: sqlite3.Connection) -> dict[str, int]:
    """How many current verdicts there are of each state."""
    rows = connection.execute("SELECT state, count(*) FROM verdicts WHERE current GROUP BY state")
    return {row[0]: row[1] for row in rows}


def series(connection: sqlite3.Connection) -> Sequence[SeriesStatus]:
    """The latest evaluation of every series."""
    rows = connection.execute(_SERIES)
    return [
        SeriesStatus(
            key_of(row),
            row["state"],
            row["evaluated_at"],
            measurement_of(row["before"]),
            measurement_of(row["now"]),
            row["last"] or 0,
            row["first_bucket"],
        )
        for row in rows
    ]


def incidents(connection: sqlite3.Connection, limit: int = 20) -> Sequence[Incident]:
    """The open incidents and the latest ones, newest first."""
    rows = connection.execute(
        "SELECT * FROM incidents WHERE resolved_at IS NULL "
        "OR id IN (SELECT id FROM incidents ORDER BY opened_at DESC LIMIT ?) ORDER BY opened_at DESC",
        (limit,),
    )
    return [incident_of(row) for row in rows]


_MESSAGES = "SELECT incident_id, channel, action, attempts, delivered_at, refused_at, reason FROM outbox"


def messages(connection: sqlite3.Connection, limit: int = 100) -> Sequence[Message]:
    """The latest messages to channels, newest first."""
    rows = connection.execute(f"{_MESSAGES} ORDER BY id DESC LIMIT ?", (limit,))
    return [Message(**dict(row)) for row in rows]


def undelivered(connection: sqlite3.Connection) -> int:
    """How many messages wait for their channels."""
    row = connection.execute(
        "SELECT count(*) FROM outbox WHERE delivered_at IS NULL AND refused_at IS NULL"
    ).fetchone()
    return int(row[0])


def messages_about(connection: sqlite3.Connection, incident: str) -> Sequence[Message]:
    """All messages about one incident, oldest first."""
    rows = connection.execute(f"{_MESSAGES} WHERE incident_id = ? ORDER BY id", (incident,))
    return [Message(**dict(row)) for row in rows]


def coverage(connection: sqlite3.Connection, since: int) -> Sequence[Coverage]:
    """What arrived since then (Unix nanoseconds), by service and environment."""
    return read_coverage(connection, since)


def opinions(connection: sqlite3.Connection, since: int) -> Sequence[tuple[str, str, str | None, int]]:
    """Feedback on answers given since then: service, kind, label (``up``, ``down``) and how often."""
    rows = connection.execute(
        "SELECT r.service, json_extract(e.value, '$.name') AS kind, json_extract(e.value, '$.label') AS label, "
        "count(*) AS count "
        "FROM records r, json_each(r.feedback) e WHERE r.feedback <> '[]' AND r.started_at >= ? "
        "GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
        (since,),
    )
    return [(row["service"], row["kind"], row["label"], row["count"]) for row in rows]


@dataclass(frozen=True, slots=True)
class CitationStyle:
    """How one service usually cites."""

    service: str
    style: str
    share: float
    """Share of the markers of its latest answers that are written so, in [0, 1]."""
    markers: int
    """How many markers those answers have."""


def citation_styles(connection: sqlite3.Connection, latest: int = 2000) -> Sequence[CitationStyle]:
    """The most frequent style of each service that cites, over its `latest` records."""
    rows = connection.execute(STYLES_OF_EACH, {"latest": latest})
    counts: dict[str, dict[str, int]] = {}
    for service, style, markers in rows:
        counts.setdefault(service, {})[style] = markers
    return [
        CitationStyle(
            service,
            next(iter(styles)),
            next(iter(styles.values())) / sum(styles.values()),
            sum(styles.values()),
        )
        for service, styles in counts.items()
    ]


def alive_at(connection: sqlite3.Connection) -> int | None:
    """When the scorer last said that it lives, Unix nanoseconds."""
    found = remembered(connection, "alive_at")
    return None if found is None else int(found)


def lives(alive_at: int | None, now: int, tick_seconds: float) -> bool:
    """Whether a scorer that last said so at `alive_at`, and evaluates so often, lives at `now` (Unix nanoseconds).

    One whose clock was set back says so again by the new time; what lies ahead is of one that is gone.
    """
    return alive_at is not None and abs(now - alive_at) / 1e9 < _MISSED_TICKS * tick_seconds


def kept_state(connection: sqlite3.Connection, name: str) -> str | None:
    """The state that was last kept under that name."""
    return remembered(connection, f"state:{name}")


def changes(
    connection: sqlite3.Connection,
    *,
    since: int = 0,
    until: int = 2**63 - 1,
    service: str | None = None,
    environment: str | None = None,
    limit: int = 100,
) -> Sequence[Change]:
    """Changes with `since` <= at < `until` (Unix nanoseconds), newest first.

    With a service or environment: those there, and those told of all.
    """
    rows = connection.execute(_CHANGES, (since, until, service, service, environment, environment, limit))
    return [
        Change(
            row["id"],
            row["at"],
            row["kind"],
            row["text"],
            row["service"] or None,
            row["environment"] or None,
            row["source"],
            row["before"],
        )
        for row in rows
    ]


@dataclass(frozen=True, slots=True)
class Disk:
    """What a store takes, in bytes, and how many traces still have their content."""

    file_bytes: int
    used_bytes: int
    """Of the file; the rest is empty and used next."""
    rollup_bytes: int
    """About what rollups take of it, which never go."""
    log_bytes: int
    """The write-ahead log beside it."""
    traces_with_content: int
    expired: int
    """Traces whose content went by age."""
    expired_early: int
    """Traces whose content went because the store was over its ceiling."""
    records_expired: int
    """Ledger rows that went by age, with their records and scores."""
    records_expired_early: int
    """The same because the store was over its ceiling."""
    records_forgotten: int
    """Ledger rows that went by ``ragvigil forget``."""


def disk(connection: sqlite3.Connection, path: Path) -> Disk:
    """The size of the store at `path`, which the connection reads."""
    page, pages, free = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_size", "page_count", "freelist_count")
    )
    log = path.with_name(f"{path.name}-wal")
    counts = dict(connection.execute("SELECT name, value FROM counters").fetchall())
    return Disk(
        file_bytes=page * pages,
        used_bytes=page * (pages - free),
        rollup_bytes=BYTES_A_ROLLUP * counts.get("rollups", 0),
        log_bytes=log.stat().st_size if log.exists() else 0,
        traces_with_content=int(connection.execute("SELECT count(*) FROM traces").fetchone()[0]),
        expired=counts.get("content_expired", 0),
        expired_early=counts.get("content_expired_early", 0),
        records_expired=counts.get("records_expired", 0),
        records_expired_early=counts.get("records_expired_early", 0),
        records_forgotten=counts.get("records_forgotten", 0),
    )

"""RecordStore over one SQLite connection: traces, records, scores, ledger, rollups, watermark."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache

from ragvigil.scorer.inbox import Position
from ragvigil.scorer.redact import Pseudonyms
from ragvigil.scorer.series import citation_check
from ragvigil.scorer.store._json import storable, to_json
from ragvigil.scorer.store._packing import pack
from ragvigil.scorer.store._rows import (
    RECORD_COLUMNS,
    hash_of,
    position,
    record_of,
    record_row,
)
from ragvigil.scorer.store._sqlite_arrivals import SqliteArrivals
from ragvigil.scorer.store._sqlite_backlog import REASON as BACKLOG
from ragvigil.scorer.store._sqlite_changes import SqliteChanges
from ragvigil.scorer.store._sqlite_counters import SqliteCounters
from ragvigil.scorer.store._sqlite_erasures import SqliteErasures
from ragvigil.scorer.store._sqlite_instruments import SqliteInstruments
from ragvigil.scorer.store._sqlite_judgements import SqliteJudgements, count_judgement
from ragvigil.scorer.store._sqlite_leaks import note_leak
from ragvigil.scorer.store._sqlite_ledger import write_ledger
from ragvigil.scorer.store._sqlite_meta import remember
from ragvigil.scorer.store._sqlite_misdated import count_misdated
from ragvigil.scorer.store._sqlite_observations import SqliteObservations, weight_of
from ragvigil.scorer.store._sqlite_outgoing import SqliteOutgoing
from ragvigil.scorer.store._sqlite_renamed import follow
from ragvigil.scorer.store._sqlite_score_counts import SqliteScoreCounts
from ragvigil.scorer.store._sqlite_sightings import SqliteSightings
from ragvigil.scorer.store._sqlite_stored import stored_bytes, stored_traces
from ragvigil.scorer.store._sqlite_unread import count_unread
from ragvigil.scorer.store.port import (
    Job,
    Judgement,
    LedgerEntry,
    RawTrace,
    ScoredRecord,
    ScoredTrace,
    Taken,
)
from ragvigil.scorer.store.reading import kept_state
from ragvigil.scorer.verdict import CheckResult

_INSERT_RECORD = (
    f"INSERT INTO records (id, {', '.join(RECORD_COLUMNS)}) "
    f"VALUES (?, {', '.join('?' * len(RECORD_COLUMNS))}) "
    "ON CONFLICT (trace_id, span_id) DO UPDATE SET "
    + ", ".join(f"{column} = excluded.{column}" for column in RECORD_COLUMNS)
)
_TRACE_COLUMNS = (
    *("trace_id", "spans", "logs", "timed_out", "updated_at", "service", "environment", "span_count", "lost"),
    *("rules", "dropped"),
)
_FIRST = ("trace_id", "updated_at")
"""Of a trace that comes again these stay: content goes so long after it was first stored, whatever is said later."""
_INSERT_TRACE = (  # a row stays where it is: an erasure that runs looks at those that were there when it began
    f"INSERT INTO traces ({', '.join(_TRACE_COLUMNS)}) VALUES ({', '.join('?' * len(_TRACE_COLUMNS))}) "
    "ON CONFLICT (trace_id) DO UPDATE SET "
    + ", ".join(f"{column} = excluded.{column}" for column in _TRACE_COLUMNS if column not in _FIRST)
)
_NO_SPANS = "no_spans"


class SqliteRecords:
    """Records, scores and the ledger in one SQLite file; the caller's thread is its only writer."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        *,
        bucket_nanoseconds: int,
        pseudonyms: Pseudonyms,
        erasures: SqliteErasures,
        sighting_seconds: float | None = None,
        outgoing: SqliteOutgoing | None = None,
    ) -> None:
        """`sighting_seconds`: how late a record may be and still be seen by the detectors; None: there are none."""
        self._connection = connection
        self._observations = SqliteObservations(connection, bucket_nanoseconds=bucket_nanoseconds)
        self._sightings = SqliteSightings(connection, pseudonyms, late_seconds=sighting_seconds)
        self._changes = SqliteChanges(connection)
        self._arrivals = SqliteArrivals(connection)
        self._pseudonyms = pseudonyms
        self._erasures = erasures
        self._next_record = self._scalar("SELECT coalesce(max(id), 0) FROM records") + 1
        self._instruments = SqliteInstruments(connection)
        self._counters = SqliteCounters(connection)
        self._score_counts = SqliteScoreCounts(connection)
        self._outgoing = outgoing or SqliteOutgoing(connection, most=None)
        self._judgements = SqliteJudgements(
            connection, self._instruments, self._observations, self._score_counts
        )

    def watermark(self) -> Position | None:
        """The last inbox position whose outcome is committed."""
        return position(self._connection, "watermark")

    def counted_to(self) -> Position | None:
        """The last inbox position whose items are counted."""
        return position(self._connection, "counted_to")

    def raw(self, trace_ids: Collection[str]) -> Mapping[str, RawTrace]:
        """What is stored of those traces that were seen before."""
        return stored_traces(self._connection, self._erasures, trace_ids)

    def raw_bytes(self, trace_ids: Collection[str]) -> Mapping[str, int]:
        """How many bytes `raw` would give of those traces whose content is stored."""
        return stored_bytes(self._connection, trace_ids)

    def commit(
        self,
        traces: Sequence[ScoredTrace],
        watermark: Position | None,
        now: int,
        taken: Taken = Taken(),  # noqa: B008 - frozen
        states: Sequence[tuple[str, str]] = (),
    ) -> Sequence[Job]:
        """Write everything of these traces in one transaction; return what to judge."""
        with self._transaction():
            traces = self._erasures.without_forgotten(traces)
            known = self._known_records([trace.trace_id for trace in traces])
            packed = [_packed(trace.raw) for trace in traces]
            ids = [
                self._write_trace(trace, *texts, known.get(trace.trace_id, {}), now)
                for trace, texts in zip(traces, packed, strict=True)
            ]
            self._changes.put(taken.changes)
            self._counters.add("read_items", taken.items)
            self._counters.add("not_kept", taken.not_kept)
            self._counters.add("after_content", taken.after_content)
            count_unread(self._connection, self._counters, taken.unread, now)
            first = [trace for trace in traces if _is_new(known.get(trace.trace_id, {}))]
            count_misdated(self._connection, self._counters, first, now)
            self._arrivals.write(now)
            self._write_gathered()
            self._reach("watermark", watermark)
            self._reach("counted_to", taken.to)
            for name, state in states:
                self._keep(name, state)
        return [job for jobs in ids for job in jobs]

    def record_judgements(self, judgements: Sequence[Judgement], now: int) -> None:
        """Write verdicts and ledger states; one whose record has changed meanwhile is dropped."""
        with self._transaction():
            self._judgements.put(judgements, now)
            for judgement in judgements:
                count_judgement(self._counters, judgement)
                if judgement.verdict is not None:
                    self._outgoing.note(judgement.job.record_id, "verdict")
            self._write_gathered()

    def remember(self, name: str, state: str) -> None:
        """Keep a small state under a name, instead of what was kept there."""
        with self._transaction():
            self._keep(name, state)

    def recall(self, name: str) -> str | None:
        """The state that was last kept under that name."""
        return kept_state(self._connection, name)

    def pending(self) -> Sequence[Job]:
        """Every record that waits for a verdict, oldest first."""
        rows = self._connection.execute(
            "SELECT r.*, t.spans, l.inclusion FROM ledger l JOIN records r USING (trace_id, span_id) "
            "JOIN traces t USING (trace_id) "
            "WHERE l.state = 'pending' ORDER BY l.updated_at"
        )
        return [Job(row["id"], row["input_hash"], record_of(row), row["inclusion"]) for row in rows]

    @contextmanager
    def _transaction(self) -> Generator[None]:
        try:
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                yield
        except BaseException:
            self._instruments.forget()
            self._counters.forget()
            self._score_counts.forget()
            self._observations.forget()
            self._outgoing.forget()
            self._changes.forget()
            self._sightings.forget()
            self._arrivals.forget()
            raise

    def _write_gathered(self) -> None:
        """What is written once a transaction, not once a record."""
        self._counters.write()
        self._score_counts.write()
        self._observations.write()
        self._outgoing.write()

    def _known_records(self, trace_ids: Sequence[str]) -> Mapping[str, dict[str, sqlite3.Row]]:
        known: dict[str, dict[str, sqlite3.Row]] = defaultdict(dict)
        marks = ", ".join("?" * len(trace_ids))
        rows = self._connection.execute(
            "SELECT l.trace_id, l.span_id, l.state, l.reason, l.inclusion, r.id, r.version, r.input_hash "
            "FROM ledger l LEFT JOIN records r USING (trace_id, span_id) "
            f"WHERE l.trace_id IN ({marks})",
            trace_ids,
        )
        for row in rows:
            known[row["trace_id"]][row["span_id"]] = row
        return known

    def _write_trace(
        self, trace: ScoredTrace, spans: bytes, logs: bytes | None, known: dict[str, sqlite3.Row], now: int
    ) -> list[Job]:
        place = (storable(trace.service or ""), storable(trace.environment or ""))
        figures = (trace.span_count, trace.lost, " ".join(sorted(trace.raw.rules)), trace.raw.dropped)
        self._connection.execute(
            _INSERT_TRACE, (trace.trace_id, spans, logs, trace.timed_out, now, *place, *figures)
        )
        kept = {scored.record.span_id for scored in trace.records} or {""}
        if known.keys() - kept:  # what is followed stands in `known` under its new span from here on
            follow(self._connection, trace.trace_id, known, [scored.record for scored in trace.records])
        for span_id, row in known.items():
            if span_id not in kept:
                self._withdraw(trace.trace_id, span_id, row["id"])
        self._counters.add("dropped_spans", trace.dropped)
        new = _is_new(known)
        if new:
            self._counters.add("lost_spans", trace.lost)
            self._counters.add("not_finite", trace.not_finite)
        answered = sum(row["state"] != "filtered" for row in known.values())
        self._arrivals.add(place, trace, new=new, known=answered)
        self._counters.add("ingested", len(kept - known.keys()) - len(known.keys() - kept))
        if not trace.records:
            write_ledger(self._connection, trace.trace_id, "", _of_no_record(trace), now)
        jobs = (
            self._write_record(scored, known.get(scored.record.span_id), trace.raw.spans, now)
            for scored in trace.records
        )
        return [job for job in jobs if job is not None]

    def _write_record(
        self, scored: ScoredRecord, known: sqlite3.Row | None, spans: bytes, now: int
    ) -> Job | None:
        record, fresh_hash = scored.record, hash_of(scored.record)
        unchanged = known is not None and known["input_hash"] == fresh_hash
        filtered, state = scored.ledger.state == "filtered", None if known is None else known["state"]
        version = 1 if known is None or known["version"] is None else known["version"] + (not unchanged)
        record_id = self._take_id() if known is None or known["id"] is None else int(known["id"])
        self._connection.execute(
            _INSERT_RECORD, (record_id, *record_row(record, version, fresh_hash, self._pseudonyms, spans))
        )
        self._changes.meet(record)
        if known is not None:
            self._retire(record_id, verdicts=not unchanged or filtered)
        self._write_scores(record_id, fresh_hash, scored.checks, now)
        if not filtered:
            note_leak(self._connection, record_id, scored, new=known is None, again=unchanged)
        self._observe_citation(record_id, scored, now, fresh=known is None, unchanged=unchanged)
        if not filtered and (not unchanged or state == "filtered"):
            self._outgoing.note(record_id, "checks")
        self._sightings.put(record_id, scored, now, new=state in (None, "filtered"))
        if known is not None and unchanged and not filtered and state not in ("shed", "filtered"):
            if state == "judged":
                self._observations.follow(record_id, record, weight_of(record, known["inclusion"]))
            return None  # it waits for its verdict, or has it, under the inclusion probability it began with
        entry = scored.ledger if known is None else _kept(known, scored.ledger)
        write_ledger(self._connection, record.trace_id, record.span_id, entry, now)
        if entry.state != "pending":
            return None
        return Job(record_id, fresh_hash, record, entry.inclusion)

    def _retire(self, record_id: int, *, verdicts: bool) -> None:
        """Old scores stay, but are no longer current; a verdict stays current while its input does."""
        judged = (
            "" if verdicts else " AND instrument_id IN (SELECT id FROM instruments WHERE judge_version = '')"
        )
        self._connection.execute(f"UPDATE scores SET current = 0 WHERE record_id = ?{judged}", (record_id,))
        if verdicts:
            self._connection.execute("UPDATE verdicts SET current = 0 WHERE record_id = ?", (record_id,))
            self._observations.remove_judged(record_id)

    def _observe_citation(
        self, record_id: int, scored: ScoredRecord, now: int, *, fresh: bool, unchanged: bool
    ) -> None:
        check = citation_check(scored.checks)
        if check is None or check.value is None or scored.awaited:
            if not fresh:
                self._observations.remove(record_id, "citation")
            return
        instrument = self._instruments.check(check.check, check.version)
        weight = weight_of(scored.record, 1.0)
        stood = self._observations.put(
            record_id, scored.record, "citation", instrument, check.value, weight, new=fresh
        )
        if not (unchanged and stood):
            self._score_counts.add(check.check, instrument, scored.record, check.value, now)

    def _write_scores(
        self, record_id: int, input_hash: bytes, checks: Sequence[CheckResult], now: int
    ) -> None:
        values: list[object] = [record_id, input_hash, now]
        instruments = self._instruments.checks(checks)
        for instrument, (_, _, value, reason, details) in zip(instruments, checks, strict=True):
            values += (instrument, value, reason, to_json(dict(details)) if details else None)
        if checks:
            self._connection.execute(_insert_scores(len(checks)), values)

    def _withdraw(self, trace_id: str, span_id: str, record_id: int | None) -> None:
        """Take back a record that later spans have shown to be none."""
        self._connection.execute("DELETE FROM ledger WHERE trace_id = ? AND span_id = ?", (trace_id, span_id))
        if record_id is None:
            return
        self._observations.remove(record_id)
        by_record = ("sightings", "rejudged", "canaries", "label_wishes", "leaks", "scores", "verdicts")
        for table, column in (*((table, "record_id") for table in by_record), ("records", "id")):
            self._connection.execute(
                f"DELETE FROM {table} WHERE {column} = ?",
                (record_id,),
            )

    def _reach(self, name: str, place: Position | None) -> None:
        if place is not None:
            remember(self._connection, name, f"{place.segment}:{place.row}")

    def _take_id(self) -> int:
        taken = self._next_record
        self._next_record += 1
        return taken

    def _keep(self, name: str, state: str) -> None:
        remember(self._connection, f"state:{name}", state)

    def _scalar(self, query: str, values: Sequence[object] = ()) -> int:
        return int(self._connection.execute(query, values).fetchone()[0])


@lru_cache(maxsize=64)
def _insert_scores(count: int) -> str:
    """One statement for all scores of a record, in half the time of one for each.

    Late spans may change how long an answer took or why it ended, and not what was asked and answered: then the
    score is of the same input, and its value is what is known now.
    """
    places = (
        f"(?1, ?{4 + 4 * n}, ?2, ?{5 + 4 * n}, ?{6 + 4 * n}, ?{7 + 4 * n}, 1, ?3)" for n in range(count)
    )
    return (
        "INSERT INTO scores (record_id, instrument_id, input_hash, value, reason, details, current, created_at) "
        f"VALUES {', '.join(places)} ON CONFLICT DO UPDATE SET "
        "current = 1, value = excluded.value, reason = excluded.reason, details = excluded.details"
    )


def _is_new(known: Mapping[str, sqlite3.Row]) -> bool:
    """Whether nothing but log events of a trace was known: one that is read again says all of it again."""
    return all(row["reason"] == _NO_SPANS for row in known.values())


def _packed(raw: RawTrace) -> tuple[bytes, bytes | None]:
    """Spans and logs of a trace as they are stored."""
    return pack(raw.spans), pack(raw.logs) if raw.logs else None


def _of_no_record(trace: ScoredTrace) -> LedgerEntry:
    """Why a trace has no record: log events, feedback for one, may come before the spans that they belong to."""
    if trace.failure:
        return LedgerEntry("failed", 0.0, trace.failure)
    return LedgerEntry("filtered", 0.0, "no_question" if trace.raw.spans else _NO_SPANS)


def _kept(known: sqlite3.Row, fresh: LedgerEntry) -> LedgerEntry:
    """What a record that changed is decided: as before, for a second draw at another rate would bias the mean."""
    inclusion = known["inclusion"]
    if inclusion <= 0.0 or fresh.inclusion <= 0.0 or known["state"] == "filtered":
        return fresh
    if known["state"] == "checked_only" or (known["state"], known["reason"]) == ("expired", BACKLOG):
        return LedgerEntry(known["state"], inclusion, known["reason"])
    if fresh.state == "shed":
        return LedgerEntry("shed", inclusion, fresh.reason)
    return LedgerEntry("pending", inclusion)

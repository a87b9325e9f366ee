"""What erasure needs of one SQLite file, and what keeps the forgotten from coming back."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime

from ragvigil.scorer.erasure.forgetting import Found, Removed, Wanted, tombstone
from ragvigil.scorer.moments import unix_nanoseconds
from ragvigil.scorer.redact import Pseudonyms, logs_without, persons_in
from ragvigil.scorer.span import spans_of
from ragvigil.scorer.store._packing import pack, unpack
from ragvigil.scorer.store._sqlite_deletion import count, delete_traces, take_out_examples
from ragvigil.scorer.store.port import ScoredTrace

_RECORDS_A_LOOK = 1_000
_TRACES_A_LOOK = 200
_NEVER = 2**64
_REMOVED = "<REMOVED>"
_SAID = (("changes", "text"), ("labels", "note"), ("silences", "comment"), ("acknowledgements", "note"))
"""What people write in their own words: they name whom they write about."""
_KNOWN = "SELECT 1 FROM ledger WHERE trace_id = ? UNION SELECT 1 FROM traces WHERE trace_id = ?"


class SqliteErasures:
    """Looks through the store for one request at a time; every call is one short transaction of the writing thread."""

    def __init__(self, connection: sqlite3.Connection, pseudonyms: Pseudonyms) -> None:
        self._connection = connection
        self._pseudonyms = pseudonyms
        self._record = self._trace = 0
        self._last = (0, 0)
        """Record and trace that were the newest when the request was noted."""
        self._moments = self._known()

    def begin(self, wanted: Wanted, at: int) -> int:
        """Note the request by a digest; how many marks, notes and comments named the id."""
        self._record = self._trace = 0
        with self._transaction():
            self._last = (self._newest("id", "records"), self._newest("rowid", "traces"))
            self._connection.execute(
                "INSERT INTO erasures (kind, digest, at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET at = excluded.at",
                (wanted.kind, self._digest(wanted.kind, wanted.id), at),
            )
            if wanted.kind == "trace":
                self.keep_out([wanted.id])
            changes = self._clean_notes(wanted)
        self._moments = self._known()
        return changes

    def look(self, wanted: Wanted) -> Found:
        """The next stretch: records first, then raw spans and log records, which also name who is in no record.

        What has come since is let in or not as it comes: under load the look would never reach its end.
        """
        if wanted.kind == "trace":
            known = self._connection.execute(_KNOWN, (wanted.id, wanted.id)).fetchone()
            return Found([wanted.id] if known else [], [], more=False)
        found = self._look_at_records(wanted)
        return found if found is not None else self._look_at_traces(wanted)

    def erase(self, traces: Collection[str]) -> Removed:
        """Delete these traces for good."""
        with self._transaction():
            self.keep_out(traces)
            messages = take_out_examples(self._connection, traces)
            return Removed(delete_traces(self._connection, traces, counter="records_forgotten"), messages)

    def erase_opinions(self, wanted: Wanted, traces: Sequence[str]) -> None:
        """Take the feedback that the person gave out of others' traces."""
        names = self._names(wanted.id)
        with self._transaction():
            for trace_id in traces:
                logs = self._connection.execute(
                    "SELECT logs FROM traces WHERE trace_id = ?", (trace_id,)
                ).fetchone()[0]
                self._connection.execute(
                    "UPDATE traces SET logs = ? WHERE trace_id = ?",
                    (pack(logs_without(unpack(logs), lambda name, _: name in names)), trace_id),
                )
                for row in self._connection.execute(
                    "SELECT id, feedback FROM records WHERE trace_id = ?", (trace_id,)
                ).fetchall():
                    kept = [item for item in json.loads(row["feedback"]) if item.get("user_id") not in names]
                    self._connection.execute(
                        "UPDATE records SET feedback = ? WHERE id = ?",
                        (json.dumps(kept, ensure_ascii=False, separators=(",", ":")), row["id"]),
                    )

    def clear_log(self) -> bool:
        """Empty the write-ahead log; False while somebody reads in it."""
        patience = self._connection.execute("PRAGMA busy_timeout").fetchone()[0]
        self._connection.execute("PRAGMA busy_timeout = 50")
        try:
            return not self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        finally:
            self._connection.execute(f"PRAGMA busy_timeout = {patience:d}")

    def bar(self, traces: Sequence[str]) -> None:
        """Note that these traces, which never were in the store, never come in."""
        with self._transaction():
            self.keep_out(traces)

    def keep_out(self, traces: Iterable[str]) -> None:
        """Note, within the caller's transaction, that these traces never come back."""
        self._connection.executemany(
            "INSERT OR IGNORE INTO forgotten (digest) VALUES (?)",
            [(tombstone(trace_id),) for trace_id in traces],
        )

    def kept_out(self, trace_ids: Sequence[str]) -> Sequence[str]:
        """Those of the traces that never come back."""
        if not self._moments:
            return ()
        digests = {tombstone(trace_id): trace_id for trace_id in trace_ids}
        marks = ", ".join("?" * len(digests))
        rows = self._connection.execute(
            f"SELECT digest FROM forgotten WHERE digest IN ({marks})", tuple(digests)
        )
        return [digests[row[0]] for row in rows]

    def without_forgotten(self, traces: Sequence[ScoredTrace]) -> Sequence[ScoredTrace]:
        """Those that may be stored, within the caller's transaction; what was on its way when it was forgotten may not.

        So is what began before the request and comes by another import; what had been received before it may say by
        its sender's clock that it began later. Where a late span names the person, what is stored of its trace already
        goes, too.
        """
        if not self._moments:
            return traces
        barred = [trace.trace_id for trace in traces if self._concerns(trace)]
        if barred:
            self.keep_out(barred)
            count(self._connection, "traces_kept_out", len(barred))
            take_out_examples(self._connection, barred)
            delete_traces(self._connection, barred, counter="records_forgotten")
        return [self._without_opinions(trace) for trace in traces if trace.trace_id not in barred]

    def names(self, wanted: Wanted, spans: bytes, logs: bytes) -> bool:
        """Whether redacted spans and log records name the person or conversation."""
        return not self._names(wanted.id).isdisjoint(persons_in(spans, logs))

    def _concerns(self, trace: ScoredTrace) -> bool:
        starts = {scored.record.started_at for scored in trace.records}
        received = trace.received_at or _NEVER
        began = min(starts or {span.start for span in spans_of(trace.raw.spans)}, default=_NEVER)
        began = min(began, received)
        if began > max(self._moments.values()):
            return False
        asked = [
            (name, min(scored.record.started_at, received))
            for scored in trace.records
            for name in (scored.record.user_id, scored.record.conversation_id)
            if name is not None
        ]
        beside = persons_in(trace.raw.spans) - {name for name, _ in asked}
        return any(self._is_barred(*one) for one in (*asked, *((name, began) for name in beside)))

    def _without_opinions(self, trace: ScoredTrace) -> ScoredTrace:
        """The trace without what the forgotten said of it before they asked for that: it may be another's."""
        if not trace.raw.logs:
            return trace
        received = trace.received_at or _NEVER

        def barred(name: str, said_at: int) -> bool:
            return self._is_barred(name, min(said_at, received))

        records = tuple(
            replace(
                scored, record=replace(scored.record, feedback=_remaining(scored.record.feedback, barred))
            )
            for scored in trace.records
        )
        logs = logs_without(trace.raw.logs, barred)
        return replace(trace, raw=replace(trace.raw, logs=logs), records=records)

    def _is_barred(self, name: str, began: int) -> bool:
        return any(
            began <= self._moments.get((kind, self._digest(kind, name)), -1)
            for kind in ("user", "conversation")
        )

    def _look_at_records(self, wanted: Wanted) -> Found | None:
        """Their next stretch; None when they were all looked at."""
        column = "user_id" if wanted.kind == "user" else "conversation_id"
        rows = self._connection.execute(
            f"SELECT id, trace_id, {column} FROM records WHERE id > ? AND id <= ? ORDER BY id LIMIT ?",
            (self._record, self._last[0], _RECORDS_A_LOOK),
        ).fetchall()
        if not rows:
            return None
        self._record = rows[-1][0]
        names = self._names(wanted.id)
        return Found({row[1] for row in rows if row[2] in names}, [], more=True)

    def _look_at_traces(self, wanted: Wanted) -> Found:
        rows = self._connection.execute(
            "SELECT rowid, trace_id, spans, logs FROM traces WHERE rowid > ? AND rowid <= ? ORDER BY rowid LIMIT ?",
            (self._trace, self._last[1], _TRACES_A_LOOK),
        ).fetchall()
        if rows:
            self._trace = rows[-1][0]
        own, told = list[str](), list[str]()
        names = self._names(wanted.id)
        for _, trace_id, spans, logs in rows:
            if _named(unpack(spans), b"", names):
                own.append(trace_id)
            elif logs and _named(b"", unpack(logs), names):
                told.append(trace_id)
        return Found(own, told, more=len(rows) == _TRACES_A_LOOK)

    def _clean_notes(self, wanted: Wanted) -> int:
        names = "|".join(re.escape(name) for name in sorted(self._names(wanted.id), key=len, reverse=True))
        named = re.compile(rf"(?<!\w)(?:{names})(?!\w)")
        count = 0
        for table, column in _SAID:
            rows = self._connection.execute(f"SELECT {column} FROM {table} WHERE {column} <> ''").fetchall()
            found = [(named.sub(_REMOVED, row[0]), row[0]) for row in rows if named.search(row[0])]
            self._connection.executemany(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", set(found))
            count += len(found)
        return count

    def _newest(self, column: str, table: str) -> int:
        return int(self._connection.execute(f"SELECT coalesce(max({column}), 0) FROM {table}").fetchone()[0])

    def _names(self, name: str) -> frozenset[str]:
        """All that an id may be stored as, also under the other setting of `store.user_ids`."""
        return frozenset({name, self._pseudonyms.of(name), self._pseudonyms.hashed(name)})

    def _digest(self, kind: str, name: str) -> str:
        return self._pseudonyms.digest(f"{kind}:{self._pseudonyms.of(name)}")

    def _known(self) -> dict[tuple[str, str], int]:
        rows = self._connection.execute("SELECT kind, digest, at FROM erasures")
        return {(row[0], row[1]): row[2] for row in rows}

    @contextmanager
    def _transaction(self) -> Generator[None]:
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            yield


def _remaining(
    opinions: Iterable[Mapping[str, object]], barred: Callable[[str, int], bool]
) -> tuple[Mapping[str, object], ...]:
    return tuple(
        item
        for item in opinions
        if not isinstance(user := item.get("user_id"), str) or not barred(user, _moment(item.get("at")))
    )


def _moment(told: object) -> int:
    """Unix nanoseconds of a moment as feedback has it; 0, before any request, when it has none."""
    return unix_nanoseconds(datetime.fromisoformat(told)) if isinstance(told, str) else 0


def _named(spans: bytes, logs: bytes, names: frozenset[str]) -> bool:
    """Whether a payload names one of them; most do not hold its bytes at all, and are not parsed."""
    payload = spans + logs
    return any(name.encode() in payload for name in names) and not names.isdisjoint(persons_in(spans, logs))

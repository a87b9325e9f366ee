"""From inbox rows to committed scores: assemble, redact, read, check, decide the sample, write.

One thread runs it, and that thread is the only writer of the store.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from google.protobuf.message import DecodeError

from ragvigil.scorer.assembly.assemble import Assembled, Assembler
from ragvigil.scorer.assembly.payload import Top, look
from ragvigil.scorer.changes import Change, changes_of
from ragvigil.scorer.dialects import DIALECTS, Dialect
from ragvigil.scorer.dialects.custom import failures_of
from ragvigil.scorer.inbox import MOST_BYTES_A_READ, InboxRow, Position
from ragvigil.scorer.passed_time import steady
from ragvigil.scorer.redact.payload import Redaction
from ragvigil.scorer.sample import Pressure
from ragvigil.scorer.scoring.checking import Checking
from ragvigil.scorer.scoring.draws import SAMPLER, Draws, SamplePlan
from ragvigil.scorer.scoring.filtering import Filters
from ragvigil.scorer.scoring.portions import MOST_A_COMMIT, exceeds_a_commit, of_a_commit, together
from ragvigil.scorer.scoring.queue_room import QueueRoom
from ragvigil.scorer.scoring.trace_scoring import Arrived, TraceScoring
from ragvigil.scorer.signals.arriving import Arriving
from ragvigil.scorer.store.port import Job, Judgement, RawTrace, RecordStore, ScoredTrace, Taken

_log = logging.getLogger(__name__)

_ROWS_A_TURN = 500
_TIDY_NANOSECONDS = 1_000_000_000
_REMEMBER_NANOSECONDS = 60 * 1_000_000_000
_BAD_DATA = (
    *(sqlite3.DataError, sqlite3.IntegrityError, sqlite3.ProgrammingError),
    *(ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError),
)
"""What a record may raise that nobody can store: it costs itself, and trying again would not help."""


class Turn(NamedTuple):
    """What one turn did."""

    worked: bool
    """Whether there was anything to do."""
    jobs: Sequence[Job]
    """Records to judge."""
    verdicts: int
    """Verdicts written."""
    stored: int
    """Traces written."""


class Inbox(Protocol):
    """Where rows come from, in order: the inbox of a running scorer, or a recording."""

    def read(self, after: Position | None, limit: int, /) -> Sequence[InboxRow]:
        """At most `limit` rows after `after` (None: from the oldest); [] when there is nothing new."""
        ...

    def discard(self, before: Position) -> int:
        """Let go of what is done: rows before `before`."""
        ...


class Pipeline:
    """The journey of a trace, one turn at a time."""

    def __init__(
        self,
        *,
        inbox: Inbox,
        assembler: Assembler,
        store: RecordStore,
        plan: SamplePlan,
        redaction: Redaction,
        dialects: Sequence[Dialect] = DIALECTS,
        filters: Filters | None = None,
        checking: Checking | None = None,
        now: Callable[[], int] = time.time_ns,
        ticks: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._inbox = inbox
        self._assembler = assembler
        self._store = store
        self._redaction = redaction
        self._dialects = dialects
        self.room = QueueRoom(plan.max_jobs, plan.told)
        """Who waits for the judge."""
        self.draws = Draws(store.recall(SAMPLER), plan, waiting=lambda: len(self.room))
        self.sampler = self.draws.sampler
        self._scoring = TraceScoring(
            sampler=self.sampler,
            room=self.room,
            redaction=redaction,
            max_bytes=assembler.max_trace_bytes,
            max_spans=assembler.max_trace_spans,
            dialects=dialects,
            filters=filters,
            checking=checking,
            arriving=Arriving(plan.signals),
            now=(moment := steady(now, ticks)),
        )
        self._now, self._moment = now, moment
        self._ticks = ticks
        self._read_to: Position | None = store.watermark()
        self._committed: Position | None = self._read_to
        self._counted: Position | None = store.counted_to()
        self._taken = Taken()
        self._assembled: list[Assembled] = []
        self._turned_at, self._stood = ticks(), 0
        """The last turn, and how long nothing was read because enough waited: no trace ends meanwhile."""
        self._unread_since: int | None = None
        """When that had been received to which it has read; None when there was no more."""
        self._caught_up = False
        self._reading: int | None = None
        self._judgements: list[Judgement] = []
        self._jobs: list[Job] = []
        """Committed, and not handed out yet."""
        self._tidied_at = 0
        self._remembered_at = ticks()

    @property
    def open_traces(self) -> int:
        """Traces that are not complete yet."""
        return self._assembler.open_traces

    @property
    def caught_up(self) -> bool:
        """Whether all that had arrived at the last turn has been read, and what of it is complete is stored."""
        return self._caught_up

    @property
    def unfinished(self) -> tuple[Position | None, set[str]]:
        """Up to where it has read, and the traces of there that are not stored yet."""
        return self._read_to, {*self._assembler.open_ids, *(item.trace_id for item in self._assembled)}

    @property
    def reading(self) -> int | None:
        """When what is being read, or waits to be stored, had been received, Unix nanoseconds; None when caught up."""
        return self._reading

    @property
    def waiting(self) -> int:
        """Records that wait for the judge."""
        return len(self.room)

    @property
    def pressures(self) -> Sequence[Pressure]:
        """How near each limit of the sample is."""
        return self.sampler.pressures(self._moment() / 1e9)

    def expect(self, jobs: Sequence[Job]) -> None:
        """Count records that somebody else gave to the judge: their verdicts come here."""
        self.room.add(jobs)

    def resume(self) -> Sequence[Job]:
        """The records that waited for a verdict when the last process ended, to be handed out again."""
        jobs = self._store.pending()
        self.room.add(jobs)
        return jobs

    def unremember(self, trace_ids: Iterable[str]) -> None:
        """Let go of the texts of traces that were erased."""
        self._scoring.notes.held.drop(trace_ids)

    def judged(self, judgements: Sequence[Judgement]) -> None:
        """Take verdicts; the next turn writes them, and the one after it if that one cannot."""
        self._judgements += judgements

    def turn(self) -> Turn:
        """Take what has arrived one step further. What it raises leaves nothing lost: turn again."""
        verdicts = self._write_judgements()
        ticks = self._ticks()  # a clock that is set must not end or keep a trace
        rows: Sequence[InboxRow] = ()
        if exceeds_a_commit(self._assembled):
            self._stood += ticks - self._turned_at
        else:
            rows = self._read(ticks - self._stood)
        self._turned_at = ticks
        batch = self._batch()
        try:
            self._commit(batch)
        finally:
            self._reading = min((item.heard_at for item in self._assembled), default=self._unread_since)
            self._caught_up = self._reading is None
        self._tidy(ticks)
        jobs, self._jobs = self._jobs, []
        return Turn(bool(rows or self._assembled or verdicts), jobs, verdicts, len(batch))

    def _read(self, ticks: int) -> Sequence[InboxRow]:
        """Put what has arrived to its traces, and those that are complete to what is to be stored."""
        rows = self._inbox.read(self._read_to, _ROWS_A_TURN)
        more = len(rows) >= _ROWS_A_TURN or sum(len(row.payload) for row in rows) >= MOST_BYTES_A_READ
        self._unread_since = rows[-1].received_at if more else None
        opened: set[str] = set()
        self._take(rows)
        for row in rows:
            if row.kind != "changes" and row.payload:
                new = self._assembler.add(
                    row.position, row.kind, row.trace_id, row.payload, ticks, received_at=row.received_at
                )
                if new:
                    opened.add(row.trace_id)
            self._read_to = row.position
        self._tell_known_roots(opened)
        self._assembled += self._assembler.due(ticks)
        return rows

    def _take(self, rows: Sequence[InboxRow]) -> None:
        """Count each row once, also over restarts, which read those after the watermark again; read changes."""
        if rows and self._read_to is not None and rows[0].position <= self._read_to:
            self._counted = None  # the folder was emptied and is numbered anew
        fresh = [row for row in rows if self._counted is None or row.position > self._counted]
        told = (self._changes(row) for row in rows if row.kind == "changes")
        if fresh:
            self._counted = fresh[-1].position
        self._taken = Taken(
            self._counted,
            self._taken.items + sum(row.items for row in fresh),
            (*self._taken.changes, *(change for changes in told for change in changes)),
        )

    def _changes(self, row: InboxRow) -> Iterable[Change]:
        try:
            return changes_of(self._redaction.logs(row.payload, notes=True))
        except DecodeError:
            return ()

    def _tell_known_roots(self, trace_ids: Collection[str]) -> None:
        """Late spans of a stored trace need not wait for a root that came before them."""
        for trace_id in self._store.raw_bytes(trace_ids) if trace_ids else ():  # one in memory at a time
            if look(self._store.raw([trace_id])[trace_id].spans).top is Top.ROOT:
                self._assembler.root_is_known(trace_id)

    def _write_judgements(self) -> int:
        batch = self._judgements
        if not batch:
            return 0
        try:
            self._store.record_judgements(batch, self._now())
        except _BAD_DATA:
            _log.exception("a verdict cannot be stored; storing the others of its batch one by one")
            for judgement in batch:
                self._write_judgement(judgement)
                self._written([judgement])
        else:
            self._written(batch)
        return len(batch)

    def _written(self, batch: Sequence[Judgement]) -> None:
        """What is written is written once, also where the disk is full before the next is."""
        self._judgements = self._judgements[len(batch) :]
        self.room.remove(judgement.job for judgement in batch)
        self.draws.charge(batch)

    def _write_judgement(self, judgement: Judgement) -> None:
        try:
            self._store.record_judgements([judgement], self._now())
        except _BAD_DATA as error:
            failed = Judgement(judgement.job, None, f"store: {type(error).__name__}")
            self._store.record_judgements([failed], self._now())

    def _tidy(self, ticks: int) -> None:
        """Let go of content that is unredacted and must not stay: of inbox segments that are done, and in memory."""
        if ticks - self._remembered_at >= _REMEMBER_NANOSECONDS:
            self._remembered_at = ticks
            self.leave()
        if self._committed is not None and ticks - self._tidied_at >= _TIDY_NANOSECONDS:
            self._tidied_at = ticks
            self._scoring.notes.held.tidy()
            self._inbox.discard(Position(self._committed.segment, self._committed.row + 1))

    def _batch(self) -> Sequence[Assembled]:
        """What is written next."""
        first = {item.trace_id for item in self._assembled[:MOST_A_COMMIT]}
        return of_a_commit(self._assembled, self._store.raw_bytes(first)) if first else ()

    def _commit(self, assembled: Sequence[Assembled]) -> None:
        watermark = self._covered(self._assembled[len(assembled) :])
        if not assembled and watermark == self._committed and not self._taken.changes:
            return
        before = self.sampler.state()
        try:
            scored = self._score(assembled)
            self._write(scored, watermark, self._taken)
        except BaseException:
            self.sampler.go_back_to(before)  # what is not stored is decided again
            raise
        finally:
            self.room.stored()
        del self._assembled[: len(assembled)]  # only now: a failed commit is tried again
        self._taken = Taken()
        self._committed = watermark

    def _covered(self, unwritten: Iterable[Assembled]) -> Position | None:
        """The last position of which nothing is open any more."""
        open_positions = [item.first_position for item in unwritten]
        oldest = self._assembler.oldest()
        if oldest is not None:
            open_positions.append(oldest)
        if not open_positions:
            return self._read_to
        first = min(open_positions)
        return Position(first.segment, first.row - 1)

    def _write(self, traces: Sequence[ScoredTrace], watermark: Position | None, taken: Taken) -> None:
        try:
            self._put(traces, watermark, taken)
        except _BAD_DATA:
            if len(traces) > 1:
                _log.warning("a batch could not be stored; storing its traces one by one")
                for trace in traces:
                    self._write([trace], None, Taken())
                self._write([], watermark, taken)
                return
            if not traces:
                raise
            _log.exception("trace %s could not be stored", traces[0].trace_id)
            failed = replace(traces[0], records=(), failure="store", dropped=0, lost=0, not_finite=0)
            self._put([failed], watermark, taken)

    def _put(self, traces: Sequence[ScoredTrace], watermark: Position | None, taken: Taken) -> None:
        """Commit; the jobs are held until a turn ends well: once stored, a trace that is tried again makes none."""
        draws = any(each.ledger.state == "pending" for trace in traces for each in trace.records)
        states = [(SAMPLER, self._sampler_state())] if draws else []
        jobs = self._store.commit(traces, watermark, self._now(), taken, states)
        self._jobs += jobs
        self.room.add(jobs)

    def leave(self) -> None:
        """Keep for the next process what this one remembers of sampling."""
        self._store.remember(SAMPLER, self._sampler_state())

    def _sampler_state(self) -> str:
        return self.draws.text(self._moment() / 1e9)

    def _score(self, assembled: Sequence[Assembled]) -> list[ScoredTrace]:
        before = failures_of(self._dialects)
        known = self._store.raw([item.trace_id for item in assembled])
        traces: list[ScoredTrace] = []
        not_kept = after_content = 0
        for group in together(assembled, known):
            redacted: list[tuple[Assembled, Arrived | None]] = []
            for received in group:
                stored = known.get(received.trace_id)
                if stored is not None and stored.gone:
                    after_content += 1
                    _log.info("trace %s: spans that came after its content was taken out", received.trace_id)
                else:
                    redacted.append((received, self._scoring.redacted(received, stored)))
            arrived = [one for _, one in redacted if one is not None]
            scored = iter(self._scoring.score(arrived))
            for received, one in redacted:
                if one is not None:
                    trace = next(scored)
                elif received.trace_id in known:
                    not_kept += 1
                    continue
                else:
                    nothing = RawTrace(b"", b"")
                    trace = ScoredTrace(received.trace_id, nothing, received.timed_out, failure="read")
                if trace is not None:
                    traces.append(trace)
        unread = failures_of(self._dialects) - before
        # not added: a failed commit is scored again
        self._taken = replace(self._taken, not_kept=not_kept, after_content=after_content, unread=unread)
        return traces

"""A pipeline on a real inbox and store, fed trace by trace, on a clock that a test sets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from ragvigil.scorer.assembly.assemble import Assembler
from ragvigil.scorer.config import Content, Settings, load
from ragvigil.scorer.inbox import Arrival, InboxReader, InboxWriter, Position
from ragvigil.scorer.redact.payload import Redaction
from ragvigil.scorer.scoring.checking import Checking
from ragvigil.scorer.scoring.draws import SamplePlan
from ragvigil.scorer.scoring.filtering import Filters
from ragvigil.scorer.scoring.pipeline import Pipeline
from ragvigil.scorer.store import reading
from ragvigil.scorer.store.port import Job, Judgement, RawTrace, RecordStore, ScoredTrace, Taken
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.verdict import Verdict

SECOND = 10**9
PASSED = Verdict("test", "test/1", "digest", "supported", 1.0, 0.9)


class Clock:
    """A monotonic clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1_000 * SECOND

    def __call__(self) -> int:
        """Nanoseconds."""
        return self.now


def span(trace: int, name: str, *, parent: bool, **attributes: str) -> Arrival:
    """One span of one trace as the receiving side hands it over."""
    data = TracesData()
    scope = data.resource_spans.add().scope_spans.add()
    made = scope.spans.add()
    made.trace_id, made.span_id = trace.to_bytes(16, "big"), name.ljust(8)[:8].encode()
    made.parent_span_id = b"root    " if parent else b""
    made.name, made.start_time_unix_nano, made.end_time_unix_nano = name, SECOND, 2 * SECOND
    for key, value in attributes.items():
        pair = made.attributes.add()
        pair.key, pair.value.string_value = key.replace("__", "."), value
    return Arrival("spans", made.trace_id, data.SerializeToString(), 0)


def question(trace: int) -> list[Arrival]:
    """A trace of two spans: a root with question and answer, and its retrieval."""
    return [
        span(
            trace,
            "search",
            parent=True,
            openinference__span__kind="RETRIEVER",
            retrieval__documents__0__document__id="p1",
            retrieval__documents__0__document__content=f"Part {trace} weighs {trace} grams.",
        ),
        span(
            trace,
            "root",
            parent=False,
            openinference__span__kind="CHAIN",
            input__value=f"What does part {trace} weigh?",
            output__value=f"Part {trace} weighs {trace} grams [p1].",
        ),
    ]


class Bench:
    """Inbox, store and pipeline in one folder; `start` is what a new score process does."""

    def __init__(
        self,
        folder: Path,
        *,
        rate: float,
        max_jobs: int = 1_000,
        filters: Filters | None = None,
        content: Content | None = None,
    ) -> None:
        self.settings: Settings = load(
            overrides={
                "store": {"url": f"sqlite:///{folder / 'ragvigil.db'}"},
                "assemble": {"quiet_seconds": 1},
            }
        )
        self.clock = Clock()
        self.plan = SamplePlan(rate, max_jobs)
        self.filters = filters
        self.content = content or self.settings.content
        inbox = self.settings.inbox
        self.writer = InboxWriter(
            self.settings.inbox_path,
            max_bytes=inbox.max_bytes,
            segment_bytes=20_000,
            commit_seconds=0.0001,
            commit_bytes=inbox.commit_bytes,
        )
        self.start()

    def start(self, wrap: Callable[[RecordStore], RecordStore] = lambda store: store) -> Sequence[Job]:
        """Open store, reader and pipeline anew; the jobs that waited."""
        self.store = SqliteStore(self.settings)
        self.reader = InboxReader(self.settings.inbox_path)
        self.pipeline = Pipeline(
            inbox=self.reader,
            assembler=Assembler(self.settings.assemble),
            store=wrap(self.store.records),
            plan=self.plan,
            filters=self.filters,
            redaction=Redaction(self.content, self.store.pseudonyms),
            checking=Checking(own=self.content.kept),
            ticks=self.clock,
        )
        return self.pipeline.resume()

    def crash(self) -> None:
        """Everything in memory is gone; what was committed stays."""
        self.store.close()
        self.reader.close()

    def receive(self, arrivals: Sequence[Arrival]) -> None:
        """Acknowledge."""
        self.writer.append(arrivals).result(10)

    def settle(self, seconds: int = 60) -> list[Job]:
        """Let so much time pass without a span, then turn until nothing is left to do; the jobs handed out."""
        jobs = list(self.pipeline.turn().jobs)
        self.clock.now += seconds * SECOND
        while True:
            turn = self.pipeline.turn()
            jobs += turn.jobs
            if not turn.worked:
                return jobs

    def ledger(self) -> reading.Ledger:
        """The sums."""
        with closing(reading.open_for_reading(self.settings.store.path)) as connection:
            return reading.ledger(connection)

    def close(self) -> None:
        """Give everything back."""
        self.crash()
        self.writer.close()


class Failing:
    """A store whose next writes fail with `error`."""

    def __init__(self, store: RecordStore, error: Exception, times: int) -> None:
        self._store, self._error, self.times = store, error, times

    def over(self, store: RecordStore) -> Failing:
        """The same over another store."""
        self._store = store
        return self

    def before_commit(self, traces: Sequence[ScoredTrace]) -> None:
        """What a test does to a commit of these traces."""

    def watermark(self) -> Position | None:
        """As it is."""
        return self._store.watermark()

    def counted_to(self) -> Position | None:
        """As it is."""
        return self._store.counted_to()

    def remember(self, name: str, state: str) -> None:
        """As it is."""
        self._store.remember(name, state)

    def recall(self, name: str) -> str | None:
        """As it is."""
        return self._store.recall(name)

    def raw(self, trace_ids: Collection[str]) -> Mapping[str, RawTrace]:
        """As it is."""
        return self._store.raw(trace_ids)

    def raw_bytes(self, trace_ids: Collection[str]) -> Mapping[str, int]:
        """As it is."""
        return self._store.raw_bytes(trace_ids)

    def commit(
        self,
        traces: Sequence[ScoredTrace],
        watermark: Position | None,
        now: int,
        taken: Taken = Taken(),  # noqa: B008 - frozen
        states: Sequence[tuple[str, str]] = (),
    ) -> Sequence[Job]:
        """Fail, then work."""
        self.before_commit(traces)
        if self.times:
            self.times -= 1
            raise self._error
        return self._store.commit(traces, watermark, now, taken, states)

    def record_judgements(self, judgements: Sequence[Judgement], now: int) -> None:
        """Fail, then work."""
        if self.times:
            self.times -= 1
            raise self._error
        self._store.record_judgements(judgements, now)

    def pending(self) -> Sequence[Job]:
        """As it is."""
        return self._store.pending()

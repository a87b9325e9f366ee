"""However spans arrive, the records are the same: through a real inbox, assembler, pipeline and store."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, TracesData

from ragvigil.scorer.assembly.assemble import Assembler
from ragvigil.scorer.assembly.payload import Seen, Top, look, trimmed
from ragvigil.scorer.config import Settings, load
from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.inbox import Arrival, InboxReader, InboxWriter
from ragvigil.scorer.redact.payload import Redaction
from ragvigil.scorer.scoring.draws import SamplePlan
from ragvigil.scorer.scoring.pipeline import Pipeline
from ragvigil.scorer.span import spans_of
from ragvigil.scorer.store import reading
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.trace import RagTrace

SECOND = 10**9
TRACES = Path(__file__).parents[2] / "fixtures" / "traces"
FIXTURES = sorted(TRACES.glob("*.pb"))
RECORDED = sorted(
    path
    for path in (Path(__file__).parents[1] / "dialects" / "recorded").iterdir()
    if ".logs." not in path.name
)
"""What real applications sent, in every dialect."""


class Scorer:
    """Inbox, pipeline and store of one test, under a clock that the test moves."""

    def __init__(self, folder: Path, **assemble: object) -> None:
        self.settings: Settings = load(
            overrides={
                "store": {"url": f"sqlite:///{folder / 'ragvigil.db'}", "user_ids": "plain"},
                "assemble": {"quiet_seconds": 1, **assemble},
            }
        )
        self.now = 1_000 * SECOND
        self.writer = InboxWriter(
            self.settings.inbox_path,
            max_bytes=2**30,
            segment_bytes=2**24,
            commit_seconds=0.0001,
            commit_bytes=2**20,
        )
        self.store = SqliteStore(self.settings)
        self.reader = InboxReader(self.settings.inbox_path)
        self.assembler = Assembler(self.settings.assemble)
        self.pipeline = Pipeline(
            inbox=self.reader,
            assembler=self.assembler,
            store=self.store.records,
            plan=SamplePlan(1.0, 10_000),
            redaction=Redaction(self.settings.content, self.store.pseudonyms),
            ticks=lambda: self.now,
        )

    def receive(self, payloads: Sequence[bytes], *, wait: float = 0.0) -> None:
        """Acknowledge one request a payload, take what is due, and let time pass."""
        for payload in payloads:
            self.writer.append(arrivals(payload)).result(10)
        self.pipeline.turn()
        self.now += int(wait * SECOND)
        self.pipeline.turn()

    def settle(self) -> None:
        """Nothing more comes."""
        self.pipeline.turn()
        self.now += 700 * SECOND
        for _ in range(10):
            self.pipeline.turn()

    def records(self) -> list[RagTrace]:
        """Every record of the store, by trace and start."""
        found = [job.record for job in self.store.records.pending()]
        return sorted(found, key=lambda each: (each.trace_id, each.started_at, each.span_id))

    def ledger(self) -> reading.Ledger:
        """The sums."""
        with closing(reading.open_for_reading(self.settings.store.path)) as connection:
            return reading.ledger(connection)

    def close(self) -> None:
        """Give everything back."""
        self.store.close()
        self.reader.close()
        self.writer.close()


@pytest.fixture
def scorer(tmp_path: Path) -> Iterator[Scorer]:
    """With the defaults, but a second of quiet."""
    with closing(Scorer(tmp_path)) as made:
        yield made


def arrivals(payload: bytes) -> list[Arrival]:
    """One request, split by trace as the receiving side does."""
    traces: dict[bytes, TracesData] = {}
    for resource in TracesData.FromString(payload).resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                data = traces.setdefault(span.trace_id, TracesData())
                own = data.resource_spans.add()
                own.resource.CopyFrom(resource.resource)
                inner = own.scope_spans.add()
                inner.scope.CopyFrom(scope.scope)
                inner.spans.add().CopyFrom(span)
    return [Arrival("spans", key, data.SerializeToString(), 0) for key, data in traces.items()]


def singles(payload: bytes) -> list[bytes]:
    """Each span as a request of its own."""
    made: list[bytes] = []
    for resource in TracesData.FromString(payload).resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                data = TracesData()
                own = data.resource_spans.add()
                own.resource.CopyFrom(resource.resource)
                inner = own.scope_spans.add()
                inner.scope.CopyFrom(scope.scope)
                inner.spans.add().CopyFrom(span)
                made.append(data.SerializeToString())
    return made


def expected(paths: Sequence[Path]) -> list[RagTrace]:
    """What the readers make of each whole trace, as the store gives it back."""
    records = [record for path in paths for record in read_traces(payload_of(path))]
    plain = [
        replace(record, evaluations=tuple(map(dict, record.evaluations)), segment=dict(record.segment))
        for record in records
    ]
    return sorted(plain, key=lambda each: (each.trace_id, each.started_at, each.span_id))


def read_traces(payload: bytes) -> list[RagTrace]:
    """The records of every trace of a request."""
    by_trace: dict[str, bytes] = {}
    for single in singles(payload):
        (span,) = spans_of(single)
        by_trace[span.trace_id] = by_trace.get(span.trace_id, b"") + single
    return [record for spans in by_trace.values() for record in read_records(spans_of(spans))]


def answers(records: Sequence[RagTrace]) -> list[tuple[str | None, str | None]]:
    """Question and answer of each."""
    return [(record.query, record.answer) for record in records]


def span(number: int, parent: int | None, kind: str, start: int, end: int, **attributes: str) -> bytes:
    """One OpenInference span of trace 7; times in milliseconds."""
    data = TracesData()
    resource = data.resource_spans.add()
    name = resource.resource.attributes.add()
    name.key, name.value.string_value = "service.name", "docs"
    made = resource.scope_spans.add().spans.add()
    made.trace_id, made.span_id = (7).to_bytes(16, "big"), number.to_bytes(8, "big")
    made.parent_span_id = b"" if parent is None else parent.to_bytes(8, "big")
    made.name, made.start_time_unix_nano, made.end_time_unix_nano = kind, start * 10**6, end * 10**6
    for key, value in {"openinference.span.kind": kind, **attributes}.items():
        pair = made.attributes.add()
        pair.key, pair.value.string_value = key.replace("__", "."), value
    return data.SerializeToString()


def search(number: int, query: str, start: int, end: int, *, parent: int | None = 1) -> bytes:
    """A retrieval of one passage."""
    content = {
        "retrieval__documents__0__document__id": f"p{number}",
        "retrieval__documents__0__document__content": f"Passage {number}.",
        "input__value": query,
    }
    return span(number, parent, "RETRIEVER", start, end, **content)


def chat(number: int, query: str, answer: str, start: int, end: int, *, parent: int | None = 1) -> bytes:
    """A generation."""
    content = {
        "llm__input_messages__0__message__role": "user",
        "llm__input_messages__0__message__content": query,
        "llm__output_messages__0__message__role": "assistant",
        "llm__output_messages__0__message__content": answer,
    }
    return span(number, parent, "LLM", start, end, **content)


def payload_of(path: Path) -> bytes:
    """The request of a fixture or recording."""
    content = path.read_bytes()
    return gzip.decompress(content) if path.suffix == ".gz" else content


@pytest.mark.parametrize("seed", range(12))
def test_permuted_split_doubled_and_delayed_spans_give_the_same_records(tmp_path: Path, seed: int) -> None:
    """All fixtures and recordings at once, each span in a request of its own, some twice, and pauses reopen traces."""
    chance = random.Random(seed)
    with closing(Scorer(tmp_path)) as scorer:
        paths = FIXTURES + RECORDED[seed % 4 :: 4]  # a quarter of the recordings a seed: each has its turn
        payloads = [single for path in paths for single in singles(payload_of(path))]
        payloads += chance.sample(payloads, len(payloads) // 3)
        chance.shuffle(payloads)
        while payloads:
            size = chance.randint(1, 12)
            batch, payloads = payloads[:size], payloads[size:]
            scorer.receive(batch, wait=chance.choice([0, 0, 0.3, 1.5, 40]))
        scorer.settle()
        found = {(each.trace_id, each.span_id): each for each in scorer.records()}
        wanted = {(each.trace_id, each.span_id): each for each in expected(paths)}
        assert found == wanted
        assert scorer.ledger().balanced


def test_the_same_records_whatever_quiet_time_was_learned(tmp_path: Path) -> None:
    """A service that taught the assembler a short quiet time, then sends its spans far apart."""
    with closing(Scorer(tmp_path)) as scorer:
        for trace in range(30):
            scorer.receive([_other_trace(FIXTURES[0].read_bytes(), trace)], wait=2)
        learned = len(scorer.records())
        for single in singles(FIXTURES[0].read_bytes()):
            scorer.receive([single], wait=0.9)
        scorer.settle()
        (whole,) = expected(FIXTURES[:1])
        assert whole in scorer.records()
        assert len(scorer.records()) == learned + 1


def _other_trace(payload: bytes, number: int) -> bytes:
    data = TracesData.FromString(payload)
    for resource in data.resource_spans:
        for scope in resource.scope_spans:
            for each in scope.spans:
                each.trace_id = (number + 1).to_bytes(16, "big")
    return data.SerializeToString()


def test_a_late_span_of_a_stored_trace_does_not_wait_for_a_root(tmp_path: Path) -> None:
    """Also after a restart, when only the store knows that the root has come."""
    root = span(1, None, "CHAIN", 0, 90, input__value="Why?", output__value="So.")
    with closing(Scorer(tmp_path)) as scorer:
        scorer.receive([root], wait=5)
        assert scorer.ledger().ingested == 1
    with closing(Scorer(tmp_path)) as restarted:
        restarted.receive([search(2, "Why?", 1, 20)], wait=1.1)
        (record,) = restarted.records()
        assert [document.id for document in record.documents] == ["p2"]


def test_under_a_remote_parent_the_longest_quiet_time_is_enough(scorer: Scorer) -> None:
    """The caller's spans may go elsewhere; nobody waits half a minute for them."""
    data = TracesData.FromString(span(1, 99, "CHAIN", 0, 90, input__value="Why?", output__value="So."))
    data.resource_spans[0].scope_spans[0].spans[0].flags = 0x301
    scorer.receive([data.SerializeToString()], wait=9.9)
    assert scorer.records() == []
    scorer.receive([], wait=0.2)
    assert answers(scorer.records()) == [("Why?", "So.")]
    assert scorer.records()[0].completeness == "complete"


def test_a_missing_root_still_gives_a_record_that_says_so(scorer: Scorer) -> None:
    """After the rootless time."""
    scorer.receive([search(2, "Why?", 1, 20), chat(3, "Why?", "So [p2].", 21, 80)], wait=29)
    assert scorer.records() == []
    scorer.receive([], wait=2)
    (record,) = scorer.records()
    assert (record.query, record.answer, record.completeness) == ("Why?", "So [p2].", "partial_evidence")


TWO_QUESTIONS = [
    span(1, None, "CHAIN", 0, 99),
    search(2, "Why is the sea salt?", 1, 10),
    chat(3, "Why is the sea salt?", "Rivers [p2].", 11, 20),
    search(4, "When is low tide?", 21, 30),
    chat(5, "When is low tide?", "At six [p4].", 31, 40),
]


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4), (4, 3, 2, 1, 0), (2, 4, 1, 0, 3)])
def test_two_questions_side_by_side_are_two_records(scorer: Scorer, order: tuple[int, ...]) -> None:
    """Each with its own evidence, in whichever order they come."""
    scorer.receive([TWO_QUESTIONS[place] for place in order])
    scorer.settle()
    assert answers(scorer.records()) == [
        ("Why is the sea salt?", "Rivers [p2]."),
        ("When is low tide?", "At six [p4]."),
    ]
    assert [[document.id for document in each.documents] for each in scorer.records()] == [["p2"], ["p4"]]
    assert {each.completeness for each in scorer.records()} == {"complete"}


ASKED = {"input__value": "Why is the sea salt?", "output__value": "At six [p4]."}
NOTES = "Question: Why is the sea salt?\nNotes: rivers bring salt"


@pytest.mark.parametrize(
    "changed",
    [
        {0: span(1, None, "CHAIN", 0, 99, **ASKED)},
        {0: span(1, None, "CHAIN", 0, 99, output__value="At six [p4].")},
        {4: chat(5, "Why is the sea salt?", "At six [p4].", 31, 40)},
        {4: chat(5, NOTES, "At six [p4].", 31, 40)},
        {2: chat(3, "Why is the sea salt?", "", 11, 20)},
        {2: span(3, 1, "CHAIN", 11, 20)},
    ],
    ids=["root asks", "root answers", "same question", "agent's notes", "tool call", "no answer"],
)
def test_what_may_be_one_agent_stays_one_record(scorer: Scorer, changed: dict[int, bytes]) -> None:
    """Searching several times for one answer is no second question."""
    scorer.receive([changed.get(place, each) for place, each in enumerate(TWO_QUESTIONS)])
    scorer.settle()
    (record,) = scorer.records()
    assert record.answer == "At six [p4]."


def test_searches_that_overlap_are_told_apart_by_what_they_asked(scorer: Scorer) -> None:
    """One began before the other had ended, and each asked what one of the two questions asks."""
    overlapping = {3: search(4, "When is low tide?", 15, 30)}
    scorer.receive([overlapping.get(place, each) for place, each in enumerate(TWO_QUESTIONS)])
    scorer.settle()
    assert answers(scorer.records()) == [
        ("Why is the sea salt?", "Rivers [p2]."),
        ("When is low tide?", "At six [p4]."),
    ]
    assert [[document.id for document in each.documents] for each in scorer.records()] == [["p2"], ["p4"]]


@pytest.mark.parametrize("skew", [-3_600_000, -50, 50, 3_600_000])
def test_a_clock_that_is_wrong_in_one_process_loses_no_evidence(scorer: Scorer, skew: int) -> None:
    """The retrieval ran on another machine; the answer belongs to the minute of the other spans."""
    base = 7_200_000
    root = span(1, None, "CHAIN", base, base + 90, input__value="Why?", output__value="So [p2].")
    found = search(2, "Why?", base + 1 + skew, base + 20 + skew)
    scorer.receive([found, chat(3, "Why?", "So [p2].", base + 21, base + 80), root])
    scorer.settle()
    (record,) = scorer.records()
    assert (record.query, record.answer) == ("Why?", "So [p2].")
    assert [document.id for document in record.documents] == ["p2"]
    assert abs(record.started_at - base * 10**6) <= 50 * 10**6


def test_a_trace_without_a_moment_is_of_the_one_at_which_it_came(scorer: Scorer) -> None:
    """In 1970 it would be out of every window; what comes late brings it to that moment."""
    asked = span(1, None, "CHAIN", 0, 0, input__value="Why?", output__value="So [p2].")
    said = chat(3, "Why?", "So [p2].", 0, 0)
    for payload, moment, found in ((asked, 5, 0), (said, 6, 0), (search(2, "Why?", 0, 0), 9, 1)):
        rows = [row._replace(received_at=moment * SECOND) for row in arrivals(payload)]
        scorer.writer.append(rows).result(10)
        if payload is not asked:
            scorer.settle()
            (record,) = scorer.records()
            assert (len(record.documents), record.started_at) == (found, {6: 5, 9: 9}[moment] * SECOND)


def test_a_giant_trace_is_cut_and_counted_and_hurts_no_other(tmp_path: Path) -> None:
    """By spans, across requests, and again when it comes back after it was stored."""
    root = span(1, None, "CHAIN", 0, 90, input__value="Why?", output__value="So.")
    with closing(Scorer(tmp_path, max_trace_spans=50)) as scorer:
        scorer.receive([root, *(search(number, "Why?", 1, 20) for number in range(2, 102))])
        assert scorer.assembler.open_bytes < 50 * 400
        scorer.receive([FIXTURES[0].read_bytes()])
        scorer.settle()
        scorer.receive([search(200, "Why?", 1, 20)])
        scorer.settle()
        giant = next(each for each in scorer.records() if each.query == "Why?")
        assert len(giant.retrievals) == 49
        assert giant.completeness in ("timed_out", "partial_evidence")
        ledger = scorer.ledger()
        assert (ledger.balanced, ledger.dropped_spans) == (True, 52)
        assert expected(FIXTURES[:1])[0] in scorer.records()


def test_one_giant_request_is_cut_to_what_fits() -> None:
    """By spans and by bytes; what is left is whole spans."""
    parts = [search(number, "Why?", 1, 20) for number in range(1, 101)]
    payload = b"".join(parts)
    assert look(payload) == Seen(Top.NONE, "docs", 100)
    cut, kept = trimmed(payload, spans=7, size=2**20)
    assert (kept, [each.span_id for each in spans_of(cut)]) == (7, [f"{n:016x}" for n in range(1, 8)])
    cut, kept = trimmed(payload, spans=1_000, size=1_000)
    assert 0 < kept < 10
    assert sum(each.ByteSize() for each in _wire(cut)) <= 1_000
    assert trimmed(payload, spans=0, size=2**20) == (b"", 0)


def _wire(payload: bytes) -> list[Span]:
    data = TracesData.FromString(payload)
    return [each for one in data.resource_spans for scope in one.scope_spans for each in scope.spans]

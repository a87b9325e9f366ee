"""Through inbox and store, in whatever deliveries, over deaths: no text is stored, and nothing else is lost."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.scorer.redact.test_ids_only import (
    EVERY,
    SOME,
    cited_by,
    passages,
    pieces,
    records,
    scored,
    texts_of,
    traces_in,
)

from ragvigil.scorer.assembly.assemble import Assembled, Assembler
from ragvigil.scorer.config import load
from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.inbox import Arrival, InboxReader, InboxWriter
from ragvigil.scorer.inbox.rows import Kind
from ragvigil.scorer.receive.told import Feedback
from ragvigil.scorer.redact.payload import Redaction
from ragvigil.scorer.scoring.draws import SamplePlan
from ragvigil.scorer.scoring.pipeline import Pipeline
from ragvigil.scorer.span import logs_of, spans_of
from ragvigil.scorer.store._packing import unpack
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.zstd import zstd

Part = tuple[Kind, bytes]
WITH_LOGS = [path for path in EVERY if Path(str(path).replace(".pb", ".logs.pb")).exists()]


def parts_of(trace: Assembled) -> list[Part]:
    """Each span and each log record of a trace alone, as an exporter may send them."""
    found: list[Part] = []
    for resource_spans in TracesData.FromString(b"".join(trace.spans)).resource_spans:
        for scope_spans in resource_spans.scope_spans:
            for span in scope_spans.spans:
                data = TracesData()
                data.resource_spans.add().resource.CopyFrom(resource_spans.resource)
                scope = data.resource_spans[0].scope_spans.add()
                scope.scope.CopyFrom(scope_spans.scope)
                scope.spans.add().CopyFrom(span)
                found.append(("spans", data.SerializeToString()))
    for resource_logs in LogsData.FromString(b"".join(trace.logs)).resource_logs:
        for record in (each for scope in resource_logs.scope_logs for each in scope.log_records):
            logs = LogsData()
            logs.resource_logs.add().resource.CopyFrom(resource_logs.resource)
            logs.resource_logs[0].scope_logs.add().log_records.add().CopyFrom(record)
            found.append(("logs", logs.SerializeToString()))
    return found


def dealt(parts: Sequence[Part], rng: random.Random) -> list[list[Part]]:
    """The parts in any order in one to four deliveries, some of them twice."""
    deliveries: list[list[Part]] = [[] for _ in range(rng.randint(1, 4))]
    for part in rng.sample(parts, len(parts)):
        for delivery in {rng.randrange(len(deliveries)) for _ in range(1 + (rng.random() < 0.2))}:
            deliveries[delivery].append(part)
    return [delivery for delivery in deliveries if delivery]


class Journey:
    """A scorer's inbox and store in a folder, and processes that work on them one after the other."""

    def __init__(
        self, folder: Path, mode: str = "ids_only", services: Mapping[str, str] | None = None
    ) -> None:
        url = f"sqlite:///{folder / 'ragvigil.db'}"
        self.settings = load(
            overrides={"store": {"url": url}, "content": {"mode": mode, "services": services or {}}}
        )
        self.ticks = 10**12

    def travelled(self, trace_id: str, deliveries: Sequence[Sequence[Part]], *, deaths: bool) -> None:
        """Each delivery is read before the next comes; with `deaths`, by a process that ends in the midst of it."""
        number = bytes.fromhex(trace_id)
        with closing(InboxWriter(self.settings.inbox_path)) as writer:
            if not deaths:
                with SqliteStore(self.settings) as store, closing(self.reader()) as reader:
                    pipeline = self.pipeline(store, reader)
                    for delivery in deliveries:
                        writer.append([Arrival(kind, number, part, 1) for kind, part in delivery]).result(10)
                        self.settle(pipeline)
                return
            for delivery in deliveries:
                writer.append([Arrival(kind, number, part, 1) for kind, part in delivery]).result(10)
                for finished in (False, True):
                    with SqliteStore(self.settings) as store, closing(self.reader()) as reader:
                        pipeline = self.pipeline(store, reader)
                        pipeline.turn()  # what was read and not committed is read again by the next process
                        if finished:
                            self.settle(pipeline)

    def reader(self) -> InboxReader:
        """Of the inbox, from its start."""
        return InboxReader(self.settings.inbox_path)

    def pipeline(self, store: SqliteStore, reader: InboxReader) -> Pipeline:
        """Of a process that begins now."""
        return Pipeline(
            inbox=reader,
            assembler=Assembler(self.settings.assemble),
            store=store.records,
            plan=SamplePlan(1.0, 1_000),
            redaction=Redaction(self.settings.content, store.pseudonyms),
            ticks=lambda: self.ticks,
        )

    def settle(self, pipeline: Pipeline) -> None:
        """All that came is read and stored."""
        pipeline.turn()
        self.ticks += 60 * 10**9
        pipeline.turn()

    def kept(self, trace_id: str) -> dict[str, RagTrace]:
        """The records as they are read again from what is stored."""
        with SqliteStore(self.settings) as store:
            raw = store.records.raw([trace_id])[trace_id]
        found = read_records(spans_of(raw.spans), logs_of(raw.logs) if raw.logs else ())
        return {one.span_id: one for one in found}

    def everything(self, trace_id: str) -> str:
        """All that the store's files hold: as they are, and every value of every table, unpacked."""
        with SqliteStore(self.settings) as store:
            raw = store.records.raw([trace_id])[trace_id]
        found = [repr(spans_of(raw.spans)), repr(logs_of(raw.logs)) if raw.logs else ""]
        with closing(sqlite3.connect(self.settings.store.path)) as connection:
            tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            rows = (row for (name,) in tables for row in connection.execute(f'SELECT * FROM "{name}"'))
            for value in (value for row in rows for value in row):
                found += _plain(value, raw.spans)
        files = Path(self.settings.store.path).parent.glob("ragvigil.db*")
        found += [path.read_bytes().decode("utf-8", "replace") for path in files if path.is_file()]
        return "\n".join(found)


def _plain(value: object, source: bytes) -> Iterator[str]:
    if not isinstance(value, bytes):
        yield str(value)
        return
    for packed, like in ((value, b""), (value, source), (value[1:], b""), (value[1:], source)):
        try:
            yield unpack(packed, like=like).decode("utf-8", "replace")
        except (ValueError, zstd().ZstdError):
            continue


@pytest.mark.parametrize("deaths", [False, True])
@pytest.mark.parametrize("path", [*SOME, *WITH_LOGS], ids=lambda path: path.name.split(".pb")[0])
def test_no_text_is_stored_and_nothing_else_is_lost(path: Path, deaths: bool, tmp_path: Path) -> None:
    """In any order and split, some spans sent twice; where every process dies, what is not known is told as missing."""
    for trace in traces_in(path):
        whole = records(scored([trace], mode="full"))
        said = {piece for record in whole.values() for text in texts_of(record) for piece in pieces(text)}
        for seed in range(3):
            journey = Journey(tmp_path / f"{trace.trace_id}-{seed}")
            deliveries = dealt(parts_of(trace), random.Random(seed))
            journey.travelled(trace.trace_id, deliveries, deaths=deaths)
            found, stored = journey.kept(trace.trace_id), journey.everything(trace.trace_id)
            assert [piece for piece in said if piece in stored] == []
            assert deaths or list(found) == list(whole)
            for span_id in found.keys() & whole.keys():
                if deaths and found[span_id].completeness == "partial_evidence":
                    continue
                assert passages(found[span_id])[:2] == passages(whole[span_id])[:2]
                assert cited_by(found[span_id]) == cited_by(whole[span_id])


@pytest.mark.parametrize("path", [*SOME, *WITH_LOGS], ids=lambda path: path.name.split(".pb")[0])
def test_what_is_stored_would_be_found(path: Path, tmp_path: Path) -> None:
    """By the search of the test above, where texts are kept."""
    for trace in traces_in(path):
        journey = Journey(tmp_path, "full")
        journey.travelled(trace.trace_id, [parts_of(trace)], deaths=False)
        for record in records(scored([trace], mode="full")).values():
            said = {piece for text in texts_of(record) for piece in pieces(text)} | {*texts_of(record)}
            assert said
            stored = journey.everything(trace.trace_id)
            assert [piece for piece in said if piece not in stored] == []


@pytest.mark.parametrize("path", WITH_LOGS, ids=lambda path: path.name.split(".pb")[0])
@pytest.mark.parametrize("first", ["spans", "logs"])
def test_logs_alone_bring_citations_before_or_after_their_spans(
    path: Path, first: Kind, tmp_path: Path
) -> None:
    """The conversation is in the events: the note is written anew with them."""
    for trace in traces_in(path):
        whole, parts = records(scored([trace], mode="full")), parts_of(trace)
        journey = Journey(tmp_path / trace.trace_id)
        deliveries = sorted(([part] for part in parts), key=lambda part: part[0][0] != first)
        journey.travelled(trace.trace_id, deliveries, deaths=False)
        found = journey.kept(trace.trace_id)
        assert {key: cited_by(one) for key, one in found.items()} == {
            key: cited_by(one) for key, one in whole.items()
        }


@pytest.mark.parametrize("first", ["spans", "logs", "both"])
@pytest.mark.parametrize("alone", [False, True])
def test_feedback_stays_and_its_comment_goes(first: str, alone: bool, tmp_path: Path) -> None:
    """Also where this service alone keeps ids only, and the comment came before its spans said whose it is."""
    (trace,) = traces_in(SOME[0])
    (whole,) = records(scored([trace], mode="full")).values()
    said = Feedback(
        trace_id=trace.trace_id, kind="thumbs", value="down", comment="zebra quagga okapi", id="f1"
    )
    opinion: list[Part] = [("logs", said.arrival(5).payload)]
    spans = parts_of(trace)
    deliveries = {"spans": [spans, opinion], "logs": [opinion, spans], "both": [[*opinion, *spans]]}[first]
    services = {whole.service: "ids_only"} if alone else {}
    journey = Journey(tmp_path, "full" if alone else "ids_only", services)
    journey.travelled(trace.trace_id, deliveries, deaths=False)
    (record,) = journey.kept(trace.trace_id).values()
    (found,) = record.feedback
    assert (found["name"], found["label"], found["identifier"]) == ("thumbs", "down", "f1")
    assert "explanation" not in found
    assert record.completeness == "withheld"
    with SqliteStore(journey.settings) as store:
        raw = store.records.raw([trace.trace_id])[trace.trace_id]
    assert b"zebra" not in raw.logs + raw.spans


def test_log_records_of_a_service_without_a_name_are_of_the_traces(tmp_path: Path) -> None:
    """An SDK's logs may lack the name that its spans have."""
    for trace in (each for path in WITH_LOGS for each in traces_in(path) if each.logs):
        data = LogsData.FromString(b"".join(trace.logs))
        for part in data.resource_logs:
            del part.resource.attributes[:]
            part.resource.attributes.add(key="service.name").value.string_value = "unknown_service:python"
        nameless = replace(trace, logs=(data.SerializeToString(),))
        (service,) = {one.service for one in records(scored([trace], mode="full")).values()}
        stored = scored([nameless], mode="full", services={service: "ids_only"})
        assert not [text for record in records(stored).values() for text in texts_of(record)]


def test_an_erasure_takes_what_memory_holds(tmp_path: Path) -> None:
    """What comes late is read beside nothing of it then."""
    (trace,) = traces_in(SOME[0])
    parts, number = parts_of(trace), bytes.fromhex(trace.trace_id)
    journey = Journey(tmp_path)
    with (
        closing(InboxWriter(journey.settings.inbox_path)) as writer,
        SqliteStore(journey.settings) as store,
        closing(journey.reader()) as reader,
    ):
        pipeline = journey.pipeline(store, reader)
        writer.append([Arrival(kind, number, part, 1) for kind, part in parts[:-1]]).result(10)
        journey.settle(pipeline)
        pipeline.unremember([trace.trace_id])
        writer.append([Arrival(kind, number, part, 1) for kind, part in parts[-1:]]).result(10)
        journey.settle(pipeline)
    died = Journey(tmp_path / "died")
    died.travelled(trace.trace_id, [parts[:-1], parts[-1:]], deaths=True)
    assert journey.kept(trace.trace_id) == died.kept(trace.trace_id)
    alive = Journey(tmp_path / "alive")
    alive.travelled(trace.trace_id, [parts[:-1], parts[-1:]], deaths=False)
    assert journey.kept(trace.trace_id) != alive.kept(trace.trace_id)

"""The whole scorer as a user runs it: real exporters, real processes, real files, real kills."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.id_generator import IdGenerator
from tests.command_line import ragvigil
from tests.conftest import Scorer, Serve, eventually, starting

from ragvigil.scorer.store._rows import record_of
from ragvigil.scorer.store.reading import Ledger, open_for_reading


class SeededIds(IdGenerator):
    """Ids that a test can foretell."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def generate_span_id(self) -> int:
        """16 hex digits."""
        return self._random.getrandbits(64) or 1

    def generate_trace_id(self) -> int:
        """32 hex digits."""
        return self._random.getrandbits(128) or 1


def spans(count: int, *, seed: int = 1) -> list[ReadableSpan]:
    """`count` OpenInference traces of three spans each, as a service that knows nothing of ragvigil makes them."""
    memory = InMemorySpanExporter()
    resource = Resource({"service.name": "shop", "deployment.environment.name": "production"})
    provider = TracerProvider(resource=resource, id_generator=SeededIds(seed))
    provider.add_span_processor(SimpleSpanProcessor(memory))
    tracer = provider.get_tracer("their-app")
    for number in range(count):
        question, passage = f"What does part {number} cost?", f"Part {number} costs {number + 3} euros."
        with tracer.start_as_current_span("rag") as root:
            root.set_attributes({"openinference.span.kind": "CHAIN", "input.value": question})
            with tracer.start_as_current_span("retrieve") as retriever:
                document = "retrieval.documents.0.document"
                retriever.set_attributes(
                    {
                        "openinference.span.kind": "RETRIEVER",
                        f"{document}.id": "p1",
                        f"{document}.content": passage,
                    }
                )
            with tracer.start_as_current_span("answer") as generator:
                answer = f"Part {number} costs {number + 3} euros [p1]."
                generator.set_attributes({"openinference.span.kind": "LLM", "output.value": answer})
            root.set_attribute("output.value", answer)
    provider.shutdown()
    return list(memory.get_finished_spans())


def export(exporter: SpanExporter, batch: list[ReadableSpan]) -> None:
    """Send, and insist on the ack."""
    assert exporter.export(batch).name == "SUCCESS"
    exporter.shutdown()


def settled(scorer: Scorer, records: int) -> Ledger:
    """The ledger once so many records are in and none waits."""
    return eventually(
        lambda: (
            (ledger := scorer.ledger()).ingested == records and not ledger.states.get("pending") and ledger
        )
    )


@pytest.mark.parametrize("protocol", ["grpc", "http"])
def test_a_foreign_services_traces_become_scored_records(serve: Serve, protocol: str) -> None:
    """OpenInference over the stock exporters, checked on every record and judged on the hash's tenth."""
    scorer = serve(environment={"RAGVIGIL_SAMPLE__RATE": "0.5"})
    exporter = (
        GrpcExporter(endpoint=scorer.grpc, insecure=True)
        if protocol == "grpc"
        else HttpExporter(endpoint=f"http://{scorer.http}/v1/traces")
    )
    export(exporter, spans(60))
    ledger = settled(scorer, 60)
    assert ledger.balanced
    assert 15 < ledger.states["judged"] < 45
    assert ledger.states["judged"] + ledger.states["checked_only"] == 60
    with closing(open_for_reading(scorer.store)) as connection:
        rows = connection.execute("SELECT * FROM answers").fetchall()
        assert {row["citation_correctness"] for row in rows} == {1.0}
        assert {row["verdict"] for row in rows if row["ledger_state"] == "judged"} == {"supported"}
        assert {row["service"] for row in rows} == {"shop"}
        inclusions = {row[0] for row in connection.execute("SELECT DISTINCT inclusion FROM ledger")}
        assert inclusions == {0.5}
    assert scorer.stop() == 0


def test_what_was_acknowledged_survives_kill_nine_of_both_processes(serve: Serve) -> None:
    """Killed right after the ack, five times over: every record is there once, and the sums match."""
    sent = 0
    for seed in range(1, 6):
        scorer = serve()
        export(HttpExporter(endpoint=f"http://{scorer.http}/v1/traces"), spans(40, seed=seed))
        sent += 40
        scorer.kill()
    ledger = settled(serve(), sent)
    assert ledger.balanced
    assert ledger.states.keys() <= {"judged", "checked_only"}


def test_killing_only_the_score_process_interrupts_no_ack_and_loses_nothing(serve: Serve) -> None:
    """The inbox is the only thing between the two."""
    scorer = serve()
    first = eventually(lambda: scorer.score_process)
    batch = spans(30)
    for start in range(0, len(batch), 30):
        os.kill(eventually(lambda: scorer.score_process), signal.SIGKILL)
        export(HttpExporter(endpoint=f"http://{scorer.http}/v1/traces"), batch[start : start + 30])
    assert settled(scorer, 30).balanced
    assert scorer.score_process != first


def test_a_trace_sent_twice_counts_once(serve: Serve) -> None:
    """Exporters resend what they missed the ack of."""
    scorer = serve()
    batch = spans(10)
    export(HttpExporter(endpoint=f"http://{scorer.http}/v1/traces"), batch)
    settled(scorer, 10)
    export(HttpExporter(endpoint=f"http://{scorer.http}/v1/traces"), [*batch, *spans(5, seed=2)])
    ledger = settled(scorer, 15)
    assert ledger.balanced
    with closing(open_for_reading(scorer.store)) as connection:
        assert connection.execute("SELECT max(version) FROM records").fetchone()[0] == 1


def test_a_late_span_corrects_the_record(serve: Serve) -> None:
    """The root was quiet long enough, then the generator's span arrived: one record, its second version."""
    scorer = serve(environment={"RAGVIGIL_SAMPLE__RATE": "1"})
    retriever, generator, root = spans(1)
    export(HttpExporter(endpoint=f"http://{scorer.http}/v1/traces"), [root])
    settled(scorer, 1)
    export(HttpExporter(endpoint=f"http://{scorer.http}/v1/traces"), [generator, retriever])

    def corrected() -> bool:
        with closing(open_for_reading(scorer.store)) as connection:
            rows = connection.execute(
                "SELECT records.*, spans, verdict FROM answers JOIN records USING (trace_id) "
                "JOIN traces USING (trace_id)"
            ).fetchall()
        found = [(record_of(row).documents, row["verdict"]) for row in rows]
        return [([document.id for document in documents], verdict) for documents, verdict in found] == [
            (["p1"], "supported")
        ]

    assert eventually(corrected)
    assert settled(scorer, 1).balanced


def test_bad_input_gets_its_own_error_and_costs_nothing_that_was_accepted(serve: Serve) -> None:
    """After all of it, what was sent rightly is there and the process lives."""
    scorer = serve()
    url = f"http://{scorer.http}/v1/traces"
    good = encode_spans(spans(3)).SerializeToString()
    protobuf = {"content-type": "application/x-protobuf"}
    assert httpx.post(url, content=good, headers=protobuf).status_code == 200
    assert httpx.post(url, content=b"\xff" * 50, headers=protobuf).status_code == 400
    assert httpx.post(url, content=b"{", headers={"content-type": "application/json"}).status_code == 400
    assert httpx.post(url, content=good, headers={"content-type": "text/csv"}).status_code == 415
    assert httpx.post(url, content=bytes(65 * 2**20), headers=protobuf).status_code == 413
    assert settled(scorer, 3).balanced


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scorer]:
    """A scorer for the tests that only look at one."""
    with starting(tmp_path_factory.mktemp("running")) as start:
        scorer = start()
        eventually(lambda: scorer.ledger().balanced)
        yield scorer


def test_a_second_scorer_on_the_same_store_is_refused(running: Scorer) -> None:
    """Two writers would tear the ledger apart."""
    free = ("--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0")
    second = ragvigil("serve", "--store", f"sqlite:///{running.store}", *free)
    assert second.returncode == 3
    assert "in use" in second.stderr


def test_a_taken_port_is_named(running: Scorer, tmp_path: Path) -> None:
    """Error, not a traceback."""
    taken = ("--grpc", "127.0.0.1:0", "--http", running.http)
    second = ragvigil("serve", "--store", f"sqlite:///{tmp_path / 'other.db'}", *taken)
    assert second.returncode == 2
    assert running.http.rpartition(":")[2] in second.stderr
    assert "Traceback" not in second.stderr


def test_the_receiving_process_stays_light(running: Scorer) -> None:
    """Acks must not wait for a scientific library's start, nor carry its memory, nor that of what reads settings."""
    maps = Path(f"/proc/{running.process.pid}/maps").read_text()
    assert "numpy" not in maps
    assert "pydantic_core" not in maps
    assert "grpc" in maps

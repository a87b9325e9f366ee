"""A fault in traffic that a running scorer receives: burst, canary and page, judged behind a real endpoint."""

from __future__ import annotations

import asyncio
import random
import time
from contextlib import closing
from pathlib import Path

import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import set_span_in_context
from tests.conftest import Scorer, Serve, eventually
from tests.scorer.test_serve import SeededIds, export
from tests.scorer.watch.conftest import HOUR, RATE, Hour, Service, gold_file

from ragvigil.scorer import config
from ragvigil.scorer.judge.build import build_judge, rubric_of
from ragvigil.scorer.store.port import Job, Judgement
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.testing import Script, ScriptedJudge
from ragvigil.scorer.trace import Document, RagTrace
from ragvigil.scorer.verdict import Verdict

SCRIPT = Script(sensitivity=0.95, specificity=0.95, seed=3)
RECORDS = 160
INVENTED = "Customers may return it within 90 days for a full refund at any branch [p1]."


class Before(Service):
    """A good day and a half, judged by the judge that is going to be asked."""

    spoken: Verdict

    def _judgement(self, job: Job) -> Judgement:
        said, one = super()._judgement(job), self.spoken
        assert said.verdict is not None
        verdict = said.verdict
        voice = (one.judge, one.judge_version, one.prompt_digest)
        return Judgement(job, Verdict(*voice, verdict.state, verdict.support, verdict.faithfulness))


def settings_of(folder: Path, server: ScriptedJudge) -> dict[str, str]:
    """What the environment of the scorer says."""
    return {
        "RAGVIGIL_SAMPLE__RATE": str(RATE),
        "RAGVIGIL_SAMPLE__MINIMUM_PER_DAY": "0",
        "RAGVIGIL_DETECT__BURST_SHARE": "0.3",
        "RAGVIGIL_DETECT__BATCH_SECONDS": "3600",
        "RAGVIGIL_DETECT__LEARNING_DAYS": "1",
        "RAGVIGIL_DETECT__SETTLE_SECONDS": "0.1",
        "RAGVIGIL_MONITOR__TICK_SECONDS": "0.2",
        "RAGVIGIL_MONITOR__GOLD": str(gold_file(folder)),
        "RAGVIGIL_MONITOR__FAITHFULNESS__MIN_BASELINE": "1000000",
        "RAGVIGIL_JUDGE__KIND": "openai",
        "OPENAI_BASE_URL": server.url,
        "OPENAI_MODEL": "scripted-1",
    }


def faulty(start: int, *, unfaithful: float) -> list[ReadableSpan]:
    """Questions of one hour; so many are answered with what the passage does not say."""
    memory, luck = InMemorySpanExporter(), random.Random(7)
    resource = Resource({"service.name": "shop", "deployment.environment.name": "production"})
    provider = TracerProvider(resource=resource, id_generator=SeededIds(7))
    provider.add_span_processor(SimpleSpanProcessor(memory))
    tracer = provider.get_tracer("their-app")
    for number in range(RECORDS):
        at = start + number * HOUR // (RECORDS + 1)
        right = luck.random() >= unfaithful
        answer = f"Part {number} costs {number + 3} euros [p1]." if right else INVENTED
        document = "retrieval.documents.0.document"
        root = tracer.start_span("rag", start_time=at)
        parts: dict[str, dict[str, str]] = {
            "retrieve": {
                "openinference.span.kind": "RETRIEVER",
                f"{document}.id": "p1",
                f"{document}.content": f"Part {number} costs {number + 3} euros.",
            },
            "answer": {"openinference.span.kind": "LLM", "output.value": answer},
        }
        for name, said in parts.items():
            span = tracer.start_span(name, set_span_in_context(root), start_time=at, attributes=said)
            span.end(end_time=at + 10**8)
        root.set_attributes(
            {
                "openinference.span.kind": "CHAIN",
                "ragvigil.segment.language": "de" if number % 3 == 0 else "en",
                "input.value": f"What does part {number} cost?",
                "output.value": answer,
            }
        )
        root.end(end_time=at + 10**9)
    provider.shutdown()
    return list(memory.get_finished_spans())


def rows(scorer: Scorer, query: str) -> list[tuple[object, ...]]:
    """What the store says while the scorer runs."""
    with closing(open_for_reading(scorer.store)) as connection:
        return [tuple(row) for row in connection.execute(query)]


def lived(folder: Path, until: int) -> None:
    """A store with a good day and a half that end at `until`."""
    settings = config.load(overrides={"store": {"url": f"sqlite:///{folder / 'ragvigil.db'}"}})
    judge = build_judge(settings.judge)
    assert judge is not None
    record = RagTrace("0" * 32, "0" * 16, "shop", until, query="Price?", answer="It costs 5 euros.",
                      documents=(Document("p1", "It costs 5 euros."),))  # fmt: skip

    async def ask() -> Verdict:
        said = await judge.judge(record, rubric_of(settings.judge))
        await judge.close()
        return said

    with SqliteStore(settings, durable=False) as store:
        service = Before(settings, store)
        service.spoken, service.now = asyncio.run(ask()), until - 36 * HOUR
        assert [alert for alert in service.live(Hour(45), 36) if alert.severity != "warning"] == []


def test_a_fault_in_traffic_that_was_sent_leads_to_burst_canary_and_page(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OTLP in, a judge behind HTTP, one page out; the second scorer finds what the first had taken in."""
    now = time.time_ns()
    until = now - now % HOUR - HOUR
    with ScriptedJudge(SCRIPT) as server:
        for name, value in settings_of(tmp_path, server).items():
            monkeypatch.setenv(name, value)
        lived(tmp_path, until)
        scorer = serve(environment={"RAGVIGIL_DETECT__SETTLE_SECONDS": "7200"})
        before = scorer.ledger().ingested
        export(OTLPSpanExporter(f"http://{scorer.http}/v1/traces"), faulty(until, unfaithful=0.6))
        eventually(lambda: scorer.ledger().ingested == before + RECORDS)
        eventually(lambda: not scorer.ledger().states.get("pending"))
        assert scorer.stop() == 0
        scorer = serve()
        found = eventually(
            lambda: rows(
                scorer, "SELECT series, detector, told FROM incidents WHERE series = 'faithfulness'"
            ),
            seconds=60,
        )
        assert found == [("faithfulness", "sequential", 1)]
        ((asked,),) = rows(scorer, "SELECT count(*) FROM rejudged")
        assert int(str(asked)) >= 100
        ((raised,),) = rows(scorer, f"SELECT count(*) FROM ledger WHERE inclusion > {RATE}")
        assert int(str(raised)) > 20
        assert scorer.stop() == 0

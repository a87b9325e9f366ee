"""A secret that is planted everywhere in real traces reaches neither store nor judge nor page."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.scorer.redact.test_payload import FIXTURES, SECRETS, wire

from ragvigil.scorer.assembly.assemble import Assembler
from ragvigil.scorer.config import load
from ragvigil.scorer.inbox import Arrival, InboxReader, InboxWriter
from ragvigil.scorer.receive.told import Feedback
from ragvigil.scorer.redact.keys import Meaning, meaning_of, meaning_under
from ragvigil.scorer.redact.payload import Redaction
from ragvigil.scorer.scoring.draws import SamplePlan
from ragvigil.scorer.scoring.pipeline import Pipeline
from ragvigil.scorer.store.port import Judgement
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.verdict import Verdict

_RECORDINGS = Path(__file__).parents[1] / "dialects" / "recorded"
RECORDED_LOGS = sorted(_RECORDINGS.glob("*.logs.pb.gz"))
RECORDED = sorted(set(_RECORDINGS.glob("*.pb.gz")) - set(RECORDED_LOGS))
"""What real applications sent; each with one question, and perhaps traces in which nobody asks."""


def places(data: TracesData, *, labels: bool) -> Iterator[AnyValue]:
    """Every value that may hold a text and is no id of a passage; with or without what dialects are told by."""
    spared = {Meaning.DOCUMENT_ID} | (set[Meaning]() if labels else {Meaning.LABEL})

    def inside(pairs: Sequence[KeyValue]) -> Iterator[AnyValue]:
        for pair in pairs:
            if pair.value.HasField("string_value") and meaning_of(pair.key) not in spared:
                yield pair.value
            yield from inside(pair.value.kvlist_value.values)

    for resource_spans in data.resource_spans:
        yield from inside(resource_spans.resource.attributes)
        for scope_spans in resource_spans.scope_spans:
            for span in scope_spans.spans:
                yield from inside(span.attributes)
                for event in span.events:
                    yield from inside(event.attributes)


def plant(data: TracesData, secret: str, *, labels: bool) -> None:
    """The secret in every text: beside it, and inside where it is JSON."""
    for value in places(data, labels=labels):
        text = value.string_value
        try:
            inner: object = json.loads(text) if text[:1] in "{[" else None
        except ValueError:
            inner = None
        value.string_value = json.dumps(_planted(inner, secret)) if inner else f"{text} ({secret})"
    for resource_spans in data.resource_spans:
        for scope_spans in resource_spans.scope_spans:
            for span in scope_spans.spans:
                span.name += f" {secret}"
                span.status.message += f" {secret}"


def _planted(value: object, secret: str, key: str = "", meaning: Meaning = Meaning.TEXT) -> object:
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        return {
            name: _planted(inner, secret, name, meaning_under(name, key, fields))
            for name, inner in fields.items()
        }
    if isinstance(value, list):
        return [_planted(inner, secret, key, meaning) for inner in cast("list[object]", value)]
    if isinstance(value, str) and meaning is not Meaning.DOCUMENT_ID:
        return f"{value}\n{secret}"
    return value


def texts(pairs: Sequence[KeyValue]) -> Iterator[AnyValue]:
    """Every value that is a text, in pairs of pairs, too."""
    for pair in pairs:
        if pair.value.HasField("string_value"):
            yield pair.value
        yield from texts(pair.value.kvlist_value.values)


def log_records(trace_id: bytes, secret: str) -> bytes:
    """The secret wherever log events of the GenAI conventions and of feedback hold texts: attributes and bodies."""
    data = LogsData()
    records = data.resource_logs.add().scope_logs.add().log_records
    messages = json.dumps([{"role": "user", "parts": [{"type": "text", "content": f"Is it {secret}?"}]}])
    details = records.add(trace_id=trace_id, event_name="gen_ai.client.inference.operation.details")
    for key, value in (("gen_ai.input.messages", messages), ("gen_ai.system_instructions", f"Mind {secret}")):
        details.attributes.append(KeyValue(key=key, value=wire(value)))
    choice = records.add(trace_id=trace_id, event_name="gen_ai.choice")
    message = choice.body.kvlist_value.values.add(key="message").value.kvlist_value.values.add(key="content")
    message.value.string_value = f"It is {secret}."
    records.add(trace_id=trace_id, body=AnyValue(string_value=f"user said {secret}"))
    verdict = records.add(trace_id=trace_id, event_name="gen_ai.evaluation.result")
    verdict.attributes.append(KeyValue(key="gen_ai.evaluation.explanation", value=wire(f"names {secret}")))
    verdict.attributes.append(KeyValue(key="gen_ai.evaluation.name", value=wire("privacy")))
    for path in RECORDED_LOGS:
        recording = LogsData.FromString(gzip.decompress(path.read_bytes()))
        for record in (
            each
            for logs in recording.resource_logs
            for scope in logs.scope_logs
            for each in scope.log_records
        ):
            record.trace_id = trace_id
            for text in (*texts(record.attributes), *texts(record.body.kvlist_value.values)):
                text.string_value += f" ({secret})"
            records.append(record)
    told = Feedback(trace_id=trace_id.hex(), kind="comment", comment=f"but {secret}")
    return data.SerializeToString() + told.arrival(1).payload


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_a_planted_secret_reaches_neither_store_nor_judge_nor_page(tmp_path: Path, secret: str) -> None:
    """In every attribute of every fixture and recording, and in log records beside.

    The bytes of the file and of its log are searched.
    """
    settings = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'ragvigil.db'}"}})
    moment = 10**12
    with (
        SqliteStore(settings) as store,
        closing(InboxWriter(settings.inbox_path)) as writer,
        closing(InboxReader(settings.inbox_path)) as reader,
    ):
        pipeline = Pipeline(
            inbox=reader,
            assembler=Assembler(settings.assemble),
            store=store.records,
            plan=SamplePlan(1.0, 1_000),
            redaction=Redaction(settings.content, store.pseudonyms),
            ticks=lambda: moment,
        )
        payloads = [path.read_bytes() for path in FIXTURES]
        payloads += [gzip.decompress(path.read_bytes()) for path in RECORDED]
        for number, payload in enumerate(payloads * 2, 1):
            data = TracesData.FromString(payload)
            plant(data, secret, labels=number > len(payloads))
            trace_id = number.to_bytes(16, "big")
            for resource_spans in data.resource_spans:
                for scope_spans in resource_spans.scope_spans:
                    for span in scope_spans.spans:
                        span.trace_id = trace_id
            said = Arrival("logs", trace_id, log_records(trace_id, secret), 0)
            writer.append([Arrival("spans", trace_id, data.SerializeToString(), 0), said]).result(10)
        jobs = list(pipeline.turn().jobs)
        moment += 700 * 10**9
        for _ in range(3):
            jobs += pipeline.turn().jobs
        assert len(jobs) >= len(payloads) - 2
        pipeline.judged([Judgement(job, Verdict("t", "1", "d", "unsupported", 0.0, 0.0)) for job in jobs])
        pipeline.turn()
        shown = repr(jobs) + "".join(
            repr(store.monitoring.examples(key, 0, 2**62, 100)) for key in store.monitoring.series()
        )
        stored = b"".join(file.read_bytes() for file in tmp_path.glob("ragvigil.db*"))
        raw = store.records.raw([job.record.trace_id for job in jobs])
        kept = b"".join(trace.spans + trace.logs for trace in raw.values())
        assert len(raw) >= len(payloads) - 2
        assert all(
            trace.logs.count(b"gen_ai.client.inference.operation.details") == 1 for trace in raw.values()
        )
    assert secret not in shown
    assert secret.encode() not in stored + kept
    assert json.dumps(secret).encode()[1:-1] not in kept

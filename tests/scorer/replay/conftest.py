"""A day of a service that goes wrong in the afternoon, as OTLP messages."""

from __future__ import annotations

from collections.abc import Iterator

from opentelemetry.proto.trace.v1.trace_pb2 import Span, TracesData

SECOND = 10**9
MORNING = 1_790_000_000 * SECOND


def day(questions: int, *, seconds: float = 60.0, wrong_from: int | None = None) -> Iterator[TracesData]:
    """One message a question, one question every so many seconds; from `wrong_from` on they cite what is not there."""
    for number in range(questions):
        begin = MORNING + int(number * seconds * SECOND) + number * 7_000_001
        wrong = wrong_from is not None and number >= wrong_from
        yield question(number + 1, begin, cited="p9" if wrong else "p1", price=99 if wrong else number + 3)


def question(number: int, begin: int, *, cited: str, price: int) -> TracesData:
    """A root, a retrieval and a generation, three seconds together."""
    data = TracesData()
    entry = data.resource_spans.add()
    entry.resource.attributes.add(key="service.name").value.string_value = "shop"
    scope = entry.scope_spans.add()
    scope.scope.name = "their-app"
    asked, passage = f"What does part {number} cost?", f"Part {number} costs {number + 2} euros."
    answer = f"Part {number} costs {price} euros [{cited}]."
    document = "retrieval.documents.0.document"
    for place, (name, kind, attributes) in enumerate(
        [
            ("rag", "CHAIN", {"input.value": asked, "output.value": answer}),
            ("retrieve", "RETRIEVER", {f"{document}.id": "p1", f"{document}.content": passage}),
            ("answer", "LLM", {"output.value": answer}),
        ]
    ):
        made = scope.spans.add(
            trace_id=(number * 0x9E3779B97F4A7C15 % 2**128).to_bytes(16),
            span_id=(number * 8 + place).to_bytes(8),
            parent_span_id=b"" if place == 0 else (number * 8).to_bytes(8),
            name=name,
            kind=Span.SPAN_KIND_INTERNAL,
            start_time_unix_nano=begin + place * SECOND,
            end_time_unix_nano=begin + (3 if place == 0 else place + 1) * SECOND,
        )
        for key, value in {"openinference.span.kind": kind, **attributes}.items():
            made.attributes.add(key=key).value.string_value = value
    return data

"""Spans made by hand, and the traces that real instrumentations made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.span import Span, SpanEvent, spans_of
from ragvigil.scorer.trace import RagTrace

TRACES = Path(__file__).parents[2] / "fixtures" / "traces"
TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
QUESTION = "When does the ferry leave?"
ANSWER = "It leaves at nine [1]."
PASSAGES = (
    ("timetable-1", "The ferry leaves at nine.", 0.9),
    ("fares-2", "A ticket costs four crowns.", 0.5),
)


def span(
    span_id: str,
    attributes: Mapping[str, object] | None = None,
    *,
    parent: str | None = None,
    name: str = "step",
    start: int = 0,
    end: int = 0,
    events: tuple[SpanEvent, ...] = (),
    failed: bool = False,
    status: str = "",
    scope: str = "app",
    resource: Mapping[str, object] | None = None,
    dropped: int = 0,
    flags: int = 0,
) -> Span:
    """A span whose times are given in milliseconds of one second."""
    return Span(
        trace_id=TRACE_ID,
        span_id=span_id,
        parent_id=parent,
        name=name,
        kind=1,
        start=1_700_000_000_000_000_000 + start * 1_000_000,
        end=1_700_000_000_000_000_000 + end * 1_000_000,
        attributes=attributes or {},
        events=events,
        failed=failed,
        status_message=status,
        scope=scope,
        resource=resource or {"service.name": "ferries"},
        dropped_attributes=dropped,
        flags=flags,
    )


def chain(query: str | None = QUESTION, answer: str | None = ANSWER) -> dict[str, object]:
    """Attributes of an OpenInference chain."""
    given: dict[str, object] = {"input.value": query, "output.value": answer}
    return {"openinference.span.kind": "CHAIN", **{key: value for key, value in given.items() if value}}


def retrieval(
    passages: tuple[tuple[str | None, str | None, float | None], ...] = PASSAGES, query: str = QUESTION
) -> dict[str, object]:
    """Attributes of an OpenInference retriever."""
    found: dict[str, object] = {"openinference.span.kind": "RETRIEVER", "input.value": query}
    for place, (key, text, score) in enumerate(passages):
        prefix = f"retrieval.documents.{place}.document"
        found |= {f"{prefix}.id": key} if key is not None else {}
        found |= {f"{prefix}.content": text} if text is not None else {}
        found |= {f"{prefix}.score": score} if score is not None else {}
    if not passages:
        found |= {"output.value": "[]", "output.mime_type": "application/json"}
    return found


def generation(
    answer: str | None = ANSWER, *, tokens: tuple[int, int] | None = (20, 5), question: str = QUESTION
) -> dict[str, object]:
    """Attributes of an OpenInference LLM span."""
    made: dict[str, object] = {
        "openinference.span.kind": "LLM",
        "llm.model_name": "tiny-chat-1",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": question,
    }
    if answer is not None:
        made |= {
            "llm.output_messages.0.message.role": "assistant",
            "llm.output_messages.0.message.content": answer,
        }
    if tokens:
        made |= {"llm.token_count.prompt": tokens[0], "llm.token_count.completion": tokens[1]}
    return made


def trace() -> list[Span]:
    """One question as four spans: a request, a chain, a retrieval, a generation."""
    return [
        span("a0", name="POST /ask", start=1, end=99),
        span("a1", chain(), parent="a0", start=2, end=90),
        span("a2", retrieval(), parent="a1", start=3, end=20),
        span("a3", generation(), parent="a1", start=21, end=80),
    ]


def captured(name: str) -> list[Span]:
    """The spans of a fixture."""
    return spans_of((TRACES / f"{name}.pb").read_bytes())


def only(spans: list[Span]) -> RagTrace:
    """The one record of the spans."""
    (record,) = read_records(spans)
    return record


def ids(record: RagTrace) -> list[str | None]:
    """Ids of the record's documents, in order."""
    return [document.id for document in record.documents]


def as_json(value: object) -> str:
    """The value as JSON text."""
    return json.dumps(value)

"""Any order, split or duplication of the same spans gives the same records."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragvigil.scorer.dialects import DIALECTS, Received, read_all, read_records
from ragvigil.scorer.span import LogEvent, Span, logs_of, spans_of

from .conftest import TRACES, captured, trace

NAMES = sorted(path.stem for path in TRACES.glob("*.pb"))
RECORDED = sorted(
    path for path in (Path(__file__).parent / "recorded").iterdir() if ".logs." not in path.name
)


def recorded(path: Path) -> tuple[list[Span], list[LogEvent]]:
    """Spans and log events of a recording."""
    logs = path.with_name(path.name.replace(".pb.gz", ".logs.pb.gz"))
    events = logs_of(gzip.decompress(logs.read_bytes())) if logs.exists() else []
    return spans_of(gzip.decompress(path.read_bytes())), events


@pytest.mark.parametrize(
    "name", [*NAMES, "made by hand", *RECORDED], ids=lambda each: getattr(each, "name", each)
)
@settings(deadline=None, max_examples=12)
@given(data=st.data())
def test_order_and_duplication_do_not_matter(name: str | Path, data: st.DataObject) -> None:
    """Exporters batch, retry and race; the records of every fixture and recording are the same."""
    if isinstance(name, Path):
        all_spans, all_events = recorded(name)
    else:
        all_spans, all_events = trace() if name == "made by hand" else captured(name), []
    for trace_id in {span.trace_id for span in all_spans}:
        spans = [span for span in all_spans if span.trace_id == trace_id]
        events = [event for event in all_events if event.trace_id == trace_id]
        expected = read_records(spans, events)
        again = data.draw(st.lists(st.sampled_from(spans), max_size=6))
        told = data.draw(st.permutations([*events, *events[:2]]))
        assert read_records(data.draw(st.permutations([*spans, *again])), told) == expected


def test_traces_read_together_give_the_records_of_each_alone() -> None:
    """Every fixture and recording at once: no step of one trace shows in another."""
    everything = [(trace(), list[LogEvent]()), *((captured(name), list[LogEvent]()) for name in NAMES)]
    everything += map(recorded, RECORDED)
    traces = [
        Received(
            [span for span in spans if span.trace_id == trace_id],
            [event for event in events if event.trace_id == trace_id],
            timed_out=bool(place % 2),
        )
        for place, (spans, events) in enumerate(everything)
        for trace_id in sorted({span.trace_id for span in spans})
    ]
    alone = [read_records(one.spans, one.events, timed_out=one.timed_out) for one in traces]
    assert read_all(traces) == alone
    assert any(alone)


NAMES_OF_ATTRIBUTES = st.sampled_from(
    [
        *("openinference.span.kind", "input.value", "output.value", "output.mime_type"),
        *(
            "gen_ai.operation.name",
            "gen_ai.input.messages",
            "gen_ai.retrieval.documents",
            "gen_ai.completion",
        ),
        *(
            "langfuse.observation.type",
            "langfuse.observation.output",
            "mlflow.spanType",
            "mlflow.spanOutputs",
        ),
        *("langsmith.span.kind", "traceloop.span.kind", "traceloop.entity.input", "traceloop.entity.output"),
        *("ai.operationId", "ai.prompt", "haystack.component.type", "haystack.component.output"),
        *("pydantic_ai.all_messages", "logfire.msg", "gen_ai.tool.call.result"),
    ]
)
VALUES: st.SearchStrategy[object] = st.one_of(
    st.sampled_from(
        [
            *("LLM", "CHAIN", "RETRIEVER", "chat", "retrieval", "execute_tool", "application/json"),
            *(
                '{"documents": [[]]}',
                '[{"role": 1, "content": [[{"text": {}}]]}]',
                '{"choices": [{"message": 5}]}',
            ),
            *('{"kwargs": {"inputs": [{"kwargs": 1}]}}', "[" * 3000, '"\\ud800"', '{"text": "\\ud800"}'),
        ]
    ),
    st.text(max_size=20),
    st.floats(),
    st.booleans(),
    st.binary(max_size=3),
    st.lists(st.integers(), max_size=2),
    st.none(),
)


@st.composite
def hostile_spans(draw: st.DrawFn) -> Span:
    """Ids that repeat, rings of parents, values of every type, JSON of every shape."""
    start = draw(st.integers(0, 2**63))
    return Span(
        trace_id="0" * 32,
        span_id=draw(st.sampled_from("abcdef")),
        parent_id=draw(st.sampled_from([None, *"abcdefg"])),
        name=draw(st.text(max_size=5)),
        kind=1,
        start=start,
        end=start + draw(st.integers(-5, 5)),
        attributes=draw(st.dictionaries(NAMES_OF_ATTRIBUTES, VALUES, max_size=6)),
        failed=draw(st.booleans()),
    )


@settings(deadline=None, max_examples=150)
@given(st.lists(hostile_spans(), max_size=7))
def test_hostile_spans_neither_raise_nor_depend_on_order(spans: list[Span]) -> None:
    """What cannot be read is unknown, and text is never empty."""
    for span in spans:
        for dialect in DIALECTS:
            if dialect.matches(span):
                dialect.read(span)
    expected = read_records(spans)
    assert read_records(spans[::-1]) == expected
    for record in expected:
        assert record.query != ""
        assert record.answer != ""
        assert (record.query or "").encode() is not None

"""Steps of frameworks as their tracers wrote them, run on 2026-11-27: what was read of them was wrong, or nothing.

smolagents 1.26 through MLflow 3, LlamaIndex.TS 0.12 through Traceloop's SDK in Node, Genkit 1.42 in Node.
"""

from __future__ import annotations

from ragvigil.scorer.span import Span

from .conftest import ANSWER, PASSAGES, QUESTION, as_json, only, span

HITS = [{"id": key, "text": text, "score": score} for key, text, score in PASSAGES]
LLAMA_INDEX = "@traceloop/instrumentation-llamaindex"


def agent(returned: object) -> list[Span]:
    """A run of smolagents' agent with one tool, as MLflow logs it."""
    asked = as_json({"sanitize_inputs_outputs": True, "kwargs": {"query": QUESTION}})
    told = {
        "mlflow.spanType": '"TOOL"',
        "mlflow.spanInputs": asked,
        "mlflow.spanOutputs": as_json({"_value": returned}),
    }
    run = {
        "mlflow.spanType": '"AGENT"',
        "mlflow.spanInputs": as_json({"task": QUESTION}),
        "mlflow.spanOutputs": as_json({"_value": ANSWER}),
    }
    return [
        span("a1", run, name="ToolCallingAgent.run", start=1, end=99),
        span("a2", told, parent="a1", name="SimpleTool.__call__", start=2, end=9),
    ]


def test_the_values_of_smolagents_stand_in_an_object_of_mlflow() -> None:
    """The object was the answer, and the passages were not read: the record was complete without any."""
    record = only(agent(as_json(HITS)))
    assert (record.answer, record.completeness) == (ANSWER, "complete")
    assert [each.id for each in record.documents] == [key for key, _, _ in PASSAGES]


def test_words_of_a_tool_without_a_name_may_be_what_it_found() -> None:
    """MLflow calls every function that is a tool the same."""
    record = only(agent("The ferry leaves at nine."))
    assert (record.answer, record.completeness) == (ANSWER, "partial_evidence")


def test_a_stream_of_llama_index_in_node_tells_no_answer() -> None:
    """Its object is printed in the place of the answer: the record was complete without one."""
    asked = {
        "traceloop.span.kind": "workflow",
        "traceloop.entity.input": as_json({"args": [], "kwargs": {"query": QUESTION, "stream": True}}),
    }
    found = {
        "traceloop.span.kind": "task",
        "traceloop.entity.input": as_json({"args": [QUESTION], "kwargs": {}}),
        "traceloop.entity.output": as_json(
            [{"node": {"id_": key, "text": text}, "score": score} for key, text, score in PASSAGES]
        ),
    }
    made = {
        "traceloop.span.kind": "task",
        "traceloop.entity.input": as_json({"args": [{"query": {"query": QUESTION}}], "kwargs": {}}),
        "traceloop.entity.output": "{}",
    }
    spans = [
        span("a1", asked, name="retriever_query_engine.query", start=1, end=99, scope=LLAMA_INDEX),
        span(
            "a2",
            found,
            parent="a1",
            name="retriever_query_engine.retrieve",
            start=2,
            end=9,
            scope=LLAMA_INDEX,
        ),
        span(
            "a3", made, parent="a1", name="compact_and_refine.synthesize", start=10, end=20, scope=LLAMA_INDEX
        ),
    ]
    record = only(spans)
    assert (record.query, len(record.documents)) == (QUESTION, len(PASSAGES))
    assert (record.answer, record.completeness) == (None, "partial_evidence")


def test_a_retriever_of_genkit_in_node_is_asked_with_a_document() -> None:
    """A search by itself told no question."""
    told = {
        "genkit:type": "action",
        "genkit:metadata:subtype": "retriever",
        "genkit:input": as_json({"query": {"content": [{"text": QUESTION}]}}),
        "genkit:output": as_json({"documents": [{"content": [{"text": PASSAGES[0][1]}]}]}),
    }
    assert only([span("a1", told, name="handbook", scope="genkit-tracer")]).query == QUESTION

"""LlamaIndex's own OpenTelemetry spans: what its events tell, recorded from its engines, workflows and agents."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.dialects.llama_index import LlamaIndex
from ragvigil.scorer.span import Span, SpanEvent

from .conftest import ANSWER, PASSAGES, QUESTION, as_json, captured, ids, only, span

SCOPE = "llamaindex.opentelemetry.tracer"
NODES = [{"node": {"id_": key, "text": text}, "score": score} for key, text, score in PASSAGES]


def told(name: str, start: int, parent: str | None = None, **events: dict[str, object]) -> Span:
    """A span with events of these names and fields."""
    made = tuple(SpanEvent(event, start, fields) for event, fields in events.items())
    return span(name, {}, parent=parent, start=start, end=start + 9, events=made, scope=SCOPE)


def said(role: str, text: str, **aside: object) -> dict[str, object]:
    """A message as LlamaIndex keeps it."""
    return {"role": role, "additional_kwargs": aside, "blocks": [{"block_type": "text", "text": text}]}


def chat(*messages: dict[str, object], start: int = 20, parent: str | None = "a1") -> Span:
    """A call of a model that answered."""
    replied = as_json([{"block_type": "text", "text": ANSWER}])
    return told(
        "a3",
        start,
        parent,
        LLMChatStartEvent={"messages": as_json(messages), "model_dict.model_name": "tiny-chat-1"},
        LLMChatEndEvent={
            "response.message.blocks": replied,
            "response.raw.usage.prompt_tokens": "20",
            "response.raw.usage.completion_tokens": "5",
            "response.raw.choices": as_json([{"finish_reason": "stop"}]),
        },
    )


@pytest.mark.parametrize(
    ("name", "query", "found", "answer"),
    [
        (
            "llamaindex-otel-engines-query",
            "自由席はどの車両ですか\uff1f",
            ["座席-1", "案内/7"],
            "1号車から3号車です[1]。",
        ),
        (
            "llamaindex-otel-workflows-plain",
            "À quelle heure part le dernier bac ?",
            ["3fa85f64-5717", "17"],
            "À 19 h 45 en été [1].",
        ),
        (
            "llamaindex-otel-agents-engine_tool",
            "When is the museum open?",
            ["urn:x:1", "b 2"],
            "From ten to six [1].",
        ),
    ],
)
def test_a_recorded_application_reads_as_it_ran(name: str, query: str, found: list[str], answer: str) -> None:
    """A query engine, a workflow with a retriever and a model, and an agent that asks an engine in other words."""
    record = only(captured(name))
    assert (record.query, ids(record), record.answer) == (query, found, answer)
    assert (record.completeness, record.model, record.finish_reason) == ("complete", "tiny", "stop")
    assert record.dialect == "llama_index"


@pytest.mark.parametrize(
    "name", ["engines-query", "workflows-plain", "agents-engine_tool", "engines-query_error"]
)
def test_a_backend_that_keeps_no_scope_loses_no_record(name: str) -> None:
    """Phoenix is one: of what was pulled from it nothing was read."""
    spans = captured(f"llamaindex-otel-{name}")
    assert read_records([replace(each, scope="phoenix") for each in spans]) == read_records(spans)


def test_a_span_of_somebody_else_is_not_taken_for_one_of_these() -> None:
    """An event with a class is no event of LlamaIndex's, which tell the span, too."""
    event = SpanEvent("Started", 5, {"class_name": "Started"})
    other = span("a1", {}, parent=None, start=1, end=9, events=(event,), scope="mine")
    assert not LlamaIndex().matches(other)


def test_a_search_that_failed_is_the_record_s_error() -> None:
    """It is told by each span around it."""
    record = only(captured("llamaindex-otel-engines-query_error"))
    assert (record.query, record.answer, record.documents) == (
        "À quelle heure part le dernier bac ?",
        None,
        (),
    )
    assert (record.error, record.error_where) == ("ConnectionError", "retriever")


def test_a_rerank_stands_for_the_search_before_it() -> None:
    """Its nodes are what the model was shown."""
    spans = [
        told("a1", 0, QueryStartEvent={"query": QUESTION}, QueryEndEvent={"response.response": ANSWER}),
        told(
            "a2",
            1,
            "a1",
            RetrievalStartEvent={"str_or_query_bundle": QUESTION},
            RetrievalEndEvent={"nodes": as_json(NODES)},
        ),
        told(
            "a4",
            12,
            "a1",
            ReRankStartEvent={"query": QUESTION, "nodes": as_json(NODES)},
            ReRankEndEvent={"nodes": as_json(NODES[1:])},
        ),
        chat(said("user", QUESTION), start=30),
    ]
    record = only(spans)
    assert (record.query, ids(record), record.answer) == (QUESTION, [PASSAGES[1][0]], ANSWER)
    assert (record.tokens.input, record.tokens.output, record.completeness) == (20, 5, "complete")


def test_a_stream_returns_no_answer_to_its_engine() -> None:
    """The model's spans are a trace of their own then: both records are incomplete."""
    printed = "SerializationIterator(index=0, iterator=<generator object x at 0x7f8e4c067840>)"
    engine = told(
        "a1",
        0,
        QueryStartEvent={"query": QUESTION},
        QueryEndEvent={"response.response_gen": printed},
    )
    found = told(
        "a2",
        1,
        "a1",
        RetrievalStartEvent={"str_or_query_bundle.query_str": QUESTION},
        RetrievalEndEvent={"nodes": as_json(NODES)},
    )
    record = only([engine, found])
    assert (record.answer, record.streaming, record.completeness) == (None, True, "partial_evidence")


@pytest.mark.parametrize("printed", [True, False])
def test_what_a_tool_returned_is_read_of_the_conversation(printed: bool) -> None:
    """A function's list of mappings is printed as Python does."""
    hits = [{"id": key, "text": text} for key, text, _ in PASSAGES]
    call = {"id": "c1", "type": "function", "function": {"name": "search_docs", "arguments": "{}"}}
    asked = said("assistant", "", tool_calls=[call])
    result = said("tool", repr(hits) if printed else as_json(hits), tool_call_id="c1")
    record = only([chat(said("user", QUESTION), asked, result, parent=None)])
    assert (record.query, ids(record), record.completeness) == (
        QUESTION,
        [key for key, *_ in PASSAGES],
        "complete",
    )


def test_what_nobody_searched_for_words_is_no_list_that_was_printed() -> None:
    """A tool that is no search may print a list as well."""
    call = {"id": "c1", "type": "function", "function": {"name": "send_mail", "arguments": "{}"}}
    asked = said("assistant", "", tool_calls=[call])
    result = said("tool", "[{'id': 'm1', 'state': 'sent'}]", tool_call_id="c1")
    record = only([chat(said("user", QUESTION), asked, result, parent=None)])
    assert record.documents == ()


def test_a_completion_and_an_embedding_are_read() -> None:
    """One answers, the other does not."""
    prompt = f"Context:\n[1] {PASSAGES[0][1]}\n[2] {PASSAGES[1][1]}\n\nQuestion: {QUESTION}"
    spans = [
        told("a1", 0, EmbeddingStartEvent={"model_dict": "x"}),
        told(
            "a2",
            10,
            LLMCompletionStartEvent={"prompt": prompt, "model_dict.model": "tiny-chat-1"},
            LLMCompletionEndEvent={"response.text": ANSWER},
        ),
    ]
    (record,) = read_records(spans)
    assert (record.query, record.answer, len(record.documents)) == (QUESTION, ANSWER, 2)


def test_what_a_model_thought_is_no_part_of_its_answer() -> None:
    """Nor of what it was told later."""
    thought = {"block_type": "thinking", "content": "It may be ten."}
    earlier = {
        **said("assistant", "At nine."),
        "blocks": [thought, {"block_type": "text", "text": "At nine."}],
    }
    call = chat(said("user", QUESTION), earlier, said("user", "And back?"), parent=None)
    start, end = call.events
    blocks = as_json([thought, {"block_type": "text", "text": ANSWER}])
    ended = replace(end, attributes={**end.attributes, "response.message.blocks": blocks})
    record = only([replace(call, events=(start, ended))])
    assert (record.query, record.answer, record.completeness) == ("And back?", ANSWER, "complete")
    reading = LlamaIndex().read(call)
    assert [message.text for message in reading.messages] == [QUESTION, "At nine.", "And back?"]


@pytest.mark.parametrize("name", ["engines-query", "workflows-plain"])
def test_a_call_whose_first_event_was_thrown_away_is_incomplete(name: str) -> None:
    """As of a long stream: what the model was sent is unknown."""
    spans = [
        replace(each, events=tuple(event for event in each.events if event.name != "LLMChatStartEvent"))
        for each in captured(f"llamaindex-otel-{name}")
    ]
    record = only(spans)
    assert record.answer is not None
    assert record.completeness == "partial_evidence"


def test_a_completion_whose_first_event_was_thrown_away_is_incomplete() -> None:
    """As a chat's."""
    engine = told("a1", 0, QueryStartEvent={"query": QUESTION}, QueryEndEvent={"response.response": ANSWER})
    call = told("a2", 2, "a1", LLMCompletionEndEvent={"response.text": ANSWER})
    record = only([engine, call])
    assert (record.answer, record.completeness) == (ANSWER, "partial_evidence")

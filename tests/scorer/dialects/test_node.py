"""LangChain in Node: its documents, its tools and its errors are written in another way than in Python."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.span import Span, SpanEvent
from ragvigil.scorer.trace import RagTrace

from .conftest import ANSWER, PASSAGES, QUESTION, as_json, chain, generation, ids, only, span

PAGES = [{"pageContent": text, "metadata": {"score": score}, "id": key} for key, text, score in PASSAGES]
OPENLLMETRY = "@traceloop/instrumentation-langchain"
SHOWN = "\n".join(text for _, text, _ in PASSAGES)
CHAT: dict[str, object] = {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "tiny-chat-1",
    "gen_ai.input.messages": as_json([{"role": "user", "parts": [{"type": "text", "content": QUESTION}]}]),
    "gen_ai.output.messages": as_json(
        [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}]
    ),
}


def workflow(given: object, made: object) -> dict[str, object]:
    """OpenLLMetry says of every step of a chain that it is a workflow, and of all that they are side by side."""
    return {
        "gen_ai.operation.name": "workflow",
        "traceloop.span.kind": "workflow",
        "traceloop.entity.input": as_json(given),
        **({} if made is None else {"traceloop.entity.output": as_json(made)}),
    }


def in_turn(*steps: dict[str, object]) -> list[Span]:
    """The steps one after the other below one request."""
    request = span("a0", name="POST /ask", start=0, end=99)
    below = [
        span(f"b{place}", said, parent="a0", start=10 * place, end=10 * place + 5)
        for place, said in enumerate(steps, 1)
    ]
    return [request, *below]


@pytest.mark.parametrize(
    "search",
    [
        workflow({"input": PAGES}, {"output": SHOWN}),
        workflow({"question": QUESTION}, {"context": PAGES}),
    ],
    ids=["formatter", "node of a graph"],
)
def test_openllmetry_s_steps_hold_the_passages_that_no_retriever_tells(search: dict[str, object]) -> None:
    """It has no span for retrievers."""
    asked = workflow({"input": QUESTION}, {"output": ANSWER})
    record = only(in_turn(asked, search, CHAT))
    assert (record.query, record.answer, ids(record)) == (QUESTION, ANSWER, [key for key, *_ in PASSAGES])


def test_openllmetry_s_tool_is_called_as_its_message_says() -> None:
    """Its span has the name of the class, and the agent's state many a query in it."""
    found = as_json([{"id": key, "text": text, "score": score} for key, text, score in PASSAGES])
    message = {
        "type": "constructor",
        "kwargs": {"content": found, "tool_call_id": "c1", "name": "search_docs"},
    }
    call: dict[str, object] = {
        "gen_ai.operation.name": "execute_tool",
        "traceloop.span.kind": "task",
        "traceloop.entity.name": "DynamicStructuredTool",
        "traceloop.entity.input": as_json({"args": [as_json({"query": "ferry"})]}),
        "traceloop.entity.output": as_json(message),
    }
    calling = {"kwargs": {"content": "", "tool_calls": [{"id": "c1", "args": {"query": "ferry"}}]}}
    state = {"messages": [{"kwargs": {"content": QUESTION, "type": "human"}}, calling]}
    record = only(in_turn(workflow(state, {"output": "__end__"}), call, CHAT))
    assert (record.query, ids(record)) == (QUESTION, [key for key, *_ in PASSAGES])
    assert [(each.query, each.stage) for each in record.retrievals] == [("ferry", "retrieve")]


def test_langfuse_s_function_that_returned_documents_tells_their_ids() -> None:
    """Its handler knows retrievers only."""
    found = {"langfuse.observation.type": "span", "langfuse.observation.output": as_json({"output": PAGES})}
    asked = {"langfuse.observation.type": "span", "langfuse.observation.input": QUESTION}
    model = {"langfuse.observation.type": "generation", "langfuse.observation.output": ANSWER}
    spans = [
        span("a1", asked, start=1, end=90),
        span("a2", found, parent="a1", start=2, end=9),
        span("a3", model, parent="a1", start=10, end=80),
    ]
    assert ids(only(spans)) == [key for key, *_ in PASSAGES]


def test_openinference_s_function_that_returned_documents_tells_their_ids() -> None:
    """As in Python, where the name of the text is another one."""
    found = chain(QUESTION, as_json({"output": PAGES})) | {"output.mime_type": "application/json"}
    spans = [
        span("a1", chain(), start=1, end=90),
        span("a2", found, parent="a1", start=2, end=9),
        span("a3", generation(), parent="a1", start=10, end=80),
    ]
    assert ids(only(spans)) == [key for key, *_ in PASSAGES]


def test_an_error_is_told_without_its_stack() -> None:
    """LangChain says the message, and after it what JavaScript prints of the error, which says it again."""
    stack = "\n    at R.find (file:///app/a.mjs:1:2)\n    at async b (c.js:3:4)"
    said = f"store unreachable\n\nRangeError: store unreachable{stack}"
    event = SpanEvent("exception", 0, {"exception.message": said})
    broken = span(
        "a2",
        {"openinference.span.kind": "RETRIEVER"},
        parent="a1",
        start=2,
        end=3,
        failed=True,
        events=(event,),
    )
    record = only([span("a1", chain(answer=None), start=1, end=9, failed=True), broken])
    assert (record.error, record.error_message) == ("RangeError", "store unreachable")


def test_a_chat_engine_of_llama_index_tells_its_passages_in_what_it_returned() -> None:
    """OpenLLMetry has no span of its search, and none of its model."""
    nodes = [{"node": {"id_": key, "text": text}, "score": score} for key, text, score in PASSAGES]
    made = {"message": {"content": ANSWER, "role": "assistant"}, "sourceNodes": nodes}
    engine: dict[str, object] = {
        "traceloop.span.kind": "workflow",
        "traceloop.entity.input": as_json({"args": [], "kwargs": {"message": QUESTION}}),
        "traceloop.entity.output": as_json(made),
    }
    record = only([span("a1", engine, start=1, end=9)])
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")
    assert [(each.id, each.text, each.score) for each in record.documents] == list(PASSAGES)


def test_what_a_vector_store_found_counts_whatever_store_it_is() -> None:
    """Traceloop's `withVectorDBCall` has events for what was reported, and no attribute of its own."""
    events = tuple(
        SpanEvent("db.query.result", 3, {"db.query.result.id": key, "db.query.result.document": text})
        for key, text, _ in PASSAGES
    )
    found = span("b1", {"traceloop.workflow.name": "rag"}, parent="a0", start=2, end=4, events=events)
    model = span("b2", CHAT, parent="a0", start=5, end=9)
    record = only([span("a0", chain(), start=1, end=10), found, model])
    assert ids(record) == [key for key, *_ in PASSAGES]


def apart(said: dict[str, object], *, failed: bool = False) -> list[RagTrace]:
    """The records of a step that is a trace of its own, as OpenLLMetry sends each where no span is above them."""
    return read_records([span("b1", said, end=5, failed=failed, scope=OPENLLMETRY)])


def test_a_step_that_openllmetry_sent_by_itself_is_no_question() -> None:
    """It would be one of seven; the model's call tells all of it, and a failure is told by its own step."""
    assert apart(workflow({"input": QUESTION}, {"output": QUESTION})) == []
    assert apart(workflow({"input": PAGES}, {"output": SHOWN})) == []
    (record,) = apart(workflow({"input": QUESTION}, None), failed=True)
    assert (record.query, record.answer, record.error) == (QUESTION, None, "error")


def test_a_call_that_openllmetry_sent_by_itself_may_have_lost_its_search() -> None:
    """Unless its prompt shows passages."""
    (record,) = apart(CHAT)
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "partial_evidence")
    prompt = f"Context:\n[1] {PASSAGES[0][1]}\n[2] {PASSAGES[1][1]}\n\nQuestion: {QUESTION}"
    sent = as_json([{"role": "user", "parts": [{"type": "text", "content": prompt}]}])
    (record,) = apart({**CHAT, "gen_ai.input.messages": sent})
    assert (len(record.documents), record.completeness) == (2, "complete")
    (record,) = read_records([span("a0", end=9), span("b1", CHAT, parent="a0", end=5, scope=OPENLLMETRY)])
    assert record.completeness == "complete"


def test_neither_a_reply_nor_passages_that_openllmetry_s_step_was_given_are_a_question() -> None:
    """A parser is given the one, a formatter the others."""
    reply = {"lc": 1, "type": "constructor", "id": ["x", "AIMessage"], "kwargs": {"content": ANSWER}}
    asked = workflow({"input": QUESTION}, {"output": ANSWER})
    for given in (reply, {"input": PAGES}):
        record = only(in_turn(workflow(given, {"output": ANSWER}), asked))
        assert record.query == QUESTION


def test_of_steps_that_began_at_once_the_one_around_the_others_is_the_question() -> None:
    """What a step below it handed on is no answer of a chain that failed."""
    request = span("a0", name="POST /ask", end=99)
    passed = span("b1", workflow({"input": QUESTION}, {"output": QUESTION}), parent="a0", start=1, end=2)
    failed = span("b2", workflow({"input": QUESTION}, None), parent="a0", start=1, end=9, failed=True)
    record = only([request, passed, failed])
    assert (record.query, record.answer) == (QUESTION, None)


@pytest.mark.parametrize(("count", "completeness"), [(0, "complete"), (None, "partial_evidence")])
def test_openlit_hangs_no_step_of_langchain_below_another(count: int | None, completeness: str) -> None:
    """With no span above them, its search and its call were two records of one question, each complete."""
    search: dict[str, object] = {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.retrieval.query.text": QUESTION,
    }
    search |= {} if count is None else {"gen_ai.retrieval.document_count": count}
    scope = "openlit.instrumentation.langchain"
    parts = [("b1", search), ("b2", CHAT)]
    alone = [
        span(key, said, start=place, end=place + 1, scope=scope) for place, (key, said) in enumerate(parts)
    ]
    found = [record for each in alone for record in read_records([each])]
    assert [(each.query, each.answer, each.completeness) for each in found] == [
        (QUESTION, ANSWER, "partial_evidence")
    ]
    below = [replace(each, parent_id="a0") for each in alone]
    record = only([span("a0", name="POST /ask", start=0, end=9), *below])
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, completeness)

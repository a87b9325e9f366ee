"""The other dialects: one plain trace each, and what is peculiar to it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.scorer.dialects.plain_traces import (
    CHAT,
    CONTEXT,
    HAYSTACK,
    LANGSMITH,
    LC_ASKING,
    LC_PAGES,
    MLFLOW,
    OPENLLMETRY,
    OTEL_GENAI,
    PARTS,
    PLAIN,
    PYDANTIC_AI,
    SAID,
)

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.span import LogEvent, Span, SpanEvent
from ragvigil.scorer.trace import Tokens

from .conftest import ANSWER, PASSAGES, QUESTION, TRACE_ID, as_json, ids, only, span


@pytest.mark.parametrize("dialect", PLAIN)
def test_a_plain_trace_reads_whole(dialect: str) -> None:
    """Question, passages, answer, model and tokens, wherever the vendor put them."""
    record = only(PLAIN[dialect])
    assert record.dialect == dialect
    assert (record.query, record.answer, record.model) == (QUESTION, ANSWER, "tiny-chat-1")
    assert [(each.id, each.text, each.score) for each in record.documents] == list(PASSAGES)
    assert record.tokens == Tokens(20, 5)
    assert record.completeness == "complete"


@pytest.mark.parametrize("answer", ["42", "true", "null", '"yes" or "no"'])
def test_langfuse_answers_that_look_like_json_stay_text(answer: str) -> None:
    """It sends a text as it is, without saying that it is one."""
    said: dict[str, object] = {
        "langfuse.observation.type": "generation",
        "langfuse.observation.output": answer,
    }
    assert only([span("a1", said, start=1, end=2)]).answer == answer


@pytest.mark.parametrize("answer", ["At nine [1].", "Um neun \u00fchr [1].", 'It says "nine" [1].'])
def test_the_quotes_that_langfuse_3_0_put_around_texts_are_none_of_the_answer(answer: str) -> None:
    """With an escape in them or without: as a quotation the whole answer would have to stand in the passages."""
    said: dict[str, object] = {
        "langfuse.observation.type": "generation",
        "langfuse.observation.output": as_json(answer),
    }
    assert only([span("a1", said, start=1, end=2)]).answer == answer


def test_mlflow_chunks_are_joined() -> None:
    """A stream's output is the list of its chunks."""
    said: dict[str, object] = {"mlflow.spanType": '"LLM"', "mlflow.spanOutputs": as_json(["At ", "nine."])}
    chunk = SpanEvent("mlflow.chunk.item.0", 0, {"mlflow.chunk.value": '"At "'})
    record = only([span("a1", said, start=1, end=2, events=(chunk,))])
    assert (record.answer, record.streaming) == ("At nine.", True)


def test_the_conversation_of_a_langchain_run_is_in_the_metadata_that_mlflow_keeps() -> None:
    """Its autologging writes the run's metadata as an attribute of that name."""
    said = {**MLFLOW[0].attributes, "metadata": as_json({"session_id": "s-1", "user_id": "u-9"})}
    record = only([replace(MLFLOW[0], attributes=said), *MLFLOW[1:]])
    assert (record.conversation_id, record.user_id) == ("s-1", "u-9")


def test_langsmith_prompts_are_no_generations() -> None:
    """Its prompt runs carry the operation `chat` as well."""
    prompt: dict[str, object] = {
        "langsmith.span.kind": "prompt",
        "gen_ai.operation.name": "chat",
        "gen_ai.completion": as_json({"output": "a prompt"}),
    }
    spans = [*LANGSMITH, span("a9", prompt, parent="a1", start=91, end=95, scope="langsmith")]
    assert only(spans).answer == ANSWER


def test_langsmith_errors_have_their_type_in_the_message() -> None:
    """`exception.type` always says Exception."""
    message = "TimeoutError('no reply')Traceback (most recent call last):\n ..."
    event = SpanEvent("exception", 0, {"exception.type": "Exception", "exception.message": message})
    broken: dict[str, object] = {
        "langsmith.span.kind": "retriever",
        "gen_ai.prompt": as_json({"query": QUESTION}),
    }
    record = only([span("a2", broken, start=1, end=2, failed=True, events=(event,))])
    assert (record.error, record.error_message, record.error_where) == (
        "TimeoutError",
        "no reply",
        "retriever",
    )


def test_legacy_openllmetry_documents_come_from_the_step_that_formats_them() -> None:
    """It has no retriever span; a parser's messages are no documents."""
    task: dict[str, object] = {
        "traceloop.span.kind": "task",
        "traceloop.entity.input": as_json({"inputs": LC_PAGES}),
    }
    parser: dict[str, object] = {
        "traceloop.span.kind": "task",
        "traceloop.entity.input": as_json({"inputs": LC_ASKING["messages"][0]}),
    }
    old: dict[str, object] = {
        "llm.request.type": "chat",
        "gen_ai.request.model": "unknown",
        "gen_ai.response.model": "tiny-chat-1",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": QUESTION,
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": ANSWER,
        "gen_ai.usage.prompt_tokens": 20,
    }
    spans = [
        OPENLLMETRY[0],
        span("b1", parser, parent="a1", start=1, end=2),
        span("b2", task, parent="a1", start=2, end=3),
        span("b3", old, parent="a1", start=4, end=9, scope="opentelemetry.instrumentation.langchain"),
    ]
    record = only(spans)
    assert ids(record) == ["timetable-1", "fares-2"]
    assert (record.answer, record.model, record.tokens) == (ANSWER, "tiny-chat-1", Tokens(20, None))


@pytest.mark.parametrize("cause", ["no reply", "no reply " * 300])
def test_haystack_names_the_cause_only_in_its_stack_trace(cause: str) -> None:
    """The pipeline's exception wraps it; long ones are cut."""
    cause = cause.strip()
    event = SpanEvent(
        "exception",
        0,
        {
            "exception.type": "haystack.core.errors.PipelineRuntimeError",
            "exception.message": f"The following component failed to run:\nError: {cause}",
            "exception.stacktrace": f"Traceback\nTimeoutError: {cause}\n\nThe above exception was the cause",
        },
    )
    failed = span("a2", HAYSTACK[1].attributes, parent="a1", start=2, end=3, failed=True, events=(event,))
    record = only([HAYSTACK[0], failed])
    assert record.error == "TimeoutError"
    assert cause.startswith(record.error_message or "?")


def test_pending_spans_are_no_steps() -> None:
    """Logfire sends a copy of each span when it starts."""
    copy = {**PYDANTIC_AI[2].attributes, "logfire.span_type": "pending_span", "logfire.msg": "chat"}
    spans = [*PYDANTIC_AI, span("p1", copy, parent="a3", start=21, end=21)]
    assert only(spans).tokens == Tokens(20, 5)


def test_a_failed_tool_is_named_where_its_agent_only_failed() -> None:
    """Pydantic AI leaves the status of the tool's span unset."""
    event = SpanEvent("exception", 0, {"exception.type": "TimeoutError", "exception.message": "no reply"})
    tool: dict[str, object] = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "retrieve"}
    spans = [
        span("a1", PYDANTIC_AI[0].attributes, start=1, end=9, failed=True, events=(event,)),
        span("a2", tool, parent="a1", start=2, end=3, events=(event,)),
    ]
    assert only(spans).error_where == "retrieve tool"


def found_in_a_store(*, documents: bool = True) -> Span:
    """A query of Chroma as OpenLLMetry's instrumentation tells it."""
    results = [
        SpanEvent(
            "db.query.result",
            place,
            {
                "db.query.result.id": key,
                "db.query.result.distance": 0.1 * place,
                "db.query.result.metadata": "{}",
            }
            | ({"db.query.result.document": text} if documents else {}),
        )
        for place, (key, text, _) in enumerate(PASSAGES)
    ]
    told = {"db.system": "chroma", "db.operation": "query"}
    return span("a2", told, name="chroma.query", parent="a1", start=2, end=20, events=tuple(results))


def found_in_milvus(*queries: int) -> Span:
    """A search in Milvus as OpenLLMetry's instrumentation (0.60) tells it."""
    results = [
        SpanEvent(
            "db.search.result",
            place,
            {
                "db.search.query.id": query,
                "db.search.result.id": key,
                "db.search.result.entity": repr({"text": text, "page": place}),
            },
        )
        for query in queries
        for place, (key, text, _) in enumerate(PASSAGES)
    ]
    told = {"db.system": "milvus", "db.operation": "search"}
    return span("a2", told, name="milvus.search", parent="a1", start=2, end=20, events=tuple(results))


def test_milvus_tells_the_ids_of_what_the_prompt_shows() -> None:
    """They were unknown; of several queries at once nobody knows which of them found what was shown."""
    root, _, model = OTEL_GENAI
    assert ids(only([root, found_in_milvus(0), model])) == [key for key, *_ in PASSAGES]
    assert ids(only([root, found_in_milvus(0, 1), model])) == [None] * len(PASSAGES)


def test_a_vector_stores_results_are_evidence_where_no_retriever_tells_any() -> None:
    """Below a request without a retriever's span; a retriever's own passages are not mixed with them."""
    root, _, model = OTEL_GENAI
    record = only([root, found_in_a_store(), model])
    assert [(each.id, each.text, each.score) for each in record.documents] == [
        (key, text, None) for key, text, _ in PASSAGES
    ]
    search = {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.retrieval.documents": as_json([{"id": "other-9", "content": "Another.", "score": 0.5}]),
    }
    record = only([root, found_in_a_store(), span("a5", search, parent="a1", start=2, end=20), model])
    assert [each.id for each in record.documents] == ["other-9"]


def test_passages_and_question_are_found_in_a_numbered_prompt() -> None:
    """Retrieval without a span: everything stands in the prompt."""
    prompt = f"Context:\n{CONTEXT}\n\nQuestion: {QUESTION}"
    asked: dict[str, object] = {
        **CHAT,
        "gen_ai.input.messages": as_json([{"role": "user", "parts": [{"type": "text", "content": prompt}]}]),
        "gen_ai.output.messages": as_json(SAID),
    }
    record = only([span("a1", start=1, end=9), span("a2", asked, parent="a1", start=2, end=8)])
    assert record.query == QUESTION
    assert [(each.id, each.text) for each in record.documents] == [(None, text) for _, text, _ in PASSAGES]


def test_texts_that_official_retrieval_spans_lack_come_from_the_prompt() -> None:
    """As many numbered passages as documents: they are the same ones."""
    bare: dict[str, object] = {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.retrieval.documents": as_json([{"id": key, "score": score} for key, _, score in PASSAGES]),
    }
    record = only([OTEL_GENAI[0], span("a2", bare, parent="a1", start=2, end=20), OTEL_GENAI[2]])
    assert [(each.id, each.text, each.score) for each in record.documents] == list(PASSAGES)


def test_the_turn_before_answers_no_run_that_failed() -> None:
    """Pydantic AI keeps the conversation on the run; only what was said after the question answers it."""
    turns = [("user", "Who sails?"), ("assistant", "Mia sails."), ("user", QUESTION)]
    said = [{"role": role, "parts": [{"type": "text", "content": text}]} for role, text in turns]
    run = {"gen_ai.operation.name": "invoke_agent", "pydantic_ai.all_messages": as_json(said)}
    record = only([span("a1", run, scope="pydantic-ai", failed=True, end=9)])
    assert (record.query, record.answer) == (QUESTION, None)


def test_content_may_arrive_as_a_log_event() -> None:
    """Generation four, and EVENT_ONLY capture."""
    content = {"gen_ai.input.messages": PARTS, "gen_ai.output.messages": SAID}
    event = LogEvent(TRACE_ID, "a3", "gen_ai.client.inference.operation.details", 0, content)
    (record,) = read_records([span("a3", CHAT, start=1, end=2)], [event])
    assert (record.query, record.answer) == (QUESTION, ANSWER)


def test_content_may_arrive_as_message_events() -> None:
    """Generation two, on the span or as logs."""
    events = (
        SpanEvent("gen_ai.user.message", 0, {"content": QUESTION}),
        SpanEvent("gen_ai.choice", 1, {"index": 0, "message": as_json({"content": ANSWER})}),
    )
    record = only([span("a3", CHAT, start=1, end=2, events=events)])
    assert (record.query, record.answer) == (QUESTION, ANSWER)


def test_totals_on_an_agent_are_not_added_to_its_calls() -> None:
    """Version 7 of the AI SDK repeats the sum above."""
    agent: dict[str, object] = {
        **CHAT,
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.usage.input_tokens": 40,
    }
    calls = [span(f"c{n}", CHAT, parent="a1", start=n, end=n + 1) for n in (1, 3)]
    assert only([span("a1", agent, start=0, end=9), *calls]).tokens == Tokens(40, 10)


def test_a_stack_trace_names_the_retriever_where_no_span_does() -> None:
    """Legacy OpenLLMetry again: the chain failed inside LangChain's own retriever."""
    trace = (
        'Traceback\n  File "/deps/langchain_core/retrievers.py", line 222, in invoke\nTimeoutError: no reply'
    )
    event = SpanEvent(
        "exception",
        0,
        {"exception.type": "TimeoutError", "exception.message": "no reply", "exception.stacktrace": trace},
    )
    asked = span("a1", OPENLLMETRY[0].attributes, start=1, end=9, failed=True, events=(event,))
    assert only([asked]).error_where == "retriever"


def test_while_streaming_openllmetry_knows_the_question_only_at_the_end() -> None:
    """It stands beside the output."""
    streamed: dict[str, object] = {
        "traceloop.span.kind": "workflow",
        "traceloop.entity.input": as_json({"inputs": {"input": ""}, "kwargs": {"name": "rag"}}),
        "traceloop.entity.output": as_json({"outputs": ANSWER, "kwargs": {"inputs": QUESTION}}),
    }
    record = only([span("a1", streamed, start=1, end=2)])
    assert (record.query, record.answer, record.streaming) == (QUESTION, ANSWER, True)

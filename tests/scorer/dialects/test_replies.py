"""Answers that are JSON, and streams that are lists: what is taken, what stands as it is, what is unknown."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ragvigil.scorer.dialects.replies import completion_of, returned_in
from ragvigil.scorer.dialects.streams import is_unread_stream, streamed
from ragvigil.scorer.span import Span

from .conftest import ANSWER, QUESTION, as_json, chain, generation, only, span

STRUCTURED = [
    '{"name": "Bob", "age": 3}',
    '{"city": {"name": "Paris"}, "pop": 3}',
    '{"verdict": "yes", "reason": "scatter"}',
    '[{"name": "Bob"}, {"name": "Al"}]',
    '{"antwort": "Um neun.", "quellen": ["fahrplan-1"]}',
    '{"role": "engineer", "name": "Bob"}',
    "[1, 2]",
    '{"output": {"name": "Bob"}}',
    '{"answer": 42}',
    '{"role": {"name": "admin"}, "type": [1]}',
    '{ "name" : "Bob" }',
]
"""Answers of services that answer in JSON."""


def langfuse(answer: str) -> list[Span]:
    """Langfuse says of no text what it is."""
    told: dict[str, object] = {
        "langfuse.observation.input": QUESTION,
        "langfuse.observation.output": answer,
    }
    return [
        span("a1", {"langfuse.observation.type": "span", **told}, start=1, end=99),
        span("a2", {"langfuse.observation.type": "generation", **told}, parent="a1", start=2, end=90),
    ]


def openinference(answer: str) -> list[Span]:
    """OpenInference names a type."""
    kind = {"openinference.span.kind": "CHAIN", "output.mime_type": "application/json"}
    return [span("a1", {**kind, "input.value": QUESTION, "output.value": answer}, start=1, end=9)]


def mlflow(answer: str) -> list[Span]:
    """MLflow writes JSON of what was returned."""
    asked: dict[str, object] = {"mlflow.spanType": '"CHAIN"', "mlflow.spanInputs": as_json({"q": QUESTION})}
    return [span("a1", {**asked, "mlflow.spanOutputs": answer}, start=1, end=9)]


def langsmith(answer: str) -> list[Span]:
    """LangSmith wraps it once."""
    asked: dict[str, object] = {
        "langsmith.span.kind": "chain",
        "gen_ai.prompt": as_json({"input": QUESTION}),
        "gen_ai.completion": as_json({"output": answer}),
    }
    return [span("a1", asked, start=1, end=9)]


def langsmith_object(answer: str) -> list[Span]:
    """And keeps objects as they are."""
    (asked,) = langsmith("")
    made = {"gen_ai.completion": '{"output": ' + answer + "}"}
    return [span("a1", {**asked.attributes, **made}, start=1, end=9)]


def openllmetry(answer: str) -> list[Span]:
    """Traceloop's decorators write JSON of what was returned."""
    asked: dict[str, object] = {
        "traceloop.span.kind": "workflow",
        "traceloop.entity.input": as_json({"args": [QUESTION], "kwargs": {}}),
        "traceloop.entity.output": answer,
    }
    return [span("a1", asked, start=1, end=9)]


@pytest.mark.parametrize("write", [langfuse, openinference, mlflow, langsmith, openllmetry])
@pytest.mark.parametrize("answer", STRUCTURED)
def test_an_answer_in_json_stands_as_it_is(write: Callable[[str], list[Span]], answer: str) -> None:
    """No field of it is the answer."""
    assert only(write(answer)).answer == answer


def langfuse_alone(answer: str) -> list[Span]:
    """A function without a model's span; what a model answers in JSON is its answer."""
    return langfuse(answer)[:1]


@pytest.mark.parametrize("write", [langfuse_alone, openinference, mlflow, openllmetry])
@pytest.mark.parametrize("key", ["answer", "output", "result", "output_text", "generation"])
def test_a_field_that_is_called_answer_is_the_answer(write: Callable[[str], list[Span]], key: str) -> None:
    """Beside whatever else a chain returns."""
    assert only(write(as_json({key: ANSWER, "sources": ["timetable-1"]}))).answer == ANSWER


REPLIES: list[object] = [
    {"role": "assistant", "content": ANSWER},
    {"choices": [{"message": {"role": "assistant", "content": ANSWER}}]},
    {
        "content": [{"type": "thinking", "thinking": "…"}, {"type": "text", "text": ANSWER}],
        "role": "model",
    },
    [{"type": "text", "text": ANSWER}],
    {"candidates": [{"content": {"role": "model", "parts": [{"text": ANSWER}]}}]},
    {"output": {"message": {"role": "assistant", "content": [{"text": ANSWER}]}}},
    {
        "output": [
            {"type": "reasoning", "summary": []},
            {"role": "assistant", "content": [{"text": ANSWER}]},
        ]
    },
    {"generations": [[{"text": ANSWER}]]},
    {"replies": [ANSWER], "meta": [{}]},
]


@pytest.mark.parametrize("reply", REPLIES)
def test_the_replies_of_providers_are_read(reply: object) -> None:
    """OpenAI's two, Anthropic's, Gemini's, Bedrock's, LangChain's, Haystack's."""
    assert completion_of(as_json(reply)) == ANSWER


SILENT: list[object] = [
    {"role": "assistant", "content": None, "tool_calls": [{"id": "x"}]},
    {"content": [{"type": "tool_use", "name": "find", "input": {}}]},
    [{"type": "tool_use", "name": "find", "input": {"text": "ferry"}}],
    {"candidates": [{"content": {"parts": [{"functionCall": {"name": "find"}}]}}]},
    {"output": [{"type": "function_call", "name": "find"}]},
    {"output": {"tool_calls": [{"id": "x"}]}},
    {"answer": ""},
    {"answer": "__REDACTED__", "sources": []},
    {"stream": "<generator object answer at 0x7f>"},
    {},
    [],
]


def _returned(value: object) -> str | None:
    return returned_in(value, QUESTION)


@pytest.mark.parametrize("read", [completion_of, _returned])
def test_the_answer_of_a_conversation_is_what_was_said_last(read: Callable[[object], str | None]) -> None:
    """The state of a graph holds all of it, from the question on; the turn before is another question's answer."""
    asked, said = {"role": "user", "content": QUESTION}, {"type": "ai", "content": ANSWER}
    called = {"role": "assistant", "content": "", "tool_calls": [{"id": "1"}]}
    assert read({"messages": [asked, called, {"role": "tool", "content": "[1] At nine."}, said]}) == ANSWER
    assert read({"messages": [asked, said, {"role": "user", "content": "And back?"}, called]}) is None
    assert read({"messages": [asked]}) is None
    assert read({"messages": [asked], "answer": ANSWER}) == ANSWER


@pytest.mark.parametrize("reply", SILENT)
def test_a_reply_without_a_text_is_no_answer(reply: object) -> None:
    """Its JSON is nothing that anybody said."""
    assert completion_of(as_json(reply)) is None
    assert returned_in(as_json(reply), QUESTION) is None


STATES: list[object] = [
    {"question": QUESTION, "language": "en"},
    {"prompt": f"Context: none\nQuestion: {QUESTION}", "language": "en"},
    {"prompt": ["ChatMessage(content='Answer from: none')", f"ChatMessage(content='{QUESTION}')"]},
    {"rows": [{"page_content": "The ferry leaves at nine.", "metadata": {}}]},
    [{"id": "a", "text": "The ferry leaves at nine."}],
]


@pytest.mark.parametrize("state", STATES)
def test_the_state_of_a_chain_is_no_answer(state: object) -> None:
    """What it was asked, or what it found."""
    assert returned_in(as_json(state), QUESTION) is None


OPENAI: list[object] = [
    {
        "id": "c",
        "object": "chat.completion.chunk",
        "choices": [{"delta": {"role": "assistant", "content": ""}}],
    },
    {"id": "c", "object": "chat.completion.chunk", "choices": [{"delta": {"content": "It leaves"}}]},
    {"id": "c", "object": "chat.completion.chunk", "choices": [{"delta": {"content": " at nine [1]."}}]},
    {"id": "c", "object": "chat.completion.chunk", "choices": [], "usage": {"total_tokens": 25}},
]
CHUNKS: dict[str, list[object]] = {
    "openai": OPENAI,
    "langchain": [
        {"type": "AIMessageChunk", "content": text} for text in ("It", " ", "leaves at", " nine [1].", "")
    ],
    "langchain parts": [
        {"type": "AIMessageChunk", "content": [{"type": "text", "text": text}]} for text in ANSWER
    ],
    "langchain constructors": [
        {"lc": 1, "type": "constructor", "kwargs": {"type": "AIMessageChunk", "content": text}}
        for text in ANSWER
    ],
    "langchain texts": [{"type": "GenerationChunk", "text": text} for text in ANSWER],
    "anthropic": [
        {"type": "message_start", "message": {"role": "assistant", "content": []}},
        *(
            {"type": "content_block_delta", "delta": {"type": "text_delta", "text": text}}
            for text in ("It leaves", " at nine [1].")
        ),
        {"type": "message_stop"},
    ],
    "openai responses": [
        {"type": "response.created", "response": {"id": "r"}},
        *({"type": "response.output_text.delta", "delta": text} for text in ANSWER),
        {"type": "response.completed", "response": {"id": "r"}},
    ],
}


@pytest.mark.parametrize("chunks", CHUNKS.values(), ids=CHUNKS)
@pytest.mark.parametrize("kind", ["CHAT_MODEL", "CHAIN"])
def test_the_chunks_of_a_stream_are_one_answer(chunks: list[object], kind: str) -> None:
    """MLflow keeps the list where no reducer is set."""
    said: dict[str, object] = {
        "mlflow.spanType": as_json(kind),
        "mlflow.spanInputs": as_json({"messages": [{"role": "user", "content": QUESTION}]}),
        "mlflow.spanOutputs": as_json(chunks),
    }
    record = only([span("a1", said, start=1, end=9)])
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")


UNREAD: dict[str, list[object]] = {
    "of somebody's own": [{"type": "AcmeChunk", "payload": text} for text in ("It leaves", " at nine.")],
    "one of them": [
        {"type": "AIMessageChunk", "content": "It leaves"},
        {"type": "AcmeChunk", "payload": "."},
    ],
    "printed": ["ChatCompletionChunk(id='c', choices=[Choice(delta=ChoiceDelta(content='It'))])"] * 2,
    "printed by LangChain": ["content='It leaves' additional_kwargs={}", "content=' at nine.' id='r'"],
    "of no content": ["<acme.Chunk object at 0x7f01>", "<acme.Chunk object at 0x7f02>"],
}


@pytest.mark.parametrize("chunks", UNREAD.values(), ids=UNREAD)
@pytest.mark.parametrize("write", [mlflow, langsmith_object, langfuse])
def test_chunks_that_nobody_can_read_leave_the_answer_unknown(
    write: Callable[[str], list[Span]], chunks: list[object]
) -> None:
    """Never the last of them; and the record is not complete."""
    record = only(write(as_json(chunks)))
    assert (record.answer, record.completeness) == (None, "partial_evidence")


def test_an_answer_told_elsewhere_makes_up_for_unread_chunks() -> None:
    """The model's own span has it."""
    root = mlflow(as_json(UNREAD["printed"]))
    said: dict[str, object] = {"mlflow.spanType": '"LLM"', "mlflow.spanOutputs": as_json(ANSWER)}
    record = only([*root, span("a2", said, parent="a1", start=2, end=8)])
    assert (record.answer, record.completeness) == (ANSWER, "complete")


def test_a_conversation_that_ends_in_a_chunk_is_no_stream() -> None:
    """LangGraph keeps the last message as it came."""
    said = [{"type": "human", "content": QUESTION}, {"type": "AIMessageChunk", "content": ANSWER}]
    assert completion_of(as_json(said)) == ANSWER


def test_chunks_that_only_call_tools_are_no_answer() -> None:
    """Their pieces are known, and hold no text."""
    calls: list[object] = [
        {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": "{"}}]}}]}
    ] * 2
    assert (streamed(calls), is_unread_stream(calls), completion_of(as_json(calls))) == (None, False, None)


def test_a_list_of_other_objects_is_no_stream() -> None:
    """And stands as it is."""
    rows = [{"type": "row", "value": "At"}, {"type": "row", "value": "nine"}]
    assert (streamed(rows), is_unread_stream(rows)) == (None, False)
    assert completion_of(as_json(rows)) == as_json(rows)


def test_a_call_that_a_model_writes_out_is_no_answer() -> None:
    """An agent that was stopped says no more than that."""
    call = "Thought: I need a tool.\nAction: search_site\nAction Input: {'query': 'ferry'}"
    spans = [
        span("a1", chain(answer=None), start=0, end=9),
        span("a2", generation(call), parent="a1", start=1, end=2),
    ]
    assert only(spans).answer is None
    spans[0] = span("a1", chain(answer="Stopped after one step."), start=0, end=9)
    assert only(spans).answer == "Stopped after one step."
    written = f"Write it so:\n\n{call}"
    assert only([span("a2", generation(written), start=1, end=2)]).answer == written


def test_an_agent_that_acts_in_code_answers_what_it_hands_over() -> None:
    """smolagents: the last reply is code that calls a function with the answer, and the agent returns that."""
    code = f"Thought: I know it.\n<code>\nfinal_answer({ANSWER!r})\n</code>"
    spans = [
        span("a1", chain(), start=1, end=90),
        span("a2", generation(answer=code), parent="a1", start=2, end=80),
    ]
    assert only(spans).answer == ANSWER
    quoted = f"The sign says {ANSWER!r}, and it is right."
    spans[1] = span("a2", generation(answer=quoted), parent="a1", start=2, end=80)
    assert only(spans).answer == quoted

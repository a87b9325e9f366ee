"""Agents without a span for their tools, in the messages of every SDK: what a tool said is what was retrieved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from ragvigil.scorer.span import SpanEvent
from ragvigil.scorer.trace import RagTrace

from .conftest import ANSWER, PASSAGES, QUESTION, as_json, only, span

HITS = [{"id": key, "text": text, "score": score} for key, text, score in PASSAGES]
OLD = [{"id": "old-1", "text": "The museum opens at ten.", "score": 0.5}]
Messages = list[dict[str, Any]]
"""Each SDK has its own; nothing is known of them here."""
Attributes = dict[str, object]
NO_ARGUMENTS: Attributes = {}


def turn(question: str, found: object, key: str = "c1") -> Messages:
    """A question, a call and its answer, as OpenAI's clients send them."""
    function = {"name": "search_docs", "arguments": as_json({"query": question})}
    return [
        {"role": "user", "content": question},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": key, "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": key, "content": found if isinstance(found, str) else as_json(found)},
    ]


def openai(found: object) -> Messages:
    """A second question of a conversation."""
    before: Messages = [
        *turn("When does the museum open?", OLD, "c0"),
        {"role": "assistant", "content": "At ten."},
    ]
    return [{"role": "system", "content": "Be brief."}, *before, *turn(QUESTION, found)]


def flattened(messages: Messages, prefix: str, own: str, calls: str) -> Attributes:
    """The messages spelled in the names of attributes."""
    flat: Attributes = {}
    for place, message in enumerate(messages):
        for key in ("role", "content", "tool_call_id"):
            flat |= {f"{prefix}{place}.{own}{key}": message[key]} if message.get(key) else {}
        for number, call in enumerate(message.get("tool_calls") or ()):
            flat |= {f"{prefix}{place}.{own}tool_calls.{number}.{calls}id": call["id"]}
            flat |= {
                f"{prefix}{place}.{own}tool_calls.{number}.{calls}function.name": call["function"]["name"]
            }
    return flat


def genai(found: object) -> Attributes:
    """The conventions' attribute, holding what the client was given as it stands."""
    said = {"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": as_json(openai(found)),
        "gen_ai.output.messages": as_json([said]),
    }


def openinference(found: object) -> Attributes:
    """Flattened messages."""
    return {
        "openinference.span.kind": "LLM",
        **flattened(openai(found), "llm.input_messages.", "message.", "tool_call."),
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": ANSWER,
    }


def openinference_input(found: object) -> Attributes:
    """Only the request as it was sent."""
    return {
        "openinference.span.kind": "LLM",
        "input.value": as_json({"messages": openai(found), "model": "tiny-chat-1"}),
        "input.mime_type": "application/json",
        "output.value": ANSWER,
    }


def openllmetry(found: object) -> Attributes:
    """Numbered prompts."""
    return {
        "llm.request.type": "chat",
        "gen_ai.request.model": "tiny-chat-1",
        **flattened(openai(found), "gen_ai.prompt.", "", ""),
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": ANSWER,
    }


def langfuse(found: object) -> Attributes:
    """Input as JSON."""
    return {
        "langfuse.observation.type": "generation",
        "langfuse.observation.input": as_json(openai(found)),
        "langfuse.observation.output": as_json({"role": "assistant", "content": ANSWER}),
    }


def mlflow(found: object) -> Attributes:
    """The arguments of the client's call."""
    reply = {"choices": [{"message": {"role": "assistant", "content": ANSWER}}]}
    return {
        "mlflow.spanType": '"CHAT_MODEL"',
        "mlflow.spanInputs": as_json({"messages": openai(found), "model": "tiny-chat-1"}),
        "mlflow.spanOutputs": as_json(reply),
    }


def langsmith(found: object) -> Attributes:
    """LangChain's constructors."""
    kinds = {"user": "human", "assistant": "ai"}
    messages: Messages = []
    for one in openai(found):
        said = {key: value for key, value in one.items() if key != "role"}
        kind = kinds.get(one["role"], one["role"])
        messages.append({"lc": 1, "type": "constructor", "kwargs": {**said, "type": kind}})
    return {
        "langsmith.span.kind": "llm",
        "gen_ai.prompt": as_json({"messages": [messages]}),
        "gen_ai.completion": as_json({"generations": [[{"text": ANSWER}]]}),
    }


def vercel(found: object) -> Attributes:
    """Typed parts, their output typed as well."""
    messages: Messages = []
    for message in openai(found):
        if message["role"] == "tool":
            kind = {
                "type": "text" if isinstance(found, str) else "json",
                "value": found if message["tool_call_id"] == "c1" else OLD,
            }
            part = {
                "type": "tool-result",
                "toolCallId": message["tool_call_id"],
                "toolName": "search_docs",
                "output": kind,
            }
            messages.append({"role": "tool", "content": [part]})
        elif message["content"]:
            messages.append({**message, "content": [{"type": "text", "text": message["content"]}]})
    return {
        "ai.operationId": "ai.generateText.doGenerate",
        "ai.prompt.messages": as_json(messages),
        "ai.response.text": ANSWER,
    }


def anthropic(found: object) -> Attributes:
    """Results are parts of a user's message."""
    messages: Messages = []
    for message in openai(found):
        if message["role"] == "tool":
            text = [{"type": "text", "text": message["content"]}]
            part = {"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": text}
            messages.append({"role": "user", "content": [part]})
        elif message.get("tool_calls"):
            (call,) = message["tool_calls"]
            used = {
                "type": "tool_use",
                "id": call["id"],
                "name": call["function"]["name"],
                "input": NO_ARGUMENTS,
            }
            messages.append({"role": "assistant", "content": [used]})
        else:
            messages.append(message)
    return {
        **langfuse(found),
        "langfuse.observation.input": as_json({"system": "Be brief.", "messages": messages}),
    }


def gemini(found: object) -> Attributes:
    """Contents of parts, without ids."""
    contents: Messages = [
        {"role": "user", "parts": [{"text": QUESTION}]},
        {"role": "model", "parts": [{"functionCall": {"name": "search_docs", "args": NO_ARGUMENTS}}]},
        {
            "role": "user",
            "parts": [{"functionResponse": {"name": "search_docs", "response": {"output": found}}}],
        },
    ]
    return {**mlflow(found), "mlflow.spanInputs": as_json({"contents": contents})}


def bedrock(found: object) -> Attributes:
    """Converse."""
    held = {"text": found} if isinstance(found, str) else {"json": {"results": found}}
    messages: Messages = [
        {"role": "user", "content": [{"text": QUESTION}]},
        {
            "role": "assistant",
            "content": [{"toolUse": {"toolUseId": "c1", "name": "search_docs", "input": NO_ARGUMENTS}}],
        },
        {"role": "user", "content": [{"toolResult": {"toolUseId": "c1", "content": [held]}}]},
    ]
    return {**langfuse(found), "langfuse.observation.input": as_json({"messages": messages})}


def responses(found: object) -> Attributes:
    """OpenAI's other endpoint."""
    sent = [
        {"role": "user", "content": [{"type": "input_text", "text": QUESTION}]},
        {"type": "function_call", "call_id": "c1", "name": "search_docs", "arguments": "{}"},
        {
            "type": "function_call_output",
            "call_id": "c1",
            "output": found if isinstance(found, str) else as_json(found),
        },
    ]
    return {**mlflow(found), "mlflow.spanInputs": as_json({"input": sent, "model": "tiny-chat-1"})}


def haystack(found: object) -> Attributes:
    """Parts named for what they are."""
    origin = {"tool_name": "search_docs", "id": "c1", "arguments": NO_ARGUMENTS}
    result = {"result": found if isinstance(found, str) else as_json(found), "origin": origin, "error": False}
    messages = [
        {"role": "user", "content": [{"text": QUESTION}]},
        {"role": "assistant", "content": [{"tool_call": origin}]},
        {"role": "tool", "content": [{"tool_call_result": result}]},
    ]
    return {
        "haystack.component.name": "llm",
        "haystack.component.type": "OpenAIChatGenerator",
        "haystack.component.input": as_json({"messages": messages}),
        "haystack.component.output": as_json(
            {"replies": [{"role": "assistant", "content": [{"text": ANSWER}]}]}
        ),
    }


DIALECTS: tuple[Callable[[object], Mapping[str, object]], ...] = (
    *(genai, openinference, openinference_input, openllmetry, langfuse, mlflow, langsmith, vercel, anthropic),
    *(gemini, bedrock, responses, haystack),
)


def record_of(model: Mapping[str, object], events: tuple[SpanEvent, ...] = ()) -> RagTrace:
    """The record of one model call below a span of the service's own."""
    name = "haystack.component.run" if "haystack.component.name" in model else "step"
    below = span("a3", model, parent="a1", start=21, end=80, name=name, events=events)
    return only([span("a1", start=0, end=99), below])


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda each: each.__name__)
def test_what_a_tool_said_last_is_the_evidence(dialect: Callable[[object], Mapping[str, object]]) -> None:
    """Not what it said of the question before; the words of a failure are none, and the record is not complete."""
    record = record_of(dialect(HITS))
    assert [(each.id, each.text, each.score) for each in record.documents] == list(PASSAGES)
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")
    numbered = record_of(dialect("[1] At nine.\n[2] At ten."))
    assert [each.text for each in numbered.documents] == ["At nine.", "At ten."]
    apology = record_of(dialect("The store cannot be reached."))
    assert (apology.documents, apology.completeness) == ((), "partial_evidence")


def test_events_of_the_earlier_conventions_are_read_alike() -> None:
    """The tool's message has the call's id as its own."""
    calls = as_json([{"id": "c1", "type": "function", "function": {"name": "search_docs"}}])
    events = (
        SpanEvent("gen_ai.user.message", 1, {"content": QUESTION}),
        SpanEvent("gen_ai.assistant.message", 2, {"tool_calls": calls}),
        SpanEvent("gen_ai.tool.message", 3, {"content": as_json(HITS), "id": "c1"}),
        SpanEvent("gen_ai.choice", 4, {"message": as_json({"role": "assistant", "content": ANSWER})}),
    )
    record = record_of({"gen_ai.system": "openai", "gen_ai.request.model": "tiny-chat-1"}, events)
    assert [(each.id, each.text, each.score) for each in record.documents] == list(PASSAGES)
    assert (record.query, record.answer) == (QUESTION, ANSWER)


def test_a_search_that_lists_texts_without_ids_is_read_a_calculator_is_not() -> None:
    """As with a span of the tool: there, too, the name decides about what has neither id nor score."""
    hits = [{"title": "Ferries", "snippet": "The ferry leaves at nine."}]
    assert [each.text for each in record_of(openllmetry({"results": hits})).documents] == [hits[0]["snippet"]]
    other = {key: "add" if value == "search_docs" else value for key, value in openllmetry(hits).items()}
    assert (record_of(other).documents, record_of(other).completeness) == ((), "complete")
    words = record_of(openllmetry(["The store cannot be reached."]))
    assert (words.documents, words.completeness) == ((), "partial_evidence")


def test_a_message_whose_call_is_null_is_no_answer_of_a_tool() -> None:
    """MLflow writes every field of a message: the context in a prompt is none that a tool found."""
    shown = "\n".join(f"[{place}] {text}" for place, (_, text, _) in enumerate(PASSAGES, 1))
    asked = [
        {"role": "system", "content": f"Answer from:\n{shown}", "tool_calls": None, "tool_call_id": None},
        {"role": "user", "content": QUESTION, "tool_calls": None, "tool_call_id": None},
    ]
    chat: Attributes = {"mlflow.spanType": '"CHAT_MODEL"', "mlflow.spanInputs": as_json({"messages": asked})}
    chat["mlflow.spanOutputs"] = as_json(ANSWER)
    found = [{"page_content": text, "id": key, "type": "Document"} for key, text, _ in PASSAGES]
    search: Attributes = {"mlflow.spanType": '"CHAIN"', "mlflow.spanOutputs": as_json(found)}
    chain: Attributes = {"mlflow.spanType": '"CHAIN"', "mlflow.spanInputs": as_json(QUESTION)}
    spans = [
        span("a1", chain, start=1, end=9),
        span("a2", search, parent="a1", start=2, end=3),
        span("a3", chat, parent="a1", start=4, end=5),
    ]
    assert [each.id for each in only(spans).documents] == [key for key, *_ in PASSAGES]


def test_bedrock_s_answer_of_a_tool_is_read_where_it_is_written_as_json() -> None:
    """OpenLLMetry writes the blocks of a result as one text."""
    blocks = as_json([{"json": {"hits": HITS}}])
    messages = [
        {"role": "user", "parts": [{"type": "text", "content": QUESTION}]},
        {
            "role": "assistant",
            "parts": [{"type": "tool_call", "name": "search_docs", "id": "t1", "arguments": "{}"}],
        },
        {"role": "user", "parts": [{"type": "tool_call_response", "id": "t1", "response": blocks}]},
    ]
    said = {"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}
    attributes: Attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": as_json(messages),
        "gen_ai.output.messages": as_json([said]),
    }
    record = only([span("a1", attributes, start=1, end=2)])
    assert [each.id for each in record.documents] == [key for key, *_ in PASSAGES]
    assert record.completeness == "complete"

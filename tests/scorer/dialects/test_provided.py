"""Passages inside a model's request or reply, as instrumentations of providers' SDKs emit them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from ragvigil.scorer.dialects.provided import provided_in
from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import RagTrace

from .conftest import ANSWER, QUESTION, as_json, chain, only, retrieval, span
from .test_contexts import COAL, SNOW

BLOCK: dict[str, object] = {"type": "search_result", "title": "Snow", "citations": {"enabled": True}}
RESULTS: list[object] = [
    {**BLOCK, "source": "a", "content": [{"type": "text", "text": SNOW}]},
    {**BLOCK, "source": "b", "content": [{"type": "text", "text": COAL}]},
]
ATTACHED: list[object] = [
    {"type": "document", "title": "a", "source": {"type": "text", "media_type": "text/plain", "data": SNOW}},
    {
        "type": "document",
        "title": "b",
        "source": {"type": "content", "content": [{"type": "text", "text": COAL}]},
    },
]
ASKED: dict[str, object] = {"type": "text", "text": QUESTION}
FOUND: list[object] = [
    {"file_id": "a", "filename": "a.pdf", "score": 0.9, "text": SNOW, "attributes": {}},
    {"file_id": "b", "filename": "b.pdf", "score": 0.5, "text": COAL, "attributes": {}},
]
SAID: dict[str, object] = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "output_text", "text": ANSWER}],
}
FILE_SEARCH: dict[str, object] = {
    "object": "response",
    "output": [{"type": "file_search_call", "results": FOUND}, SAID],
}
UNTOLD: dict[str, object] = {
    "object": "response",
    "output": [{"type": "file_search_call", "results": None}, SAID],
}
CHUNKS: list[object] = [
    {"retrieved_context": {"uri": "a", "text": SNOW}},
    {"retrieved_context": {"uri": "b", "text": COAL}},
]
GROUNDED: dict[str, object] = {
    "candidates": [
        {"content": {"parts": [{"text": ANSWER}]}, "grounding_metadata": {"grounding_chunks": CHUNKS}}
    ]
}
REFERENCES: list[object] = [
    {"content": {"text": text, "type": "TEXT"}, "metadata": {"x-amz-bedrock-kb-chunk-id": key}}
    for key, text in (("a", SNOW), ("b", COAL))
]
PROVIDED: dict[str, tuple[object, object]] = {
    "OpenAI's file search": ({"input": QUESTION}, FILE_SEARCH),
    "Gemini's grounding": ({"contents": QUESTION}, GROUNDED),
    "Vertex's grounding": (
        {},
        {
            "groundingMetadata": {
                "groundingChunks": [
                    {"retrievedContext": {"title": "a", "ragChunk": {"text": SNOW}}},
                    {"retrievedContext": {"title": "b", "text": COAL}},
                ]
            }
        },
    ),
    "Bedrock's knowledge base": ({}, {"citations": [{"retrievedReferences": REFERENCES}]}),
    "Anthropic's search results": ({"messages": [{"role": "user", "content": [*RESULTS, ASKED]}]}, {}),
    "Anthropic's documents": ({"messages": [{"role": "user", "content": [*ATTACHED, ASKED]}]}, {}),
    "Anthropic's fetched page": (
        {},
        {"content": [{"type": "web_fetch_tool_result", "content": {"content": each}} for each in ATTACHED]},
    ),
    "Bedrock's converse": (
        {
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {"document": {"name": "a", "source": {"text": SNOW}}},
                        {"searchResult": {"source": "b", "content": [{"text": COAL}]}},
                    ],
                }
            ]
        },
        {},
    ),
    "Cohere's documents": (
        {
            "messages": [{"role": "user", "content": QUESTION}],
            "documents": [{"id": "a", "data": {"text": SNOW}}, {"id": "b", "snippet": COAL}],
        },
        {},
    ),
}


@pytest.mark.parametrize("provider", PROVIDED)
@pytest.mark.parametrize("written", [True, False])
def test_passages_of_providers_are_read(provider: str, *, written: bool) -> None:
    """As JSON and decoded."""
    exchange = PROVIDED[provider]
    found = provided_in(*(map(as_json, exchange) if written else exchange))
    assert [(each.id, each.text) for each in found.documents or ()] == [("a", SNOW), ("b", COAL)]
    assert not found.unread


@pytest.mark.parametrize(
    "reply",
    [
        UNTOLD,
        {"output": [{"type": "web_search_call", "status": "completed"}, SAID]},
        {"content": [{"type": "web_search_tool_result", "content": [{"encrypted_content": "E"}]}]},
        {"grounding_metadata": {"grounding_chunks": [{"web": {"uri": "a", "title": "b"}}]}},
        {"messages": [{"content": [{"type": "document", "source": {"type": "base64", "data": "JVBERi0="}}]}]},
    ],
)
def test_what_was_searched_and_is_not_told_is_known_to_be_missing(reply: object) -> None:
    """OpenAI tells what it found only where a service asks for it."""
    assert provided_in(reply) == provided_in(as_json(reply))
    assert provided_in(reply).unread


@pytest.mark.parametrize(
    "value",
    [
        None,
        "A file_search is a search.",
        '{"type": "file_search_call"',
        {"tools": [{"type": "file_search", "vector_store_ids": ["v"]}]},
        {"documents": ["Snow is white."]},
        {"document": {"source": "a"}, "searchResult": 7, "retrievedReferences": "x"},
        {"a": {"b": {"c": [{"type": "document"}]}}},
    ],
)
def test_what_only_looks_like_passages_is_none(value: object) -> None:
    """Tools that are offered, words, and objects of other services."""
    assert (provided_in(value).documents, provided_in(value).unread) == (None, False)


def test_a_hostile_reply_is_read_no_further() -> None:
    """Deep, and broad."""
    deep: object = {"type": "file_search_call", "results": FOUND}
    for _ in range(100):
        deep = [deep]
    assert provided_in(deep).documents is None
    assert provided_in([[]] * 100_000 + [deep]).documents is None


def openinference(request: object, reply: object, **attributes: object) -> Span:
    """A model call as OpenInference writes it."""
    told: dict[str, object] = {
        "openinference.span.kind": "LLM",
        "llm.model_name": "tiny-chat-1",
        "input.value": as_json(request),
        "input.mime_type": "application/json",
        "output.value": as_json(reply),
        "output.mime_type": "application/json",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": QUESTION,
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": ANSWER,
    }
    return span("a3", {**told, **attributes}, parent="a1", start=21, end=80)


def told(record: RagTrace) -> tuple[list[tuple[str | None, str | None]], str | None, str | None, str]:
    """What matters of a record here."""
    found = [(each.id, each.text) for each in record.documents]
    return found, record.query, record.answer, record.completeness


def test_a_call_with_file_search_has_its_passages_and_scores() -> None:
    """Below a chain that knows nothing of them."""
    record = only([span("a1", chain(), start=1, end=99), openinference({}, FILE_SEARCH)])
    assert told(record) == ([("a", SNOW), ("b", COAL)], QUESTION, ANSWER, "complete")
    assert [each.score for each in record.documents] == [0.9, 0.5]


def test_a_call_that_searched_and_tells_nothing_is_marked() -> None:
    """It is no answer without evidence."""
    record = only([span("a1", chain(), start=1, end=99), openinference({}, UNTOLD)])
    assert told(record) == ([], QUESTION, ANSWER, "partial_evidence")


def test_a_retriever_beside_wins() -> None:
    """Its ids and texts, whatever the reply says."""
    spans = [
        span("a1", chain(), start=1, end=99),
        span("a2", retrieval(), parent="a1", start=2, end=20),
        openinference({}, FILE_SEARCH),
    ]
    assert [document.id for document in only(spans).documents] == ["timetable-1", "fares-2"]


def test_blocks_of_a_message_are_neither_question_nor_answer() -> None:
    """OpenInference writes those that it does not know as JSON in the place of a text."""
    parts: dict[str, object] = {}
    for side, kinds in (
        ("input", ("search_result", "document", "text")),
        ("output", ("web_search_tool_result", "text")),
    ):
        for place, kind in enumerate(kinds):
            key = f"llm.{side}_messages.0.message.contents.{place}.message_content"
            text = QUESTION if side == "input" else ANSWER
            parts |= {f"{key}.type": kind, f"{key}.text": text if kind == "text" else as_json({"type": kind})}
    whole = openinference(PROVIDED["Anthropic's search results"][0], {}, **parts)
    kept = {key: value for key, value in whole.attributes.items() if not key.endswith(".message.content")}
    record = only([span("a1", start=1, end=99), replace(whole, attributes=kept)])
    assert told(record) == ([("a", SNOW), ("b", COAL)], QUESTION, ANSWER, "complete")


def test_bedrock_s_one_call_that_searches_and_answers_is_a_whole_question() -> None:
    """OpenInference calls it a retriever."""
    found = retrieval((("a", SNOW, None), ("b", COAL, None)))
    call = {
        **found,
        "output.value": ANSWER,
        "llm.model_name": "tiny-chat-1",
        "llm.invocation_parameters": as_json(
            {"retrieveAndGenerateConfiguration": {"type": "KNOWLEDGE_BASE"}}
        ),
    }
    record = only([span("a1", call, start=1, end=9)])
    assert told(record) == ([("a", SNOW), ("b", COAL)], QUESTION, ANSWER, "complete")
    assert record.model == "tiny-chat-1"
    plain = {**call, "llm.invocation_parameters": as_json({"knowledgeBaseId": "k"})}
    assert [each.stage for each in only([span("a1", plain, start=1, end=9)]).retrievals] == ["retrieve"]


def genai(attributes: Mapping[str, object], key: str = "a3", *, start: int = 21, end: int = 80) -> Span:
    """A model call in the conventions."""
    call: dict[str, object] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.response.id": "r1",
        "gen_ai.usage.input_tokens": 20,
        "gen_ai.usage.output_tokens": 5,
        **attributes,
    }
    return span(key, call, parent="a1", start=start, end=end)


PARTS: dict[str, object] = {
    "gen_ai.input.messages": as_json(
        [{"role": "user", "parts": [*RESULTS, {"type": "text", "content": QUESTION}]}]
    ),
    "gen_ai.output.messages": as_json(
        [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}]
    ),
}


def test_openllmetry_keeps_anthropic_s_blocks_among_the_parts() -> None:
    """Beside the question."""
    record = only([span("a1", start=1, end=99), genai(PARTS)])
    assert told(record) == ([("a", SNOW), ("b", COAL)], QUESTION, ANSWER, "complete")


def test_an_sdk_that_traces_itself_beside_its_instrumentation_is_one_call() -> None:
    """Both tell the response's id and its tokens; a later call of a careless proxy may have the same id."""
    first = genai(PARTS)
    itself = genai({}, "a4", start=22, end=79)
    root = span("a1", start=1, end=99)
    assert only([root, first, itself]).tokens.input == 20
    assert only([root, first, genai(PARTS, "a4", start=80, end=90)]).tokens.input == 40


def test_a_search_that_was_offered_and_of_which_nothing_is_told_is_marked() -> None:
    """GenAI spans keep the texts of a reply and nothing of what its provider searched."""
    told_texts = {
        **PARTS,
        "gen_ai.input.messages": as_json(
            [{"role": "user", "parts": [{"type": "text", "content": QUESTION}]}]
        ),
    }
    for tool, completeness in (
        ({"type": "file_search"}, "partial_evidence"),
        ({"name": "file_searcher"}, "complete"),
    ):
        call = genai({**told_texts, "gen_ai.tool.definitions": as_json([tool])})
        record = only([span("a1", start=1, end=99), call])
        assert told(record) == ([], QUESTION, ANSWER, completeness)


COHERE: dict[str, object] = {"gen_ai.system": "Cohere", "gen_ai.response.id": "r1"}


def test_cohere_s_calls_are_known_by_the_type_of_their_request() -> None:
    """Its first interface has a default model, which no attribute names."""
    call = {
        **COHERE,
        "llm.request.type": "chat",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": QUESTION,
        "gen_ai.completion.0.content": ANSWER,
    }
    assert told(only([span("a1", call, start=1, end=9)])) == ([], QUESTION, ANSWER, "complete")


def test_cohere_s_rerank_replaces_what_was_found() -> None:
    """OpenLLMetry writes it as a chat of which the answers are places."""
    rerank = {
        **COHERE,
        "llm.request.type": "rerank",
        "gen_ai.request.model": "rerank-v3.5",
        "gen_ai.prompt.0.role": "system",
        "gen_ai.prompt.0.content": SNOW,
        "gen_ai.prompt.1.role": "system",
        "gen_ai.prompt.1.content": COAL,
        "gen_ai.prompt.2.role": "user",
        "gen_ai.prompt.2.content": QUESTION,
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": f"Doc 1, Score: 0.98\n{COAL}",
        "gen_ai.completion.1.role": "assistant",
        "gen_ai.completion.1.content": "Doc 9, Score: 0.5",
    }
    spans = [
        span("a1", chain(), start=1, end=99),
        span("a2", retrieval((("a", SNOW, 0.9), ("b", COAL, 0.5))), parent="a1", start=2, end=5),
        span("a4", rerank, parent="a1", start=6, end=9),
        genai(PARTS),
    ]
    record = only(spans)
    assert told(record) == ([("b", COAL)], QUESTION, ANSWER, "complete")
    assert [(each.stage, each.scores) for each in record.retrievals] == [
        ("retrieve", (0.9, 0.5)),
        ("rerank", (0.98,)),
    ]


@pytest.mark.parametrize(
    "call",
    [
        {
            "langfuse.observation.type": "generation",
            "langfuse.observation.input": as_json({"input": QUESTION, "instructions": "Be brief."}),
            "langfuse.observation.output": as_json(FILE_SEARCH["output"]),
        },
        {
            "langsmith.span.kind": "llm",
            "gen_ai.operation.name": "chat",
            "gen_ai.prompt": as_json({"input": QUESTION, "model": "tiny-chat-1"}),
            "gen_ai.completion": as_json(FILE_SEARCH),
        },
        {
            "mlflow.spanType": '"CHAT_MODEL"',
            "mlflow.spanInputs": as_json({"input": QUESTION, "model": "tiny-chat-1"}),
            "mlflow.spanOutputs": as_json(FILE_SEARCH),
        },
    ],
)
def test_a_lone_text_is_the_question_of_openais_newest_interface(call: dict[str, object]) -> None:
    """As the wrappers of its client write the request and the reply."""
    record = only([span("a1", call, start=1, end=9)])
    assert told(record) == ([("a", SNOW), ("b", COAL)], QUESTION, ANSWER, "complete")


def test_what_gemini_s_client_called_by_itself_is_what_was_found() -> None:
    """One span for the question, the call, what the function answered and the answer."""
    called = {"function_call": {"name": "search_docs", "args": {"query": "snow"}}}
    hits = [{"id": "a", "text": SNOW, "score": 0.9}, {"id": "b", "text": COAL, "score": 0.5}]
    response = {"function_response": {"name": "search_docs", "response": {"result": hits}}}
    history = [
        {"role": "user", "parts": [{"text": QUESTION}]},
        {"role": "model", "parts": [called]},
        {"role": "user", "parts": [response]},
    ]
    reply: dict[str, object] = {
        "candidates": [{"content": {"parts": [{"text": ANSWER}]}}],
        "automatic_function_calling_history": history,
    }
    found = provided_in(as_json(reply)).documents or ()
    assert [(each.id, each.text) for each in found] == [("a", SNOW), ("b", COAL)]


def test_an_answer_that_ended_with_a_call_that_nobody_tells_is_marked() -> None:
    """OpenLLMetry writes OpenAI's file search so: it was run there, and what it found is on no wire."""
    part = {"type": "text", "content": ANSWER}
    said = {"role": "assistant", "parts": [part], "finish_reason": "tool_call"}
    told = {"gen_ai.input.messages": as_json([{"role": "user", "parts": [ASKED | {"content": QUESTION}]}])}
    called = {"type": "tool_call", "name": "add", "id": "c", "arguments": "{}"}
    for parts, completeness in (([part], "partial_evidence"), ([part, called], "complete")):
        call = genai({**told, "gen_ai.output.messages": as_json([{**said, "parts": parts}])})
        assert only([replace(call, parent_id=None)]).completeness == completeness

"""OpenInference, as real instrumentations write it and as people write it by hand."""

from __future__ import annotations

import pytest

from ragvigil.scorer.span import SpanEvent
from ragvigil.scorer.trace import Tokens

from .conftest import (
    ANSWER,
    PASSAGES,
    QUESTION,
    as_json,
    captured,
    chain,
    generation,
    ids,
    only,
    retrieval,
    span,
)

ASKED = "Wann ist die Bibliothek am Samstag geöffnet?"
SAID = "Am Samstag ist sie von 10 bis 16 Uhr geöffnet [2]."
WHOLE = ["langchain_session", "langchain_stream", "langchain_dual", "llama_index_stream"]


@pytest.mark.parametrize("name", WHOLE)
def test_a_framework_trace_reads_whole(name: str) -> None:
    """Question, passages with ids, texts and scores, answer and model, whatever the framework."""
    record = only(captured(name))
    assert (record.query, record.answer, record.model) == (ASKED, SAID, "tiny-chat-1")
    assert [(each.id, each.score, each.rank) for each in record.documents] == [
        ("haus-7", 0.83, 1),
        ("zeiten-2", 0.79, 2),
        ("gebuehr-5", 0.31, 3),
    ]
    assert record.documents[1].text == "Samstags öffnet die Bibliothek von 10 bis 16 Uhr."
    assert (record.completeness, record.dialect) == ("complete", "openinference")
    assert (record.service, record.service_version) == ("bibliothek", "3")


def test_session_and_user_are_known() -> None:
    """Both stand on every span that `using_attributes` covers."""
    record = only(captured("langchain_session"))
    assert (record.conversation_id, record.user_id) == ("sitzung-9", "leserin-4")
    assert record.tokens == Tokens(61, 17)


@pytest.mark.parametrize("name", ["langchain_stream", "llama_index_stream"])
def test_streaming_is_seen(name: str) -> None:
    """LangChain's chunks and LlamaIndex's first-token event tell it."""
    assert only(captured(name)).streaming is True


def test_an_empty_retrieval_is_known_to_be_empty() -> None:
    """No documents were found, which is not the same as not knowing."""
    record = only(captured("langchain_empty"))
    assert record.documents == ()
    assert record.retrieved
    assert record.completeness == "complete"


@pytest.mark.parametrize("name", ["langchain_error", "haystack_error"])
def test_a_failing_retriever_is_one_error(name: str) -> None:
    """Chains repeat the exception of the retriever below them; it counts once, with its own type."""
    record = only(captured(name))
    assert (record.error, record.error_where) == ("TimeoutError", "retriever")
    assert record.error_message == "index did not answer"
    assert (record.query, record.documents, record.answer) == (ASKED, (), None)


def test_hidden_content_is_missing_not_text() -> None:
    """`__REDACTED__` is no question and no answer; how many passages there were is still known."""
    record = only(captured("langchain_hidden"))
    assert (record.query, record.answer) == (None, None)
    assert [(each.id, each.text, each.score) for each in record.documents] == [(None, None, None)] * 3
    assert record.completeness == "content_off"


def test_a_llama_index_postprocessor_is_a_rerank() -> None:
    """Its output is only printed nodes: order and scores come from there, texts from the retrieval."""
    record = only(captured("llama_index_rerank"))
    assert [(each.id, each.score) for each in record.documents] == [("zeiten-2", 0.97), ("haus-7", 0.4)]
    assert all(each.text for each in record.documents)
    assert [(step.stage, len(step.ids)) for step in record.retrievals] == [("retrieve", 3), ("rerank", 2)]


def test_nested_llama_index_models_count_their_tokens_once() -> None:
    """`predict` wraps `complete`; the answer's span is the inner one."""
    record = only(captured("llama_index_rerank"))
    assert record.tokens == Tokens(61, 17)


def test_haystack_reranked_documents_are_what_the_generator_saw() -> None:
    """The ranker turned the order round."""
    record = only(captured("haystack_rerank"))
    assert ids(record) == ["zeiten-2", "haus-7"]
    assert (record.query, record.answer, record.tokens) == (ASKED, SAID, Tokens(61, 17))


@pytest.mark.parametrize("answer", ["42", "true", '{"temperature": 100}', "[1]", '"quoted"', "null"])
def test_a_plain_text_answer_is_never_decoded(answer: str) -> None:
    """Text that looks like JSON stays as it was said."""
    record = only([span("b1", chain(answer=answer) | {"output.mime_type": "text/plain"}, start=1, end=2)])
    assert record.answer == answer


@pytest.mark.parametrize("question", ["42", "true", '{"what": "is this?"}'])
def test_a_plain_text_question_is_never_decoded(question: str) -> None:
    """An absent MIME type means text."""
    assert only([span("b1", chain(question), start=1, end=2)]).query == question


def test_an_instrumentation_never_forgets_the_mime_type() -> None:
    """What it writes without one is a text, even where a person asked in JSON."""
    asked = as_json({"question": QUESTION, "lang": "en"})
    spans = [span("b1", chain(asked), start=1, end=2, scope="openinference.instrumentation.langchain")]
    assert only(spans).query == asked
    assert only([span("b1", chain(asked), start=1, end=2)]).query == QUESTION


def test_a_json_question_is_found_inside_its_arguments() -> None:
    """A chain called with a mapping has its question under a known key."""
    asked = as_json({"question": QUESTION, "chat_history": []})
    attributes = chain(asked) | {"input.mime_type": "application/json"}
    assert only([span("b1", attributes, start=1, end=2)]).query == QUESTION


def test_an_answer_in_parts_is_joined() -> None:
    """`message.contents` is the multi-part form of `message.content`."""
    prefix = "llm.output_messages.0.message"
    parts: dict[str, object] = {
        f"{prefix}.role": "assistant",
        f"{prefix}.contents.0.message_content.type": "text",
        f"{prefix}.contents.0.message_content.text": "It leaves",
        f"{prefix}.contents.1.message_content.type": "text",
        f"{prefix}.contents.1.message_content.text": "at nine.",
    }
    assert only([span("b1", generation(None) | parts, start=1, end=2)]).answer == "It leaves\nat nine."


@pytest.mark.parametrize("kind", [["text"], {"text": 1}, None, 5])
def test_a_part_of_a_kind_that_is_no_word_costs_that_part(kind: object) -> None:
    """The rest of the span is read."""
    prefix = "llm.output_messages.0.message.contents"
    parts: dict[str, object] = {
        "llm.output_messages.0.message.role": "assistant",
        f"{prefix}.0.message_content.type": kind,
        f"{prefix}.0.message_content.text": "Hm.",
        f"{prefix}.1.message_content.type": "text",
        f"{prefix}.1.message_content.text": "At nine.",
    }
    record = only([span("b1", generation(None) | parts, start=1, end=2)])
    assert (record.answer, record.model) == ("At nine.", "tiny-chat-1")


def test_a_tool_call_is_no_answer() -> None:
    """A model that only asks for a tool has said nothing, whatever its raw output holds."""
    asks: dict[str, object] = {
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "find",
        "output.value": as_json({"choices": [{"message": {"content": None}}]}),
        "output.mime_type": "application/json",
    }
    assert only([span("b1", generation(None) | asks, start=1, end=2)]).answer is None


def test_a_retrieving_tool_is_a_retrieval() -> None:
    """Agents retrieve by tool; its documents are evidence, and its name says where an error was."""
    tool: dict[str, object] = {
        "openinference.span.kind": "TOOL",
        "tool.name": "find_passages",
        "input.value": as_json({"query": "ferry times"}),
        "output.value": as_json([{"id": "t-1", "text": "At nine.", "score": 0.5}]),
        "output.mime_type": "application/json",
    }
    spans = [
        span("b1", chain(), start=1, end=9),
        span("b2", tool, parent="b1", start=2, end=3),
        span("b3", generation(), parent="b1", start=4, end=8),
    ]
    assert ids(only(spans)) == ["t-1"]


def test_human_annotations_are_feedback_and_others_evaluations() -> None:
    """Who annotated decides; a score that is no number is dropped."""
    said: dict[str, object] = {
        "annotations.0.annotation.name": "thumb",
        "annotations.0.annotation.label": "up",
        "annotations.0.annotation.score": float("nan"),
        "annotations.0.annotation.annotator_kind": "HUMAN",
        "annotations.1.annotation.name": "toxicity",
        "annotations.1.annotation.score": 0.1,
        "annotations.1.annotation.annotator_kind": "LLM",
        "trace.evaluations.0.evaluation.name": "correct",
        "trace.evaluations.0.evaluation.score": 1,
    }
    record = only([span("b1", chain() | said, start=1, end=2)])
    assert record.feedback == ({"name": "thumb", "label": "up", "annotator_kind": "HUMAN"},)
    assert record.evaluations == (
        {"name": "toxicity", "value": 0.1, "annotator_kind": "LLM"},
        {"name": "correct", "value": 1.0, "scope": "trace"},
    )


def test_a_score_that_is_no_number_is_unknown() -> None:
    """NaN and infinity stop at the door."""
    passages = (("a", "One.", float("nan")), ("b", "Two.", float("inf")), ("c", "Three.", 0.0))
    record = only([span("b1", retrieval(passages), start=1, end=2)])
    assert [document.score for document in record.documents] == [None, None, 0.0]


def test_a_generator_object_is_no_answer() -> None:
    """While streaming, a chain's output is the name of a Python object."""
    spans = [
        span("b1", chain(answer="<generator object>"), start=1, end=9),
        span(
            "b2",
            generation(),
            parent="b1",
            start=2,
            end=8,
            events=(SpanEvent("First Token Stream Event", 0),),
        ),
    ]
    assert (only(spans).answer, only(spans).streaming) == (ANSWER, True)
    assert only(spans[:1]).answer is None


def test_hostile_indexes_do_not_cost_memory() -> None:
    """Numbers in attribute names are places, not sizes."""
    attributes = retrieval() | {
        "retrieval.documents.999999999999.document.id": "far",
        "retrieval.documents.-1.document.id": "negative",
        "retrieval.documents.٣.document.id": "arabic",
        "retrieval.documents.900000.document.id": "last",
    }
    assert ids(only([span("b1", attributes, start=1, end=2)])) == ["timetable-1", "fares-2", "last"]


def test_a_stream_that_does_not_say_who_speaks_is_the_model_s() -> None:
    """OpenAI's first chunk has the role; what speaks its language may leave it out."""
    call = {key: value for key, value in generation().items() if key != "llm.output_messages.0.message.role"}
    assert only([span("a1", call, start=0, end=9)]).answer == ANSWER


def test_smolagents_run_asks_its_task() -> None:
    """It names no MIME type, and describes a tool's parameters instead of telling what it was called with."""
    scope = "openinference.instrumentation.smolagents"
    run = {
        "openinference.span.kind": "AGENT",
        "input.value": as_json({"task": QUESTION, "stream": False, "images": None}),
        "output.value": ANSWER,
    }
    tool = {
        "openinference.span.kind": "TOOL",
        "tool.name": "find_passages",
        "tool.parameters": as_json({"query": {"type": "string", "description": "what to find"}}),
        "input.value": as_json({"args": [], "sanitize_inputs_outputs": True, "kwargs": {"query": "ferry"}}),
        "output.value": "[1] The ferry leaves at nine.\n[2] A ticket costs four crowns.",
    }
    record = only(
        [
            span("a0", run, start=0, end=9, scope=scope),
            span("a1", tool, parent="a0", start=1, end=2, scope=scope),
        ]
    )
    assert (record.query, record.answer, len(record.documents)) == (QUESTION, ANSWER, 2)
    assert [each.query for each in record.retrievals] == ["ferry"]


def test_passages_that_a_step_was_given_by_name_are_evidence() -> None:
    """DSPy's modules take them as `context`; its own retrievers have no span."""
    texts = [text for _, text, _ in PASSAGES]
    step = {
        **chain(None, None),
        "input.value": as_json({"context": texts, "question": QUESTION}),
        "input.mime_type": "application/json",
    }
    record = only([span("a0", chain(), start=0, end=9), span("a1", step, parent="a0", start=1, end=8)])
    assert ([each.text for each in record.documents], record.completeness) == (texts, "complete")


def haystack_call(*printed: str) -> dict[str, object]:
    """A model's call in an agent of Haystack: what tools answered is flattened without its text, and printed."""
    flat = {
        "llm.input_messages.1.message.role": "assistant",
        "llm.input_messages.2.message.role": "tool",
        "input.value": as_json({"messages": list(printed)}),
        "input.mime_type": "application/json",
    }
    return {**generation(), **(flat if printed else dict(list(flat.items())[:2]))}


def test_what_tools_answered_haystack_s_agents_is_read_where_it_is_printed() -> None:
    """What they answered an earlier question is no evidence of this one; what is not told makes a record incomplete."""

    def asked(text: str) -> str:
        return (
            f"ChatMessage(_role=<ChatRole.USER: 'user'>, _content=[TextContent(text={text!r})], _name=None)"
        )

    def answered(text: str) -> str:
        origin = "origin=ToolCall(tool_name='search_site', arguments={'query': 'ferry'}, id='c', extra=None)"
        result = f"ToolCallResult(result={text!r}, {origin}, error=False)"
        return f"ChatMessage(_role=<ChatRole.TOOL: 'tool'>, _content=[{result}], _name=None)"

    texts = [text for _, text, _ in PASSAGES]
    told = f"[1] {texts[0]}\n[2] {texts[1]}"
    call = haystack_call(
        asked("Hi."), answered("[1] Dogs travel free."), asked(QUESTION), answered(told), answered(told)
    )
    record = only([span("a1", call, start=0, end=9)])
    assert ([each.text for each in record.documents], record.completeness) == (texts, "complete")
    assert only([span("a1", haystack_call(), start=0, end=9)]).completeness == "partial_evidence"

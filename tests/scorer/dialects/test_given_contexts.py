"""What OpenTelemetry's own instrumentations say beside the messages: a workflow's input, a prompt's variables."""

from __future__ import annotations

import pytest

from ragvigil.scorer.dialects.fields import without_fields
from ragvigil.scorer.dialects.prompt import documents_in
from ragvigil.scorer.trace import RagTrace

from .conftest import ANSWER, PASSAGES, QUESTION, as_json, only, span


def said(role: str, text: str) -> str:
    """One message, as GenAI conventions write a list of them."""
    return as_json([{"role": role, "parts": [{"type": "text", "content": text}]}])


def asked(given: object = None, found: object = None, **variables: str) -> RagTrace:
    """The record of a workflow that searched and asked a model."""
    given = given if isinstance(given, str) else as_json(given)
    root = {"gen_ai.operation.name": "invoke_workflow", "gen_ai.input.messages": said("user", given)}
    hits = found or [{"id": key, "score": score} for key, _, score in PASSAGES]
    search = {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.retrieval.query.text": QUESTION,
        "gen_ai.retrieval.documents": as_json(hits),
    }
    call = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": said("user", QUESTION),
        "gen_ai.output.messages": said("assistant", ANSWER),
        "gen_ai.prompt.name": "ferry",
        "gen_ai.prompt.version": 3,
        **{f"gen_ai.prompt.variable.{name}": text for name, text in variables.items()},
    }
    return only(
        [
            span("a0", root, start=0, end=99),
            span("a1", search, parent="a0", start=1, end=9),
            span("a2", call, parent="a0", start=10, end=90),
        ]
    )


@pytest.mark.parametrize(
    "given", [{"question": QUESTION, "history": ["Hi."]}, {"input": ""}, {"user_query": QUESTION}, QUESTION]
)
def test_the_question_of_a_workflow_stands_in_its_input(given: object) -> None:
    """LangChain's instrumentation writes all of it as JSON, and an empty one while it streams."""
    assert asked(given).query == QUESTION


@pytest.mark.parametrize("given", ['{"limit": 0}', '{"query": {"match": {"title": "snow"}}}', "[1] or [2]?"])
def test_a_question_in_json_stays_a_question(given: str) -> None:
    """Somebody asks what it means."""
    assert asked(given).query == given


TWO = f"{PASSAGES[0][1]}\nContext: none.\n\n{PASSAGES[1][1]}"


@pytest.mark.parametrize("text", [TWO, f"[1] {PASSAGES[0][1]}\nContext: none.\n[2] {PASSAGES[1][1]}"])
def test_a_variable_that_says_context_is_the_context(text: str) -> None:
    """Nothing else stands in it, so as many parts as were found are their texts."""
    record = asked(QUESTION, context=text, question=QUESTION)
    texts = [f"{PASSAGES[0][1]}\nContext: none.", PASSAGES[1][1]]
    assert [(each.id, each.text) for each in record.documents] == [
        (key, text) for (key, *_), text in zip(PASSAGES, texts, strict=True)
    ]
    assert (record.completeness, record.prompt_version) == ("complete", "ferry@3")


def test_what_was_found_without_an_id_is_counted() -> None:
    """Its score is known, and its text where the prompt shows as many."""
    record = asked(QUESTION, [{"id": None, "score": 0.9}, {"id": None, "score": 0.5}])
    assert [(each.id, each.text, each.score) for each in record.documents] == [
        (None, None, 0.9),
        (None, None, 0.5),
    ]
    assert record.completeness == "partial_evidence"
    record = asked(QUESTION, [{"id": None, "score": None}] * 2, context_str=TWO)
    assert [each.text for each in record.documents] == [f"{PASSAGES[0][1]}\nContext: none.", PASSAGES[1][1]]


def test_a_field_that_one_passage_has_is_its_own() -> None:
    """A template writes its fields into each."""
    texts = ["Source: a.pdf\nSnow is white.", "Coal is black."]
    assert [each.text for each in without_fields(texts)] == texts


def test_tags_behind_a_number_are_the_passage_s_own() -> None:
    """The number is what the prompt puts before each."""
    inner = "<documents>\n<document>PDF</document>\n<document>DOCX</document>\n</documents>"
    assert [each.text for each in documents_in(f"[1] {inner}\n[2] Nothing else is read.")] == [
        inner,
        "Nothing else is read.",
    ]


def test_the_call_around_a_model_shows_its_prompt_without_a_framework_s_words() -> None:
    """The AI SDK's version 4 writes the schema of the answer behind what the application wrote."""
    shown = f"Answer from:\n[1] {PASSAGES[0][1]}\n[2] {PASSAGES[1][1]}"
    schema = (
        '\n\nJSON schema:\n{"type": "object"}\nYou MUST answer with a JSON object that matches the schema.'
    )

    def call(operation: str, system: str) -> dict[str, object]:
        sent = [{"role": "system", "content": system}, {"role": "user", "content": QUESTION}]
        return {
            "ai.operationId": operation,
            "ai.prompt": as_json({"messages": sent}),
            "ai.response.text": ANSWER,
        }

    outer, inner = call("ai.generateObject", shown), call("ai.generateObject.doGenerate", shown + schema)
    record = only([span("a0", outer, start=0, end=9), span("a1", inner, parent="a0", start=1, end=8)])
    assert [each.text for each in record.documents] == [text for _, text, _ in PASSAGES]
    assert (record.query, record.completeness) == (QUESTION, "complete")


LONG = "Hello,\n\n1. When does it leave?\n2. Question: is it free?\n\nContext: I am 70.\n\nThanks"
PASTED = "Context:\n[1] I have two dogs.\n[2] They are small.\n\nQuestion: may I bring them?"


ORDERED = "Answer from the context. Search if it is not enough.\n\nContext:\n[1] {0}\n\nQuestion: " + QUESTION


@pytest.mark.parametrize(
    "shown", ["It leaves at noon.\n[2] No boat on Sundays.", "I had a dog.\n[2] It was mine."]
)
@pytest.mark.parametrize("found", [[], [{"id": "t1", "text": "The pier is closed in March."}]])
def test_passages_that_an_application_gave_an_agent_are_no_question(shown: str, found: list[object]) -> None:
    """Its tool found others, or nothing: the question is the one with a label."""
    call = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": said("user", ORDERED.format(shown)),
        "gen_ai.output.messages": said("assistant", ANSWER),
    }
    search = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search_docs",
        "gen_ai.tool.call.arguments": as_json({"query": "x"}),
        "gen_ai.tool.call.result": as_json(found),
    }
    record = only([span("a1", search, start=1, end=9), span("a2", call, start=10, end=90)])
    assert record.query == QUESTION


@pytest.mark.parametrize("asked", [LONG, PASTED])
@pytest.mark.parametrize("tool", ["search_site", "knowledge"])
def test_what_a_user_tells_an_agent_is_the_question(tool: str, asked: str) -> None:
    """Tools found the passages, and none of them stands in it, so it is no prompt with a context."""
    call = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": said("user", asked),
        "gen_ai.output.messages": said("assistant", ANSWER),
    }
    found = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool,
        "gen_ai.tool.call.arguments": as_json({"query": "leave"}),
        "gen_ai.tool.call.result": as_json([{"id": key, "text": text} for key, text, _ in PASSAGES]),
    }
    root = {"gen_ai.operation.name": "invoke_agent", "gen_ai.input.messages": said("user", asked)}
    spans = [span("a0", root, start=0, end=99), span("a1", found, parent="a0", start=1, end=9)]
    record = only([*spans, span("a2", call, parent="a0", start=10, end=90)])
    assert (record.query, [each.text for each in record.documents]) == (
        asked,
        [text for _, text, _ in PASSAGES],
    )
    pasted = f"Context:\n{PASSAGES[0][1]}\n\nMore.\n\nQuestion: {QUESTION}"
    spans[0] = span("a0", {**root, "gen_ai.input.messages": said("user", pasted)}, start=0, end=99)
    call["gen_ai.input.messages"] = said("user", pasted)
    assert only([*spans, span("a2", call, parent="a0", start=10, end=90)]).query == QUESTION

"""Agents without a span for their tools: what was found stands only in the conversation."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ragvigil.scorer.dialects.tools import tool_reading
from ragvigil.scorer.trace import RagTrace

from .conftest import ANSWER, PASSAGES, QUESTION, as_json, ids, only, span

HITS = [{"id": key, "text": text, "score": score} for key, text, score in PASSAGES]
Part = dict[str, object]


def message(role: str, *parts: Part) -> dict[str, object]:
    """One message of a conversation."""
    return {"role": role, "parts": list(parts)}


def told(text: str) -> Part:
    """A text."""
    return {"type": "text", "content": text}


def call(key: str, name: str) -> Part:
    """What the model wants to know."""
    return {"type": "tool_call", "id": key, "name": name, "arguments": {"query": "ferry"}}


def answered(key: str, result: object, field: str = "response") -> Part:
    """What the tool said."""
    return {"type": "tool_call_response", "id": key, field: result}


def record_of(
    messages: Sequence[object], *, structured: bool = False, tool: dict[str, object] | None = None
) -> RagTrace:
    """The record of one model call at the end of a conversation."""
    model: dict[str, object] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "tiny-chat-1",
        "gen_ai.input.messages": list(messages) if structured else as_json(list(messages)),
        "gen_ai.output.messages": as_json([message("assistant", told(ANSWER))]),
    }
    spans = [span("a1", start=0, end=99), span("a3", model, parent="a1", start=21, end=80)]
    return only([*spans, span("a2", tool, parent="a1", start=2, end=9)] if tool else spans)


def conversation(result: object, field: str = "response", name: str = "find") -> list[object]:
    """A question, a call, and what came of it."""
    return [
        message("user", told(QUESTION)),
        message("assistant", call("c1", name)),
        message("tool", answered("c1", result, field)),
    ]


@pytest.mark.parametrize("structured", [True, False])
@pytest.mark.parametrize("field", ["response", "result"])
@pytest.mark.parametrize("result", [HITS, as_json(HITS)], ids=["objects", "json"])
def test_what_a_tool_answered_is_the_evidence(result: object, field: str, structured: bool) -> None:
    """Under either name, as a text or as values."""
    record = record_of(conversation(result, field), structured=structured)
    assert [(each.id, each.text, each.score) for each in record.documents] == list(PASSAGES)
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")


@pytest.mark.parametrize("result", ["The ferry leaves at nine.", "Error: store unreachable", {"rows": 2}])
def test_words_of_a_search_may_be_an_apology(result: object) -> None:
    """They are no passages, and the record is not complete; a calculator's are of no interest."""
    record = record_of(conversation(result, name="search_docs"))
    assert (record.documents, record.completeness) == ((), "partial_evidence")
    record = record_of(conversation(result, name="add"))
    assert (record.documents, record.completeness) == ((), "complete")


def test_numbered_passages_and_an_empty_list_are_understood() -> None:
    """The one tells what was found, the other that nothing was."""
    numbered = record_of(conversation("[1] At nine.\n[2] At ten.", name="search_docs"))
    assert [each.text for each in numbered.documents] == ["At nine.", "At ten."]
    nothing = record_of(conversation([], name="search_docs"))
    assert (nothing.documents, nothing.completeness) == ((), "complete")


def test_what_was_found_for_a_question_before_is_not_its_evidence() -> None:
    """A conversation repeats all that was said; several answers to one question are all shown."""
    before = [{"id": "old-1", "text": "The museum opens at ten.", "score": 0.5}]
    messages = [
        *conversation(before),
        message("assistant", told("At ten.")),
        message("user", told(QUESTION)),
        message("assistant", call("c2", "find"), call("c3", "find")),
        message("user", answered("c2", HITS[:1]), answered("c3", HITS[1:])),
    ]
    assert ids(record_of(messages)) == ["timetable-1", "fares-2"]


def test_the_span_of_the_tool_comes_first() -> None:
    """It knows when it searched, and the conversation only repeats it."""
    tool: dict[str, object] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "find",
        "gen_ai.tool.call.result": as_json(HITS[:1]),
    }
    record = record_of(conversation(HITS), tool=tool)
    assert (ids(record), len(record.retrievals)) == (["timetable-1"], 1)


@pytest.mark.parametrize("number", range(20))
def test_an_answer_without_an_id_is_to_the_first_open_call_of_its_tool(number: int) -> None:
    """Without a name to the first of all; which one that is never depends on how a process hashes its ids."""
    asking = message("user", told(QUESTION))
    calls = message("assistant", call(f"a{number}", "search_docs"), call(f"b{number}", "add"))
    nameless: Part = {"type": "tool_call_response", "response": "7 of 8"}
    assert record_of([asking, calls, message("tool", nameless)]).completeness == "complete"
    sum_of: Part = {**nameless, "name": "add"}
    assert record_of([asking, calls, message("tool", sum_of)]).completeness == "partial_evidence"


@pytest.mark.parametrize("result", [None, "", [], 7, {"type": "tool_call_response"}])
def test_an_answer_without_passages_is_none(result: object) -> None:
    """Nothing is made up from it."""
    assert record_of(conversation(result)).documents == ()


WRITTEN = {
    "a guide's sources": "\n\n".join(
        f"Source: {{'source': '{key}'}}\nContent: {text}" for key, text, _ in PASSAGES
    ),
    "a table": "| id | content |\n|---|---|\n"
    + "\n".join(f"| {key} | {text} |" for key, text, _ in PASSAGES),
    "a list that Python printed": str([{"id": key, "content": text} for key, text, _ in PASSAGES]),
    "lines of JSON": "\n".join(as_json({"id": key, "content": text}) for key, text, _ in PASSAGES),
    "triples": as_json(PASSAGES),
    "MCP": as_json({"content": [{"type": "text", "text": as_json(HITS)}]}),
    "names before the texts": "\n".join(f"[{key}] {text}" for key, text, _ in PASSAGES),
    "keys in another language": as_json([{"id": key, "contenido": text} for key, text, _ in PASSAGES]),
}


@pytest.mark.parametrize("shape", WRITTEN)
def test_what_a_search_wrote_down_is_told_apart(shape: str) -> None:
    """In the span of the tool, whatever its author made a text of."""
    search: dict[str, object] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search_timetable",
        "gen_ai.tool.call.arguments": as_json({"query": QUESTION}),
        "gen_ai.tool.call.result": WRITTEN[shape],
    }
    record = record_of([message("user", told(QUESTION))], tool=search)
    assert [(each.id, each.text) for each in record.documents] == [(key, text) for key, text, _ in PASSAGES]
    assert record.completeness == "complete"


def test_one_passage_with_fields_is_read_without_them() -> None:
    """As LangChain's guides write what a tool found."""
    found = tool_reading("search", {"query": "when?"}, "Source: {'source': 'a.pdf'}\nContent: At nine.")
    assert [(each.id, each.text) for each in found.documents or ()] == [("a.pdf", "At nine.")]

"""Searches that return something else than a list of documents under a name that everybody uses."""

from __future__ import annotations

import pytest

from ragvigil.scorer.trace import RagTrace

from .conftest import ANSWER, QUESTION, as_json, chain, only, span
from .test_functions import Write, langfuse, langsmith, mlflow

NINE, FREE = "The ferry leaves at nine.", "Dogs are free."
MCP = {"content": [{"type": "text", "text": NINE}]}
KINDS: dict[Write, str] = {
    langfuse: "langfuse.observation.type",
    mlflow: "mlflow.spanType",
    langsmith: "langsmith.span.kind",
}
every = pytest.mark.parametrize("write", [langfuse, mlflow, langsmith])


def searched(write: Write, made: object) -> RagTrace:
    """The record of a question with a typed search."""
    kind = '"RETRIEVER"' if write is mlflow else "retriever"
    search = write({"question": QUESTION}, made) | {KINDS[write]: kind}
    return only([span("a0", chain(), start=0, end=99), span("a1", search, parent="a0", start=1, end=9)])


def tool(made: object) -> RagTrace:
    """The record of a question whose tool is called a search."""
    call = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search_timetable",
        "gen_ai.tool.call.result": made if isinstance(made, str) else as_json(made),
    }
    return only([span("a0", chain(), start=0, end=99), span("a1", call, parent="a0", start=1, end=9)])


@every
@pytest.mark.parametrize(
    ("made", "texts"),
    [
        (NINE, [NINE]),
        (f"[1] {NINE}\n[2] {FREE}", [NINE, FREE]),
        ({"context": f"[1] {NINE}\n[2] {FREE}", "sources": ["a", "b"]}, [NINE, FREE]),
        ({"text": NINE, "source": "a.md"}, [NINE]),
        ({"treffer": [{"inhalt": NINE, "titel": "A"}, {"inhalt": FREE}], "anzahl": 2}, [NINE, FREE]),
        (as_json([{"id": "a", "text": NINE}]), [NINE]),
        (MCP, [NINE]),
    ],
)
def test_what_it_returns_is_read_in_whatever_shape(write: Write, made: object, texts: list[str]) -> None:
    """Where the span says that it searches, and where a tool's name does."""
    for record in (searched(write, made), tool(made)):
        assert [each.text for each in record.documents] == texts
        assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")


@every
@pytest.mark.parametrize(
    "made", ["No results found.", "Keine Treffer.", "Aucun résultat trouvé.", "没有找到结果"]
)
def test_words_that_say_that_there_is_nothing_are_no_passage(write: Write, made: str) -> None:
    """It is known that nothing was found."""
    for record in (searched(write, made), tool(made)):
        assert (record.documents, record.completeness) == ((), "complete")


@every
@pytest.mark.parametrize(
    "made",
    [
        "ConnectionError: store unreachable",
        "Error: timeout",
        [{"text": "Found 1:"}, {"json": {"id": "a", "text": NINE}}],
        f"[1] Either:\n[1] {NINE}\n[2] {FREE}\n[2] Or none.",
        "[<NodeWithScore(score=0.9)>]",
        {"answer": "At nine.", "source": "a.md"},
        [{"departure": "09:00"}, {"departure": "10:00"}],
        {"stops": [{"name": "Lorient"}], "count": 1},
    ],
)
def test_what_may_be_anything_leaves_the_record_partial(write: Write, made: object) -> None:
    """A failure, numbers that passages have in them as well, printed objects, an answer, rows."""
    for record in (searched(write, made), tool(made)):
        assert (record.documents, record.completeness) == ((), "partial_evidence")


@every
def test_addresses_that_a_text_numbers_below_itself_are_no_passages(write: Write) -> None:
    """They are what it is from: the two addresses were the passages of a complete record."""
    text = f"{NINE} [1] {FREE} [2]\n\n[1] https://a.example/x\n[2] https://b.example/y"
    for record in (searched(write, text), tool(text)):
        assert [each.text for each in record.documents] == [text]

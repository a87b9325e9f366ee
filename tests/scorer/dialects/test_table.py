"""Which dialect reads a span, and dialects of one's own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ragvigil.scorer.dialects import DIALECTS, Dialect, Reading, read_records
from ragvigil.scorer.dialects.documents import documents_of
from ragvigil.scorer.dialects.messages import messages_of
from ragvigil.scorer.dialects.table import read
from ragvigil.scorer.dialects.values import text_of
from ragvigil.scorer.span import Span

from .conftest import as_json, chain, span


class Acme:
    """A dialect as a user would write it."""

    name = "acme"

    def matches(self, span: Span) -> bool:
        """By scope."""
        return span.scope == "acme-rag"

    def read(self, span: Span) -> Reading:
        """Two kinds of spans."""
        get = span.attributes.get
        if span.name == "search":
            return Reading(role="retriever", query=text_of(get("q")), documents=documents_of(get("hits")))
        return Reading(role="generator", answer=text_of(get("reply")))


class Broken(Acme):
    """A dialect with a mistake."""

    def read(self, span: Span) -> Reading:
        """Never works."""
        raise KeyError("reply")


def acme_trace() -> list[Span]:
    """A question in Acme's words."""
    hits = as_json([{"id": "a", "text": "Snow is white."}])
    return [
        span("a1", {"q": "What is white?", "hits": hits}, name="search", scope="acme-rag", start=1, end=2),
        span("a2", {"reply": "Snow."}, name="say", scope="acme-rag", start=3, end=4),
    ]


def test_a_dialect_of_ones_own_reads_its_spans() -> None:
    """Put before the others, it needs nothing else."""
    acme: Dialect = Acme()
    (record,) = read_records(acme_trace(), dialects=(acme, *DIALECTS))
    assert (record.query, record.answer, record.dialect) == ("What is white?", "Snow.", "acme")
    assert record.documents[0].text == "Snow is white."


def test_a_broken_dialect_costs_its_spans_only(caplog: pytest.LogCaptureFixture) -> None:
    """What a user's file raises is logged, and the rest of the trace is read."""
    spans = [*acme_trace(), span("a3", chain("Why?", "So."), start=5, end=6)]
    (record,) = read_records(spans, dialects=(Broken(), *DIALECTS))
    assert record.answer == "So."
    assert "dialect acme could not read span a1" in caplog.text


def test_vendors_win_over_the_conventions_beside_them() -> None:
    """Detection is per span; a later dialect only fills gaps."""
    both: dict[str, object] = {
        "langsmith.span.kind": "retriever",
        "gen_ai.operation.name": "embeddings",
        "gen_ai.conversation.id": "trip-1",
        "gen_ai.prompt": as_json({"query": "why?"}),
    }
    reading, dialect = read(span("a1", both))
    assert (reading.role, reading.query, dialect) == ("retriever", "why?", "langsmith")
    assert reading.conversation_id == "trip-1"


def test_spans_of_nobody_have_no_reading() -> None:
    """An HTTP span says nothing about questions."""
    assert read(span("a1", {"http.request.method": "GET"})) == (Reading(), None)


def test_names_are_unique() -> None:
    """A record's dialect points at one file."""
    names = [dialect.name for dialect in DIALECTS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("written", [str.upper, str.lower, str.title])
@pytest.mark.parametrize(
    ("kind", "plain"),
    [
        ("openinference.span.kind", "{}"),
        ("langfuse.observation.type", "{}"),
        ("mlflow.spanType", '"{}"'),
        ("mlflow.spanType", "{}"),
        ("langsmith.span.kind", "{}"),
        ("gen_ai.operation.name", "{}"),
    ],
)
def test_kinds_are_read_in_either_case(kind: str, plain: str, written: Callable[[str], str]) -> None:
    """Helpers in other languages and spans made by hand write them as their own enumerations do."""
    reading, _ = read(span("a", {kind: plain.format(written("retriever"))}))
    assert reading.role == "retriever"


def test_speakers_are_known_by_their_names_in_any_sdk() -> None:
    """Cohere's and LangChain's, too."""
    said = [
        {"role": "USER", "message": "why?"},
        {"role": "CHATBOT", "message": "so"},
        {"type": "HumanMessage", "content": "when?"},
    ]
    assert [message.role for message in messages_of(said)] == ["user", "assistant", "user"]

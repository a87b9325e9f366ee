"""``captured()`` as a team's own tests use it."""

from __future__ import annotations

from typing import Any

import pytest

from ragvigil.tracer import (
    context,
    record_feedback,
    trace_generator,
    trace_rag,
    trace_reranker,
    trace_retriever,
)
from ragvigil.tracer.testing import CapturedDocument, captured

from .conftest import Recording


@trace_retriever
def search(query: str) -> list[tuple[str, str, float]]:
    """Two passages."""
    return [("p1", "Water boils at 100 °C.", 0.9), ("p2", "Ice melts at 0 °C.", 0.5)]


@trace_reranker
def rerank(query: str, documents: list[tuple[str, str, float]]) -> list[dict[str, str]]:
    """The other way round, ids alone."""
    return [{"id": identity} for identity, _, _ in reversed(documents)]


@trace_generator(model="m")
def write(question: str, answer: str) -> str:
    """Whatever the test wants."""
    return answer


@trace_rag
def ask(question: str, answer: str) -> str:
    """A service."""
    context(conversation_id="c-1", user_id="u-1", language="en")
    rerank(question, search(question))
    return write(question, answer)


def test_a_request_is_a_plain_object() -> None:
    """Everything a test may want to look at."""
    with captured() as rag:
        ask("When?", "At 100 °C [p1][1].")
    request = rag.request
    assert (request.question, request.answer, request.model) == ("When?", "At 100 °C [p1][1].", "m")
    assert (request.conversation_id, request.user_id, request.segment) == ("c-1", "u-1", {"language": "en"})
    assert request.documents == (
        CapturedDocument("p2", "Ice melts at 0 °C."),
        CapturedDocument("p1", "Water boils at 100 °C."),
    )
    assert request.cited_ids == ("p1", "p2")
    request.assert_cites()
    request.assert_cites("p1", "p2")
    request.assert_citations_resolve()


def test_citation_assertions_say_what_is_wrong() -> None:
    """The message shows the answer and what was there to cite."""
    with captured() as rag:
        ask("When?", "At 100 °C [p9].")
    with pytest.raises(AssertionError, match=r"cites \['p9'\], retrieved were \['p2', 'p1'\]"):
        rag.request.assert_citations_resolve()
    with pytest.raises(AssertionError, match="cites \\[\\], not anything"):
        rag.request.assert_cites()
    with pytest.raises(AssertionError, match="not \\['p1'\\]"):
        rag.request.assert_cites("p1")


@pytest.mark.parametrize("invented", ["sick-pay", "remote", "policy-7"])
def test_invented_words_do_not_resolve(invented: str) -> None:
    """They were passed over, for want of a digit or of an id like them."""

    @trace_retriever
    def look_up(question: str) -> list[tuple[str, str]]:
        return [("laptop", "At most 1,500 euros."), ("annual-leave", "28 days.")]

    @trace_rag
    def answer(question: str) -> str:
        look_up(question)
        return f"You have 28 days [annual-leave]. It is paid [{invented}]."

    with captured() as rag:
        answer("How many?")
    with pytest.raises(AssertionError, match=invented):
        rag.request.assert_citations_resolve()


def test_citations_are_checked_without_texts_too() -> None:
    """As in production with ``ids_only``."""
    with captured(content="ids_only") as rag:
        ask("When?", "At 100 °C [p1][p9].")
    assert rag.request.answer is None
    assert (rag.request.cited_ids, rag.request.unknown_citations) == (("p1",), ("p9",))


def test_several_requests_keep_apart_and_the_only_one_must_be_one() -> None:
    """In the order they ended, with their errors."""

    @trace_rag
    def fail(question: str) -> str:
        raise LookupError(question)

    with captured() as rag:
        ask("one", "so")
        with pytest.raises(LookupError):
            fail("two")
        search("three")
    assert [request.question for request in rag.requests] == ["one", "two", "three"]
    assert [request.error for request in rag.requests] == [None, "LookupError", None]
    with pytest.raises(AssertionError, match="3 RAG requests"):
        _ = rag.request


def test_feedback_is_no_request_of_its_own() -> None:
    """A test of the thumbs has one request, too."""
    with captured() as rag:
        search("why?")
        record_feedback("4bf92f3577b34da6a3ce929d0e0e4736", thumbs_up=True)
    assert rag.request.question == "why?"
    assert len(rag.spans) == 2


def test_an_unknown_policy_is_refused() -> None:
    """An error is better than a capture that is not what was asked for."""
    misspelt: Any = "ids"
    with (
        pytest.raises(ValueError, match="content='ids' is none of full, redacted, ids_only"),
        captured(content=misspelt),
    ):
        pass


def test_a_capture_takes_the_spans_and_gives_the_tracer_back(recording: Recording) -> None:
    """What ran before it goes on after it."""
    with captured() as rag:
        search("inside")
    search("outside")
    assert len(rag.spans) == 1
    assert recording.attributes()["gen_ai.retrieval.query.text"] == "outside"


def test_switched_off_a_capture_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty capture would look like a broken service."""
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    with pytest.raises(RuntimeError, match="unset RAGVIGIL_DISABLED and OTEL_SDK_DISABLED"), captured():
        pass

"""Haystack's components where no specification tells what they make."""

from __future__ import annotations

import pytest

from ragvigil.scorer.span import Span

from .conftest import ANSWER, PASSAGES, QUESTION, as_json, only, span

PACKAGE = "haystack.components.parts."
HITS = [{"id": key, "content": text, "score": score} for key, text, score in PASSAGES]
SHORT, FULL = "haystack.component.type", "haystack.component.fully_qualified_type"


def component(
    key: str, kind: dict[str, object], given: object, made: object, name: str = "haystack.component.run"
) -> Span:
    """One run; the last letter of its id is its place in time."""
    said: dict[str, object] = {
        "haystack.component.input": as_json(given),
        "haystack.component.output": as_json(made),
    }
    start = int(key[1:])
    return span(key, {**kind, **said}, parent="a0", name=name, start=start, end=start + 1)


def pipeline(*runs: Span) -> list[Span]:
    """A run of a pipeline over these components."""
    asked: dict[str, object] = {"haystack.pipeline.input_data": as_json({"search": {"query": QUESTION}})}
    return [span("a0", asked, name="haystack.pipeline.run", start=0, end=9), *runs]


def asking(kinds: tuple[dict[str, object], dict[str, object]], name: str) -> list[Span]:
    """A search and a generation."""
    meta = [{"model": "tiny-chat-1", "usage": {"prompt_tokens": 20, "completion_tokens": 5}}]
    replies = {"replies": [ANSWER], "meta": meta}
    return pipeline(
        component("a1", kinds[0], {"query": QUESTION}, {"documents": HITS}, name),
        component("a2", kinds[1], {"prompt": QUESTION}, replies, name),
    )


@pytest.mark.parametrize(
    "kinds",
    [
        ({SHORT: "InMemoryBM25Retriever"}, {SHORT: "OpenAIGenerator"}),
        ({SHORT: "SerperDevWebSearch"}, {SHORT: "OpenAIChatGenerator"}),
        ({FULL: PACKAGE + "InMemoryBM25Retriever"}, {FULL: PACKAGE + "OpenAIGenerator"}),
        ({SHORT: "FindParts"}, {SHORT: "WriteAnswer"}),
        ({}, {}),
    ],
)
def test_a_class_or_what_it_made_tells_what_a_component_is(
    kinds: tuple[dict[str, object], dict[str, object]],
) -> None:
    """Its short name, its long one, or neither."""
    record = only(asking(kinds, "haystack.component.run"))
    assert (record.query, record.answer, record.model) == (QUESTION, ANSWER, "tiny-chat-1")
    assert [(each.id, each.text, each.score) for each in record.documents] == list(PASSAGES)
    assert (record.dialect, record.completeness) == ("haystack", "complete")


def test_the_long_name_alone_marks_a_component() -> None:
    """Whatever somebody's tracer calls the span."""
    search: dict[str, object] = {FULL: PACKAGE + "TinyRetriever"}
    record = only(asking((search, {FULL: PACKAGE + "TinyGenerator"}), "my.step"))
    assert (record.answer, len(record.documents), record.dialect) == (ANSWER, 2, "haystack")


@pytest.mark.parametrize("kind", [{SHORT: "LostInTheMiddleRanker"}, {FULL: PACKAGE + "TinyRanker"}, {}])
def test_a_ranker_replaces_what_it_took(kind: dict[str, object]) -> None:
    """Its input came from the search before it."""
    record = only(
        pipeline(
            component("a1", {SHORT: "TinyRetriever"}, {"query": QUESTION}, {"documents": HITS}),
            component("a2", kind, {"query": QUESTION, "documents": HITS}, {"documents": HITS[1:]}),
        )
    )
    assert [each.id for each in record.documents] == ["fares-2"]
    assert [each.stage for each in record.retrievals] == ["retrieve", "rerank"]


def test_a_retriever_that_failed_without_content_is_named() -> None:
    """Content is off by default, and its class is all that is left."""
    failed = span(
        "a1", {SHORT: "TinyRetriever"}, parent="a0", name="haystack.component.run", failed=True, status="down"
    )
    record = only(pipeline(failed))
    assert (record.error, record.error_where) == ("down", "retriever")


@pytest.mark.parametrize("made", [{"prompt": "Use the passages."}, {"documents_written": 2}, {}])
def test_other_components_find_and_answer_nothing(made: dict[str, object]) -> None:
    """A prompt builder, a writer, one whose content is off."""
    record = only(pipeline(component("a1", {SHORT: "PromptBuilder"}, {"question": QUESTION}, made)))
    assert (record.answer, record.documents, record.retrievals) == (None, (), ())


def test_a_specification_wins_over_the_class() -> None:
    """A retriever of something else than documents is none."""
    kind: dict[str, object] = {
        SHORT: "PromptRetriever",
        "haystack.component.output_spec": as_json({"prompt": {"type": "str"}}),
    }
    record = only(pipeline(component("a1", kind, {"name": "short"}, {"prompt": "Be brief."})))
    assert (record.documents, record.retrievals) == ((), ())

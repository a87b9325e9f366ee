"""What functions returned that are no searches, or say that they are one and are more: none of it is evidence."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.scorer.dialects.conftest import ANSWER, PASSAGES, QUESTION, as_json, chain, generation, only, span

from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import RagTrace

TEXTS = [text for _, text, _ in PASSAGES]
HITS = [{"id": key, "text": text, "score": score} for key, text, score in PASSAGES]
CLAIM = [{"id": 1, "text": ANSWER}]
NUMBERED = "\n".join(f"[{place}] {text}" for place, text in enumerate(TEXTS, 1))
Made = Mapping[str, object]


def model(start: int = 30, *, shows: bool = True, answer: str = ANSWER, parent: str = "a1") -> Span:
    """A call, whose prompt shows the passages or not."""
    prompt = f"Context:\n{NUMBERED}\n\nQuestion: {QUESTION}" if shows else QUESTION
    return span("a3", generation(answer, question=prompt), parent=parent, start=start, end=start + 20)


def told(record: RagTrace) -> tuple[str | None, list[str | None], str]:
    """What the record says was answered, by what, and whether that is all."""
    return record.answer, [each.text for each in record.documents], record.completeness


def langwatch(kind: str, made: object) -> Made:
    """A function under LangWatch."""
    return {"langwatch.span.type": kind, "langwatch.input": QUESTION, "langwatch.output": made}


def function(made: object) -> Made:
    """A function under OpenInference."""
    return {**chain(answer=as_json(made)), "output.mime_type": "application/json"}


def root(made: Made | None = None) -> Span:
    """What is around all others."""
    return span("a1", made or chain(), name="answer", start=1, end=90)


PIPELINES: list[Made] = [
    langwatch("rag", ANSWER),
    langwatch("rag", as_json({"answer": ANSWER, "sources": ["plan.pdf"]})),
    {"gen_ai.span.kind": "RETRIEVER", "input.value": QUESTION, "output.value": ANSWER},
    {"ai.observability.span_type": "retrieval", "ai.observability.call.return": ANSWER},
    {"judgment.span_kind": "retriever", "judgment.input": QUESTION, "judgment.output": ANSWER},
    {"genkit:metadata:subtype": "retriever", "genkit:type": "action", "genkit:output": as_json(ANSWER)},
]


@pytest.mark.parametrize("made", PIPELINES)
def test_an_answer_is_no_evidence_of_itself_whatever_the_kind_of_the_span(made: Made) -> None:
    """LangWatch calls a whole pipeline `rag`: its answer was the one passage of a complete record."""
    assert told(only([root(made), model()])) == (ANSWER, TEXTS, "complete")
    below = [span("a2", made, parent="a1", start=2, end=80), model(parent="a2")]
    assert told(only([root(), *below])) == (ANSWER, TEXTS, "complete")
    inner = span("a4", function(HITS), parent="a2", start=3, end=9)
    assert told(only([root(), *below, inner])) == (ANSWER, TEXTS, "complete")


def test_a_pipeline_without_a_model_has_an_answer_and_untold_evidence() -> None:
    """It was a passage, and there was no answer."""
    for made in (ANSWER, as_json({"answer": ANSWER})):
        assert told(only([root(langwatch("rag", made))])) == (ANSWER, [], "partial_evidence")
        inner = span("a2", langwatch("rag", made), parent="a1", start=2, end=9)
        assert told(only([root(), inner])) == (ANSWER, [], "partial_evidence")
    both = root(langwatch("rag", as_json({"answer": ANSWER, "documents": HITS})))
    assert told(only([both])) == (ANSWER, TEXTS, "complete")
    searched = [root(langwatch("rag", ANSWER)), span("a2", function(HITS), parent="a1", start=2, end=9)]
    assert told(only(searched)) == (ANSWER, TEXTS, "complete")


def test_an_extract_that_a_model_repeats_stays_its_evidence() -> None:
    """The model stands beside the search, not in it."""
    search = span("a2", langwatch("rag", TEXTS[0]), parent="a1", start=2, end=9)
    spans = [root(chain(answer=TEXTS[0])), search, model(shows=False, answer=TEXTS[0])]
    assert told(only(spans)) == (TEXTS[0], TEXTS[:1], "complete")


KINDS = (
    *("gen_ai.span.kind", "langwatch.span.type", "ai.observability.span_type", "honeyhive_event_type"),
    *("netra.span.type", "judgment.span_kind", "mirascope.type", "agentops.span.kind"),
)


@pytest.mark.parametrize("key", KINDS)
def test_a_kind_leaves_to_the_genai_conventions_what_they_tell(key: str) -> None:
    """LoongSuite writes both: the tool had found nothing, and a call alone was no record."""
    tool = {
        key: "TOOL",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "fahrplan",
        "gen_ai.tool.call.result": as_json(HITS),
    }
    search = span("a2", tool, parent="a1", start=2, end=9)
    assert told(only([root(), search, model(shows=False)])) == (ANSWER, TEXTS, "complete")
    call = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "tiny-chat-1",
        "gen_ai.input.messages": as_json(
            [
                {"role": "system", "parts": [{"type": "text", "content": f"Context:\n{NUMBERED}"}]},
                {"role": "user", "parts": [{"type": "text", "content": QUESTION}]},
            ]
        ),
        "gen_ai.output.messages": as_json(
            [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}]
        ),
    }
    for kind in ("LLM", "CHAIN"):
        record = only([root(), span("a2", {**call, key: kind, "input.value": QUESTION}, parent="a1", end=9)])
        assert (*told(record), record.model) == (ANSWER, TEXTS, "complete", "tiny-chat-1")


@pytest.mark.parametrize("name", ["items", "results", "nodes", "rows"])
def test_items_beside_a_figure_are_anything(name: str) -> None:
    """Verdicts, entities, to-dos and claims took the place of the passages that the prompt shows."""
    for made in ({name: CLAIM, "total": 1}, {"total": 1, name: CLAIM}):
        step = span("a2", function(made), name="moderate", parent="a1", start=2, end=9)
        assert told(only([root(), step, model()])) == (ANSWER, TEXTS, "complete")


@pytest.mark.parametrize("made", [{"documents": HITS, "total": 2}, {"total": 2, "took": 0.5, "chunks": HITS}])
def test_passages_beside_a_figure_are_found_in_objects_and_in_json(made: dict[str, object]) -> None:
    """Wherever the figure stands."""
    step = span("a2", function(made), parent="a1", start=2, end=9)
    assert told(only([root(), step])) == (ANSWER, TEXTS, "complete")
    traced = span("a2", langwatch("span", as_json({"type": "json", "value": made})), parent="a1", end=9)
    assert told(only([root(), traced])) == (ANSWER, TEXTS, "complete")


def test_lists_made_of_the_answer_are_no_evidence() -> None:
    """Its claims were, where the prompt had the only passages."""
    for made in (function(CLAIM), langwatch("span", as_json(CLAIM))):
        split = span("a2", made, name="split_claims", parent="a1", start=60, end=70)
        assert told(only([root(), model(), split])) == (ANSWER, TEXTS, "complete")


WHOLE = [
    '[{"id": 1, "text": "Snow"}, // the first\n {"id": 2, "text": "Coal"}, // and the second, which is longer\n]',
    '[{"id": 1, "text": "Snow", "at": datetime(2026, 1, 1)}]',
    '{"id": 1, ...} is the shape of what the interface returns to whoever asks.',
    '[{"id": 1, "text": "Snow\nis white."}, {"id": 2, "text": "Coal\nis black."}]',
    '{"routes": {% for route in routes %}"{{ route }}",{% endfor %}}',
]


@pytest.mark.parametrize("words", WHOLE)
def test_what_a_search_returned_is_not_cut_because_it_is_no_json(words: str) -> None:
    """Any error was taken for a cut, and the record was marked."""
    found: Made = {"openinference.span.kind": "TOOL", "tool.name": "search_docs", "output.value": words}
    record = only([root(), span("a2", found, parent="a1", start=2, end=9), model(shows=False)])
    assert (bool(record.documents), record.completeness) == (True, "complete")


def test_what_another_tool_cut_is_missed_only_without_other_evidence() -> None:
    """A note that was saved after the answer marked a record whose search told everything."""
    cut = {"openinference.span.kind": "TOOL", "tool.name": "notes", "output.value": as_json(HITS)[:-20]}
    search = span("a4", function(HITS), parent="a1", start=2, end=5)
    for start, others, passages, completeness in (
        (6, [search], TEXTS, "complete"),
        (6, [], [], "partial_evidence"),
        (60, [], [], "complete"),
    ):
        tool = span("a2", cut, parent="a1", start=start, end=start + 5)
        record = only([root(), *others, tool, model(shows=False)])
        assert told(record) == (ANSWER, passages, completeness)


@pytest.mark.parametrize("dialect", ["openinference", "langfuse", "laminar", "langwatch"])
@pytest.mark.parametrize("name", ["rewrite_search_query", "research_plan", "vectorize"])
def test_a_name_alone_marks_no_record_whose_prompt_is_told(dialect: str, name: str) -> None:
    """Answers without a search were incomplete, for a function had one of many words in its name."""
    made = as_json([0.25, 0.5] if name == "vectorize" else ["ferry times"])
    under: dict[str, Made] = {
        "openinference": {**chain(answer=made), "output.mime_type": "application/json"},
        "langfuse": {"langfuse.observation.type": "span", "langfuse.observation.output": made},
        "laminar": {"lmnr.span.type": "DEFAULT", "lmnr.span.output": made},
        "langwatch": langwatch("span", made),
    }
    step = span("a2", under[dialect], name=name, parent="a1", start=2, end=9)
    assert told(only([root(), step, model(shows=False)])) == (ANSWER, [], "complete")
    unmarked = told(only([root(), step]))[2] == "complete"
    assert unmarked is (name == "vectorize")


def test_the_outermost_function_is_no_search_whatever_it_is_called() -> None:
    """An assistant that returned its sources was marked."""
    made = function({"message": ANSWER, "sources": ["plan.pdf"]})
    assert only([span("a1", made, name="search_assistant", start=1, end=9)]).completeness == "complete"

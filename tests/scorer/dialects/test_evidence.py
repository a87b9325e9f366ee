"""Which passages the model was shown, where searches find one twice."""

from __future__ import annotations

import pytest

from .conftest import QUESTION, as_json, chain, generation, ids, only, retrieval, span
from .test_contexts import read, texts

COPIES = (
    ("a", "It leaves at nine.", 0.9),
    ("a", "It leaves at nine.", 0.9),
    ("b", "No boat on Sundays.", 0.5),
)


def test_what_one_search_found_twice_stands_twice() -> None:
    """A prompt numbers all that was found: left out, [3] would be the wrong passage."""
    record = only([span("a1", retrieval(COPIES), start=1, end=2), span("a2", generation(), start=3, end=4)])
    assert ids(record) == ["a", "a", "b"]
    assert [each.rank for each in record.documents] == [1, 2, 3]


def test_passages_of_one_text_have_each_its_own_id() -> None:
    """OpenLLMetry's retriever tells texts alone; the ids stand in the step that formats them."""
    text = "It leaves at nine."
    pages: list[dict[str, object]] = [
        {"id": key, "page_content": text, "metadata": {}, "type": "Document"} for key in ("a", "b")
    ]
    found = retrieval(((None, text, 0.9), (None, text, 0.9)))
    step = {
        **chain(None, None),
        "input.value": as_json({"docs": pages}),
        "input.mime_type": "application/json",
    }
    spans = [span("a0", chain(), start=0, end=9), span("a1", found, parent="a0", start=1, end=2)]
    spans += [
        span("a2", step, parent="a0", start=3, end=4),
        span("a3", generation(), parent="a0", start=5, end=6),
    ]
    assert ids(only(spans)) == ["a", "b"]


def test_chunks_of_one_file_are_apart_where_only_the_files_id_is_told() -> None:
    """OpenTelemetry's retrieval spans tell ids and scores; the texts stand in the prompt."""
    chunks = (("guide.pdf", None, 0.9), ("guide.pdf", None, 0.8))
    prompt = "[1] It leaves at nine.\n[2] No boat on Sundays.\n\nQuestion: When?"
    record = only(
        [
            span("a1", retrieval(chunks), start=1, end=2),
            span("a2", generation(question=prompt), start=3, end=4),
        ]
    )
    assert [(each.id, each.text) for each in record.documents] == [
        ("guide.pdf", "It leaves at nine."),
        ("guide.pdf", "No boat on Sundays."),
    ]


def test_what_two_searches_found_stands_once() -> None:
    """A hybrid search asks two stores for the same passages."""
    record = only(
        [
            span("a0", chain(), start=0, end=9),
            span("a1", retrieval(COPIES), parent="a0", start=1, end=2),
            span("a2", retrieval(COPIES[2:]), parent="a0", start=1, end=3),
            span("a3", generation(), parent="a0", start=4, end=5),
        ]
    )
    assert ids(record) == ["a", "a", "b"]


def test_a_question_that_is_a_list_is_no_context_beside_one() -> None:
    """The system's message holds the passages, and the user numbers what is asked."""
    asked = "[1] When does it leave?\n[2] And on Sundays?"
    context = "Cite with [n].\n[1] It leaves at nine.\n[2] No boat on Sundays.\n[3] It is blue."
    record = read(("system", context), ("user", asked))
    assert texts(record) == ["It leaves at nine.", "No boat on Sundays.", "It is blue."]
    assert record.query == asked


FOUND = (("a", "It leaves at nine.", 0.9), ("b", "No boat on Sundays.", 0.5))
OTHERS = (("c", "Dogs travel free.", 0.9), ("d", "Bikes cost a crown.", 0.5))
NUMBERED = "[1] It leaves at nine.\n[2] No boat on Sundays."


@pytest.mark.parametrize("words", [NUMBERED, "It leaves at nine.\n\nNo boat on Sundays."])
def test_a_search_within_a_tool_tells_the_passages_apart(words: str) -> None:
    """The tool makes one text of them, without an id; what it leaves out was not shown."""
    tool = {"openinference.span.kind": "TOOL", "tool.name": "find_passages", "output.value": words}
    inner = span("a2", retrieval(FOUND, "sundays"), parent="a1", start=2, end=3)
    spans = [span("a1", tool, start=1, end=4), inner, span("a3", generation(), start=5, end=6)]
    assert (ids(only(spans)), only(spans).query) == (["a", "b"], QUESTION)
    spans[1] = span("a2", retrieval((*FOUND, *OTHERS)), parent="a1", start=2, end=3)
    assert {"c", "d"}.isdisjoint(ids(only(spans)))


@pytest.mark.parametrize(
    "texts", [("It leaves at nine.", "[1] Only in summer."), ("<doc id='a'>Nine.</doc>", "Ten.")]
)
def test_marks_within_passages_that_a_tool_returned_part_nothing(texts: tuple[str, str]) -> None:
    """What a retriever's tool says is all of them, and one began where a reference stood: the others were lost."""
    tool = {
        "openinference.span.kind": "TOOL",
        "tool.name": "find_passages",
        "output.value": "\n\n".join(texts),
    }
    found = tuple((key, text, 0.5) for key, text in zip("ab", texts, strict=True))
    inner = span("a2", retrieval(found), parent="a1", start=2, end=3)
    record = only([span("a1", tool, start=1, end=4), inner, span("a3", generation(), start=5, end=6)])
    assert [(each.id, each.text) for each in record.documents] == [*zip("ab", texts, strict=True)]


def test_passages_are_read_around_a_call_that_does_not_say_what_it_was_sent() -> None:
    """The AI SDK tells the prompt on both spans: of the inner one alone it may have been filtered out."""
    outer = span("a1", generation(question=f"Context:\n{NUMBERED}\n\nQuestion: {QUESTION}"), start=1, end=9)
    said = {key: value for key, value in generation().items() if "input" not in key}
    record = only([outer, span("a2", said, parent="a1", start=2, end=8)])
    assert [each.text for each in record.documents] == [text for _, text, _ in FOUND]


def loop(prompt: str, draft: str = "no") -> list[str | None]:
    """Ids of the evidence where a model judged what a first search found, and another one answered after a second."""
    return ids(
        only(
            [
                span("a0", chain(), start=0, end=99),
                span("a1", retrieval(OTHERS), parent="a0", start=1, end=2),
                span("a2", generation(draft, question="Is it relevant?"), parent="a0", start=3, end=4),
                span("a3", retrieval(FOUND), parent="a0", start=5, end=6),
                span("a4", generation(question=prompt), parent="a0", start=7, end=8),
            ]
        )
    )


def test_what_a_loop_threw_away_was_not_shown() -> None:
    """The last prompt holds what counts, in its own order, and nothing else of what was found."""
    assert loop(f"Context:\n{NUMBERED}\n\nQuestion: {QUESTION}") == ["a", "b"]
    assert loop(f"Context:\n{NUMBERED}\n[3] Dogs travel free.\n\nQuestion: {QUESTION}") == ["a", "b", "c"]
    assert loop(QUESTION) == ["c", "d", "a", "b"]


def test_a_draft_in_the_last_prompt_stands_for_what_it_was_made_of() -> None:
    """Answers are refined so, passage by passage."""
    draft = "Dogs and bikes are welcome."
    assert loop(f"Improve: {draft}\n\nContext:\n{NUMBERED}\n\nQuestion: {QUESTION}", draft) == [
        "c",
        "d",
        "a",
        "b",
    ]

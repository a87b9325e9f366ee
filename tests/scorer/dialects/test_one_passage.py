"""Prompts with one passage, or none: what is behind it is the question, or an order, and no part of it."""

from __future__ import annotations

import pytest

from ragvigil.scorer.dialects.contexts import context_in
from ragvigil.scorer.dialects.prompt import question_in

SNOW = "Snow is white."
PARAGRAPHS = "Snow is white.\n\nIt falls in winter."
WHY = "Why is it white?"


def texts(prompt: str, *, apart: bool = False) -> list[str | None] | None:
    """Of the passages of a prompt; None where it shows no context."""
    found = context_in(prompt, apart=apart)
    return None if found is None else [each.text for each in found.documents]


@pytest.mark.parametrize("passage", [SNOW, PARAGRAPHS])
@pytest.mark.parametrize(
    "prompt",
    [
        "Document 1:\n{passage}\n\nQuestion: {why}\nAnswer:",
        "Kontekst:\n[1] {passage}\n\nPytanie: {why}\nOdpowiedź:",
        "资料\uff1a\n【1】{passage}\n\n问题\uff1a{why}\n回答\uff1a",
        "संदर्भ:\n[1] {passage}\n\nप्रश्न: {why}\nउत्तर:",
        "Dokument 1: {passage}\n\nOtázka: {why}\n\nOdpověď:",
    ],
)
def test_a_lone_passage_ends_above_the_question(prompt: str, passage: str) -> None:
    """Though the place of the answer has a label as well."""
    whole = prompt.format(passage=passage, why=WHY)
    assert texts(whole) == [passage]
    assert question_in(whole) == WHY


def test_several_passages_with_paragraphs_end_above_the_question() -> None:
    """Each may have blank lines within."""
    prompt = f"Document 1:\n{PARAGRAPHS}\n\nDocument 2:\n{PARAGRAPHS}\n\nQuestion: {WHY}\nAnswer:"
    assert texts(prompt) == [PARAGRAPHS, PARAGRAPHS]
    assert question_in(prompt) == WHY


@pytest.mark.parametrize(
    "order", ["Respond in a markdown format", "Be brief.", "Use only the context above."]
)
def test_orders_behind_passages_are_none_of_the_last(order: str) -> None:
    """A lone one, or several with paragraphs of their own."""
    assert texts(f"Context:\n[1] {SNOW}\n\n{order}", apart=True) == [SNOW]
    several = f"Context:\n[1] {PARAGRAPHS}\n[2] {PARAGRAPHS}\n\n{order}"
    assert texts(several, apart=True) == [PARAGRAPHS, PARAGRAPHS]
    assert texts(f"{several}\n\nQuestion: {WHY}") == [PARAGRAPHS, PARAGRAPHS]


@pytest.mark.parametrize(
    "paragraph",
    ["Please answer all questions of the form before landing.", "Your ticket is valid for two hours."],
)
def test_what_may_be_an_order_or_the_last_paragraph_of_a_passage_is_never_cut_off_in_silence(
    paragraph: str,
) -> None:
    """Where others have paragraphs: nobody can tell, and the record is not complete."""
    several = f"Context:\n[1] {PARAGRAPHS}\n[2] {PARAGRAPHS}\n\n{paragraph}"
    assert texts(several, apart=True) == []
    assert texts(f"{several}\n\nQuestion: {WHY}") == []


def test_a_lone_document_of_instructions_is_a_passage() -> None:
    """The question is in another message; where nothing asks, a numbered line of a text is none."""
    prompt = f"Answer from the documents.\n\nDocument 1: {SNOW}"
    assert texts(prompt, apart=True) == [SNOW]
    assert texts(prompt) is None


@pytest.mark.parametrize(
    ("line", "key"),
    [("[doc1]: Snow is white.", "doc1"), ("a.md: snow, white", "a.md"), ("a.md: Snow.\nIt is white", "a.md")],
)
def test_a_lone_passage_has_the_name_before_it(line: str, key: str) -> None:
    """As several have."""
    found = context_in(f"{WHY}\n\nSources:\n{line}")
    assert found is not None
    assert [each.id for each in found.documents] == [key]
    assert question_in(f"{WHY}\n\nSources:\n{line}") == WHY


def test_a_word_before_a_colon_is_no_name() -> None:
    """Facts of whoever asks look like that."""
    assert not texts("Sources:\nplan: pro", apart=True)


def test_the_only_item_of_a_list_has_no_bullet() -> None:
    """Vercel's guide lists what was found."""
    assert texts(
        f"Answer the following question based only on the provided context:\n- {SNOW}\n\nQuestion: {WHY}"
    ) == [SNOW]


@pytest.mark.parametrize(
    "prompt",
    [
        "<context>\n\n</context>\n\n{why}",
        "{why}\n\nSources:\n\n",
        "Answer with the context.\nQuestion: {why}\nContext: \nAnswer:",
    ],
)
def test_the_place_of_passages_that_were_not_found_is_no_part_of_the_question(prompt: str) -> None:
    """Nothing was found, and the template is sent all the same."""
    assert question_in(prompt.format(why=WHY)) == WHY


@pytest.mark.parametrize(
    "pair",
    [
        "Question: Is it cold?\nAnswer: Yes, it is.",
        "Frage: Ist er kalt?\nAntwort: Ja.",
        "質問\uff1a寒い\uff1f\n回答\uff1aはい。",
    ],
)
@pytest.mark.parametrize(
    "prompt",
    [
        "[1] {pair}\n\nQuestion: {why}",
        "Document 1: {pair}\n\n{why}",
        "Question: {why}\n\nContext:\n[1] {pair}",
    ],
)
def test_a_passage_of_frequent_questions_has_its_answer(prompt: str, pair: str) -> None:
    """It ended at the answer's label, and the rest was the question."""
    whole = prompt.format(pair=pair, why=WHY)
    assert (texts(whole), question_in(whole)) == ([pair], WHY)


@pytest.mark.parametrize(
    "asked", ["Tell me why it is white", "Erkläre, warum er weiß ist", "なぜ白いのか教えて"]
)
def test_a_request_without_a_question_mark_ends_a_context(asked: str) -> None:
    """Such a record was complete without a passage, and its whole prompt the question."""
    prompt = f"Context:\n- {SNOW}\n- Coal is black.\n\n{asked}"
    assert (texts(prompt), question_in(prompt)) == ([SNOW, "Coal is black."], asked)


@pytest.mark.parametrize("label", ["Context:", "Answer based only on the following context:"])
def test_a_context_of_which_nobody_can_tell_where_what_is_asked_begins_is_one(label: str) -> None:
    """The record is incomplete then."""
    assert texts(f"{label}\n{PARAGRAPHS}\n\nHi,\n\nit is odd.\n\nThanks") == []
    assert texts(f"Hello,\n\nContext: I have two dogs.\n\n{WHY[:-1]}") is None

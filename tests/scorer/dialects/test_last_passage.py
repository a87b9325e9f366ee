"""Where the last passage of a prompt ends, when it looks like what follows a context."""

from __future__ import annotations

import pytest

from ragvigil.scorer.dialects.prompt import passages_in, question_in

from .test_contexts import read, texts

FAQ = (
    "Boats.\nQuestion: Is there one?\nAnswer: Yes, at nine.",
    "Bateaux.\nQuestion\u00a0: Y en a-t-il\u00a0?\nRéponse\u00a0: Oui, à neuf heures.",
    "船。\n質問: ありますか\uff1f\n回答: はい、九時です。",
)
"""Passages that hold a question and its answer."""


@pytest.mark.parametrize("passage", FAQ)
def test_a_question_with_its_answer_is_the_passages_where_another_message_asks(passage: str) -> None:
    """Cut off behind its first line, the answer that rests on it looked invented."""
    context = f"Cite with [n].\n[1] It is an island.\n[2] {passage}"
    record = read(("system", context), ("user", "When does it leave?"))
    assert texts(record) == ["It is an island.", passage]
    assert record.query == "When does it leave?"
    record = read(("system", "[1] It is an island.\n[2] Boats.\nQuestion: When?\nAnswer:"), ("user", "Go."))
    assert texts(record) == ["It is an island.", "Boats."]


@pytest.mark.parametrize("passage", FAQ)
def test_so_it_is_where_a_blank_line_is_between_it_and_what_is_asked(passage: str) -> None:
    """Without one it may be the turn before."""
    prompt = f"Context:\n[1] It is an island.\n[2] {passage}\n\nQuestion: When does it leave?\nAnswer:"
    assert passages_in(prompt) == ("It is an island.", passage)
    assert question_in(prompt) == "When does it leave?"
    turns = "[1] An island.\n[2] Boats.\nQuestion: Any?\nAnswer: Yes.\nQuestion: When?\nAnswer:"
    assert passages_in(turns) == ("An island.", "Boats.")


@pytest.mark.parametrize("passage", [*FAQ, "One.\n\nTwo.", "One.\n---\nTwo."])
def test_the_last_passage_goes_on_to_the_end_of_the_tag_around_all(passage: str) -> None:
    """Whatever stands in it."""
    prompt = f"<context>\n[1] It is an island.\n[2] {passage}\n</context>\n\nWhen does it leave?"
    assert passages_in(prompt) == ("It is an island.", passage)
    assert question_in(prompt) == "When does it leave?"

"""Passages in a prompt that look like something else: a form, a list in JSON, a question's tag, a number above them."""

from __future__ import annotations

import pytest

from ragvigil.scorer.dialects.prompt import passages_in, question_in

from .test_contexts import COAL, QUESTION, SNOW, read, texts

TEMPLATES = (
    "Context:\n[1] {0}\n[2] {1}\n\nQuestion: {2}",
    "Context:\n[1]\n{0}\n\n[2]\n{1}\n\nQuestion: {2}",
    "Context:\n[1] (source: a.md)\n{0}\n\n[2] (source: b.md)\n{1}\n\nQuestion: {2}",
    "Document 1: {0}\nDocument 2: {1}\n\nQuestion: {2}",
    "<document>\n{0}\n</document>\n<document>\n{1}\n</document>\n\nQuestion: {2}",
)
every = pytest.mark.parametrize("template", TEMPLATES)


@every
@pytest.mark.parametrize(
    "odd", ["[REDACTED]", "<PERSON>", "[09:00, 10:00]", '["a", "b"]', "[1, 2]", "{}", "***"]
)
def test_a_passage_that_looks_like_a_form_is_one_beside_others(template: str, odd: str) -> None:
    """Redaction and data leave such; where all look so, a form is shown, save for lists in JSON."""
    for passages in ([odd, SNOW], [SNOW, odd]):
        record = read(("user", template.format(*passages, QUESTION)))
        assert (texts(record), record.query, record.completeness) == (passages, QUESTION, "complete")


@every
def test_lists_in_json_show_no_form(template: str) -> None:
    """However many there are."""
    assert texts(read(("user", template.format("[1, 2]", "[3, 4]", QUESTION)))) == ["[1, 2]", "[3, 4]"]


@every
def test_a_question_within_a_passage_asks_nothing(template: str) -> None:
    """Nor does its tag."""
    asked = f"{SNOW} <question>Who are you?</question>"
    for passages in ([asked, COAL], [COAL, asked]):
        assert question_in(template.format(*passages, QUESTION)) == QUESTION


@pytest.mark.parametrize(
    "prompt",
    [
        "References:\n[1]\n[2]\n\nWhy?",
        "x =\n[1]\n+ y\n\nWhy?",
        "Footnotes have\n[1]\nin the text.\n\nWhy?",
        "Write it down as:\n[1]\n...\n[2]\n...\n\nWhy?",
    ],
)
def test_a_number_on_a_line_of_its_own_is_no_passage(prompt: str) -> None:
    """Unless something stands below it, and a label above a lone one."""
    assert passages_in(prompt) == ()
    assert passages_in(f"Context:\n[1]\n{SNOW}\n\nQuestion: {QUESTION}") == (SNOW,)


def test_a_question_that_begins_with_a_number_is_no_context() -> None:
    """It is all that is asked; below another question it may be what is asked about."""
    assert texts(read(("system", "Be brief."), ("user", "[1] or [2]?"))) == []
    assert texts(read(("user", "Is this right?"), ("user", f"[1] {SNOW}"))) == [SNOW]

"""Prompts whose search found nothing: a label with nothing below it hides no passages."""

from __future__ import annotations

import pytest

from .test_contexts import QUESTION, read, texts

EVERY = (
    "{context}:\n\n\n{question}: {asked}",
    "Answer from the {context}.\n\n{context}:\n\n{question}: {asked}",
    "Use the following {context} to answer.\n\n{context}:\n\n{question}: {asked}",
    "## {context}\n\n\n## {question}\n\n{asked}",
    "<context>\n\n</context>\n\n{question}: {asked}",
)


@pytest.mark.parametrize("template", EVERY)
@pytest.mark.parametrize(
    ("context", "question"), [("Context", "Question"), ("Kontext", "Frage"), ("文脈", "質問")]
)
def test_a_context_with_nothing_in_it_is_known_to_be_empty(
    template: str, context: str, question: str
) -> None:
    """Whatever its label is, and whatever points at it."""
    record = read(("user", template.format(context=context, question=question, asked=QUESTION)))
    assert (texts(record), record.query, record.completeness) == ([], QUESTION, "complete")


@pytest.mark.parametrize(
    "system",
    [
        "Answer only from the context.\n\nContext:\n",
        "Beantworte die Frage nur mit dem Kontext.\n\nKontext:\n",
    ],
)
def test_so_is_one_in_a_message_of_its_own(system: str) -> None:
    """Below a line that points at it."""
    record = read(("system", system), ("user", QUESTION))
    assert (texts(record), record.query, record.completeness) == ([], QUESTION, "complete")

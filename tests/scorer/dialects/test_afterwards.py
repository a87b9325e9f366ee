"""Calls beside the answer below a request that tells none: a reply to one of them was taken for the answer."""

from __future__ import annotations

import pytest

from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import RagTrace

from .conftest import ANSWER, PASSAGES, QUESTION, generation, only, retrieval, span

SHOWN = "\n".join(f"[{place}] {text}" for place, (_, text, _) in enumerate(PASSAGES, 1))
PROMPT = f"Answer from the context.\n\nContext:\n{SHOWN}\n\nQuestion: {QUESTION}"
NEXT = "How much is a ticket?\nWhere does it leave?\nIs it late?"
BETTER = "The ferry leaves at nine in the morning [1]."


def asked(*calls: tuple[str, str], searched: bool = True) -> RagTrace:
    """The record of a request with a search and these calls, each a prompt and a reply."""
    spans: list[Span] = [span("a0", name="POST /ask", start=0, end=99)]
    spans += [span("a1", retrieval(), parent="a0", start=1, end=2)] if searched else []
    for place, (prompt, reply) in enumerate(calls, 1):
        told = generation(reply, question=prompt)
        spans.append(span(f"b{place}", told, parent="a0", start=10 * place, end=10 * place + 5))
    return only(spans)


@pytest.mark.parametrize("searched", [True, False])
@pytest.mark.parametrize(
    ("prompt", "reply"),
    [
        (f"Suggest three follow-up questions.\n\nQuestion: {QUESTION}\nAnswer: {ANSWER}", NEXT),
        (f"Context:\n{SHOWN}\n\nSuggest three questions like this one: {QUESTION}", f"You may ask:\n{NEXT}"),
        (f"{SHOWN}\n\nAnswer: {ANSWER}\n\nIs the answer grounded in the context?", "Yes."),
        (f"Ist diese Antwort belegt? Nur ja oder nein.\n\n{ANSWER}", "Nein"),
        (f"Give a short title.\nUser: {QUESTION}\nAssistant: {ANSWER}", "Ferry times"),
        (f"この会話のタイトルを付けてください。\n\n{ANSWER}", "フェリーの時刻"),
        (f"Classify as safe or unsafe:\n{ANSWER}", "This is safe."),
        (f"Évalue cette réponse de 1 à 10 :\n{ANSWER}", "Je lui donne 8."),
        (f"Summarise the conversation.\nuser: {QUESTION}\nassistant: {ANSWER}", "They spoke of the ferry."),
    ],
)
def test_a_call_about_the_answer_is_not_the_answer(prompt: str, reply: str, searched: bool) -> None:
    """A verdict, a title, what may be asked next: its order or its reply says so."""
    record = asked((PROMPT, ANSWER), (prompt, reply), searched=searched)
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")
    assert [each.text for each in record.documents] == [text for _, text, _ in PASSAGES]


def test_several_of_them_come_after_one_another() -> None:
    """Rewritten, graded, answered, checked, continued, titled: the middle one answers."""
    record = asked(
        (f"Rewrite for a search engine: {QUESTION}", "ferry departure"),
        (f"Is it relevant? Answer yes or no.\n\nDocument: {PASSAGES[0][1]}\n\nQuestion: {QUESTION}", "yes"),
        (PROMPT, ANSWER),
        (f"Is this answer grounded?\n{SHOWN}\n\nAnswer: {ANSWER}", "yes"),
        (f"Suggest follow-up questions to this answer: {ANSWER}", NEXT),
        (f"Title this chat:\n{QUESTION}\n{ANSWER}", "Ferries"),
    )
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")


@pytest.mark.parametrize(
    ("prompt", "reply"),
    [
        (f"Translate into French:\n{ANSWER}", "À neuf heures [1]."),
        (f"Formuliere freundlicher:\n{ANSWER}", "Sie fährt um neun [1], gute Reise!"),
        (f"Question: {QUESTION}\nDraft: {ANSWER}\n\nContext:\n{SHOWN}\n\nQuestion: {QUESTION}", BETTER),
        (f"{PROMPT}\n\nDraft: {ANSWER}\nCritique: too short", BETTER),
    ],
)
def test_the_answer_once_more_is_the_answer(prompt: str, reply: str) -> None:
    """Translated, reworded, or answered again with more passages."""
    record = asked((PROMPT, ANSWER), (prompt, reply))
    assert (record.answer, record.completeness) == (reply, "complete")


@pytest.mark.parametrize(
    "prompt",
    [
        f"Process this:\n{ANSWER}",
        f"Rewrite this if it is not grounded:\n{ANSWER}",
        f"Is it hallucinated?\nQuestion: {QUESTION}\nAnswer: {ANSWER}\n\nContext:\n{SHOWN}\n\nQuestion: {QUESTION}",
    ],
)
def test_where_nothing_says_which_reply_the_user_got_the_record_is_marked(prompt: str) -> None:
    """It was complete, with either."""
    assert asked((PROMPT, ANSWER), (prompt, BETTER)).completeness == "partial_evidence"


def test_a_root_that_returned_more_than_a_reply_tells_which_one_it_is() -> None:
    """An application sets sources below what the model said."""
    root = span("a1", {"output.value": f"{BETTER}\n\nSources: a.txt"}, start=0, end=99)
    root.attributes = {**root.attributes, "openinference.span.kind": "CHAIN", "input.value": QUESTION}
    calls = ((PROMPT, BETTER), (f"Process this:\n{BETTER}", "Done."))
    below = [
        span(f"b{n}", generation(reply, question=said), parent="a1", start=10 * n, end=10 * n + 5)
        for n, (said, reply) in enumerate(calls, 1)
    ]
    record = only([root, *below])
    assert (record.span_id, record.completeness) == ("b1", "complete")

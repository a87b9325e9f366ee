"""Calls beside the answer below a request that tells none: a reply to one of them was taken for the answer."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import RagTrace

from .conftest import ANSWER, PASSAGES, QUESTION, generation, only, retrieval, span

SHOWN = "\n".join(f"[{place}] {text}" for place, (_, text, _) in enumerate(PASSAGES, 1))
PROMPT = f"Answer from the context.\n\nContext:\n{SHOWN}\n\nQuestion: {QUESTION}"
NEXT = "How much is a ticket?\nWhere does it leave?\nIs it late?"
BETTER = "The ferry leaves at nine in the morning [1]."


def asked(
    *calls: tuple[str, str], searched: bool = True, docs: tuple[tuple[str, str, float], ...] = PASSAGES
) -> RagTrace:
    """The record of a request with a search and these calls, each a prompt and a reply."""
    spans: list[Span] = [span("a0", name="POST /ask", start=0, end=99)]
    spans += [span("a1", retrieval(docs), parent="a0", start=1, end=2)] if searched else []
    for place, (prompt, reply) in enumerate(calls, 1):
        told = generation(reply, question=prompt)
        spans.append(span(f"b{place}", told, parent="a0", start=10 * place, end=10 * place + 5))
    return only(spans)


def ordered(system: str, shown: str, reply: str) -> RagTrace:
    """The record of a request with an answer, and a call that has a system message beside what the user's shows."""
    told = {**generation(reply, question=system), "llm.input_messages.0.message.role": "system"}
    told |= {"llm.input_messages.1.message.role": "user", "llm.input_messages.1.message.content": shown}
    spans = [
        span("a0", name="POST /ask", start=0, end=99),
        span("b1", generation(ANSWER, question=PROMPT), parent="a0", start=10, end=15),
        span("b2", told, parent="a0", start=20, end=25),
    ]
    return only(spans)


@pytest.mark.parametrize("searched", [True, False])
@pytest.mark.parametrize(
    ("prompt", "reply"),
    [
        (f"Suggest three follow-up questions.\n\nQuestion: {QUESTION}\nAnswer: {ANSWER}", NEXT),
        (f"Context:\n{SHOWN}\n\nSuggest three questions like this one: {QUESTION}", f"You may ask:\n{NEXT}"),
        (f"{SHOWN}\n\nAnswer: {ANSWER}\n\nIs the answer grounded in the context?", "Yes."),
        (f"Ist diese Antwort belegt? Nur ja oder nein.\n\n{ANSWER}", "Ja"),
        (f"Classify as safe or unsafe:\n{ANSWER}", "<think>It is a ferry.</think>\nsafe"),
        (f"Give a short title.\nUser: {QUESTION}\nAssistant: {ANSWER}", "Ferry times"),
        (f"この会話のタイトルを付けてください。\n\n{ANSWER}", "フェリーの時刻"),
        (f"{QUESTION}\n{ANSWER}\n\nSuggest one follow-up question.", "How much is a ticket?"),
    ],
)
def test_a_call_about_the_answer_is_not_the_answer(prompt: str, reply: str, searched: bool) -> None:
    """A verdict, a title, what may be asked next: its order and its reply say so."""
    record = asked((PROMPT, ANSWER), (prompt, reply), searched=searched)
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")
    assert [each.text for each in record.documents] == [text for _, text, _ in PASSAGES]


def test_a_judge_need_not_see_the_answer_as_it_was_given() -> None:
    """Applications cut it, and show the verdict's model no citations."""
    cut = f"Is it grounded in the context?\n\nContext:\n{SHOWN}\n\nAnswer: It leaves at ni..."
    assert asked((PROMPT, ANSWER), (cut, "yes")).answer == ANSWER


def test_a_judge_is_told_what_to_do_by_its_system_message() -> None:
    """The user's message says what it shows below headings of any kind."""
    system = "You assess whether an answer is grounded. Give a binary score: yes or no."
    record = ordered(system, f"Set of facts:\n{SHOWN}\n\nLLM generation: {ANSWER}", "yes")
    assert (record.answer, record.completeness) == (ANSWER, "complete")


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
        (f"Process this:\n{ANSWER}", BETTER),
        (f"Rewrite this if it is not grounded:\n{ANSWER}", BETTER),
        (f"Explain this to a 5th-grade student:\n{ANSWER}", "At nine!"),
        (f"Format this as Markdown with a title and bullet points:\n{ANSWER}", "# Ferry\n- at nine"),
        (f"Fact-check the answer and correct it.\n\nContext:\n{SHOWN}\n\nAnswer: {ANSWER}", BETTER),
        (f"The answer {ANSWER!r} is not grounded. Answer again.\n\n{SHOWN}\n\n{QUESTION}", BETTER),
        (f"Keep only what is relevant to the user.\nUser: {QUESTION}\nText: {ANSWER}", "At nine."),
        (f"Write HTML with a title and a paragraph:\n{ANSWER}", "<h1>Ferry</h1><p>At nine</p>"),
        (f"Is the answer complete? If so give the final one.\n{ANSWER}", "At nine."),
        (f"Critique the answer, then write the final one.\n{ANSWER}", BETTER),
        (f"Vérifie si la réponse est juste et corrige-la.\n{ANSWER}", "À neuf heures."),
        (f"Extract only the time, with no keywords for style:\n{ANSWER}", "nine"),
        (f"Write three quiz questions about this:\n{ANSWER}", NEXT),
    ],
)
def test_the_answer_once_more_is_the_answer(prompt: str, reply: str) -> None:
    """Translated, reworded, or answered again with more passages."""
    record = asked((PROMPT, ANSWER), (prompt, reply))
    assert (record.answer, record.completeness) == (reply, "complete")


@pytest.mark.parametrize(
    ("system", "reply"),
    [
        ("Speak briefly. Suggest a follow-up question only if asked.", "It leaves at nine"),
        ("Check whether the answer is grounded; output the final text only.", "At nine."),
    ],
)
def test_what_a_system_message_says_of_some_case_is_no_order(system: str, reply: str) -> None:
    """The user's message tells what to do."""
    record = ordered(system, f"Say: {ANSWER}", reply)
    assert (record.answer, record.completeness) == (reply, "complete")


@pytest.mark.parametrize(
    "system", ["Write a short title for this chat.", "Is the answer safe? Say safe or unsafe."]
)
def test_a_system_message_is_the_order_where_the_user_s_only_shows_what_was_said(system: str) -> None:
    """So titles are asked for, and guards."""
    record = ordered(system, f"User: {QUESTION}\nAssistant: {ANSWER}", "safe")
    assert (record.answer, record.completeness) == (ANSWER, "complete")


@pytest.mark.parametrize(
    "prompt",
    [
        f"Classify as safe or unsafe:\n{ANSWER}",
        f"Évalue cette réponse de 1 à 10 :\n{ANSWER}",
        f"Score the final answer from 1 to 10.\nFinal answer: {ANSWER}",
        f"Give feedback on how to improve this answer:\n{ANSWER}",
        f"Summarise the conversation.\nuser: {QUESTION}\nassistant: {ANSWER}",
        f"Is it hallucinated?\nQuestion: {QUESTION}\nAnswer: {ANSWER}\n\nContext:\n{SHOWN}\n\nQuestion: {QUESTION}",
    ],
)
def test_where_a_reply_does_not_agree_with_its_order_the_record_is_marked(prompt: str) -> None:
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


def test_after_a_verdict_that_says_no_the_record_is_marked() -> None:
    """The user may have got a text that no model wrote."""
    record = asked((PROMPT, ANSWER), (f"Classify as safe or unsafe:\n{ANSWER}", "unsafe"))
    assert (record.answer, record.completeness) == (ANSWER, "partial_evidence")


ON_DECK = "The passage says that dogs are allowed on deck."


@pytest.mark.parametrize(
    "question", ["Are dogs allowed?", "Is the deck safe for dogs?", "Is it safe to verify it?"]
)
@pytest.mark.parametrize(
    "final",
    [
        "Context:\n{draft}\nDogs must be leashed.\n\nQuestion: {question}\nAnswer: ",
        "Question: {question}\nReasoning: {draft}\nReply with yes or no.",
        "The query is: {question}\nExisting answer: {draft}\nRefine it with this: dogs must be leashed.",
    ],
)
def test_a_last_reply_of_one_word_is_the_answer_to_what_the_user_asked(question: str, final: str) -> None:
    """Partial answers were put together, and the last of these was taken."""
    spans = [
        span("a0", name="POST /ask", start=0, end=99),
        span(
            "a1", retrieval((("a", "Dogs are allowed on deck.", 0.9),), question), parent="a0", start=1, end=2
        ),
        span("b1", generation(ON_DECK, question=f"Context:\nDogs may.\n\nQuestion: {question}"), parent="a0"),
        span("b2", generation("Yes.", question=final.format(draft=ON_DECK, question=question)), parent="a0"),
    ]
    for place, each in enumerate(spans[2:], 1):
        each.start, each.end = 10 * place, 10 * place + 5
    record = only(spans)
    assert (record.query, record.answer, record.completeness) == (question, "Yes.", "complete")


@pytest.mark.parametrize("draft", [BETTER, "The ferry leaves at nine in the morning."])
@pytest.mark.parametrize(
    "returned",
    [
        "<p>{0} It&#x27;s <b>late</b>.</p>",
        "{0}  It's **late**.",
        '{{"text": "{0} It\'s late.", "draft": "{0}"}}',
    ],
)
def test_a_root_that_returned_a_reply_changed_by_code_tells_that_it_is_the_answer(
    draft: str, returned: str
) -> None:
    """The draft stands in it, too, as it does in the reply."""
    told = {
        "openinference.span.kind": "CHAIN",
        "input.value": QUESTION,
        "output.value": returned.format(draft),
    }
    calls = ((PROMPT, draft), (f"Go on:\n{draft}", f"{draft} It's late."))
    below = [
        span(f"b{n}", generation(reply, question=said), parent="a1", start=10 * n, end=10 * n + 5)
        for n, (said, reply) in enumerate(calls, 1)
    ]
    record = only([span("a1", told, start=0, end=99), *below])
    assert (record.span_id, record.completeness) == ("b2", "complete")


HELD = f"{PASSAGES[0][1]} Is this answer correct?"
SEEDED = """
from tests.scorer.dialects.test_afterwards import HELD, PASSAGES, asked, PROMPT, ANSWER
docs = (("window", HELD, 0.9), ("sentence", PASSAGES[0][1], 0.8))
print(asked((PROMPT, ANSWER), (f"Go on with this.\\n\\n{HELD}\\n\\n{ANSWER}", "At nine."), docs=docs).completeness)
"""


@pytest.mark.parametrize("seed", ["0", "1", "2", "3"])
def test_a_passage_within_another_makes_no_other_record_by_process(seed: str) -> None:
    """Texts were taken out of an order in the order of a set."""
    told = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(
        [sys.executable, "-c", SEEDED], env=told, capture_output=True, text=True, check=False
    )
    assert (run.stdout, run.stderr) == ("complete\n", "")

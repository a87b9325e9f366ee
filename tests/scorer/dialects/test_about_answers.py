"""Calls about an answer that are shown it as a conversation, or pasted: their replies were answers, or questions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.trace import RagTrace

from .conftest import ANSWER, PASSAGES, QUESTION, chain, generation, retrieval, span

Message = tuple[str, str]
SHOWN = "\n".join(f"[{place}] {text}" for place, (_, text, _) in enumerate(PASSAGES, 1))
CONTEXT: Message = ("system", f"Answer from the context.\n\nContext:\n{SHOWN}")
ASKED: Message = ("user", QUESTION)
SAID: Message = ("assistant", ANSWER)
BETTER = "The ferry leaves at nine in the morning [1]."
NEXT = "How much is a ticket?\nWhere does it leave?"


def call(reply: str, *messages: Message) -> dict[str, object]:
    """A model's call with these messages."""
    told = {
        key: value for key, value in generation(reply).items() if not key.startswith("llm.input_messages")
    }
    for place, (role, text) in enumerate(messages):
        told |= {f"llm.input_messages.{place}.message.role": role}
        told |= {f"llm.input_messages.{place}.message.content": text}
    return told


def records(*calls: dict[str, object], searched: bool = False) -> list[RagTrace]:
    """Those of a request with these calls, one after another."""
    spans = [span("a0", name="POST /ask", start=0, end=99)]
    spans += [span("a1", retrieval(), parent="a0", start=1, end=2)] if searched else []
    spans += [
        span(f"b{place}", told, parent="a0", start=10 * place, end=10 * place + 5)
        for place, told in enumerate(calls, 1)
    ]
    return read_records(spans)


Shape = Callable[[str], tuple[Message, ...]]
SHAPES: list[Shape] = [
    lambda order: (("system", order), ASKED, SAID),
    lambda order: (("system", "You are a clerk."), ASKED, SAID, ("user", order)),
    lambda order: (ASKED, SAID, ("user", order)),
    lambda order: (CONTEXT, ASKED, SAID, ("user", order)),
    lambda order: (("system", order), ("user", f"User: {QUESTION}\nAssistant: {ANSWER}")),
    lambda order: (("user", f"{order}\n\nUser: {QUESTION}\nAssistant: {ANSWER}"),),
]


@pytest.mark.parametrize("searched", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("order", "reply"),
    [
        ("Generate a short title for the conversation.", "Ferry times"),
        ("Nadaj tej rozmowie krótki tytuł.", "Godziny promu"),
        ("Donne un titre à cette conversation.", "Horaires du bac"),
        ("Classify the topic of the conversation: ferries, fares, other.", "ferries"),
        ("Give tags for the chat, comma separated.", "ferry, timetable"),
        ("Suggest two short follow-up questions.", NEXT),
        ("Suggest follow-ups as a JSON list of strings.", '["How much is it?", "Where is it?"]'),
        ("Did the assistant answer the question? Reply yes or no.", "yes"),
        ('Decide if a human should take over. Reply with JSON {"escalate": bool}.', '{"escalate": false}'),
        ("Extract facts about the user as a JSON list.", '["travels by ferry"]'),
    ],
)
def test_what_a_model_says_of_a_conversation_is_no_answer_to_it(
    shape: Shape, order: str, reply: str, searched: bool
) -> None:
    """Whether it gets the conversation as messages, with the order before or behind them, or pasted."""
    (record,) = records(call(ANSWER, CONTEXT, ASKED), call(reply, *shape(order)), searched=searched)
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")
    assert [each.text for each in record.documents] == [text for _, text, _ in PASSAGES]


@pytest.mark.parametrize("shape", SHAPES[:4])
def test_a_summary_of_the_conversation_is_no_answer(shape: Shape) -> None:
    """A sentence, as an answer is; a conversation that is pasted may be summed up for the user."""
    order, reply = "Summarize the conversation so far for long-term memory.", "The user asked for the ferry."
    (record,) = records(call(ANSWER, CONTEXT, ASKED), call(reply, *shape(order)))
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")


@pytest.mark.parametrize("shape", [SHAPES[0], *SHAPES[4:]])
@pytest.mark.parametrize(
    ("order", "reply"),
    [
        ("Which department is this for?", "timetables"),
        ("Name the mood.", "curious"),
        ("Done or open?", '{"open": false}'),
    ],
)
def test_a_label_that_nobody_knows_the_order_of_marks_the_record(
    shape: Shape, order: str, reply: str
) -> None:
    """Which of the replies the user got is not told."""
    order = order.rstrip("?")
    (record,) = records(call(ANSWER, CONTEXT, ASKED), call(reply, *shape(order)))
    assert record.completeness == "partial_evidence"


@pytest.mark.parametrize(
    "messages",
    [
        (("system", "Translate the last answer into simple words."), ASKED, SAID),
        (("system", "Make the answer friendlier."), ASKED, SAID),
        (("system", "Improve the answer. Never suggest follow-up questions."), ASKED, SAID),
        (("system", "Say it again for a child, without a chat title."), ("user", ANSWER)),
        (CONTEXT, ASKED, SAID, ("user", "Verify each claim, then give the corrected answer.")),
        (("user", f"Refine the existing answer.\nQuestion: {QUESTION}\nAnswer: {ANSWER}"),),
        (CONTEXT, ASKED, SAID),
        (("system", "You add the time of day."), ("user", f"Question: {QUESTION}\nDraft: {ANSWER}")),
    ],
)
def test_an_answer_that_was_made_of_another_stays_the_answer(messages: tuple[Message, ...]) -> None:
    """Translated, friendlier, corrected, gone on with."""
    found = records(call(ANSWER, CONTEXT, ASKED), call(BETTER, *messages), searched=True)
    assert [(each.answer, each.completeness) for each in found] == [(BETTER, "complete")]


@pytest.mark.parametrize("reply", ["nine", "at nine", "It leaves at nine"])
def test_what_was_cut_out_of_an_answer_stays_the_answer(reply: str) -> None:
    """A call that takes the one thing out that was asked."""
    told = call(reply, ("system", "Keep the time only."), ("user", f"Draft: {ANSWER}"))
    (record,) = records(call(ANSWER, CONTEXT, ASKED), told)
    assert (record.answer, record.completeness) == (reply, "complete")


def test_a_short_sum_of_several_answers_stays_the_answer() -> None:
    """Models that each read a passage, and one that reads what they said."""
    parts = ["The timetable says at nine.", "The fares say four crowns."]
    shown = [("system", f"Context:\n[1] {text}\n[2] Nothing else is known.") for _, text, _ in PASSAGES]
    calls = [call(part, one, ASKED) for part, one in zip(parts, shown, strict=True)]
    notes = ("user", "Notes:\n" + "\n".join(f"- {part}" for part in parts))
    (record,) = records(
        *calls, call("9 AM for 4 crowns", ("system", "Join the notes."), notes), searched=True
    )
    assert (record.answer, record.completeness) == ("9 AM for 4 crowns", "complete")


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("And how much is a ticket?", "Four crowns [2]."),
        ("What could I ask next at the office?", "Ask for the fares [2]."),
        ("Is that every day?", "Yes"),
        ("Suggest a seat.", "One at the window [1]."),
    ],
)
def test_the_next_turn_of_a_conversation_stays_a_question(question: str, reply: str) -> None:
    """Its words may be those of an order: it asks, or what was replied is no such thing."""
    other: Message = ("system", CONTEXT[1].replace("crowns", "crowns a day"))
    found = records(call(ANSWER, CONTEXT, ASKED), call(reply, other, ASKED, SAID, ("user", question)))
    assert [(each.query, each.answer) for each in found] == [(QUESTION, ANSWER), (question, reply)]


JUDGED = f"Question: {QUESTION}\n\nContext:\n{SHOWN}\n\nAnswer: {ANSWER}"


@pytest.mark.parametrize(
    "order",
    [
        "Judge whether the answer is grounded.",
        "You will be given a question, context and an answer. Determine if the answer contains hallucinations.",
        "Verify each claim in the answer against the documents.",
        "Évalue si la réponse est fidèle aux documents.",
        "Oceń, czy odpowiedź wynika z dokumentów.",
    ],
)
@pytest.mark.parametrize(
    "reply",
    [
        "5",
        "0.9",
        "4/5",
        "Score: 0.9",
        "Verdict: PASS",
        "GROUNDED",
        "Faithful. The answer follows from passage 1.",
        "The answer is fully supported by the context.\nScore: 5/5",
        '{"score": 4, "reasoning": "All of it is in passage 1."}',
    ],
)
@pytest.mark.parametrize("searched", [False, True])
def test_a_judge_is_known_by_its_grade(order: str, reply: str, searched: bool) -> None:
    """A number, a line with a grade, a verdict with its reason."""
    told = call(reply, ("system", order), ("user", JUDGED))
    (record,) = records(call(ANSWER, CONTEXT, ASKED), told, searched=searched)
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")


@pytest.mark.parametrize("reply", ["Verdict: FAIL", "Hallucinated. The answer says more than passage 1."])
def test_after_a_verdict_that_says_no_the_answer_is_not_known(reply: str) -> None:
    """Something else may have been sent."""
    told = call(reply, ("system", "Judge whether the answer is grounded."), ("user", JUDGED))
    (record,) = records(call(ANSWER, CONTEXT, ASKED), told)
    assert record.completeness == "partial_evidence"


@pytest.mark.parametrize("reply", ["5", "Score: 3 to 1", "Grade: B", "Yes", "Result: at nine"])
@pytest.mark.parametrize("question", ["How did it end?", "What was the score?"])
def test_an_answer_may_look_like_a_grade(question: str, reply: str) -> None:
    """Nothing was to be judged: a model had only written the search before."""
    calls = [
        call("end of the match", ("user", f"Write a query for: {question}")),
        call(reply, CONTEXT, ("user", question)),
    ]
    (record,) = records(*calls)
    assert (record.query, record.answer, record.completeness) == (question, reply, "complete")


GRADE = '{"grounded": true}'


def returned(answer: str, *calls: dict[str, object]) -> RagTrace:
    """The record of a pipeline that returned something of its own."""
    spans = [span("a0", chain(QUESTION, answer), start=0, end=99)]
    spans += [
        span(f"b{place}", told, parent="a0", start=10 * place, end=10 * place + 5)
        for place, told in enumerate(calls, 1)
    ]
    (record,) = read_records(spans)
    return record


def test_a_grade_that_a_pipeline_returned_is_not_the_answer() -> None:
    """Haystack's return what their last parts made: the judge's reply."""
    judge = call(GRADE, ("system", "Judge whether the answer is grounded. JSON."), ("user", JUDGED))
    record = returned(GRADE, call(ANSWER, CONTEXT, ASKED), judge)
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")


@pytest.mark.parametrize(
    ("answer", "last"),
    [
        ('{"score": 3, "reason": "It has three parts."}', (CONTEXT, ("user", "Grade this essay."))),
        ("Yes", (CONTEXT, ("user", "Is it at nine?"))),
    ],
)
def test_a_grade_that_was_asked_for_is_the_answer(answer: str, last: tuple[Message, ...]) -> None:
    """A model replied with it alone."""
    record = returned(answer, call(answer, *last))
    assert (record.answer, record.completeness) == (answer, "complete")

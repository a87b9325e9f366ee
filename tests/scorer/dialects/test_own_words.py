"""What a service answered in its own words: its code returned a sentence that no model said."""

from __future__ import annotations

import pytest

from .conftest import ANSWER, QUESTION, chain, generation, ids, only, retrieval, span
from .test_evidence import FOUND, NUMBERED

CANNED = "Das kann ich leider nicht beantworten."
PROMPT = f"Context:\n{NUMBERED}\n\nQuestion: {QUESTION}"


def answered(returned: str, *calls: tuple[str, str], searched: bool = True) -> str | None:
    """The answer of a service that returned a text and made these calls: a prompt, and the reply to it."""
    spans = [span("a0", chain(answer=returned), start=0, end=99)]
    if searched:
        spans.append(span("a1", retrieval(FOUND), parent="a0", start=1, end=2))
    for number, (prompt, reply) in enumerate(calls):
        start = 3 + 2 * number
        spans.append(
            span(f"b{number}", generation(reply, question=prompt), parent="a0", start=start, end=start + 1)
        )
    return only(spans).answer


@pytest.mark.parametrize("reply", ["unsafe", '{"ok": false}', "BLOCKED: off topic"])
def test_a_guard_before_the_answer_is_not_the_answer(reply: str) -> None:
    """The guard was asked whether the question is allowed, and the service said what it always says then."""
    assert answered(CANNED, (f"Is this question allowed? {QUESTION}", reply), searched=False) == CANNED


def test_an_answer_that_a_guard_held_back_is_not_the_answer() -> None:
    """The draft was never sent."""
    guard = (f"Does this text break the rules?\n{ANSWER}", "It does, for it names a person.")
    assert answered(CANNED, (PROMPT, ANSWER), guard) == CANNED


def test_a_rewritten_question_is_not_the_answer() -> None:
    """Nothing was found, or the answer came from a cache."""
    assert answered(CANNED, (f"Rewrite it for a search: {QUESTION}", "ferry departure time")) == CANNED


def test_a_word_for_nothing_found_is_put_in_words_by_code() -> None:
    """The prompt says which word to reply with."""
    assert answered(CANNED, (PROMPT, "NOT_FOUND")) == CANNED


@pytest.mark.parametrize(
    "returned",
    [
        "The answer was sent to the customer.",
        "ok",
        "42",
        ANSWER[:-4],
        f"<p>{ANSWER}</p>",
        FOUND[0][1],
        NUMBERED,
    ],
)
def test_a_model_that_was_shown_passages_and_spoke_last_gave_the_answer(returned: str) -> None:
    """What code says of it then is a status, the same once more, or what was found."""
    assert answered(returned, (PROMPT, ANSWER)) == ANSWER
    assert (
        answered(returned, (f"Rewrite it for a search: {QUESTION}", "ferry times"), (PROMPT, ANSWER))
        == ANSWER
    )


def test_the_passages_stay_those_that_were_found() -> None:
    """Whether they were shown is another matter."""
    spans = [
        span("a0", chain(answer=CANNED), start=0, end=9),
        span("a1", retrieval(FOUND), parent="a0", start=1, end=2),
        span("a2", generation("NOT_FOUND", question=PROMPT), parent="a0", start=3, end=4),
    ]
    assert ids(only(spans)) == ["a", "b"]

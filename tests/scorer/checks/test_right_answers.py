"""Right answers as services give them: how many fail, and how many of the same with one fact changed."""

from __future__ import annotations

import pytest
from tests.scorer.checks.one_check import MakeRecord, result
from tests.scorer.checks.right_answers import RIGHT, counted, read_cases


def test_the_corpus_is_what_it_says() -> None:
    """213 pairs, 125 of them in English, about half kept aside."""
    right = [case for case in read_cases() if case.kind == RIGHT]
    english = sum(case.name.endswith(" en") for case in right)
    assert [len(right), english, sum(case.aside for case in right)] == [213, 125, 103]


@pytest.mark.parametrize(
    ("aside", "pairs", "failed", "minded", "found"), [(False, 110, 36, 51, 88), (True, 103, 28, 45, 75)]
)
def test_no_more_right_answers_fail_and_no_fewer_twins(
    aside: bool, pairs: int, failed: int, minded: int, found: int
) -> None:
    """57 and 47 right ones were minded at first."""
    now = counted(aside=aside)
    assert now.pairs == pairs
    assert (now.failed <= failed, now.minded <= minded, now.found >= found) == (True, True, True)


@pytest.mark.parametrize(
    ("check", "question", "answer", "passage", "value"),
    [
        (
            "answer_first",
            "How do I return shoes?",
            "1. Open My Orders.\n2. Choose the item.\n3. Print the return label for the shoes.",
            "To return shoes, open My Orders, choose the item and print the label.",
            1.0,
        ),
        (
            "answer_first",
            "How soon is money sent back?",
            "Refunds take 5 days. They go back to the card that you paid with.",
            "Refunds take 5 days and go to the card that was used.",
            1.0,
        ),
        (
            "qualifiers_supported",
            "How long?",
            "You may work abroad only up to 20 days a year.",
            "You may work abroad for at most 20 days a year.",
            None,
        ),
        (
            "qualifiers_supported",
            "Who?",
            "You may work abroad only for customers.",
            "You may work abroad for customers.",
            0.0,
        ),
        (
            "no_hallucinated_entities",
            "Wie lange?",
            "Sie haben zwei Wochen Zeit, um Ihrer Leitung Bescheid zu geben.",
            "Die Frist, um es der Leitung zu sagen, beträgt zwei Wochen.",
            1.0,
        ),
    ],
)
def test_right_answers_are_not_minded(
    record: MakeRecord, check: str, question: str, answer: str, passage: str, value: float | None
) -> None:
    """A list answers from its first item, a bound is no "only", and a German unit or *Ihrer* makes no name."""
    assert result(record(answer, ("a", passage), query=question), check).value == value

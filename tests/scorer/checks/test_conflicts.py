"""Passages that conflict, and whether an answer says so."""

from __future__ import annotations

import pytest
from tests.scorer.checks.one_check import OVEN, MakeRecord, result

OLD = ("old", "The warranty of the X200 pump lasts 24 months.")
NEW = ("new", "The warranty of the X200 pump lasts 36 months.")
NOT = ("not", "The warranty of the X200 pump does not cover the seals.")
YES = ("yes", "The warranty of the X200 pump covers the seals.")
WARRANTY = "How long does the warranty of the X200 pump last?"


@pytest.mark.parametrize(
    ("passages", "query", "value"),
    [
        ((OLD, NEW), WARRANTY, 1.0),
        ((YES, NOT), "Does the warranty of the X200 pump cover the seals?", 1.0),
        ((OLD, OVEN), WARRANTY, 0.0),
        ((OLD, ("again", OLD[1])), WARRANTY, 0.0),
        ((OLD, ("weeks", "The warranty of the X200 pump lasts 104 weeks.")), WARRANTY, 0.0),
        ((OLD,), WARRANTY, None),
    ],
)
def test_conflicting_passages_are_seen(
    record: MakeRecord, passages: tuple[tuple[str, str], ...], query: str, value: float | None
) -> None:
    """The same sentence with another number, or denied; in other units it may be the same."""
    assert (
        result(record("It lasts 24 months.", *passages, query=query), "conflicting_passages").value == value
    )


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("The warranty lasts 36 months.", 0.0),
        ("The sources differ: one says 24 months.", 1.0),
        ("It is 24 months in the first source and 36 months in the second.", 1.0),
        ("I don't know.", None),
        ("The warranty lasts 24 months. However, bread is fresh.", 0.0),
        ("The warranty lasts 24 months. However, the newer manual says 36 months.", 1.0),
        (
            "The warranty lasts 24 months. The bakery has 12 seats. It has 36 tables and conflicting hours.",
            0.0,
        ),
        ("The warranty lasts 24 months and the staff is indifferent.", 0.0),
        ("The warranty lasts 24 months. Other sources contradict this.", 1.0),
        ("The two documents contradict each other.", 1.0),
    ],
)
def test_a_conflict_is_told_or_hidden(record: MakeRecord, answer: str, value: float | None) -> None:
    """Silently picking one scores low, whatever the answer says of other things."""
    assert result(record(answer, OLD, NEW, query=WARRANTY), "conflict_surfaced").value == value


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("The pump may be used in salt water.", 0.0),
        ("The pump may be used in salt water. However, bread is fresh.", 0.0),
        ("The pump may be used in salt water, but the new manual says that the pump may not be used.", 1.0),
    ],
)
def test_a_denied_fact_is_surfaced_with_its_opposite(record: MakeRecord, answer: str, value: float) -> None:
    """By a word of contrast between the two."""
    passages = [
        ("old", "The pump may be used in salt water."),
        ("new", "The pump may not be used in salt water."),
    ]
    one = record(answer, *passages, query="May the pump be used in salt water?")
    assert result(one, "conflict_surfaced").value == value

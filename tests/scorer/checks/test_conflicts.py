"""Passages that conflict, and whether an answer says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

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


PAIRS = Path(__file__).with_name("corpus") / "parallel_passages.txt"


def pairs() -> Iterator[tuple[str, str, str, str]]:
    """What a pair is, its question and its passages."""
    lines = [line for line in PAIRS.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    for place in range(0, len(lines), 4):
        kind, query, one, other = (line[2:].replace("\\n", "\n") for line in lines[place : place + 4])
        yield kind, query, one, other


def test_what_is_said_of_two_things_is_no_conflict(record: MakeRecord) -> None:
    """Two plans, branches, versions, years or groups: passages of one corpus are full of them."""
    found: Counter[str] = Counter()
    for kind, query, one, other in pairs():
        passages = (("one", one), ("other", other))
        found[kind] += bool(result(record("It is so.", *passages, query=query), "conflicting_passages").value)
    assert {kind: found[kind] for kind in sorted({kind for kind, *_ in pairs()})} == {
        "apart long counted": 1,  # of 15, 11 before
        "apart long seen": 0,  # of 15, 12 before
        "apart short counted": 0,  # of 30, 3 before
        "apart short seen": 0,  # of 30, 3 before
        "conflict long counted": 7,  # of 7, 6 before
        "conflict long seen": 7,  # of 7, 6 before
        "conflict short counted": 15,  # of 20, 16 before
        "conflict short seen": 17,  # of 20, as before
    }


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Refunds before departure cost 20 EUR a ticket.", "Refunds after departure cost 80 EUR a ticket."),
        ("Room 12 on the first floor has a desk.", "Room 14 on the first floor has a desk."),
        ("Exports work with version 2.4 of the tool.", "Exports work with version 3.0 of the tool."),
        (
            "Snooker Shoot-Out 2021: a game lasts 10 minutes at most.",
            "Snooker Shoot-Out 2022: a game lasts 10 minutes at most.",
        ),
    ],
)
def test_a_number_or_a_bound_may_tell_which_thing(record: MakeRecord, one: str, other: str) -> None:
    """Which room, version or year, or what comes before and after: both sentences are true."""
    assert (
        result(record("It is so.", ("a", one), ("b", other), query=one), "conflicting_passages").value == 0.0
    )


@pytest.mark.parametrize(
    ("other", "value"),
    [("Vouchers can be exchanged for cash.", 1.0), ("Vouchers cannot be exchanged for cash.", 0.0)],
)
def test_a_question_says_what_is_answered_to_it(record: MakeRecord, other: str, value: float) -> None:
    """With "no", the opposite of what it asks."""
    passages = [("faq", "Can vouchers be exchanged for cash? No."), ("page", other)]
    one = record("It is so.", *passages, query="Can I exchange vouchers for cash?")
    assert result(one, "conflicting_passages").value == value

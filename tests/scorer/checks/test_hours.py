"""Opening hours that a claim tells beside those of a record."""

from __future__ import annotations

import pytest

from ragvigil.scorer.checks.alignment.hours import compare

HOURS = dict.fromkeys(range(5), (9 * 60, 17 * 60)) | {5: (10 * 60, 14 * 60)}
"""Monday to Friday from 9 to 17, Saturday from 10 to 14, closed on Sunday."""


@pytest.mark.parametrize(
    "claim",
    [
        "It opens at 9 AM.",
        "It is open Monday to Friday from 9:00 AM to 5:00 PM.",
        "On Saturday it is open from 10 am until 2 pm.",
        "It is open Monday through Saturday and closed on Sundays.",
        "Ele abre de segunda-feira a sexta-feira.",
        "It has a terrace.",
    ],
)
def test_what_the_record_says_too_is_no_disagreement(claim: str) -> None:
    """Ranges of days, either clock, and what is said to be closed."""
    disagreement = compare(claim, HOURS)
    assert (disagreement.figures[:3], disagreement.spans) == ((0.0, 0.0, 0.0), ())


@pytest.mark.parametrize(
    ("claim", "wrong"),
    [
        ("It is open seven days a week.", "seven days"),
        ("It opens Monday to Sunday.", "Monday to Sunday"),
        ("It opens at 8 AM.", "8 AM"),
        ("It is open on Saturday from 9 AM to 5 PM.", "9 AM to 5 PM"),
        ("Abre de sexta-feira a domingo.", "sexta-feira a domingo"),
    ],
)
def test_other_days_and_times_are_pointed_at(claim: str, wrong: str) -> None:
    """A closed day, a time of no day, a time of another day."""
    ((start, end),) = compare(claim, HOURS).spans
    assert claim[start:end] == wrong

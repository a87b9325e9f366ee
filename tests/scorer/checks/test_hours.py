"""Opening hours that a claim tells beside those of a record."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ragvigil.scorer.checks.alignment.hours import compare
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.trace import Document

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
        "It is open from 9 AM to 5 PM from Monday to Friday, and from 10 AM to 2 PM on Saturdays.",
        "It is open from 9:0 to 17:0 on weekdays.",
        "It opens on weekends.",
        "Guests praise the daily specials.",
        "It is open from 9 AM to 5 PM on Friday and Saturday, with shorter hours at the end of the week.",
        "It is open on weekdays from 9 AM to 5 PM, with longer hours on Friday than on Saturday.",
        "It is open from 9 AM to 5 PM on most days, and closes at 2 PM on Saturdays.",
        "Its hours vary from 9 AM to 5 PM from Monday to Saturday.",
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
        ("It is open from 9 AM to 5 PM on weekdays, and from 9 AM to 5 PM on Saturdays.", "9 AM to 5 PM"),
        ("It is open daily.", "daily"),
        ("Abre de sexta-feira a domingo.", "sexta-feira a domingo"),
        ("It is open on weekdays, with extended hours on Saturdays.", "extended hours"),
        ("Its hours vary from 9 AM to 2 PM from Monday to Saturday.", "9 AM to 2 PM"),
    ],
)
def test_other_days_and_times_are_pointed_at(claim: str, wrong: str) -> None:
    """A closed day, a time of no day, a time of another day."""
    ((start, end),) = compare(claim, HOURS).spans
    assert claim[start:end] == wrong


def test_days_and_times_that_are_right_are_counted() -> None:
    """What agrees speaks for a claim as what differs speaks against it."""
    right = compare("It is open Monday to Friday from 9 AM to 5 PM.", HOURS).figures[5]
    partly = compare("It opens on Sundays at 9 AM.", HOURS).figures[5]
    assert right > partly > compare("It has a terrace.", HOURS).figures[5] == 0


def test_days_belong_to_the_times_that_make_sense_of_most_ranges() -> None:
    """Before or after them, whichever the claim does."""
    before = "On weekdays from 9 AM to 5 PM, and on Saturdays from 9 AM to 5 PM it is open."
    after = "It is open from 9 AM to 5 PM on weekdays and from 9 AM to 5 PM on Saturdays."
    for claim in (before, after):
        ((start, _),) = compare(claim, HOURS).spans
        assert start == claim.rindex("9 AM")


def test_from_midnight_to_midnight_is_closed_unless_every_day_is() -> None:
    """As records of businesses write it."""
    record = '{"hours": {"Monday": "0:0-0:0", "Tuesday": "%s"}}'
    assert Evidence([Document("a", record % "9:0-17:0")]).hours == {1: (540, 1020)}
    assert Evidence([Document("a", record % "0:0-0:0")]).hours == {0: (0, 0), 1: (0, 0)}


@pytest.mark.parametrize(
    ("claim", "days", "wrong"),
    [
        ("It has extended hours on weekends.", range(7), "extended hours"),
        ("It has extended hours on weekends.", range(1, 7), "extended hours"),
        ("It is open with varying business hours.", range(7), "varying business hours"),
        ("The hours may vary.", range(7), "hours may vary"),
        ("The hours may vary.", range(1, 7), None),
        ("It has extended hours on Mondays.", (0,), None),
    ],
)
def test_hours_that_are_the_same_every_day_neither_vary_nor_extend(
    claim: str, days: Sequence[int], wrong: str | None
) -> None:
    """They do vary where it is closed on some day; of one day nothing can be told."""
    found = compare(claim, dict.fromkeys(days, (540, 1020)))
    assert [claim[start:end] for start, end in found.spans] == ([wrong] if wrong else [])
    assert found.figures[2] == len(found.spans)


def test_hours_that_differ_may_be_said_to() -> None:
    """A longer Saturday."""
    hours = dict.fromkeys(range(6), (540, 1020)) | {5: (540, 1320)}
    assert not compare("It has extended hours on Saturdays, and the hours vary.", hours).spans


def test_a_clock_of_24_hours_leaves_no_time_in_doubt() -> None:
    """Beside 14:00, 2:00 is in the night; alone it may be either."""
    assert compare("It closes at 2:00 on Saturdays.", HOURS).spans == ()
    ((start, end),) = compare("It opens at 5:00 and closes at 14:00 on Saturdays.", HOURS).spans
    assert (start, end) == (12, 16)


def test_that_anything_differs_is_a_figure_of_its_own() -> None:
    """One wrong day of many weighs little in a share, and makes a sentence wrong all the same."""
    place = 3
    assert compare("It is open Monday to Saturday from 9 AM to 5 PM.", HOURS).figures[place] == 1.0
    assert compare("It is open Monday to Friday from 9 AM to 5 PM.", HOURS).figures[place] == 0.0

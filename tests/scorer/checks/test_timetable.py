"""Opening hours that a passage tells in one line, beside what an answer says of days."""

from __future__ import annotations

import time

import pytest
from tests.scorer.checks.test_days import claim_of

from ragvigil.scorer.checks.reading.timetable import keyed, timetable

LINE = "Opening hours: Mon-Fri 9:00-17:00, Sat 10:00-14:00, Sun closed."
FULL = "Opening hours: Monday to Friday 9:00-17:00, Saturday 10:00-14:00, closed on Sunday."
RECORD = '{"hours": {"mon_fri": "09:00-17:00", "sat": "10:00-14:00", "sun": null}}'
AS_TOLD = (
    (LINE, "We're open from 9 am to 5 pm on weekdays."),
    (LINE, "We're open Monday to Friday from 9 a.m. to 5 p.m."),
    (LINE, "On Saturdays the opening hours are 10 a.m. to 2 p.m."),
    (LINE, "On Saturday we close at 2 p.m."),
    (LINE, "It closes at 5 pm from Monday to Friday."),
    (LINE, "We're closed on Sundays."),
    (LINE, "We aren't open on Sundays."),
    (LINE, "We are open Monday to Saturday and closed on Sundays."),
    (LINE, "On Saturday we open an hour later than on Friday."),
    (LINE, "The shop opens at 9 am on Monday."),
    (FULL, "On Saturdays we're open from 10 am to 2 pm."),
    (FULL, "On weekdays we're open from 9 am to 5 pm."),
    (FULL, "The shop is closed on Sundays."),
)
OTHERWISE = (
    (LINE, "We're open from 9 am to 6 pm on weekdays."),
    (LINE, "On Saturday we're open from 9 am to 5 pm."),
    (LINE, "On Saturday we close at 5 p.m."),
    (LINE, "On Sunday we're open from 10 am to 2 pm."),
    (LINE, "We're open on Sundays."),
    (LINE, "We're open Monday to Saturday from 9 a.m. to 5 p.m."),
    (LINE, "It closes at 2 pm from Monday to Friday."),
    (LINE, "We are closed on Saturdays."),
    (LINE, "We are not open on Saturdays."),
    (LINE, "The shop opens at 10 am on Monday."),
    (FULL, "On Saturdays we're open from 9 am to 5 pm."),
    (FULL, "On Sunday we're open from 10 am to 2 pm."),
    (RECORD, "On Saturdays it's open from 9 a.m. to 5 p.m."),
)
LEFT_OPEN = (
    (LINE, "Yes, we are open at 11 am on Mondays."),
    (LINE, "You can visit us at 11 am on Monday."),
    ("Office: Mon-Thu 8:00-16:00, Fri 8:00-14:00.", "The office is closed on Friday afternoons."),
    (LINE, "The shop is closed on Saturdays from 2 pm."),
    (LINE, "If Saturday is a holiday, the shop is closed on Saturday."),
    (f"{LINE} Tours start on Sunday at 11:00.", "Tours start on Sunday at 11 am."),
    (f"{LINE} The café is open on Sundays.", "The café is open on Sundays."),
    ("Shop: Mon-Fri 9:00-17:00, Sat 10:00-14:00. Hotline: Mon-Sun 8:00-20:00.", "It is open on Sunday."),
)


@pytest.mark.parametrize(("passage", "answer"), AS_TOLD)
def test_hours_as_the_line_tells_them_are_supported(passage: str, answer: str) -> None:
    """In full or in short, by the clock of twelve hours or of 24."""
    assert claim_of(answer, passage).verdict == "supported"


@pytest.mark.parametrize(("passage", "answer"), OTHERWISE)
def test_other_hours_are_a_contradiction(passage: str, answer: str) -> None:
    """Though each day and each time stands in the line."""
    found = claim_of(answer, passage)
    assert found.verdict in ("contradicted", "unsupported")
    assert found.reason == "number_mismatch"


@pytest.mark.parametrize(("passage", "answer"), LEFT_OPEN)
def test_what_the_line_leaves_open_is_no_contradiction(passage: str, answer: str) -> None:
    """Times within the hours, parts of a day, and days of which something else is told."""
    assert claim_of(answer, passage).verdict != "contradicted"


def test_only_one_line_that_tells_several_days_is_a_timetable() -> None:
    """Of two lines of the same days, or beside other days and times, nobody knows which is meant."""
    assert timetable([LINE])[5] == timetable([FULL])[5] == (600, 840)
    assert timetable(["Mo-Fr 9-18 Uhr, Sa 10-14 Uhr."])[0] == (540, 1080)
    assert not timetable([LINE, LINE])
    assert not timetable([LINE, "The bus leaves at 9:15."])
    assert not timetable(["Open Mon-Fri 9:00-17:00."])
    assert not timetable(["Mon 9:00-17:00, Tue 22:00-2:00."])
    assert keyed([("sat", (600, 840)), ("saturday", (600, 900))]) == {}


@pytest.mark.parametrize("text", ["Mon-Tue-", "Mon, ", "Mon 9:00-", "closed on ", "Mon - ", "9:00-17:00 "])
def test_long_passages_are_read_in_time(text: str) -> None:
    """However often they name a day."""
    start = time.process_time()
    timetable([text * (50_000 // len(text))])
    assert time.process_time() - start < 1

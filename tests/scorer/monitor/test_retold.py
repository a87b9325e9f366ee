"""What is told again of an open incident is what is true by then."""

from __future__ import annotations

from typing import cast

from tests.scorer.monitor.series_in_memory import MINUTE, START, Memory, monitor, run

from ragvigil.scorer.config import Links
from ragvigil.scorer.diagnose.case import DiagnosisStore
from ragvigil.scorer.diagnose.diagnoser import Diagnoser
from ragvigil.scorer.incidents.anew import Retold
from ragvigil.scorer.moments import calendar_time
from ragvigil.scorer.monitoring import SeriesKey

CITATION = SeriesKey("citation", "help-desk", "production")


def test_a_reminder_shows_the_course_until_its_own_moment() -> None:
    """It had the figures of that moment above the chart of the page, which ended where the fall began."""
    store = Memory()
    store.add(CITATION, range(180), 0.95)
    store.add(CITATION, range(180, 240), 0.5)
    watching = monitor(store)
    (page,) = run(watching, range(240))
    (incident,) = store.incidents.values()
    now = START + 240 * MINUTE
    nobody = Diagnoser(cast("DiagnosisStore", object()))
    again = Retold(nobody, Links(), {"window": watching.history})(incident, page, now)
    assert again is not None
    assert page.history_until is not None
    assert again.history_until == calendar_time(now) > page.history_until
    fallen = [value for value in again.history if value is not None and value < 0.6]
    assert len(fallen) > len([value for value in page.history if value is not None and value < 0.6])


def test_a_reminder_says_from_when_its_figures_are_when_no_answer_came_since() -> None:
    """A model that was down said "Now: 50 %" an hour after the last answer; two minutes are a pause like any."""
    nobody = Diagnoser(cast("DiagnosisStore", object()))
    firsts: list[str] = []
    for silent in (0, 2, 60):
        store = Memory()
        store.add(CITATION, range(180), 0.95)
        store.add(CITATION, range(180, 240), 0.5)
        watching = monitor(store)
        (page,) = run(watching, range(240))
        (incident,) = store.incidents.values()
        again = Retold(nobody, Links(), {"window": watching.history})(
            incident, page, START + (240 + silent) * MINUTE
        )
        assert again is not None
        firsts.append(again.summary.splitlines()[0])
    assert firsts[0] == firsts[1]
    assert firsts[2] == f"{firsts[0]} No answer was counted after about 2026-03-01 04:00 UTC."

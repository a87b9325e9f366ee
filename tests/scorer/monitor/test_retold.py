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

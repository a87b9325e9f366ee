"""Verdicts that never come, or that nobody can read: a share that is usual is learned, more of them are a ticket."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ragvigil.scorer.detect import Alert, Monitor, MonitorSettings
from ragvigil.scorer.detect.sequential.decaying_rate import DecayingRate
from ragvigil.scorer.detect.sequential.gold import calibration_of
from ragvigil.scorer.detect.sequential.unanswered import MOST, Unanswered
from ragvigil.scorer.simulate import SCENARIOS, Traffic, World

HOUR, DAY = 3600.0, 86400.0
SMALL = World(traces_per_day=6000.0, segments=4, smallest_share=0.1, largest_share=0.4, batch_seconds=HOUR)
SETTINGS = MonitorSettings(segments=4, batch_seconds=HOUR)
Lost = Callable[[float], float]


def told(lost: Lost, *, scenario: str = "null30", change: float = 99.0, days: int = 14) -> list[Alert]:
    """What a service is told of whose judge leaves out `lost(day)` of the verdicts, from the first day on."""
    traffic = Traffic(SMALL, SCENARIOS[scenario], 3, days=days, change=change * DAY)
    monitor, alerts = Monitor(SETTINGS, traffic.gold()), list[Alert]()
    random = np.random.default_rng(4)
    for hour in range(24 * days):
        batch, hidden = traffic.batch(hour * HOUR, (hour + 1) * HOUR)
        said = traffic.verdicts(hidden, 0.0)
        chances = monitor.plan(batch)
        judged = random.random(chances.size) < chances
        read = judged & (random.random(chances.size) >= lost(hour / 24.0))
        verdict = np.where(read, said, -1)
        alerts += monitor.observe(
            replace(batch, judged=judged, verdict=verdict, inclusion_probability=chances)
        )
        if wanted := monitor.canary_wanted:
            alerts += monitor.canary(np.ones(wanted), np.ones(wanted))
        if hour % 24 == 23:
            monitor = Monitor.restore(json.loads(json.dumps(monitor.state())))
    return alerts


def test_a_share_that_was_always_missing_is_usual_and_a_fall_beside_it_is_paged() -> None:
    """One reply in eight that nobody can read: no ticket, and the fall is found within hours."""
    alerts = told(lambda day: 0.125, scenario="drop80", change=12.0)
    assert [(one.kind, one.metric, one.segment) for one in alerts] == [("page", "faithfulness", None)]
    assert 0.0 < alerts[0].time / DAY - 12.0 < 0.5


@pytest.mark.parametrize(("before", "after"), [(0.0, 0.15), (0.125, 0.4)])
def test_a_share_that_clearly_rises_is_a_ticket_and_no_page(before: float, after: float) -> None:
    """A day of it is a ticket, whatever was usual."""
    alerts = told(lambda day: after if day >= 12.0 else before)
    assert {(one.kind, one.metric, one.evidence["why"]) for one in alerts} == {
        ("ticket", "judge", "verdicts are missing")
    }
    assert alerts[0].time / DAY < 12.5
    assert float(alerts[0].evidence["usual"]) == pytest.approx(before, abs=0.05)


def test_a_judge_whose_replies_can_be_read_again_pages_nobody() -> None:
    """More verdicts are no more errors: a fifth that was missing weighs on the others as long as it is."""
    assert told(lambda day: 0.18 if day < 12.0 else 0.0, days=20) == []


def test_a_rise_that_lasts_becomes_usual() -> None:
    """Its tickets end after some days, and a fall after it is paged."""
    alerts = told(lambda day: 0.15 if day >= 8.0 else 0.01, scenario="drop80", change=19.0, days=20)
    tickets = [one.time / DAY for one in alerts if one.kind == "ticket"]
    assert 1 <= len(tickets) <= 8
    assert max(tickets) < 17.0
    assert [one.metric for one in alerts if one.kind == "page"] == ["faithfulness"]


def test_what_a_small_service_lacks_for_good_beyond_a_fifth_stays_a_ticket() -> None:
    """Three in ten of 25 calls an hour: no hour alone tells that from a fifth, a week does."""
    alerts = told(lambda day: 0.3 if day >= 8.0 else 0.0, days=24)
    assert {(one.kind, one.metric) for one in alerts} == {("ticket", "judge")}
    assert sum(one.time / DAY > 20.0 for one in alerts) >= 3


def test_an_outage_of_the_judge_is_never_usual() -> None:
    """Nothing is learned of it, and more than a fifth cannot be."""
    usual = Unanswered(1000.0, 10.0)
    for _ in range(500):
        usual.add(100.0, 60.0, 0.02, (200.0, 120.0))
    assert usual.share == 0.01
    assert Unanswered(1000.0, 900.0).share == MOST
    assert Unanswered(1000.0, 900.0).limit(0.05) == 0.05
    assert usual.limit(0.05) == 0.05
    assert Unanswered(1000.0, 100.0).limit(0.05) == pytest.approx(0.15)


def test_the_level_of_a_floor_holds_both_fates_of_what_is_missing() -> None:
    """Had they all passed, the level were higher: no page says that it surely is too low."""
    calibration = calibration_of(Traffic(SMALL, SCENARIOS["null30"], 3, days=1, change=DAY).gold())
    chance, passed = np.full(900, 0.1), (np.arange(900) % 10 < 6).astype(np.float64)
    whole, holes = DecayingRate(1.0), DecayingRate(1.0)
    whole.update(chance, passed, 0.1, np.zeros(0))
    holes.update(chance, passed, 0.1, np.full(100, 0.1))
    full, wide = whole.level(calibration), holes.level(calibration)
    assert full is not None
    assert wide is not None
    assert wide.value == pytest.approx(full.value, abs=0.005)
    assert wide.lower < full.lower - 0.03
    assert wide.upper > full.upper + 0.01


def test_a_state_from_before_shares_were_learned_goes_on() -> None:
    """It knows nothing of what is usual."""
    monitor = Monitor(SETTINGS, Traffic(SMALL, SCENARIOS["null30"], 3, days=1, change=DAY).gold())
    state: Any = monitor.state()
    del state["memory"]["unanswered"]
    for name in ("lost", "lost_w", "lost_w2"):
        del state["memory"]["floor"]["day"][name]
    assert Monitor.restore(state).state() == monitor.state()

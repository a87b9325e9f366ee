"""A new judge is compared, within the budget and a bounded time; nobody is blind without being told."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ragvigil.scorer.detect import Alert, Monitor, MonitorSettings
from ragvigil.scorer.simulate import SCENARIOS, Traffic, World
from ragvigil.scorer.simulate.drive import Drive

HOUR, DAY = 3600.0, 86400.0
SMALL = World(traces_per_day=6000.0, segments=4, smallest_share=0.1, largest_share=0.4, batch_seconds=HOUR)


class Service:
    """A service and its monitor; `answers` says whether anybody answers canaries, and with how many verdicts."""

    def __init__(self, change: float, days: int, answers: Callable[[int], int]) -> None:
        """Falls to 80 % on day `change`."""
        self.traffic = Traffic(SMALL, SCENARIOS["drop80"], 9, days=days, change=change * DAY)
        settings = MonitorSettings(segments=4, batch_seconds=HOUR)
        self.monitor, self.answers = Monitor(settings, self.traffic.gold()), answers
        self.random = np.random.default_rng(4)
        self.hour = self.traces = self.calls = self.canaries = 0

    def run(self, days: float, version: Callable[[int], str]) -> list[Alert]:
        """Go on for so many days; `version` names the judge of each hour."""
        alerts: list[Alert] = []
        for hour in range(self.hour, self.hour + round(24 * days)):
            batch, hidden = self.traffic.batch(hour * HOUR, (hour + 1) * HOUR)
            said, chances = self.traffic.verdicts(hidden, 0.0), self.monitor.plan(batch)
            judged = self.random.random(chances.size) < chances
            done = replace(
                batch, judged=judged, verdict=np.where(judged, said, -1), judge_version=version(hour)
            )
            alerts += self.monitor.observe(replace(done, inclusion_probability=chances))
            size = self.answers(self.monitor.canary_wanted) if self.monitor.canary_wanted else -1
            if size >= 0:
                alerts += self.monitor.canary(np.ones(size), np.ones(size))
            self.canaries += max(size, 0)
            self.traces, self.calls = (
                self.traces + chances.size,
                self.calls + int(judged.sum()) + max(size, 0),
            )
            if hour % 24 == 12:
                self.monitor = Monitor.restore(json.loads(json.dumps(self.monitor.state())))
        self.hour += round(24 * days)
        return alerts


def _nobody(wanted: int) -> int:
    """The canary stays unanswered."""
    return min(wanted, 0) - 1


def _nothing(wanted: int) -> int:
    """There is no past answer to judge again."""
    return min(wanted, 0)


def kinds(alerts: list[Alert]) -> list[tuple[str, str]]:
    """Kind and metric of each."""
    return [(alert.kind, alert.metric) for alert in alerts]


def test_a_new_judge_that_nobody_compares_is_a_ticket_and_is_learned_anew() -> None:
    """After a day without an answer; a fall nine days later is a page."""
    for silent in (-1, 0):
        service = Service(17.0, 18, int)
        service.answers = _nobody if silent < 0 else _nothing
        assert service.run(8, lambda _: "j1") == []
        (ticket,) = service.run(2, lambda _: "j2")
        assert (ticket.kind, ticket.metric, ticket.evidence["version"]) == ("ticket", "judge", "j2")
        assert "learned anew for 7 days" in str(ticket.evidence["why"])
        assert ticket.time <= 9.1 * DAY
        service.answers = int
        assert service.run(7, lambda _: "j2") == []
        assert ("page", "faithfulness") in kinds(service.run(1, lambda _: "j2"))


def test_two_judges_in_turn_are_compared_once_and_stay_within_the_budget() -> None:
    """What was compared is known for a week, and a fall is paged all the same."""
    service = Service(12.0, 13, int)
    assert service.run(8, lambda _: "j1") == []
    learning = service.canaries
    assert service.run(4, lambda hour: f"j{hour % 2}") == []
    assert service.canaries - learning <= 400
    assert ("page", "faithfulness") in kinds(service.run(1, lambda hour: f"j{hour % 2}"))
    assert service.calls <= 0.1 * service.traces + 100  # the smallest canary may be lent


def test_a_judge_that_is_another_one_each_hour_stays_within_the_budget_and_is_told() -> None:
    """Canaries are paid from what is saved, whatever asks for them."""
    service = Service(99.0, 12, lambda _: -1)
    assert service.run(8, lambda _: "j1") == []
    told = service.run(4, lambda hour: f"j{hour}")
    assert 1 <= len(told) <= 4
    assert {(alert.kind, alert.metric) for alert in told} == {("ticket", "judge")}
    compared = Service(99.0, 12, int)
    compared.run(12, lambda hour: f"j{hour}")
    assert compared.calls <= 0.1 * compared.traces + 100


def test_a_fall_after_a_change_of_the_judge_that_was_told_is_paged() -> None:
    """The past verdicts are the old judge's: the canary shows the change once more, and it is not news."""
    changed = SCENARIOS["judge_change"]
    settings = MonitorSettings(segments=4, batch_seconds=HOUR)
    world = replace(SMALL, traces_per_day=12_000.0)
    drive = Drive(
        lambda _, gold: Monitor(settings, gold), changed, 3, world=world, days=14, change_days=(9.0, 9.5)
    )
    drive.until(drive.change + 2 * DAY)
    assert kinds(drive.alerts) == [("ticket", "judge")]
    fallen = drive.fork(replace(changed, faithful_drop=0.15, pages=("faithfulness",)))
    fallen.until(fallen.end + 0.5 * DAY)
    assert kinds(fallen.alerts) == [("ticket", "judge"), ("page", "faithfulness")]


def test_a_judge_that_follows_one_learned_anew_is_compared_by_the_past_answers_alone() -> None:
    """Of the one between nobody knows yet how much of the traffic passes."""
    service = Service(99.0, 12, _nobody)
    service.run(8, lambda _: "j1")
    (ticket,) = service.run(1.05, lambda _: "j2")
    assert "learned anew" in str(ticket.evidence["why"])
    service.run(0.05, lambda _: "j3")
    assert service.monitor.canary_wanted
    old = np.repeat([1, 0], [340, 60])
    new = old.copy()
    new[:40] = 0
    (moved,) = service.monitor.canary(old, new)
    assert moved.evidence["change"] == -0.1

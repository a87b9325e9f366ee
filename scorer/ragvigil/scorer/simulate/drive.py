"""Run any alert rule through a simulated month and note what it did."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ragvigil.scorer.detect import Alert, Batch, GoldSet
from ragvigil.scorer.simulate.instruments import Hidden
from ragvigil.scorer.simulate.scenario import DAY, SCENARIOS, Scenario
from ragvigil.scorer.simulate.supply import Opens, Supply
from ragvigil.scorer.simulate.traffic import Traffic
from ragvigil.scorer.simulate.world import World


class Rule(Protocol):
    """What can be driven: `ragvigil.scorer.detect.Monitor`, or a rival's rule behind the same methods."""

    @property
    def canary_wanted(self) -> int:
        """How many past traces are to be judged again now; 0 for none."""
        ...

    def plan(self, batch: Batch) -> npt.NDArray[np.float64]:
        """The probability with which to judge each trace."""
        ...

    def observe(self, batch: Batch) -> list[Alert]:
        """Take the batch with its verdicts; what it led to."""
        ...

    def canary(
        self, old_verdicts: npt.NDArray[np.generic], new_verdicts: npt.NDArray[np.generic]
    ) -> list[Alert]:
        """Take the verdicts of past traces, then and now; what they led to."""
        ...


Build = Callable[[World, GoldSet], Rule]
"""Makes a fresh rule for a service."""


@dataclass(frozen=True, slots=True)
class Run:
    """One seed of one scenario."""

    scenario: str
    seed: int
    change: float
    """When the fault began, seconds."""
    fault_segment: int | None
    """Code of the one segment at fault; None for all or none."""
    alerts: tuple[Alert, ...]
    days: float
    """Simulated days, the first seven are learning."""
    traces: int
    judged: int
    """Canaries included."""
    judged_after: int
    """From the change to the end of the run."""

    @property
    def judged_share(self) -> float:
        """Judged traces and canaries over all traces."""
        return self.judged / max(1, self.traces)

    def pages(self) -> tuple[Alert, ...]:
        """The pages among the alerts."""
        return tuple(alert for alert in self.alerts if alert.kind == "page")

    def false_pages(self) -> int:
        """Pages before the change, and those of a metric that did not fall."""
        right = SCENARIOS[self.scenario].pages if self.scenario in SCENARIOS else ()
        return sum(page.time < self.change or page.metric not in right for page in self.pages())

    def first_page(self) -> Alert | None:
        """The first right page; None when there was none."""
        right = SCENARIOS[self.scenario].pages
        after = [page for page in self.pages() if page.time >= self.change and page.metric in right]
        return min(after, key=lambda page: page.time) if after else None

    def delay_hours(self) -> float:
        """From the change to the first right page; infinite when there was none."""
        page = self.first_page()
        return (page.time - self.change) / 3600.0 if page is not None else float("inf")


class Drive:
    """A rule on its way through the traffic of one service."""

    def __init__(
        self,
        build: Build,
        scenario: Scenario,
        seed: int,
        *,
        world: World | None = None,
        days: int = 30,
        change_days: tuple[float, float] = (12.0, 14.0),
        canary_batches: int = 1,
        opens: Opens = Traffic,
    ) -> None:
        """At the start of `days` of what is opened; the fault begins at a random moment within `change_days`."""
        self.world, self.scenario = world or World(), scenario
        self._seed, self._canary_batches = seed, canary_batches
        self._random = np.random.default_rng([seed, 3])
        self.change = float(self._random.uniform(*change_days)) * DAY
        self._traffic: Supply = opens(self.world, scenario, seed, days=days, change=self.change)
        self.rule = build(self.world, self._traffic.gold())
        self.alerts: list[Alert] = []
        self._past: list[tuple[Hidden, npt.NDArray[np.int64]]] = []
        self._held: list[tuple[float, Batch]] = []
        self._steps = 0
        self._counts = np.zeros(3, np.int64)

    @property
    def end(self) -> float:
        """End of the newest batch, seconds."""
        return self._steps * self.world.batch_seconds

    def until(self, moment: float, *, stop_at_page: bool = False) -> Drive:
        """Drive on to `moment` (seconds), or to the first right page."""
        while self.end + self.world.batch_seconds <= moment + 1e-6:
            self._step()
            if stop_at_page and _found(self.alerts, self.scenario, self.change):
                break
        return self

    def fork(self, scenario: Scenario) -> Drive:
        """The same service and rule, up to now, with the fault of `scenario` to come."""
        copied = deepcopy(self)
        copied.scenario = copied._traffic.scenario = scenario
        return copied

    def _step(self) -> None:
        """Take one batch: plan it, judge what was chosen, answer the canary, observe what has arrived."""
        world, traffic, rule, random, scenario = (
            self.world,
            self._traffic,
            self.rule,
            self._random,
            self.scenario,
        )
        start = self.end
        self._steps += 1
        end = self.end
        batch, hidden = traffic.batch(start, end)
        judgeable = np.isfinite(np.asarray(batch.cheap, dtype=np.float64))
        chance = np.where(judgeable, world.granted * np.asarray(rule.plan(batch), dtype=np.float64), 0.0)
        chosen = random.random(chance.size) < chance
        said = traffic.verdicts(hidden, start)
        lost = max(world.missing_verdicts, scenario.missing_verdicts if traffic.active(start) else 0.0)
        answered = chosen & (random.random(chance.size) >= lost)
        spent = int(chosen.sum())
        if rule.canary_wanted:
            self._answer(start, end if self._canary_batches else start)
        observed = replace(
            batch, judged=chosen, verdict=np.where(answered, said, -1), inclusion_probability=chance
        )
        self._observe(observed, start, end)
        if not traffic.active(start) or not self._past:
            self._past = _remember(self._past, hidden.take(answered), said[answered])
        if rule.canary_wanted:
            spent += rule.canary_wanted
            if not self._canary_batches:
                self._answer(start, end)
        self._counts += (chance.size, spent, spent if end > self.change else 0)

    def _observe(self, observed: Batch, start: float, end: float) -> None:
        """Pass on this batch, unless it is late, and those that were."""
        scenario = self.scenario
        late = self._traffic.active(start) and self._random.random() < scenario.late_batches
        held = [*self._held, (end + scenario.late_hours * 3600.0 if late else end, observed)]
        for _, arrived in sorted((pair for pair in held if pair[0] <= end), key=lambda pair: pair[0]):
            self.alerts += (replace(alert, time=max(alert.time, end)) for alert in self.rule.observe(arrived))
        self._held = [pair for pair in held if pair[0] > end]

    def _answer(self, time: float, at: float) -> None:
        """Judge past traces again, drawn at random from those kept, and pass on what the rule says."""
        hidden = Hidden.join([part for part, _ in self._past])
        old = np.concatenate([verdicts for _, verdicts in self._past])
        chosen = self._random.choice(old.size, min(self.rule.canary_wanted, old.size), replace=False)
        new = self._traffic.verdicts(hidden.take(chosen), time, again=True)
        self.alerts += (
            replace(alert, time=max(alert.time, at)) for alert in self.rule.canary(old[chosen], new)
        )

    def result(self) -> Run:
        """What came of it so far."""
        traces, judged, judged_after = self._counts.tolist()
        return Run(
            self.scenario.name,
            self._seed,
            self.change,
            self._traffic.fault_segment if self.scenario.one_segment else None,
            tuple(self.alerts),
            self.end / DAY,
            traces,
            judged,
            judged_after,
        )


def drive(
    build: Build,
    scenario: Scenario,
    seed: int,
    *,
    world: World | None = None,
    days: int = 30,
    change_days: tuple[float, float] = (12.0, 14.0),
    stop_at_page: bool = False,
    canary_batches: int = 1,
    opens: Opens = Traffic,
) -> Run:
    """Drive a rule through `days` of traffic with the fault of `scenario`.

    The change comes at a random moment within `change_days`. A canary is answered before the next batch is
    observed and its alerts are counted at that batch's end (`canary_batches` 1), or at once (0).
    """
    driven = Drive(
        build,
        scenario,
        seed,
        world=world,
        days=days,
        change_days=change_days,
        canary_batches=canary_batches,
        opens=opens,
    )
    return driven.until(days * DAY, stop_at_page=stop_at_page).result()


def _found(alerts: Sequence[Alert], scenario: Scenario, change: float) -> bool:
    return any(
        alert.kind == "page" and alert.time >= change and alert.metric in scenario.pages for alert in alerts
    )


def _remember(
    past: list[tuple[Hidden, npt.NDArray[np.int64]]], hidden: Hidden, verdicts: npt.NDArray[np.int64]
) -> list[tuple[Hidden, npt.NDArray[np.int64]]]:
    """The last few thousand judged traces."""
    kept = [*past, (hidden, verdicts)]
    while len(kept) > 1 and sum(part.size for _, part in kept[1:]) > 3000:
        kept = kept[1:]
    return kept

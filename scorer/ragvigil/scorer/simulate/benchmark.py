"""The yardstick: rules by scenarios, in false pages, hours and calls. Same seeds, same traffic for every rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ragvigil.scorer.detect import Alert, GoldSet, Monitor, MonitorSettings
from ragvigil.scorer.simulate.drive import Build, Drive, Rule, Run
from ragvigil.scorer.simulate.rivals import RIVALS, Panel
from ragvigil.scorer.simulate.scenario import DAY, SCENARIOS, Scenario
from ragvigil.scorer.simulate.supply import Opens
from ragvigil.scorer.simulate.traffic import Traffic
from ragvigil.scorer.simulate.world import World

OURS = "ragvigil"
LEARNING_DAYS = 7.0


def _ours(world: World, gold: GoldSet) -> Rule:
    return Monitor(MonitorSettings(segments=world.segments, batch_seconds=world.batch_seconds), gold)


RULES = (OURS, *RIVALS)
"""Every rule by its name."""


@dataclass(frozen=True, slots=True)
class Line:
    """What one rule did under one scenario."""

    rule: str
    scenario: str
    runs: int
    days: float
    """Simulated without the learning weeks."""
    false_pages: int
    found: int
    """Runs in which the fault was paged for; 0 where there is nothing to page for."""
    median_hours: float | None
    """From the change to the first right page; None where less than half of the runs found it."""
    p95_hours: float | None
    """None where less than 95 % of the runs found it."""
    named: int
    """Runs whose first right page names the one segment at fault, or all traffic where all of it fell."""
    judged_share: float
    tickets: int

    @property
    def false_per_30_days(self) -> float:
        """Pages that were wrong, per 30 days."""
        return 30.0 * self.false_pages / self.days

    @property
    def false_interval(self) -> tuple[float, float]:
        """Exact 95 % Poisson interval of `false_per_30_days`."""
        low, high = poisson_interval(self.false_pages)
        return 30.0 * low / self.days, 30.0 * high / self.days


def poisson_interval(count: int) -> tuple[float, float]:
    """Exact two-sided 95 % interval of a Poisson mean (Garwood 1936), by bisection.

    >>> [round(limit, 2) for limit in poisson_interval(0)]
    [0.0, 3.69]
    >>> [round(limit, 2) for limit in poisson_interval(5)]
    [1.62, 11.67]
    """
    lower = _solve(lambda mean: 1.0 - _at_most(count - 1, mean) < 0.025, count) if count else 0.0
    return lower, _solve(lambda mean: _at_most(count, mean) > 0.025, count)


def _at_most(count: int, mean: float) -> float:
    if count < 0:
        return 0.0
    terms = np.arange(count + 1)
    logs = terms * np.log(max(mean, 1e-300)) - mean - np.cumsum(np.log(np.maximum(terms, 1)))
    return float(np.exp(logs).sum())


def _solve(below: Callable[[float], bool], count: int) -> float:
    """The mean at which `below` turns false."""
    low, high = 0.0, 10.0 + 3.0 * count
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (middle, high) if below(middle) else (low, middle)
    return high


def measure(
    rules: Sequence[str],
    scenarios: Sequence[str],
    seeds: Sequence[int],
    *,
    world: World | None = None,
    quiet_days: int = 37,
    opens: Opens = Traffic,
) -> Iterator[Line]:
    """One line for each scenario and rule, in that order; `quiet_days` long where there is nothing to find.

    `opens` is whose traffic it is: invented, of recorded answers (`functools.partial(Traffic, instruments=…)`), or
    replayed (`Replayed`).

    Raises:
        KeyError: a rule or a scenario of another name.
    """
    healthy = Healthy(world or World(), rules, quiet_days, opens)
    for scenario in (SCENARIOS[name] for name in scenarios):
        runs = healthy.run(scenario, seeds)
        for rule in rules:
            yield summarise(rule, scenario, runs[rule])


class Healthy:
    """Rules driven up to the change, once for all scenarios: until then they have the same traffic."""

    def __init__(
        self, world: World, rules: Sequence[str], quiet_days: int = 37, opens: Opens = Traffic
    ) -> None:
        """Nothing driven yet; `rules` by their names in `RULES`."""
        self._world, self._rules, self._quiet_days, self._opens = world, rules, quiet_days, opens
        self._driven: dict[tuple[str, int], Drive] = {}

    def run(self, scenario: Scenario, seeds: Sequence[int]) -> dict[str, list[Run]]:
        """The runs of each rule under one scenario, in the order of `seeds`; ours ends with its first right page."""
        runs: dict[str, list[Run]] = {rule: [] for rule in self._rules}
        end = _days(scenario, self._world, self._quiet_days) * DAY
        rivals = [rule for rule in self._rules if rule != OURS]
        for seed in seeds:
            if OURS in self._rules:
                ours = self._of(OURS, _ours, seed).fork(scenario)
                runs[OURS].append(ours.until(end, stop_at_page=bool(scenario.pages)).result())
            if rivals:
                driven = self._of("rivals", Panel(rivals).begin, seed).fork(scenario)
                run, panel = driven.until(end).result(), driven.rule
                assert isinstance(panel, Panel)
                for rival in rivals:
                    runs[rival].append(replace(run, alerts=tuple(panel.alerts[rival])))
        return runs

    def _of(self, name: str, build: Build, seed: int) -> Drive:
        if (name, seed) not in self._driven:
            days = max(self._quiet_days, 32)
            quiet = SCENARIOS["null30"]
            driven = Drive(build, quiet, seed, world=self._world, days=days, opens=self._opens)
            self._driven[name, seed] = driven.until(driven.change)
        return self._driven[name, seed]


def _days(scenario: Scenario, world: World, quiet_days: int) -> int:
    """Until a rule must have found the fault, or a long quiet time; half of a month of it after a harmless change."""
    if scenario.name == "null30":
        return quiet_days
    if not scenario.pages:
        return min(30, quiet_days)
    return 32 if scenario.ramp_days or world.traces_per_day < 5000.0 else 24


def summarise(rule: str, scenario: Scenario, runs: Sequence[Run]) -> Line:
    """Put the runs of one rule under one scenario into a line."""
    hours = np.sort([run.delay_hours() for run in runs])
    first = [run.first_page() if scenario.pages else None for run in runs]
    return Line(
        rule,
        scenario.name,
        len(runs),
        sum(run.days - LEARNING_DAYS for run in runs),
        sum(run.false_pages() for run in runs),
        int(np.isfinite(hours).sum()) if scenario.pages else 0,
        _quantile(hours, 0.5),
        _quantile(hours, 0.95),
        sum(_rightly_named(page, run) for page, run in zip(first, runs, strict=True)),
        float(np.mean([run.judged_share for run in runs])),
        sum(alert.kind == "ticket" for run in runs for alert in run.alerts),
    )


def _quantile(hours: np.ndarray[tuple[int], np.dtype[np.float64]], share: float) -> float | None:
    """Of sorted hours, infinite ones last: the median between the middle two, other quantiles the next one above."""
    if share == 0.5:
        low, high = hours[(hours.size - 1) // 2], hours[hours.size // 2]
        value = float((low + high) / 2.0)
    else:
        value = float(np.quantile(hours, share, method="higher"))
    return value if np.isfinite(value) else None


def _rightly_named(page: Alert | None, run: Run) -> bool:
    return page is not None and page.segment == run.fault_segment

"""The yardstick measures what it says, rivals included, and the command prints it."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pytest
from tests.command_line import ragvigil

from ragvigil.scorer.detect import Alert, GoldSet, Monitor, MonitorSettings
from ragvigil.scorer.detect.sequential.batch import Metric
from ragvigil.scorer.simulate import OURS, SCENARIOS, Run, World, drive, measure
from ragvigil.scorer.simulate.benchmark import poisson_interval, summarise
from ragvigil.scorer.simulate.drive import Drive

SMALL = World(traces_per_day=6000.0, segments=4, smallest_share=0.1, largest_share=0.4, batch_seconds=3600.0)
HOUR = 3600.0


def run(*pages: tuple[float, Metric, int | None], scenario: str = "seg70") -> Run:
    """A run of 17 days with a change of segment 2 at hour 300, and pages at (hour, metric, segment)."""
    alerts = tuple(Alert(hour * HOUR, "page", metric, segment) for hour, metric, segment in pages)
    return Run(scenario, 0, 300.0 * HOUR, 2, alerts, 17.0, 1000, 90, 50)


def test_a_line_counts_false_pages_delays_and_right_names() -> None:
    """A page before the change is false, one of another metric too; the first right one counts."""
    runs = [
        run((310.0, "faithfulness", 2)),
        run((200.0, "faithfulness", 2), (304.0, "citation", None), (320.0, "faithfulness", 1)),
    ]
    line = summarise("x", SCENARIOS["seg70"], runs)
    assert (line.false_pages, line.found, line.named, line.days) == (2, 2, 1, 20.0)
    assert (line.median_hours, line.p95_hours) == (15.0, 20.0)
    assert line.false_per_30_days == pytest.approx(3.0)
    assert line.judged_share == pytest.approx(0.09)


def test_a_fault_that_half_of_the_runs_miss_has_no_median() -> None:
    """Rather than the median of the lucky ones."""
    line = summarise("x", SCENARIOS["seg70"], [run((310.0, "faithfulness", 2)), run(), run()])
    assert (line.found, line.median_hours, line.p95_hours) == (1, None, None)


@pytest.mark.parametrize("count", [0, 1, 5, 40])
def test_the_poisson_interval_covers(count: int) -> None:
    """Means at its ends give this count or a more extreme one in 2.5 % of cases."""
    low, high = poisson_interval(count)
    drawn = np.random.default_rng(count).poisson([max(low, 1e-9), high], (200_000, 2))
    assert (drawn[:, 1] <= count).mean() == pytest.approx(0.025, abs=0.003)
    assert count == 0 or (drawn[:, 0] >= count).mean() == pytest.approx(0.025, abs=0.003)


def test_rivals_page_on_what_they_document() -> None:
    """One judged failure wakes somebody every hour; filling silence with zeros pages for no traffic; ours does not."""
    rules = [OURS, "single trace", "rolling mean", "rolling mean, no data is 0"]
    lines = {line.rule: line for line in measure(rules, ["silence"], [3], world=SMALL, quiet_days=15)}
    assert lines[OURS].false_pages == 0
    assert lines["single trace"].false_per_30_days > 300.0
    assert lines["rolling mean, no data is 0"].false_pages > lines["rolling mean"].false_pages


def test_a_fork_in_its_healthy_weeks_is_the_run_that_it_stands_for() -> None:
    """Sharing the weeks before the fault saves time and changes nothing."""

    def build(world: World, gold: GoldSet) -> Monitor:
        return Monitor(MonitorSettings(segments=world.segments, batch_seconds=world.batch_seconds), gold)

    healthy = Drive(build, SCENARIOS["null30"], 5, world=SMALL, days=15)
    healthy.until(healthy.change)
    for name in ("drop80", "cite_drift"):
        whole = drive(build, SCENARIOS[name], 5, world=SMALL, days=15)
        assert healthy.fork(SCENARIOS[name]).until(15 * 86400.0).result() == whole


def test_every_rival_finds_a_large_fall_that_lasts() -> None:
    """A rule that finds nothing would look quiet for the wrong reason."""
    names = ["rolling mean", "EWMA", "burn rate", "CUSUM", "CUSUM, tuned"]
    for line in measure(names, ["drop80"], [4], world=SMALL):
        assert line.found == 1, line


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    return ragvigil("bench", "alerts", *arguments)


def test_the_command_prints_a_row_for_each_rule_the_same_every_time() -> None:
    """Seedable: the same arguments give the same numbers."""
    arguments = ("--quick", "--scenario", "drop80", "--rule", "ragvigil", "--rule", "CUSUM", "--json")
    first, second = bench(*arguments), bench(*arguments)
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    lines = json.loads(first.stdout)["lines"]
    assert [(line["rule"], line["found"]) for line in lines] == [("ragvigil", 1), ("CUSUM", 1)]


def test_an_unknown_rule_is_named_with_those_that_exist() -> None:
    """Exit code 2, one line."""
    finished = bench("--rule", "magic")
    assert finished.returncode == 2
    assert "--rule: 'magic' is not known" in finished.stderr
    assert "CUSUM, tuned" in finished.stderr

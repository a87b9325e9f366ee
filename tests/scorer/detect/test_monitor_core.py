"""The drivable core: what it plans, pages, and refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from ragvigil.scorer.detect import Alert, Batch, GoldSet, Monitor, MonitorSettings
from ragvigil.scorer.detect.sequential.monitor import STATE_VERSION
from ragvigil.scorer.simulate import SCENARIOS, Run, Scenario, Traffic, World, drive

SMALL = World(traces_per_day=6000.0, segments=4, smallest_share=0.1, largest_share=0.4, batch_seconds=3600.0)
"""A world in which a month takes a second."""


def build(world: World, gold: GoldSet) -> Monitor:
    """A monitor with default settings."""
    return Monitor(MonitorSettings(segments=world.segments, batch_seconds=world.batch_seconds), gold)


def month(scenario: str, seed: int, *, days: int = 20, world: World = SMALL) -> Run:
    """One run of a scenario."""
    return drive(build, SCENARIOS[scenario], seed, world=world, days=days)


def gold(*, unfaithful: int = 60, informative: bool = True) -> GoldSet:
    """Labels of a judge that is right nine times in ten, or no better than a coin."""
    random = np.random.default_rng(7)
    truth = (np.arange(140 + unfaithful) < 140).astype(np.float64)
    right = random.random(truth.size) < (0.9 if informative else 0.5)
    verdict = np.where(right, truth, 1.0 - truth)
    return GoldSet(truth, verdict, np.clip(0.3 + 0.4 * truth + random.normal(0.0, 0.1, truth.size), 0.0, 1.0))


def batch_of(size: int, *, start: float = 0.0, end: float = 3600.0, cheap: float = 0.8) -> Batch:
    """`size` good traces of segment 0, not yet judged."""
    code = np.arange(size)
    return Batch(
        start,
        end,
        np.full(size, start),
        code * 0,
        code,
        np.full(size, cheap),
        np.ones(size),
        np.full(size, 5),
    )


def judge_all(batch: Batch, verdict: npt.NDArray[np.generic] | float = 1.0) -> Batch:
    """The batch with every trace judged."""
    size = batch.time.size
    return replace(
        batch,
        judged=np.ones(size, np.bool_),
        verdict=np.full(size, verdict),
        inclusion_probability=np.ones(size),
    )


def pages(alerts: list[Alert]) -> list[Alert]:
    """The pages among alerts."""
    return [alert for alert in alerts if alert.kind == "page"]


@pytest.mark.parametrize(
    "scenario", ["null30", "mix_shift", "judge_drift", "judge_change", "cheap_drift", "traffic_dip"]
)
def test_what_is_no_fall_of_quality_pages_nobody(scenario: str) -> None:
    """Mix, judge, cheap score and traffic may move; the canary and the residuals tell them from quality.

    Chance alone may bring a page in 90 days: of three runs of two weeks after the learning one has one at most.
    """
    assert sum(len(month(scenario, seed).pages()) for seed in (3, 4, 5)) <= 1


def test_a_judge_that_changed_is_a_ticket() -> None:
    """Re-judging past traces shows that it is the judge; the ticket asks for a new calibration."""
    run = month("judge_change", 4)
    tickets = [alert for alert in run.alerts if alert.metric == "judge"]
    assert tickets
    assert -0.12 < float(tickets[0].evidence["change"]) < -0.03


def test_a_fall_of_all_segments_is_paged_once_for_all_traffic() -> None:
    """15 points down: one page, not one for every segment."""
    run = month("drop80", 1)
    assert [(page.metric, page.segment) for page in run.pages()] == [("faithfulness", None)]
    assert 0.0 < run.delay_hours() < 24.0


def test_the_segment_that_fell_is_named() -> None:
    """The others are as they were."""
    run = month("seg70", 2)
    page = run.first_page()
    assert page is not None
    assert page.segment == run.fault_segment


@pytest.mark.parametrize(("scenario", "metric"), [("outage", "retrieval"), ("cite_drift", "citation")])
def test_a_broken_part_pages_within_two_batches_and_is_the_only_page_at_first(
    scenario: str, metric: str
) -> None:
    """No sampling, no judge; the fall of faithfulness that it causes is not paged as well."""
    run = month(scenario, 5, days=15)
    first = run.pages()[0]
    assert first.metric == metric
    assert first.time - run.change <= 2 * SMALL.batch_seconds
    assert [page.metric for page in run.pages() if page.time < first.time + 3600.0] == [metric]


@pytest.mark.parametrize("scenario", ["null30", "slow88", "blind88", "judge_drift"])
def test_never_more_than_the_budget_is_judged(scenario: str) -> None:
    """Bursts and canaries included."""
    assert month(scenario, 6).judged_share <= 0.10


def test_missing_verdicts_are_a_ticket_and_no_page() -> None:
    """Half of the verdicts missing for a day: nothing is learned from the rest."""
    run = month("judge_outage", 7)
    assert run.pages() == ()
    assert "judge" in {alert.metric for alert in run.alerts}


def test_an_hour_without_traffic_is_a_ticket() -> None:
    """Against the same hour a week ago, when batches still come but hold nothing."""
    silent = Scenario("silence", "nothing comes", volume=0.0, lasts_days=1.0)
    run = drive(build, silent, 8, world=SMALL, days=15)
    assert run.pages() == ()
    assert "traffic" in {alert.metric for alert in run.alerts}


def test_planning_changes_nothing_and_a_restored_monitor_goes_on_the_same() -> None:
    """The state is JSON; plan may be asked twice."""
    traffic = Traffic(SMALL, SCENARIOS["drop80"], 9, days=10, change=8.0 * 86400.0)
    monitor = build(SMALL, traffic.gold())
    random = np.random.default_rng(1)
    alerts: list[Alert] = []
    for step in range(24 * 9):
        batch, hidden = traffic.batch(step * 3600.0, (step + 1) * 3600.0)
        chance = monitor.plan(batch)
        assert np.array_equal(chance, monitor.plan(batch))
        if step % 50 == 49:
            monitor = Monitor.restore(json.loads(json.dumps(monitor.state())))
            assert np.array_equal(chance, monitor.plan(batch))
        chosen = random.random(chance.size) < chance
        said = np.where(chosen, traffic.verdicts(hidden, 0.0), -1)
        alerts += monitor.observe(replace(batch, judged=chosen, verdict=said, inclusion_probability=chance))
        if wanted := monitor.canary_wanted:
            assert wanted <= 400
            alerts += monitor.canary(np.ones(wanted), np.ones(wanted))
    assert {page.metric for page in pages(alerts)} == {"faithfulness"}
    assert min(page.time for page in pages(alerts)) > 8.0 * 86400.0


def test_a_state_of_another_version_is_refused() -> None:
    """Rather than misread."""
    with pytest.raises(ValueError, match="version 99"):
        Monitor.restore({"version": 99})
    with pytest.raises(ValueError, match="lacks settings, gold or memory"):
        Monitor.restore({"version": STATE_VERSION})


def test_a_page_waits_for_the_canary_and_is_withheld_when_it_blames_the_judge() -> None:
    """The same collapse of verdicts, with past traces judged as before, or as badly."""
    for new, metric in ((1.0, "faithfulness"), (0.0, "judge")):
        monitor = Monitor(MonitorSettings(segments=2, batch_seconds=3600.0), gold())
        alerts: list[Alert] = []
        for hour in range(24 * 9):
            batch = batch_of(200, start=hour * 3600.0, end=(hour + 1) * 3600.0)
            good = (np.arange(200) % 10 > 0).astype(np.float64)
            alerts += monitor.observe(judge_all(batch, good if hour < 24 * 8 else 0.0))
            if monitor.canary_wanted:
                assert pages(alerts) == []
                wanted = monitor.canary_wanted
                alerts += monitor.canary(np.ones(wanted), np.full(wanted, new))
                break
        assert [alert.metric for alert in alerts] == [metric]


def test_empty_and_late_batches_and_a_clock_set_back_are_harmless() -> None:
    """Bounded, and no page."""
    monitor = Monitor(MonitorSettings(segments=2, batch_seconds=3600.0), gold())
    assert monitor.plan(batch_of(0)).shape == (0,)
    good = (np.arange(100) % 10 > 0).astype(np.float64)
    alerts: list[Alert] = []
    for hour in [*range(24 * 9), *range(24 * 8, 24 * 10)]:
        start = hour * 3600.0
        alerts += monitor.observe(judge_all(batch_of(0, start=start, end=start + 3600.0)))
        late = replace(batch_of(100, start=start, end=start + 3600.0), time=np.full(100, start - 9 * 3600.0))
        alerts += monitor.observe(judge_all(late, good))
    assert pages(alerts) == []


def test_a_million_segments_share_one_series() -> None:
    """The state does not grow with the values."""
    monitor = Monitor(MonitorSettings(segments=3), gold())
    sizes: list[int] = []
    for hour in range(10):
        start = hour * 1800.0
        many = replace(
            batch_of(1000, start=start, end=start + 1800.0), segment=np.arange(1000) * 1000 * (hour + 1)
        )
        monitor.observe(judge_all(many))
        sizes.append(len(json.dumps(monitor.state())))
    assert sizes[-1] < 1.2 * sizes[1]


def test_a_gold_set_that_teaches_nothing_is_refused() -> None:
    """No unfaithful item: the judge's error on them is unknown."""
    with pytest.raises(ValueError, match="0 unfaithful items"):
        gold(unfaithful=0)
    with pytest.raises(ValueError, match=r"GoldSet.cheap has shape"):
        GoldSet(np.ones(5), np.ones(5), np.ones(4))


def test_a_judge_no_better_than_a_coin_never_pages() -> None:
    """It is a ticket; s + t - 1 is too small to mean anything."""
    monitor = Monitor(MonitorSettings(segments=2, batch_seconds=3600.0), gold(informative=False))
    alerts: list[Alert] = []
    for hour in range(24 * 9):
        batch = batch_of(100, start=hour * 3600.0, end=(hour + 1) * 3600.0)
        alerts += monitor.observe(judge_all(batch, 1.0 if hour < 24 * 8 else 0.0))
    assert {(alert.kind, alert.metric) for alert in alerts} == {("ticket", "judge")}
    assert monitor.canary_wanted == 0


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: MonitorSettings(slo=1.2), "slo is 1.2"),
        (lambda: MonitorSettings(budget=0.0), "budget is 0.0"),
        (lambda: MonitorSettings(segments=0), "segments is 0"),
        (lambda: MonitorSettings(segments=2.5), "segments is 2.5"),  # type: ignore[arg-type] # what is refused
        (lambda: MonitorSettings(batch_seconds=-1.0), "batch_seconds is -1.0"),
        (lambda: MonitorSettings(trip=float("nan")), "trip is nan"),
    ],
)
def test_settings_that_cannot_work_are_refused_by_name(
    make: Callable[[], MonitorSettings], named: str
) -> None:
    """The message names the field."""
    with pytest.raises(ValueError, match=f"MonitorSettings.{named}"):
        make()


def test_columns_of_different_lengths_are_refused_by_name() -> None:
    """Before anything is learned."""
    monitor = Monitor(MonitorSettings(), gold())
    with pytest.raises(ValueError, match=r"Batch.cheap has shape \(2,\)"):
        monitor.plan(replace(batch_of(3), cheap=np.ones(2)))


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("verdict", np.array([1, 7, 0]), "verdict holds 7: give 1 for passed, 0 for not, -1 for no verdict"),
        (
            "inclusion_probability",
            np.array([0.1, np.nan, 1.5]),
            "inclusion_probability holds 1.5: give shares",
        ),
        (
            "segment",
            np.array(["de", "en", "fr"]),
            "segment holds <U2: give numbers, codes where there are names",
        ),
        ("conversation", np.array(["a", "b", "c"]), "conversation holds <U1: give numbers"),
    ],
)
def test_values_that_cannot_be_are_refused_by_name(
    column: str, values: npt.NDArray[np.generic], message: str
) -> None:
    """A verdict of 7 would weigh seven verdicts."""
    monitor, whole = Monitor(MonitorSettings(), gold()), judge_all(batch_of(3), np.ones(3))
    with pytest.raises(ValueError, match=f"Batch.{message}"):
        monitor.observe(replace(whole, **{column: values}))  # type: ignore[arg-type] # one column


def test_a_judge_that_drifts_is_not_under_a_floor() -> None:
    """What past traces show of it is taken off the level until there are new labels."""

    def with_floor(world: World, gold: GoldSet) -> Monitor:
        settings = MonitorSettings(segments=world.segments, batch_seconds=world.batch_seconds, slo=0.93)
        return Monitor(settings, gold)

    world = replace(SMALL, gold_faithful=1400, gold_unfaithful=600)
    run = drive(with_floor, SCENARIOS["judge_drift"], 3, world=world, days=20)
    assert "judge" in {alert.metric for alert in run.alerts}
    assert [page for page in run.pages() if "slo" in page.evidence] == []


def test_a_level_below_the_slo_for_a_day_pages() -> None:
    """However used to it the baseline is."""
    monitor = Monitor(MonitorSettings(segments=2, batch_seconds=3600.0, slo=0.9), gold())
    alerts: list[Alert] = []
    half = (np.arange(100) % 2).astype(np.float64)
    for hour in range(24 * 10):
        alerts += monitor.observe(
            judge_all(batch_of(100, start=hour * 3600.0, end=(hour + 1) * 3600.0), half)
        )
    assert [(page.metric, page.segment) for page in pages(alerts)][:1] == [("faithfulness", None)]
    evidence, level = pages(alerts)[0].evidence, monitor.level
    assert float(evidence["lower"]) < float(evidence["level"]) < float(evidence["upper"]) < 0.9
    assert float(evidence["n"]) > 100
    assert level is not None
    assert level.upper < 0.9

"""A series that comes later than the rest learns its own normal first, and says nothing meanwhile."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from ragvigil.scorer.detect import Alert, Batch, Monitor, MonitorSettings
from ragvigil.scorer.simulate import SCENARIOS, Traffic, World

HOUR, DAY = 3600.0, 86400.0
SMALL = World(traces_per_day=6000.0, segments=4, smallest_share=0.1, largest_share=0.4, batch_seconds=HOUR)
SETTINGS = MonitorSettings(segments=4, batch_seconds=HOUR)
Known = Callable[[Batch], Batch]


def pages(
    known: Known, *, days: int, scenario: str = "null30", change: float = 99.0, seed: int = 3
) -> list[Alert]:
    """Pages of a service of which the monitor is told what `known` leaves of each batch."""
    traffic = Traffic(SMALL, SCENARIOS[scenario], seed, days=days, change=change * DAY)
    monitor, alerts = Monitor(SETTINGS, traffic.gold()), list[Alert]()
    random = np.random.default_rng(seed)
    for hour in range(24 * days):
        batch, hidden = traffic.batch(hour * HOUR, (hour + 1) * HOUR)
        said = traffic.verdicts(hidden, 0.0)
        chances = monitor.plan(batch)
        judged = random.random(chances.size) < chances
        said = np.where(judged, said, -1)
        alerts += monitor.observe(
            known(replace(batch, judged=judged, verdict=said, inclusion_probability=chances))
        )
        if wanted := monitor.canary_wanted:
            alerts += monitor.canary(np.ones(wanted), np.ones(wanted))
        if hour % 24 == 23:
            monitor = Monitor.restore(json.loads(json.dumps(monitor.state())))
    return [alert for alert in alerts if alert.kind == "page"]


def judged_from(day: float) -> Known:
    """Nobody is asked before."""

    def known(batch: Batch) -> Batch:
        if batch.start >= day * DAY:
            return batch
        return replace(batch, judged=None, verdict=None, inclusion_probability=None)

    return known


def nobody_asked_before(day: float) -> Known:
    """The same, told as columns of nothing."""

    def known(batch: Batch) -> Batch:
        if batch.start >= day * DAY:
            return batch
        size = batch.time.size
        return replace(
            batch,
            judged=np.zeros(size, np.bool_),
            verdict=np.full(size, -1),
            inclusion_probability=np.zeros(size),
        )

    return known


def scored_from(day: float) -> Known:
    """No cheap score before."""
    return lambda batch: (
        batch if batch.start >= day * DAY else replace(batch, cheap=np.full(batch.time.size, np.nan))
    )


def checked_from(day: float, column: str, rate: float, later: float = 1e9, worse: float = 0.0) -> Known:
    """Nothing known of `column` before; then `rate` of it is bad, `worse` from day `later` on."""
    random = np.random.default_rng(1)

    def known(batch: Batch) -> Batch:
        bad = random.random(batch.time.size) < (worse if batch.start >= later * DAY else rate)
        values = np.where(bad, 0.0, 1.0) if batch.start >= day * DAY else np.full(batch.time.size, np.nan)
        if column == "citation_ok":
            return replace(batch, citation_ok=values)
        return replace(batch, document_count=values)

    return known


def segment_from(day: float) -> Known:
    """A segment whose answers were another's before, and whose citations are worse than those of all the rest."""
    random = np.random.default_rng(2)

    def known(batch: Batch) -> Batch:
        new = (batch.segment == 1) & (batch.start >= day * DAY)
        segment = np.where((batch.segment == 1) & ~new, 0, batch.segment)
        citation = np.where(random.random(batch.time.size) < np.where(new, 0.12, 0.01), 0.0, 1.0)
        return replace(batch, segment=segment, citation_ok=citation)

    return known


@pytest.mark.parametrize("known", [judged_from(6.5), nobody_asked_before(8.0)])
def test_verdicts_that_begin_late_page_nobody_while_they_are_learned(known: Known) -> None:
    """Flags of which there were none in the learning week are no rise."""
    assert pages(known, days=17) == []


def test_a_fall_after_the_late_verdicts_were_learned_is_paged() -> None:
    """Seven days after they began, the monitor knows what is normal."""
    found = pages(judged_from(8.0), days=19, scenario="drop80", change=16.0)
    assert [(page.metric, page.segment) for page in found] == [("faithfulness", None)]
    assert 16.0 < found[0].time / DAY < 17.5


def test_a_cheap_score_that_begins_late_pages_nobody() -> None:
    """What it makes of the verdicts is new as well."""
    assert pages(scored_from(10.0), days=20) == []


@pytest.mark.parametrize(("column", "metric"), [("citation_ok", "citation"), ("document_count", "retrieval")])
def test_a_check_that_begins_late_learns_its_own_normal(column: str, metric: str) -> None:
    """Eight in a hundred are what this service is like; forty are not."""
    found = pages(checked_from(10.0, column, 0.08, later=18.5, worse=0.4), days=19)
    assert [(page.metric, page.segment) for page in found] == [(metric, None)]
    assert found[0].time / DAY > 18.5


def test_a_segment_that_appears_late_is_not_accused_of_being_itself() -> None:
    """Its normal is not the mean of the others."""
    assert pages(segment_from(9.0), days=18) == []

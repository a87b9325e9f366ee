"""What a caller of the core may rely on: restore at any batch, rows in any order, canaries held, any gold set."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from ragvigil.scorer.detect import Alert, Batch, GoldSet, Monitor, MonitorSettings
from ragvigil.scorer.simulate import SCENARIOS, Traffic, World, drive

HOUR = 3600.0
SMALL = World(traces_per_day=6000.0, segments=4, smallest_share=0.1, largest_share=0.4, batch_seconds=HOUR)
SETTINGS = MonitorSettings(segments=4, batch_seconds=HOUR)
CHANGE = 24 * 7 + 2
HOURS = CHANGE + 6
Between = Callable[[Monitor], Monitor]


def as_it_is(monitor: Monitor) -> Monitor:
    """Nothing happens between two batches."""
    return monitor


def restored(monitor: Monitor) -> Monitor:
    """The process starts anew after each batch."""
    return Monitor.restore(json.loads(json.dumps(monitor.state())))


def as_they_came(batch: Batch) -> npt.NDArray[np.int64]:
    """Rows in the order of the simulation: by segment and conversation."""
    return np.arange(batch.time.size)


def shuffled(batch: Batch) -> npt.NDArray[np.int64]:
    """Rows in no order."""
    return np.random.default_rng(int(batch.start)).permutation(batch.time.size)


def in_order(batch: Batch, rows: npt.NDArray[np.int64]) -> Batch:
    """The batch with its rows so."""
    return replace(
        batch,
        time=batch.time[rows],
        segment=batch.segment[rows],
        conversation=batch.conversation[rows],
        cheap=batch.cheap[rows],
        citation_ok=batch.citation_ok[rows],
        document_count=batch.document_count[rows],
    )


def replayed(
    between: Between, order: Callable[[Batch], npt.NDArray[np.int64]]
) -> tuple[list[Alert], Monitor]:
    """A fall to 80 % two hours after learning, every trace judged; the judge is as it was."""
    traffic = Traffic(SMALL, SCENARIOS["drop80"], 9, days=10, change=CHANGE * HOUR)
    monitor, alerts = Monitor(SETTINGS, traffic.gold()), list[Alert]()
    for hour in range(HOURS):
        batch, hidden = traffic.batch(hour * HOUR, (hour + 1) * HOUR)
        said = traffic.verdicts(hidden, 0.0)
        rows = order(batch)
        batch = in_order(batch, rows)
        monitor.plan(batch)
        whole, even = np.ones(rows.size, np.bool_), np.ones(rows.size)
        alerts += monitor.observe(
            replace(batch, judged=whole, verdict=said[rows], inclusion_probability=even)
        )
        monitor = between(monitor) if hour > CHANGE - 4 else monitor
        if wanted := monitor.canary_wanted:
            alerts += monitor.canary(np.ones(wanted), np.ones(wanted))
            monitor = between(monitor)
    return alerts, monitor


def test_a_monitor_restored_after_every_batch_says_and_remembers_the_same_to_the_bit() -> None:
    """Through the end of learning, a burst, a canary and a page: alerts, evidence and state."""
    alerts, monitor = replayed(as_it_is, as_they_came)
    again, twin = replayed(restored, as_they_came)
    assert [alert.metric for alert in alerts if alert.kind == "page"] == ["faithfulness"]
    assert again == alerts
    assert json.dumps(twin.state()) == json.dumps(monitor.state())


def test_the_order_of_rows_within_a_batch_does_not_matter() -> None:
    """Batches are sets; a store or a broker gives them in its own order."""
    alerts, _ = replayed(as_it_is, as_they_came)
    again, _ = replayed(as_it_is, shuffled)
    assert [(a.time, a.kind, a.metric, a.segment) for a in again] == [
        (a.time, a.kind, a.metric, a.segment) for a in alerts
    ]


def asking() -> tuple[Monitor, Callable[[], Batch]]:
    """A monitor that wants past traces judged again, and its next batches, in which all verdicts are bad."""
    random = np.random.default_rng(7)
    truth = (np.arange(200) < 140).astype(np.float64)
    verdict = np.where(random.random(200) < 0.9, truth, 1.0 - truth)
    cheap = np.clip(0.3 + 0.4 * truth + random.normal(0.0, 0.1, 200), 0.0, 1.0)
    monitor = Monitor(replace(SETTINGS, segments=1), GoldSet(truth, verdict, cheap))
    good, hours = (np.arange(200) % 10 > 0).astype(np.float64), iter(range(24 * 9))

    def following() -> Batch:
        hour, code = next(hours), np.arange(200)
        start, said = hour * HOUR, good if hour < 24 * 8 else good * 0.0
        even = np.ones(200)
        return Batch(
            start,
            start + HOUR,
            even * start,
            code * 0,
            code,
            even * 0.8,
            even,
            even * 5,
            even > 0.0,
            said,
            even,
        )

    while not monitor.canary_wanted:
        monitor.observe(following())
    return monitor, following


def test_a_canary_is_held_until_it_is_answered() -> None:
    """Planning, saving and further batches leave it; nobody is paged before the answer."""
    monitor, following = asking()
    wanted = monitor.canary_wanted
    assert 0 < wanted <= 400
    batch = following()
    monitor.plan(replace(batch, judged=None, verdict=None, inclusion_probability=None))
    assert monitor.canary_wanted == restored(monitor).canary_wanted == wanted
    assert [alert for alert in monitor.observe(batch) if alert.kind == "page"] == []
    assert monitor.canary_wanted > 0
    monitor.canary(np.ones(wanted), np.ones(wanted))
    assert monitor.canary_wanted == 0


def test_canary_answers_that_are_no_pairs_are_refused_and_the_wish_stays() -> None:
    """The message gives both lengths and the fix."""
    monitor, _ = asking()
    wanted = monitor.canary_wanted
    with pytest.raises(
        ValueError, match=rf"Monitor.canary: \({wanted},\) old and \(3,\) new verdicts: give pairs"
    ):
        monitor.canary(np.ones(wanted), np.ones(3))
    assert monitor.canary_wanted == wanted


def test_a_judge_that_does_not_answer_the_canary_at_all_withholds_a_page_for_a_few_batches_only() -> None:
    """All of its verdicts are -1: the canary knows nothing, and the fall is real."""
    monitor, following = asking()
    pages: list[Alert] = []
    for _ in range(8):
        wanted = monitor.canary_wanted
        pages += monitor.canary(np.ones(wanted), np.full(wanted, -1)) if wanted else []
        pages += [alert for alert in monitor.observe(following()) if alert.kind == "page"]
    assert {page.metric for page in pages} == {"faithfulness"}


@pytest.mark.parametrize(
    ("world", "scenario"),
    [
        (replace(SMALL, gold_faithful=3500, gold_unfaithful=1500), "drop80"),
        (replace(SMALL, gold_faithful=3500, gold_unfaithful=1500), "cheap_drift"),
        (replace(SMALL, granted=0.5), "drop80"),
        (replace(SMALL, granted=0.5), "null30"),
        (SMALL, "late_verdicts"),
        (SMALL, "silence"),
    ],
    ids=["5,000 labels", "5,000 labels, no fall", "half granted", "half granted, no fall", "late", "silent"],
)
def test_other_callers_get_their_page_and_no_other(world: World, scenario: str) -> None:
    """A large gold set, lowered probabilities, batches hours late, half a day of silence."""

    def build(world: World, gold: GoldSet) -> Monitor:
        return Monitor(SETTINGS, gold)

    run = drive(build, SCENARIOS[scenario], 3, world=world, days=16)
    assert run.false_pages() == 0
    assert bool(run.pages()) == bool(SCENARIOS[scenario].pages)

"""Ways in which a detector that works in the demonstration wakes people for nothing, or sleeps."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from ragvigil.scorer.detect import Alert, Batch, GoldSet, Monitor, MonitorSettings
from ragvigil.scorer.detect.sequential.baseline import BINS, Baseline, Sum
from ragvigil.scorer.detect.sequential.day_spread import logit_spread
from ragvigil.scorer.detect.sequential.disagreement import DRIFTED, Disagreement
from ragvigil.scorer.detect.sequential.ebh import degraded
from ragvigil.scorer.detect.sequential.gold import learn_instruments

HOUR, DAY = 3600.0, 86400.0


def gold() -> GoldSet:
    """Labels of a judge and a cheap score that are good."""
    random = np.random.default_rng(7)
    truth = (np.arange(200) < 140).astype(np.float64)
    verdict = np.where(random.random(200) < 0.92, truth, 1.0 - truth)
    return GoldSet(truth, verdict, np.clip(0.3 + 0.4 * truth + random.normal(0.0, 0.1, 200), 0.0, 1.0))


class Service:
    """Batches of an hour, everything judged, with a pass rate for each segment."""

    def __init__(self, monitor: Monitor, sizes: list[int]) -> None:
        self.monitor, self.sizes, self.hour = monitor, sizes, 0
        self.documents, self.citations = 5, 1.0
        self.random, self.other = np.random.default_rng(11), np.random.default_rng(12)

    def run(self, hours: int, passed: list[float]) -> list[Alert]:
        """So many hours; past traces are judged as before."""
        alerts: list[Alert] = []
        for _ in range(hours):
            segment = np.repeat(np.arange(len(self.sizes)), self.sizes)
            said = self.random.random(segment.size) < np.array(passed)[segment]
            alerts += self.monitor.observe(self.judged(segment, said.astype(np.float64)))
            if wanted := self.monitor.canary_wanted:
                alerts += self.monitor.canary(np.ones(wanted), np.ones(wanted))
            self.hour += 1
        return alerts

    def judged(self, segment: npt.NDArray[np.int64], said: npt.NDArray[np.float64]) -> Batch:
        """One batch; the cheap score sees nothing."""
        size, start = segment.size, self.hour * HOUR
        batch = Batch(
            start, start + HOUR, np.full(size, start), segment, np.arange(size), np.full(size, 0.7),
            (self.other.random(size) < self.citations).astype(np.float64), np.full(size, self.documents),
        )  # fmt: skip
        whole = np.ones(size, np.bool_)
        return replace(batch, judged=whole, verdict=said, inclusion_probability=np.ones(size))


def service(sizes: list[int]) -> Service:
    """A monitor and its service, both new."""
    settings = MonitorSettings(segments=len(sizes), batch_seconds=HOUR)
    return Service(Monitor(settings, gold()), sizes)


def pages(alerts: list[Alert]) -> list[int | None]:
    """Segments of the pages."""
    return [alert.segment for alert in alerts if alert.kind == "page"]


def test_a_baseline_learns_neither_from_an_incident_nor_from_last_week() -> None:
    """Trap 12: frozen and young days are left out, or a slow fall becomes normal while it goes on."""
    settings = MonitorSettings(segments=1)
    baseline = Baseline()
    for day in range(30):
        sums = np.zeros((len(Sum), settings.slots))
        sums[Sum.TRACES] = 1.0
        baseline.add(day, sums, np.zeros((2, BINS)), np.array([day == 9, False]))
    baseline.freeze(14, np.array([True, False]))
    first, _ = baseline.since(settings.learning_days)
    counted = baseline.total(baseline.counting(first, 29, settings))[0][Sum.TRACES]
    assert counted.tolist() == [7 + 6, 7 + 9]  # learning, then days 7 to 15 less 9, 14 and 15


def test_a_fall_that_lasts_is_one_page_and_does_not_become_normal() -> None:
    """Trap 12: nine days later the service recovers and falls again, and that is a page again."""
    one = service([60, 60])
    assert pages(one.run(24 * 8, [0.9, 0.9])) == []
    assert pages(one.run(24 * 9, [0.6, 0.6])) == [None]
    assert pages(one.run(24 * 3, [0.9, 0.9])) == []
    assert pages(one.run(24 * 2, [0.6, 0.6]))[:1] == [None]


def test_a_second_fall_on_the_same_day_is_a_page_when_the_first_was_over() -> None:
    """Eight bad hours, ten good ones, and bad ones again: verdicts said that it was over, so it is news."""
    one = service([60, 60])
    assert pages(one.run(24 * 8, [0.9, 0.9])) == []
    assert pages(one.run(8, [0.5, 0.5])) == [None]
    assert pages(one.run(10, [0.9, 0.9])) == []
    assert pages(one.run(6, [0.5, 0.5])) == [None]


def test_a_thin_segment_that_was_lucky_while_young_pages_nobody() -> None:
    """Trap 13: a verdict an hour, and a first week that was nine points too good."""
    one = service([80, 1])
    one.run(24 * 7, [0.85, 0.92])
    assert pages(one.run(24 * 14, [0.85, 0.83])) == []


def test_a_page_does_not_hide_a_second_segment() -> None:
    """Trap 16: muted is the stream that was paged, not the metric."""
    one = service([60, 60, 60, 60, 60])
    one.run(24 * 8, [0.9] * 5)
    assert pages(one.run(12, [0.9, 0.4, 0.9, 0.9, 0.9])) == [1]
    assert pages(one.run(12, [0.9, 0.4, 0.9, 0.4, 0.9])) == [3]


def test_an_outage_explains_the_fall_that_began_with_it_and_no_other() -> None:
    """Citations stay bad; what falls with them is theirs, also in the segments, and a segment a day later is not."""
    one, two = service([60, 60, 60, 20]), service([60, 60, 60, 20])
    for each in (one, two):
        assert pages(each.run(24 * 8, [0.9] * 4)) == []
        each.citations = 0.5
    together = one.run(48, [0.6] * 4)
    assert {page.metric for page in together if page.kind == "page"} == {"citation"}
    assert pages(two.run(23, [0.9] * 4)) == [None]
    later = two.run(24, [0.9, 0.9, 0.4, 0.9])
    assert [page.segment for page in later if page.metric == "faithfulness"] == [2]


def test_while_all_traffic_is_known_to_have_fallen_only_what_fell_further_is_paged() -> None:
    """One segment first, then everything: two pages, not one for each segment; then one segment by far the most."""
    one = service([60] * 6)
    one.run(24 * 8, [0.9] * 6)
    assert pages(one.run(12, [0.9, 0.6, 0.9, 0.9, 0.9, 0.9])) == [1]
    assert pages(one.run(36, [0.65] * 6)) == [None]
    assert pages(one.run(24, [0.65, 0.65, 0.65, 0.65, 0.2, 0.65]))[:1] == [4]


@pytest.mark.parametrize(("burn", "an_hour"), [(None, 100), (2.0, 100), (2.0, 2)])
def test_a_lasting_breach_is_one_page_and_the_next_one_is_another(burn: float | None, an_hour: int) -> None:
    """Six days under the floor were five pages; back for a week, and a second breach is news."""
    settings = MonitorSettings(segments=1, batch_seconds=HOUR, slo=0.95, burn=burn)
    one = Service(Monitor(settings, gold()), [an_hour])
    one.run(24 * 8, [0.99])

    def told(days: int, faithful: float) -> int:
        return sum("slo" in alert.evidence for alert in one.run(24 * days, [faithful]))

    assert told(6, 0.5) == 1
    assert told(8, 0.99) == 0
    assert told(6, 0.5) == 1


def test_a_segment_that_stays_ill_keeps_its_incident_when_all_traffic_has_healed() -> None:
    """Nothing of it is seen in every second hour: that is no sign of health, and it is not paged again."""
    sizes = [40, 40, 40, 40, 4, 40]
    one = service(sizes)
    one.run(24 * 9, [0.9] * 6)
    one.run(36, [0.65, 0.65, 0.65, 0.65, 0.1, 0.65])
    told: list[Alert] = []
    for hour in range(24 * 4):
        one.sizes = [40, 40, 40, 40, 8 * (hour % 2), 40]
        told += one.run(1, [0.9, 0.9, 0.9, 0.9, 0.3, 0.9])
    assert pages(told) in ([], [4])


def test_a_restored_monitor_goes_by_the_budget_of_its_settings() -> None:
    """What was saved under a larger budget is kept, as far as so much may be saved."""
    one = service([60])
    one.run(24, [0.9])
    state: Any = json.loads(json.dumps(one.monitor.state()))
    state["settings"]["budget"], state["settings"]["base_share"] = 0.02, 0.5
    restored: Any = Monitor.restore(state).state()
    budget = restored["memory"]["budget"]
    assert (budget["share"], budget["base_share"]) == (0.02, 0.5)


def test_a_debt_is_no_larger_than_what_may_be_saved() -> None:
    """Far more is judged than the budget allows: it is forgiven, and a service that grows has bursts again."""
    one = service([600])
    one.run(48, [0.9])
    state: Any = one.monitor.state()
    assert -3000.0 <= state["memory"]["budget"]["credit"] < 0.0


def test_errors_that_use_up_the_budget_page_those_who_asked_for_it() -> None:
    """Burn of an SLO of 95 %: at 50 % faithful ten times too fast; nobody else is paged by it."""
    burns: list[list[Alert]] = []
    for limit in (None, 2.0):
        settings = MonitorSettings(segments=1, batch_seconds=HOUR, slo=0.95, burn=limit)
        one = Service(Monitor(settings, gold()), [100])
        one.run(24 * 8, [0.9])
        burns.append([alert for alert in one.run(48, [0.5]) if "burn_6h" in alert.evidence])
    assert burns[0] == []
    assert float(burns[1][0].evidence["burn_6h"]) > 2.0


def test_the_daily_list_names_what_fell_and_nothing_before() -> None:
    """e-BH over the e-detectors; it pages nobody, so it may be earlier than the page."""
    one = service([60, 60, 60])
    one.run(24 * 8, [0.9, 0.9, 0.9])
    assert one.monitor.degraded() == []
    for _ in range(24):
        one.run(1, [0.9, 0.9, 0.55])
        if one.monitor.degraded():
            break
    assert one.monitor.degraded() == [2]


def test_e_bh_lists_falsely_at_most_what_it_says() -> None:
    """False discovery rate over dependent e-values whose mean is 1."""
    random = np.random.default_rng(3)
    shared = random.normal(size=(4000, 1))
    log_e = 2.0 * (0.6 * shared + 0.8 * random.normal(size=(4000, 20))) - 2.0
    log_e[:, :4] += 6.0
    listed = [degraded(row, 0.1) for row in log_e]
    wrong = [sum(stream >= 4 for stream in found) / max(1, len(found)) for found in listed]
    assert np.mean(wrong) <= 0.1
    assert np.mean([len(found) for found in listed]) > 1.0


def test_days_that_differ_are_told_from_days_that_are_sampled() -> None:
    """The spread of the quality itself, not that of four hundred answers."""
    instruments = learn_instruments(gold())
    random = np.random.default_rng(5)
    usual, noise, counts = np.array([0.05, 0.08, 0.04]), np.full(3, 0.02), np.array([9000.0, 4000.0, 400.0])
    for spread in (0.0, 0.08, 0.2):
        baseline = Baseline()
        for day in range(60):
            odds = usual / (1.0 - usual) * np.exp(spread * random.normal(size=3))
            mean = odds / (1.0 + odds) * instruments.separation + random.normal(size=3) * np.sqrt(
                noise / counts
            )
            sums = np.zeros((len(Sum), 3))
            sums[Sum.CHEAP_COUNT], sums[Sum.CHEAP] = counts, counts * mean
            baseline.add(day, sums, np.zeros((2, BINS)), np.zeros(3, np.bool_))
        assert abs(logit_spread(baseline.days, noise, usual, instruments) - spread) < 0.05


def test_a_cheap_score_that_moves_once_is_no_ticket_and_one_that_keeps_moving_is_one_a_week() -> None:
    """Three times in a few days; bursts weeks apart are chance."""
    seldom, often = Disagreement.fresh(2), Disagreement.fresh(2)
    assert not any(seldom.add(0, 0.01, week * 10 * DAY) for week in range(12))
    told = [often.add(0, 0.01, day * DAY) for day in range(12)]
    assert told.index(True) == 2
    assert sum(told) == 2


def test_bursts_that_came_to_nothing_raise_the_bar_of_the_next() -> None:
    """So that a cheap score which opens burst after burst does not page by their number; it fades in weeks."""
    seen = Disagreement.fresh(2)
    assert seen.bar(0.0).tolist() == [0.0, 0.0]
    for hour in range(20):
        seen.add(0, 0.01, hour * HOUR)
    allowed = [n**-2.0 for n in range(1, 1000)]
    assert sum(allowed) < 2.0
    assert seen.bar(20 * HOUR)[0] == pytest.approx(2.0 * np.log(21.0), abs=0.2)
    assert seen.bar(20 * HOUR)[1] == 0.0
    assert seen.bar(60 * DAY)[0] < 0.1


def test_a_cheap_score_that_was_told_to_have_moved_leaves_the_suspects_verdicts_in_doubt_for_four_weeks() -> (
    None
):
    """The usual errors weigh otherwise under it; two bursts for nothing are chance, and doubt nothing."""
    moving = Disagreement.fresh(2)
    assert [moving.drifted(day * DAY) for day in range(3) if not moving.add(0, 0.01, day * DAY)] == [0.0, 0.0]
    assert moving.drifted(2 * DAY) == moving.drifted(29 * DAY) == DRIFTED
    assert moving.drifted(31 * DAY) == 0.0


def test_doubt_about_the_suspects_verdicts_leaves_what_all_verdicts_say() -> None:
    """A fall that the judge sees everywhere is as plain as before."""
    one = service([60, 60])
    one.run(24 * 8, [0.9, 0.9])
    core = one.monitor._core  # pyright: ignore[reportPrivateUsage]
    sure = core.refer()
    core.memory.disagreement.told = core.memory.clock.now
    core.forget_reference()
    doubting = core.refer()
    assert sure is not None
    assert doubting is not None
    assert doubting.flags_error_overall > sure.flags_error_overall
    assert (doubting.flags_error > sure.flags_error).all()
    assert doubting.passed_error_overall == sure.passed_error_overall
    assert (doubting.passed_error == sure.passed_error).all()


def test_an_outage_is_one_page_and_over_when_it_is_over() -> None:
    """Twelve hours without a passage: nobody is paged again a day later, when it is long mended; none is learned."""
    shop = service([300, 12])
    assert shop.run(24 * 8, [0.85, 0.85]) == []
    shop.documents = 0
    first = shop.run(12, [0.85, 0.85])
    shop.documents = 5
    later = shop.run(72, [0.85, 0.85])
    assert [(page.metric, page.segment) for page in first + later if page.kind == "page"] == [
        ("retrieval", None)
    ]
    days = shop.monitor._core.memory.baseline.days  # pyright: ignore[reportPrivateUsage]
    assert [bool(day.frozen[0]) for day in days][-4:] == [True, False, False, False]

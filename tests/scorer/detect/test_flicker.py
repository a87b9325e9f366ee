"""Trap 15: a judge that is asked again flips a few verdicts, mostly passed ones; that is not the judge moving."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from ragvigil.scorer.detect import Monitor, MonitorSettings
from ragvigil.scorer.detect.sequential.baseline import BINS, Sum
from ragvigil.scorer.detect.sequential.canary import Canary
from ragvigil.scorer.detect.sequential.core import Core
from ragvigil.scorer.detect.sequential.memory import Memory
from ragvigil.scorer.detect.sequential.moves import Moves
from ragvigil.scorer.simulate import SCENARIOS, Traffic, World
from ragvigil.scorer.simulate.drive import Drive

DAY = 86400.0
WORLD = World(traces_per_day=6000.0, segments=4, smallest_share=0.1, largest_share=0.4, batch_seconds=3600.0)
FALL = 0.016
"""Of the pass rate: two points of the faithful share."""


def replies(passed_flip: int, failed_flip: int) -> Canary:
    """400 past answers, 340 of which had passed, judged again."""
    old = np.repeat([1, 0], [340, 60])
    new = old.copy()
    new[:passed_flip], new[340 : 340 + failed_flip] = 0, 1
    canary = Canary()
    assert canary.add(old, new, 0.0, 1.0) == 400
    return canary


def test_what_flips_on_quiet_days_is_not_held_against_the_judge() -> None:
    """Nine of 340 and one of 60: a judge that flips a fortieth of all, as it always has."""
    suspected = replies(9, 1)
    assert suspected.mean == -0.02
    assert suspected.explains(FALL) == "unsure"
    suspected.expect(replies(9, 1))
    assert suspected.mean == 0.0
    assert suspected.explains(FALL) == "answers"


def test_a_judge_that_moved_is_found_beyond_its_usual_flips() -> None:
    """The error of what is usual is part of the error."""
    suspected = replies(40, 1)
    before = suspected.error
    suspected.expect(replies(9, 1))
    assert suspected.mean == pytest.approx(-0.0775)
    assert suspected.explains(FALL) == "judge"
    assert suspected.moved
    assert suspected.error > before


def test_a_few_replies_and_a_judge_that_moved_while_learning_say_nothing_of_what_is_usual() -> None:
    """Else a real move would be taken off every later one."""
    suspected = replies(40, 1)
    suspected.expect(replies(200, 0))
    suspected.expect(Canary(99.0, -2.0, 2.0, 0.0))
    assert suspected.mean == -39 / 400


def test_more_flips_than_a_judge_has_by_itself_end_what_was_thought_usual() -> None:
    """Of 800 replies the first 400 showed three points less, all of them five."""
    suspected = replies(9, 1)
    suspected.expect(Canary(400.0, -11.0, 15.0, 340.0))
    assert suspected.mean == pytest.approx(-0.02 + 0.0275)
    suspected.expect(Canary(800.0, -40.0, 44.0, 680.0))
    assert suspected.mean == -0.02


def test_what_flips_one_way_only_is_a_judge_that_moved_and_nothing_usual() -> None:
    """A stricter judge gains nothing; a more lenient one is no flicker at all."""
    suspected = replies(9, 1)
    suspected.expect(Canary(800.0, -20.0, 20.0, 680.0))
    assert -0.035 / 3 < suspected.usual < 0.0
    suspected.expect(Canary(800.0, 20.0, 20.0, 680.0))
    assert suspected.usual == 0.0


@pytest.mark.parametrize("failed", [60, 120, 160])
@pytest.mark.parametrize("strict", [True, False])
def test_past_traces_that_bursts_chose_show_the_change_of_all_traffic(failed: int, *, strict: bool) -> None:
    """Traffic of which .85 passes, a judge that fails a tenth of that, or passes a tenth of the rest."""
    old = np.repeat([1, 0], [400 - failed, failed])
    new = old.copy()
    if strict:
        new[: (400 - failed) // 10] = 0
    else:
        new[400 - failed : 400 - failed + failed // 10] = 1
    canary = Canary()
    canary.add(old, new, 0.0, 1.0)
    canary.expect(Canary(), rate=0.85)
    assert canary.mean == pytest.approx(-0.085 if strict else 0.015)
    assert 0.0 < canary.error < 0.025
    canary.expect(Canary())
    assert canary.mean == pytest.approx(((new - old).sum()) / 400)


def test_a_judge_that_says_something_else_each_time_has_not_moved() -> None:
    """Forty lost and forty gained among many suspects: weighed apart, more would be lost than gained."""
    old = np.repeat([1, 0], [240, 160])
    new = old.copy()
    new[:40], new[240:280] = 0, 1
    canary = Canary()
    canary.add(old, new, 0.0, 1.0)
    canary.expect(Canary(), rate=0.85)
    assert canary.mean == 0.0


def test_few_of_one_kind_are_not_scaled_up_without_limit() -> None:
    """Ten of twenty that had passed are lost: that is no two fifths of all traffic."""
    canary = Canary()
    canary.add(np.repeat([1, 0], [20, 380]), np.repeat([0, 1, 0], [10, 10, 380]), 0.0, 1.0)
    canary.expect(Canary(), rate=0.8)
    assert canary.mean == -3 * 10 / 400


def test_a_change_that_was_told_is_not_told_again_while_old_verdicts_are_among_the_past_ones() -> None:
    """Whosever verdicts they are: all of the old judge, some, or none."""
    moves = Moves()
    moves.add(-0.07, 0.013, 0.0)
    for passed_flip in (0, 14, 28):
        canary = replies(passed_flip, 0)
        canary.expect(Canary(), moves.known(DAY))
        assert canary.mean == 0.0
        assert canary.explains(0.05) == "answers"
    canary = replies(56, 0)
    canary.expect(Canary(), moves.known(DAY))
    assert canary.mean == pytest.approx(-0.07)
    moves.add(0.1, 0.013, DAY)
    assert np.allclose(moves.known(2 * DAY), (0.0, 0.1))
    assert moves.error(2 * DAY) == pytest.approx(0.013 * 2**0.5)
    assert moves.known(30 * DAY) == (0.0, 0.0)
    assert moves.error(30 * DAY) == 0.0


def test_what_is_normal_on_a_day_is_the_same_after_a_restart() -> None:
    """Fourteen days after the judge was told to have moved, at noon, it is surer of it: from midnight on."""
    settings, gold = (
        MonitorSettings(segments=2),
        Traffic(WORLD, SCENARIOS["null30"], 5, days=1, change=DAY).gold(),
    )
    memory = Memory.fresh(settings)
    memory.clock.advance(0.0, 0.5 * DAY)
    memory.moves.add(-0.07, 0.02, memory.clock.now)
    sums = np.full((len(Sum), settings.slots), 500.0)
    memory.baseline.add(0, sums, np.zeros((2, BINS)), np.zeros(settings.slots, np.bool_))
    running = Core(settings, gold, memory)
    errors: list[float] = []
    for day in (14.2, 14.8, 15.2):
        memory.clock.advance((day - 0.1) * DAY, day * DAY)
        now, restored = running.refer(), Core(settings, gold, memory).refer()
        assert now is not None
        assert restored is not None
        assert now.passed_error_overall == restored.passed_error_overall
        errors.append(now.passed_error_overall)
    assert errors[0] == errors[1] > errors[2]


def test_past_traces_are_judged_again_in_the_second_half_of_learning_and_never_after() -> None:
    """From what is saved beyond 400 calls; what they said survives a restart."""
    drive = driven(WORLD, 3.4)
    before = drive.result()
    assert before.judged <= before.traces * 0.1
    monitor = drive.rule
    assert isinstance(monitor, Monitor)
    assert quiet(monitor)["count"] == 0
    drive.until(7.0 * DAY)
    learned = quiet(monitor)
    assert 100 <= learned["count"] <= 800
    assert abs(learned["difference"]) < 0.04 * learned["count"]
    drive.until(12.0 * DAY)
    assert quiet(Monitor.restore(json.loads(json.dumps(monitor.state())))) == learned
    assert drive.result().judged_share <= 0.1


def test_a_small_service_keeps_what_it_has_saved() -> None:
    """Thirty calls a day: a burst needs them more."""
    small = replace(WORLD, traces_per_day=2000.0)
    monitor = driven(small, 7.5).rule
    assert isinstance(monitor, Monitor)
    assert quiet(monitor)["count"] == 0


def driven(world: World, days: float) -> Drive:
    """A quiet service after so many days."""
    settings = MonitorSettings(segments=world.segments, batch_seconds=world.batch_seconds)
    drive = Drive(lambda _, gold: Monitor(settings, gold), SCENARIOS["null30"], 5, world=world, days=12)
    return drive.until(days * DAY)


def quiet(monitor: Monitor) -> dict[str, float]:
    """What the monitor's state says of the replies while learning."""
    state = json.loads(json.dumps(monitor.state()))
    found: dict[str, float] = state["memory"]["quiet"]
    return found

"""A limit holds in every minute and day, for all processes that share a file, whatever becomes of them."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import subprocess
import sys
import time
from bisect import bisect_left
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from tests.scorer.judge.test_memory import Clock, another_writing, hasty

from ragvigil.scorer.judge.memory import Memory
from ragvigil.scorer.judge.paid import Paid
from ragvigil.scorer.sample import Budget, Spent

__all__ = ["hasty"]

SIXTY = Budget(calls_per_minute=60.0)
ONE_CALL = Spent(calls=1.0)

DRAWING = """
import sys, time
from pathlib import Path
from ragvigil.scorer.judge.paid import Paid
from ragvigil.scorer.sample import Budget, Spent
paid = Paid(Path(sys.argv[1]), sys.argv[2], limits=Budget(calls_per_minute=1200.0).limits)
print("ready", flush=True)
while True:
    wait = paid.draw(Spent(calls=1.0))
    if wait > 0.0:
        time.sleep(min(wait, 0.05))
    else:
        print(time.time(), flush=True)
"""


def most_within(drawn: Sequence[tuple[float, float]], seconds: float) -> float:
    """The most that was drawn within any stretch of that length; moments and amounts, in order."""
    moments = [at for at, _ in drawn]
    return max(
        sum(amount for _, amount in drawn[first : bisect_left(moments, at + seconds)])
        for first, at in enumerate(moments)
    )


@pytest.mark.parametrize(
    ("budget", "seconds"),
    [
        (SIXTY, 60.0),
        (Budget(calls_per_minute=3.0), 60.0),
        (Budget(calls_per_minute=1.0), 60.0),
        (Budget(usd_per_day=10.0), 86_400.0),
    ],
)
def test_no_stretch_takes_more_than_its_limit_and_a_long_one_gets_its_share(
    tmp_path: Path, budget: Budget, seconds: float
) -> None:
    """Wherever it begins, with quiet times in between, for three processes that draw all they can."""
    clock, drawn, chance = Clock(), list[tuple[float, float]](), random.Random(7)
    (limit,) = budget.limits
    path = tmp_path / "judge.db"
    with ExitStack() as stack:
        doors = [
            stack.enter_context(closing(Paid(path, str(number), limits=budget.limits, now=clock)))
            for number in range(3)
        ]
        until = clock.now + 6 * seconds
        while clock.now < until:
            clock.now += seconds * (0.7 if chance.random() < 0.005 else 0.002)
            cost = ONE_CALL if limit.name.startswith("calls") else Spent(usd=chance.uniform(0.1, 1.5))
            while chance.choice(doors).draw(cost) == 0.0:
                drawn.append((clock.now, limit.of(cost)))
    assert most_within(drawn, seconds) <= limit.most + 1e-9
    assert sum(amount for _, amount in drawn) > 0.4 * 6 * limit.most


def test_what_was_reckoned_too_high_is_given_back_and_too_low_is_drawn(tmp_path: Path) -> None:
    """What a question costs is known when it is answered."""
    budget = Budget(tokens_per_minute=10_000.0)
    with closing(Paid(tmp_path / "judge.db", "one", limits=budget.limits, now=Clock())) as paid:
        held = [paid.common(0, 0).held]
        for reckoned, took in ((1_500.0, 500.0), (500.0, 1_700.0)):
            assert paid.draw(Spent(tokens=reckoned)) == 0.0
            paid.spend(calls=0, tokens=took, usd=0, drawn=Spent(tokens=reckoned))
            held.append(paid.common(0, 0).held)
        assert held == [{"tokens_per_minute": tokens} for tokens in (0.0, 500.0, 2_200.0)]
        assert paid.draw(Spent(tokens=1.0)) == pytest.approx(201 / 8_000 * 60)


def test_what_a_killed_process_drew_stays_drawn(tmp_path: Path) -> None:
    """It may have been asked and paid; also for itself after its restart, and for others with other limits."""
    clock, path = Clock(), tmp_path / "judge.db"
    with closing(Paid(path, "other", limits=Budget(calls_per_minute=30.0).limits, now=clock)) as other:
        killed = Paid(path, "one", limits=SIXTY.limits, now=clock)
        assert [killed.draw(ONE_CALL) for _ in range(12)] == [0.0] * 12
        killed.close()
        with closing(Paid(path, "one", limits=SIXTY.limits, now=clock)) as again:
            assert again.draw(ONE_CALL) == 1.25
        assert other.draw(ONE_CALL) == pytest.approx(17.5), "7 more than it allows, at 24 a minute"


@pytest.mark.parametrize("jump", [-3_600.0, -5.0, 86_400.0])
def test_a_clock_that_jumps_allows_no_more_than_is_allowed_at_once(tmp_path: Path, jump: float) -> None:
    """And holds nothing up for longer than half a minute."""
    clock = Clock()
    with closing(Paid(tmp_path / "judge.db", "one", limits=SIXTY.limits, now=clock)) as paid:
        assert [paid.draw(ONE_CALL) for _ in range(12)] == [0.0] * 12
        clock.now += jump
        drawn = 0
        for _ in range(60):
            while paid.draw(ONE_CALL) == 0.0:
                drawn += 1
            clock.now += 1.0
        assert 40 <= drawn <= 60


@pytest.mark.usefixtures("hasty")
def test_while_the_file_cannot_be_written_a_process_keeps_to_its_limits_by_itself(tmp_path: Path) -> None:
    """And what it drew meanwhile counts when it can."""
    clock, path = Clock(), tmp_path / "judge.db"
    with closing(Paid(path, "one", limits=SIXTY.limits, now=clock)) as paid:
        assert [paid.draw(ONE_CALL) for _ in range(5)] == [0.0] * 5
        with another_writing(path):
            assert [paid.draw(ONE_CALL) for _ in range(8)] == [0.0] * 7 + [1.25]
        assert paid.draw(ONE_CALL) == 1.25
        clock.now += 1.25
        assert paid.draw(ONE_CALL) == 0.0
        with closing(Paid(path, "two", limits=SIXTY.limits, now=clock)) as other:
            assert other.draw(ONE_CALL) == 1.25


def test_four_real_processes_share_one_limit_though_one_is_killed(tmp_path: Path) -> None:
    """Each draws all that it can for some seconds; 1,200 calls a minute are 240 at once and 16 a second."""
    path = tmp_path / "judge.db"
    running = [
        subprocess.Popen(
            [sys.executable, "-c", DRAWING, str(path), str(number)], stdout=subprocess.PIPE, text=True
        )
        for number in range(4)
    ]
    outputs = list[str]()
    try:
        for one in running:
            assert one.stdout is not None
            assert one.stdout.readline() == "ready\n"
        time.sleep(2.0)
        running[0].kill()
        time.sleep(2.0)
    finally:
        for one in running:
            one.kill()
            outputs.append(one.communicate()[0])
    found = sorted(float(line) for output in outputs for line in output.split())
    lasted = found[-1] - found[0]
    assert all(outputs[1:]), "the others go on"
    assert 240 + 10 * lasted <= len(found) <= 240 + 16 * lasted + 4, "4: drawn, and not yet said when"


async def test_the_scorer_waits_for_its_limit_and_a_command_does_not(tmp_path: Path) -> None:
    """What a command asks counts, and leaves less to the scorer."""
    path, clock = tmp_path / "judge.db", Clock()
    with closing(Paid(path, "scorer", limits=SIXTY.limits, now=clock)) as paid:
        command = Memory(Paid(path, "command", limits=SIXTY.limits, now=clock), alone=True)
        for _ in range(20):
            async with command.request():
                pass
            command.spend(calls=1, tokens=0, usd=0)
        asked = asyncio.create_task(Memory(paid).draw(ONE_CALL))
        await asyncio.sleep(0)
        assert paid.holding_back
        clock.now += 9 / 0.8 - 0.1
        await asyncio.sleep(1.1)
        assert not asked.done()
        clock.now += 0.2
        async with asyncio.timeout(20):
            await asked
        assert not paid.holding_back
        await command.close()


def test_a_file_of_an_earlier_version_gets_its_buckets(tmp_path: Path) -> None:
    """What was spent by then stays."""
    path = tmp_path / "judge.db"
    with closing(Paid(path, "one", now=Clock())) as paid:
        paid.spend(calls=1, tokens=10, usd=1)
    with closing(sqlite3.connect(path)) as file:
        file.executescript("DROP TABLE held; DROP TABLE queued")
    with closing(Paid(path, "one", limits=SIXTY.limits, now=Clock())) as paid:
        assert paid.draw(ONE_CALL) == 0.0
        assert paid.common(0, 0).day.usd == 1

"""kill -9 at random moments under load: nothing that was acknowledged is missing, and nothing is there twice.

Ten times here; `make soak` does it 200 times and for longer, by the same means.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.ports import free_port
from tests.soak.soak_kills import VICTIMS, Load, Scorer, kill_often, settle

KILLS = 10
SENDERS = 2


@pytest.fixture
def scorer(tmp_path: Path) -> Iterator[Scorer]:
    """Both processes as `ragvigil serve` starts them, on one port for all their lives."""
    made = Scorer(tmp_path, free_port())
    made.start()
    yield made
    made.stop()


def test_ten_kills_under_load_lose_nothing_and_double_nothing(scorer: Scorer) -> None:
    """Over HTTP and from a followed file; the moments and the victims are drawn, with a seed that is told."""
    seed = random.SystemRandom().randrange(10**6)
    load = Load(scorer.port, pause=0.1)
    senders = [threading.Thread(target=load.run, args=(number,), daemon=True) for number in range(SENDERS)]
    senders.append(threading.Thread(target=load.write, args=(scorer.followed,), daemon=True))
    for sender in senders:
        sender.start()
    killed = kill_often(scorer, KILLS, float("inf"), random.Random(seed), longest_pause=0.4)
    load.ended.set()
    for sender in senders:
        sender.join(60)
        assert not sender.is_alive()
    found = settle(scorer.store, load.acked, look_again=0.1)
    told = f"seed {seed}, {dict(killed)}\n{scorer.log()[-2_000:]}"
    assert sum(killed[victim] for victim in VICTIMS) == KILLS
    assert found is not None, told
    assert not load.acked - found.spans, told
    assert found.twice == 0, told
    assert found.copies == 0, told
    assert found.ledger.balanced, told
    assert not found.ledger.states.get("pending"), told
    assert found.records == len({trace for trace, _ in found.spans}), told

"""Citations and empty retrievals: who is paged, when, and how often."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ragvigil.scorer.detect import Monitor, MonitorSettings
from ragvigil.scorer.detect.sequential.check_cusum import CheckCusum
from ragvigil.scorer.simulate import SCENARIOS, World, drive

WORLD = World(
    traces_per_day=6000.0, segments=4, smallest_share=0.1, largest_share=0.4, batch_seconds=3600.0, turns=4.0
)
WHOLE = replace(WORLD, whole_conversations=1.0)


def paged(scenario: str, seed: int, world: World, *, days: int) -> list[tuple[float, str, int | None]]:
    """(hours after the change, metric, segment) of each page of a check."""
    run = drive(
        lambda world, gold: Monitor(
            MonitorSettings(segments=world.segments, batch_seconds=world.batch_seconds), gold
        ),
        SCENARIOS[scenario],
        seed,
        world=world,
        days=days,
    )
    return [
        ((page.time - run.change) / 3600.0, page.metric, page.segment)
        for page in run.pages()
        if page.metric in ("citation", "retrieval")
    ]


def test_what_holds_for_whole_conversations_pages_nobody() -> None:
    """Trap 11: one bad conversation of ten turns is not ten bad answers."""
    assert [paged("null30", seed, WHOLE, days=20) for seed in (1, 2)] == [[], []]


@pytest.mark.parametrize("scenario", ["outage", "cite_drift"])
def test_an_outage_of_whole_conversations_is_paged_within_two_batches(scenario: str) -> None:
    """Fewer bets are enough bets."""
    hours, _, segment = paged(scenario, 3, WHOLE, days=15)[0]
    assert 0.0 < hours <= 2.0
    assert segment is None


def test_a_conversation_is_one_bet_also_where_it_visits_several_segments() -> None:
    """All traffic gains from ten bad turns of one conversation far less than from ten conversations."""
    gained: list[float] = []
    for conversation in (np.zeros(10, np.int64), np.arange(10)):
        cusum = CheckCusum.fresh(2)
        cusum.update(np.ones(10), np.arange(10) % 2, conversation, np.array([0.01, 0.02]), 16.0, 0.02)
        gained.append(float(cusum.log[-1]))
    assert gained[0] < 5.0
    assert gained[1] > 15.0

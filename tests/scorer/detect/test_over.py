"""What is over pages nobody: what was seen while it lasted says nothing of now."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragvigil.scorer.detect import Monitor, MonitorSettings
from ragvigil.scorer.simulate import SCENARIOS, Scenario, World, drive

WORLD = World(
    traces_per_day=12_000.0, segments=4, smallest_share=0.1, largest_share=0.4, batch_seconds=3600.0
)


def pages(scenario: Scenario, seed: int) -> list[tuple[str, int | None]]:
    """Metric and segment of each, in three days after the change and what lasts."""
    run = drive(
        lambda world, gold: Monitor(MonitorSettings(segments=world.segments, batch_seconds=3600.0), gold),
        scenario,
        seed,
        world=WORLD,
        days=12,
        change_days=(8.5, 9.0),
    )
    return [(page.metric, page.segment) for page in run.pages()]


@pytest.mark.parametrize("seed", [1, 2])
def test_an_outage_that_is_over_does_not_page_for_the_answers_it_spoiled(seed: int) -> None:
    """It explained them until an hour after its end, when the stakes on their fall were at their highest."""
    outage = replace(SCENARIOS["outage"], empty_retrievals=0.9, faithful_drop=0.5, lasts_days=4 / 24)
    assert pages(outage, seed) == [("retrieval", None)]


@pytest.mark.parametrize("seed", [1, 2])
def test_a_fall_of_all_traffic_that_is_over_does_not_page_for_segments(seed: int) -> None:
    """Their bursts had staked on what all traffic fell by."""
    fall = replace(SCENARIOS["drop80"], lasts_days=1.2)
    assert pages(fall, seed) == [("faithfulness", None)]

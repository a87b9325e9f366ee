"""The simulated service is the one that its parameters describe."""

from __future__ import annotations

import numpy as np
import pytest

from ragvigil.scorer.simulate import SCENARIOS, Traffic, World
from ragvigil.scorer.simulate.scenario import DAY

WORLD = World(traces_per_day=40_000.0, batch_seconds=7200.0)


def days(scenario: str, seed: int, first: int, last: int) -> dict[str, float]:
    """Means over the traffic of some days, with the change at day 4."""
    traffic = Traffic(WORLD, SCENARIOS[scenario], seed, days=8, change=4.0 * DAY)
    rows: list[tuple[float, ...]] = []
    for start in np.arange(first * DAY, last * DAY, WORLD.batch_seconds):
        batch, hidden = traffic.batch(float(start), float(start) + WORLD.batch_seconds)
        passed = traffic.verdicts(hidden, float(start))
        cheap, documents = (np.asarray(c, dtype=np.float64) for c in (batch.cheap, batch.document_count))
        citations = np.asarray(batch.citation_ok, dtype=np.float64)
        inside = np.asarray(batch.segment) == traffic.fault_segment
        rows.append(
            (
                hidden.faithful.size, hidden.faithful.sum(), passed.sum(), cheap.sum(),
                citations.sum(), (documents > 0.0).sum(),
                inside.sum(), (hidden.faithful & inside).sum(),
            )
        )  # fmt: skip
    total = np.array(rows).sum(axis=0)
    names = ("faithful", "passed", "cheap", "citations", "retrieved", "share")
    found = dict(zip(names, (total[1:7] / total[0]).tolist(), strict=True))
    return {**found, "traces": float(total[0]), "segment": float(total[7] / total[6])}


def test_a_quiet_week_has_the_rates_of_the_world() -> None:
    """95 % faithful, s = .85 and t = .92, so .81 pass; the cheap score correlates as asked."""
    found = days("null30", 1, 0, 7)
    assert found["faithful"] == pytest.approx(0.95, abs=0.01)
    assert found["passed"] == pytest.approx(0.81, abs=0.025)
    assert found["traces"] == pytest.approx(280_000, rel=0.02)
    assert found["share"] == pytest.approx(0.05, abs=0.02)


@pytest.mark.parametrize(
    ("scenario", "rate", "fall"),
    [
        ("drop88", "faithful", 0.07), ("drop80", "faithful", 0.15), ("blind88", "faithful", 0.07),
        ("seg70", "segment", 0.25), ("judge_drift", "passed", 0.066), ("cheap_drift", "cheap", 0.046),
        ("cite_drift", "citations", 0.38), ("outage", "retrieved", 0.6),
    ],
)  # fmt: skip
def test_each_fault_moves_what_it_says(scenario: str, rate: str, fall: float) -> None:
    """Before the change and after it."""
    assert days(scenario, 2, 2, 4)[rate] - days(scenario, 2, 4, 6)[rate] == pytest.approx(fall, abs=0.02)


def test_blind_errors_leave_the_cheap_score_alone() -> None:
    """As fluent errors do."""
    assert days("blind88", 3, 2, 4)["cheap"] == pytest.approx(days("blind88", 3, 4, 6)["cheap"], abs=0.005)


def test_the_same_seed_gives_the_same_traffic() -> None:
    """To the bit, so that a benchmark can be repeated."""
    one, other = (Traffic(WORLD, SCENARIOS["drop88"], 5, days=2, change=DAY) for _ in range(2))
    first, second = one.batch(0.0, 7200.0)[0], other.batch(0.0, 7200.0)[0]
    assert np.array_equal(np.asarray(first.cheap), np.asarray(second.cheap))
    assert np.array_equal(np.asarray(one.gold().verdict), np.asarray(other.gold().verdict))


def test_what_holds_for_whole_conversations_is_as_frequent_and_all_or_nothing() -> None:
    """All turns of a conversation retrieve nothing, or none of them."""
    world = World(traces_per_day=40_000.0, whole_conversations=1.0, empty_retrievals=0.05)
    batch, _ = Traffic(world, SCENARIOS["null30"], 3, days=2, change=DAY).batch(0.0, DAY)
    empty = np.asarray(batch.document_count) == 0
    _, nth = np.unique(np.asarray(batch.conversation), return_inverse=True)
    bad, turns = np.bincount(nth, empty), np.bincount(nth)
    assert empty.mean() == pytest.approx(0.05, abs=0.01)
    assert set(np.flatnonzero(bad)) == set(np.flatnonzero(bad == turns))

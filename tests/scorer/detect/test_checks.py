"""Citations and empty retrievals: who is paged, when, and how often."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ragvigil.scorer.detect import Batch, GoldSet, Monitor, MonitorSettings
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
def test_an_outage_of_whole_conversations_is_paged_within_five_batches(scenario: str) -> None:
    """Fewer bets are enough bets."""
    hours, _, segment = paged(scenario, 3, WHOLE, days=15)[0]
    assert 0.0 < hours <= 2.5
    assert segment is None


def test_a_conversation_is_one_bet_also_where_it_visits_several_segments() -> None:
    """All traffic gains from ten bad turns of one conversation far less than from ten conversations."""
    gained: list[float] = []
    for conversation in (np.zeros(10, np.int64), np.arange(10)):
        cusum = CheckCusum.fresh(2)
        cusum.update(
            np.ones(10), np.arange(10) % 2, conversation, np.array([0.01, 0.02]), 16.0, days=0.02, now=0.0
        )
        gained.append(float(cusum.log[-1]))
    assert gained[0] < 5.0
    assert gained[1] > 15.0


SIZES = (200, 200, 100, 8)
HOUR = 3600.0


class Hours:
    """A service of four segments, hour by hour, of which nothing is judged and whose retrieval may be empty."""

    def __init__(self) -> None:
        truth = (np.arange(40) < 30).astype(np.float64)
        settings = MonitorSettings(segments=4, batch_seconds=HOUR, learning_days=1.0)
        self.monitor = Monitor(settings, GoldSet(truth, truth, 0.2 + 0.6 * truth))
        self.hour, self.random = 0, np.random.default_rng(5)
        self.run(25)

    def run(self, hours: int, *ill: int) -> list[tuple[int, int | None]]:
        """So many hours in which nine of ten of the segments `ill` are empty; (hour, segment) of each page."""
        pages: list[tuple[int, int | None]] = []
        for at in range(hours):
            segment = np.repeat(np.arange(4), SIZES)
            rate = np.where(np.isin(segment, ill), 0.9, 0.01)
            empty = self.random.random(segment.size) < rate
            start, ones = self.hour * HOUR, np.ones(segment.size)
            batch = Batch(
                start, start + HOUR, ones * start, segment, np.arange(segment.size), 0.7 * ones, ones,
                np.where(empty, 0.0, 5.0),
            )  # fmt: skip
            found = self.monitor.observe(batch)
            self.monitor = Monitor.restore(self.monitor.state())
            pages += [(at, page.segment) for page in found if page.metric == "retrieval"]
            self.hour += 1
        return pages


ALL = (0, 1, 2, 3)


def test_a_second_outage_of_the_same_day_is_a_second_page() -> None:
    """Trap 16: what was told an outage ago is no excuse, once everything had been well."""
    one = Hours()
    assert one.run(3, *ALL) == [(0, None)]
    assert one.run(5) == []
    assert one.run(8, *ALL) == [(0, None)]


def test_an_outage_of_all_traffic_does_not_hide_a_segments_own() -> None:
    """Neither hours later, nor where the segment is what is left of it."""
    one = Hours()
    assert one.run(3, *ALL) == [(0, None)]
    assert one.run(5) == []
    assert [segment for _, segment in one.run(8, 1)] == [1]
    two = Hours()
    assert two.run(3, *ALL) == [(0, None)]
    left = two.run(8, 1)
    assert [segment for _, segment in left] == [1]
    assert left[0][0] <= 3


def test_an_outage_that_lasts_is_one_page_and_one_reminder() -> None:
    """Not one a day; and nothing when it ends, although a thin segment needs hours to look well."""
    one = Hours()
    assert one.run(24 * 6, *ALL) == [(0, None), (24, None)]
    assert one.run(48) == []


@pytest.mark.parametrize("beat", [1, 2, 4])
def test_what_flaps_is_told_of_ever_more_rarely(beat: int) -> None:
    """Four days of going up and down: at most five pages on the first, then about one a day."""
    one = Hours()
    pages = [page for _ in range(96 // (2 * beat)) for page in one.run(beat, *ALL) + one.run(beat)]
    assert {segment for _, segment in pages} == {None}
    assert len(pages) <= 8


def test_a_state_from_before_outages_were_remembered_goes_on() -> None:
    """Without what is told and since when: the alarm is found again."""
    one = Hours()
    one.run(2, *ALL)
    state: Any = json.loads(json.dumps(one.monitor.state()))
    memory = state["memory"]
    del memory["citation_outages"], memory["retrieval_outages"]
    for part in ("citations", "retrievals"):
        del memory[part]["left"], memory[part]["began"]
    for part in ("plain", "suspect"):
        for name in ("run", "latest", "deep", "earliest"):
            del memory["faithfulness"][part][name]
    one.monitor = Monitor.restore(state)
    assert one.run(3, *ALL) == [(0, None)]

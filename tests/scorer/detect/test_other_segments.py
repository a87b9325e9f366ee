"""The place of a segment is another's now: nothing of the one before is held against it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from ragvigil.scorer.detect import Alert, Batch, Monitor, MonitorSettings
from ragvigil.scorer.detect.sequential.state import Json
from ragvigil.scorer.simulate import SCENARIOS, Traffic, World

HOUR, DAY = 3600.0, 86400.0
SMALL = World(traces_per_day=6000.0, segments=4, smallest_share=0.1, largest_share=0.4, batch_seconds=HOUR)
SETTINGS = MonitorSettings(segments=4, batch_seconds=HOUR)
CHANGED = 10


class Service:
    """Asked hour by hour; the segment at a place is worse from day CHANGED on, for it is another one."""

    def __init__(self, place: int, *, worse: str = "citation") -> None:
        self.worse = worse
        self.traffic = Traffic(SMALL, SCENARIOS["null30"], 3, days=26, change=99.0 * DAY)
        self.monitor, self.place, self.hour = Monitor(SETTINGS, self.traffic.gold()), place, 0
        self.random = np.random.default_rng(3)

    def live(self, days: int) -> list[Alert]:
        """So many days of it; the pages."""
        found: list[Alert] = []
        for _ in range(24 * days):
            batch, hidden = self.traffic.batch(self.hour * HOUR, (self.hour + 1) * HOUR)
            said = self.traffic.verdicts(hidden, 0.0)
            batch, said = self._worse(batch, said)
            chances = self.monitor.plan(batch)
            judged = self.random.random(chances.size) < chances
            said = np.where(judged, said, -1)
            whole = replace(batch, judged=judged, verdict=said, inclusion_probability=chances)
            found += self.monitor.observe(whole)
            if wanted := self.monitor.canary_wanted:
                found += self.monitor.canary(np.ones(wanted), np.ones(wanted))
            self.hour += 1
        return [alert for alert in found if alert.kind == "page"]

    def _worse(self, batch: Batch, said: npt.NDArray[np.int64]) -> tuple[Batch, npt.NDArray[np.int64]]:
        if self.hour < 24 * CHANGED:
            return batch, said
        ill = (np.asarray(batch.segment) == self.place) & (self.random.random(said.size) < 0.4)
        if self.worse == "citation":
            return replace(batch, citation_ok=np.where(ill, 0.0, batch.citation_ok)), said
        return replace(batch, cheap=np.where(ill, 0.45, batch.cheap)), np.where(ill, 0, said)


@pytest.mark.parametrize("worse", ["citation", "faithfulness"])
def test_a_segment_that_was_always_worse_is_no_fall_of_the_one_before(worse: str) -> None:
    """Told that it is another one, the monitor learns it first; not told, it pages."""
    untold, told = Service(1, worse=worse), Service(1, worse=worse)
    assert untold.live(CHANGED) == told.live(CHANGED) == []
    assert (worse, 1) in {(alert.metric, alert.segment) for alert in untold.live(3)}
    told.monitor.forget({1})
    assert told.live(14) == []
    assert told.monitor.degraded() == []


def test_what_is_forgotten_is_all_there_was_of_it_and_nothing_else() -> None:
    """Whatever the core remembers of a place, by state: a part that is added later is forgotten as well."""
    service = Service(1)
    service.live(CHANGED + 2)
    before = json.loads(json.dumps(service.monitor.state()))["memory"]
    service.monitor.forget({1})
    after = json.loads(json.dumps(service.monitor.state()))["memory"]
    fresh = json.loads(json.dumps(Monitor(SETTINGS, service.traffic.gold()).state()))["memory"]
    seen = 0
    for path, values in columns(after):
        (old,) = [one for name, one in columns(before) if name == path]
        others = [place for place in range(values.shape[-1]) if place != 1]
        assert np.array_equal(values[..., others], old[..., others], equal_nan=True), path
        empty = [one for name, one in columns(fresh) if name == path]
        wanted = empty[0][..., 1] if empty else 0.0
        if not path.endswith(
            ("latest", "earliest", "deep", "left")
        ):  # when evidence began, and there is none
            assert np.array_equal(values[..., 1], np.broadcast_to(wanted, values[..., 1].shape)), path
        seen += not np.array_equal(values, old, equal_nan=True)
    assert seen > 10


def columns(memory: Json, path: str = "") -> list[tuple[str, npt.NDArray[np.float64]]]:
    """Every array of a core's memory that has a column for each place, by where it is; those by row are turned."""
    if isinstance(memory, str) or not isinstance(memory, Mapping | Sequence):
        return []
    if isinstance(memory, Sequence):
        return [found for at, part in enumerate(memory) for found in columns(part, f"{path}/{at}")]
    if "values" not in memory:
        return [found for name, part in memory.items() for found in columns(part, f"{path}/{name}")]
    values = np.array(memory["values"], dtype=float)
    if values.ndim == 2 and values.shape[0] in (5, 6):
        values = values.T
    return [(path, values)] if values.shape[-1] in (5, 6) else []


def test_an_alarm_that_is_not_over_is_named() -> None:
    """What it belongs to keeps its place meanwhile."""
    service = Service(1)
    service.live(CHANGED)
    assert service.monitor.alarmed() == set()
    service.live(1)
    assert 1 in service.monitor.alarmed()


@pytest.mark.parametrize("restored", [False, True])
def test_where_all_are_others_all_traffic_is_learned_anew(restored: bool) -> None:
    """Another dimension: for a week nothing is known, and then again a fall is told."""
    service = Service(1)
    service.live(CHANGED)
    service.monitor.forget(set(range(5)))
    if restored:
        service.monitor = Monitor.restore(json.loads(json.dumps(service.monitor.state())))
    assert service.live(9) == []
    service.place = 2
    assert {alert.segment for alert in service.live(2)} >= {2}

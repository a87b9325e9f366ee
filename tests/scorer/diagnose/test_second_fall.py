"""A fall soon after another one is diagnosed by what it did itself: cause, onset, reach, traces and before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from ragvigil.exporters import Measurement
from ragvigil.scorer.changes import Change
from ragvigil.scorer.config import load
from ragvigil.scorer.diagnose.diagnoser import Diagnoser, worked_out
from ragvigil.scorer.diagnose.diagnosis import Diagnosis
from ragvigil.scorer.diagnose.words import more_lines, verdict
from ragvigil.scorer.incidents.life import incident_id, reopened
from ragvigil.scorer.monitoring import FLOOR, AnyName, Incident, SeriesKey
from ragvigil.scorer.store.port import LedgerEntry, RawTrace, ScoredRecord, ScoredTrace, Taken
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.trace import Document, RagTrace
from ragvigil.scorer.verdict import CheckResult

SECOND = 10**9
MINUTE = 60 * SECOND
START = 1_788_220_800 * SECOND
FIRST = (START + 90 * MINUTE, START + 105 * MINUTE)
"""From when until when the first fault was there."""
AGAIN = START + 125 * MINUTE
NOW = AGAIN + 8 * MINUTE
HIGH, LOW = Measurement(0.98, 0.97, 0.99, 900), Measurement(0.6, 0.5, 0.7, 90)

Faulty = Callable[[int, str], bool]
"""Whether answers at that moment to that tenant are of the fault."""


@dataclass(frozen=True, slots=True)
class World:
    """What befell a service."""

    faulty: Faulty
    seed: int = 5
    released: Callable[[int], str] = lambda at: "1.0"
    """service.version at a moment."""
    now: int = NOW


def rolled_back_and_out(at: int) -> str:
    """A version that came with the first fault, went, and came again with the second."""
    return "2.0" if FIRST[0] <= at < FIRST[1] or at >= AGAIN else "1.0"


def in_both(first: str, second: str) -> Faulty:
    """The first fault is one tenant's, the second one another's or the same one's."""
    return lambda at, tenant: (
        (tenant == first and FIRST[0] <= at < FIRST[1]) or (tenant == second and at >= AGAIN)
    )


def answered(world: World) -> list[ScoredTrace]:
    """An answer every three seconds, of which the faulty ones cite what they were not given."""
    random = np.random.default_rng(world.seed)
    return [_answer(world, random, at, n) for n, at in enumerate(range(START, world.now, 3 * SECOND))]


def _answer(world: World, random: np.random.Generator, at: int, number: int) -> ScoredTrace:
    tenant = ("acme", "bolt", "cole", "dune")[random.integers(4)]
    wrong = random.random() < (0.8 if world.faulty(at, tenant) else 0.02)
    record = RagTrace(
        f"{number:032x}",
        "1" * 16,
        "shop",
        at,
        query=f"What about {random.choice(['parts', 'prices', 'returns', 'colours'])} of model {number}?",
        answer="Five euros [p9]." if wrong else "Five euros [p1].",
        environment="production",
        service_version=world.released(at),
        documents=(Document("p1", "Parts cost 5 euros."),),
        conversation_id=f"c{number // 2}",
        segment={"tenant": tenant, "language": ("de", "en")[random.integers(2)]},
    )
    check = CheckResult("citation_correctness", "1", 0.0 if wrong else 1.0, "cites p9" if wrong else None)
    entry = LedgerEntry("checked_only", 0.1, "sampled_out")
    return ScoredTrace(record.trace_id, RawTrace(b"", b""), False, (ScoredRecord(record, (check,), entry),))


def fallen(since: int, well: int | None = None, series: AnyName = "citation") -> Incident:
    """An incident that began then, and was well from then on if ever; it resolved four minutes later."""
    name = f"{series}-{since}"
    key = SeriesKey(series, "shop", "production")
    one = Incident(incident_id(name), key, name, since + MINUTE, since, HIGH, LOW, LOW)
    return one if well is None else replace(one, recovering_since=well, resolved_at=well + 4 * MINUTE)


def diagnosed(
    folder: Path, world: World, earlier: list[Incident], incident: Incident, changes: tuple[Change, ...] = ()
) -> tuple[Diagnosis, set[int]]:
    """What is found of the incident by the world's end, and when the traces that show it began."""
    settings = load(overrides={"store": {"url": f"sqlite:///{folder / 'store.db'}"}})
    traces = answered(world)
    with SqliteStore(settings, durable=False) as store:
        for first in range(0, len(traces), 500):
            store.records.commit(traces[first : first + 500], None, world.now, Taken())
        store.records.commit([], None, world.now, Taken(changes=changes))
        for one in earlier:
            store.monitoring.save_incident(one, None, ())
            Diagnoser(store.diagnosing).tell(replace(one, recovering_since=None), one.since + 4 * MINUTE)
        found = worked_out(store.diagnosing, incident, world.now)
        shown = Diagnoser(store.diagnosing).examples(incident, found, ())
    began = {trace.trace_id: trace.records[0].record.started_at for trace in traces}
    return found, {began[one.trace_id] for one in shown}


def test_of_an_incident_that_opened_again_the_reach_is_that_of_the_latest_fall(tmp_path: Path) -> None:
    """All answers since the first fall were counted, also the good ones in between."""
    world = World(in_both("acme", "acme"))
    once = replace(fallen(FIRST[0]), id="inc-once", now=LOW)
    again = reopened(replace(once, resolved_at=FIRST[1] + 4 * MINUTE), fallen(AGAIN))
    assert again.again_since == AGAIN
    found, _ = diagnosed(tmp_path, world, [], again)
    assert found.reach is not None
    assert found.reach.answers == pytest.approx(8 * 20 / 4, rel=0.4)
    said = [line for line in more_lines(found) if line.startswith("Reach")]
    assert "since it fell again about " in said[0]


def test_a_fall_that_late_data_withdrew_and_show_again_is_counted_from_its_beginning() -> None:
    """It was there all the time."""
    shown = reopened(replace(fallen(*FIRST), withdrawn=True), fallen(FIRST[0]))
    assert shown.again_since is None


@pytest.mark.parametrize("second", ["acme", "bolt"])
def test_a_second_fall_is_told_with_its_own_onset_reach_share_and_traces(tmp_path: Path, second: str) -> None:
    """Its page told the onset, the reach and the traces of the fault that had been mended twenty minutes before."""
    found, shown = diagnosed(tmp_path, World(in_both("acme", second)), [fallen(*FIRST)], fallen(AGAIN))
    assert found.cause is not None
    assert found.cause.values == (("tenant", second),)
    assert found.onset.lower <= AGAIN / 1e9 <= found.onset.upper
    assert FIRST[1] / 1e9 < found.onset.lower
    assert len(shown) >= 3
    assert min(shown) >= AGAIN
    assert found.reach is not None
    assert found.reach.answers == pytest.approx(8 * 20 / 4, rel=0.4)
    assert found.cause.before is not None
    assert found.cause.before.value > 0.96, "what the first fall did is no before"
    assert found.cause.now is not None
    assert found.cause.now.value < 0.4


def test_a_change_before_the_last_recovery_is_no_candidate_and_what_is_left_out_of_before_is_said(
    tmp_path: Path,
) -> None:
    """The prompt of the first fault was offered for each fault of the hour after, mended as it was."""
    changes = tuple(
        Change(text, at, "prompt", text, "shop", "production")
        for text, at in (("v7", FIRST[1] - MINUTE), ("v8", FIRST[1] + MINUTE), ("v7 again", AGAIN + MINUTE))
    )
    world = World(in_both("acme", "bolt"))
    found, _ = diagnosed(tmp_path, world, [fallen(*FIRST)], fallen(AGAIN), changes)
    assert [one.text for one in found.changes] == ["v8"]
    assert found.notes == ("the answers of an earlier incident are left out of before.",)


@pytest.mark.parametrize("late", [0, 1])
def test_a_release_that_comes_again_is_named_and_called_seen_again(tmp_path: Path, late: int) -> None:
    """Out, back, out again: it was there before, and "first seen" would be false.

    A minute of the first fall among the answers of before made the release's wrong answers "other questions".
    """
    world = World(lambda at, _: rolled_back_and_out(at) == "2.0", released=rolled_back_and_out)
    first = fallen(FIRST[0] + late * MINUTE, FIRST[1])
    found, _ = diagnosed(tmp_path, world, [first], fallen(AGAIN))
    assert found.cause is not None
    assert found.cause.values == (("service_version", "2.0"),)
    assert found.onset.lower <= AGAIN / 1e9 <= found.onset.upper
    assert "; seen again from 2026-09-01 02:05 UTC on" in verdict(found)


@pytest.mark.parametrize("series", ["retrieval", "citation"])
def test_what_disturbs_a_series_is_left_out_of_its_before_too(tmp_path: Path, series: AnyName) -> None:
    """Nothing retrieved leaves nothing to cite: that fall was not the citations' own, and is none of theirs now."""
    found, _ = diagnosed(tmp_path, World(in_both("bolt", "bolt")), [fallen(*FIRST, series)], fallen(AGAIN))
    assert found.cause is not None
    assert found.cause.values == (("tenant", "bolt"),)
    assert found.onset.lower <= AGAIN / 1e9 <= found.onset.upper
    assert found.cause.before is not None
    assert found.cause.before.value > 0.96


@pytest.mark.parametrize(
    "other",
    [
        replace(fallen(*FIRST), withdrawn=True),
        replace(fallen(*FIRST), before=replace(HIGH, method=FLOOR)),
        replace(fallen(*FIRST), key=SeriesKey("citation", "bakery", "production")),
        fallen(*FIRST, "faithfulness"),
        fallen(AGAIN - MINUTE, NOW - 5 * MINUTE, "retrieval"),
        fallen(AGAIN - 100 * MINUTE, series="retrieval"),
    ],
    ids=["withdrawn", "a floor", "another service", "an effect", "the same fall elsewhere", "one that lasts"],
)
def test_what_was_no_earlier_fall_of_it_is_read(tmp_path: Path, other: Incident) -> None:
    """A single fall loses nothing of its records to incidents that did not disturb it, or that are the same one."""
    world = World(in_both("none", "bolt"))
    found, _ = diagnosed(tmp_path, world, [other], fallen(AGAIN))
    assert found.records == (NOW - START) // (3 * SECOND)
    assert found.cause is not None
    assert found.cause.values == (("tenant", "bolt"),)

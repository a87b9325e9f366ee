"""Answers on which judges do not agree go to people, and how far one judge agrees with itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.scorer.judge import test_rubric as cases
from tests.scorer.store.records import PASSED, PENDING, RECORD, scored

from ragvigil.scorer import config
from ragvigil.scorer.judge import build_judge, rubric_of
from ragvigil.scorer.labels.book import tasks_for
from ragvigil.scorer.labels.port import Given
from ragvigil.scorer.labels.steadiness import Steadiness, steadiness
from ragvigil.scorer.store.port import Judgement
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.testing import Script, ScriptedJudge, Shown


@pytest.fixture
def settings(tmp_path: Path) -> config.Settings:
    """Settings with a store of the test's own."""
    return config.load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'store.db'}"}})


@pytest.fixture
def store(settings: config.Settings) -> Iterator[SqliteStore]:
    """An empty store."""
    with SqliteStore(settings) as opened:
        yield opened


def test_people_read_what_judges_disagree_on_once_and_after_what_was_drawn(
    store: SqliteStore, settings: config.Settings
) -> None:
    """The reason is kept, the label is kept, and forgetting the trace forgets the wish."""
    names = [letter * 32 for letter in "abc"]
    jobs = store.records.commit(
        [scored(replace(RECORD, trace_id=name), ledger=PENDING) for name in names], None, 5
    )
    flags: tuple[list[str], ...] = (["panel_disagrees"], [], ["self_judging", "disagrees_with_checks"])
    store.records.record_judgements(
        [
            Judgement(job, replace(PASSED, details={"flags": told}))
            for job, told in zip(jobs, flags, strict=True)
        ],
        6,
    )

    def read() -> list[str]:
        with closing(open_for_reading(settings.store.path)) as connection:
            return [task.record.trace_id[0] for task in tasks_for(connection, "ana", [], wishes=True)]

    assert read() == ["c", "a"]
    given = Given(jobs[2].record_id, jobs[2].input_hash.hex(), "bob", "faithful")
    assert store.labels.keep_labels([given], 7) == 1
    assert read() == ["a"]
    store.erasures.erase(["a" * 32])
    assert read() == []


@dataclass(frozen=True, slots=True)
class Moody(Script):
    """Says what is true, but for every third request about what it can be of two minds about."""

    def said(self, shown: Shown, number: int, wanted: str = "rubric") -> str:
        """By the number of the request."""
        passes = number % 3 > 0 or "Dogs" in shown.answer
        return json.dumps(Script(sensitivity=float(passes), truth=lambda _: True).reply(shown))


async def test_how_steady_a_judge_is_comes_with_n_and_an_interval() -> None:
    """One that says the same has no variance; one in three of another mind is seen on every answer."""
    records = [cases.record(cases.FAITHFUL, number) for number in range(12)]
    found: list[Steadiness | None] = []
    for script in (Script(sensitivity=1.0, truth=lambda _: True), Moody()):
        with ScriptedJudge(script) as server:
            chosen = cases.settings(server)
            judge = build_judge(chosen)
            assert judge is not None
            try:
                found.append(await steadiness(records, judge, rubric_of(chosen), repeats=3, at_once=1))
            finally:
                await judge.close()
    steady, moody = found
    assert steady is not None
    assert moody is not None
    assert (steady.unsteady, steady.answers, steady.lost) == (0.0, 12, 0)
    assert steady.upper > 0.1  # twelve answers prove little
    assert all(one.variance == 0.0 for one in steady.spreads)
    assert moody.unsteady == 1.0
    groundedness = next(one for one in moody.spreads if one.name == "groundedness")
    assert groundedness.variance == pytest.approx(3.0)  # 5, 5, 2
    assert groundedness.lower <= 3.0 <= groundedness.upper

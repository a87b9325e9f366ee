"""What ``ragvigil status`` says of the limits, by the state that a scorer left in a real store."""

from __future__ import annotations

import json
import re
import time
from contextlib import closing
from pathlib import Path

import pytest
from tests.command_line import ragvigil

from ragvigil.scorer.config import Settings
from ragvigil.scorer.sample import Budget, Spent
from ragvigil.scorer.scoring.draws import SAMPLER, Draws, SamplePlan
from ragvigil.scorer.store.sqlite import SqliteStore


def left(folder: Path, budget: Budget, spent: Spent, *, seconds_ago: float) -> Path:
    """The store of a scorer that spent so much, and wrote its state so long ago."""
    at = time.time() - seconds_ago
    plan = SamplePlan(1.0, 100, budget, lambda: (spent, spent))
    path = folder / "store.db"
    with closing(SqliteStore(Settings.model_validate({"store": {"url": f"sqlite:///{path}"}}))) as store:
        store.records.remember(SAMPLER, Draws(None, plan, waiting=lambda: 0).text(at))
    return path


def status(path: Path, *options: str) -> str:
    """What an operator reads."""
    return ragvigil("status", "--store", f"sqlite:///{path}", *options).stdout


def test_a_limit_that_holds_sampling_down_is_told_with_its_age(tmp_path: Path) -> None:
    """Nobody can say whether it still does without knowing when that was."""
    path = left(tmp_path, Budget(usd_per_day=10.0), Spent(usd=9.0), seconds_ago=30.0)
    told = r"^sampling: HELD DOWN to 8\.\d% of what \[sample\] asks for otherwise \(last seen \d\d s ago\); rates"
    assert re.search(told, status(path), re.MULTILINE)
    assert 30 <= json.loads(status(path, "--json"))["sampling"]["seconds_ago"] < 90


@pytest.mark.parametrize(
    ("budget", "spent"),
    [
        (Budget(tokens_per_minute=1_000.0), Spent(tokens=20_000)),
        (Budget(calls_per_minute=10.0), Spent(calls=300)),
    ],
)
def test_what_a_scorer_that_stopped_had_spent_is_forgotten(
    tmp_path: Path, budget: Budget, spent: Spent
) -> None:
    """An hour after its last minute nothing is held down, whatever it wrote then."""
    path = left(tmp_path, budget, spent, seconds_ago=3_600.0)
    assert "sampling:" not in status(path)
    found = json.loads(status(path, "--json"))["sampling"]
    assert (found["factor"], found["limits"][0]["used"]) == (1.0, pytest.approx(0.0, abs=1e-9))


def test_a_limit_that_leaves_nearly_all_is_not_told(tmp_path: Path) -> None:
    """It said HELD DOWN to 100.0 %."""
    path = left(tmp_path, Budget(usd_per_day=10.0), Spent(usd=8.001), seconds_ago=0.0)
    assert 0.95 < json.loads(status(path, "--json"))["sampling"]["factor"] < 1.0
    assert "sampling:" not in status(path)

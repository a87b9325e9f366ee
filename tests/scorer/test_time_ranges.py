"""A stretch of time that holds none is an error that names the options, in every command that takes one."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import ragvigil

from ragvigil.scorer.commands._moments import open_stretch, stretch
from ragvigil.scorer.commands._silence import window
from ragvigil.scorer.config import load
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.store.sqlite import SqliteStore

BACKWARDS = (
    "ragvigil: --since, --until: run backwards: from 2026-03-02 00:00Z to 2026-03-01 00:00Z there is no time"
)


@pytest.mark.parametrize(
    "command",
    [
        ("report",),
        ("export", "--out", "-"),
        ("backtest", "--rule", "monitor.faithfulness.min_drop=0.1"),
        ("pull", "phoenix", "--url", "http://127.0.0.1:9", "--out", "-"),
    ],
)
def test_a_range_that_runs_backwards_names_both_options(command: tuple[str, ...], tmp_path: Path) -> None:
    """Some said that the history has nothing there, which sent people to look for what was lost."""
    with SqliteStore(load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'a.db'}"}})):
        pass
    store = () if command[0] == "pull" else ("--store", str(tmp_path / "a.db"))
    done = ragvigil(*command, *store, "--since", "2026-03-02", "--until", "2026-03-01")
    assert done.returncode == 2
    assert done.stderr.startswith(BACKWARDS)
    assert len(done.stderr.splitlines()) == 1


def test_a_beginning_that_is_still_to_come_is_named_alone() -> None:
    """Nobody said --until; a history of a backtest may end later than now."""
    with pytest.raises(ConfigError, match=r"^--since: 2999-01-01 00:00Z is still to come"):
        stretch("2999-01-01", None)
    assert open_stretch("1970-01-03", None, now=10**9) == (2 * 86_400 * 10**9, None)


def test_a_silence_that_runs_backwards_names_both_options() -> None:
    """One that is over says when it ended."""
    now = 1_772_334_000 * 10**9
    with pytest.raises(
        ConfigError, match=r"^--from, --until: run backwards: from 2026-03-05 00:00Z to 2026-03-04"
    ):
        window("2026-03-05", None, "2026-03-04", now)
    with pytest.raises(ConfigError, match=r"^--until: ends at 2026-02-01 00:00Z, which is over"):
        window(None, None, "2026-02-01", now)

"""A store that cannot be opened is named with the folder in which it was looked for: services start in another one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.command_line import ragvigil

from ragvigil.scorer.config import load
from ragvigil.scorer.store.sqlite import SqliteStore


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (
            ("status",),
            "no such store; name the one of your scorer with --config or --store, or start one with",
        ),
        (
            ("forget", "--user", "wanda"),
            "no such store; name the one of your scorer with --config or --store",
        ),
        (("export", "--out", "-"), "no such store"),
    ],
)
def test_a_relative_store_is_named_with_its_folder(
    command: tuple[str, ...], problem: str, tmp_path: Path
) -> None:
    """Also one that the settings name: their own folder is not meant."""
    (tmp_path / "c.toml").write_text('[store]\nurl = "sqlite:///week.db"\n')
    done = ragvigil(*command, "--config", "c.toml", folder=tmp_path)
    assert done.returncode == 3
    assert f"week.db (in {tmp_path}): {problem}" in done.stderr


def test_what_serve_cannot_open_is_named_with_its_folder(tmp_path: Path) -> None:
    """Before anything is bound."""
    (tmp_path / "week.db").write_text("no store")
    done = ragvigil("serve", "--store", "week.db", folder=tmp_path)
    assert done.returncode == 3
    assert f"week.db (in {tmp_path}) is not a database" in done.stderr


_NOBODY = 65534
"""A user who owns nothing."""


@pytest.mark.parametrize(
    "command",
    [
        ("status",),
        ("ledger", "--check"),
        ("incidents",),
        ("export", "--out", "-"),
        ("calibrate", "draw", "--out", "drawn.jsonl"),
    ],
    ids=" ".join,
)
def test_a_store_of_another_user_is_one_line_that_says_so(command: tuple[str, ...], tmp_path: Path) -> None:
    """A store is its scorer's alone: under a user that systemd made up, every other command was a traceback."""
    with SqliteStore(load(overrides={"store": {"url": f"sqlite:///{tmp_path}/own.db"}})):
        pass
    tmp_path.chmod(0o777)
    if os.getuid():
        (tmp_path / "own.db").chmod(0)
    done = ragvigil(*command, "--store", "own.db", folder=tmp_path, user=None if os.getuid() else _NOBODY)
    assert (done.returncode, "Traceback" in done.stderr) == (3, False), done.stderr
    assert f"own.db (in {tmp_path}): cannot be opened by this user; run this as the user" in done.stderr

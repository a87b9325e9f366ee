"""A store that cannot be opened is named with the folder in which it was looked for: services start in another one."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scorer.test_commands import ragvigil


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (("status",), "no such store; start one with"),
        (("forget", "--user", "wanda"), "no such store; name it with --store"),
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

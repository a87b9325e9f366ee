"""Every code block of the README runs: Python and console against a real scorer, TOML through check-config."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import ragvigil
from tests.conftest import Scorer, Serve, eventually

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
ELSEWHERE = ("git clone", "make ", "cd ", "pip install", "ragvigil serve", "python examples/")
"""Commands that `.ci/run`, the `serve` fixture or a test of their own runs."""


def blocks(language: str) -> list[str]:
    """The README's blocks of one language."""
    return [text for name, text in BLOCKS if name == language]


def environment_of(scorer: Scorer) -> dict[str, str]:
    """What a user's shell has who started the scorer on other ports."""
    return {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://{scorer.http}",
        "RAGVIGIL_RECEIVE__HTTP": scorer.http,
        "RAGVIGIL_STORE__URL": f"sqlite:///{scorer.store}",
    }


def test_every_block_has_a_language_that_is_tested() -> None:
    """A block that nothing runs goes stale."""
    assert {name for name, _ in BLOCKS} <= {"python", "console", "toml", "text"}


def test_the_python_and_console_blocks_run_in_order(serve: Serve, tmp_path: Path) -> None:
    """The five-line example is traced, stored and shown by the commands after it."""
    scorer = serve(environment={"RAGVIGIL_SAMPLE__RATE": "1"})
    environment = environment_of(scorer)
    for language, text in BLOCKS:
        if language == "python":
            subprocess.run(
                [sys.executable, "-c", text], env=environment, cwd=tmp_path, check=True, timeout=60
            )
            eventually(lambda: scorer.ledger().states.get("judged"))
        if language == "console":
            run_commands(text, environment, scorer.store.parent)


def run_commands(block: str, environment: dict[str, str], folder: Path) -> None:
    """Run each command of a block and hold what it prints against what the README shows of it."""
    for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
        if command.startswith(ELSEWHERE):
            continue
        finished = subprocess.run(
            ["bash", "-c", command], env=environment, cwd=folder, capture_output=True, text=True, timeout=60
        )
        assert finished.returncode == 0, (command, finished.stderr)
        for line in filter(None, map(str.strip, shown.splitlines())):
            assert line in finished.stdout, (command, line, finished.stdout)


@pytest.mark.parametrize("text", blocks("toml"))
def test_the_configuration_blocks_are_valid(text: str, tmp_path: Path) -> None:
    """A copied configuration works."""
    path = tmp_path / "ragvigil.toml"
    path.write_text(text)
    assert ragvigil("check-config", str(path)).returncode == 0


def test_every_command_is_in_the_readme() -> None:
    """Whoever reads only the README knows what there is."""
    listed = ragvigil("--help")
    commands = re.findall(r"^  ([a-z-]+)  +[A-Z]", listed.stdout.partition("Commands:")[2], re.MULTILINE)
    assert len(commands) >= 7
    assert [name for name in commands if f"ragvigil {name}" not in README] == []

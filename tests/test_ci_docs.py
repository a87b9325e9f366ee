"""docs/ci.md: its scripts and commands run as they stand there, and the job has the same steps."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.gate.load import load_gate

PAGE = (Path(__file__).parent.parent / "docs" / "ci.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def blocks(language: str) -> list[str]:
    """Those of one language."""
    return [text for name, text in BLOCKS if name == language]


def commands() -> list[tuple[str, str]]:
    """Each command with what the page shows of it."""
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", "".join(blocks("console")), re.MULTILINE)


def test_the_gate_does_what_the_page_shows(tmp_path: Path) -> None:
    """A good commit passes, a broken one fails with the answers that are wrong."""
    for text in (*blocks("python"), *blocks("toml")[:2]):
        (tmp_path / text.split()[1].rstrip(":")).write_text(text, encoding="utf-8")
    tools = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    ran = 0
    for command, shown in commands():
        if command.startswith("pip install"):
            continue
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, env=tools, capture_output=True, text=True, timeout=120
        )
        assert (done.returncode, done.stdout, done.stderr) == (
            0,
            shown.rstrip("\n") + "\n" if shown else "",
            "",
        )
        ran += 1
    assert ran == 4
    (suite,) = ET.parse(tmp_path / "gate.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("4", "0")
    assert (tmp_path / "gate.md").read_text().startswith("### ragvigil: the gate holds")


def test_the_job_runs_the_same_commands() -> None:
    """In the order in which the page tries them."""
    (job,) = blocks("yaml")
    assert re.findall(r"- run: (.*)", job)[:3] == [command for command, _ in commands()][:3]


def test_the_larger_gate_file_can_be_used(tmp_path: Path) -> None:
    """Each key of it is one that there is; its labels are the reader's own."""
    gate = tmp_path / "gate.toml"
    gate.write_text(blocks("toml")[2], encoding="utf-8")
    with pytest.raises(ConfigError, match=r"^limits.faithfulness.gold: .*gold.jsonl cannot be read"):
        load_gate(gate)
    items = ['{"truth": 1, "verdict": 1, "cheap": 0.9}', '{"truth": 0, "verdict": 0, "cheap": 0.1}'] * 10
    (tmp_path / "gold.jsonl").write_text("\n".join(items), encoding="utf-8")
    assert list(load_gate(gate).gold) == ["limits.faithfulness"]


def test_a_row_that_cannot_be_read_is_one_line_and_no_traceback(tmp_path: Path) -> None:
    """Whoever tries the page first gets a row wrong."""
    (tmp_path / "gate.toml").write_text(blocks("toml")[0], encoding="utf-8")
    (tmp_path / "a.jsonl").write_text('{"id": "a", "query": "When?", "anwser": "At nine."}')
    done = subprocess.run(
        [sys.executable, "-m", "ragvigil.scorer", "gate", "gate.toml", "--answers", "a.jsonl"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        "ragvigil: a.jsonl, line 1, anwser: is not read; did you mean answer?\n",
    )

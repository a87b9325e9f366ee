"""docs/ci.md: its scripts and commands run as they stand there, and the job has the same steps."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

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
    for text in blocks("python"):
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
    assert ran == 5
    assert len((tmp_path / "scores.jsonl").read_text().splitlines()) == 30


def test_the_job_runs_the_same_commands() -> None:
    """In the order in which the page tries them."""
    (job,) = blocks("yaml")
    assert re.findall(r"- run: (.*)", job) == [command for command, _ in commands()][:4]


def test_too_few_answers_are_no_pass(tmp_path: Path) -> None:
    """Nothing measured is no pass."""
    gate = tmp_path / "gate.py"
    gate.write_text(blocks("python")[1], encoding="utf-8")
    (tmp_path / "a.jsonl").write_text(
        '{"query": "When?", "evidence": [{"id": "a", "text": "At nine."}], "answer": "At nine [a]."}'
    )
    done = subprocess.run(
        [sys.executable, gate, tmp_path / "a.jsonl"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 1
    assert "FAIL faithfulness: not enough data" in done.stdout

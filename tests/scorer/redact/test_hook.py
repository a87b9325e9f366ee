"""A redactor of the operator's own: used when it works, and nothing leaks when it does not."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ragvigil.scorer.redact.hook import Hook

MODULE = """
import time

def loud(text):
    print("noise on standard output")
    return text.upper()

def failing(text):
    raise ValueError(text)

def hanging(text):
    time.sleep(60)

def wrong(text):
    return 7
"""


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that the hook's process can import."""
    (tmp_path / "my_rules.py").write_text(MODULE)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


def hook(name: str, seconds: float = 20.0) -> Iterator[Hook]:
    """The hook, closed after the test."""
    with closing(Hook(f"my_rules:{name}", seconds=seconds)) as made:
        yield made


def test_a_hook_that_works_has_the_last_word() -> None:
    """Long texts, other letters, and what it prints besides."""
    for made in hook("loud"):
        assert made("ação\n" * 50_000) == "AÇÃO\n" * 50_000
        assert made("b") == "B"


@pytest.mark.parametrize("name", ["failing", "wrong", "missing"])
def test_a_hook_that_fails_gives_no_text(name: str, caplog: pytest.LogCaptureFixture) -> None:
    """And the log does not quote it."""
    for made in hook(name):
        assert made("private words") is None
        assert made.withheld == 1
    assert "private words" not in caplog.text
    assert "withheld" in caplog.text


def test_a_hook_that_hangs_is_ended_and_then_left_alone() -> None:
    """It costs its time limit three times, not for every text."""
    for made in hook("hanging", seconds=0.2):
        started = time.monotonic()
        assert [made("text") for _ in range(50)] == [None] * 50
        assert made.withheld == 50
        assert time.monotonic() - started < 50

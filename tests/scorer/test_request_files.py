"""Requests between two processes, each of which may act at any moment."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from ragvigil.scorer.request_files import RequestFiles


def requests_in(folder: Path) -> RequestFiles[str, str]:
    """Of texts."""
    return RequestFiles(folder, TypeAdapter(str), TypeAdapter(str))


def test_requests_are_answered_once_and_go(tmp_path: Path) -> None:
    """With the first answer that is read."""
    requests = requests_in(tmp_path)
    name = requests.ask("why?")
    assert requests.next() == (name, "why?")
    requests.answer(name, "so")
    assert (requests.next(), requests.answered(name), requests.answered(name)) == (None, "so", None)
    assert list(tmp_path.iterdir()) == []


def test_a_request_that_is_withdrawn_at_this_moment_keeps_no_other_waiting(tmp_path: Path) -> None:
    """It is in the folder's list and there no more, as a link to nothing is."""
    requests = requests_in(tmp_path)
    for name in ("0", "zz"):
        (tmp_path / f"{name}.request").symlink_to(tmp_path / "gone")
    name = requests.ask("why?")
    assert requests.next() == (name, "why?")
    requests.withdraw(name)
    assert requests.next() is None


def test_a_request_that_may_not_be_read_keeps_no_other_waiting(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It is told once, and stays."""
    requests = requests_in(tmp_path)
    for name in ("0", "zz"):
        (tmp_path / f"{name}.request").mkdir()
        os.utime(tmp_path / f"{name}.request", (1, 1))
    name = requests.ask("why?")
    assert (requests.next(), requests.next()) == ((name, "why?"), (name, "why?"))
    requests.answer(name, "so")
    assert requests.next() is None
    assert sorted(path.name for path in tmp_path.glob("*.request")) == ["0.request", "zz.request"]
    assert len(caplog.records) == 2


def test_no_answer_stays_of_a_request_that_is_withdrawn_while_it_is_answered(tmp_path: Path) -> None:
    """Before the answer stands there, or after."""
    requests = requests_in(tmp_path)
    before, after = requests.ask("why?"), requests.ask("how?")
    requests.withdraw(before)
    requests.answer(before, "so")
    requests.answer(after, "thus")
    requests.withdraw(after)
    assert list(tmp_path.iterdir()) == []

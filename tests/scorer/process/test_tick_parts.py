"""What is said of a part of a tick that fails."""

from __future__ import annotations

import logging

import pytest

from ragvigil.scorer.process.tick_parts import Attempts


def test_a_part_that_fails_with_every_tick_is_told_once_for_each_cause_and_when_it_works_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A full disk would be filled further: two tracebacks for each of ten parts, with every tick."""
    problems = ["disk is full", "disk is full", "no such table", None, None, "no such table"]

    def part() -> None:
        if problem := problems.pop(0):
            raise OSError(problem)

    attempts = Attempts()
    with caplog.at_level(logging.WARNING):
        assert [attempts.succeeds("coverage", part) for _ in range(6)] == [
            False,
            False,
            False,
            True,
            True,
            False,
        ]
    told = [(record.levelname, record.exc_text is not None, record.getMessage()) for record in caplog.records]
    failed, works = ("ERROR", True, "coverage failed; the next ticks try again"), "coverage works again"
    assert told == [failed, failed, ("WARNING", False, works), failed]
    assert caplog.text.count("disk is full") == 1

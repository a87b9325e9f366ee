"""Judges: the port, and one file for each implementation."""

from __future__ import annotations

from ragvigil.scorer.judge.build import (
    JUDGES,
    asker_at_a_terminal,
    build_asker,
    build_judge,
    build_measuring,
    criterion_at_a_terminal,
    judge_at_a_terminal,
    measures_of,
    model_at_a_terminal,
    paid_of,
    panel_of,
    rubric_of,
)
from ragvigil.scorer.judge.builtin import Builtin
from ragvigil.scorer.judge.port import Judge

__all__ = [
    "JUDGES",
    "Builtin",
    "Judge",
    "asker_at_a_terminal",
    "build_asker",
    "build_judge",
    "build_measuring",
    "criterion_at_a_terminal",
    "judge_at_a_terminal",
    "measures_of",
    "model_at_a_terminal",
    "paid_of",
    "panel_of",
    "rubric_of",
]

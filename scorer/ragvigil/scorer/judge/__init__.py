"""Judges: the port, and one file for each implementation."""

from __future__ import annotations

from ragvigil.scorer.judge.build import JUDGES, build_judge, rubric_of
from ragvigil.scorer.judge.builtin import Builtin
from ragvigil.scorer.judge.port import Judge

__all__ = ["JUDGES", "Builtin", "Judge", "build_judge", "rubric_of"]

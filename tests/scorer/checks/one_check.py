"""One check on one record."""

from __future__ import annotations

from collections.abc import Callable

from ragvigil.scorer.checks import run_checks
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import CheckResult

MakeRecord = Callable[..., RagTrace]
OVEN = ("oven", "The oven reaches 250 degrees. Preheat it before you bake bread.")


def result(record: RagTrace, check: str) -> CheckResult:
    """What one check says."""
    return {one.check: one for one in run_checks(record)}[check]

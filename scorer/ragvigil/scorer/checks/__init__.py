"""Deterministic checks: one file each, run on every record."""

from __future__ import annotations

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.run import CHECKS, run_checks

__all__ = ["CHECKS", "Check", "Finding", "Prepared", "run_checks"]

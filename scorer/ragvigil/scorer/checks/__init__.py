"""Deterministic checks: one file each, run on every record."""

from __future__ import annotations

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.run import CHECKS, Asked, check_all, run_checks

__all__ = ["CHECKS", "Asked", "Check", "Finding", "Prepared", "check_all", "run_checks"]

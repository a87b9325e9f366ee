"""Probes of a judge: items of which it is known what a good judge does, and whether this one does it."""

from __future__ import annotations

from ragvigil.scorer.probes.judged import Judged
from ragvigil.scorer.probes.probe import PROBES, Probe, Result, run

__all__ = ["PROBES", "Judged", "Probe", "Result", "run"]

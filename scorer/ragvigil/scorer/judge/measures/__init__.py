"""What the judge measures beside faithfulness: one file a measure, and the criteria of the team's own."""

from __future__ import annotations

from ragvigil.scorer.judge.measures.measure import Finding, Measure
from ragvigil.scorer.judge.measures.measuring import Measuring

__all__ = ["Finding", "Measure", "Measuring"]

"""Rates with intervals, from the sufficient statistics that rollups hold."""

from ragvigil.scorer.estimate.hajek import FEWEST, Estimate, rate
from ragvigil.scorer.estimate.newcombe import Difference, difference
from ragvigil.scorer.estimate.wilson import wilson

__all__ = ["FEWEST", "Difference", "Estimate", "difference", "rate", "wilson"]

"""Who is judged, and with which inclusion probability."""

from ragvigil.scorer.sample.allocate import allocate
from ragvigil.scorer.sample.budget import Budget, Pressure, Spent, factor_of
from ragvigil.scorer.sample.draw import Decision, decide, fraction
from ragvigil.scorer.sample.sampler import Sampler, SamplerState
from ragvigil.scorer.sample.signals import informative, stratum_of

__all__ = [
    "Budget",
    "Decision",
    "Pressure",
    "Sampler",
    "SamplerState",
    "Spent",
    "allocate",
    "decide",
    "factor_of",
    "fraction",
    "informative",
    "stratum_of",
]

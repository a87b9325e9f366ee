"""Who is judged, and with which inclusion probability."""

from ragvigil.scorer.sample.allocate import allocate
from ragvigil.scorer.sample.budget import Budget, Pressure, budget_of, factor_of
from ragvigil.scorer.sample.draw import Decision, decide, fraction
from ragvigil.scorer.sample.limits import Limit, Spent
from ragvigil.scorer.sample.sampler import Common, Sampler, SamplerState
from ragvigil.scorer.sample.signals import informative, stratum_of

__all__ = [
    "Budget",
    "Common",
    "Decision",
    "Limit",
    "Pressure",
    "Sampler",
    "SamplerState",
    "Spent",
    "allocate",
    "budget_of",
    "decide",
    "factor_of",
    "fraction",
    "informative",
    "stratum_of",
]

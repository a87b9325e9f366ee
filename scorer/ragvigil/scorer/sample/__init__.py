"""Who is judged, and with which inclusion probability."""

from ragvigil.scorer.sample.allocate import allocate
from ragvigil.scorer.sample.draw import Decision, decide, fraction
from ragvigil.scorer.sample.sampler import Budget, Sampler, SamplerState, Spent
from ragvigil.scorer.sample.signals import informative, stratum_of

__all__ = [
    "Budget",
    "Decision",
    "Sampler",
    "SamplerState",
    "Spent",
    "allocate",
    "decide",
    "fraction",
    "informative",
    "stratum_of",
]

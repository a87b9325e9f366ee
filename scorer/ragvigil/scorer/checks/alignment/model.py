"""The fitted models: which figures of an alignment weigh how much, and what an answer's claims add up to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from math import exp, log, log1p

from ragvigil.scorer.checks.alignment.align import FEATURES, Weights
from ragvigil.scorer.errors import ConfigError

MODELS = ("lexical-1",)
"""Fitted coefficients that ship, each a JSON file of that name."""
ANSWER_FEATURES = ("worst", "second_worst", "mean", "expected_unsupported")
"""What is taken of the claims' log-odds, in the order of the fitted coefficients."""
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Logistic:
    """A linear model of log-odds."""

    intercept: float
    weights: tuple[float, ...]

    def log_odds(self, figures: Sequence[float]) -> float:
        """The log-odds of `figures`, summed in order so that every machine agrees.

        >>> Logistic(1.0, (2.0, 3.0)).log_odds((0.5, 1.0))
        5.0
        """
        total = self.intercept
        for weight, figure in zip(self.weights, figures, strict=True):
            total += weight * figure
        return total


@dataclass(frozen=True, slots=True)
class Model:
    """Everything fitted: how telling a stem is, the claim model, the answer model, the verdict's bounds."""

    name: str
    weights: Weights
    claim: Logistic
    """Log-odds that a claim is supported, from FEATURES."""
    answer: Logistic
    """Log-odds that an answer has no unsupported claim, from ANSWER_FEATURES of its claims."""
    supported_at: float
    """Probability from which a claim counts as supported."""
    partial_at: float
    """Probability from which a claim counts as partly supported."""
    contradicted_at_most: float
    """Ceiling of the probability of a claim that a nearly identical sentence contradicts."""
    unfounded_number_at_most: float
    """Ceiling of the probability of a claim with a number that is found nowhere; below `supported_at`."""

    def faithfulness(self, probabilities: Sequence[float]) -> float:
        """Probability that none of the claims is unsupported, in [0, 1]; `probabilities` must not be empty.

        All of them hold at most as probably as the worst one does: P(A and B) <= min(P(A), P(B)).
        """
        return min(probability(self.answer.log_odds(answer_figures(probabilities))), *probabilities)


def probability(log_odds: float) -> float:
    """Log-odds as a probability, rounded so that the last bit of `exp` cannot show.

    >>> probability(0.0), probability(-800.0), probability(3.0)
    (0.5, 0.0, 0.952574)
    """
    odds = exp(-min(700.0, abs(log_odds)))
    return round(1 / (1 + odds) if log_odds >= 0 else odds / (1 + odds), _DIGITS)


def answer_figures(probabilities: Sequence[float]) -> tuple[float, float, float, float]:
    """ANSWER_FEATURES of the claims' probabilities of support; larger means better supported.

    The last one is minus the logarithm of the expected number of unsupported claims under independence,
    with each claim's share -log(p).

    >>> [round(figure, 3) for figure in answer_figures([0.9, 0.5])]
    [0.0, 2.197, 1.099, 0.225]
    """
    bounded = sorted(min(1 - 1e-4, max(1e-4, one)) for one in probabilities)
    odds = [log(one) - log1p(-one) for one in bounded]
    expected = -sum(log(one) for one in bounded)
    return odds[0], odds[min(1, len(odds) - 1)], sum(odds) / len(odds), -log(expected)


@lru_cache(maxsize=len(MODELS))
def load(name: str) -> Model:
    """The model of that name; ConfigError names those that ship when there is none such."""
    if name not in MODELS:
        raise ConfigError("judge.model", f"unknown model {name!r}", "known: " + ", ".join(MODELS))
    data = json.loads(files("ragvigil.scorer.data").joinpath(f"{name}.json").read_text("utf-8"))
    return Model(
        name=name,
        weights=Weights(data["stems"]["weights"], data["stems"]["unknown"]),
        claim=_logistic(data["claim"], FEATURES),
        answer=_logistic(data["answer"], ANSWER_FEATURES),
        supported_at=data["verdicts"]["supported_at"],
        partial_at=data["verdicts"]["partial_at"],
        contradicted_at_most=data["verdicts"]["contradicted_at_most"],
        unfounded_number_at_most=data["verdicts"]["unfounded_number_at_most"],
    )


def _logistic(fitted: Mapping[str, float], names: Sequence[str]) -> Logistic:
    return Logistic(fitted["intercept"], tuple(fitted[name] for name in names))

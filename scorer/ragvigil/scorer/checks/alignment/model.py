"""The fitted models: which figures of an alignment weigh how much, and what an answer's claims add up to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, islice
from math import exp, log, log1p
from operator import add

import numpy as np
from numpy.typing import NDArray

from ragvigil.scorer.checks.alignment.align import FIGURES, Alignment
from ragvigil.scorer.checks.alignment.overlap import Weights
from ragvigil.scorer.checks.alignment.tokens import MARKS, SUMMARY, TOKEN_FEATURES, Token, summary
from ragvigil.scorer.checks.alignment.trees import Rows, Tree, Trees, in_order
from ragvigil.scorer.data import read_data
from ragvigil.scorer.errors import ConfigError

MODELS = ("lexical-1",)
"""Fitted coefficients that ship, each a JSON file of that name."""
_WITH_LITTLE_EVIDENCE = (
    *("coverage", "best_segment", "best_pair", "bigrams", "novel_share", "novel_run", "negation_mismatch"),
)
CLAIM_FEATURES = (*FIGURES, *SUMMARY, *(f"{name}_of_little" for name in _WITH_LITTLE_EVIDENCE))
"""What is known of a claim, in the order of the coefficients; the last are figures times `little_evidence`."""
_OF_CLAIMS = (*FIGURES, *SUMMARY)
ANSWER_FEATURES = (
    *(
        "worst",
        "second_worst",
        "worst_neighbours",
        "first",
        "last",
        "mean",
        "expected_unsupported",
        "refuses",
    ),
    *(f"{which}_beyond_doubt" for which in ("worst", "worst_neighbours", "first", "last")),
    *(f"{what}_{name}" for what in ("mean", "most", "least") for name in _OF_CLAIMS),
)
"""What is taken of the claims, in the order of the fitted coefficients: of their log-odds, whether the answer says
besides that it has none, then of the claims' figures."""
SPAN_FEATURES = ("word", "neighbours", "claim", "mean_word", "worst_word")
"""What tells whether one word is unfounded: its log-odds, its neighbours', the claim's log-odds of support, and the
mean and the worst of its words."""
_LITTLE = FIGURES.index("little_evidence")
_INTERACTING = tuple(FIGURES.index(name) for name in _WITH_LITTLE_EVIDENCE)
_DIGITS = 6
_BEYOND_DOUBT = 2.0


@dataclass(frozen=True, slots=True)
class Logistic:
    """A linear model of log-odds."""

    intercept: float
    weights: tuple[float, ...]
    _row: NDArray[np.float64] = field(init=False, repr=False, compare=False)
    """The weights again."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "_row", np.array(self.weights))

    def log_odds(self, rows: Rows) -> list[float]:
        """The log-odds of each row of figures, summed in order so that every machine agrees.

        >>> Logistic(1.0, (2.0, 3.0)).log_odds([(0.5, 1.0), (0.0, 0.0)])
        [5.0, 1.0]
        """
        return in_order(self.intercept, self._row * np.asarray(rows))


@dataclass(frozen=True, slots=True)
class TokenModel:
    """A linear model of the log-odds that one word is unfounded."""

    intercept: float
    marks: tuple[float, ...]
    """For each of MARKS."""
    weight: float
    """For how telling the stem is."""
    weight_missing: float
    """That again where it is missing."""
    novel: Mapping[str, float]
    """What is added for some stems where they are missing: answers often put things in words of their own."""

    def log_odds(self, tokens: Sequence[Token]) -> list[float]:
        """The log-odds that each of `tokens` is unfounded."""
        marked, slope, intercept = self.marks, self.weight, self.intercept
        found: list[float] = []
        for _, marks, weight, missing, stem in tokens:
            if missing:
                total = intercept + self.novel.get(stem, 0.0) + (slope + self.weight_missing) * weight
            else:
                total = intercept + slope * weight
            for mark in marks:
                total += marked[mark]
            found.append(total)
        return found


@dataclass(frozen=True, slots=True)
class Model:
    """Everything fitted: how telling a stem is, the models of words, claims and answers, the verdict's bounds."""

    name: str
    weights: Weights
    token: TokenModel
    """Log-odds that a word is unfounded."""
    claim: Logistic
    """Log-odds that a claim is supported, from CLAIM_FEATURES."""
    trees: Trees
    """What is added to them."""
    lone: Logistic
    """The same for a claim that is all an answer says, in place of `claim` and `trees`."""
    lone_trees: Trees
    """What is added to them."""
    answer: Logistic
    """Log-odds that an answer of several claims has no unsupported one, from ANSWER_FEATURES of its claims."""
    span: Logistic
    """Log-odds that a word stands in an unsupported stretch, from SPAN_FEATURES."""
    span_from: float
    """The log-odds from which it counts as such."""
    supported_at: float
    """Probability from which a claim counts as supported."""
    partial_at: float
    """Probability from which a claim counts as partly supported."""
    contradicted_at_most: float
    """Ceiling of the probability of a claim that a nearly identical sentence contradicts."""
    unfounded_number_at_most: float
    """Ceiling of the probability of a claim with a number that is found nowhere; below `supported_at`."""

    def words(self, alignment: Alignment) -> list[float]:
        """The log-odds that each meaningful word of a claim is unfounded."""
        return self.token.log_odds(alignment.tokens)

    def support(self, figures: Rows, *, lone: bool = False) -> list[float]:
        """The log-odds that the evidence supports each claim of these `claim_figures`; `lone`: the answer's only one.

        There must be a claim. All claims of an answer at once take little longer than one.
        """
        linear, trees = (self.lone, self.lone_trees) if lone else (self.claim, self.trees)
        rows = np.asarray(figures)
        return list(map(add, linear.log_odds(rows), trees.log_odds(rows)))

    def spans(self, words: Sequence[Sequence[float]], support: Sequence[float]) -> list[list[float]]:
        """For each claim the log-odds that each of its words stands in an unsupported stretch.

        `words`: the log-odds that each word of each claim is unfounded; `support`: those of each claim.
        """
        rows = list(chain.from_iterable(map(span_figures, words, support)))
        odds = iter(self.span.log_odds(rows) if rows else ())
        return [list(islice(odds, len(one))) for one in words]

    def faithfulness(self, probabilities: Sequence[float], figures: Rows, *, refuses: bool) -> float:
        """Probability that none of the claims is unsupported, in [0, 1]; `figures`: the `claim_figures` of each.

        `refuses`: whether a sentence beside the claims says that there is no answer: one of them is wrong then.

        All of them hold at most as probably as the worst one does: P(A and B) <= min(P(A), P(B)); a lone one, just
        as probably. There must be a claim.
        """
        if len(probabilities) == 1:
            return probabilities[0]
        odds = self.answer.log_odds([answer_figures(probabilities, figures, refuses=refuses)])
        return min(probability(odds[0]), *probabilities)


def claim_figures(alignment: Alignment, words: Sequence[float]) -> tuple[float, ...]:
    """CLAIM_FEATURES of an aligned claim; `words`: the log-odds that each of its words is unfounded."""
    figures = alignment.figures
    little = figures[_LITTLE]
    return (*figures, *summary(words), *[little * figures[place] for place in _INTERACTING])


def span_figures(words: Sequence[float], support: float) -> list[tuple[float, ...]]:
    """SPAN_FEATURES of each word of a claim; `support`: the claim's log-odds.

    >>> span_figures([1.0, 3.0], -2.0)
    [(1.0, 3.0, -2.0, 2.0, 3.0), (3.0, 1.0, -2.0, 2.0, 3.0)]
    """
    if not words:
        return []
    around = (words[1 % len(words)], *words, words[max(0, len(words) - 2)])
    beside = zip(words, around, around[2:], strict=False)
    whole = (support, sum(words) / len(words), max(words))
    return [(one, before / 2 + after / 2, *whole) for one, before, after in beside]


def probability(log_odds: float) -> float:
    """Log-odds as a probability, rounded so that the last bit of `exp` cannot show.

    >>> probability(0.0), probability(-800.0), probability(3.0)
    (0.5, 0.0, 0.952574)
    """
    odds = exp(-min(700.0, abs(log_odds)))
    return round(1 / (1 + odds) if log_odds >= 0 else odds / (1 + odds), _DIGITS)


def log_odds_from(bound: float) -> float:
    """The least log-odds whose `probability` is `bound` or more, for a bound in (0, 1).

    >>> one = log_odds_from(0.25)
    >>> probability(one), probability(one - 1e-9), round(one, 3)
    (0.25, 0.249999, -1.099)
    """
    low, high = -700.0, 700.0
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if probability(middle) >= bound else (middle, high)
    return high


def answer_figures(probabilities: Sequence[float], figures: Rows, *, refuses: bool) -> tuple[float, ...]:
    """ANSWER_FEATURES from the claims' probabilities of support and the `claim_figures` of each.

    The third is the worst mean of two claims that follow one another, for inventions come in runs; then the first and
    the last claim, for an answer opens in words of its own and invents at its end; the seventh is minus the logarithm
    of the expected number of unsupported claims under independence, with each claim's share -log(p). Beyond doubt: by
    how much log-odds exceed 2 (88 %), for what rises from there tells something else than what rises to there.

    >>> [round(one, 3) for one in answer_figures([0.9, 0.5], [(1.0, 0.0), (0.5, 0.0)], refuses=False)]
    [0.0, 2.197, 1.099, 2.197, 0.0, 1.099, 0.225, 0.0, 0.0, 0.0, 0.197, 0.0, 0.75, 0.0, 1.0, 0.0, 0.5, 0.0]
    """
    bounded = [min(1 - 1e-4, max(1e-4, one)) for one in probabilities]
    odds = [log(one) - log1p(-one) for one in bounded]
    neighbours = min(map(add, odds, odds[1:]), default=2 * odds[0]) / 2
    expected = -sum(log(one) for one in sorted(bounded))
    ranked = sorted(odds)
    count = len(odds)
    rows = np.asarray(figures)[:, : len(_OF_CLAIMS)]
    return (
        *(ranked[0], ranked[min(1, count - 1)], neighbours, odds[0], odds[-1]),
        *(sum(ranked) / count, -log(expected), float(refuses)),
        *(max(0.0, one - _BEYOND_DOUBT) for one in (ranked[0], neighbours, odds[0], odds[-1])),
        *(np.add.accumulate(rows, axis=0)[-1] / count).tolist(),
        *np.maximum.reduce(rows, axis=0).tolist(),
        *np.minimum.reduce(rows, axis=0).tolist(),
    )


@lru_cache(maxsize=len(MODELS))
def load(name: str) -> Model:
    """The model of that name; ConfigError names those that ship when there is none such."""
    if name not in MODELS:
        raise ConfigError("judge.model", f"unknown model {name!r}", "known: " + ", ".join(MODELS))
    data = read_data(f"{name}.json")
    token = _logistic(data["token"], TOKEN_FEATURES)
    weight, weight_missing = token.weights[len(MARKS) :]
    return Model(
        name=name,
        weights=Weights(data["stems"]["weights"], data["stems"]["unknown"]),
        token=TokenModel(
            token.intercept, token.weights[: len(MARKS)], weight, weight_missing, data["novel_words"]
        ),
        claim=_logistic(data["claim"], CLAIM_FEATURES),
        trees=Trees(tuple(_tree(*row) for row in data["trees"])),
        lone=_logistic(data["lone"], CLAIM_FEATURES),
        lone_trees=Trees(tuple(_tree(*row) for row in data["lone_trees"])),
        answer=_logistic(data["answer"], ANSWER_FEATURES),
        span=_logistic(data["span"], SPAN_FEATURES),
        span_from=log_odds_from(data["verdicts"]["span_at"]),
        supported_at=data["verdicts"]["supported_at"],
        partial_at=data["verdicts"]["partial_at"],
        contradicted_at_most=data["verdicts"]["contradicted_at_most"],
        unfounded_number_at_most=data["verdicts"]["unfounded_number_at_most"],
    )


def _logistic(fitted: Mapping[str, float], names: Sequence[str]) -> Logistic:
    return Logistic(fitted["intercept"], tuple(fitted[name] for name in names))


def _tree(cuts: Sequence[tuple[str, float]], values: Sequence[float]) -> Tree:
    (one, above), (two, beyond), (three, over) = cuts
    places = [CLAIM_FEATURES.index(name) for name in (one, two, three)]
    return Tree(places[0], above, places[1], beyond, places[2], over, tuple(values))

"""The chain of models, fitted on some folds and applied to all rows: words, claims, answers, spans."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from tests.bench.fitting.learn import Array, Fitted, Places, boost, grown_log_odds, level, quieter, regression
from tests.bench.fitting.own_words import own_words, table
from tests.bench.fitting.rows import STRANGERS, Answers, Claims, Words

from ragvigil.scorer.checks.alignment.model import (
    CLAIM_FEATURES,
    SPAN_FEATURES,
    answer_figures,
    claim_figures,
    span_figures,
)
from ragvigil.scorer.checks.alignment.trees import Tree

RIDGE = {"token": 3.0, "claim": 3.0, "lone": 300.0, "answer": 30.0, "span": 3.0}
TREES = 120
RATE = 0.1
SHARE = 0.4
"""Of the figures, what one tree sees."""
TREE_RIDGE = {"claim": 10.0, "lone": 20.0}
AMONG = 0.3
"""How much of the model of a lone claim is that of claims among others, of which there are more rows."""

Chosen = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Chain:
    """What one fit knows of every row: of words and claims it may not have seen too."""

    token: Fitted
    """Of TOKEN_FEATURES, and then of what `own_words` tells."""
    novel: dict[str, float]
    """What the latter comes to for each stem."""
    claim: Fitted
    trees: list[Tree]
    lone: Fitted
    lone_trees: list[Tree]
    words: Array
    """Log-odds that each word is unfounded."""
    figures: Array
    """CLAIM_FEATURES of each claim."""
    among: Array
    """Log-odds that each claim is supported, as one among others."""
    support: Array
    """The same, those of lone claims from the model of lone ones."""


@dataclass(frozen=True, slots=True)
class Data:
    """All rows, and of how many sources they are."""

    words: Words
    claims: Claims
    answers: Answers
    sources: int

    @property
    def claim_fold(self) -> Places:
        """Fold of each claim."""
        return self.answers.fold[self.claims.answer]

    @property
    def word_fold(self) -> Places:
        """Fold of each word."""
        return self.claim_fold[self.words.claim]

    @property
    def lone(self) -> Chosen:
        """Whether each answer makes one claim only."""
        alone: Chosen = np.diff(self.starts()) == 1
        return alone

    def starts(self) -> Places:
        """Where the claims of each answer begin, and the end."""
        return np.searchsorted(self.claims.answer, np.arange(len(self.answers.supported) + 1))

    def word_starts(self) -> Places:
        """Where the words of each claim begin, and the end."""
        return np.searchsorted(self.words.claim, np.arange(len(self.claims.supported) + 1))


def fit_chain(data: Data, chosen: Chosen) -> Chain:
    """Models of words and claims from the `chosen` answers."""
    words, claims, answers = data.words, data.claims, data.answers
    owner = claims.answer[words.claim]
    marked = np.array([bool(row["unsupported_spans"]) or bool(row["label"]) for row in answers.rows])
    own = np.array([row["task"] != STRANGERS for row in answers.rows]) & (answers.source == 0)
    labelled = chosen & marked & own
    known = (words.unfounded >= 0) & labelled[owner]
    every_word = np.column_stack([words.figures, own_words(words, claims, answers, labelled)])
    token = regression(
        every_word[known],
        words.unfounded[known],
        np.ones(int(known.sum())),
        np.zeros(int(known.sum()), dtype=np.int64),
        1,
        RIDGE["token"],
    )
    log_odds = token.log_odds(every_word)
    figures = np.array(
        [
            claim_figures(alignment, log_odds[first:last].tolist())
            for alignment, (first, last) in zip(
                claims.alignments, itertools.pairwise(data.word_starts()), strict=True
            )
        ]
    )
    known = (claims.supported >= 0) & chosen[claims.answer]
    alone = data.lone[claims.answer]
    claim, trees = _claims(data, figures, known, answers.among, "claim")
    lone, lone_trees = _claims(data, figures, known & alone, answers.alone, "lone")
    among = claim.log_odds(figures) + grown_log_odds(trees, figures)
    lone = lone.mixed(claim, AMONG)
    lone_trees = [*quieter(lone_trees, 1 - AMONG), *quieter(trees, AMONG)]
    support = np.where(alone, lone.log_odds(figures) + grown_log_odds(lone_trees, figures), among)
    novel = table(words, claims, answers, labelled, token.weights[words.figures.shape[1] :])
    return Chain(token, novel, claim, trees, lone, lone_trees, log_odds, figures, among, support)


def _claims(
    data: Data, figures: Array, known: Chosen, weights: Array, kind: str
) -> tuple[Fitted, list[Tree]]:
    """The mean of a regression and of trees from the `known` claims, `weights` being those of their answers."""
    known = known & (weights > 0)[data.claims.answer]
    answers, place = data.answers, data.claims.answer[known]
    weight, source, labels = weights[place], answers.intercept[place], data.claims.supported[known]
    linear = regression(figures[known], labels, weight, source, data.sources, RIDGE[kind])
    usual = level(labels, weight)
    trees = boost(
        figures[known],
        labels,
        weight,
        usual + linear.shifts[source],
        trees=TREES,
        rate=RATE,
        ridge=TREE_RIDGE[kind],
        share=SHARE,
    )
    constant = Fitted(usual, np.zeros_like(linear.weights), linear.shifts)
    return linear.mixed(constant, 0.5), quieter(trees, 0.5)


def probabilities(chain: Chain, claims: Claims) -> Array:
    """Probability of support of each claim."""
    return np.minimum(1 / (1 + np.exp(-chain.support)), claims.ceiling)


def answers_from(data: Data, supported: Array, figures: Array) -> Array:
    """ANSWER_FEATURES of each answer from the probabilities and CLAIM_FEATURES of its claims."""
    return np.array(
        [
            answer_figures(
                supported[first:last].tolist(), figures[first:last].tolist(), refuses=bool(refuses)
            )
            for (first, last), refuses in zip(
                itertools.pairwise(data.starts()), data.answers.refuses, strict=True
            )
        ]
    )


def fit_answers(data: Data, figures: Array, chosen: Chosen) -> Fitted:
    """The answer model from those `chosen` answers of the first source that make several claims."""
    answers = data.answers
    known = chosen & (answers.weight > 0) & (answers.source == 0) & ~data.lone
    return regression(
        figures[known],
        answers.supported[known],
        answers.weight[known],
        answers.intercept[known],
        data.sources,
        RIDGE["answer"],
    )


def faithfulness(data: Data, model: Fitted, figures: Array, supported: Array) -> Array:
    """Probability that an answer has no unsupported claim: at most that of its worst one, just that of a lone one."""
    worst = np.minimum.reduceat(supported, data.starts()[:-1])
    return np.where(data.lone, worst, np.minimum(1 / (1 + np.exp(-model.log_odds(figures))), worst))


def spans_from(data: Data, chain: Chain) -> Array:
    """SPAN_FEATURES of each word."""
    return np.array(
        [
            figures
            for number, (first, last) in enumerate(itertools.pairwise(data.word_starts()))
            for figures in span_figures(chain.words[first:last].tolist(), float(chain.among[number]))
        ]
    )


def fit_spans(data: Data, figures: Array, chosen: Chosen) -> Fitted:
    """The model of words in unsupported stretches, from the marked words of the `chosen` answers."""
    own = np.array([row["task"] != STRANGERS for row in data.answers.rows]) & (data.answers.source == 0)
    known = (data.words.unfounded >= 0) & (chosen & own)[data.claims.answer[data.words.claim]]
    count = int(known.sum())
    return regression(
        figures[known],
        data.words.unfounded[known],
        np.ones(count),
        np.zeros(count, dtype=np.int64),
        1,
        RIDGE["span"],
    )


@dataclass(frozen=True, slots=True)
class Predicted:
    """What models that saw nothing of a row's group say of it."""

    supported: Array
    """Of each claim."""
    faithful: Array
    """Of each answer."""
    spans: Array
    """Of each word: probability that it is in an unsupported stretch."""
    answer_figures: Array
    span_figures: Array


def cross_validate(data: Data, folds: int, chosen: Chosen) -> Predicted:
    """Predictions for the `chosen` answers, each from models of the other folds of them."""
    support = np.zeros(len(data.claims.supported))
    claim = np.zeros((len(support), len(CLAIM_FEATURES)))
    span = np.zeros((len(data.words.unfounded), len(SPAN_FEATURES)))
    for held_out in range(folds):
        chain = fit_chain(data, chosen & (data.answers.fold != held_out))
        unseen, unseen_words = data.claim_fold == held_out, data.word_fold == held_out
        support[unseen] = probabilities(chain, data.claims)[unseen]
        claim[unseen] = chain.figures[unseen]
        span[unseen_words] = spans_from(data, chain)[unseen_words]
    figures = answers_from(data, support, claim)
    faithful, spans = np.zeros(len(data.answers.supported)), np.zeros(len(span))
    for held_out in range(folds):
        seen, unseen = chosen & (data.answers.fold != held_out), data.answers.fold == held_out
        faithful[unseen] = faithfulness(data, fit_answers(data, figures, seen), figures, support)[unseen]
        unseen_words = data.word_fold == held_out
        odds = fit_spans(data, span, seen).log_odds(span)
        spans[unseen_words] = (1 / (1 + np.exp(-odds)))[unseen_words]
    return Predicted(support, faithful, spans, figures, span)


def aside(data: Data, dev: Chosen, cross: Predicted) -> Predicted:
    """Predictions for all rows from models of the `dev` answers, `cross` being those answers' cross-validation."""
    chain = fit_chain(data, dev)
    supported = probabilities(chain, data.claims)
    model = fit_answers(data, cross.answer_figures, dev)
    figures, span = answers_from(data, supported, chain.figures), spans_from(data, chain)
    spans = 1 / (1 + np.exp(-fit_spans(data, cross.span_figures, dev).log_odds(span)))
    return Predicted(supported, faithfulness(data, model, figures, supported), spans, figures, span)

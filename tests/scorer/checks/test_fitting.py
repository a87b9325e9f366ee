"""The fit of the built-in judge, on rows made for it."""

from __future__ import annotations

import numpy as np
from tests.bench.fitting.learn import boost, grown_log_odds, regression
from tests.bench.fitting.mix import Mix, parts_of
from tests.bench.fitting.models import Data, Predicted
from tests.bench.fitting.own_words import LEAST, own_words, table
from tests.bench.fitting.report import span_counts
from tests.bench.fitting.rows import STRANGERS, Answers, Claims, Row, Source, Words, extract

from ragvigil.scorer.checks.alignment.overlap import Weights
from ragvigil.scorer.checks.alignment.trees import Trees
from ragvigil.scorer.offline.measures import (
    Array,
    auroc,
    balanced_accuracy,
    f1,
    interval,
    macro_f1,
    threshold,
    within,
)

SOURCE = np.random.default_rng(3)
FIGURES = SOURCE.normal(size=(600, 3)).round(3)
LABELS = ((FIGURES[:, 0] > 0) ^ (FIGURES[:, 1] > 0)).astype(float)
ONE, FIRST = np.ones(600), np.zeros(600, dtype=np.int64)


def test_trees_say_what_a_linear_model_cannot() -> None:
    """Either one or the other, and not both; the same figures at run time as in the fit."""
    linear = regression(FIGURES, LABELS, ONE, FIRST, 1, 1.0).log_odds(FIGURES)
    trees = boost(FIGURES, LABELS, ONE, linear, trees=20, rate=0.3, ridge=1.0, share=1.0)
    grown = grown_log_odds(trees, FIGURES)
    assert auroc(LABELS, linear) < 0.6 < 0.95 < auroc(LABELS, linear + grown)
    assert np.allclose(grown, Trees(trees).log_odds(FIGURES.tolist()))


def test_the_regression_finds_what_made_the_labels() -> None:
    """Slopes, and for each further source how much it is shifted."""
    source = np.repeat([0, 1], 300)
    odds = 2 * FIGURES[:, 0] - FIGURES[:, 1] + 1.5 * source
    labels = (SOURCE.uniform(size=600) < 1 / (1 + np.exp(-odds))).astype(float)
    fitted = regression(FIGURES, labels, ONE, source, 2, 1.0)
    assert np.allclose(fitted.weights, [2, -1, 0], atol=0.5)
    assert abs(fitted.shifts[1] - 1.5) < 0.6


def test_measures_are_what_their_names_say() -> None:
    """By hand."""
    positive, score = np.array([1.0, 0.0, 1.0, 0.0]), np.array([0.9, 0.8, 0.7, 0.1])
    assert auroc(positive, score) == 0.75
    assert within(positive, score, ["a", "b", "b", "a"]) == 0.5
    assert f1(positive, score >= 0.5) == 0.8
    assert balanced_accuracy(positive, score >= 0.5) == 0.75
    assert 0.1 < threshold(positive, score, f1) <= 0.7
    low, high = interval(lambda rows: float(positive[rows].mean()), ["a", "b", "c", "d"])
    assert 0.0 <= low < 0.5 < high <= 1.0


def test_a_threshold_is_the_best_for_other_rows_too() -> None:
    """From 200 rows, whose labels are drawn, nearly as good on 20,000 others as the best for those themselves."""
    draw = np.random.default_rng(5)

    def rows(count: int) -> tuple[Array, Array]:
        odds = draw.normal(-1.0, 1.5, count)
        return (draw.random(count) < 1 / (1 + np.exp(-odds))).astype(float), 1 / (1 + np.exp(1 - odds / 2))

    positive, score = rows(20_000)
    for measure in (f1, macro_f1, balanced_accuracy):
        best = max(measure(positive, score >= one) for one in np.quantile(score, np.linspace(0, 1, 201)))
        lost = [best - measure(positive, score >= threshold(*rows(200), measure)) for _ in range(50)]
        assert np.mean(lost) < 0.006


def test_a_threshold_parts_what_is_told_apart_without_a_mistake() -> None:
    """Where a regression has no end of its own; and where all labels are alike."""
    score = np.linspace(0.0, 1.0, 41)
    positive = (score > 0.7).astype(float)
    assert 0.675 < threshold(positive, score, balanced_accuracy) <= 0.725
    assert balanced_accuracy(np.ones(41), score >= threshold(np.ones(41), score, balanced_accuracy)) == 1.0


def _answers(unfounded: list[float], stem: list[int]) -> tuple[Words, Claims, Answers]:
    """Answers of one claim and one word each, every one of a source group of its own; the last word is not missing."""
    count = len(stem)
    places = np.arange(count)
    words = Words(
        figures=np.zeros((count, 1)),
        unfounded=np.array(unfounded),
        claim=places,
        span=np.zeros((count, 2), dtype=np.int64),
        stem=np.array(stem),
        missing=places < count - 1,
        stems=["offer", "live"],
    )
    claims = Claims([], [], np.ones(count), np.ones(count), places)
    groups = [f"group {one}" for one in range(count)]
    one = np.ones(count)
    answers = Answers([], one, places, places, groups, places, one, one, one, places < 0)
    return words, claims, answers


def test_what_a_missing_word_tells_is_learnt_from_other_source_groups() -> None:
    """How usual it is, and how often it is unfounded; a label never tells of itself."""
    unfounded, stem = [0.0] * 6 + [1.0] * 6, [0] * 6 + [1] * 6
    everyone = np.ones(13, dtype=bool)
    usual, odds = own_words(*_answers([*unfounded, 1.0], [*stem, 1]), everyone).T
    assert np.allclose(usual[:-1], np.log1p(5))
    assert (odds[:6] < 0).all()
    assert (odds[6:-1] > 0).all()
    assert usual[-1] == odds[-1] == 0
    flipped = own_words(*_answers([1.0, *unfounded[1:], 1.0], [*stem, 1]), everyone)
    assert abs(flipped[0, 1] - odds[0]) < abs(flipped[1, 1] - odds[1])


def test_of_words_that_few_sources_lack_nothing_is_known() -> None:
    """Neither in the fit nor in what ships."""
    data = _answers([0.0] * LEAST + [1.0] * LEAST, [0] * LEAST + [1] * LEAST)
    everyone = np.ones(2 * LEAST, dtype=bool)
    assert not own_words(*data, everyone).any()
    assert list(table(*data, everyone, np.array([0.0, 1.0]))) == ["offer"]


def test_answers_beside_strange_evidence_weigh_otherwise_among_other_claims() -> None:
    """In the model of lone claims and in that of answers they teach what is strange; among claims they teach little."""
    row: Row = {
        "dataset": "mine",
        "task": "QA",
        "group": "one",
        "query": "When does it open?",
        "evidence": [{"id": "a", "text": "The museum opens at nine."}],
        "answer": "The museum opens at nine.",
        "label": 1,
        "unsupported_spans": [],
    }
    source = Source("mine", 1.0, "made for this test", alone=2.0, strangers=0.5, strangers_among=0.1)
    shy = "The museum opens at nine. Unable to answer based on the given passages."
    rows = [(0, row), (0, {**row, "task": STRANGERS, "label": 0, "answer": shy})]
    _, _, answers = extract(rows, Weights({}, 1.0), (source,))
    assert [one.tolist() for one in (answers.weight, answers.alone, answers.among)] == [
        [1.0, 0.5],
        [2.0, 1.0],
        [1.0, 0.1],
    ]
    assert answers.refuses.tolist() == [False, True]


def test_marked_characters_are_those_that_the_judge_would_mark() -> None:
    """Some words of a claim, all of it where most of its words are at fault, and none of a supported one."""
    answer = "Purple dragons breed in the museum."
    row: Row = {
        "dataset": "mine",
        "task": "QA",
        "group": "one",
        "query": "What about it?",
        "evidence": [{"id": "a", "text": "The museum opens at nine."}],
        "answer": answer,
        "label": 0,
        "unsupported_spans": [[0, 20]],
    }
    data = Data(*extract([(0, row)], Weights({}, 1.0), (Source("mine", 1.0, "made for this test"),)), 1)
    nothing = np.zeros((1, 1))

    def counted(supported: float, odds: list[float]) -> list[float]:
        spans = np.array(odds)
        predicted = Predicted(np.array([supported]), np.array([0.5]), spans, nothing, nothing)
        counts: list[float] = span_counts(data, predicted, np.array([True]), 0.5)[0].tolist()
        return counts

    assert len(data.claims.alignments[0].tokens) == 4
    assert counted(0.1, [0.0, 0.9, 0.0, 0.0]) == [len("dragons"), len("dragons"), 20]
    assert counted(0.1, [0.9, 0.9, 0.9, 0.0]) == [20, len(answer), 20]
    assert counted(0.9, [0.9, 0.9, 0.9, 0.9]) == [0, 0, 20]


def test_a_mix_counts_each_part_as_often_as_the_benchmark_has_it() -> None:
    """What is ranked well in one part and badly in the other is worth their shares in the mix, not in the rows."""
    rows = [{"dataset": "begin"}] * 40 + [{"dataset": "attributionbench", "subset": "LFQA"}] * 4
    positive = np.tile([1.0, 0.0], 22)
    score = np.concatenate([positive[:40], 1 - positive[40:]])
    part = parts_of(rows)
    mixed = Mix("", {"begin": (10, 10), "LFQA": (30, 30)}).rows(np.arange(44), part, positive)
    assert np.bincount(mixed, minlength=44)[:40].sum() * 3 == np.bincount(mixed)[40:].sum()
    assert abs(((score >= 0.5) == positive)[mixed].mean() - 0.25) < 1e-9
    assert ((score >= 0.5) == positive).mean() > 0.9

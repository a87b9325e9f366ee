"""The report: how good predictions for rows are that their models saw nothing of, with intervals by source group."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
from tests.bench.fitting.learn import Array, Places
from tests.bench.fitting.mix import MIXES, parts_of
from tests.bench.fitting.models import Chosen, Data, Predicted
from tests.bench.fitting.rows import FOLDS, STRANGERS, VERDICTS

from ragvigil.scorer.checks.alignment.reasons import unsupported_spans
from ragvigil.scorer.offline.measures import (
    Flags,
    auroc,
    balanced_accuracy,
    calibration_error,
    f1,
    interval,
    macro_f1,
    threshold,
    within,
)

TASKS = ("QA", "Data2txt", "Summary")
SUBSETS = ("Stanford-GenSearch", "ExpertQA", "LFQA", "AttributedQA")
Measure = Callable[[Array, Flags], float]
Spread = Callable[[Places], Places]
"""Which rows stand for some, and how often each."""


class Report:
    """Figures for the answers in `tested`, thresholds from those in `tuned`.

    Where both are all answers, a fold's threshold comes from the other folds.
    """

    def __init__(
        self, data: Data, predicted: Predicted, tuned: Chosen, tested: Chosen, own: Predicted
    ) -> None:
        """`own`: predictions of the answers in `tuned` by models that did not see them."""
        self._data, self._predicted, self._tuned, self._tested, self._own = (
            data,
            predicted,
            tuned,
            tested,
            own,
        )
        rows = data.answers.rows
        self._positive = 1 - data.answers.supported
        self._score = 1 - predicted.faithful
        self._set = np.array([row["dataset"] for row in rows])
        self._task = np.array([row["task"] for row in rows])
        self._subset = np.array([row.get("subset") or "" for row in rows])
        self._kind = np.array([f"{row['task']}/{row.get('model') or ''}" for row in rows])
        self._genuine = self._task != STRANGERS

    def all(self) -> dict[str, Any]:
        """Every line of the report by name."""
        genuine, truth = self._genuine, self._set == "ragtruth"
        lines = {
            name: self._line(genuine & (self._set == name)) for name in dict.fromkeys(self._set.tolist())
        }
        lines |= {f"ragtruth/{task}": self._line(truth & (self._task == task)) for task in TASKS}
        lines |= {f"attributionbench/{one}": self._line(genuine & (self._subset == one)) for one in SUBSETS}
        parts = parts_of(self._data.answers.rows)
        for mix in MIXES:
            chosen = genuine & np.isin(parts, list(mix.parts))
            lines[mix.name] = self._line(chosen, partial(mix.rows, part=parts, positive=self._positive))
        strange = ~genuine & self._tested
        passed = float((self._score[strange] <= 0.5).mean())
        return lines | {
            "ragtruth, a threshold for each task": self._per_task(genuine & truth),
            "ragtruth, within task and generator": self._within(genuine & truth),
            "ragtruth, unsupported characters": self._characters(genuine & truth),
            "ragtruth, claims": self._claims(genuine & truth),
            "strangers": {"n": int(strange.sum()), "passed": round(passed, 4)},
        }

    def _line(self, chosen: Chosen, spread: Spread = np.asarray) -> dict[str, Any]:
        tested = np.flatnonzero(chosen & self._tested)
        positive, score = self._positive[spread(tested)], self._score[spread(tested)]
        line: dict[str, Any] = {"n": len(tested), "unsupported": round(float(positive.mean()), 3)}
        line["auroc"] = self._measured(tested, partial(self._ranked, spread))
        for name, measure in (("f1", f1), ("balanced_accuracy", balanced_accuracy), ("macro_f1", macro_f1)):
            flagged = self._flagged(chosen, measure, spread)
            line[name] = self._measured(tested, partial(self._quality, measure, flagged, spread))
        line["ece"] = round(calibration_error(positive, score), 3)
        return line

    def _measured(self, rows: Places, measure: Callable[[Places], float]) -> list[float]:
        """The figure and the ends of its interval."""
        groups = self._data.answers.group
        group = [groups[int(row)] for row in rows]
        low, high = interval(lambda drawn: measure(rows[drawn]), group)
        return [round(one, 3) for one in (measure(rows), low, high)]

    def _ranked(self, spread: Spread, at: Places) -> float:
        rows = spread(at)
        return auroc(self._positive[rows], self._score[rows])

    def _quality(self, measure: Measure, flagged: Flags, spread: Spread, at: Places) -> float:
        rows = spread(at)
        return measure(self._positive[rows], flagged[rows])

    def _flagged(self, chosen: Chosen, measure: Measure, spread: Spread = np.asarray) -> Flags:
        """Which of the `chosen` answers count as unsupported, the threshold being the best for `measure` elsewhere."""
        flagged = np.zeros(len(self._score), dtype=bool)
        for tuned, tested in self._parts():
            rows = spread(np.flatnonzero(chosen & tuned))
            best = threshold(self._positive[rows], 1 - self._own.faithful[rows], measure)
            flagged |= chosen & tested & (self._score >= best)
        return flagged

    def _parts(self) -> list[tuple[Chosen, Chosen]]:
        if not (self._tuned & self._tested).any():
            return [(self._tuned, self._tested)]
        fold = self._data.answers.fold
        return [(self._tuned & (fold != one), self._tested & (fold == one)) for one in range(FOLDS)]

    def _per_task(self, chosen: Chosen) -> dict[str, Any]:
        flagged = np.zeros(len(self._score), dtype=bool)
        for task in TASKS:
            flagged |= self._flagged(chosen & (self._task == task), f1)
        tested = np.flatnonzero(chosen & self._tested)
        return {
            "n": len(tested),
            "f1": self._measured(tested, lambda at: f1(self._positive[at], flagged[at])),
        }

    def _within(self, chosen: Chosen) -> dict[str, Any]:
        tested = np.flatnonzero(chosen & self._tested)
        figure = self._measured(
            tested, lambda at: within(self._positive[at], self._score[at], self._kind[at].tolist())
        )
        return {"n": len(tested), "auroc": figure}

    def _claims(self, chosen: Chosen) -> dict[str, Any]:
        claims = self._data.claims
        known = (claims.supported >= 0) & (chosen & self._tested)[claims.answer]
        positive, score = 1 - claims.supported[known], 1 - self._predicted.supported[known]
        return {
            "n": int(known.sum()),
            "unsupported": round(float(positive.mean()), 3),
            "auroc": round(auroc(positive, score), 3),
            "ece": round(calibration_error(positive, score), 3),
        }

    def _characters(self, chosen: Chosen) -> dict[str, Any]:
        """F1 over characters of unsupported stretches, the threshold from elsewhere."""
        tested = np.flatnonzero(chosen & self._tested)
        counts = np.zeros((len(self._score), 3))
        thresholds: list[float] = []
        for tuned, part in self._parts():
            best = span_threshold(self._data, self._own, chosen & tuned)
            thresholds.append(best)
            rows = chosen & part
            counts[rows] = span_counts(self._data, self._predicted, rows, best)[rows]
        return {
            "n": len(tested),
            "threshold": round(float(np.mean(thresholds)), 3),
            "f1": self._measured(tested, lambda at: _harmonic(counts[at])),
        }


def span_threshold(data: Data, predicted: Predicted, chosen: Chosen) -> float:
    """The probability from which a word is best taken for unsupported, by F1 over characters."""
    candidates = [round(0.1 + 0.02 * step, 2) for step in range(16)]
    scores = [_harmonic(span_counts(data, predicted, chosen, one)) for one in candidates]
    return candidates[int(np.argmax(scores))]


def span_counts(data: Data, predicted: Predicted, chosen: Chosen, at_least: float) -> Array:
    """(answers, 3): characters that the judge would rightly mark as unsupported, would mark, and should mark."""
    claims, starts = data.claims, data.word_starts()
    counts = np.zeros((len(data.answers.rows), 3))
    taken = {row: _marked(data, row, []) for row in np.flatnonzero(chosen).tolist()}
    blamed = chosen[claims.answer] & (predicted.supported < VERDICTS["supported_at"])
    for claim in np.flatnonzero(blamed).tolist():
        odds: list[float] = predicted.spans[starts[claim] : starts[claim + 1]].tolist()
        spans = unsupported_spans(claims.statements[claim], claims.alignments[claim], odds, at_least)
        row = int(claims.answer[claim])
        taken[row] |= _marked(data, row, spans)
    for row, found in taken.items():
        truth = _marked(data, row, data.answers.rows[row]["unsupported_spans"])
        counts[row] = (found & truth).sum(), found.sum(), truth.sum()
    return counts


def _marked(data: Data, row: int, spans: Iterable[Sequence[int]]) -> Flags:
    """Which characters of an answer are in `spans`."""
    marked = np.zeros(len(data.answers.rows[row]["answer"]), dtype=bool)
    for start, end in spans:
        marked[start:end] = True
    return marked


def _harmonic(counts: Array) -> float:
    right, taken, true = counts.sum(axis=0)
    return float(2 * right / max(1.0, taken + true))

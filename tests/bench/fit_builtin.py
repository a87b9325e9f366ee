"""Fit the coefficients of the built-in judge on labelled sets, and say how good they are by cross-validation.

    python tests/bench/fit_builtin.py FOLDER --date 2025-06-01 [--out lexical-1.json] [--gold gold-lexical-1.json]

FOLDER holds the labelled sets as gzip JSONL (id, group, evidence, answer, label, unsupported_spans, …). Only sets
whose licence allows it are read. The same input gives the same file. Splits are by `group`, never by row. Sets
differ in how often a claim is unsupported, so each has an intercept of its own while fitting; the first set's,
whole answers of retrieval-augmented services, ships.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import itertools
import json
import math
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ragvigil.scorer.checks.alignment.align import FEATURES, Alignment, Weights, align
from ragvigil.scorer.checks.alignment.model import ANSWER_FEATURES, answer_figures
from ragvigil.scorer.checks.reading.citations import read_citations
from ragvigil.scorer.checks.reading.claims import read_statements
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.words import words
from ragvigil.scorer.trace import Document

Array = npt.NDArray[np.float64]
Row = dict[str, Any]

SETS: dict[str, tuple[float, str]] = {
    "ragtruth": (1.0, "RAGTruth (Niu et al., ACL 2024), MIT"),
    "wice": (1.0, "WiCE (Kamoi et al., 2023), annotations ODC-BY"),
    "assin_pt": (0.1, "ASSIN 1 pt-BR and ASSIN 2, MIT"),
    "summedits": (0.3, "SummEdits (Laban et al., 2023), Apache-2.0"),
    "bump": (0.3, "BUMP (2023), MIT"),
}
"""Weight of a row, and where the set is from; the first set's intercept ships."""
STRANGERS = "strangers"
STRANGER_WEIGHT = 0.03
"""Weight of an answer that was put beside another question's evidence."""
FOLDS = 5
RIDGE = 3.0
RAREST = 10
"""Documents a stem must occur in to get a weight of its own."""
GOLD_SIZES = {1.0: 140, 0.0: 60}
GOLD_SEED = 2025
VERDICTS = {
    "supported_at": 0.75,
    "partial_at": 0.5,
    "contradicted_at_most": 0.25,
    "unfounded_number_at_most": 0.74,
}


@dataclass(frozen=True, slots=True)
class Fitted:
    """A logistic regression in the units of its inputs."""

    intercept: float
    weights: Array

    def log_odds(self, figures: Array) -> Array:
        """Log-odds of each row."""
        return self.intercept + figures @ self.weights


@dataclass(slots=True)
class Claims:
    """Every check-worthy claim of the sets; a label of -1 means that nobody marked this one."""

    figures: Array
    supported: Array
    ceiling: Array
    """What the probability must not exceed: see VERDICTS."""
    answer: npt.NDArray[np.int64]


@dataclass(slots=True)
class Answers:
    """Every answer that makes a claim."""

    supported: Array
    source: npt.NDArray[np.int64]
    task: list[str]
    fold: npt.NDArray[np.int64]
    weight: Array


def main() -> None:
    """Read, fit, report, write."""
    arguments = _arguments()
    rows = [
        (place, row)
        for place, name in enumerate(SETS)
        for row in _rows(arguments.folder / f"{name}.jsonl.gz")
    ]
    weights = _stem_weights(rows)
    rows += [(0, stranger) for stranger in _strangers([row for place, row in rows if place == 0])]
    claims, answers = _extract(rows, weights)
    probabilities = _cross_validated(claims, answers)
    faithfulness, figures = _answers_cross_validated(claims, answers, probabilities)
    report = _report(claims, answers, probabilities, faithfulness)
    sys.stdout.write(json.dumps(report, indent=1) + "\n")
    if arguments.out:
        document = _document(arguments.date, rows, weights, claims, answers, figures, report)
        arguments.out.write_text(_pretty(document), "utf-8")
    if arguments.gold:
        gold = _gold(arguments.date, answers, faithfulness)
        arguments.gold.write_text(json.dumps(gold, separators=(",", ":")) + "\n", "utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Fit the built-in judge.")
    parser.add_argument("folder", type=Path, help="folder of the labelled sets")
    parser.add_argument("--date", default="undated", help="date to write into the provenance")
    parser.add_argument("--out", type=Path, help="file to write; without it only the report is printed")
    parser.add_argument("--gold", type=Path, help="file for a sample of cross-validated verdicts with labels")
    return parser.parse_args()


def _rows(path: Path) -> list[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _strangers(rows: Sequence[Row]) -> Iterator[Row]:
    """Each answer beside the evidence of another source, so that extremes are learnt too: nothing carries it."""
    shuffled = sorted(rows, key=lambda row: hashlib.sha256(row["id"].encode()).digest())
    for row, other in zip(shuffled, [*shuffled[1:], shuffled[0]], strict=True):
        if row["group"] != other["group"]:
            whole = [[0, len(row["answer"])]]
            yield {
                **row,
                "evidence": other["evidence"],
                "label": 0,
                "unsupported_spans": whole,
                "task": STRANGERS,
            }


def _stem_weights(rows: Sequence[tuple[int, Row]]) -> Weights:
    """Inverse document frequency over distinct sources."""
    sources = {(place, row["group"]): row["evidence"] for place, row in rows}
    counts = Counter(
        stem
        for evidence in sources.values()
        for stem in {word.stem for part in evidence for word in words(part["text"])}
    )
    total = len(sources) + 1
    known = {
        stem: round(math.log(total / (count + 1)), 2) for stem, count in counts.items() if count >= RAREST
    }
    return Weights(dict(sorted(known.items())), round(math.log(total / 2), 2))


def _extract(rows: Sequence[tuple[int, Row]], weights: Weights) -> tuple[Claims, Answers]:
    figures: list[tuple[float, ...]] = []
    labels: list[float] = []
    ceilings: list[float] = []
    owner: list[int] = []
    kept: list[tuple[int, Row]] = []
    for place, row in rows:
        aligned = list(_aligned(row, weights))
        if not aligned:
            continue
        for label, alignment in aligned:
            figures.append(alignment.figures)
            labels.append(label)
            ceilings.append(_ceiling(alignment))
            owner.append(len(kept))
        kept.append((place, row))
    claims = Claims(np.array(figures), np.array(labels), np.array(ceilings), np.array(owner))
    return claims, Answers(
        supported=np.array([float(row["label"]) for _, row in kept]),
        source=np.array([place for place, _ in kept]),
        task=[row["task"] for _, row in kept],
        fold=np.array([_fold(place, row["group"]) for place, row in kept]),
        weight=np.array([_weight(place, row) for place, row in kept]),
    )


def _weight(place: int, row: Row) -> float:
    return STRANGER_WEIGHT if row["task"] == STRANGERS else list(SETS.values())[place][0]


def _aligned(row: Row, weights: Weights) -> Iterator[tuple[float, Alignment]]:
    documents = [
        Document(part["id"], part["text"], rank=rank) for rank, part in enumerate(row["evidence"], 1)
    ]
    evidence = Evidence(documents)
    question = {word.stem for word in words(row["query"] or "")}
    markers = [(one.start, one.end) for one in read_citations(row["answer"], documents)]
    claims = [one for one in read_statements(row["answer"], markers) if one.checkworthy]
    for claim in claims:
        alignment = align(claim.words, evidence, question, weights)
        spans = row["unsupported_spans"]
        if spans:
            label = float(not any(start < claim.end and end > claim.start for start, end in spans))
        elif row["label"] or len(claims) == 1:
            label = float(row["label"])
        else:
            label = -1.0
        yield label, alignment


def _ceiling(alignment: Alignment) -> float:
    if alignment.contradiction:
        return VERDICTS["contradicted_at_most"]
    return VERDICTS["unfounded_number_at_most"] if alignment.unfounded_number else 1.0


def _fold(place: int, group: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{place}/{group}".encode()).digest()[:4]) % FOLDS


def fit(figures: Array, labels: Array, weight: Array, source: npt.NDArray[np.int64]) -> Fitted:
    """A ridge logistic regression by Newton's method, one nuisance intercept per further source."""
    mean = np.average(figures, axis=0, weights=weight)
    scale = np.sqrt(np.average((figures - mean) ** 2, axis=0, weights=weight)) + 1e-9
    dummies = [(source == place).astype(float) for place in range(1, len(SETS))]
    design = np.column_stack([np.ones(len(figures)), (figures - mean) / scale, *dummies])
    ridge = np.diag([1e-9, *[RIDGE] * figures.shape[1], *[1e-3] * len(dummies)])
    solution = np.zeros(design.shape[1])
    for _ in range(50):
        predicted = 1 / (1 + np.exp(-design @ solution))
        gradient = design.T @ (weight * (predicted - labels)) + ridge @ solution
        curvature = (design * (weight * predicted * (1 - predicted))[:, None]).T @ design + ridge
        step = np.linalg.solve(curvature, gradient)
        solution -= step
        if np.abs(step).max() < 1e-9:
            break
    slopes = solution[1 : 1 + figures.shape[1]] / scale
    return Fitted(float(solution[0] - slopes @ mean), slopes)


def _fit_claims(claims: Claims, answers: Answers, chosen: npt.NDArray[np.bool_]) -> Fitted:
    known = chosen & (claims.supported >= 0)
    owner = claims.answer[known]
    return fit(claims.figures[known], claims.supported[known], answers.weight[owner], answers.source[owner])


def _probabilities(model: Fitted, claims: Claims) -> Array:
    return np.minimum(1 / (1 + np.exp(-model.log_odds(claims.figures))), claims.ceiling)


def _cross_validated(claims: Claims, answers: Answers) -> Array:
    """Probability of support of each claim, from a model that saw nothing of its source."""
    fold = answers.fold[claims.answer]
    probabilities = np.zeros(len(claims.supported))
    for held_out in range(FOLDS):
        model = _fit_claims(claims, answers, fold != held_out)
        probabilities[fold == held_out] = _probabilities(model, claims)[fold == held_out]
    return probabilities


def _answers_cross_validated(claims: Claims, answers: Answers, probabilities: Array) -> tuple[Array, Array]:
    """Faithfulness of each answer by cross-validation, and the figures that it rests on."""
    starts = np.searchsorted(claims.answer, np.arange(len(answers.supported) + 1))
    figures = np.array(
        [answer_figures(list(probabilities[first:last])) for first, last in itertools.pairwise(starts)]
    )
    faithfulness = np.zeros(len(answers.supported))
    for held_out in range(FOLDS):
        seen, unseen = answers.fold != held_out, answers.fold == held_out
        model = fit(figures[seen], answers.supported[seen], answers.weight[seen], answers.source[seen])
        faithfulness[unseen] = 1 / (1 + np.exp(-model.log_odds(figures[unseen])))
    worst = np.minimum.reduceat(probabilities, starts[:-1])
    return np.minimum(faithfulness, worst), figures


def _report(claims: Claims, answers: Answers, probabilities: Array, faithfulness: Array) -> dict[str, Any]:
    report: dict[str, Any] = {}
    tasks = np.array(answers.task)
    own = tasks != STRANGERS
    for place, name in enumerate(SETS):
        whole = (answers.source == place) & own
        report[name] = {"answers": _quality(1 - answers.supported[whole], 1 - faithfulness[whole])}
        part = whole[claims.answer] & (claims.supported >= 0)
        report[name]["claims"] = _quality(1 - claims.supported[part], 1 - probabilities[part])
    for task in sorted(set(tasks[answers.source == 0].tolist())):
        chosen = (answers.source == 0) & (tasks == task)
        if task != STRANGERS:
            report[f"ragtruth/{task}"] = {
                "answers": _quality(1 - answers.supported[chosen], 1 - faithfulness[chosen])
            }
    report[STRANGERS] = {
        "n": int((~own).sum()),
        "passed": round(float((faithfulness[~own] >= 0.5).mean()), 3),
    }
    return report


def _quality(positive: Array, score: Array) -> dict[str, float]:
    """Positive = unsupported. Thresholds for F1 and balanced accuracy are the best in hindsight, and named so."""
    if positive.sum() < 10 or positive.sum() > len(positive) - 10:
        return {"n": len(positive)}
    thresholds = np.quantile(score, np.linspace(0, 1, 201))
    flagged = score[None, :] >= thresholds[:, None]
    hits = (flagged & (positive == 1)).sum(axis=1)
    recall, fallout = hits / positive.sum(), (flagged & (positive == 0)).sum(axis=1) / (1 - positive).sum()
    f1 = 2 * hits / (flagged.sum(axis=1) + positive.sum())
    return {
        "n": len(positive),
        "unsupported": round(float(positive.mean()), 3),
        "auroc": round(auroc(positive, score), 3),
        "best_f1": round(float(f1.max()), 3),
        "best_balanced_accuracy": round(float(((recall + 1 - fallout) / 2).max()), 3),
        "balanced_accuracy_at_half": round(float(_balanced(positive, score >= 0.5)), 3),
        "ece": round(calibration_error(positive, score), 3),
    }


def _balanced(positive: Array, flagged: npt.NDArray[np.bool_]) -> float:
    return float((flagged[positive == 1].mean() + (~flagged)[positive == 0].mean()) / 2)


def auroc(positive: Array, score: Array) -> float:
    """Probability that a positive scores above a negative, ties one half (Mann-Whitney)."""
    _, inverse, counts = np.unique(score, return_inverse=True, return_counts=True)
    rank = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    positives = positive.sum()
    return float(
        (rank[positive == 1].sum() - positives * (positives + 1) / 2) / (positives * (len(score) - positives))
    )


def calibration_error(positive: Array, score: Array) -> float:
    """Expected calibration error over ten equally wide bins."""
    bins = np.minimum((score * 10).astype(int), 9)
    gaps = [
        (bins == one).mean() * abs(score[bins == one].mean() - positive[bins == one].mean())
        for one in np.unique(bins)
    ]
    return float(sum(gaps))


def _document(
    date: str,
    rows: Sequence[tuple[int, Row]],
    weights: Weights,
    claims: Claims,
    answers: Answers,
    figures: Array,
    report: dict[str, Any],
) -> dict[str, Any]:
    claim = _fit_claims(claims, answers, np.ones(len(claims.supported), dtype=bool))
    answer = fit(figures, answers.supported, answers.weight, answers.source)
    counts = Counter(place for place, row in rows if row["task"] != STRANGERS)
    sets = [
        {"set": name, "from": origin, "rows": counts[place], "weight_of_a_row": weight}
        for place, (name, (weight, origin)) in enumerate(SETS.items())
    ]
    return {
        "model": "lexical-1",
        "provenance": {
            "sets": sets,
            "date": date,
            "command": f"python tests/bench/fit_builtin.py FOLDER --date {date} --out lexical-1.json",
            "method": f"ridge logistic regressions ({RIDGE:g}); one intercept per set in fitting, the first one ships; "
            f"each answer of the first set once more beside another source's evidence (weight {STRANGER_WEIGHT:g}); "
            f"{FOLDS}-fold cross-validation by source; thresholds in the report are best in hindsight",
        },
        "cross_validation": report,
        "verdicts": VERDICTS,
        "claim": _named(claim, FEATURES),
        "answer": _named(answer, ANSWER_FEATURES),
        "stems": {"unknown": weights.unknown, "weights": dict(weights.known)},
    }


def _gold(date: str, answers: Answers, faithfulness: Array) -> dict[str, Any]:
    """Labels, verdicts and scores of answers of the first set, by models that saw nothing of their sources."""
    random = np.random.default_rng(GOLD_SEED)
    own = (answers.source == 0) & (np.array(answers.task) != STRANGERS)
    chosen: list[int] = []
    for label, size in GOLD_SIZES.items():
        rows = np.flatnonzero(own & (answers.supported == label))
        chosen += sorted(random.choice(rows, size, replace=False).tolist())
    return {
        "model": "lexical-1",
        "provenance": {
            "set": next(iter(SETS.values()))[1],
            "date": date,
            "command": f"python tests/bench/fit_builtin.py FOLDER --date {date} --gold gold-lexical-1.json",
            "method": f"140 supported and 60 unsupported answers drawn at random (seed {GOLD_SEED}); verdict and "
            f"score from {FOLDS}-fold cross-validation by source; no text of the set is in this file",
        },
        "truth": [int(answers.supported[row]) for row in chosen],
        "verdict": [int(faithfulness[row] >= 0.5) for row in chosen],
        "cheap": [round(float(faithfulness[row]), 4) for row in chosen],
    }


def _named(model: Fitted, names: Sequence[str]) -> dict[str, float]:
    pairs = zip(names, model.weights, strict=True)
    return {"intercept": round(model.intercept, 4)} | {
        name: round(float(weight), 4) for name, weight in pairs
    }


def _pretty(document: dict[str, Any]) -> str:
    """One line for each entry of the first two levels."""
    lines: list[str] = []
    for key, value in document.items():
        nested: dict[str, Any] = value if key in ("provenance", "cross_validation", "claim", "answer") else {}
        inner = ",\n".join(f'  "{name}": {json.dumps(one)}' for name, one in nested.items())
        lines.append(
            f' "{key}": ' + (f"{{\n{inner}\n }}" if nested else json.dumps(value, ensure_ascii=False))
        )
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    main()

"""Fit the coefficients of the built-in judge on labelled sets, and say how good they are.

    python -m tests.bench.fit_builtin FOLDER --date 2025-06-01 --ship

FOLDER holds the labelled sets as gzip JSONL (id, group, evidence, answer, label, unsupported_spans, …). Only sets
whose licence allows it are fitted; the others are only measured. The same input gives the same file. Splits are by
`group`, never by row. Sets differ in how often a claim is unsupported, so each has an intercept of its own while
fitting; the first set's, whole answers of retrieval-augmented services, ships. AttributionBench drew as many supported
citations of generative search engines as others; they count here by the share that Liu et al. found, 74.5 %.

The report is made twice: by cross-validation over all rows, and with 40 % of the groups kept aside, models and
thresholds being fixed on the others. With `--ship` this one command writes everything that rests on the fit: the
coefficients with that report, the sample of verdicts with labels, and docs/accuracy.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tests.bench.fitting.learn import Fitted
from tests.bench.fitting.models import (
    AMONG,
    RATE,
    RIDGE,
    SHARE,
    TREES,
    Chosen,
    Data,
    Predicted,
    aside,
    cross_validate,
    fit_answers,
    fit_chain,
    fit_spans,
)
from tests.bench.fitting.page import page
from tests.bench.fitting.report import Report, span_threshold
from tests.bench.fitting.rows import (
    FOLDS,
    STRANGERS,
    VERDICTS,
    Row,
    Source,
    extract,
    part,
    read,
    stem_weights,
    strangers,
)

from ragvigil.scorer.checks.alignment.model import ANSWER_FEATURES, CLAIM_FEATURES, SPAN_FEATURES
from ragvigil.scorer.checks.alignment.overlap import Weights
from ragvigil.scorer.checks.alignment.tokens import TOKEN_FEATURES
from ragvigil.scorer.checks.alignment.trees import Tree

SOURCES = (
    Source("ragtruth", 1.0, "RAGTruth (Niu et al., ACL 2024), MIT", strangers=0.03, strangers_among=0.003),
    Source(
        "wice",
        1.5,
        "WiCE (Kamoi et al., 2023), annotations ODC-BY",
        alone=2.0,
        strangers=0.1,
        strangers_among=0.1,
    ),
    Source(
        "attributionbench",
        4.0,
        "Evaluating Verifiability in Generative Search Engines (Liu et al., 2023), MIT",
        "Stanford-GenSearch",
        shares_intercept=True,
        supported=0.745,
        alone=6.0,
        strangers=0.5,
        strangers_among=0.5,
    ),
    Source("assin_pt", 0.1, "ASSIN 1 pt-BR and ASSIN 2, MIT"),
    Source("summedits", 0.05, "SummEdits (Laban et al., 2023), Apache-2.0"),
    Source("bump", 0.05, "BUMP (2023), MIT"),
    Source("attributionbench", 0.0, "AttributionBench (Li et al., 2024)"),
    Source("begin", 0.0, "BEGIN (Dziri et al., 2022)"),
    Source("qags", 0.0, "QAGS (Wang et al., 2020)"),
    Source("faithbench", 0.0, "FaithBench (2024), not for fitting"),
)
"""Where rows are from, and the weight of one; the first set's intercept ships."""
COUNTED = Source("nomiracl", 0.0, "NoMIRACL (Thakur et al., 2023), Apache-2.0")
"""Where words are counted besides, in four languages; its labels are not read."""
ROOT = Path(__file__).parents[2]
GOLD_SIZES = {1.0: 140, 0.0: 60}
"""For each label, how many answers of the first set are in the gold set."""
GOLD_SEED = 2025
_READ = frozenset(
    ("provenance", "cross_validation", "kept_aside", "token", "claim", "lone", "answer", "span")
)
_ASIDE = 2
"""Of five parts of the groups, how many are kept aside in the second report."""


def main() -> None:
    """Read, fit, report, write."""
    arguments = _arguments()
    rows = read(arguments.folder, SOURCES)
    counted = [(len(SOURCES), row) for _, row in read(arguments.folder, (COUNTED,))]
    weights = stem_weights([*[one for one in rows if SOURCES[one[0]].weight], *counted])
    alien = [place for place, source in enumerate(SOURCES) if source.strangers]
    rows += [one for place in alien for one in strangers(rows, place)]
    data = Data(*extract(rows, weights, SOURCES), len(SOURCES))
    everything = np.ones(len(data.answers.rows), dtype=bool)
    crossed = cross_validate(data, FOLDS, everything)
    reports = {
        "cross_validation": Report(data, crossed, everything, everything, crossed).all(),
        "kept_aside": _kept_aside(data),
    }
    sys.stdout.write(json.dumps(reports, indent=1) + "\n")
    if arguments.ship:
        document = _document(arguments.date, rows, weights, data, crossed) | reports
        _ship(document, _gold(arguments.date, data, crossed))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Fit the built-in judge.")
    parser.add_argument("folder", type=Path, help="folder of the labelled sets")
    parser.add_argument("--date", default="undated", help="date to write into the provenance")
    parser.add_argument("--ship", action="store_true", help="write the shipped files and docs/accuracy.md")
    return parser.parse_args()


def _ship(document: dict[str, Any], gold: dict[str, Any]) -> None:
    folder = ROOT / "scorer" / "ragvigil" / "scorer" / "data"
    (folder / "lexical-1.json").write_text(_pretty(document), "utf-8")
    (folder / "gold-lexical-1.json").write_text(json.dumps(gold, separators=(",", ":")) + "\n", "utf-8")
    (ROOT / "docs" / "accuracy.md").write_text(page(document), "utf-8")


def _gold(date: str, data: Data, crossed: Predicted) -> dict[str, Any]:
    """Labels, verdicts and scores of answers of the first set, each from a model that saw nothing of its source."""
    random = np.random.default_rng(GOLD_SEED)
    own, supported, faithful = _genuine(data), data.answers.supported, crossed.faithful
    chosen: list[int] = []
    for label, size in GOLD_SIZES.items():
        chosen += sorted(
            random.choice(np.flatnonzero(own & (supported == label)), size, replace=False).tolist()
        )
    return {
        "model": "lexical-1",
        "provenance": {
            "set": SOURCES[0].origin,
            "date": date,
            "command": f"python -m tests.bench.fit_builtin FOLDER --date {date} --ship",
            "method": f"140 supported and 60 unsupported answers drawn at random (seed {GOLD_SEED}); verdict and "
            f"score from {FOLDS}-fold cross-validation by source; no text of the set is in this file",
        },
        "truth": [int(supported[row]) for row in chosen],
        "verdict": [int(faithful[row] >= 0.5) for row in chosen],
        "cheap": [round(float(faithful[row]), 4) for row in chosen],
    }


def _genuine(data: Data) -> Chosen:
    """The first source's answers beside their own evidence."""
    genuine: Chosen = np.array([row["task"] != STRANGERS for row in data.answers.rows])
    own: Chosen = genuine & (data.answers.source == 0)
    return own


def _kept_aside(data: Data) -> dict[str, Any]:
    kept = np.array([part(f"aside/{group}", 5) < _ASIDE for group in data.answers.group])
    own = cross_validate(data, FOLDS, ~kept)
    return Report(data, aside(data, ~kept, own), ~kept, kept, own).all()


def _document(
    date: str, rows: Sequence[tuple[int, Row]], weights: Weights, data: Data, crossed: Predicted
) -> dict[str, Any]:
    everything = np.ones(len(data.answers.rows), dtype=bool)
    chain = fit_chain(data, everything)
    counts = Counter(place for place, row in rows if row["task"] != STRANGERS)
    sets = [
        {
            "set": one.subset or one.name,
            "from": one.origin,
            "rows": counts[place],
            "weight_of_a_row": one.weight,
            "times_that_where_it_is_one_claim": one.alone,
            "weight_of_a_stranger": one.strangers,
            "weight_of_a_stranger_among_others": one.strangers_among,
        }
        for place, one in enumerate(SOURCES)
        if one.weight
    ]
    return {
        "model": "lexical-1",
        "provenance": {
            "sets": sets,
            "words_counted_in_passages_of": [COUNTED.origin],
            "date": date,
            "command": f"python -m tests.bench.fit_builtin FOLDER --date {date} --ship",
            "method": f"ridge logistic regressions ({RIDGE['claim']:g}) of words, claims, answers and spans; claims "
            f"by the mean of theirs and {TREES} oblivious trees (rate {RATE:g}, each sees {SHARE:.0%} of the figures); "
            f"a claim that is all an answer says by a regression ({RIDGE['lone']:g}) and trees of its own mixed with "
            f"{AMONG:.0%} of the claims' ones; a word that the evidence lacks weighs by how usual it is that answers "
            "use it so and how often it is unfounded then, counted in other source groups; a regression of its own "
            f"({RIDGE['answer']:g}) for answers of several claims, from the first set; "
            "one intercept per set in fitting (GenSearch shares the first, "
            "its two classes weighted to the 74.5 % that Liu et al. found supported), the first one ships; answers of "
            "sets with a weight of strangers once more beside another question's evidence, "
            f"under the first intercept; {FOLDS}-fold cross-validation by source group",
        },
        "verdicts": VERDICTS | {"span_at": span_threshold(data, crossed, _genuine(data))},
        "token": _named(chain.token, TOKEN_FEATURES),
        "claim": _named(chain.claim, CLAIM_FEATURES),
        "trees": [_written(tree) for tree in chain.trees],
        "lone": _named(chain.lone, CLAIM_FEATURES),
        "lone_trees": [_written(tree) for tree in chain.lone_trees],
        "answer": _named(fit_answers(data, crossed.answer_figures, everything), ANSWER_FEATURES),
        "span": _named(fit_spans(data, crossed.span_figures, everything), SPAN_FEATURES),
        "novel_words": chain.novel,
        "stems": {"unknown": weights.unknown, "weights": dict(weights.known)},
    }


def _named(model: Fitted, names: Sequence[str]) -> dict[str, float]:
    pairs = zip(names, model.weights[: len(names)], strict=True)
    return {"intercept": round(model.intercept, 4)} | {
        name: round(float(weight), 4) for name, weight in pairs
    }


def _written(tree: Tree) -> list[Any]:
    cuts = (
        (tree.first, tree.first_above),
        (tree.second, tree.second_above),
        (tree.third, tree.third_above),
    )
    return [[[CLAIM_FEATURES[place], above] for place, above in cuts], list(tree.values)]


def _pretty(document: dict[str, Any]) -> str:
    """One line for each tree, and for each entry of the sections that people read."""
    lines: list[str] = []
    for key, value in document.items():
        if key in ("trees", "lone_trees"):
            inner, brackets = [json.dumps(one) for one in value], "[]"
        elif key in _READ:
            inner, brackets = [f'"{name}": {json.dumps(one)}' for name, one in value.items()], "{}"
        else:
            lines.append(f' "{key}": {json.dumps(value, ensure_ascii=False)}')
            continue
        entries = ",\n".join(f"  {one}" for one in inner)
        lines.append(f' "{key}": {brackets[0]}\n{entries}\n {brackets[1]}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    main()

"""Writes reference.json: what trec_eval, through pytrec_eval, says of small random runs.

    pip install pytrec_eval-terrier==0.5.11 && python tests/scorer/retrieval/make_reference.py

Ties, unjudged passages, grades 0 to 3, lists shorter than k, and queries that find nothing are among them.
"""

from __future__ import annotations

import importlib
import json
import random
from importlib.metadata import version
from pathlib import Path
from typing import Any

KS = (1, 3, 5, 10, 100)
CASES = 12
QUERIES = 4
OUT = Path(__file__).parent / "reference.json"
MEASURES = {
    "recall": "recall_{}",
    "precision": "P_{}",
    "hit_rate": "success_{}",
    "ndcg": "ndcg_cut_{}",
    "map": "map_cut_{}",
}
WHOLE = {"mrr": "recip_rank", "map": "map"}


def case(source: random.Random) -> dict[str, Any]:
    """Labels and scores of a few queries."""
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for number in range(QUERIES):
        name, passages = f"q{number}", [f"p{rank}" for rank in range(source.choice([4, 12, 40]))]
        top = source.choice([1, 3])
        labelled = source.sample(passages, source.randint(1, len(passages)))
        qrels[name] = {one: source.randint(0, top) for one in labelled}
        found = source.sample(passages, source.randint(1, len(passages)))
        steps = source.choice([2, 8, 1000])  # few steps are many ties
        run[name] = {one: source.randint(0, steps) / 8 for one in found}
    return {"qrels": qrels, "run": run, "level": source.choice([1, 1, 2])}


def values(given: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Every metric of every query, by the reference tool."""
    reference: Any = importlib.import_module("pytrec_eval")
    depths = ",".join(map(str, KS))
    wanted = {f"{one.format('').rstrip('_')}.{depths}" for one in MEASURES.values()} | set(WHOLE.values())
    tool = reference.RelevanceEvaluator(given["qrels"], wanted, relevance_level=given["level"])
    return {
        query: {
            **{
                f"{ours}@{k}": round(found[theirs.format(k)], 9)
                for ours, theirs in MEASURES.items()
                for k in KS
            },
            **{ours: round(found[theirs], 9) for ours, theirs in WHOLE.items()},
        }
        for query, found in tool.evaluate(given["run"]).items()
    }


def main() -> None:
    """Write the file."""
    source = random.Random(11)
    cases = [case(source) for _ in range(CASES)]
    made_by = f"pytrec_eval-terrier {version('pytrec_eval-terrier')}"
    told = {"made_by": made_by, "cases": [{**one, "values": values(one)} for one in cases]}
    OUT.write_text(json.dumps(told, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()

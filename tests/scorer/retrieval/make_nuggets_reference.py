"""Writes nuggets_reference.json: what ndeval, through pyndeval, says of small random runs over nuggets.

    pip install pyndeval==0.0.8 && python tests/scorer/retrieval/make_nuggets_reference.py

Passages that hold several nuggets or none, and lists shorter than k, are among them.
"""

from __future__ import annotations

import importlib
import json
import random
from importlib.metadata import version
from pathlib import Path
from typing import Any

KS = (5, 10, 20)
CASES = 40
OUT = Path(__file__).parent / "nuggets_reference.json"


def case(source: random.Random) -> dict[str, Any]:
    """The holders of a query's nuggets, and a ranking."""
    passages = [f"p{number:02d}" for number in range(source.choice([4, 12, 40]))]
    held = [
        source.sample(passages, source.randint(1, min(6, len(passages)))) for _ in range(source.randint(1, 6))
    ]
    found = source.sample([*passages, "x1", "x2", "x3"], source.randint(1, len(passages)))
    return {"nuggets": [sorted(one) for one in held], "ids": found}


def values(given: dict[str, Any]) -> dict[str, float]:
    """Both metrics, by the reference tool."""
    reference: Any = importlib.import_module("pyndeval")
    labels = [("q", str(number), one, 1) for number, held in enumerate(given["nuggets"]) for one in held]
    run = [("q", name, float(-rank)) for rank, name in enumerate(given["ids"])]
    wanted = [f"{one}@{k}" for one in ("alpha-nDCG", "strec") for k in KS]
    found = reference.ndeval(
        [reference.SubtopicQrel(*one) for one in labels],
        [reference.ScoredDoc(*one) for one in run],
        measures=wanted,
    )["q"]
    return {name: round(found[name], 9) for name in wanted}


def main() -> None:
    """Write the file."""
    source = random.Random(12)
    cases = [case(source) for _ in range(CASES)]
    told = {
        "made_by": f"pyndeval {version('pyndeval')}",
        "cases": [{**one, "values": values(one)} for one in cases],
    }
    OUT.write_text(json.dumps(told, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()

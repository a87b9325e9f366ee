"""A small test set with its corpus, and the real command on them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from ragvigil.scorer.commands._app import run

KINDS = [
    kind
    for kind, count in {
        "coverage": 8,
        "partial": 4,
        "out_of_corpus": 3,
        "ambiguous": 2,
        "adversarial": 2,
        "long_tail": 1,
    }.items()
    for _ in range(count)
]


def row(number: int) -> dict[str, object]:
    """A question; of twenty in a row, the kinds are as they should be."""
    kind = KINDS[number % len(KINDS)]
    told: dict[str, object] = {
        "query_id": f"q{number}",
        "query": f"What is the fee of office {number}?",
        "intent": "fees",
        "language": "de" if number % 2 else "en",
        "tags": [kind],
    }
    if kind == "out_of_corpus":
        return told | {"expected_refusal": True, "answer_type": "no_answer"}
    fee = f"{10 + number} euros"
    return told | {
        "golden_context_ids": [f"d{number}"],
        "golden_answer": f"The fee of office {number} is {fee}.",
        "required_facts": [fee],
    }


def documents(count: int) -> list[dict[str, str]]:
    """The passages behind so many of them."""
    return [{"id": f"d{n}", "text": f"The fee of office {n} is {10 + n} euros."} for n in range(count)]


def written(path: Path, rows: Iterable[Mapping[str, object]]) -> Path:
    """The rows as a file."""
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return path


def ragvigil(*arguments: object) -> int:
    """The exit code of the command, as somebody types it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["ragvigil", *map(str, arguments)])
        return run()

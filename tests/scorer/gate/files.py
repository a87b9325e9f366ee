"""A gate with its files, and answers that are right."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.scorer.testset.sets import documents, ragvigil, row, written

REFUSAL = "I cannot answer this question: the documents say nothing about it."


def answer(number: int, *, text: str | None = None, **more: object) -> dict[str, object]:
    """The right answer to a question of the set, or another text; refused where that is right."""
    told = row(number)
    right = REFUSAL if told.get("expected_refusal") else f"{told['golden_answer']} [d{number}]"
    return {
        "id": f"q{number}",
        "query": told["query"],
        "evidence": documents(number + 1)[number:],
        "answer": right if text is None else text,
        **more,
    }


def right(count: int) -> list[dict[str, object]]:
    """Right answers to the first questions."""
    return [answer(number) for number in range(count)]


class Files:
    """A gate, a test set, and answers to it."""

    def __init__(self, folder: Path, gate: str, rows: int = 60) -> None:
        self.folder, self.gate = folder, folder / "gate.toml"
        self.gate.write_text(gate, encoding="utf-8")
        self.testset = written(folder / "set.jsonl", map(row, range(rows)))

    def answers(self, rows: Iterable[Mapping[str, object]], name: str = "answers") -> Path:
        """Answers as a file."""
        return written(self.folder / f"{name}.jsonl", rows)

    def run(self, rows: Iterable[Mapping[str, object]], *more: object) -> int:
        """The exit code of the gate on these answers."""
        return ragvigil("gate", self.gate, "--answers", self.answers(rows), "--testset", self.testset, *more)


def told(capsys: pytest.CaptureFixture[str]) -> Any:
    """What `--json` printed."""
    return json.loads(capsys.readouterr().out)

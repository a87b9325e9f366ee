"""Answers whose lines end as those of Windows say what they say with other lines."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ragvigil.scorer.checks import run_checks
from ragvigil.scorer.trace import RagTrace

ANSWERS = {
    "table": "Both hold water:\n\n| Model | Holds |\n|---|---|\n| X200 | 12 litres [1] |\n| X300 | 14 litres [2] |\n",
    "list": "## Models\n\n1. X200: 12 litres [1]\n2. X300: 14 litres [2]\n\nWhich one do you have?",
    "references": "X200 holds 12 litres [a].\n\nReferences:\n[a] doc-1\n[b] doc-2\n",
    "code": "X300 holds 14 litres [2].\n\n```\nlitres[1] = 12\n```\n",
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_lines_of_windows_change_no_finding(record: Callable[..., RagTrace], answer: str) -> None:
    """Heads of tables, items, references and code are seen."""
    passages = (("doc-1", "Model X200 holds 12 litres."), ("doc-2", "Model X300 holds 14 litres."))
    plain, windows = (
        {one.check: one.value for one in run_checks(record(text, *passages))}
        for text in (answer, answer.replace("\n", "\r\n"))
    )
    assert windows == plain

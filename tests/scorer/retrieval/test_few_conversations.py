"""Queries of a conversation are not independent: of three conversations nothing is known of a fourth."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tests.scorer.retrieval.test_retrieval_command import asked, figure, lines, told

from ragvigil.scorer.estimate.resampled import resampled


def test_fewer_than_10_conversations_have_no_interval() -> None:
    """Of three that all turned the same way one in four would be called better with nothing behind it."""
    values, ends = np.ones((27, 1)), [(0.0, 1.0)]
    assert resampled(values, np.arange(27) // 3, ends) is None
    assert resampled(np.ones((30, 1)), np.arange(30) // 3, ends) is not None
    assert resampled(values, np.arange(27), ends) is not None, "each query by itself is no cluster"


def test_a_run_says_how_many_conversations_it_is_of_and_judges_no_difference_of_three(tmp_path: Path) -> None:
    """Else 21 queries in 3 conversations that all turned are `better`."""
    names = [f"q{n}" for n in range(21)]
    rows = [
        {"query_id": name, "query": name, "golden_context_ids": ["p"], "conversation_id": f"c{n % 3}"}
        for n, name in enumerate(names)
    ]
    queries = lines(tmp_path / "q.jsonl", rows)
    old = lines(tmp_path / "old", [{"query_id": name, "ids": ["x", "p"]} for name in names])
    new = lines(tmp_path / "new", [{"query_id": name, "ids": ["p", "x"]} for name in names])
    found = told(queries, "--run", old, "--run", new)
    assert [one["conversations"] for one in found["runs"]] == [3, 3]
    mrr = figure(found["runs"][0], "mrr", 10)
    assert (mrr["lower"], mrr["n"], mrr["conversations"]) == (None, 21, 3)
    assert {one["word"] for one in found["comparisons"][0]["moved"]} == {"too few"}
    text = asked(queries, "--run", old, "--run", new).stdout
    assert "21 queries in 3 conversations" in text
    assert "too few to tell: too few conversations (3 of at least 10)" in text

"""Every metric is what trec_eval says it is: a team compares our figures with published ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragvigil.scorer.retrieval import Query, by_score
from ragvigil.scorer.retrieval.measure import Each

REFERENCE: dict[str, Any] = json.loads((Path(__file__).parent / "reference.json").read_text())


@pytest.mark.parametrize("number", range(len(REFERENCE["cases"])))
def test_a_run_has_the_values_of_the_reference_tool(number: int) -> None:
    """With ties, unjudged passages, grades, lists shorter than k, and queries without a relevant passage."""
    case = REFERENCE["cases"][number]
    for query, values in case["values"].items():
        each = Each(Query(query, None, case["qrels"][query]), by_score(case["run"][query]), case["level"])
        for called, expected in values.items():
            metric, _, k = called.partition("@")
            found = each.value((metric, int(k) if k else None))
            assert found == pytest.approx(expected, abs=1e-8), (query, called)


def test_the_table_says_what_made_it_and_holds_the_odd_cases() -> None:
    """Else the comparison would be with nothing, or with easy cases only."""
    assert REFERENCE["made_by"].startswith("pytrec_eval-terrier ")
    cases = REFERENCE["cases"]
    runs = [(case["qrels"][query], run) for case in cases for query, run in case["run"].items()]
    assert any(len(set(run.values())) < len(run) for _, run in runs), "ties"
    assert any(set(run) - set(labels) for labels, run in runs), "unjudged"
    assert any(max(labels.values()) > 1 for labels, _ in runs), "grades"
    assert any(len(run) < 3 for _, run in runs), "k beyond the list"
    assert any(not any(labels.values()) for labels, _ in runs), "nothing relevant"
    assert {case["level"] for case in cases} == {1, 2}

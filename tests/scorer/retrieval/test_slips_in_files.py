"""Slips in files of labels and runs: each is told with its file, its line and the fix."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.scorer.retrieval.test_retrieval_command import asked, figure, lines, told

GOOD = {"query_id": "a", "query": "A?", "golden_context_ids": ["p"]}


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (
            {"query": "B?", "golden_context_id": ["p"]},
            "line 3, golden_context_id: is not read; did you mean golden_context_ids?",
        ),
        (
            {"query": "B?", "golden_context_ids": ["p"], "hops": ["p", "q"]},
            "line 3, hops: 'q' is not relevant by golden_context_ids; put it there",
        ),
        (
            {"query": "B?", "golden_context_ids": ["p"], "evidence": "text"},
            "q.jsonl, line 3, evidence: must be a list of passages",
        ),
    ],
)
def test_a_slip_in_a_row_among_good_ones_is_told(
    row: dict[str, object], problem: str, tmp_path: Path
) -> None:
    """It was left out of every mean, or told with the number of another line."""
    found = asked(lines(tmp_path / "q.jsonl", [GOOD, "", row]))
    assert problem in str(found.exception)


def test_labels_elsewhere_leave_the_rows_own_unread(tmp_path: Path) -> None:
    """With --qrels a row without golden_context_ids is no slip."""
    queries = lines(tmp_path / "q.jsonl", [{"query_id": "a", "query": "A?", "golden_context_id": ["p"]}])
    run = lines(tmp_path / "run", [{"query_id": "a", "ids": ["p"]}])
    qrels = lines(tmp_path / "qrels.tsv", ["a\tp\t1000"])
    (found,) = told(queries, "--run", run, "--qrels", qrels, "--relevant-from", "1000")["runs"]
    assert figure(found, "mrr", 1)["value"] == 1.0


def test_a_grade_above_the_highest_is_refused_in_either_format(tmp_path: Path) -> None:
    """1,000 is one in both."""
    graded = [{**GOOD, "golden_context_ids": {"p": 1_001}}]
    assert "a whole number to 1,000" in str(asked(lines(tmp_path / "q.jsonl", graded)).exception)
    queries = lines(tmp_path / "q.jsonl", [GOOD])
    qrels = lines(tmp_path / "qrels.tsv", ["a\tp\t1001"])
    assert "not '1001'; the highest is 1,000" in str(asked(queries, "--qrels", qrels).exception)


@pytest.mark.parametrize("option", ["--run", "--qrels"])
def test_a_file_that_gzip_wrote_is_called_so(option: str, tmp_path: Path) -> None:
    """`not an OTLP export` sends people looking in the wrong place."""
    queries = lines(tmp_path / "q.jsonl", [GOOD])
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(queries.read_bytes()))
    assert "packed.gz: is packed with gzip; unpack it first" in str(asked(queries, option, packed).exception)


def test_an_empty_run_is_called_empty(tmp_path: Path) -> None:
    """A retriever that failed leaves one behind."""
    found = asked(lines(tmp_path / "q.jsonl", [GOOD]), "--run", lines(tmp_path / "run", [""]))
    assert "run: is empty; a run has a line for each query" in str(found.exception)

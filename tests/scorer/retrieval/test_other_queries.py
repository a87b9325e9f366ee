"""A run of other queries, or labels that leave none, must not become a table of zeros."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.scorer.retrieval.test_retrieval_command import asked, figure, lines, told

from ragvigil.scorer.retrieval import Query, Run, measure


@pytest.fixture
def queries(tmp_path: Path) -> Path:
    """Three questions, each with one golden passage."""
    rows = [{"query_id": f"q{n}", "query": f"p{n}?", "golden_context_ids": [f"p{n}"]} for n in range(3)]
    return lines(tmp_path / "queries.jsonl", rows)


def test_a_run_of_other_queries_is_refused_with_ids_of_both(queries: Path, tmp_path: Path) -> None:
    """Ids with a prefix more are a common slip, and zeros look like a bad retriever."""
    run = lines(tmp_path / "run", [{"query_id": "query-0", "ids": ["p0"]}])
    found = asked(queries, "--run", run)
    assert re.search(
        "no labelled query: its ids are as 'query-0', labelled ones as 'q0'", str(found.exception)
    )


def test_queries_of_a_run_that_nobody_labelled_are_counted_with_one_of_them(
    queries: Path, tmp_path: Path
) -> None:
    """They may be the same ones under other ids."""
    run = lines(tmp_path / "run", [{"query_id": name, "ids": ["p0"]} for name in ("q0", "Q1", "Q2")])
    (found,) = told(queries, "--run", run)["runs"]
    assert "2 queries of the run are not among these, such as 'Q1'" in found["notes"]


def test_a_grade_that_no_passage_has_is_refused(queries: Path, tmp_path: Path) -> None:
    """Nothing would be measured, with exit code 0."""
    run = lines(tmp_path / "run", [{"query_id": "q0", "ids": ["p0"]}])
    found = asked(queries, "--run", run, "--relevant-from", "5")
    assert "none has a passage of grade 5 or above; lower --relevant-from" in str(found.exception)


def test_unjudged_is_of_lists_that_hold_something_and_leaves_out_repeats(
    queries: Path, tmp_path: Path
) -> None:
    """An empty list has no share of anything, and a passage that comes twice was judged or not once."""
    rows = ['{"query_id": "q0", "ids": ["p0", "p0", "x", "x"]}', '{"query_id": "q1", "ids": []}']
    run = lines(tmp_path / "run", rows)
    text = asked(queries, "--run", run, "--k", "4").stdout
    (found,) = told(queries, "--run", run, "--k", "4")["runs"]
    unjudged = figure(found, "unjudged", 4)
    assert (unjudged["value"], unjudged["n"]) == (0.5, 1)
    assert ["unjudged@4" in one for one in found["each"]] == [True, False, False]
    assert re.search(r"unjudged +0\.500 +n=1", text)


def test_two_hop_recall_is_compared_on_the_queries_that_have_hops(tmp_path: Path) -> None:
    """It was left out: whoever mends hops could not see whether it helped."""
    rows: list[dict[str, object]] = [
        {"query_id": "a", "query": "A?", "hops": ["p", "q"]},
        {"query_id": "b", "query": "B?", "golden_context_ids": ["p"]},
    ]
    queries = lines(tmp_path / "q.jsonl", rows)
    old = lines(tmp_path / "old", [{"query_id": "a", "ids": ["p"]}, {"query_id": "b", "ids": ["p"]}])
    new = lines(tmp_path / "new", [{"query_id": "a", "ids": ["p", "q"]}, {"query_id": "b", "ids": ["p"]}])
    (compared,) = told(queries, "--run", old, "--run", new, "--k", "2")["comparisons"]
    (hops,) = [one for one in compared["moved"] if one["metric"] == "two_hop_recall"]
    assert (hops["difference"], hops["n"]) == (1.0, 1)
    assert {one["n"] for one in compared["moved"] if one is not hops} == {2}


def test_runs_whose_lists_are_of_other_depth_are_told(queries: Path, tmp_path: Path) -> None:
    """Recall at 100 of lists that were cut at 1 and at 3 compares the cuts."""
    short = lines(tmp_path / "short", [{"query_id": "q0", "ids": ["p1"]}])
    long = lines(tmp_path / "long", [{"query_id": "q0", "ids": ["p1", "p2", "p0"]}])
    (compared,) = told(queries, "--run", short, "--run", long)["comparisons"]
    assert "hold at most 1 / 3 passages: below rank 1" in compared["notes"][0]
    assert "hold at most 1 / 3 passages" in asked(queries, "--run", short, "--run", long).stdout
    (alike,) = told(queries, "--run", long, "--run", long)["comparisons"]
    assert alike["notes"] == []


def test_of_many_labels_the_first_is_named_each_time() -> None:
    """The same files have the same report, whatever the order in which a set gives its members."""
    labels = {f"p{number}": 1 for number in range(40)}
    (note,) = measure([Query("q", None, labels)], Run("r", {"q": ("x",)}), [1]).notes
    assert note.endswith("are the ids of one kind? Found 'x', labelled 'p0'")

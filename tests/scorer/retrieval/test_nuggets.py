"""Metrics over nuggets: what FreshStack's are, by ndeval and by hand, and rows as FreshStack writes them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.scorer.retrieval.test_retrieval_command import asked, figure, lines, told

from ragvigil.scorer.retrieval.nuggets import alpha_ndcg, coverage
from ragvigil.scorer.testset.freeze import frozen
from ragvigil.scorer.testset.read import read_testset

REFERENCE: dict[str, Any] = json.loads((Path(__file__).parent / "nuggets_reference.json").read_text())
FRESH = {
    "query_id": "77",
    "query_title": "How do I stream?",
    "query_text": "With tools, I mean.",
    "nuggets": [
        {
            "_id": "77_0",
            "text": "Set stream.",
            "relevant_corpus_ids": ["a", "b"],
            "non_relevant_corpus_ids": ["z"],
        },
        {
            "_id": "77_1",
            "text": "Join parts.",
            "relevant_corpus_ids": ["c"],
            "non_relevant_corpus_ids": ["a"],
        },
    ],
}


def test_both_metrics_are_those_of_the_reference_tool() -> None:
    """Of passages with several nuggets and with none, and of lists shorter than k."""
    assert REFERENCE["made_by"].startswith("pyndeval ")
    for case in REFERENCE["cases"]:
        held = [frozenset(one) for one in case["nuggets"]]
        for k in (5, 10, 20):
            values = case["values"]
            assert alpha_ndcg(case["ids"], held, k) == pytest.approx(values[f"alpha-nDCG@{k}"], abs=1e-8)
            assert coverage(case["ids"], held, k) == pytest.approx(values[f"strec@{k}"], abs=1e-8)


def test_a_nugget_that_comes_again_counts_half() -> None:
    """By hand: a holds both nuggets, b the first, c the second; b, c, a gains 1, 1 and a half and a half."""
    held = [frozenset({"a", "b"}), frozenset({"a", "c"})]
    ranked = 1.0 + 1.0 / math.log2(3) + (0.5 + 0.5) / 2.0
    best = 2.0 + 0.5 / math.log2(3) + 0.5 / 2.0
    assert alpha_ndcg(["b", "c", "a"], held, 10) == pytest.approx(ranked / best)
    assert coverage(["b", "x", "c"], held, 2) == 0.5


def test_a_nugget_that_no_passage_holds_is_never_covered() -> None:
    """As FreshStack counts it; nothing at all is 0."""
    assert coverage(["a"], [frozenset({"a"}), frozenset()], 5) == 0.5
    assert (alpha_ndcg(["a"], [frozenset()], 5), alpha_ndcg([], [], 5), coverage([], [], 5)) == (
        0.0,
        0.0,
        0.0,
    )


def test_rows_of_freshstack_are_read_and_its_three_metrics_told(tmp_path: Path) -> None:
    """Title and text are the question; what holds no nugget was looked at all the same."""
    queries = lines(tmp_path / "q.jsonl", [FRESH])
    run = lines(tmp_path / "run.jsonl", [{"query_id": "77", "ids": ["z", "a", "b"]}])
    (found,) = told(queries, "--run", run, "--k", "1,3")["runs"]
    three = {(one["metric"], one["k"]): one["value"] for one in found["by_kind"]["nuggets"]}
    assert three["nugget_coverage", 20] == 0.5
    assert three["recall", 50] == pytest.approx(2 / 3)
    gained = 1.0 / math.log2(3) + 0.5 / 2.0
    assert three["alpha_ndcg", 10] == pytest.approx(gained / (1.0 + 1.0 / math.log2(3) + 0.5 / 2.0))
    assert figure(found, "nugget_coverage", 1)["value"] == 0.0
    assert figure(found, "unjudged", 3)["value"] == 0.0
    said = asked(queries, "--run", run, "--k", "1,3").stdout
    assert "nuggets (1 queries): alpha_ndcg@10 0.468, nugget_coverage@20 0.500, recall@50 0.667" in said
    assert "How do I stream? With tools, I mean." in said


def test_two_runs_are_compared_by_their_nuggets(tmp_path: Path) -> None:
    """On the queries that have some."""
    rows: list[dict[str, Any]] = [{**FRESH, "query_id": f"q{n}"} for n in range(30)]
    rows += [{"query_id": "plain", "query": "Why?", "golden_context_ids": ["a"]}]
    queries = lines(tmp_path / "q.jsonl", rows)
    one, other = (
        lines(tmp_path / name, [{"query_id": row["query_id"], "ids": ids} for row in rows])
        for name, ids in (("one", ["a", "b"]), ("other", ["a", "c"]))
    )
    (compared,) = told(queries, "--run", one, "--run", other, "--k", "2")["comparisons"]
    moved = {each["metric"]: (each["difference"], each["word"], each["n"]) for each in compared["moved"]}
    assert moved["nugget_coverage"] == (0.5, "better", 30)


@pytest.mark.parametrize(
    ("nuggets", "problem"),
    [
        ("a", "nuggets: must be a list of objects"),
        (["a"], "nuggets[0]: must be an object with golden_context_ids"),
        ([{"text": "t"}], "nuggets[0], golden_context_ids: is missing"),
        ([{"golden_context_id": ["a"]}], "did you mean golden_context_ids?"),
        ([{"golden_context_ids": "a"}], "nuggets[0], golden_context_ids: must be a list of ids"),
        ([{"golden_context_ids": [""]}], "nuggets[0], golden_context_ids[0]: must be the id of a passage"),
    ],
)
def test_nuggets_that_are_none_are_named(tmp_path: Path, nuggets: object, problem: str) -> None:
    """By line and field."""
    row = {"query_id": "a", "query": "A?", "golden_context_ids": ["a"], "nuggets": nuggets}
    assert problem in str(asked(lines(tmp_path / "q.jsonl", [row])).exception)


def test_a_test_set_may_have_nuggets_and_be_frozen(tmp_path: Path) -> None:
    """Else `ragvigil testset freeze` would refuse what `ragvigil retrieval` takes."""
    row = {"query_id": "a", "query": "A?", "nuggets": [{"text": "t", "golden_context_ids": ["p"]}]}
    locked = tmp_path / "locked.jsonl"
    locked.write_text(frozen(read_testset(lines(tmp_path / "set.jsonl", [row])), None).text)
    run = lines(tmp_path / "run.jsonl", [{"query_id": "a", "ids": ["p"]}])
    (found,) = told(locked, "--run", run)["runs"]
    assert figure(found, "alpha_ndcg", 1)["value"] == 1.0


def test_a_set_says_how_old_its_documents_are(tmp_path: Path) -> None:
    """By dates of its passages, in whatever form; a passage without one is counted."""
    (tmp_path / "qrels").mkdir()
    lines(tmp_path / "queries.jsonl", [FRESH])
    dated: list[dict[str, Any]] = [
        {"date": "2024-10-01"},
        {"metadata": {"updated_at": "2024-10-03T00:00:00Z"}},
    ]
    dated += [{"timestamp": 1727913600}, {"date": "yesterday"}]
    corpus = lines(
        tmp_path / "corpus.jsonl", [{"_id": str(n), "text": "t", **one} for n, one in enumerate(dated)]
    )
    run = lines(tmp_path / "run.jsonl", [{"query_id": "77", "ids": ["a"]}])
    (note,) = told(tmp_path, "--run", run)["notes"]
    assert note.startswith("corpus.jsonl: 3 of 4 passages say a date; half of them are older than ")
    assert note.endswith(" days, the newest is of 2024-10-03")
    lines(corpus, [{"_id": "a", "text": "t"}])
    assert told(tmp_path, "--run", run)["notes"] == [
        "corpus.jsonl: no passage says a date, so nobody knows how old these documents are"
    ]

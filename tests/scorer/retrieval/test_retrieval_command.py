"""``ragvigil retrieval``: labels and runs as teams have them, and what is told of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.scorer.offline.test_read import TRACES
from tests.scorer.store.records import RECORD, scored
from typer.testing import CliRunner, Result

from ragvigil.scorer.commands._app import app
from ragvigil.scorer.config import load
from ragvigil.scorer.errors import InputError
from ragvigil.scorer.retrieval.evaluation import runs_named
from ragvigil.scorer.retrieval.labels import labelled
from ragvigil.scorer.retrieval.queries import KINDS
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.testset.freeze import frozen
from ragvigil.scorer.testset.read import read_testset
from ragvigil.scorer.trace import Document

OPENING = "Wann ist die Bibliothek am Samstag geöffnet?"
"""What the recorded traces ask."""
RETRIEVER = """
class Mine:
    def search(self, corpus, queries, top_k):
        return {name: {one: float(one in text) for one in sorted(corpus)[:top_k]} for name, text in queries.items()}

broken = object()

class Failing(Mine):
    def search(self, corpus, queries, top_k):
        raise KeyError("index")
"""


def lines(path: Path, rows: Iterable[Mapping[str, object] | str]) -> Path:
    """A file with a row on each line."""
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


def asked(*arguments: object) -> Result:
    """What the command says."""
    return CliRunner().invoke(app, ["retrieval", *map(str, arguments)])


def told(*arguments: object) -> dict[str, Any]:
    """What it says to programs."""
    found = asked(*arguments, "--json")
    assert found.exit_code == 0, found.exception
    answer: dict[str, Any] = json.loads(found.stdout)
    return answer


def figure(run: Mapping[str, Any], metric: str, k: int | None) -> dict[str, Any]:
    """One figure of a run."""
    figures: list[dict[str, Any]] = run["figures"]
    (found,) = [one for one in figures if (one["metric"], one["k"]) == (metric, k)]
    return found


@pytest.fixture
def queries(tmp_path: Path) -> Path:
    """Forty questions, each with one golden passage, as `ragvigil synth` writes them."""
    rows = [
        {
            "query_id": f"q{n}",
            "query": f"Is it p{n}?",
            "golden_context_ids": [f"p{n}"],
            "intent": "single_fact",
        }
        for n in range(40)
    ]
    return lines(tmp_path / "queries.jsonl", rows)


def run_file(path: Path, right: int) -> Path:
    """A run that has the golden passage first for the first `right` questions, and second for the others."""
    rows = [{"query_id": f"q{n}", "ids": [f"p{n}", "x"] if n < right else ["x", f"p{n}"]} for n in range(40)]
    return lines(path, rows)


def test_a_run_is_shown_with_n_an_interval_and_the_metric_of_its_kind_of_query(
    queries: Path, tmp_path: Path
) -> None:
    """MRR is what counts for a single fact; the worst queries are named, so that somebody can look at them."""
    run = run_file(tmp_path / "run.jsonl", 30)
    (found,) = told(queries, "--run", run)["runs"]
    mrr = figure(found, "mrr", 10)
    assert (mrr["value"], mrr["n"], mrr["target"]) == (0.875, 40, 0.7)
    assert 0.75 < mrr["lower"] < 0.875 < mrr["upper"] < 0.95
    assert {one["k"] for one in found["figures"] if one["metric"] == "ndcg"} == {1, 3, 5, 10, 100}
    assert [(one["metric"], one["k"]) for one in found["by_kind"]["single_fact"]] == [("mrr", 1), ("mrr", 2)]
    assert [one["first"] for one in found["worst"]] == [2] * 10
    assert figure(found, "unjudged", 3)["value"] == 0.5
    assert found["each"][39]["mrr@1"] == 0.0
    text = asked(queries, "--run", run, "--worst", "1").stdout
    assert "run.jsonl: 40 queries" in text
    assert "q30: recall 1.00 of 1, first at rank 2: Is it p30?" in text
    assert "nobody judged count as not relevant" in text


def test_two_runs_are_compared_query_by_query_and_small_differences_are_called_noise(
    queries: Path, tmp_path: Path
) -> None:
    """S7: one question more of 40 is no improvement, 20 more are; the queries that changed are named."""
    base, slightly, much = (run_file(tmp_path / f"{n}.jsonl", n) for n in (10, 11, 30))
    found = told(queries, "--run", base, "--run", slightly, "--run", much)["comparisons"]
    words = [{(m["metric"], m["k"]): m["word"] for m in one["moved"]} for one in found]
    assert [one["mrr", 10] for one in words] == ["noise", "better"]
    assert words[1]["recall", 10] == "noise", "both find everything: an interval without width would be a lie"
    (moved,) = [m for m in found[1]["moved"] if (m["metric"], m["k"]) == ("mrr", 10)]
    assert moved["lower"] < moved["difference"] == 0.25 < moved["upper"]
    assert [one["id"] for one in found[0]["turned"]] == ["q10"]
    text = asked(queries, "--run", base, "--run", slightly).stdout
    assert "noise: smaller than its interval" in text


def test_a_frozen_test_set_is_read_and_the_type_of_its_answers_says_the_kind_of_query(tmp_path: Path) -> None:
    """Its first line is no question, and its intents may be topics."""
    row = {"query_id": "a", "query": "A?", "intent": "fees", "golden_context_ids": ["p"]}
    plain = lines(tmp_path / "set.jsonl", [row, {**row, "query_id": "b", "answer_type": "short_fact"}])
    locked = tmp_path / "locked.jsonl"
    locked.write_text(frozen(read_testset(plain), None).text, encoding="utf-8")
    run = lines(tmp_path / "run.jsonl", [{"query_id": "a", "ids": ["p"]}])
    (found,) = told(locked, "--run", run)["runs"]
    assert (found["queries"], set(found["by_kind"])) == (2, {"fees", "single_fact"})


def test_a_row_of_a_test_set_may_name_its_two_hops(tmp_path: Path) -> None:
    """Else `ragvigil testset freeze` would refuse what `ragvigil retrieval` asks for."""
    told_row = {"query_id": "a", "query": "A?", "golden_context_ids": ["p", "q"], "hops": ["p", "q"]}
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps(told_row), encoding="utf-8")
    assert read_testset(path).rows[0].hops == ("p", "q")
    path.write_text(json.dumps({**told_row, "hops": ["p"]}), encoding="utf-8")
    with pytest.raises(InputError, match=r"hops.1: is missing \(two passages"):
        read_testset(path)


def test_few_queries_have_means_without_an_interval(tmp_path: Path) -> None:
    """They say nothing of other queries, and a difference is not judged."""
    few = lines(tmp_path / "few.jsonl", [{"query_id": "a", "query": "A?", "golden_context_ids": ["p"]}])
    run = lines(tmp_path / "run.jsonl", [{"query_id": "a", "ids": ["p"]}])
    found = told(few, "--run", run, "--run", run)
    recall = figure(found["runs"][0], "recall", 1)
    assert [recall[key] for key in ("value", "lower", "upper", "n")] == [1.0, None, None, 1]
    assert {one["word"] for one in found["comparisons"][0]["moved"]} == {"too few"}
    assert "fewer than 20 queries" in asked(few, "--run", run).stdout


def test_the_layout_of_beir_is_read_and_a_retriever_of_ones_own_is_asked(tmp_path: Path) -> None:
    """Corpus, queries and qrels as thousands of sets have them; any object with `search`."""
    lines(tmp_path / "corpus.jsonl", [{"_id": f"p{n}", "title": "", "text": "x"} for n in range(3)])
    lines(tmp_path / "queries.jsonl", [{"_id": "a", "text": "p1"}, {"_id": "b", "text": "p2"}])
    (tmp_path / "qrels").mkdir()
    lines(tmp_path / "qrels" / "test.tsv", ["query-id\tcorpus-id\tscore", "a\tp1\t2", "b\tp0\t1", "c\tp0\t1"])
    (tmp_path / "mine.py").write_text(RETRIEVER)
    found = told(tmp_path, "--retriever", f"{tmp_path / 'mine.py'}:Mine", "--k", "1,2")
    (run,) = found["runs"]
    assert [one["recall@1"] for one in run["each"]] == [1.0, 0.0]
    assert "1 queries of test.tsv are not in queries.jsonl" in found["notes"]
    assert any("equal score" in note for note in run["notes"])


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("broken", "has no search"),
        ("Failing", r"search failed: KeyError: 'index' \(mine.py, line 10\)"),
        ("none", "there is no none in it"),
    ],
)
def test_a_retriever_that_cannot_be_used_is_named_with_why(
    name: str, problem: str, queries: Path, tmp_path: Path
) -> None:
    """Its own line, not one of ours."""
    (tmp_path / "mine.py").write_text(RETRIEVER)
    corpus = lines(tmp_path / "corpus.jsonl", [{"_id": "p1", "text": "x"}])
    found = asked(queries, "--retriever", f"{tmp_path / 'mine.py'}:{name}", "--passages", corpus)
    assert re.search(problem, str(found.exception)), found.exception


def test_a_trec_run_is_ordered_by_score_not_by_its_ranks(queries: Path, tmp_path: Path) -> None:
    """As trec_eval does; ranks in such files are often wrong."""
    run = lines(tmp_path / "run.txt", ["q0 Q0 x 1 0.1 tag", "q0 Q0 p0 2 0.9 tag"])
    (found,) = told(queries, "--run", run)["runs"]
    assert found["each"][0]["mrr@1"] == 1.0
    assert found["queries"] == 40
    assert (
        "39 queries are not in the run and count as finding nothing, as with trec_eval -c" in found["notes"]
    )


def test_trecs_labels_may_be_graded_and_from_which_grade_is_said(queries: Path, tmp_path: Path) -> None:
    """`query 0 passage grade`; what is only marginal need not count."""
    qrels = lines(tmp_path / "qrels.txt", ["q0 0 x 1", "q0 0 p0 2", "q1 0 x 1"])
    run = lines(
        tmp_path / "run.jsonl", [{"query_id": "q0", "ids": ["x", "p0"]}, {"query_id": "q1", "ids": ["x"]}]
    )
    (found,) = told(queries, "--qrels", qrels, "--run", run, "--relevant-from", "2", "--k", "1")["runs"]
    assert [one["mrr@1"] for one in found["each"]] == [0.0]
    assert [one["ndcg@1"] for one in found["each"]] == [0.5]
    assert any(
        note.startswith("39 queries have no relevant passage and are left out") for note in found["notes"]
    )


def test_rows_are_scored_on_the_evidence_that_they_hold(tmp_path: Path) -> None:
    """What `ragvigil synth` wrote, with what a service answered put beside it; an item without is not asked."""
    rows: list[dict[str, object]] = [
        {
            "query_id": "a",
            "query": "A?",
            "golden_context_ids": ["p1"],
            "evidence": [{"id": "p2"}, {"id": "p1"}],
        },
        {"query_id": "b", "query": "B?", "golden_context_ids": ["p1"], "evidence": []},
        {"query_id": "c", "query": "C?", "golden_context_ids": ["p1"], "tags": ["synthetic"]},
    ]
    found = told(lines(tmp_path / "rows.jsonl", rows))
    (run,) = found["runs"]
    assert [(one["query_id"], one["context_recall_chunks"], one["mrr"]) for one in run["each"]] == [
        ("a", 1.0, 0.5),
        ("b", 0.0, 0.0),
    ]
    assert "1 query was not asked there and is left out" in run["notes"]
    assert found["notes"] == ["1 of 3 queries are synthetic: they stand for no traffic"]


def test_recorded_traces_tell_first_pass_and_rerank_apart(tmp_path: Path) -> None:
    """What the first pass misses no reranker finds; whether the reranker pays is a comparison of its own."""
    rows = [{"query": f"  {OPENING.upper()}", "golden_context_ids": ["zeiten-2"]}]
    found = told(lines(tmp_path / "q.jsonl", rows), "--run", TRACES / "llama_index_rerank.pb", "--k", "1,3")
    context, first, then = found["runs"]
    assert [one["stage"] for one in found["runs"]] == [None, "retrieve", "rerank"]
    assert (figure(first, "recall", 3)["value"], figure(first, "recall", 1)["value"]) == (1.0, 0.0)
    assert figure(then, "mrr", 1)["value"] == figure(context, "mrr", 1)["value"] == 1.0
    assert {one["metric"] for one in then["figures"]} == {"recall", "precision", "mrr", "ndcg", "unjudged"}
    (compared,) = found["comparisons"]
    assert (compared["first"], compared["second"]) == (first["run"], then["run"])


def test_what_production_retrieved_is_read_from_the_store(tmp_path: Path) -> None:
    """The latest answer to each question counts, of the service that is asked for."""
    path = tmp_path / "store.db"
    older, newer = (
        replace(
            RECORD,
            trace_id=str(number) * 32,
            started_at=number * 10**9,
            query="Why  so?",
            documents=tuple(Document(one, "t", rank=rank) for rank, one in enumerate(ids, 1)),
            retrievals=(),
        )
        for number, ids in ((1, ["p1"]), (2, ["p2", "p1"]))
    )
    other = replace(newer, trace_id="3" * 32, service="other", documents=(Document("p9", "t"),))
    with closing(SqliteStore(load(overrides={"store": {"url": f"sqlite:///{path}"}}))) as store:
        store.records.commit([scored(record) for record in (newer, older, other)], None, 1)
    rows = lines(tmp_path / "q.jsonl", [{"query": "why so?", "golden_context_ids": ["p1"]}])
    (run,) = told(rows, "--store", f"sqlite:///{path}", "--service", "docs")["runs"]
    assert [one["mrr"] for one in run["each"]] == [0.5]
    assert any("the latest of each counts" in note for note in run["notes"])
    with pytest.raises(InputError, match="did you mean docs"):
        runs_named(labelled(Path(rows)), store=path, service="doc")
    (everywhere,) = told(rows, "--store", f"sqlite:///{path}")["runs"]
    assert any("are the ids of one kind? Found 'p9'" in note for note in everywhere["notes"])


def test_a_missed_hop_is_told_from_a_rank_that_is_too_low(tmp_path: Path) -> None:
    """R2: a first hop that is missing is mended elsewhere than a k that is too small."""
    rows = [{"query_id": name, "query": name, "hops": ["a", "b"], "type": "multi-hop"} for name in "wxyz"]
    lists = {"w": ["a", "b"], "x": ["a", "c", "b"], "y": ["b"], "z": ["a", "c"]}
    run = lines(tmp_path / "run.jsonl", [{"query_id": name, "ids": ids} for name, ids in lists.items()])
    (found,) = told(lines(tmp_path / "q.jsonl", rows), "--run", run, "--k", "2,3")["runs"]
    assert found["two_hops"][0] == {"k": 2, "outcomes": {"found": 1, "hop 1": 1, "hop 2": 1, "beyond k": 1}}
    assert [figure(found, "two_hop_recall", k)["value"] for k in (2, 3)] == [0.25, 0.5]
    assert [one["metric"] for one in found["by_kind"]["multi_hop"]] == ["two_hop_recall"] * 2


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (
            {"query": "A?", "golden_context_id": ["p"]},
            "golden_context_id: is not read; did you mean golden_context_ids",
        ),
        (
            {"query": "A?"},
            "labels no relevant passage; give rows golden_context_ids, or name labels with --qrels",
        ),
        ({"query": "A?", "golden_context_ids": "p"}, "line 1, golden_context_ids: must be a list of ids"),
        (
            {"query": "A?", "golden_context_ids": [None]},
            r"golden_context_ids\[0\]: must be the id of a passage, not null",
        ),
        (
            {"query": "A?", "golden_context_ids": {"p": 0.5}},
            "golden_context_ids.p: must be a grade, a whole number",
        ),
        ({"query": "A?", "hops": ["p"]}, "line 1, hops: must be a list of two ids"),
        ({"query": 3, "golden_context_ids": ["p"]}, "line 1, query: must be text, not a number"),
        (
            {"query": "A?", "golden_context_ids": ["p"]},
            "holds labels but nothing retrieved; name a run with --run",
        ),
        ({"query": "A?", "golden_context_ids": ["p"], "contexts": ["text"]}, "its passages have no ids"),
    ],
)
def test_a_row_that_cannot_be_used_is_named_with_the_fix(
    row: dict[str, object], problem: str, tmp_path: Path
) -> None:
    """File, line, field and what to write there."""
    found = asked(lines(tmp_path / "q.jsonl", [row]))
    assert re.search(problem, str(found.exception)), found.exception


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        (['{"query_id": "q0", "ids": "p"}'], "line 1, ids: must be a list of ids, best first, not text"),
        (['{"query_id": "q0", "ids": [1.5]}'], r"line 1, ids\[0\]: must be the id of a passage"),
        (['{"query_id": "q0", "ids": ["p"], "scores": []}'], "line 1, scores: must be a list of 1 numbers"),
        (['{"ids": ["p"]}'], "line 1, query_id: is missing"),
        (['{"query_id": "q0", "ids": []}'] * 2, "line 2, query_id: 'q0' is there a second time"),
        (["q0 Q0 p 1 0.5 tag", "q0 Q0 p 2"], "line 2: has 4 fields; write query Q0 passage rank score tag"),
        (["q0 Q0 p 1 high tag"], "line 1, score: must be a number, not 'high'"),
        (["q0 Q0 p 1 1 tag"] * 2, "line 2: has 'p' a second time for 'q0'"),
        (['{"query": "Else?", "evidence": [{"id": "p"}]}'], "none of its 1 records is of a labelled query"),
    ],
)
def test_a_run_that_cannot_be_used_is_named_with_the_fix(
    rows: list[str], problem: str, queries: Path, tmp_path: Path
) -> None:
    """File, line, field and what to write there."""
    found = asked(queries, "--run", lines(tmp_path / "run", rows))
    assert re.search(problem, str(found.exception)), found.exception


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        (["q0\tp"], "line 1: has 2 fields; write query-id, corpus-id and score"),
        (["q0\tp\thigh"], "line 1, score: must be a whole number such as 1, not 'high'"),
        (["z\tp\t1"], "labels no query of .*: its ids are as 'z', those there as 'q0'"),
        (["q0\tp\t1"] * 2, "line 2: labels 'p' of 'q0' a second time"),
    ],
)
def test_labels_that_cannot_be_used_are_named_with_the_fix(
    rows: list[str], problem: str, queries: Path, tmp_path: Path
) -> None:
    """File, line, field and what to write there."""
    found = asked(queries, "--qrels", lines(tmp_path / "qrels.tsv", rows))
    assert re.search(problem, str(found.exception)), found.exception


def test_scores_that_do_not_fall_leave_the_order_of_ids_and_are_told(queries: Path, tmp_path: Path) -> None:
    """They may be distances, or of the first pass; or the order is wrong."""
    run = lines(tmp_path / "run.jsonl", [{"query_id": "q0", "ids": ["p0", "x"], "scores": [0.1, 0.9]}])
    (found,) = told(queries, "--run", run)["runs"]
    assert found["each"][0]["mrr@1"] == 1.0
    assert any("do not fall from rank to rank" in note for note in found["notes"])


def test_a_depth_that_is_none_is_refused(queries: Path) -> None:
    """With what may stand there."""
    assert "whole numbers from 1" in str(asked(queries, "--k", "0,a").exception)


PAGE = (Path(__file__).parents[3] / "docs" / "retrieval.md").read_text()


def test_the_example_on_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """As a reader would copy it."""
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(block, {})
    first, word = capsys.readouterr().out.splitlines()
    assert first == "Figure(metric='recall', k=1, value=0.5, lower=None, upper=None, n=1, conversations=1)"
    assert word == "too few"


def test_the_page_tells_the_kinds_of_query_that_have_metrics_of_their_own() -> None:
    """A kind that is not on the page is one that nobody writes into a row."""
    told_kinds = set(re.findall(r"^\| `(\w+)`", PAGE, re.MULTILINE))
    assert set(KINDS) <= told_kinds

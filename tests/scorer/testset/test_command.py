"""`ragvigil testset` as somebody types it."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest
from tests.scorer.store.records import RECORD, scored
from tests.scorer.testset.sets import documents, ragvigil, row, written

from ragvigil.scorer.config import load
from ragvigil.scorer.store.port import Taken
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.testset.read import read_testset

BAD = {
    "qery": "When?",
    "expected_refusal": "yes",
    "answer_type": "fact",
    "required_facts": [{"fact": "x", "importance": "must"}],
}


def test_every_field_that_is_wrong_is_named_with_its_line_and_fix(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All at once: a set is mended in one go."""
    path = written(tmp_path / "set.jsonl", [row(0), BAD, row(0)])
    assert ragvigil("testset", "lint", path, "--json") == 1
    errors = {
        one["place"].removeprefix(f"{path}, "): one["problem"]
        for one in json.loads(capsys.readouterr().out)
        if one["level"] == "error"
    }
    assert errors["line 2, qery"] == "unknown key (did you mean query?)"
    assert errors["line 2, query_id"].startswith("is missing (by which answers are matched")
    assert errors["line 2, expected_refusal"].startswith("must be true or false (got 'yes'")
    assert errors["line 2, answer_type"].startswith("must be 'short_fact', ")
    assert errors["line 2, required_facts.0.importance"].startswith("must be 'required' or 'nice_to_have'")
    assert errors["line 3, query_id"] == "'q0' is also on line 1; give each row an id of its own"
    assert ragvigil("testset", "smoke", path, "-o", tmp_path / "x") == 2
    assert capsys.readouterr().err == f"ragvigil: {path}, line 2, qery: unknown key (did you mean query?)\n"


def test_a_set_as_it_should_be_has_nothing_off(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three hundred rows in the named shares, all golden passages there."""
    path = written(tmp_path / "set.jsonl", map(row, range(300)))
    corpus = written(tmp_path / "corpus.jsonl", documents(300))
    assert ragvigil("testset", "lint", path, "--corpus", corpus, "--strict") == 0
    assert capsys.readouterr().out == "nothing is off\n"


def test_lint_says_what_is_off(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Twins and absent passages are errors; size, shares and too few no-answer items for a gate are warnings."""
    rows = [row(n) for n in range(40)]
    rows[1] |= {"query": "what is the FEE of office 0"}
    rows[2] |= {"golden_context_ids": ["d2", "d99"]}
    rows[3] |= {"tags": ["coverage", "partial"]}
    path = written(
        tmp_path / "set.jsonl", [*rows, *({**row(n), "tags": ["coverage"]} for n in range(60, 72))]
    )
    corpus = written(tmp_path / "corpus.jsonl", documents(80))
    gate = tmp_path / "gate.toml"
    gate.write_text("limits.no_answer_false_claims.at_most = 0.02", encoding="utf-8")
    assert ragvigil("testset", "lint", path, "--corpus", corpus, "--gate", gate) == 1
    said = capsys.readouterr().out
    assert f"error: {path}, line 2, query: is asked on line 1 too" in said
    assert f"error: {path}, line 3, golden_context_ids: d99 not in the corpus" in said
    assert "52 rows, at least 300 are wanted: segments cannot be told apart" in said
    assert "1 rows have no kind, or several (line 4)" in said
    assert "coverage: 27 of 52 rows (52%), 40% are wanted (21)" in said
    assert "6 rows expect a refusal, 189 are needed" in said
    assert ragvigil("testset", "freeze", path, "--corpus", corpus, "-o", tmp_path / "locked") == 1
    assert not (tmp_path / "locked").exists()


def test_warnings_alone_fail_only_where_that_is_asked(tmp_path: Path) -> None:
    """A small set is better than none."""
    path = written(tmp_path / "set.jsonl", map(row, range(20)))
    assert ragvigil("testset", "lint", path) == 0
    assert ragvigil("testset", "lint", path, "--strict") == 1


def test_freeze_and_verify(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is frozen holds until a row or the corpus changes."""
    path = written(tmp_path / "set.jsonl", map(row, range(20)))
    corpus, locked = written(tmp_path / "corpus.jsonl", documents(20)), tmp_path / "locked.jsonl"
    assert (
        ragvigil("testset", "freeze", path, "--corpus", corpus, "-o", locked, "--label", "x", "--json") == 0
    )
    told = json.loads(capsys.readouterr().out)
    assert ragvigil("testset", "verify", locked, "--corpus", corpus, "--digest", told["digest"]) == 0
    assert "the set and its corpus are as frozen at" in capsys.readouterr().out
    assert ragvigil("testset", "verify", locked) == 0
    assert "its corpus was not looked at" in capsys.readouterr().out

    written(corpus, documents(19))
    assert ragvigil("testset", "verify", locked, "--corpus", corpus) == 1
    assert "CHANGED golden passage d19 of row q19 is gone from the corpus" in capsys.readouterr().out
    locked.write_text(locked.read_text().replace("office 7?", "office seven?"))
    assert ragvigil("testset", "verify", locked) == 1
    assert capsys.readouterr().out == "CHANGED row q7 was changed\n"
    assert ragvigil("testset", "verify", path) == 2
    assert "is not frozen; run ragvigil testset freeze first" in capsys.readouterr().err


def test_the_smoke_subset_is_the_same_whatever_the_order(tmp_path: Path) -> None:
    """And holds every kind."""
    first, second = tmp_path / "a", tmp_path / "b"
    ragvigil("testset", "smoke", written(tmp_path / "set.jsonl", map(row, range(300))), "-o", first)
    ragvigil(
        "testset", "smoke", written(tmp_path / "turned.jsonl", map(row, range(299, -1, -1))), "-o", second
    )
    rows = read_testset(first).rows
    assert len(rows) == 50
    assert {one.query_id for one in rows} == {one.query_id for one in read_testset(second).rows}
    counts = [sum(kind in one.tags for one in rows) for kind in ("coverage", "out_of_corpus", "long_tail")]
    assert counts == [20, 8, 2]
    more = written(tmp_path / "more.jsonl", map(row, range(320)))
    ragvigil("testset", "smoke", more, "-o", second)
    kept = {one.query_id for one in rows} & {one.query_id for one in read_testset(second).rows}
    assert len(kept) >= 45


def test_golden_answers_that_the_corpus_no_longer_supports_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With share, n and interval; a limit fails by the upper end."""
    path = written(tmp_path / "set.jsonl", map(row, range(40)))
    now = documents(40)[:-1]
    now[3]["text"] = "The fee of office 3 is 99 euros."
    corpus = written(tmp_path / "corpus.jsonl", now)
    assert ragvigil("testset", "stale", path, "--corpus", corpus, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["query_id"] for one in found["stale"]] == ["q3", "q39"]
    assert (found["checked"], found["unchecked"]) == (34, 0)
    assert found["share"]["value"] == pytest.approx(2 / 34)
    assert ragvigil("testset", "stale", path, "--corpus", corpus, "--most", "0.1") == 1
    assert "q3: contradicted: The fee of office 3 is 13 euros." in capsys.readouterr().out
    one = written(tmp_path / "one.jsonl", [row(0)])
    for limit, code in (((), 0), (("--most", "0.1"), 1)):
        assert ragvigil("testset", "stale", one, "--corpus", corpus, *limit) == code
        assert (
            capsys.readouterr().out
            == "golden answers that the corpus does not support: not enough data n=1\n"
        )


def test_questions_are_drawn_from_a_store_with_their_probabilities(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Small segments more often; weights add up to the traffic; the same ones each time."""
    settings = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'store.db'}"}})
    now = time.time_ns()
    made = [
        scored(
            replace(
                RECORD,
                trace_id=f"{number:032x}",
                started_at=now - number,
                query=f"Why {number}?",
                segment={"language": "de" if number % 10 == 0 else "en"},
                upstream_probability=0.5,
            )
        )
        for number in range(400)
    ]
    with SqliteStore(settings, durable=False) as store:
        store.records.commit(made, None, now, Taken())
        store.checkpoint()
    out = tmp_path / "rows.jsonl"
    asked = (
        "testset",
        "draw",
        "--store",
        tmp_path / "store.db",
        "--size",
        100,
        "--by",
        "language",
        "-o",
        out,
    )
    assert ragvigil(*asked) == 0
    rows = read_testset(out).rows
    chances = {one.language: one.inclusion for one in rows}
    assert chances["de"] is not None
    assert chances["en"] is not None
    assert chances["de"] > 2 * chances["en"]
    assert sum(1 / one.inclusion for one in rows if one.inclusion) == pytest.approx(800, rel=0.25)
    text = out.read_text()
    assert ragvigil(*asked) == 0
    assert out.read_text() == text
    assert ragvigil(*asked, "--service", "other") == 1
    assert capsys.readouterr().out.endswith("0 of 0 questions written to " + str(out) + "\n")

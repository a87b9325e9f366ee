"""Questions are drawn once, apart from other sets, and each quarter's holdout is fresh."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.scorer.store.records import RECORD, scored
from tests.scorer.testset.sets import ragvigil, row, written

from ragvigil.scorer.config import load
from ragvigil.scorer.moments import DAY
from ragvigil.scorer.store.port import Taken
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.testset.alike import Known
from ragvigil.scorer.testset.draw import Question, drawn
from ragvigil.scorer.testset.quarter import quarter_before, quarter_named, quarter_of
from ragvigil.scorer.testset.read import read_testset

Said = pytest.CaptureFixture[str]


def store(folder: Path, asked: Iterable[tuple[str, int]]) -> Path:
    """A store of questions, each asked at a moment."""
    path = folder / "store.db"
    made = [
        scored(replace(RECORD, trace_id=f"{number:032x}", query=query, started_at=at))
        for number, (query, at) in enumerate(asked)
    ]
    with SqliteStore(load(overrides={"store": {"url": f"sqlite:///{path}"}}), durable=False) as opened:
        opened.records.commit(made, None, time.time_ns(), Taken())
        opened.checkpoint()
    return path


def told(said: Said, *arguments: object) -> dict[str, Any]:
    """What `testset draw` says to programs."""
    said.readouterr()
    assert ragvigil("testset", "draw", *arguments, "--json") == 0
    found: dict[str, Any] = json.loads(said.readouterr().out)
    return found


def test_what_is_asked_again_is_one_row_and_lint_finds_no_twin(tmp_path: Path, capsys: Said) -> None:
    """A store in which every question was asked three times; drafts went on to fail as twins."""
    now = time.time_ns()
    texts = [f"When does office {n} open?" for n in range(40)]
    asked = [
        (form, now - n)
        for n, text in enumerate(texts)
        for form in (text, text.upper(), f" {text.rstrip('?')}")
    ]
    out = tmp_path / "rows.jsonl"
    found = told(capsys, "--store", store(tmp_path, asked), "--size", 40, "-o", out)
    assert (found["rows"], found["of"], found["repeated"]) == (40, 120, 80)
    rows = read_testset(out).rows
    assert {one.asked for one in rows} == {3}
    assert sum(1 / (one.inclusion or 1) for one in rows) == pytest.approx(120)
    assert ragvigil("testset", "lint", out) == 0


def test_other_words_for_the_same_are_left_out_and_named(tmp_path: Path, capsys: Said) -> None:
    """Else one question counts twice; another asking word or number is another question."""
    now = time.time_ns()
    asked = [
        ("How do I reset my password?", now - 5),
        ("How can I reset the password, please?", now - 4),
        ("When does the library open?", now - 3),
        ("Where does the library open?", now - 2),
        ("What is the fee of office 7?", now - 1),
        ("What is the fee of office 8?", now),
    ]
    out = tmp_path / "rows.jsonl"
    place = store(tmp_path, asked)
    found = told(capsys, "--store", place, "-o", out)
    assert found["alike"] == [["How can I reset the password, please?", "How do I reset my password?"]]
    rows = read_testset(out).rows
    assert [one.asked for one in rows] == [2, 1, 1, 1, 1]
    assert ragvigil("testset", "draw", "--store", place, "-o", out) == 0
    said = capsys.readouterr().out
    assert "1 ask in other words what another one asks, and are left out:" in said
    assert "  How can I reset the password, please?  =  How do I reset my password?" in said


def test_a_second_draw_leaves_out_what_another_set_has(tmp_path: Path, capsys: Said) -> None:
    """In the same words and in others: what the service is tuned on must not be what it is tested on."""
    now = time.time_ns()
    asked = [(f"What is the fee of office {n}?", now - n) for n in range(30)]
    asked.append(("How can I reset the password, please?", now))
    have = [row(n) for n in range(10)] + [{"query_id": "p", "query": "how do i reset my password"}]
    first, out = written(tmp_path / "first.jsonl", have), tmp_path / "second.jsonl"
    found = told(capsys, "--store", store(tmp_path, asked), "--without", first, "-o", out)
    assert (found["rows"], found["known"]) == (20, 11)
    assert ragvigil("testset", "lint", out, "--apart", first) == 0
    assert ragvigil("testset", "lint", first, "--apart", first) == 1
    assert f"is asked in {first}, line 1, too" in capsys.readouterr().out


def test_traffic_that_repeats_itself_gives_as_many_rows_as_are_wanted() -> None:
    """Their weights add up to the traffic, sampling counted in, and a smaller draw is in a larger one."""
    asked = [Question(f"{n:032x}", "1", f"Why {n % 200}?", {}, 0.5) for n in range(20_000)]
    found = drawn(asked, 100, ())
    assert 75 <= len(found.rows) <= 125
    assert sum(1 / (one.inclusion or 1) for one in found.rows) == pytest.approx(40_000, rel=0.25)
    assert {one.query for one in drawn(asked, 50, ()).rows} <= {one.query for one in found.rows}


def test_what_is_drawn_beside_other_sets_is_as_many_and_of_all_the_rest() -> None:
    """By one hash for all, the first set took the lowest, and of what was left next to nothing was drawn."""
    asked = [Question(f"{n:032x}", "1", f"Why {n}?", {}, 1.0) for n in range(5_000)]
    sets: list[tuple[str, str]] = []
    for size in (500, 500, 50):
        found = drawn(asked, size, (), without=sets)
        assert len(found.rows) == pytest.approx(size, abs=4 * size**0.5)
        assert sum(1 / (one.inclusion or 1) for one in found.rows) == pytest.approx(
            5_000 - len(sets), rel=0.6
        )
        assert drawn(asked, size, (), without=reversed(sets)) == found
        assert not {one.query for one in found.rows} & {text for _, text in sets}
        sets += [(one.query_id, one.query) for one in found.rows]


@pytest.mark.parametrize("size", [20, 200, 1_000])
def test_a_draw_beside_other_sets_stays_the_same_when_a_row_of_them_is_changed(size: int) -> None:
    """Of 192 questions 12 stayed, for one unrelated row; what people had written for the others was lost."""
    asked = [Question(f"{n:032x}", "1", f"Why {n}?", {}, 1.0) for n in range(2_000)]
    by_hand = [(str(n), f"What is the fee of office {n}?") for n in range(50)]
    assert drawn(asked, size, (), without=by_hand) == drawn(asked, size, ())
    locked = [(one.query_id, one.query) for one in drawn(asked, size, ()).rows]
    found = drawn(asked, 200, (), without=locked)
    assert len(found.rows) == pytest.approx(200, abs=60)
    for edited in ([*locked, ("new", "Something else entirely?")], locked[1:], locked[:-1], locked + by_hand):
        beside = {one.query for one in drawn(asked, 200, (), without=edited).rows}
        assert len(beside ^ {one.query for one in found.rows}) <= 2
    larger = {one.query for one in drawn(asked, 400, (), without=locked).rows}
    assert {one.query for one in found.rows} <= larger


def test_a_set_that_grows_by_what_is_drawn_beside_it_starves_no_draw() -> None:
    """Its rows are then of several hashes, and its file has one name."""
    asked = [Question(f"{n:032x}", "1", f"Why {n}?", {}, 1.0) for n in range(3_000)]
    locked: list[tuple[str, str]] = []
    for _ in range(5):
        found = drawn(asked, 300, (), without=locked)
        assert len(found.rows) == pytest.approx(300, abs=70)
        locked += [(one.query_id, one.query) for one in found.rows]


def test_the_holdout_of_a_quarter_is_of_questions_that_nobody_asked_before(
    tmp_path: Path, capsys: Said
) -> None:
    """Fifty fresh ones, marked, and none that another set has."""
    running = quarter_named(quarter_of(time.time_ns()), time.time_ns())
    within, before = running.begin + 1, running.begin - DAY
    asked = [(f"What is the fee of office {n}?", before) for n in range(30)]
    asked += [(f"What is the fee of office {n}?", within + n) for n in range(200)]
    known = written(tmp_path / "set.jsonl", (row(n) for n in range(30, 60)))
    out = tmp_path / "holdout.jsonl"
    place = store(tmp_path, asked)
    found = told(capsys, "--store", place, "--quarter", running.name, "--without", known, "-o", out)
    assert found["known"] == 60
    assert 35 <= found["rows"] <= 65
    rows = read_testset(out).rows
    assert {one.tags for one in rows} == {("production", "holdout", running.name)}
    assert not {one.query for one in rows} & {f"What is the fee of office {n}?" for n in range(60)}
    assert ragvigil("testset", "lint", out, "--apart", known) == 0
    assert "rows, at least 300 are wanted" not in capsys.readouterr().out


@pytest.mark.parametrize("name", ["2026-Q5", "Q4", "2099-Q1", ""])
def test_a_quarter_that_is_none_or_has_not_begun_is_refused(tmp_path: Path, capsys: Said, name: str) -> None:
    """An empty holdout would be taken for a quarter without questions."""
    place = store(tmp_path, [("Why?", time.time_ns())])
    assert ragvigil("testset", "draw", "--store", place, "--quarter", name, "-o", tmp_path / "out") == 2
    assert "--quarter: " in capsys.readouterr().err


def test_a_holdout_among_other_rows_is_an_error_and_one_that_is_old_a_warning(
    tmp_path: Path, capsys: Said
) -> None:
    """Who tunes on it has none; who keeps it for years asks what people asked then."""
    held = [row(n) | {"tags": ["coverage", "holdout", "2021-Q1"]} for n in range(5)]
    mixed = written(tmp_path / "mixed.jsonl", [*held, row(7)])
    assert ragvigil("testset", "lint", mixed) == 1
    assert "5 rows are held back (lines 1, 2, 3, 4, 5), the others are not" in capsys.readouterr().out
    assert ragvigil("testset", "lint", written(tmp_path / "old.jsonl", held)) == 0
    assert "is the holdout of 2021-Q1, and now is " in capsys.readouterr().out
    last = quarter_before(quarter_of(time.time_ns()))
    fresh = [one | {"tags": ["coverage", "holdout", last]} for one in held]
    ragvigil("testset", "lint", written(tmp_path / "fresh.jsonl", fresh))
    assert "is the holdout of" not in capsys.readouterr().out


def test_questions_that_deny_or_count_otherwise_are_others() -> None:
    """Their telling words are the same."""
    known = Known([("a", "Can I cancel my order?"), ("b", "Which rooms are open?")])
    assert known.alike("Can I not cancel my order?") is None
    assert known.alike("Which rooms are never open?") is None
    assert known.alike("Can I cancel the order?") == "a"

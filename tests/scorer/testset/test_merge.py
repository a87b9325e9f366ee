"""Three annotators and an adjudicator: what most say stands, the rest is decided, and agreement is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.scorer.testset.sets import ragvigil, row, written

from ragvigil.scorer.testset.read import read_testset

Said = pytest.CaptureFixture[str]
Change = Callable[[int], Mapping[str, object]]
COUNT = 40


def same(_: int) -> Mapping[str, object]:
    """Nothing is changed."""
    return {}


def annotated(folder: Path, *changes: Change, count: int = COUNT) -> list[Path]:
    """The set as each annotator wrote it, by what each wrote otherwise."""
    return [
        written(folder / f"{number}.jsonl", ({**row(n), **change(n)} for n in range(count)))
        for number, change in enumerate(changes)
    ]


def merged(said: Said, out: Path, *arguments: object, code: int = 0) -> dict[str, Any]:
    """What the command says to programs."""
    said.readouterr()
    assert ragvigil("testset", "merge", *arguments, "-o", out, "--json") == code
    found: dict[str, Any] = json.loads(said.readouterr().out)
    return found


def test_what_two_of_three_say_stands_field_by_field(tmp_path: Path, capsys: Said) -> None:
    """Each annotator slips in another field; a passage or fact that one alone names is left out."""
    files = annotated(
        tmp_path,
        lambda n: {"intent": "prices"} if n == 1 else {},
        lambda n: (
            {"golden_context_ids": ["d2", "d9"], "required_facts": ["12 euros", "paid"]} if n == 2 else {}
        ),
        lambda n: {"golden_answer": "It is free."} if n == 3 else {},
    )
    out = tmp_path / "merged.jsonl"
    found = merged(capsys, out, *files)
    assert (found["rows"], found["disputed"]) == (COUNT, [])
    plain = written(tmp_path / "plain.jsonl", (row(n) for n in range(COUNT)))
    assert read_testset(out).rows == read_testset(plain).rows


def test_without_a_majority_a_row_waits_for_the_adjudicator(tmp_path: Path, capsys: Said) -> None:
    """Three golden answers, three sets of passages, or a question that one alone has; the fields are named."""
    files = annotated(
        tmp_path,
        same,
        lambda n: {"golden_answer": "It is 99 euros."} if n == 1 else {},
        lambda n: {"golden_answer": "Nobody knows.", "golden_context_ids": ["d5"]} if n == 1 else {},
    )
    lone = written(
        tmp_path / "lone.jsonl", [*(row(n) for n in range(COUNT)), {"query_id": "new", "query": "New?"}]
    )
    out, drafts = tmp_path / "merged.jsonl", tmp_path / "drafts.jsonl"
    found = merged(capsys, out, *files[1:], lone, "--disputed", drafts, code=1)
    assert found["disputed"] == [
        {"query_id": "q1", "why": "no majority for golden_answer"},
        {"query_id": "new", "why": "only one annotator has it"},
    ]
    assert found["rows"] == COUNT - 1
    assert [one.query_id for one in read_testset(drafts).rows] == ["q1", "new"]
    decided = written(
        tmp_path / "decided.jsonl",
        [row(1) | {"golden_answer": "It is 11 euros."}, {"query_id": "new", "query": "New?", "intent": "x"}],
    )
    found = merged(capsys, out, *files[1:], lone, "--adjudicated", decided)
    assert (found["rows"], found["settled"], found["disputed"]) == (COUNT + 1, 2, [])
    rows = {one.query_id: one for one in read_testset(out).rows}
    assert (rows["q1"].golden_answer, rows["new"].intent) == ("It is 11 euros.", "x")


def test_golden_answers_that_say_the_same_in_other_words_are_one(tmp_path: Path, capsys: Said) -> None:
    """People do not write the same sentence twice; what is told is the first of those that agree."""
    files = annotated(
        tmp_path,
        lambda n: {"golden_answer": "It is free."} if n == 1 else {},
        lambda n: {"golden_answer": "Office 1: the fee is 11 euros."} if n == 1 else {},
        same,
    )
    assert merged(capsys, tmp_path / "out.jsonl", *files)["disputed"] == []
    (found,) = (one for one in read_testset(tmp_path / "out.jsonl").rows if one.query_id == "q1")
    assert found.golden_answer == "Office 1: the fee is 11 euros."


def test_two_annotators_who_differ_have_no_majority(tmp_path: Path, capsys: Said) -> None:
    """Nor is the first one right because he is the first."""
    files = annotated(tmp_path, same, lambda n: {"intent": "prices"} if n < 3 else {})
    found = merged(capsys, tmp_path / "out.jsonl", *files, code=1)
    assert [one["why"] for one in found["disputed"]] == ["no majority for intent"] * 3


def test_agreement_is_told_with_interval_and_n(tmp_path: Path, capsys: Said) -> None:
    """Alpha of refusals by hand: of 40 items one annotator of two turns two of 34 plain ones round."""
    flipped: Change = lambda n: {"expected_refusal": True, "answer_type": None} if n in (0, 1) else {}  # noqa: E731
    files = annotated(tmp_path, same, flipped)
    found = merged(capsys, tmp_path / "out.jsonl", *files, code=1)
    by_field = {one["field"]: one["found"] for one in found["agreement"]}
    refusals = 6 + 8
    others = 2 * COUNT - refusals
    expected = 1 - (2 * 2) * (2 * COUNT - 1) / (2 * refusals * others)
    assert by_field["expected_refusal"]["value"] == pytest.approx(expected)
    assert by_field["golden_context_ids"]["value"] == 1.0
    assert by_field["golden_answer"]["n"] == COUNT
    assert ragvigil("testset", "merge", *files, "-o", tmp_path / "out.jsonl") == 1
    said = capsys.readouterr().out
    assert "agreement on expected_refusal (Krippendorff's alpha): 0.83 [" in said
    assert "agreement on kind (Krippendorff's alpha): 1.00 [" in said
    assert "2 rows are left out until somebody decides them (--adjudicated):" in said


def test_what_cannot_be_merged_is_named(tmp_path: Path, capsys: Said) -> None:
    """One set, another question under an id, a decision about nothing."""
    files = annotated(tmp_path, same, same, count=3)
    out = tmp_path / "out.jsonl"
    assert ragvigil("testset", "merge", files[0], "-o", out) == 2
    assert "name the set of each annotator, two at least" in capsys.readouterr().err
    other = written(tmp_path / "other.jsonl", [row(0) | {"query": "What else?"}])
    assert ragvigil("testset", "merge", files[0], other, "-o", out) == 2
    assert "row q0: has two questions under one query_id" in capsys.readouterr().err
    strange = written(tmp_path / "strange.jsonl", [{"query_id": "zz", "query": "Why?"}])
    assert ragvigil("testset", "merge", *files, "--adjudicated", strange, "-o", out) == 2
    assert "row zz: is adjudicated, and no annotator has it" in capsys.readouterr().err
    assert not out.exists()


def test_nothing_that_is_read_is_written_over(tmp_path: Path, capsys: Said) -> None:
    """A slip of -o cost an annotator's work, a whole set but for fifty rows, or the answers of a gate."""
    files = annotated(tmp_path, same, same, count=3)
    gate = tmp_path / "gate.toml"
    gate.write_text("limits.faithfulness.at_least = 0.5", encoding="utf-8")
    before = [path.read_bytes() for path in files]
    for command in (
        ("testset", "merge", *files, "-o", files[0]),
        ("testset", "merge", *files, "-o", tmp_path / "out.jsonl", "--disputed", files[1]),
        ("testset", "smoke", files[0], "--size", 1, "-o", files[0]),
        ("testset", "draw", "--without", files[1], "-o", files[1]),
        ("gate", gate, "--answers", files[0], "--junit", files[0]),
        ("gate", gate, "--answers", files[1], "--markdown", tmp_path / "." / files[1].name),
    ):
        assert ragvigil(*command) == 2
        assert "is read here, and would be written over; name another file" in capsys.readouterr().err
    assert [path.read_bytes() for path in files] == before

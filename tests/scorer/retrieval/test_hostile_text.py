"""Ids, texts and intents are written by anybody: none may move the cursor, forge a line, or end in a traceback."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.scorer.retrieval.test_retrieval_command import asked, lines, told

from ragvigil.scorer.commands import _app

NASTY = "\x1b[2J\nnDCG 1.000 better\u202e"


def test_a_report_has_no_character_and_no_line_of_somebody_elses(tmp_path: Path) -> None:
    """A question from the web could blank the terminal, or add a line that says better."""
    row = {"query_id": NASTY, "query": NASTY, "golden_context_ids": ["p"], "intent": NASTY}
    queries = lines(tmp_path / "q.jsonl", [row])
    run = lines(tmp_path / "run\x1b[2J\n.jsonl", [{"query_id": NASTY, "ids": ["x", "p"]}])
    better = lines(tmp_path / "better", [{"query_id": NASTY, "ids": ["p"]}])
    text = asked(queries, "--run", run, "--run", better).stdout
    assert not set(text) & {"\x1b", "\u202e"}
    assert not [line for line in text.splitlines() if line.lstrip().lower().startswith("ndcg 1.000")]


def test_an_error_has_no_control_character_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It quotes the key that it cannot read."""
    queries = lines(tmp_path / "q.jsonl", [{"query": "A?", "golden_context_id\x1b": ["p"]}])
    monkeypatch.setattr(sys, "argv", ["ragvigil", "retrieval", str(queries)])
    assert _app.run() == 2
    said = capsys.readouterr().err
    assert "did you mean golden_context_ids" in said
    assert "\x1b" not in said


def test_half_a_character_is_refused_with_its_line(tmp_path: Path) -> None:
    """No report can be written with it; it ended in a traceback."""
    rows = ['{"query_id": "\\ud800", "query": "A?", "golden_context_ids": ["p"]}']
    found = asked(lines(tmp_path / "q.jsonl", rows), "--json")
    assert "q.jsonl, line 1: holds half of a surrogate pair" in str(found.exception)


@pytest.mark.parametrize(
    ("code", "exit_code", "said"), [("no such index", 1, "no such index\n"), (None, 0, ""), (3, 3, "")]
)
def test_an_exit_code_that_is_text_is_told_and_is_a_failure(
    code: str | int | None,
    exit_code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As Python itself does with sys.exit("text"); a script saw 0 and went on."""

    def ends() -> None:
        raise SystemExit(code)

    monkeypatch.setattr(_app, "app", ends)
    assert _app.run() == exit_code
    assert capsys.readouterr().err == said


def test_a_depth_of_thousands_of_digits_is_refused_as_any_other(tmp_path: Path) -> None:
    """Python refuses to read such a number, with a traceback."""
    found = asked(lines(tmp_path / "q.jsonl", [{"query": "A?"}]), "--k", "9" * 5_000)
    assert "whole numbers from 1 to 10,000" in str(found.exception)


def test_nothing_is_said_of_a_target_at_other_depths(tmp_path: Path) -> None:
    """nDCG and MRR are held against theirs at k = 10, beside those of the whole list."""
    names = [f"q{n}" for n in range(40)]
    rows = [{"query_id": name, "query": name, "golden_context_ids": ["p"]} for name in names]
    queries = lines(tmp_path / "q.jsonl", rows)
    run = lines(tmp_path / "run", [{"query_id": name, "ids": ["p"]} for name in names])
    text = asked(queries, "--run", run).stdout
    assert "  mrr@10, above the usual target of 0.7; ndcg@10, above the usual target of 0.6\n" in text
    assert told(queries, "--run", run)["runs"][0]["queries"] == 40

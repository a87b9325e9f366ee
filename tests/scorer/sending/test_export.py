"""``ragvigil export``: every score once, as lines or Parquet, without a word of content."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.scorer.metrics.filled import NOW, VERDICT, fill, record, scored, settings_in
from typer.testing import CliRunner

from ragvigil.scorer.commands._app import app
from ragvigil.scorer.errors import ConfigError, StoreError
from ragvigil.scorer.sending import to_file
from ragvigil.scorer.store import reading_export
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.verdict import Measured

SINCE = ("--since", "2026-02-01T00:00Z", "--until", "2026-04-01T00:00Z")
Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs the command over `tmp_path/store.db`; what it printed. Raises what it raised."""

    def command(*arguments: str) -> str:
        store = ("--store", f"sqlite:///{tmp_path / 'store.db'}")
        done = CliRunner().invoke(app, ["export", *store, *SINCE, *arguments], catch_exceptions=False)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done.stdout

    return command


def lines(text: str) -> list[dict[str, Any]]:
    """The rows of JSON lines."""
    return [json.loads(line) for line in text.splitlines()]


def test_every_score_is_a_line_with_its_versions(tmp_path: Path, run: Run) -> None:
    """What a notebook needs to weigh, join and reproduce; no question, passage or answer."""
    settings = settings_in(tmp_path)
    with SqliteStore(settings) as store:
        fill(store, [record(number, language="de") for number in range(1, 1202)])
    rows = lines(run())
    assert len(rows) == 5 * 1201
    assert len({(row["record_id"], row["score"]) for row in rows}) == len(rows)
    assert [row["started_at"] for row in rows] == sorted(row["started_at"] for row in rows)
    found = next(row for row in rows if row["trace_id"] == f"{7:032x}" and row["score"] == "faithfulness")
    assert found | {"input_hash": ""} == {
        "record_id": 7,
        "trace_id": f"{7:032x}",
        "span_id": f"{7:016x}",
        "record_version": 1,
        "service": "docs",
        "environment": "production",
        "service_version": None,
        "model": None,
        "prompt_version": None,
        "started_at": "2026-02-28T23:55:07.000000000Z",
        "segment": {"language": "de"},
        "conversation_id": None,
        "ledger_state": "judged",
        "inclusion": 0.5,
        "upstream_probability": None,
        "score": "faithfulness",
        "value": 0.93,
        "state": "supported",
        "check_version": None,
        "judge_version": "builtin 4",
        "prompt_digest": "d" * 64,
        "input_hash": "",
        "current": True,
        "scored_at": "2026-03-01T00:00:00.000000000Z",
        "explanation": None,
    }
    assert len(found["input_hash"]) == 64
    assert "Because" not in run()


def test_parquet_holds_the_same_rows(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """With types: moments, numbers and missing values are what they are; several row groups."""
    monkeypatch.setattr(to_file, "_GROUP", 40)
    settings = settings_in(tmp_path)
    with SqliteStore(settings) as store:
        fill(store, [record(number) for number in range(1, 31)])
    out = tmp_path / "scores.parquet"
    assert run("--out", str(out)) == f"150 scores to {out}\n"
    assert not out.with_name("scores.parquet.part").exists()
    _, parquet = to_file.arrow_modules()
    table = parquet.read_table(out)
    assert parquet.ParquetFile(out).num_row_groups == 4
    assert str(table.schema.field("started_at").type) == "timestamp[ns, tz=UTC]"
    rows = lines(run())
    for name in ("record_id", "score", "value", "input_hash", "current", "inclusion", "check_version"):
        assert table.column(name).to_pylist() == [row[name] for row in rows], name


def test_an_empty_stretch_is_an_empty_file(tmp_path: Path, run: Run) -> None:
    """Not an error: nobody asked anything."""
    with SqliteStore(settings_in(tmp_path)):
        pass
    assert run() == ""
    out = tmp_path / "empty.parquet"
    assert json.loads(run("--out", str(out), "--json")) == {"rows": 0, "file": str(out)}
    assert to_file.arrow_modules()[1].read_table(out).num_rows == 0


def test_what_is_not_wanted_stays_away(tmp_path: Path, run: Run) -> None:
    """By service, by score, by time; earlier versions only when asked for."""
    settings = settings_in(tmp_path)
    with SqliteStore(settings) as store:
        fill(store, [record(1), record(2, "shop")])
        changed = replace(record(1), answer="Another.")
        store.records.commit([scored(changed, 0.5)], None, NOW + 1)
    assert {row["service"] for row in lines(run("--service", "shop"))} == {"shop"}
    only = lines(run("--score", "citation_correctness", "--service", "docs"))
    assert [(row["value"], row["record_version"]) for row in only] == [(0.5, 2)]
    both = lines(run("--score", "citation_correctness", "--service", "docs", "--history"))
    assert [(row["value"], row["current"]) for row in both] == [(0.0, False), (0.5, True)]
    assert run("--until", "2026-02-28T23:55:01Z") == ""


def test_criteria_and_measures_can_be_chosen(tmp_path: Path, run: Run) -> None:
    """A criterion also where its file is not configured any more: its scores are in the store."""
    settings = settings_in(tmp_path)
    tone = Measured("criteria.tone", "openai m", "1", "e" * 64, 0.0, "Too cold.")
    relevant = replace(tone, name="judge.answer_relevance", value=0.7)
    with SqliteStore(settings) as store:
        fill(store, [record(1)], replace(VERDICT, measured=(tone, relevant)))
    rows = lines(run("--score", "criteria.tone", "--score", "judge.answer_relevance"))
    assert [(row["score"], row["value"], row["judge_version"]) for row in rows] == [
        ("criteria.tone", 0.0, "openai m 1"),
        ("judge.answer_relevance", 0.7, "openai m 1"),
    ]
    with pytest.raises(ConfigError, match=r"did you mean criteria\.tone"):
        run("--score", "criteria.tome")


def test_reasons_come_when_asked_for(tmp_path: Path, run: Run) -> None:
    """They may quote the answer."""
    settings = settings_in(tmp_path)
    with SqliteStore(settings) as store:
        fill(store, [record(1)], replace(VERDICT, reason="two of three claims are wrong"))
    assert {row["explanation"] for row in lines(run())} == {None}
    told = {row["explanation"] for row in lines(run("--explanations"))}
    assert "two of three claims are wrong" in told


def test_a_missing_extra_is_named(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that installs it, before a file is begun."""
    with SqliteStore(settings_in(tmp_path)):
        pass
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ConfigError, match=r"pip install 'ragvigil\[parquet\]'"):
        run("--out", str(tmp_path / "a.parquet"))
    with pytest.raises(ImportError, match="pyarrow is not installed"):
        to_file.arrow_modules()
    assert list(tmp_path.glob("a.*")) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--score", "faithfullness"], "did you mean faithfulness"),
        (["--format", "csv"], "known: jsonl, parquet"),
        (["--format", "parquet"], "does not go to standard output"),
        (["--since", "yesterday"], "cannot be 'yesterday'"),
        (["--until", "2020-01-01T00:00Z"], "--since"),
        (["--out", "missing-folder/a.jsonl"], "cannot be written"),
    ],
)
def test_a_bad_argument_is_named(tmp_path: Path, run: Run, arguments: list[str], said: str) -> None:
    """With the fix."""
    with SqliteStore(settings_in(tmp_path)):
        pass
    with pytest.raises(ConfigError, match=said):
        run(*arguments)


def test_without_a_store_no_file_is_made(tmp_path: Path, run: Run) -> None:
    """The error says which command makes a store."""
    with pytest.raises(StoreError, match="ragvigil serve"):
        run("--out", str(tmp_path / "a.jsonl"))
    assert not (tmp_path / "a.jsonl").exists()


def test_what_all_scores_of_a_record_share_is_written_once(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """70,000 records with forty scores each took two minutes of processor, most of it for what they repeat."""
    read: list[object] = []

    def loads(text: str) -> object:
        read.append(text)
        return json.loads(text)

    monkeypatch.setattr(to_file, "json", SimpleNamespace(loads=loads))
    monkeypatch.setattr(reading_export, "worst_claim", read.append)
    settings = settings_in(tmp_path)
    with SqliteStore(settings) as store:
        fill(store, [record(number, language="de") for number in range(1, 21)])
    assert len(lines(run())) == 5 * 20
    assert len(read) == 20

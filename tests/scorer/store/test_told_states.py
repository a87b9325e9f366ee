"""What the ledger and the coverage call judged has a verdict that says something of the answer."""

from __future__ import annotations

import json
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from tests.command_line import ragvigil

from ragvigil.scorer.commands import _coverage
from ragvigil.scorer.config import Coverage, load
from ragvigil.scorer.store.port import LedgerEntry, RawTrace, ScoredRecord, ScoredTrace
from ragvigil.scorer.store.reading import ledger, open_for_reading
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.trace import Completeness, RagTrace


def committed(folder: Path, *entries: LedgerEntry, completeness: Completeness = "complete") -> Path:
    """A store with one record in each of these states."""
    settings = load(overrides={"store": {"url": f"sqlite:///{folder / 'a.db'}"}})
    records = [
        RagTrace(f"{number:032x}", "1" * 16, "shop", 1, completeness=completeness)
        for number in range(1, len(entries) + 1)
    ]
    traces = [
        ScoredTrace(
            record.trace_id, RawTrace(b"", b""), timed_out=False, records=(ScoredRecord(record, (), entry),)
        )
        for record, entry in zip(records, entries, strict=True)
    ]
    with SqliteStore(settings) as store:
        store.records.commit([replace(one, service="shop") for one in traces], None, time.time_ns())
    return settings.store.path


STANDING = (
    LedgerEntry("judged", 1.0, "supported"),
    LedgerEntry("judged", 1.0, "no_claims"),
    LedgerEntry("judged", 1.0, "not_scoreable"),
    LedgerEntry("judged", 1.0, "partial_evidence"),
    LedgerEntry("judged", 1.0, "partial_evidence"),
    LedgerEntry("judged", 1.0, "unparseable"),
    LedgerEntry("checked_only", 0.1, "sampled_out"),
)


def test_the_ledger_calls_no_answer_judged_that_nobody_could_judge(tmp_path: Path) -> None:
    """Of a service with its content switched off every answer "has a verdict"; the sums are as before."""
    path = committed(tmp_path, *STANDING)
    with closing(open_for_reading(path)) as connection:
        sums = ledger(connection)
    assert sums.balanced
    assert sums.told == {"judged": 2, "not_scoreable": 3, "failed": 1, "checked_only": 1}
    assert sum(sums.told.values()) == sum(sums.states.values())
    shown = ragvigil("ledger", "--store", str(path))
    assert "2  judged        has a verdict" in shown.stdout
    assert "3  not_scoreable sampled, but not judged: content or passages are missing" in shown.stdout
    found = json.loads(ragvigil("ledger", "--store", str(path), "--json").stdout)
    assert (found["states"]["judged"], found["states"]["not_scoreable"]) == (2, 3)


def test_coverage_says_how_many_could_not_be_judged(tmp_path: Path) -> None:
    """Beside "scored 100 %"; the share, which pages for the scorer's own illness, is as it was."""
    path = committed(tmp_path, *STANDING[:5])
    with closing(open_for_reading(path)) as connection:
        lines = _coverage.as_text(connection, Coverage())
        (scored,) = (
            one for one in _coverage.as_json(connection, Coverage()) if one["share"] == "coverage_scored"
        )
    assert any("of 5, but 3 of them not judged: content or passages are missing" in line for line in lines)
    assert (scored["value"], scored["not_scoreable"]) == (1.0, 3)


def test_coverage_has_no_interval_for_what_nobody_could_judge(tmp_path: Path) -> None:
    """A service without a retriever was "scored 100.0 % (94.0 to 100.0 %) of 60, but 60 of them not judged"."""
    path = committed(tmp_path, *[LedgerEntry("judged", 1.0, "partial_evidence")] * 3)
    with closing(open_for_reading(path)) as connection:
        lines = _coverage.as_text(connection, Coverage())
    assert any("none of 3 could be judged: content or passages are missing" in line for line in lines)
    assert not any("interval" in line for line in lines)


def test_texts_that_are_withheld_are_not_told_as_missing(tmp_path: Path) -> None:
    """Their owner set `ids_only`, and read that content or passages are missing."""
    entries = (*[LedgerEntry("judged", 1.0, "not_scoreable")] * 2, LedgerEntry("checked_only", 0.1))
    path = committed(tmp_path, *entries, completeness="withheld")
    with closing(open_for_reading(path)) as connection:
        _, whole, scored = _coverage.as_text(connection, Coverage())
        (told,) = (
            one for one in _coverage.as_json(connection, Coverage()) if one["share"] == "coverage_scored"
        )
    assert whole == "  100 %       shop                 complete of 3, asked of 3, answered of 3"
    assert scored == "  scored      shop                 none of 3 is judged: texts withheld by ids_only"
    assert (told["not_scoreable"], told["withheld"]) == (0, 3)
    assert "missing, or withheld by ids_only" in ragvigil("ledger", "--store", str(path)).stdout


def test_traces_without_a_question_are_told_with_the_command_that_says_why(tmp_path: Path) -> None:
    """Forty traces of an instrumentation that no dialect reads were "asked 0.0 %", and nothing more."""
    settings = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'a.db'}"}})
    with SqliteStore(settings) as store:
        trace = ScoredTrace("1" * 32, RawTrace(b"spans", b""), timed_out=False, service="shop", span_count=3)
        store.records.commit([trace], None, time.time_ns())
    with closing(open_for_reading(settings.store.path)) as connection:
        lines = _coverage.as_text(connection, Coverage())
    assert any("spans that no dialect reads: ragvigil explain FILE says which" in line for line in lines)
    assert "no_question: other traffic" in ragvigil("ledger", "--store", str(settings.store.path)).stdout


def test_what_is_whole_is_told_in_one_line_a_service(tmp_path: Path) -> None:
    """Four lines for each of ten services buried what somebody had to do something about."""
    path = committed(tmp_path, *STANDING[:2], LedgerEntry("shed", 1.0))
    with closing(open_for_reading(path)) as connection:
        _, whole, scored = _coverage.as_text(connection, Coverage())
    assert whole == "  100 %       shop                 complete of 3, asked of 3, answered of 3"
    assert scored.startswith("  scored      shop                 66.7 % (95 % interval ")
    assert " of 3  UNDER " in scored

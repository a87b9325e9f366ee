"""A filter that takes nearly everything is named: nothing that it takes can alert, and nothing else would say so."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from ragvigil.scorer.commands import _filtered
from ragvigil.scorer.config import load
from ragvigil.scorer.store.port import LedgerEntry, RawTrace, ScoredRecord, ScoredTrace
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.trace import RagTrace


def traces(state: LedgerEntry, first: int, count: int) -> list[ScoredTrace]:
    """So many answers in that state."""
    records = [
        RagTrace(f"{number:032x}", "1" * 16, "kb", number * 10**9, query="When?", answer="It opens at nine.")
        for number in range(first, first + count)
    ]
    return [
        ScoredTrace(
            one.trace_id, RawTrace(b"", b""), timed_out=False, records=(ScoredRecord(one, (), state),)
        )
        for one in records
    ]


def told(path: Path, filtered: int, scored: int) -> list[str]:
    """What is told of so many filtered and scored answers, and of as many traces without a question as both."""
    settings = load(overrides={"store": {"url": f"sqlite:///{path}"}})
    silent = [
        ScoredTrace(f"{number:032x}", RawTrace(b"", b""), timed_out=False, records=())
        for number in range(5_000, 5_000 + filtered + scored)
    ]
    with SqliteStore(settings) as store:
        store.records.commit(traces(LedgerEntry("filtered", 0.0, "probes"), 0, filtered), None, 1)
        store.records.commit(traces(LedgerEntry("checked_only", 0.1), 1_000, scored), None, 1)
        store.records.commit(silent, None, 1)
    with closing(open_for_reading(settings.store.path)) as connection:
        return _filtered.as_text(connection)


def test_a_filter_that_takes_most_answers_is_named(tmp_path: Path) -> None:
    """Of the answers: traces that ask nothing count neither way."""
    (line,) = told(tmp_path / "a.db", 28, 2)
    assert line.startswith("filters.probes: keeps 28 of 30 answers from being scored")


def test_a_filter_that_takes_some_answers_is_nothing_to_tell(tmp_path: Path) -> None:
    """A load test beside real traffic, or the first few answers of all."""
    assert told(tmp_path / "some.db", 14, 16) == []
    assert told(tmp_path / "few.db", 10, 1) == []

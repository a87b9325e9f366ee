"""More is complete than one commit takes: it is behind until that is stored, and reads no more meanwhile."""

from __future__ import annotations

import sqlite3

import pytest
from tests.scorer.scoring.bench import SECOND, Bench, Failing, question

from ragvigil.scorer.scoring import pipeline, portions
from ragvigil.scorer.store import reading

_TRACES = 30


@pytest.fixture
def behind(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """All is read and takes many commits, of which one is made; half of one more trace is read, half is not."""
    for module in (pipeline, portions):
        monkeypatch.setattr(module, "MOST_A_COMMIT", 5)
    search, root = question(_TRACES + 1)
    bench.receive([arrival for trace in range(1, _TRACES + 1) for arrival in question(trace)])
    bench.pipeline.turn()
    bench.clock.now += 60 * SECOND
    bench.receive([root])
    bench.pipeline.turn()
    bench.receive([search])
    return bench


def test_what_is_read_and_not_stored_is_behind(behind: Bench) -> None:
    """Else the page about it resolves, and services whose answers wait look as if they had stopped."""
    since = behind.pipeline.reading
    assert not behind.pipeline.caught_up
    assert since is not None
    behind.pipeline.turn()
    assert behind.pipeline.reading == since
    behind.settle()
    assert behind.pipeline.caught_up
    assert behind.pipeline.reading is None


def test_nothing_is_read_while_more_waits_than_a_commit_takes(behind: Bench) -> None:
    """Else the whole inbox comes into memory, however large it is."""
    read, _ = behind.pipeline.unfinished
    behind.pipeline.turn()
    assert behind.pipeline.unfinished[0] == read
    behind.settle()
    behind.settle()  # the last trace is quiet for a while after it is read
    assert behind.pipeline.unfinished[0] != read
    assert behind.ledger() == reading.Ledger(_TRACES + 1, {"pending": _TRACES + 1}, {})


def test_no_trace_ends_while_nothing_is_read(behind: Bench) -> None:
    """The rest of it may be what is not read: it would be scored as it stands, and once more."""
    for _ in range(3):
        behind.clock.now += 10 * SECOND
        behind.pipeline.turn()
        assert behind.pipeline.open_traces == 1


def test_a_read_that_ends_at_its_bytes_has_not_caught_up(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Large payloads: fewer rows than a turn may read, and more wait."""
    monkeypatch.setattr(pipeline, "MOST_BYTES_A_READ", 1)
    bench.receive(question(1))
    bench.pipeline.turn()
    assert not bench.pipeline.caught_up
    bench.pipeline.turn()
    assert bench.pipeline.caught_up


def test_what_the_store_does_not_take_is_behind(bench: Bench) -> None:
    """It was read and is complete, and nobody sees its scores."""
    bench.crash()
    failing = Failing(bench.store.records, sqlite3.OperationalError("database or disk is full"), 0)
    bench.start(failing.over)
    bench.receive(question(1))
    bench.pipeline.turn()
    bench.clock.now += 60 * SECOND
    failing.times = 1
    with pytest.raises(sqlite3.OperationalError):
        bench.pipeline.turn()
    assert not bench.pipeline.caught_up

"""Which scores wait for a tool: those given from now on, once, in a bounded queue."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.scorer.metrics.filled import NOW, fill, record, scored, settings_in
from tests.scorer.sending.test_sender import bench, held, opened, settings_of

from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.store.reading_scores import waiting
from ragvigil.scorer.store.sqlite import SqliteStore


def test_the_queue_is_bounded_and_says_what_it_dropped(tmp_path: Path) -> None:
    """A tool that is away for months must not fill the disk."""
    settings = settings_of(tmp_path, max_waiting=100)
    with opened(settings) as store:
        for start in range(0, 600, 200):
            answers = [record(start + number) for number in range(200)]
            store.records.commit([scored(answer, judged=False) for answer in answers], None, NOW)
            store.outgoing.prune()
        assert held(settings) == (100, 500)
        with closing(open_for_reading(settings.store.path)) as connection:
            assert connection.execute("SELECT count(*) FROM outgoing").fetchone()[0] == 100


def test_a_tool_that_is_new_gets_what_is_scored_from_now_on(tmp_path: Path) -> None:
    """And without a tool nothing is noted at all."""
    plain = settings_in(tmp_path)
    with opened(plain) as store:
        fill(store, [record(1)])
        assert plain.export.sinks == {}
    settings = settings_of(tmp_path)
    with opened(settings) as store:
        assert held(settings) == (0, 0)
        fill(store, [record(2)])
        assert held(settings) == (2, 0)
    with opened(plain) as store, closing(open_for_reading(plain.store.path)) as connection:
        assert connection.execute("SELECT count(*) FROM outgoing").fetchone()[0] == 0
        assert waiting(connection) == {}
        fill(store, [record(3)])
        assert connection.execute("SELECT count(*) FROM outgoing").fetchone()[0] == 0


def test_a_command_without_the_settings_leaves_the_queue_as_it_is(tmp_path: Path) -> None:
    """`ragvigil forget` and others open the store too; only the score process says which tools there are."""
    settings = settings_of(tmp_path)
    with opened(settings) as store:
        fill(store, [record(1)])
    with SqliteStore(settings_in(tmp_path)):
        pass
    assert held(settings) == (2, 0)


def test_a_trace_that_is_read_again_is_not_sent_again(tmp_path: Path) -> None:
    """Our own events may come back to us as late log records: that must not go round for ever."""
    settings = settings_of(tmp_path)
    with opened(settings) as store:
        store.records.commit([scored(record(1), judged=False)], None, NOW)
        assert held(settings) == (1, 0)
        store.records.commit([scored(record(1), judged=False)], None, NOW + 1)
        assert held(settings) == (1, 0)
        store.records.commit([scored(replace(record(1), answer="Another."), judged=False)], None, NOW + 2)
        assert held(settings) == (2, 0)


async def test_a_rolled_back_commit_sends_nothing(tmp_path: Path) -> None:
    """The note stands and falls with what it is about."""
    settings = settings_of(tmp_path)
    with opened(settings) as store:
        broken = scored(record(1), 7.0)  # no score is above 1: the store refuses it
        with pytest.raises(Exception, match="CHECK"):
            store.records.commit([broken], None, NOW)
        store.records.commit([scored(record(2), judged=False)], None, NOW)
        one = bench(store, settings)
        await one.steps(2)
    assert [answer.trace_id for answer in one.tool.got] == [record(2).trace_id]

"""After a clean stop nothing lies in the inbox as it came that is stored, redacted, already."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from tests.conftest import Scorer, Serve

from ragvigil.scorer.inbox import Arrival, InboxReader, InboxWriter, Position
from ragvigil.scorer.inbox.leaving import leave
from ragvigil.scorer.inbox.segments import segments

from .test_serve import export, settled, spans

QUESTION = b"What does part"


def clear(folder: Path) -> int:
    """How many questions stand in the files of an inbox."""
    return sum(path.read_bytes().count(QUESTION) for path in folder.glob("*") if path.is_file())


def interrupt(scorer: Scorer, number: int = signal.SIGINT) -> int:
    """Ctrl-C in a terminal reaches both processes at once."""
    child = scorer.score_process
    for process in (child, scorer.process.pid):
        assert process is not None
        os.kill(process, number)
    return scorer.stop()


def end_the_group(scorer: Scorer) -> int:
    """As systemd does: the score process ended first, and its parent told an error and a restart that never came."""
    return interrupt(scorer, signal.SIGTERM)


def hang_up(scorer: Scorer) -> int:
    """As a terminal does that is closed: both ended at once, without a clean stop."""
    return interrupt(scorer, signal.SIGHUP)


def test_a_clean_stop_leaves_no_content_as_it_came(serve: Serve, capfd: pytest.CaptureFixture[str]) -> None:
    """The volume of a service that is scaled down would hold unredacted questions until somebody starts it again."""
    scorer = serve()
    inbox = scorer.store.with_name("ragvigil-inbox")
    ends: list[Callable[[Scorer], int]] = [Scorer.stop, interrupt, end_the_group, hang_up]
    for number, end in enumerate(ends, 1):
        export(HttpExporter(endpoint=f"http://{scorer.http}/v1/traces"), spans(30, seed=number))
        assert settled(scorer, 30 * number).balanced
        assert clear(inbox) > 0
        assert end(scorer) == 0, end
        said = capfd.readouterr().err
        assert "ended with code" not in said, end
        assert said.count("SIGHUP ends ragvigil") == (end is hang_up)
        assert clear(inbox) == 0, end
        scorer = serve()
    export(HttpExporter(endpoint=f"http://{scorer.http}/v1/traces"), spans(30, seed=5))
    assert settled(scorer, 150).balanced


def test_a_store_that_takes_no_more_hinders_no_emptying(serve: Serve) -> None:
    """On a full disk what is remembered of sampling cannot be kept; what was asked is emptied all the same."""
    scorer = serve()
    inbox = scorer.store.with_name("ragvigil-inbox")
    export(HttpExporter(endpoint=f"http://{scorer.http}/v1/traces"), spans(30))
    settled(scorer, 30)
    with closing(sqlite3.connect(scorer.store)) as connection:
        connection.execute(
            "CREATE TRIGGER full BEFORE INSERT ON meta WHEN new.key = 'state:sampler' "
            "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
        )
    assert clear(inbox) > 0
    assert scorer.stop() == 0
    assert clear(inbox) == 0


def test_a_clean_stop_keeps_what_is_remembered_of_sampling(serve: Serve) -> None:
    """The next process goes on within the budget of the day."""
    scorer = serve()
    export(HttpExporter(endpoint=f"http://{scorer.http}/v1/traces"), spans(30))
    settled(scorer, 30)
    with closing(sqlite3.connect(scorer.store)) as connection, connection:
        connection.execute("DELETE FROM meta WHERE key = 'state:sampler'")
    assert scorer.stop() == 0
    with closing(sqlite3.connect(scorer.store)) as connection:
        assert connection.execute("SELECT 1 FROM meta WHERE key = 'state:sampler'").fetchone()


def test_what_waits_for_more_of_its_trace_stays_and_all_else_is_emptied(serve: Serve) -> None:
    """A trace whose root may come after the restart is not stored yet: its rows are all that there is of it."""
    slow = {"RAGVIGIL_ASSEMBLE__ROOTLESS_SECONDS": "600"}
    scorer = serve(environment=slow)
    inbox = scorer.store.with_name("ragvigil-inbox")
    whole, waits = spans(30), spans(1, seed=2)
    root = next(span for span in waits if span.name == "rag")
    url = f"http://{scorer.http}/v1/traces"
    export(
        HttpExporter(endpoint=url), [span for span in waits if span is not root and span.parent is not None]
    )
    export(HttpExporter(endpoint=url), whole)
    settled(scorer, 30)
    assert scorer.stop() == 0
    assert clear(inbox) == 0
    assert rows(inbox)[0] > 0, "the first trace's"
    assert set(rows(inbox)[2:]) == {0}, (
        "its rows keep the others' from being deleted, and not from being emptied"
    )
    scorer = serve(environment=slow)
    export(HttpExporter(endpoint=f"http://{scorer.http}/v1/traces"), [root])
    assert settled(scorer, 31).balanced
    with closing(sqlite3.connect(scorer.store)) as connection:
        found = connection.execute("SELECT count(*), sum(completeness = 'complete') FROM records").fetchone()
    assert found == (31, 31)


def rows(inbox: Path) -> list[int]:
    """Bytes of each payload in the oldest segment."""
    oldest = min(inbox.glob("*.db"))
    with closing(sqlite3.connect(oldest)) as connection:
        return [row[0] for row in connection.execute("SELECT length(payload) FROM rows ORDER BY id")]


def test_rows_that_nobody_has_read_stay_whatever_they_hold(tmp_path: Path) -> None:
    """A scorer that is stopped in the middle of a backlog has not stored what comes after it."""
    trace = bytes(15) + b"\x01"
    with closing(InboxWriter(tmp_path)) as writer:
        for _ in range(3):
            writer.append([Arrival("spans", trace, QUESTION, 1)]).result()
    first, second = (number for number, _ in segments(tmp_path))
    leave(tmp_path, done=None, read=Position(first, 2), kept=())
    with closing(InboxReader(tmp_path)) as reader:
        assert [row.payload for row in reader.read()] == [b"", b"", QUESTION]
    leave(tmp_path, done=None, read=Position(second, 9), kept=[trace.hex()])
    assert clear(tmp_path) == 1

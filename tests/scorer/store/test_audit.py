"""``ragvigil ledger --check`` says which sum does not hold."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.command_line import ragvigil
from tests.scorer.scoring.bench import PASSED, Bench, question

from ragvigil.scorer.receive.counters import Counters, CountersFile
from ragvigil.scorer.store.audit import audit
from ragvigil.scorer.store.port import Judgement


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """Four records, two of them judged, one sampled out; everything that was received is counted."""
    made = Bench(tmp_path, rate=1.0)
    arrivals = [arrival for number in range(1, 5) for arrival in question(number)]
    made.receive(arrivals)
    jobs = made.settle()
    made.pipeline.judged([Judgement(job, PASSED) for job in jobs[:2]])
    made.settle()
    file = CountersFile(made.settings.inbox_path, Counters())
    file.save(Counters(spans=len(arrivals)).flat())
    yield made
    made.close()


def problems(bench: Bench) -> tuple[str, ...]:
    """What is wrong."""
    return audit(bench.settings.store.path, bench.settings.inbox_path).problems


def test_a_sound_store_holds_while_it_is_written(bench: Bench) -> None:
    """Also with spans that wait in the inbox, and with an open trace."""
    assert problems(bench) == ()
    bench.receive([question(9)[0]])
    assert problems(bench) == ()
    bench.pipeline.turn()
    assert problems(bench) == ()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("DELETE FROM ledger WHERE trace_id LIKE '%1'", "1 records without a ledger row: 0000"),
        ("DELETE FROM ledger WHERE trace_id LIKE '%1'", "1 traces without a ledger row"),
        ("DELETE FROM records WHERE trace_id LIKE '%3'", "1 ledger rows without their record"),
        ("DELETE FROM records WHERE trace_id LIKE '%3'", "1 observations without their record"),
        ("DELETE FROM traces WHERE trace_id LIKE '%4'", "1 bare, 0 whose content was taken out"),
        ("UPDATE counters SET value = 5 WHERE name = 'ingested'", "5 counted, 4 standing"),
        ("UPDATE ledger SET state = 'judged'", "2 records judged without a current verdict"),
        ("UPDATE ledger SET state = 'shed'", "2 records with a current verdict whose state is not judged"),
        ("UPDATE ledger SET inclusion = 2 WHERE state = 'pending'", "2 records sampled with an inclusion"),
        (
            "INSERT INTO labels VALUES (77, 'ana', x'00', 'skip', '', 0, 'desk', 0, '')",
            "1 labels without their record: 77",
        ),
        ("UPDATE rollups SET n = n + 1 WHERE series = 'citation'", "rollups that are not the sum"),
        ("DELETE FROM rollups WHERE series = 'citation'", "none against 4"),
        ("UPDATE observations SET weight = 3", "rollups that are not the sum"),
        (
            (
                "INSERT INTO ledger (trace_id, span_id, state, reason, inclusion, updated_at) "
                "SELECT trace_id, '', 'filtered', 'no_question', 0, 0 FROM ledger"
            ),
            "4 traces that count both",
        ),
        (
            "UPDATE meta SET value = '9999999999999999:9' WHERE key = 'watermark'",
            "lies after the last row counted",
        ),
        (
            "UPDATE meta SET value = '9999999999999999:9' WHERE key LIKE '%to' OR key = 'watermark'",
            "lies beyond the inbox",
        ),
        ("UPDATE counters SET value = value - 2 WHERE name = 'read_items'", "2 are missing"),
    ],
)
def test_each_damage_is_named(bench: Bench, damage: str, said: str) -> None:
    """One clear line for what does not hold."""
    with closing(sqlite3.connect(bench.settings.store.path)) as connection, connection:
        assert connection.execute(damage).rowcount > 0
    assert any(said in problem for problem in problems(bench)), problems(bench)


def test_a_lost_inbox_segment_is_named(bench: Bench) -> None:
    """What was accepted and neither read nor waiting is missing."""
    bench.crash()
    bench.receive(question(7) + question(8))
    CountersFile(bench.settings.inbox_path, Counters()).save(Counters(spans=12).flat())
    for path in bench.settings.inbox_path.glob("*.db"):
        with closing(sqlite3.connect(path)) as segment, segment:
            segment.execute("DELETE FROM rows WHERE id > (SELECT max(id) - 1 FROM rows)")
    assert any("1 are missing" in problem for problem in problems(bench)), problems(bench)
    bench.start()


def test_the_command_exits_with_1_when_a_sum_does_not_hold(bench: Bench) -> None:
    """0 and one line when all do; a receiver that was killed before it saved its counts is a note."""
    store = str(bench.settings.store.path)
    good = ragvigil("ledger", "--check", "--store", store)
    assert (good.returncode, good.stdout) == (
        0,
        "4 records, 8 spans and log records received: every sum holds\n",
    )
    CountersFile(bench.settings.inbox_path, Counters()).save(Counters(spans=6).flat())
    noted = ragvigil("ledger", "--check", "--store", store).stdout
    assert "2 more were read" in noted
    assert "a copy without its inbox" in noted
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("UPDATE counters SET value = 5 WHERE name = 'ingested'")
    bad = ragvigil("ledger", "--check", "--store", store)
    assert bad.returncode == 1
    assert "WRONG  1 records ingested by count, but not by ledger rows: 5 counted, 4 standing" in bad.stdout
    shown = json.loads(ragvigil("ledger", "--check", "--json", "--store", store).stdout)
    assert (shown["ok"], shown["records"], len(shown["problems"])) == (False, 4, 1)


def test_counts_that_are_written_down_a_moment_later_are_no_note(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under traffic each look said that the receive process had been killed."""
    file = CountersFile(bench.settings.inbox_path, Counters())
    file.save(Counters(spans=6).flat())

    def wait(seconds: float) -> None:
        file.save(Counters(spans=8).flat())

    monkeypatch.setattr(time, "sleep", wait)
    found = audit(bench.settings.store.path, bench.settings.inbox_path)
    assert (found.problems, found.notes) == ((), ())


def test_what_retention_took_out_is_no_damage(bench: Bench) -> None:
    """The ledger and the scores stay, and so do the sums."""
    assert len(bench.store.retention.expire(2**62, 10, counter="content_expired")) == 4
    assert problems(bench) == ()

"""Feedback and changes from the inbox to the store."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.command_line import ragvigil
from tests.conftest import Serve, eventually
from tests.scorer.scoring.bench import PASSED, SECOND, Bench, question

from ragvigil.scorer.config import load
from ragvigil.scorer.receive.told import Change, Feedback
from ragvigil.scorer.store import reading
from ragvigil.scorer.store._sqlite_changes import SqliteChanges
from ragvigil.scorer.store.port import Judgement, LedgerEntry, RawTrace, ScoredRecord, ScoredTrace, Taken
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.trace import RagTrace

NOW = 1_700_000_000 * SECOND


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """Every record is judged."""
    made = Bench(tmp_path, rate=1.0)
    yield made
    made.close()


def thumbs(trace: int, value: bool, key: str = "f1", at: int = NOW) -> Feedback:
    """Somebody's thumb."""
    return Feedback(
        trace_id=f"{trace:032x}",
        kind="thumbs",
        value=value,
        id=key,
        user="ana",
        at=datetime.fromtimestamp(at / 1e9, UTC),
    )


def rows(bench: Bench, query: str) -> list[tuple[object, ...]]:
    """What the store answers."""
    with closing(reading.open_for_reading(bench.settings.store.path)) as connection:
        return [tuple(row) for row in connection.execute(query)]


SHOWN = (
    "SELECT a.feedback ->> '$[0].label', json_array_length(a.feedback), r.version, a.verdict "
    "FROM answers a JOIN records r USING (trace_id)"
)


def test_feedback_joins_a_judged_record_without_a_new_version(bench: Bench) -> None:
    """Its verdict stays, nothing is judged again, and the last word counts."""
    bench.receive(question(1))
    bench.pipeline.judged([Judgement(job, PASSED) for job in bench.settle()])
    bench.settle()
    bench.receive([thumbs(1, True).arrival(NOW)])
    assert bench.settle() == []
    assert rows(bench, SHOWN) == [("up", 1, 1, "supported")]
    bench.receive([thumbs(1, False, at=NOW + SECOND).arrival(NOW)] * 2)
    assert bench.settle() == []
    assert rows(bench, SHOWN) == [("down", 1, 1, "supported")]
    assert bench.ledger() == reading.Ledger(1, {"judged": 1}, {})


def test_feedback_that_comes_first_waits_for_its_trace(bench: Bench) -> None:
    """Until then it is a trace without spans, and the sums hold all the while."""
    bench.receive([thumbs(1, False).arrival(NOW)])
    bench.settle()
    assert bench.ledger() == reading.Ledger(1, {"filtered": 1}, {"no_spans": 1})
    bench.crash()
    bench.start()
    bench.receive(question(1))
    assert len(bench.settle()) == 1
    assert rows(bench, SHOWN) == [("down", 1, 1, None)]
    assert bench.ledger() == reading.Ledger(1, {"pending": 1}, {})


def test_the_user_is_stored_under_a_pseudonym(bench: Bench) -> None:
    """As everywhere."""
    bench.receive([*question(1), thumbs(1, True).arrival(NOW)])
    bench.settle()
    ((user,),) = rows(bench, "SELECT feedback ->> '$[0].user_id' FROM records")
    assert user not in (None, "ana")


def test_a_change_is_stored_once_whatever_crashes(bench: Bench) -> None:
    """An open trace holds the watermark back, so the change is read again after the crash."""
    bench.receive([question(1)[0], Change(text="v7", kind="deploy", service="shop").arrival(NOW)])
    bench.pipeline.turn()
    for _ in range(2):
        bench.crash()
        bench.start()
        bench.pipeline.turn()
    with closing(reading.open_for_reading(bench.settings.store.path)) as connection:
        (change,) = reading.changes(connection)
    assert (change.text, change.kind, change.service, change.at, change.source) == (
        ("v7", "deploy", "shop", NOW, "told")
    )


def test_each_item_is_counted_once_whatever_crashes(bench: Bench) -> None:
    """Rows after the watermark are read again, and not counted again."""
    bench.receive([question(1)[0], *question(2)])
    bench.settle(5)
    for _ in range(2):
        bench.crash()
        bench.start()
        bench.settle(5)
    bench.receive([question(1)[1]])
    bench.settle()
    assert rows(bench, "SELECT value FROM counters WHERE name = 'read_items'") == [(4,)]


def test_a_version_seen_for_the_first_time_is_a_change(tmp_path: Path) -> None:
    """Once, since its earliest record, with the value before it."""
    with closing(SqliteStore(load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'r.db'}"}}))) as store:
        for number, (model, at) in enumerate([("a", 5), ("b", 9), ("a", 3), ("b", 20)]):
            record = RagTrace(f"{number:032x}", "1" * 16, "shop", at, environment="live", model=model)
            trace = ScoredTrace(
                record.trace_id,
                RawTrace(b"", b""),
                False,
                (ScoredRecord(record, (), LedgerEntry("checked_only", 0.1)),),
            )
            store.records.commit([trace], None, 0)
        with closing(reading.open_for_reading(tmp_path / "r.db")) as connection:
            found = reading.changes(connection, service="shop")
            elsewhere = reading.changes(connection, service="other")
            early = reading.changes(connection, until=9)
    assert [(each.kind, each.text, each.before, each.at) for each in found] == [
        ("model", "b", "a", 9),
        ("model", "a", None, 3),
    ]
    assert [each.text for each in early] == ["a"]
    assert elsewhere == []


def test_one_clock_that_is_behind_does_not_carry_off_the_mark_of_a_deploy(bench: Bench) -> None:
    """A pod that was six days behind for one request moved it to where no page looks; a late trace still moves it."""
    minute = 60 * 10**9
    with closing(sqlite3.connect(bench.settings.store.path, isolation_level=None)) as connection:

        def mark(*minutes: int) -> int:
            for changes in (
                SqliteChanges(connection),
                SqliteChanges(connection),
            ):  # the second knows nothing yet
                for each in minutes:
                    at = NOW + each * minute
                    changes.meet(RagTrace("0" * 32, "1" * 16, "shop", at, service_version="1.4"))
            found: int = connection.execute("SELECT at FROM changes WHERE text = '1.4'").fetchone()[0]
            return (found - NOW) // minute

        assert mark(0, -6 * 1440) == 0
        assert mark(-6 * 1440, -50, 10) == -50
        assert mark(-6 * 1440, -100) == -100


def test_what_changes_with_every_request_does_not_flood_the_changes(bench: Bench) -> None:
    """A hash of the prompt is no version: twenty a day are kept."""
    with closing(sqlite3.connect(bench.settings.store.path, isolation_level=None)) as connection:
        changes = SqliteChanges(connection)
        for number in range(50):
            changes.meet(RagTrace("0" * 32, "1" * 16, "shop", NOW, prompt_version=f"p{number}"))
    assert rows(bench, "SELECT count(*) FROM changes") == [(20,)]


def test_a_mark_for_a_service_that_nobody_knows_is_kept_and_says_which_are_known(tmp_path: Path) -> None:
    """ "shop-fag" was taken without a word, and stood on no page."""
    settings = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'ragvigil.db'}"}})
    entry = LedgerEntry("checked_only", 0.1, "sampled_out")
    with SqliteStore(settings, durable=False) as store:
        for number, service in enumerate(["atlas", "shop-faq"]):
            record = RagTrace(f"{number:032x}", "1" * 16, service, NOW)
            scored = ScoredTrace(
                record.trace_id, RawTrace(b"", b""), False, (ScoredRecord(record, (), entry),)
            )
            store.records.commit([scored], None, NOW, Taken())
    place = ("--store", str(tmp_path / "ragvigil.db"), "--http", "127.0.0.1:9")
    mistyped = ragvigil("mark", "index v2", "--service", "shop-fag", *place)
    assert mistyped.returncode == 0
    assert mistyped.stdout.startswith("marked, by the inbox: other: index v2; it waits in ")
    assert "no answer of service 'shop-fag' is in " in mistyped.stderr
    assert "there are answers of shop-faq, atlas. The mark is kept." in mistyped.stderr
    told = ragvigil("mark", "index v2", "--service", "shop-fag", *place, "--json")
    assert json.loads(told.stdout)["known_services"] == ["shop-faq", "atlas"]
    assert ragvigil("mark", "index v2", "--service", "shop-faq", *place).stderr == ""
    order = ("silence", "add", "--for", "1h", "--comment", "x", "--by", "ana", *place[:2], "--service")
    silenced = ragvigil(*order, "shop-fag")
    assert silenced.returncode == 0
    assert "there are answers of shop-faq, atlas. The silence is kept." in silenced.stderr
    assert json.loads(ragvigil(*order, "shop-fag", "--json").stdout)["known_services"] == [
        "shop-faq",
        "atlas",
    ]
    assert ragvigil(*order, "shop-faq").stderr == ""
    assert ragvigil(*order, "ragvigil").stderr == "", "its own illness is a service, too"


def test_mark_waits_in_the_inbox_and_reaches_a_running_scorer(serve: Serve, tmp_path: Path) -> None:
    """Both ways end in the same table, and in status."""
    store = f"sqlite:///{tmp_path / 'ragvigil.db'}"
    waiting = ragvigil("mark", "index v2", "--kind", "index", "--store", store, "--http", "127.0.0.1:9")
    left = f"it waits in {tmp_path / 'ragvigil-inbox'} for the next scorer"
    assert (waiting.returncode, waiting.stdout) == (0, f"marked, by the inbox: index: index v2; {left}\n")
    scorer = serve()
    told = ragvigil("mark", "deployed 7", "--id", "d7", "--store", store, "--http", scorer.http, "--json")
    again = ragvigil("mark", "deployed 7", "--id", "d7", "--store", store, "--http", scorer.http)
    assert json.loads(told.stdout) == {"accepted": 1, "taken_by": "scorer"}
    assert again.returncode == 0
    lost = ragvigil("mark", "x", "--store", store, "--http", "127.0.0.1:9")
    assert lost.returncode == 3
    assert "name the running scorer with --http" in lost.stderr
    mistyped = tmp_path / "vra" / "ragvigil.db"
    nowhere = ragvigil("mark", "x", "--store", f"sqlite:///{mistyped}", "--http", "127.0.0.1:9")
    assert (nowhere.returncode, mistyped.parent.exists()) == (3, False)
    assert f"no folder {mistyped.parent}; name the scorer's store with --store" in nowhere.stderr
    mistaken = ragvigil("mark", "x", "--store", store, "--http", scorer.grpc)
    assert mistaken.returncode == 3
    assert "speaks no HTTP, as on gRPC's port 4317; name the port for OTLP over HTTP" in mistaken.stderr
    ahead = ragvigil("mark", "x", "--at", "2130-01-01", "--store", store, "--http", scorer.http)
    assert (ahead.returncode, "at: must not lie in the future" in ahead.stderr) == (2, True)
    wrong = ragvigil("mark", "x", "--at", "soon", "--store", store)
    assert wrong.returncode == 2
    assert "at: " in wrong.stderr

    def texts() -> list[str]:
        shown = ragvigil("status", "--json", "--store", store)
        return sorted(each["text"] for each in json.loads(shown.stdout or "{}").get("changes", []))

    eventually(lambda: texts() == ["deployed 7", "index v2"])
    assert "latest changes:" in ragvigil("status", "--store", store).stdout

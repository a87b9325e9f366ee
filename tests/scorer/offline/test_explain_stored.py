"""`ragvigil explain TRACE_ID`: a trace that a page named, as long as its content is kept."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.command_line import ragvigil
from tests.scorer.erasure.kept_bytes import asked
from tests.scorer.scoring.bench import Bench

from ragvigil.scorer.config import Retention as Settings
from ragvigil.scorer.erasure.forgetting import Forgetting, Wanted
from ragvigil.scorer.erasure.retention import Retention
from ragvigil.scorer.moments import DAY

SCORED, WAITING = f"{1:032x}", f"{2:032x}"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """One trace that is scored."""
    made = Bench(tmp_path, rate=0.0)
    made.receive(asked(1, "wanda", secret="copper lamp"))
    made.settle()
    yield made
    made.close()


def store(bench: Bench) -> tuple[str, str]:
    """The option that names it."""
    return "--store", str(bench.settings.store.path)


@pytest.mark.parametrize("said", [SCORED, "00000000-0000-0000-0000-000000000001"])
def test_a_scored_trace_is_explained_by_its_id(bench: Bench, said: str) -> None:
    """As its spans in a file would be; an id may be written as a UUID."""
    shown = ragvigil("explain", said, *store(bench))
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.startswith(f"trace {SCORED}  service unknown  spans 2  records 1\n")
    assert 'query        "What does the copper lamp weigh?"' in shown.stdout
    assert 'documents    [{"id": "p1", "text": "The copper lamp weighs 1 grams."}]' in shown.stdout
    assert "inbox" not in shown.stdout
    assert json.loads(ragvigil("explain", said, "--json", *store(bench)).stdout)["waiting"] is False


def test_what_waits_in_the_inbox_is_explained_without_what_must_not_leave_it(bench: Bench) -> None:
    """It says that this is not scored yet, and shows no address that the scorer would cut."""
    bench.receive(asked(2, "wanda", secret="lamp of ana@example.com"))
    shown = ragvigil("explain", WAITING, *store(bench))
    assert shown.returncode == 0, shown.stderr
    assert "some of it waits in the inbox: not scored yet" in shown.stdout
    assert "What does the lamp of " in shown.stdout
    assert "ana@example.com" not in shown.stdout


def test_a_late_span_joins_what_is_stored(bench: Bench) -> None:
    """One trace, though half of it is still on its way."""
    bench.receive(asked(2, "wanda", secret="velvet chair")[:1])
    bench.settle()
    bench.receive(asked(2, "wanda", secret="velvet chair"))
    shown = ragvigil("explain", WAITING, "--json", *store(bench))
    told = json.loads(shown.stdout)
    assert (len(told["spans"]), told["waiting"]) == (2, True)


def test_a_trace_that_is_gone_or_was_never_here_says_so(bench: Bench) -> None:
    """Why, and what to do; the others of the call are shown."""
    never = ragvigil("explain", f"{9:032x}", *store(bench))
    assert never.returncode == 2
    assert "no trace with that id" in never.stderr
    assert "--config or --store" in never.stderr
    both = ragvigil("explain", SCORED, f"{9:032x}", *store(bench))
    assert (both.returncode, both.stdout[:38]) == (1, f"trace {SCORED}")
    retention = Retention(bench.store.retention, Settings(content_days=1))
    while retention.step(time.time_ns() + 2 * DAY):
        pass
    gone = ragvigil("explain", SCORED, *store(bench))
    assert gone.returncode == 2
    assert "retention.content_days = 30" in gone.stderr
    assert "its scores stay" in gone.stderr


def test_a_forgotten_trace_is_told_as_erased(bench: Bench) -> None:
    """Also while the inbox still holds a copy of its bytes."""
    forgetting = Forgetting(bench.store.erasures, Wanted("trace", SCORED), 1)
    while forgetting.step():
        pass
    bench.receive(asked(1, "wanda", secret="copper lamp"))
    shown = ragvigil("explain", SCORED, *store(bench))
    assert (shown.returncode, shown.stdout) == (2, "")
    assert "was erased by `ragvigil forget`" in shown.stderr


def test_what_is_neither_file_nor_id_names_both() -> None:
    """A span's id is shorter."""
    shown = ragvigil("explain", "00f067aa0ba902b7")
    assert shown.returncode == 2
    assert "00f067aa0ba902b7 is no file, and no trace id (32 hexadecimal characters" in shown.stderr

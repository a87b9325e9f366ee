"""``ragvigil dashboard``, as a user starts it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import httpx
from tests.scorer.metrics.filled import fill, record, settings_in

from ragvigil.scorer.store.sqlite import SqliteStore


def command(*arguments: str) -> subprocess.Popen[str]:
    """The process."""
    return subprocess.Popen(
        [sys.executable, "-m", "ragvigil.scorer", "dashboard", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_it_serves_the_pages_of_a_store_that_is_being_written_until_it_is_told_to_end(tmp_path: Path) -> None:
    """Beside the scorer, and without a word on standard error."""
    settings = settings_in(tmp_path)
    with SqliteStore(settings) as store:
        fill(store, [record(1)])
        process = command("--store", str(settings.store.path), "--http", "127.0.0.1:0", "--json")
        assert process.stdout is not None
        url: str = json.loads(process.stdout.readline())["url"]
        assert len(httpx.get(f"{url}api/answers").json()["found"]["answers"]) == 1
        fill(store, [record(2)])
        assert len(httpx.get(f"{url}api/answers").json()["found"]["answers"]) == 2
        second = command("--store", str(settings.store.path), "--http", url.split("/")[2])
        out, errors = second.communicate(timeout=60)
        assert (second.returncode, out) == (2, "")
        assert errors.startswith("ragvigil: dashboard.http: 127.0.0.1:")
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")


def test_without_a_store_it_says_so(tmp_path: Path) -> None:
    """Before anything listens."""
    process = command("--store", str(tmp_path / "none.db"))
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 3
    assert "no such store" in errors

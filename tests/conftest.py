"""A real scorer, as a user starts it, for the tests that need the whole."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

import hypothesis
import pytest

from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.store import reading
from ragvigil.scorer.store.reading import open_for_reading

PATIENCE = 30.0
T = TypeVar("T")

# How long an example takes says nothing of what it shows; the first text drawn on a new machine takes a second.
hypothesis.settings.register_profile(
    "untimed", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("untimed")


def pytest_sessionstart() -> None:
    """What is collected where the stack is full cannot end: no fault of the test that filled the stack on purpose."""
    told = sys.unraisablehook

    def unless_full(unraisable: sys.UnraisableHookArgs) -> None:
        if not isinstance(unraisable.exc_value, RecursionError):
            told(unraisable)

    sys.unraisablehook = unless_full


def pytest_make_parametrize_id(val: object) -> str | None:
    """Bytes that nobody can read are named by their number: gzip writes the time, and each worker collects at its own.

    Workers that collect different names run no test at all.
    """
    if isinstance(val, bytes) and not (val.isascii() and val.decode("ascii").isprintable()):
        return f"{len(val)} bytes"
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with a slow test come first: one that begins when the other workers end is waited for alone."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def eventually(probe: Callable[[], T | Literal[False] | None], *, seconds: float = PATIENCE) -> T:
    """What `probe` answers once it is true; fails after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        answer = probe()
        if answer:
            return answer
        assert time.monotonic() < deadline, f"still {answer!r} after {seconds} s"
        time.sleep(0.02)


@dataclass
class Scorer:
    """A running `ragvigil serve`."""

    process: subprocess.Popen[str]
    grpc: str
    http: str
    store: Path

    @property
    def score_process(self) -> int | None:
        """Process id of the score process, None while there is none."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return int(children[0]) if children else None

    def ledger(self) -> reading.Ledger:
        """The ledger as it stands; empty before the store exists."""
        try:
            connection = open_for_reading(self.store)
        except StoreError:
            return reading.Ledger(0, {}, {})
        with closing(connection):
            return reading.ledger(connection)

    def kill(self) -> None:
        """kill -9 both processes at once."""
        child = self.score_process
        self.process.kill()
        if child is not None:
            os.kill(child, signal.SIGKILL)
        self._close()

    def stop(self) -> int:
        """End it as an operator does; the exit code."""
        self.process.terminate()
        self._close()
        return self.process.returncode

    def _close(self) -> None:
        self.process.wait(PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()


Serve = Callable[..., Scorer]


@contextmanager
def starting(folder: Path) -> Generator[Serve]:
    """Starts scorers on free ports over `folder/ragvigil.db`, quick to assemble, and ends them after the block."""
    started: list[Scorer] = []

    def start(*, environment: Mapping[str, str] | None = None, config: Path | None = None) -> Scorer:
        store = folder / "ragvigil.db"
        command = [
            sys.executable,
            "-m",
            "ragvigil.scorer",
            "serve",
            "--json",
            "--store",
            f"sqlite:///{store}",
        ]
        command += ["--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0"]
        command += ["--config", str(config)] if config else []
        quick = {"RAGVIGIL_ASSEMBLE__QUIET_SECONDS": "0.1", "RAGVIGIL_ASSEMBLE__ROOTLESS_SECONDS": "0.5"}
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env={**os.environ, **quick, **(environment or {})}
        )
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        scorer = Scorer(process, ready["grpc"], ready["http"], store)
        started.append(scorer)
        return scorer

    yield start
    for scorer in started:
        if scorer.process.poll() is None:
            scorer.stop()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts scorers over `tmp_path/ragvigil.db`."""
    with starting(tmp_path) as start:
        yield start

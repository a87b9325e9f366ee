"""kill -9 to the score process at every point from a fall to its page: is each page delivered, under one key?"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Literal, get_args

from tests.exporters.conftest import Service

from ragvigil.scorer.app import run_score
from ragvigil.scorer.config import Settings, load
from ragvigil.scorer.store.sqlite import SqliteStore

SECOND = 10**9
MINUTE = 60 * SECOND
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
PATIENCE = 180.0

_LOADED = multiprocessing.get_context("forkserver")
"""Each scorer is a process of its own that begins with its modules loaded: they take seconds, and kill nothing."""
_LOADED.set_forkserver_preload(["httpx", "ragvigil.scorer.process.score", "tests.soak.killed_pages"])

Moment = Literal["anywhere", "written", "arriving", "answered"]
"""When it is killed: at any time after its start; as soon as the new page waits in the store; when that page has
reached the service and is not answered; just after the answer."""
MOMENTS: tuple[Moment, ...] = get_args(Moment)


@dataclass
class KilledPages:
    """A store in which one more service falls before each start of a scorer that is about to be killed."""

    folder: Path
    service: Service
    random: random.Random = field(default_factory=lambda: random.Random(1))
    process: BaseProcess | None = None
    falls: int = 0
    longest: float = 3.0
    """Seconds from a start to its page's arrival, as the last one took."""
    killed: Counter[str] = field(default_factory=Counter[str])
    known: int = 0
    """Requests that had arrived before the last start."""

    def __post_init__(self) -> None:
        """An empty store."""
        self.store = self.folder / "store.db"
        self.settings = load(
            overrides={
                "store": {"url": f"sqlite:///{self.store}"},
                # The window: a long soak must not outlive the fall.
                "monitor": {
                    "group_after": 0,
                    "tick_seconds": 0.2,
                    "citation": {
                        "window_seconds": 3600,
                        "warmup_seconds": 3600,
                        "baseline_seconds": 86_400,
                    },
                },
                "detect": {"enabled": False},
                "judge": {"kind": "none"},
                "channels": {"oncall": {"type": "webhook", "url": self.service.url, "secret": SECRET}},
            }
        )
        with SqliteStore(self.settings):
            pass

    def kill_once(self, moment: Moment) -> None:
        """A service falls, a scorer starts, and dies at that moment of the new page, and not of an older one."""
        name = self._fall()

        def arrived() -> None:
            if moment == "arriving" and self._arrived(name) and self.process is not None:
                self.process.kill()

        self.service.arrived = arrived
        self._start()
        began = time.monotonic()
        if moment == "anywhere":
            time.sleep(self.random.uniform(0.0, 1.2 * self.longest))
        elif moment == "written":
            self._until(lambda: self._written(name))
        else:
            self._until(lambda: self._arrived(name))
            self.longest = time.monotonic() - began
        if moment == "answered":
            time.sleep(self.random.uniform(0.0, 0.05))
        if moment == "arriving":
            self._reap()
        else:
            self._kill()
        self.service.arrived = lambda: None
        self.killed[moment] += 1

    def finish(self) -> None:
        """One more scorer, which may live until nothing waits, and ends as an operator ends it."""
        self._start()
        self._until(lambda: self._waiting() == 0 and len(self.keys()) == self.falls)
        assert self.process is not None
        self.process.terminate()
        self._reap()

    def close(self) -> None:
        """End what may still run."""
        if self.process is not None:
            self._kill()

    def keys(self) -> dict[str, Counter[str]]:
        """How often each dedup key arrived as a page, by service."""
        found: dict[str, Counter[str]] = {}
        for request in list(self.service.received):
            alert = json.loads(request.body)["data"]
            assert alert["action"] == "trigger", alert["action"]
            found.setdefault(alert["service"], Counter())[alert["dedup_key"]] += 1
        return found

    def incidents(self) -> int:
        """Incidents in the store."""
        with closing(self._connect()) as connection:
            return int(connection.execute("SELECT count(*) FROM incidents").fetchone()[0])

    def _arrived(self, name: str) -> bool:
        """Whether a page about that service has reached the channel."""
        told = f'"service":"{name}"'.encode()
        return any(told in request.body for request in self.service.received[self.known :])

    def _written(self, name: str) -> bool:
        """Whether a page about that service stands in the outbox."""
        sql = "SELECT 1 FROM outbox JOIN incidents ON incidents.id = outbox.incident_id WHERE service = ?"
        with closing(self._connect()) as connection:
            return connection.execute(sql, (name,)).fetchone() is not None

    def _fall(self) -> str:
        """Two good hours and ten bad minutes of one more service, as the pipeline sums them up; its name."""
        name, now = f"service-{self.falls}", time.time_ns() // MINUTE * MINUTE
        with closing(self._connect()) as connection, connection:
            connection.execute(
                "INSERT OR IGNORE INTO instruments VALUES (1, 'citation_correctness', '1', '', '')"
            )
            place = ("citation", name, "production", 1)
            connection.execute(
                "INSERT INTO series (series, service, environment, instrument_id, first_bucket, state) "
                "VALUES (?, ?, ?, ?, ?, 'cold_start')",
                (*place, now - 125 * MINUTE),
            )
            rows = [(minute, 40, 38.0 if minute > 10 else 10.0) for minute in range(1, 125)]
            connection.executemany(
                "INSERT INTO rollups (series, service, environment, instrument_id, bucket, n, w, wx, w2, w2x, w2x2) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [(*place, now - minute * MINUTE, n, n, good, n, good, good) for minute, n, good in rows],
            )
        self.falls += 1
        return name

    def _start(self) -> None:
        self.known = len(self.service.received)
        self.process = _LOADED.Process(target=_serve, args=(self.settings, self.folder / "log"))
        self.process.start()

    def _kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self._reap()

    def _reap(self) -> None:
        assert self.process is not None
        self.process.join(PATIENCE)
        self.process.close()
        self.process = None

    def _waiting(self) -> int:
        with closing(self._connect()) as connection:
            sql = "SELECT count(*) FROM outbox WHERE delivered_at IS NULL AND refused_at IS NULL"
            return int(connection.execute(sql).fetchone()[0])

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self.store, timeout=PATIENCE)

    def _until(self, happened: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not happened():
            if time.monotonic() > deadline:
                told = f"{len(self.keys())} of {self.falls} told, {self._waiting()} wait\n"
                raise AssertionError(told + (self.folder / "log").read_text()[-2_000:])
            time.sleep(0.005)


def _serve(settings: Settings, log: Path) -> None:
    """``ragvigil serve --role score``, with what it says in a file."""
    with log.open("a") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    run_score(settings)

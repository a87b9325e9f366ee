"""kill -9 to the score process at every point from a fall to its page: is each page delivered, under one key?"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from tests.exporters.conftest import Service

from ragvigil.scorer.config import load
from ragvigil.scorer.store.sqlite import SqliteStore

SECOND = 10**9
MINUTE = 60 * SECOND
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
PATIENCE = 180.0

Moment = Literal["anywhere", "written", "arriving", "answered"]
"""When it is killed: at any time after its start; as soon as a page waits in the store; when the page has reached
the service and is not answered; just after the answer."""
MOMENTS: tuple[Moment, ...] = get_args(Moment)


@dataclass
class KilledPages:
    """A store in which one more service falls before each start of a scorer that is about to be killed."""

    folder: Path
    service: Service
    random: random.Random = field(default_factory=lambda: random.Random(1))
    process: subprocess.Popen[bytes] | None = None
    falls: int = 0
    killed: Counter[str] = field(default_factory=Counter[str])

    def __post_init__(self) -> None:
        """An empty store."""
        self.store = self.folder / "store.db"
        with SqliteStore(load(overrides={"store": {"url": f"sqlite:///{self.store}"}})):
            pass

    def kill_once(self, moment: Moment) -> None:
        """A service falls, a scorer starts, and dies at that moment."""
        self._fall()
        seen = len(self.service.received)
        if moment == "arriving":
            self.service.arrived = self._kill
        self._start()
        if moment == "anywhere":
            time.sleep(self.random.uniform(0.0, 3.0))
        elif moment == "written":
            self._until(lambda: self._waiting() > 0)
        else:
            self._until(lambda: len(self.service.received) > seen)
            time.sleep(self.random.uniform(0.0, 0.05))
        self.service.arrived = lambda: None
        self._kill()
        self.killed[moment] += 1

    def finish(self) -> None:
        """One more scorer, which may live until nothing waits, and ends as an operator ends it."""
        self._start()
        self._until(lambda: len(self.keys()) == self.falls and self._waiting() == 0)
        assert self.process is not None
        self.process.terminate()
        self.process.wait(PATIENCE)

    def close(self) -> None:
        """End what may still run."""
        if self.process is not None and self.process.poll() is None:
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

    def _fall(self) -> None:
        """Two good hours and ten bad minutes of one more service, as the pipeline sums them up."""
        name, now = f"service-{self.falls}", time.time_ns() // MINUTE * MINUTE
        self.falls += 1
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

    def _start(self) -> None:
        command = [sys.executable, "-m", "ragvigil.scorer", "serve", "--role", "score"]
        command += ["--store", f"sqlite:///{self.store}"]
        settings = {
            "RAGVIGIL_MONITOR__TICK_SECONDS": "0.5",
            # A long soak must not outlive the fall.
            "RAGVIGIL_MONITOR__CITATION__WINDOW_SECONDS": "3600",
            "RAGVIGIL_MONITOR__CITATION__WARMUP_SECONDS": "3600",
            "RAGVIGIL_MONITOR__CITATION__BASELINE_SECONDS": "86400",
            "RAGVIGIL_DETECT__ENABLED": "false",
            "RAGVIGIL_JUDGE__KIND": "none",
            "RAGVIGIL_CHANNELS__ONCALL__TYPE": "webhook",
            "RAGVIGIL_CHANNELS__ONCALL__URL": self.service.url,
            "RAGVIGIL_CHANNELS__ONCALL__SECRET": SECRET,
        }
        with (self.folder / "log").open("a") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **settings})

    def _kill(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)

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
            time.sleep(0.002)

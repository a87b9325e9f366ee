"""A service with a store of its own, whose traffic, quality and judge a test decides."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from ragvigil.exporters import Alert
from ragvigil.scorer.config import Settings, load
from ragvigil.scorer.sample import Sampler, fraction
from ragvigil.scorer.store.port import (
    Job,
    Judgement,
    LedgerEntry,
    RawTrace,
    ScoredRecord,
    ScoredTrace,
)
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.trace import Document, RagTrace, Retrieval
from ragvigil.scorer.verdict import CheckResult, Verdict
from ragvigil.scorer.watch.gold import labels_of
from ragvigil.scorer.watch.watcher import Watcher

HOUR = 3600 * 10**9
START = 1_788_220_800 * 10**9 - 1_788_220_800 * 10**9 % (86_400 * 10**9)
"""Midnight, UTC."""
RATE = 0.3
DETECT = {"batch_seconds": 3600, "learning_days": 1, "verdict_seconds": 900, "keep_days": 8}


@dataclass
class Hour:
    """What happens in one hour."""

    questions: int = 60
    unfaithful: dict[str, float] = field(default_factory=lambda: {"de": 0.04, "en": 0.04})
    """Share of unfaithful answers, by language."""
    nothing_retrieved: float = 0.0
    cited: float = 1.0
    judge_drifted: bool = False
    unreadable: int = 0
    """Sixteenths of the judge's replies that nobody can read."""


class Service:
    """Writes records as the pipeline does, and answers the judge's jobs as a judge that is right 9 times in 10."""

    def __init__(self, settings: Settings, store: SqliteStore, *, seed: int = 1) -> None:
        self.settings, self.store = settings, store
        self.random = np.random.default_rng(seed)
        self.now = START
        self.truth: dict[str, bool] = {}
        self.drifted, self.unreadable = False, 0
        self.answering = self.rejudging = True
        self.alerts: list[Alert] = []
        self.canaries, self.room = 0, 10_000
        self.asked, self.withdrawn = list[int](), list[int]()
        self.number = 0
        self.ahead = self.moved = 0
        self.ticked: int | None = None
        self.restart()

    def continued(self, settings: Settings, store: SqliteStore) -> Service:
        """The same service on a copy of its store."""
        other = Service(settings, store, seed=2)
        other.now, other.number, other.truth = self.now, self.number, dict(self.truth)
        other.alerts = list(self.alerts)
        return other

    def restart(self) -> None:
        """A new process: only the store is left."""
        self.watcher = Watcher(
            self.store.watching,
            self.settings,
            labels_of(self.settings.monitor, self.settings.judge),
            ["on-call"],
            sampler=Sampler(RATE),
            room=lambda _: self.room,
            ticks=None if self.ticked is None else lambda: self.ticked or 0,
        )

    def clocked(self) -> None:
        """A new process that has a clock that nobody sets beside the wall clock.

        The wall clock is `ahead` of the time, and was `moved` together with it.
        """
        self.ticked = self.now
        self.restart()

    def live(self, hour: Hour, hours: int = 1) -> list[Alert]:
        """So many hours of it; the alerts."""
        told: list[Alert] = []
        for _ in range(hours):
            self.drifted, self.unreadable = hour.judge_drifted, hour.unreadable
            traces = [self.trace(hour, place) for place in range(hour.questions)]
            self._judge(self.store.records.commit(traces, None, self.now + HOUR))
            self.now += HOUR
            told += self.tick(self.now + 120 * 10**9)
        self.alerts += told
        return told

    def tick(self, now: int) -> list[Alert]:
        """Let the watcher look, answer what it asks, and let it look again."""
        if self.ticked is not None:
            self.ticked, now = now - self.moved, now + self.ahead
        watched = self.watcher.tick(now)
        self._judge([job for job in watched.jobs if job.purpose == "score"])
        again = self.watcher.tick(now + 10**9)
        told = [*watched.alerts, *again.alerts]
        jobs = [job for one in (watched, again) for job in one.jobs if job.purpose == "canary"]
        self.withdrawn += [record for one in (watched, again) for record in one.withdrawn]
        self.asked += [job.record_id for job in jobs]
        if jobs and self.answering and self.rejudging:
            self.canaries += len(jobs)
            self.watcher.rejudged([self._judgement(job) for job in jobs])
            told += self.watcher.tick(now + 2 * 10**9).alerts
        return told

    def _judge(self, jobs: Sequence[Job]) -> None:
        if self.answering:
            self.store.records.record_judgements([self._judgement(job) for job in jobs], self.now)

    def _judgement(self, job: Job) -> Judgement:
        if int(job.record.trace_id[-1], 16) < self.unreadable:
            return Judgement(job, Verdict("test", "1", "d", "unparseable", None, None))
        faithful = self.truth[job.record.trace_id]
        place = int(job.record.trace_id[:8], 16) / 2**32
        right = place < (0.6 if self.drifted and faithful else 0.9)
        passed = faithful == right
        if passed:
            return Judgement(job, Verdict("test", "1", "d", "supported", 0.9, 0.9))
        return Judgement(job, Verdict("test", "1", "d", "unsupported", 0.1, 0.1))

    def trace(self, hour: Hour, place: int) -> ScoredTrace:
        """A question of this hour."""
        self.number += 1
        language = "de" if place % 3 == 0 else "en"
        trace_id = self.random.bytes(16).hex()
        faithful = bool(self.random.random() >= hour.unfaithful[language])
        self.truth[trace_id] = faithful
        empty = self.random.random() < hour.nothing_retrieved
        record = RagTrace(
            trace_id,
            "1" * 16,
            "shop",
            self.now + int(self.random.random() * HOUR),
            query=f"What does part {self.number} cost?",
            answer=f"Part {self.number} costs 5 euros [p1].",
            environment="production",
            documents=() if empty else (Document("p1", "Parts cost 5 euros."),),
            retrievals=(Retrieval("retrieve", None, () if empty else ("p1",), ()),),
            segment={"language": language, "request": f"r{self.number}"},
        )
        cited = 0.0 if empty else float(self.random.random() < hour.cited)
        cheap = float(np.clip(self.random.normal(0.85 if faithful else 0.5, 0.12), 0.01, 0.99))
        checks = (
            CheckResult("citation_correctness", "1", cited, None if cited else "cites p9"),
            CheckResult("supported_claims", "1", cheap, None, {"faithfulness": cheap}),
        )
        judged = fraction(trace_id) < RATE
        ledger = LedgerEntry("pending" if judged else "checked_only", RATE, None if judged else "sampled_out")
        raw = RawTrace(f"spans of {trace_id}".encode(), b"")
        return ScoredTrace(trace_id, raw, False, (ScoredRecord(record, checks, ledger),))


def gold_file(folder: Path, *, unfaithful: int = 60) -> Path:
    """Labels as a judge that is right nine times in ten gives them."""
    random = np.random.default_rng(3)
    path = folder / "labels.jsonl"
    items = [
        {
            "truth": truth,
            "verdict": truth if random.random() < 0.9 else 1 - truth,
            "cheap": float(np.clip(random.normal(0.85 if truth else 0.5, 0.12), 0.01, 0.99)),
        }
        for truth in [1] * 140 + [0] * unfaithful
    ]
    path.write_text("\n".join(map(json.dumps, items)))
    return path


def settings_in(folder: Path, **detect: object) -> Settings:
    """Hours for batches and a day of learning."""
    return load(
        overrides={
            "store": {"url": f"sqlite:///{folder / 'store.db'}"},
            "sample": {"rate": RATE},
            "monitor": {"gold": str(gold_file(folder))},
            "detect": {**DETECT, **detect},
        }
    )


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Service]:
    """Three good days, lived once: a store to copy, and who lived them."""
    folder = tmp_path_factory.mktemp("healthy")
    settings = settings_in(folder)
    with SqliteStore(settings, durable=False) as store:
        service = Service(settings, store)
        service.live(Hour(), 72)
        store.checkpoint()
    return settings.store.path, service


@pytest.fixture
def service(tmp_path: Path, healthy: tuple[Path, Service]) -> Iterator[Service]:
    """A service after three good days."""
    path, before = healthy
    settings = settings_in(tmp_path)
    shutil.copy(path, settings.store.path)
    with SqliteStore(settings, durable=False) as store:
        yield before.continued(settings, store)

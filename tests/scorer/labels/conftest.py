"""A service whose answers are judged, and whose truth a test knows."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from ragvigil.scorer.config import Settings, load
from ragvigil.scorer.sample import fraction
from ragvigil.scorer.store.port import Judgement, LedgerEntry, RawTrace, ScoredRecord, ScoredTrace
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.trace import Document, RagTrace
from ragvigil.scorer.verdict import CheckResult, Verdict

RATE = 0.4
DAY = 86_400 * 10**9


@dataclass(frozen=True)
class Shop:
    """A store, and what is true of each answer in it."""

    settings: Settings
    truth: Mapping[str, bool]
    """By trace id, whether the answer is faithful."""

    @property
    def store(self) -> str:
        """As --store takes it."""
        return str(self.settings.store.path)

    @property
    def label(self) -> dict[str, str]:
        """What a person who is always right says, by trace id."""
        return {trace: "faithful" if right else "unfaithful" for trace, right in self.truth.items()}


def settings_in(folder: Path) -> Settings:
    """A store in that folder."""
    return load(overrides={"store": {"url": f"sqlite:///{folder / 'shop.db'}"}})


def filled(folder: Path, *, questions: int = 1_500, right: float = 0.92, seed: int = 4) -> Shop:
    """A shop with so many answers of the last three days, RATE of them judged by a judge that is so often right."""
    settings, random = settings_in(folder), np.random.default_rng(seed)
    truth: dict[str, bool] = {}
    start = time.time_ns() - 3 * DAY
    traces: list[ScoredTrace] = []
    for number in range(questions):
        trace = _trace(random, number, start + number * (DAY // questions))
        truth[trace[0].trace_id] = trace[1]
        traces.append(trace[0])
    with SqliteStore(settings, durable=False) as store:
        jobs = store.records.commit(traces, None, start)
        said = [truth[job.record.trace_id] == (random.random() < right) for job in jobs]
        store.records.record_judgements(
            [Judgement(job, verdict(passed)) for job, passed in zip(jobs, said, strict=True)], start
        )
        store.checkpoint()
    return Shop(settings, truth)


def verdict(passed: bool) -> Verdict:
    """Of the judge `test`."""
    return Verdict("test", "1", "d", "supported" if passed else "unsupported", 0.9, 0.9 if passed else 0.1)


def _trace(random: np.random.Generator, number: int, at: int) -> tuple[ScoredTrace, bool]:
    trace_id = random.bytes(16).hex()
    language = "de" if number % 3 == 0 else "en"
    faithful = bool(random.random() >= 0.1)
    record = RagTrace(
        trace_id,
        "1" * 16,
        "shop",
        at,
        query=f"What does part {number} cost?",
        answer=f"Part {number} costs {5 if faithful else 9} euros [p1].",
        environment="production",
        documents=(Document("p1", "All parts cost 5 euros."),),
        segment={"language": language, "request": f"r{number}"},
    )
    cheap = float(np.clip(random.normal(0.85 if faithful else 0.5, 0.12), 0.01, 0.99))
    checks = (CheckResult("supported_claims", "1", cheap, None, {"faithfulness": cheap}),)
    judged = fraction(trace_id) < RATE
    ledger = LedgerEntry("pending" if judged else "checked_only", RATE, None if judged else "sampled_out")
    raw = RawTrace(f"spans of {trace_id}".encode(), b"")
    return ScoredTrace(trace_id, raw, False, (ScoredRecord(record, checks, ledger),)), faithful


@pytest.fixture(scope="session")
def filled_once(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """Filled once, to be copied."""
    return filled(tmp_path_factory.mktemp("shop"))


@pytest.fixture
def shop(tmp_path: Path, filled_once: Shop) -> Shop:
    """1,500 answers, 40 % of them judged."""
    settings = settings_in(tmp_path)
    shutil.copy(filled_once.settings.store.path, settings.store.path)
    return Shop(settings, filled_once.truth)

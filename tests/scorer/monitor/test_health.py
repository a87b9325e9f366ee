"""A scorer that is ill says so, once, and says when it is well; one that is dead falls silent."""

from __future__ import annotations

import asyncio
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.conftest import Serve, eventually
from tests.exporters.conftest import serving

from ragvigil.exporters import Heartbeat, as_text
from ragvigil.scorer.config import Settings, load
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.monitor.health import SERVICE, HealthWatch
from ragvigil.scorer.monitor.heartbeat import keep_beating
from ragvigil.scorer.monitoring import SeriesKey
from ragvigil.scorer.process.scoring_thread import Scoring
from ragvigil.scorer.store.sqlite import SqliteStore

SECOND = 10**9
NOW = 1_772_334_000 * SECOND


@dataclass
class Pipeline:
    """How far the pipeline has read."""

    reading: int | None = None


class Patient:
    """A scorer that a test makes ill."""

    def __init__(self, settings: Settings, store: SqliteStore) -> None:
        self.settings, self.store = settings, store
        self.pipeline = Pipeline()
        self.free = 10**12
        self.now = NOW
        self.set_ahead = 0
        """By how much somebody has set the clock ahead, nanoseconds."""
        self.restart()

    def restart(self) -> None:
        """A new process."""
        self.watch = HealthWatch(
            self.store.monitoring,
            self.pipeline,
            self.settings,
            free_bytes=lambda _: self.free,
            ticks=lambda: self.now - self.set_ahead,
        )

    def live(self, seconds: int) -> list[tuple[str, str, str]]:
        """(series, action, severity) of what was told meanwhile."""
        told: list[tuple[str, str, str]] = []
        for _ in range(0, seconds, 30):
            self.now += 30 * SECOND
            told += [(one.series, one.action, one.severity) for one in self.watch.tick(self.now)]
        return told


@pytest.fixture
def patient(tmp_path: Path) -> Iterator[Patient]:
    """In good health, with one channel."""
    channel = {"type": "webhook", "url": "https://example.com", "secret": "whsec_" + "c2VjcmV0" * 4}
    settings = load(
        overrides={
            "store": {"url": f"sqlite:///{tmp_path / 'store.db'}"},
            "inbox": {"max_bytes": 1_000_000, "segment_bytes": 100_000},
            "channels": {"oncall": channel},
        }
    )
    with SqliteStore(settings) as store:
        yield Patient(settings, store)


def test_a_healthy_scorer_says_nothing(patient: Patient) -> None:
    """However long."""
    assert patient.live(3_600) == []


def test_a_file_that_vanishes_while_the_inbox_is_measured_costs_nothing(patient: Patient) -> None:
    """As the log beside a database does when its last reader closes it."""
    patient.settings.inbox_path.mkdir(parents=True, exist_ok=True)
    (patient.settings.inbox_path / "gone.db-wal").symlink_to("nowhere")
    assert patient.live(60) == []


def test_what_fails_in_a_tick_does_not_keep_the_rest_from_being_told(tmp_path: Path) -> None:
    """Coverage cannot be read, and the page about the disk goes out; the heartbeat does not."""
    changed = {"store": {"url": f"sqlite:///{tmp_path / 'other.db'}"}, "health": {"least_free_bytes": 10**18}}
    settings = load(overrides={**changed, "inbox": {"path": str(tmp_path / "inbox")}})
    scoring = Scoring(settings, hand_out=lambda _: None)
    scoring.open()
    try:
        with sqlite3.connect(settings.store.path) as outside:
            outside.execute("ALTER TABLE traces RENAME TO damaged")
        outside.close()
        scoring.call(scoring.tick).result(10)
        key = SeriesKey("scorer_disk", SERVICE, None)
        assert scoring.call(lambda: scoring.store.monitoring.open_incident(key)).result(10) is not None
        assert scoring.succeeded_at == 0.0
        with sqlite3.connect(settings.store.path) as outside:
            outside.execute("ALTER TABLE damaged RENAME TO traces")
        outside.close()
        scoring.call(scoring.tick).result(10)
        assert scoring.succeeded_at > 0.0
    finally:
        scoring.stop()


def test_a_backlog_is_one_page_and_resolves(patient: Patient) -> None:
    """Also when the process restarts meanwhile."""
    patient.pipeline.reading = NOW - 400 * SECOND
    assert patient.live(60) == [("scorer_backlog", "trigger", "error")]
    patient.restart()
    assert patient.live(600) == []
    patient.pipeline.reading = None
    assert patient.live(240) == []
    assert patient.live(120) == [("scorer_backlog", "resolve", "error")]


def test_an_illness_that_comes_and_goes_tells_less_and_less(patient: Patient) -> None:
    """The same incident, open again; each time it must be well for twice as long."""
    told: list[tuple[str, str, str]] = []
    for _ in range(24):
        patient.pipeline.reading = patient.now - 400 * SECOND
        told += patient.live(120)
        patient.pipeline.reading = None
        told += patient.live(400)
    assert [action for _, action, _ in told] == ["trigger", "resolve", "trigger"]
    assert patient.live(2_400) == [("scorer_backlog", "resolve", "error")]


def test_a_judge_that_fails_is_a_page(patient: Patient) -> None:
    """By the share of its verdicts that failed; a few failures are not."""
    patient.watch.judged(NOW, answered=30, failed=10)
    assert patient.live(60) == []
    patient.watch.judged(patient.now, answered=0, failed=40)
    assert patient.live(60) == [("scorer_judge", "trigger", "error")]
    patient.watch.judged(patient.now + 900 * SECOND, answered=40, failed=0)
    assert patient.live(1_500) == [("scorer_judge", "resolve", "error")]


def test_a_clock_that_is_set_ahead_silences_no_judge(patient: Patient, tmp_path: Path) -> None:
    """What waits for a verdict has not waited longer for that."""
    with closing(sqlite3.connect(tmp_path / "store.db")) as connection, connection:
        connection.execute("INSERT INTO ledger VALUES ('ab', 'cd', 'pending', NULL, 0.1, NULL, ?)", (NOW,))
    assert patient.live(60) == []
    patient.set_ahead = 86_400 * SECOND
    patient.now += patient.set_ahead
    assert patient.live(780) == []
    assert patient.live(120) == [("scorer_judge", "trigger", "error")]


def test_a_clock_that_is_set_back_ends_no_looking(patient: Patient) -> None:
    """By an hour: for that hour nobody looked at the scorer's own health."""
    assert patient.live(60) == []
    patient.now -= 3_600 * SECOND
    patient.free = 0
    assert ("scorer_disk", "trigger", "error") in patient.live(120)


def test_a_judge_that_says_nothing_is_a_page(patient: Patient, tmp_path: Path) -> None:
    """When a record has waited for longer than it may."""
    with closing(sqlite3.connect(tmp_path / "store.db")) as connection, connection:
        connection.execute("INSERT INTO ledger VALUES ('ab', 'cd', 'pending', NULL, 0.1, NULL, ?)", (NOW,))
    assert patient.live(870) == []
    assert patient.live(90) == [("scorer_judge", "trigger", "error")]
    patient.watch.judged(patient.now, answered=1, failed=0)
    assert patient.live(600) == [("scorer_judge", "resolve", "error")]


def test_a_disk_that_fills_up_is_a_page(patient: Patient) -> None:
    """Before it is full; it can be read on a phone what is to be done."""
    patient.free = 100 * 10**6
    (alert,) = patient.watch.tick(NOW)
    text = as_text(alert)
    assert "ragvigil's disk is nearly full" in text
    assert "100 MB are free, 500 are wanted (health.least_free_bytes)" in text
    assert f"Where: host {socket.gethostname()}, store {patient.settings.store.path}." in alert.summary
    patient.free = 10**12
    assert patient.live(600) == [("scorer_disk", "resolve", "error")]


def test_a_disk_that_is_full_is_called_so(patient: Patient) -> None:
    """It was "nearly full" while spans were refused."""
    patient.free = 4096
    (alert,) = patient.watch.tick(NOW)
    assert alert.title == "ragvigil's disk is full"
    assert alert.summary.startswith("The disk is full, and spans are refused: 0 MB are free, 500 are wanted")
    assert "When it is full" not in alert.summary


def test_a_disk_that_becomes_full_is_told_once_more(patient: Patient) -> None:
    """Who was paged that it is nearly full was never told that spans are refused by now."""
    patient.free = 100 * 10**6
    assert patient.live(60) == [("scorer_disk", "trigger", "error")]
    patient.free, patient.now = 4096, patient.now + 60 * SECOND
    (alert,) = patient.watch.tick(patient.now)
    assert (alert.action, alert.title) == ("update", "ragvigil's disk is full")
    for free in (4096, 2 * 10**6, 0):
        patient.free = free
        assert patient.live(300) == []
    patient.free = 10**12
    assert patient.live(600) == [("scorer_disk", "resolve", "error")]


def test_an_inbox_that_fills_up_is_a_page(patient: Patient) -> None:
    """Before senders are refused."""
    folder = patient.settings.inbox_path
    folder.mkdir(parents=True)
    (folder / "0001.db").write_bytes(bytes(850_000))
    assert patient.live(30) == [("scorer_disk", "trigger", "error")]


def test_its_pages_can_be_switched_off(patient: Patient) -> None:
    """For those who watch it from outside."""
    health = patient.settings.health.model_copy(update={"enabled": False})
    patient.settings = patient.settings.model_copy(update={"health": health})
    patient.restart()
    patient.free = 0
    assert patient.live(300) == []


async def test_the_heart_beats_while_evaluations_succeed_and_no_longer(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Silence is the message; a beat that is not heard is logged once, without its address."""
    stop, beats, alive = asyncio.Event(), 0, True
    with serving() as service:

        def arrived() -> None:
            nonlocal beats, alive
            beats += 1
            service.status = 500
            alive = beats < 3

        service.arrived = arrived
        heart = Heartbeat(service.url)
        task = asyncio.create_task(keep_beating(heart, every_seconds=0.01, alive=lambda: alive, stop=stop))
        async with asyncio.timeout(20):
            while "the heartbeat stops" not in caplog.text:  # noqa: ASYNC110 - no event is set
                await asyncio.sleep(0.01)
        stop.set()
        await task
    assert beats == 3
    assert caplog.text.count("the heartbeat is not heard: http_500") == 1
    assert "hush" not in caplog.text


def test_a_running_scorer_beats(serve: Serve) -> None:
    """From its first evaluation on."""
    with serving() as service:
        serve(
            environment={
                "RAGVIGIL_HEALTH__HEARTBEAT_URL": service.url,
                "RAGVIGIL_HEALTH__HEARTBEAT_SECONDS": "0.2",
                "RAGVIGIL_MONITOR__TICK_SECONDS": "0.2",
            }
        )
        eventually(lambda: len(service.received) >= 2, seconds=90)
        assert service.received[0].body == b"{}"


def test_an_address_that_is_none_is_refused_and_not_shown() -> None:
    """It may hold a token."""
    with pytest.raises(ConfigError, match=r"health\.heartbeat_url: url must look like") as refused:
        load(overrides={"health": {"heartbeat_url": "hc-ping.com/hush"}})
    assert "hush" not in str(refused.value)

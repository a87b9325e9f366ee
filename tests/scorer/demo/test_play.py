"""The demo as people run it: real processes, real faults, real pages."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ragvigil.exporters import Alert, Measurement, to_json
from ragvigil.scorer import config
from ragvigil.scorer.demo import phases
from ragvigil.scorer.demo import play as play_module
from ragvigil.scorer.demo.play import Frame, Stage, perform_phase, play
from ragvigil.scorer.demo.processes import clean_environment, running
from ragvigil.scorer.demo.receiver import Page, Receiver
from ragvigil.scorer.demo.run import run_demo
from ragvigil.scorer.demo.traffic import Traffic
from ragvigil.scorer.demo.watch import EMPTY, Snapshot, look
from ragvigil.scorer.detect.stretches import stretches
from ragvigil.scorer.errors import InputError, StoreError
from ragvigil.scorer.store import reading

INSTALLED = os.environ.get("INSTALLED_RAGVIGIL")
"""The command of a wheel that `.ci/run` installed: all of it has to work from there, too."""
COMMAND = [INSTALLED] if INSTALLED else [sys.executable, "-m", "ragvigil.scorer"]
DEMO = [*COMMAND, "demo"]
SHIPPED = Path(phases.__file__).parent


@dataclass
class Notes:
    """A view that remembers."""

    scenes: list[str] = field(default_factory=list[str])
    pages: list[Alert] = field(default_factory=list[Alert])
    frames: int = 0

    def scene(self, name: str) -> None:
        """A phase begins."""
        self.scenes.append(name)

    def page(self, alert: Alert) -> None:
        """A page arrived."""
        self.pages.append(alert)

    def frame(self, frame: Frame) -> None:
        """Time passed."""
        assert frame.seconds >= 0
        self.frames += 1


class Told(Notes):
    """One that remembers in which order."""

    def scene(self, name: str) -> None:
        """A phase begins."""
        self.scenes.append(name)

    def page(self, alert: Alert) -> None:
        """A page arrived."""
        self.scenes.append(alert.title)


def test_a_page_that_arrived_is_shown_before_the_phase_that_begins(tmp_path: Path) -> None:
    """A page of the fault stood below the line that told of the healthy phase after it."""
    moment, rate = datetime(2026, 3, 1, tzinfo=UTC), Measurement(0.6, 0.5, 0.7, 80)
    alert = Alert(
        "i", "k", "update", "error", "citation", "s", None, "Worse", "", rate, rate, since=moment, at=moment
    )
    view = Told()
    stage = Stage(tmp_path / "demo.db", view)
    with Receiver("whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQ=") as stage.receiver:
        stage.receiver.pages.put(Page("m", 0.0, {"data": json.loads(to_json(alert))}))
        stage.scene("healthy")
    assert view.scenes == ["Worse", "healthy"]


@pytest.mark.parametrize(("messages", "looks"), [((1, 1, 0), 3), ((0,), 1)])
async def test_a_phase_ends_when_what_was_said_in_it_has_arrived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, messages: tuple[int, ...], looks: int
) -> None:
    """What is on its way would be shown in the next."""
    left = list(messages)

    def looked(_: Path) -> Snapshot:
        return replace(EMPTY, undelivered=left.pop(0))

    monkeypatch.setattr(play_module, "look", looked)
    monkeypatch.setattr(play_module, "_FRAME_SECONDS", 0.0)
    stage = Stage(tmp_path / "demo.db", notes := Notes())
    with Receiver("whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQ=") as stage.receiver:
        await perform_phase(stage, phases.Phase("healthy", None, lambda _: True, 9.0), time.monotonic() + 9.0)
    assert (notes.frames, left) == (looks, [])


@pytest.mark.parametrize(("ingested", "held"), [(0, True), (179, True), (181, False)])
async def test_traffic_is_held_while_the_scorer_is_two_seconds_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ingested: int, held: bool
) -> None:
    """On a busy machine answers grew older than the windows that compare them: no page came, after nine minutes."""

    def looked(_: Path) -> Snapshot:
        return replace(EMPTY, ledger=reading.Ledger(ingested, {}, {}))

    monkeypatch.setattr(play_module, "look", looked)
    monkeypatch.setattr(play_module, "_FRAME_SECONDS", 0.0)
    stage = Stage(tmp_path / "demo.db", Notes())
    stage.traffic = Traffic("http://127.0.0.1:9", ["What does len do?"], rate=60)
    stage.traffic.sent = 300
    with Receiver("whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQ=") as stage.receiver:
        await stage.observe()
    assert stage.traffic.held is held


@pytest.mark.slow
def test_both_faults_are_paged_once_rightly_named_and_resolved(tmp_path: Path) -> None:
    """The main job, end to end, with the command that people type."""
    done = subprocess.run(
        [*DEMO, "--json", "--dir", str(tmp_path)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout.splitlines()[-1])
    assert [one["series"] for one in report["incidents"]] == ["citation", "faithfulness"]
    assert [one["channel_deliveries"] for one in report["incidents"]] == [1, 1]
    assert all(0 < one["opened_after_seconds"] < one["resolved_after_seconds"] for one in report["incidents"])
    assert report["traces_ingested"] == report["traces_sent"] == sum(report["ledger"].values())
    for levels in report["series"].values():
        assert levels["faulty"]["upper"] < levels["healthy"]["lower"]
    with closing(reading.open_for_reading(tmp_path / "demo.db")) as connection:
        assert reading.ledger(connection).balanced
        messages = reading.messages(connection)
    actions = [one.action for one in messages if one.delivered_at]
    assert (actions.count("trigger"), actions.count("resolve")) == (2, 2)
    assert {one.reason for one in messages if not one.delivered_at} <= {"superseded"}
    assert len(look(tmp_path / "demo.db").answers) == 8
    subprocess.run(
        [*COMMAND, "ledger", "--store", f"sqlite:///{tmp_path / 'demo.db'}"], check=True, timeout=60
    )


@pytest.mark.slow
async def test_a_healthy_service_pages_nobody(tmp_path: Path) -> None:
    """As with --no-faults, for a shorter while."""
    notes = Notes()
    pace = replace(phases.EXTRACTIVE, healthy_seconds=18.0)
    report = await play(tmp_path / "demo.db", faults=False, view=notes, pace=pace)
    assert report.problems == ()
    assert (report.incidents, notes.pages) == ((), [])
    assert notes.scenes[1] == "healthy"
    assert notes.frames > 10
    healthy = report.series["citation"].healthy
    assert healthy is not None
    assert healthy.value > 0.95
    left = config.load(tmp_path / "demo.toml")
    assert (left.store.path, left.monitor.bucket_seconds) == (tmp_path / "demo.db", 1.0)


@pytest.mark.slow
def test_sigterm_ends_the_demo_and_all_that_it_started(tmp_path: Path) -> None:
    """No scorer may go on in the background."""
    process = subprocess.Popen(
        [*DEMO, "--dir", str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    for line in process.stdout:
        if "healthy" in line:
            break
    started = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    process.send_signal(signal.SIGTERM)
    rest = process.stdout.read()
    assert process.wait(60) == 143
    process.stdout.close()
    assert "Traceback" not in rest
    assert len(started) == 2
    for pid in started:
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)


def test_a_folder_that_holds_a_demo_is_refused(tmp_path: Path) -> None:
    """Two baselines in one store would compare apples with pears."""
    (tmp_path / "demo.db").touch()
    with pytest.raises(InputError, match="already holds"):
        run_demo(faults=True, directory=tmp_path, as_json=False)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    """Error, not a traceback."""
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file"):
        run_demo(faults=True, directory=tmp_path / "file" / "inside", as_json=False)


async def test_a_process_that_does_not_start_is_quoted(tmp_path: Path) -> None:
    """Its own words say more than ours."""
    arguments = ["serve", "--config", str(tmp_path / "missing.toml")]
    with pytest.raises(StoreError, match=r"(?s)scorer did not start: .*missing.toml"):
        async with running(
            "scorer", "ragvigil.scorer", arguments, environment=clean_environment(), folder=tmp_path
        ):
            pass


def test_the_environment_of_whoever_runs_it_does_not_redirect_the_demo() -> None:
    """Settings of a real service, or of a real scorer, stay outside."""
    found = clean_environment(
        {
            "OTEL_EXPORTER_OTLP_ENDPOINT": "https://collector.example.com",
            "RAGVIGIL_SAMPLE__RATE": "0",
            "RAGVIGIL_DISABLED": "1",
            "RAGVIGIL_DEMO_LLM_KEY": "k",
            "NO_PROXY": "example.com",
            "PATH": "/bin",
        }
    )
    assert found == {
        "RAGVIGIL_DEMO_LLM_KEY": "k",
        "NO_PROXY": "example.com,127.0.0.1,localhost",
        "no_proxy": "example.com,127.0.0.1,localhost",
        "PATH": "/bin",
    }


@pytest.mark.parametrize("name", [phases.EXTRACTIVE.config, phases.LANGUAGE_MODEL.config])
def test_the_shipped_settings_are_valid(name: str) -> None:
    """Only time is short: the buckets are those that the report is measured with."""
    settings = config.load(SHIPPED / name)
    assert settings.monitor.bucket_seconds == 1.0
    assert settings.sample.rate in (0.072, 1.0)


def test_the_demo_compares_one_two_and_four_windows_of_verdicts() -> None:
    """On two busy cores one held 17 of the 20 that it needs, and the second fault was never paged."""
    rule = config.load(SHIPPED / phases.EXTRACTIVE.config).monitor.faithfulness
    assert [length / 1e9 for length in stretches(rule)] == [8.0, 16.0, 32.0]


def test_before_the_scorer_made_its_store_there_is_nothing_to_see(tmp_path: Path) -> None:
    """The view begins before the first trace."""
    assert look(tmp_path / "demo.db") is EMPTY

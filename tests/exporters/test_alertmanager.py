"""Alertmanager, the real one: alerts fire, group, change, end, and fit to what Prometheus sends it."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.conftest import eventually
from tests.exporters.conftest import Service
from tests.exporters.situations import SITUATIONS, bare, hostile
from tests.ports import free_port

from ragvigil.exporters import Alert, Alertmanager, Outcome

ALERTMANAGER = shutil.which("prometheus-alertmanager") or shutil.which("alertmanager")
PROMETHEUS = shutil.which("prometheus")

needs_alertmanager = pytest.mark.skipif(
    ALERTMANAGER is None, reason="Alertmanager is not installed (Debian: prometheus-alertmanager)"
)

CONFIGURATION = """
route:
  receiver: test
  group_by: [service]
  group_wait: 100ms
  group_interval: 200ms
receivers:
  - name: test
    webhook_configs: [{{url: "{receiver}", send_resolved: true}}]
inhibit_rules:
  - source_matchers: [alertname="ServiceDown"]
    target_matchers: [alertname=~"Ragvigil.*"]
    equal: [service]
"""
RULES = """
groups:
  - name: test
    rules: [{alert: ServiceDown, expr: vector(1), labels: {service: help-desk, severity: critical}}]
"""
SCRAPING_NOTHING = """
global: {{evaluation_interval: 1s}}
rule_files: [rules.yml]
alerting: {{alertmanagers: [{{static_configs: [{{targets: ["{target}"]}}]}}]}}
"""


@contextmanager
def running(command: list[str], ready: str, folder: Path) -> Generator[None, None, None]:
    """The program, from the moment it answers to `ready` until the test ends."""
    with (folder / "log.txt").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
        try:
            eventually(lambda: process.poll() is not None or _answers(ready))
            assert process.poll() is None, (folder / "log.txt").read_text()
            yield
        finally:
            process.terminate()
            process.wait(20)


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=5, trust_env=False).is_success
    except httpx.HTTPError:
        return False


@pytest.fixture
def alertmanager(service: Service, tmp_path: Path) -> Iterator[str]:
    """An Alertmanager that tells `service`; its address."""
    assert ALERTMANAGER is not None
    service.status = 200
    (tmp_path / "alertmanager.yml").write_text(CONFIGURATION.format(receiver=service.url))
    address = f"127.0.0.1:{free_port()}"
    command = [ALERTMANAGER, "--config.file=alertmanager.yml", f"--storage.path={tmp_path / 'data'}"]
    command += [f"--web.listen-address={address}", "--cluster.listen-address="]
    with running(command, f"http://{address}/-/ready", tmp_path):
        yield f"http://{address}"


def asked(url: str, what: str) -> list[dict[str, Any]]:
    """What its API says."""
    answer: list[dict[str, Any]] = httpx.get(f"{url}/api/v2/{what}", timeout=5, trust_env=False).json()
    return answer


def active(url: str) -> list[dict[str, Any]]:
    """The alerts that fire now."""
    return asked(url, "alerts")


def lately(name: str, **changes: Any) -> Alert:
    """A situation that happens now, as Alertmanager's clock sees it."""
    now = datetime.now(UTC)
    return replace(SITUATIONS[name], since=now - timedelta(minutes=10), at=now, **changes)


def heard(
    service: Service, about: Callable[[Mapping[str, Any]], bool]
) -> Callable[[], Mapping[str, Any] | None]:
    """A probe for a notification that Alertmanager sent."""
    return lambda: next(
        (message for message in (json.loads(request.body) for request in service.received) if about(message)),
        None,
    )


@needs_alertmanager
async def test_an_alert_fires_groups_grows_worse_and_ends(alertmanager: str, service: Service) -> None:
    """Two series of one service are one notification; the one that grew critical is one alert, not two."""
    channel = Alertmanager(alertmanager)
    outcome = await channel.send(lately("trigger"))
    ticket = await channel.send(lately("ticket"))
    assert (outcome.delivered, ticket.delivered) == (True, True)
    assert [len(group["alerts"]) for group in asked(alertmanager, "alerts/groups")] == [2]
    assert eventually(heard(service, lambda message: len(message["alerts"]) == 2))

    outcome = await channel.send(lately("update"), outcome.reference)
    told = {(alert["labels"]["series"], alert["labels"]["severity"]) for alert in active(alertmanager)}
    assert told == {("citation", "critical"), ("coverage_complete", "warning")}

    await channel.send(lately("resolve"), outcome.reference)
    assert [alert["labels"]["series"] for alert in active(alertmanager)] == ["coverage_complete"]
    await channel.send(lately("ticket", action="resolve"), ticket.reference)
    assert active(alertmanager) == []
    assert eventually(heard(service, lambda message: ("resolved", "critical") in standing(message)))


def standing(message: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(status, severity) of each alert in a notification."""
    return [(alert["status"], alert["labels"]["severity"]) for alert in message["alerts"]]


@needs_alertmanager
async def test_an_alert_outlives_resolve_timeout(alertmanager: str) -> None:
    """Alertmanager ends in five minutes what says no end; an incident lasts as long as it lasts."""
    await Alertmanager(alertmanager).send(lately("trigger"))
    (alert,) = active(alertmanager)
    assert datetime.fromisoformat(alert["endsAt"]) - datetime.now(UTC) > timedelta(days=29)
    assert alert["generatorURL"] == SITUATIONS["trigger"].link


@needs_alertmanager
async def test_a_trigger_that_is_sent_twice_is_one_alert(alertmanager: str) -> None:
    """As after a crash between sending and writing down."""
    channel = Alertmanager(alertmanager)
    for _ in range(2):
        await channel.send(lately("trigger"))
    assert len(active(alertmanager)) == 1


@needs_alertmanager
@pytest.mark.parametrize("alert", [hostile(), bare()], ids=["hostile", "bare"])
async def test_it_takes_whatever_a_trace_held(alertmanager: str, alert: Alert) -> None:
    """And shows none of the tags."""
    now = datetime.now(UTC)
    outcome = await Alertmanager(alertmanager).send(replace(alert, since=now, at=now))
    assert outcome.delivered
    (shown,) = active(alertmanager)
    assert "<script" not in json.dumps(shown)


@needs_alertmanager
async def test_an_end_before_the_beginning_is_still_an_end(alertmanager: str) -> None:
    """A clock that was set back between two messages."""
    channel = Alertmanager(alertmanager)
    outcome = await channel.send(lately("trigger"))
    past = datetime.now(UTC) - timedelta(hours=1)
    assert (
        await channel.send(
            replace(SITUATIONS["resolve"], since=datetime.now(UTC), at=past), outcome.reference
        )
    ).delivered
    assert active(alertmanager) == []


@needs_alertmanager
@pytest.mark.slow
@pytest.mark.skipif(PROMETHEUS is None, reason="Prometheus is not installed (Debian: prometheus)")
async def test_what_prometheus_knows_can_silence_it(alertmanager: str, tmp_path: Path) -> None:
    """A service that is down inhibits the page about its answers: the labels fit together."""
    assert PROMETHEUS is not None
    folder = tmp_path / "prometheus"
    folder.mkdir()
    (folder / "rules.yml").write_text(RULES)
    target = alertmanager.removeprefix("http://")
    (folder / "prometheus.yml").write_text(SCRAPING_NOTHING.format(target=target))
    address = f"127.0.0.1:{free_port()}"
    command = [PROMETHEUS, "--config.file=prometheus.yml", f"--storage.tsdb.path={folder / 'data'}"]
    # It finds its Alertmanager after five seconds, and has dropped its first notification by then.
    command += [f"--web.listen-address={address}", "--rules.alert.resend-delay=1s"]
    with running(command, f"http://{address}/-/ready", folder):
        await Alertmanager(alertmanager).send(lately("trigger"))
        assert eventually(
            lambda: {alert["labels"]["alertname"] for alert in active(alertmanager)} >= {"ServiceDown"}
        )

        eventually(lambda: _state(alertmanager) == "suppressed")


def _state(url: str) -> str:
    (ours,) = (alert for alert in active(url) if alert["labels"]["alertname"] == "RagvigilCitation")
    return str(ours["status"]["state"])


async def test_a_reference_that_holds_no_labels_is_left_aside(service: Service) -> None:
    """As one that an older version wrote."""
    service.status = 200
    for reference in ("", "nonsense", "[1]", "null", "[" * 10_000):
        assert (await Alertmanager(service.base).send(SITUATIONS["resolve"], reference)).delivered


async def test_it_logs_in(service: Service) -> None:
    """With a password or a token."""
    service.status = 200
    for channel in (
        Alertmanager(f"{service.base}/prefix/", username="me", password="hush"),
        Alertmanager(service.base, token="hush"),
    ):
        assert await channel.send(SITUATIONS["resolve"]) == Outcome(delivered=True)
    assert [(request.path, request.headers["authorization"]) for request in service.received] == [
        ("/prefix/api/v2/alerts", "Basic bWU6aHVzaA=="),
        ("/api/v2/alerts", "Bearer hush"),
    ]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"url": "http://a/api/v2/alerts"}, "without /api/v2/alerts"),
        ({"url": "http://me:hush@a:9093"}, "url must hold no password"),
        ({"url": "http://a?x=1"}, "neither query nor fragment"),
        ({"url": "http://a", "username": "me"}, "belong together"),
        ({"url": "http://a", "username": "me", "password": "x", "token": "y"}, "not both"),
    ],
)
def test_an_unusable_setting_is_said(settings: dict[str, str], said: str) -> None:
    """At start, not at the first page."""
    with pytest.raises(ValueError, match=said):
        Alertmanager(settings.pop("url"), **settings)  # type: ignore[arg-type]  # parametrized

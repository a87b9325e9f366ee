"""``ragvigil test-alert`` as an operator runs it, against a real server."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.command_line import ragvigil
from tests.exporters.conftest import Service, serving


@pytest.fixture
def discord() -> Iterator[Service]:
    """A Discord that takes everything."""
    with serving() as service:
        service.status, service.body = 200, b'{"id": "42"}'
        yield service


def run_test_alert(folder: Path, service: Service | str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command over a configuration with one channel."""
    config = folder / "ragvigil.toml"
    base = service if isinstance(service, str) else service.base
    config.write_text(f'[channels.room]\ntype = "discord"\nurl = "{base}/api/webhooks/1/hush-hush"\n')
    return ragvigil("test-alert", *arguments, "--config", str(config), "--pause", "0")


def test_it_sends_an_alert_and_its_resolve_and_shows_both(discord: Service, tmp_path: Path) -> None:
    """Marked as a test, in one message, with what came back."""
    done = run_test_alert(tmp_path, discord, "room")
    assert done.returncode == 0, done.stderr
    assert [request.method for request in discord.received] == ["POST", "PATCH"]
    assert all(b"test of ragvigil" in request.body for request in discord.received)
    assert "Test: this is only a test of ragvigil" in done.stdout
    assert "trigger: taken, reference 42" in done.stdout
    assert "resolve: taken, reference 42" in done.stdout
    assert "hush-hush" not in done.stdout + done.stderr


def test_a_program_reads_what_was_sent_and_answered(discord: Service, tmp_path: Path) -> None:
    """And the resolve can be left to the operator."""
    done = run_test_alert(tmp_path, discord, "room", "--json", "--no-resolve", "--severity", "critical")
    (told,) = json.loads(done.stdout)
    assert (told["sent"]["severity"], told["answer"]["delivered"]) == ("critical", True)
    assert len(discord.received) == 1


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (401, "not taken: http_401; a running scorer would try again"),
        (302, "not taken: http_302 (a redirect, which is not followed); a running scorer would try again"),
        (413, "it will never take this message"),
    ],
)
def test_what_is_not_taken_is_said_and_exits_with_1(
    discord: Service, tmp_path: Path, status: int, said: str
) -> None:
    """A setup script stops there."""
    discord.status = status
    done = run_test_alert(tmp_path, discord, "room")
    # What Discord will never take it is asked to take without the chart.
    assert (done.returncode, len(discord.received)) == (1, 2 if status == 413 else 1)
    assert said in done.stdout


@pytest.mark.parametrize(
    ("base", "said"),
    [
        (
            "http://127.0.0.1:1",
            "not taken: unreachable (127.0.0.1:1: connection refused, nothing listens there); a",
        ),
        ("http://nobody.invalid", "not taken: unknown_host (nobody.invalid: unknown host); a running scorer"),
    ],
)
def test_what_nobody_takes_names_the_host_and_the_error(tmp_path: Path, base: str, said: str) -> None:
    """ "unreachable" said neither; the path may be a secret."""
    done = run_test_alert(tmp_path, base, "room")
    assert done.returncode == 1
    assert said in done.stdout
    assert "hush-hush" not in done.stdout + done.stderr


def test_an_unknown_channel_is_named_with_those_that_are(discord: Service, tmp_path: Path) -> None:
    """Exit code 2, as for every setting."""
    done = run_test_alert(tmp_path, discord, "rom")
    assert done.returncode == 2
    assert "channels.rom: there is no such channel (did you mean room?)" in done.stderr

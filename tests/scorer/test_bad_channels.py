"""Channels that are set wrong: all of it is said at once, clearly, without a secret."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import ragvigil

from ragvigil.scorer.config import CHANNELS, load
from ragvigil.scorer.errors import ConfigError

WRONG = """
[channels.night]
type = "pagerduty"

[channels.chat]
type = "slack"
token = "hush-hush"
channel_id = "C1"

[channels.own]
type = "webhook"
url = "ftp://hooks.example.com/hush-hush"
secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

[channels.mail]
type = "mial"

[monitor]
tick_second = 3
"""
ASTRAY = """
[channels.night]
type = "alertmanager"
url = "http://alertmanager:9093"

[routes.one]
severity = ["error"]
channels = ["nigth"]

[routes.two]
severity = ["error"]
channels = ["night"]
"""


def test_check_config_says_all_that_is_wrong_at_once(tmp_path: Path) -> None:
    """A line for each key, the misspelt one first, and no secret in any."""
    (tmp_path / "ragvigil.toml").write_text(WRONG)
    checked = ragvigil("check-config", str(tmp_path / "ragvigil.toml"))
    assert checked.returncode == 2
    lines = checked.stderr.strip().removeprefix("ragvigil: ").splitlines()
    keys = [line.partition(":")[0] for line in lines]
    assert keys[0] == "monitor.tick_second"
    assert sorted(keys[1:]) == [
        "channels.chat",
        "channels.mail.type",
        "channels.night.routing_key",
        "channels.own",
    ]
    assert "hush" not in checked.stderr
    assert "Traceback" not in checked.stderr


def test_check_config_says_all_that_does_not_fit_together(tmp_path: Path) -> None:
    """A route to nowhere, and two routes with the same conditions."""
    (tmp_path / "ragvigil.toml").write_text(ASTRAY)
    with pytest.raises(ConfigError) as refused:
        load(tmp_path / "ragvigil.toml")
    assert str(refused.value).splitlines() == [
        "routes.one.channels: no channel is called 'nigth' (did you mean night?)",
        "routes.two: has the conditions of routes.one (join them, or change one)",
    ]


def test_a_route_that_stands_twice_in_the_file_is_named_with_its_line(tmp_path: Path) -> None:
    """TOML allows no table twice."""
    twice = '[routes.rest]\nchannels = ["night"]\n[routes.rest]\nchannels = ["night"]\n'
    (tmp_path / "ragvigil.toml").write_text(twice)
    with pytest.raises(ConfigError, match=r"not valid TOML: .*rest.* twice \(at line 3"):
        load(tmp_path / "ragvigil.toml")


def test_check_config_notes_links_that_nobody_could_open(tmp_path: Path) -> None:
    """A page without a link is allowed, and hardly what was meant."""
    channel = '[channels.am]\ntype = "alertmanager"\nurl = "http://alertmanager:9093"\n'
    (tmp_path / "ragvigil.toml").write_text(f'{channel}[links]\npublic_url = "http://localhost:4319"\n')
    checked = ragvigil("check-config", str(tmp_path / "ragvigil.toml"))
    assert checked.returncode == 0, checked.stderr
    assert checked.stdout.splitlines()[1:3] == [
        "  note: links.public_url leads to this machine alone: pages carry no such link",
        "  note: links.trace_url_template is not set: pages carry no such link",
    ]
    (tmp_path / "ragvigil.toml").write_text(channel)
    assert "public_url" not in ragvigil("check-config", str(tmp_path / "ragvigil.toml")).stdout


@pytest.mark.parametrize("kind", CHANNELS)
def test_a_channel_without_what_it_needs_names_it(kind: str) -> None:
    """Every kind of channel, set by nothing but its type."""
    with pytest.raises(ConfigError, match=r"channels\.new\.\w+: is missing"):
        load(overrides={"channels": {"new": {"type": kind}}})


NOTED = "  note: monitor.page_environments"


@pytest.mark.parametrize(
    ("environments", "notes"),
    [
        ("[]", [f"{NOTED} is empty: only services that name no environment page"]),
        (
            '["Production"]',
            [f"{NOTED}: 'Production' is compared letter by letter, so 'production' does not page"],
        ),
        ('["Production", "production"]', []),
        ('["prod", "eu-1"]', []),
    ],
)
def test_check_config_notes_environments_that_page_nobody(
    tmp_path: Path, environments: str, notes: list[str]
) -> None:
    """Nothing paged, and it said ok."""
    path = tmp_path / "ragvigil.toml"
    path.write_text(
        f"[monitor]\npage_environments = {environments}\n"
        f"[channels.a]\ntype = 'pagerduty'\nrouting_key = '{'0' * 32}'\n",
        encoding="utf-8",
    )
    said = ragvigil("check-config", str(path)).stdout.splitlines()
    assert [line for line in said if "note: monitor" in line] == notes


def test_check_config_notes_a_window_that_is_shorter_than_a_bucket(tmp_path: Path) -> None:
    """Nothing is counted by so short a time."""
    path = tmp_path / "ragvigil.toml"
    path.write_text("[monitor.citation]\nwindow_seconds = 10\n", encoding="utf-8")
    (note,) = [
        line for line in ragvigil("check-config", str(path)).stdout.splitlines() if "note: monitor" in line
    ]
    assert note.startswith("  note: monitor.citation.window_seconds is shorter than monitor.bucket_seconds")

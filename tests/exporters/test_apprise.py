"""Apprise against a real server, through its JSON service."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest
from tests.exporters.apprised import apprise, rendered
from tests.exporters.conftest import Service
from tests.exporters.situations import LOUD, SITUATIONS, hostile

from ragvigil.exporters import Apprise, Outcome

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("situation", LOUD)
async def test_what_a_person_gets_is_what_a_reviewer_read(service: Service, situation: str) -> None:
    """golden/apprise_SITUATION.txt; ``python -m tests.exporters.make_golden`` renews them."""
    assert await rendered(service, situation) == (GOLDEN / f"apprise_{situation}.txt").read_text()


@pytest.mark.parametrize(
    ("situation", "kind"),
    [("trigger", "failure"), ("update", "failure"), ("resolve", "success"), ("ticket", "warning")],
)
async def test_the_page_arrives_with_its_kind(service: Service, situation: str, kind: str) -> None:
    """Which each service shows in its own way."""
    service.status = 200
    assert await apprise(service).send(SITUATIONS[situation]) == Outcome(delivered=True)
    message = json.loads(service.received[0].body)
    assert message["type"] == kind
    assert message["title"].endswith(SITUATIONS[situation].title)
    assert SITUATIONS[situation].summary.split("\n")[0] in message["message"]


async def test_hostile_text_goes_out_plain(service: Service) -> None:
    """Where it ends up nobody knows."""
    service.status = 200
    assert (await apprise(service).send(hostile())).delivered
    body = service.received[0].body.decode()
    for sign in ("<script", "](http", "@everyone", "<!channel>"):
        assert sign not in body
    assert len(body) < 100_000


@pytest.mark.parametrize("status", [400, 401, 429, 500])
async def test_a_failure_is_tried_again(service: Service, status: int) -> None:
    """Apprise does not say why."""
    service.status = status
    outcome = await apprise(service).send(SITUATIONS["trigger"])
    assert outcome == Outcome(delivered=False, retry=True, reason="not_sent")


@pytest.mark.parametrize("status", [200, 500])
async def test_the_address_shows_nowhere(
    service: Service, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    """Apprise and its client log it."""
    caplog.set_level(logging.DEBUG)
    service.status = status
    channel = apprise(service)
    outcome = await channel.send(SITUATIONS["trigger"])
    assert len(service.received) == 1
    assert "hush-hush" not in repr(channel) + caplog.text + repr(outcome)


def test_an_unknown_address_is_said_without_showing_it() -> None:
    """It may hold a token."""
    with pytest.raises(ValueError, match="none that Apprise can use") as problem:
        Apprise("carrier-pigeon://hush-hush")
    assert "hush-hush" not in str(problem.value)


MISSPELT = [
    "nosuch://hush-hush@host",
    "tgram://hush-hush/12345",
    "discord://hush-hush",
    "pagerduty://hush-hush",
    "twilio://hush-hush:token@12",
]


@pytest.mark.parametrize("url", MISSPELT)
@pytest.mark.parametrize("use", ["Apprise.check", "Apprise"])
def test_a_misspelt_address_is_shown_at_no_level(url: str, use: str) -> None:
    """Apprise logs it as an error before any channel exists; a program of its own begins without our filter."""
    program = (
        "import logging, sys; logging.basicConfig(level=1)\n"
        "from ragvigil.exporters import Apprise\n"
        f"try: {use}(url={url!r})\n"
        "except ValueError as error: sys.stdout.write(str(error))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "hush-hush" not in done.stdout + done.stderr
    assert done.stdout.startswith("url is none that Apprise can use")


def test_a_service_that_is_away_is_named_by_nobody(caplog: pytest.LogCaptureFixture) -> None:
    """Apprise warns of it, and the client below it names the path."""
    caplog.set_level(1)
    channel = Apprise("json://127.0.0.1:9/hush-hush")
    outcome = asyncio.run(channel.send(SITUATIONS["trigger"]))
    assert outcome == Outcome(delivered=False, retry=True, reason="not_sent")
    for name in ("apprise", "urllib3.connectionpool"):
        logging.getLogger(name).error("hush-hush")
    assert "hush-hush" not in caplog.text


def test_without_the_extra_the_command_is_named() -> None:
    """The base install and the scorer have no Apprise."""
    program = (
        "import sys; sys.modules['apprise'] = None\n"
        "from ragvigil.exporters import Apprise\n"
        "try: Apprise('json://x/')\n"
        "except ImportError as error: sys.stdout.write(str(error))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "apprise is not installed; run: pip install 'ragvigil[apprise]'"

"""Apprise against a real server, through its JSON service."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from tests.exporters.conftest import Service
from tests.exporters.situations import SITUATIONS, hostile

from ragvigil.exporters import Apprise, Outcome


def apprise(service: Service) -> Apprise:
    """The channel to that server."""
    return Apprise(f"{service.base.replace('http', 'json')}/hush-hush?rto=2&cto=2")


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


def test_an_unknown_address_is_said_without_showing_it() -> None:
    """It may hold a token."""
    with pytest.raises(ValueError, match="none that Apprise can use") as problem:
        Apprise("carrier-pigeon://hush-hush")
    assert "hush-hush" not in str(problem.value)


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

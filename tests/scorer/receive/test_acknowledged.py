"""Acknowledgements from PagerDuty and Slack: believed when signed, carried out once, and answered clearly."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode

import httpx
import pytest
from tests.scorer.receive.conftest import Start

from ragvigil.exporters import Measurement
from ragvigil.scorer.config import load
from ragvigil.scorer.incidents.oncall import Acknowledge, OrderDesk, order_requests
from ragvigil.scorer.monitoring import Incident, SeriesKey
from ragvigil.scorer.receive.acknowledged import Acknowledgements
from ragvigil.scorer.receive.refusal import Reason, Refusal
from ragvigil.scorer.receive.senders import Sender
from ragvigil.scorer.receive.signed import order_of
from ragvigil.scorer.store.sqlite import SqliteStore

RATE = Measurement(0.5, 0.4, 0.6, 80)
KEY = "ragvigil/production/shop/citation/20260301T030000Z"
SECRET = "hush-hush"
INBOUND: dict[str, object] = {"pagerduty_secret": SECRET, "slack_signing_secret": SECRET}
DOCUMENTED = (
    b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V"
    b"&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text="
    b"&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN"
    b"&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
)
"""The request with which Slack's documentation shows its signature."""


def pagerduty(
    kind: str = "incident.acknowledged",
    key: object = KEY,
    *,
    secret: str = SECRET,
    agent: str = "user_reference",
    occurred_at: object = None,
) -> tuple[bytes, dict[str, str]]:
    """A V3 webhook as PagerDuty sends it, and its headers."""
    event = {
        "id": "5ac64822-4adc-4fda-ade0-410becf0de4f",
        "event_type": kind,
        "resource_type": "incident",
        "occurred_at": occurred_at or datetime.now(UTC).isoformat(),
        "agent": {
            "html_url": "https://acme.pagerduty.com/users/P1",
            "id": "P1",
            "summary": "Ana\x1b[31m Lima",
            "type": agent,
        },
        "data": {"id": "PGR0VU2", "type": "incident", "status": "acknowledged", "incident_key": key},
    }
    body = json.dumps({"event": event}).encode()
    signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return body, {
        "x-pagerduty-signature": f"v1={'0' * 64},v1={signature}",
        "content-type": "application/json",
    }


def slack(
    value: str = "inc-aa11",
    *,
    secret: str = SECRET,
    at: float | None = None,
    action: str = "ragvigil_acknowledge",
) -> tuple[bytes, dict[str, str]]:
    """A pressed button as Slack posts it, and its headers."""
    payload = {
        "type": "block_actions",
        "user": {"id": "U1", "username": "eva", "team_id": "T1"},
        "actions": [{"type": "button", "action_id": action, "value": value, "action_ts": "1"}],
        "response_url": "http://169.254.169.254/latest/meta-data",
    }
    body = urlencode({"payload": json.dumps(payload)}).encode()
    stamp = str(int(time.time() if at is None else at))
    signed = hmac.new(secret.encode(), f"v0:{stamp}:".encode() + body, hashlib.sha256).hexdigest()
    return body, {
        "x-slack-request-timestamp": stamp,
        "x-slack-signature": f"v0={signed}",
        "content-type": "application/x-www-form-urlencoded",
    }


@asynccontextmanager
async def scorer(folder: Path, inbox: Path) -> AsyncGenerator[SqliteStore]:
    """What carries orders out while the block lasts, on a store with one open incident and one that is over."""
    with SqliteStore(load(overrides={"store": {"url": f"sqlite:///{folder / 'store.db'}"}})) as store:
        for name, key, end in (("inc-aa11", KEY, None), ("inc-bb22", KEY[:-1] + "Y", 9)):
            place = SeriesKey("citation", f"shop-{name}", "production")
            store.monitoring.save_incident(
                Incident(name, place, key, 1, 1, RATE, RATE, RATE, resolved_at=end), None, ()
            )
        desk = OrderDesk(order_requests(inbox), store.oncall)

        async def work() -> None:
            while True:
                desk.clear()
                await asyncio.sleep(0.01)

        working = asyncio.create_task(work())
        try:
            yield store
        finally:
            working.cancel()
            with suppress(asyncio.CancelledError):
                await working


def in_hand(folder: Path) -> list[tuple[str, str, str]]:
    """(incident, by, note) of the acknowledgements in the store."""
    from ragvigil.scorer.store.reading import open_for_reading

    connection = open_for_reading(folder / "store.db")
    try:
        rows = connection.execute("SELECT incident_id, by, note FROM acknowledgements").fetchall()
        return [(row[0], row[1], row[2]) for row in rows]
    finally:
        connection.close()


async def test_an_acknowledgement_in_pagerduty_is_ours_too(
    start: Start, client: httpx.AsyncClient, tmp_path: Path
) -> None:
    """And is taken back when it runs out there; no token is needed where the body is signed."""
    receiver = await start(inbound=INBOUND, receive={"token": "another-secret"})
    async with scorer(tmp_path, receiver.folder):
        body, headers = pagerduty()
        address = f"{receiver.url}/v1/acknowledge/pagerduty"
        answer = await client.post(address, content=body, headers=headers)
        assert (answer.status_code, answer.json()) == (200, {"done": "inc-aa11"})
        assert in_hand(tmp_path) == [("inc-aa11", "Ana[31m Lima", "in PagerDuty")]
        # Our own, which we pushed there, comes back by the name of the integration.
        body, headers = pagerduty(agent="inbound_integration_reference")
        assert (await client.post(address, content=body, headers=headers)).status_code == 200
        assert in_hand(tmp_path) == [("inc-aa11", "Ana[31m Lima", "in PagerDuty")]
        body, headers = pagerduty("incident.unacknowledged")
        assert (await client.post(address, content=body, headers=headers)).status_code == 200
        assert in_hand(tmp_path) == []


async def test_a_button_pressed_in_slack_is_an_acknowledgement(
    start: Start, client: httpx.AsyncClient, tmp_path: Path
) -> None:
    """Twice is once; the address for a reply that came with it is not asked."""
    receiver = await start(inbound=INBOUND)
    async with scorer(tmp_path, receiver.folder):
        for _ in range(2):
            body, headers = slack()
            answer = await client.post(f"{receiver.url}/v1/acknowledge/slack", content=body, headers=headers)
            assert (answer.status_code, answer.json()) == (200, {"done": "inc-aa11"})
        assert in_hand(tmp_path) == [("inc-aa11", "eva", "in Slack")]


async def test_an_unknown_acknowledgement_is_told_so(
    start: Start, client: httpx.AsyncClient, tmp_path: Path
) -> None:
    """404 with the reason, for an incident that never was and one that is over."""
    receiver = await start(inbound=INBOUND)
    async with scorer(tmp_path, receiver.folder):
        for value, said in (
            ("inc-zz", "no incident 'inc-zz'; ragvigil incidents --all shows what there is"),
            ("inc-bb22", "inc-bb22 is resolved already"),
        ):
            body, headers = slack(value)
            answer = await client.post(f"{receiver.url}/v1/acknowledge/slack", content=body, headers=headers)
            assert (answer.status_code, answer.json()) == (404, {"error": said})
        assert in_hand(tmp_path) == []


async def test_what_is_signed_and_not_about_us_is_ignored(start: Start, client: httpx.AsyncClient) -> None:
    """With 200: PagerDuty switches a webhook off that keeps failing."""
    receiver = await start(inbound=INBOUND)
    for sender, (body, headers) in (
        ("pagerduty", pagerduty("incident.resolved")),
        ("pagerduty", pagerduty("pagey.ping")),
        ("pagerduty", pagerduty(key="another-monitor/1")),
        ("pagerduty", pagerduty(key=None)),
        ("slack", slack(action="another_button")),
    ):
        answer = await client.post(f"{receiver.url}/v1/acknowledge/{sender}", content=body, headers=headers)
        assert (answer.status_code, "ignored" in answer.json()) == (200, True)
    assert not (receiver.folder / "orders").exists()


@pytest.mark.parametrize(
    ("sender", "sent"),
    [
        ("pagerduty", pagerduty(secret="wrong")),
        ("pagerduty", (pagerduty()[0] + b" ", pagerduty()[1])),
        ("pagerduty", (pagerduty()[0], {"content-type": "application/json"})),
        ("slack", slack(secret="wrong")),
        ("slack", slack(at=time.time() - 3_600)),
        ("slack", slack(at=time.time() + 3_600)),
        ("slack", (slack()[0], {"x-slack-signature": "v0=\u00e9"})),
    ],
)
async def test_nobody_is_believed_without_the_secret(
    start: Start,
    client: httpx.AsyncClient,
    caplog: pytest.LogCaptureFixture,
    sender: str,
    sent: tuple[bytes, Mapping[str, str]],
) -> None:
    """Nor with an old signature; nothing is kept, and neither answer nor log holds the secret."""
    receiver = await start(inbound=INBOUND)
    body, headers = sent
    raw = {name.encode(): value.encode() for name, value in headers.items()}
    answer = await client.post(f"{receiver.url}/v1/acknowledge/{sender}", content=body, headers=raw)
    assert answer.status_code == 401
    assert not (receiver.folder / "orders").exists()
    assert SECRET not in caplog.text + answer.text


async def test_a_service_without_a_secret_is_not_believed(start: Start, client: httpx.AsyncClient) -> None:
    """And the answer names what to set."""
    receiver = await start()
    body, headers = pagerduty()
    answer = await client.post(f"{receiver.url}/v1/acknowledge/pagerduty", content=body, headers=headers)
    assert answer.status_code == 404
    assert "inbound.pagerduty_secret is not set" in answer.text


async def test_without_a_scorer_it_waits_to_be_carried_out(tmp_path: Path) -> None:
    """The sender hears that it was accepted, and the order stays."""
    acknowledgements = Acknowledgements({"slack": SECRET}, tmp_path, wait_seconds=0.1)
    said, status = await acknowledgements.take("slack", slack()[0])
    assert (list(said), status) == (["accepted"], 200)
    waiting = order_requests(tmp_path).next()
    assert waiting is not None
    assert waiting[1] == Acknowledge("inc-aa11", "eva", "in Slack", via="slack")


@pytest.mark.parametrize("body", [b"", b"[" * 100_000, b"\xff", b"payload=%7B", b"x=" * 50_000])
@pytest.mark.parametrize("sender", ["pagerduty", "slack"])
def test_signed_nonsense_is_refused(sender: Sender, body: bytes) -> None:
    """Clearly, and with nothing kept."""
    with pytest.raises(Refusal) as refused:
        order_of(sender, body, now=time.time())
    assert refused.value.reason is Reason.MALFORMED


@pytest.mark.parametrize(
    ("days_ago", "said"), [(1.9, None), (2.1, "more than two days ago"), (-0.1, "five minutes ahead")]
)
def test_what_happened_another_day_in_pagerduty_is_refused(days_ago: float, said: str | None) -> None:
    """Its signature holds for ever; what it sends again for two days is believed."""
    now = datetime(2026, 3, 1, tzinfo=UTC)
    body, _ = pagerduty(occurred_at=(now - timedelta(days=days_ago)).isoformat())
    if said is None:
        assert isinstance(order_of("pagerduty", body, now=now.timestamp()), Acknowledge)
        return
    with pytest.raises(Refusal, match=said) as refused:
        order_of("pagerduty", body, now=now.timestamp())
    assert refused.value.reason is Reason.UNAUTHENTICATED


def test_what_happened_at_no_time_is_malformed() -> None:
    """PagerDuty always says when."""
    with pytest.raises(Refusal, match="occurred_at is no time"):
        order_of("pagerduty", pagerduty(occurred_at="soon")[0], now=0.0)


def test_the_signature_is_slacks_own() -> None:
    """The example of its documentation is believed at its time, and not with a letter changed."""
    secrets = {"slack": "8f742231b10e8888abcd99yyyzzz85a5"}
    acknowledgements = Acknowledgements(secrets, Path("nowhere"), now=lambda: 1531420618.0)
    headers = {
        "x-slack-request-timestamp": "1531420618",
        "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
    }
    acknowledgements.check("slack", headers, DOCUMENTED)
    with pytest.raises(Refusal):
        acknowledgements.check("slack", headers, DOCUMENTED.replace(b"roadrunner", b"roadrunnex"))

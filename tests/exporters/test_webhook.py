"""The signed webhook against a real server, verified by the reference library."""

from __future__ import annotations

import base64
import json
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import standardwebhooks

from ragvigil.exporters import Alert, Outcome, Webhook, from_json

if TYPE_CHECKING:
    from .conftest import Service

SECRET = "whsec_" + base64.b64encode(b"an open secret of 32 characters!").decode()


async def test_the_reference_library_believes_the_signature(service: Service, alert: Alert) -> None:
    """Over id, timestamp and the very bytes of the body."""
    assert await Webhook(service.url, SECRET).send(alert) == Outcome(delivered=True)
    (request,) = service.received
    message = standardwebhooks.Webhook(SECRET).verify(request.body, request.headers)
    assert message["type"] == "ragvigil.incident.triggered"
    assert message["timestamp"] == "2026-03-01T03:02:00.000250Z"
    assert from_json(json.dumps(message["data"])) == alert
    assert request.headers["content-type"] == "application/json"


async def test_a_changed_body_is_not_believed(service: Service, alert: Alert) -> None:
    """The test of the test above."""
    await Webhook(service.url, SECRET).send(alert)
    (request,) = service.received
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        standardwebhooks.Webhook(SECRET).verify(
            request.body.replace(b"help-desk", b"elsewhere"), request.headers
        )


@pytest.mark.parametrize(
    ("action", "kind"),
    [("trigger", "triggered"), ("update", "updated"), ("resolve", "resolved")],
)
async def test_each_action_has_its_type(service: Service, alert: Alert, action: str, kind: str) -> None:
    """Named hierarchically, as the specification advises."""
    await Webhook(service.url, SECRET).send(replace(alert, action=action))  # type: ignore[arg-type]  # parametrized
    assert json.loads(service.received[0].body)["type"] == f"ragvigil.incident.{kind}"


async def test_the_id_is_stable_over_retries_and_new_for_each_message(service: Service, alert: Alert) -> None:
    """So that a receiver can drop doubles; it holds no full stop, which would blur what is signed."""
    for sent in (alert, alert, replace(alert, action="resolve")):
        await Webhook(service.url, SECRET).send(sent)
    first, again, other = (request.headers["webhook-id"] for request in service.received)
    assert first == again != other
    assert "." not in first


@pytest.mark.parametrize("status", [301, 307, 400, 401, 403, 404, 408, 410, 422, 429, 500, 502, 503])
async def test_what_may_pass_is_tried_again(service: Service, alert: Alert, status: int) -> None:
    """A bad deploy of the receiver must not cost a page."""
    service.status = status
    outcome = await Webhook(service.url, SECRET).send(alert)
    assert outcome == Outcome(delivered=False, retry=True, reason=f"http_{status}")


async def test_what_will_never_be_taken_is_not_tried_again(service: Service, alert: Alert) -> None:
    """Too large, which nobody but the message itself causes."""
    service.status = 413
    outcome = await Webhook(service.url, SECRET).send(alert)
    assert outcome == Outcome(delivered=False, retry=False, reason="http_413")


async def test_a_redirect_is_not_followed(service: Service, alert: Alert) -> None:
    """Not even to the same server: where a page goes is the operator's word."""
    service.status = 307
    service.headers = {"location": service.url + "/elsewhere"}
    outcome = await Webhook(service.url, SECRET).send(alert)
    assert outcome.reason == "http_307"
    assert len(service.received) == 1


async def test_the_service_may_ask_for_time(service: Service, alert: Alert) -> None:
    """Seconds and dates, within an hour."""
    for asked, wait in (("17", 17.0), ("1e9", 300.0), ("-5", 0.0), ("nan", None), ("later", None)):
        service.status, service.headers = 429, {"retry-after": asked}
        outcome = await Webhook(service.url, SECRET).send(alert)
        assert outcome.retry_after == wait


async def test_a_service_that_hangs_is_left_in_time(service: Service, alert: Alert) -> None:
    """And is worth another try."""
    service.hang = True
    outcome = await Webhook(service.url, SECRET, timeout_seconds=0.2).send(alert)
    assert outcome == Outcome(delivered=False, retry=True, reason="timeout")


async def test_a_service_that_is_not_there_is_worth_another_try(alert: Alert) -> None:
    """Port 1 of loopback refuses."""
    outcome = await Webhook("http://127.0.0.1:1/", SECRET, timeout_seconds=2).send(alert)
    assert outcome == Outcome(delivered=False, retry=True, reason="unreachable")


async def test_a_certificate_that_does_not_fit_is_told_from_a_service_that_is_away(
    service: Service, alert: Alert
) -> None:
    """Both were "unreachable", and somebody at three in the morning looks for the one that it is."""
    outcome = await Webhook(service.url.replace("http:", "https:"), SECRET).send(alert)
    assert outcome == Outcome(delivered=False, retry=True, reason="tls_error")


async def test_a_huge_answer_is_not_read(service: Service, alert: Alert) -> None:
    """The status is all that counts."""
    service.body = b"x" * 5_000_000
    assert (await Webhook(service.url, SECRET).send(alert)).delivered


async def test_hostile_text_arrives_as_text(service: Service, alert: Alert) -> None:
    """Quotes, markup and line breaks survive; controls, reordering marks and broken characters do not."""
    hostile = 'a"}\\\n<script>\x00\x1b[2J\u202e\ud800é'
    await Webhook(service.url, SECRET).send(replace(alert, summary=hostile, title="t" * 1_000_000))
    data = json.loads(service.received[0].body)["data"]
    assert data["summary"] == 'a"}\\\n<script>[2Jé'
    assert len(service.received[0].body) < 20_000


async def test_secrets_show_nowhere(service: Service, alert: Alert, caplog: pytest.LogCaptureFixture) -> None:
    """Not in repr, logs or outcomes, though httpx logs every address it is given; the path is one of them."""
    caplog.set_level(logging.DEBUG)
    service.status = 500
    channel = Webhook(service.url, SECRET)
    outcome = await channel.send(alert)
    for text in (repr(channel), caplog.text, repr(outcome)):
        assert "hush-hush" not in text
        assert SECRET[6:] not in text


@pytest.mark.parametrize("secret", ["", "whsec_not base64!", "c2VjcmV0" * 4, "whsec_c2hvcnQ="])
def test_an_unusable_secret_is_said_without_showing_it(secret: str) -> None:
    """At start, not at the first page."""
    with pytest.raises(ValueError, match="secret must be whsec_") as error:
        Webhook("https://hooks.example.com/", secret)
    assert not secret or secret not in str(error.value)


@pytest.mark.parametrize(
    "url", ["", "hooks.example.com", "ftp://x/", "http://", "http://[", "file:///etc/passwd"]
)
def test_an_unusable_address_is_said(url: str) -> None:
    """With what it should look like."""
    with pytest.raises(ValueError, match="url must look like"):
        Webhook(url, SECRET)

"""The on-call receiver believes what is rightly signed, once, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection

import httpx
import pytest
from standardwebhooks import Webhook

from ragvigil.scorer.demo.receiver import Receiver

SECRET = "whsec_" + "c2VjcmV0LXNlY3JldC1zZWNyZXQ="
NOW = datetime(2025, 3, 1, 12, 0, tzinfo=UTC)
BODY = json.dumps({"title": "faithfulness fell"})


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A running one, whose clock stands still."""
    with Receiver(SECRET, clock=NOW.timestamp) as running:
        yield running


def post(
    receiver: Receiver, body: str, *, secret: str = SECRET, at: datetime = NOW, identity: str = "m1"
) -> int:
    """Send a page, signed by the reference implementation; the status."""
    headers = {
        "webhook-id": identity,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": Webhook(secret).sign(identity, at, body),
    }
    return httpx.post(receiver.url, content=body, headers=headers, trust_env=False).status_code


def test_a_rightly_signed_page_arrives(receiver: Receiver) -> None:
    """With its id, its time and its payload."""
    assert post(receiver, BODY) == 204
    page = receiver.pages.get(timeout=5)
    assert (page.id, page.received_at, page.payload) == (
        "m1",
        NOW.timestamp(),
        {"title": "faithfulness fell"},
    )


def test_a_repeated_delivery_is_one_page(receiver: Receiver) -> None:
    """Senders deliver at least once."""
    assert [post(receiver, BODY), post(receiver, BODY), post(receiver, BODY, identity="m2")] == [204] * 3
    assert [receiver.pages.get(timeout=5).id for _ in range(2)] == ["m1", "m2"]
    assert receiver.pages.empty()


def test_wrong_signatures_are_refused(receiver: Receiver) -> None:
    """Another secret, an old message, a message from the future, no signature at all."""
    assert post(receiver, BODY, secret="whsec_b3RoZXI=") == 401
    assert post(receiver, BODY, at=NOW - timedelta(minutes=6)) == 401
    assert post(receiver, BODY, at=NOW + timedelta(minutes=6)) == 401
    assert httpx.post(receiver.url, content=BODY, trust_env=False).status_code == 401
    assert (receiver.refused, receiver.pages.empty()) == (4, True)


def test_a_changed_body_is_refused(receiver: Receiver) -> None:
    """The signature covers every byte."""
    headers = {
        "webhook-id": "m1",
        "webhook-timestamp": str(int(NOW.timestamp())),
        "webhook-signature": "v1,nonsense " + Webhook(SECRET).sign("m1", NOW, BODY),
    }
    assert httpx.post(receiver.url, content=BODY, headers=headers, trust_env=False).status_code == 204
    assert httpx.post(receiver.url, content=BODY + " ", headers=headers, trust_env=False).status_code == 401


@pytest.mark.parametrize("body", ["[1]", "{", "7"])
def test_signed_nonsense_is_no_page(receiver: Receiver, body: str) -> None:
    """It is refused for good, so that a sender does not try for ever."""
    assert post(receiver, body) == 400
    assert receiver.pages.empty()


def test_an_oversized_page_is_not_read(receiver: Receiver) -> None:
    """413 from its length alone."""
    connection = HTTPConnection("127.0.0.1", int(receiver.url.rpartition(":")[2].partition("/")[0]))
    connection.putrequest("POST", "/pages")
    connection.putheader("content-length", str(2**30))
    connection.endheaders()
    with connection.getresponse() as response:
        assert response.status == 413
    connection.close()

"""A signed generic webhook, as Standard Webhooks 1.0 has it."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from dataclasses import replace

from ragvigil.exporters._alert import Action, Alert, Outcome
from ragvigil.exporters._post import Post, check_address
from ragvigil.exporters._text import showable
from ragvigil.exporters._wire import as_mapping, rfc3339

_TYPES: dict[Action, str] = {
    "trigger": "ragvigil.incident.triggered",
    "update": "ragvigil.incident.updated",
    "resolve": "ragvigil.incident.resolved",
    "acknowledge": "ragvigil.incident.acknowledged",
    "unacknowledge": "ragvigil.incident.unacknowledged",
}

_PREFIX = "whsec_"

_DIMENSIONS = 20
_EXAMPLES = 10
_HISTORY = 500


class Webhook:
    """POSTs ``{"type", "timestamp", "data"}``, signed so that the receiver can believe it.

    >>> Webhook(url="https://hooks.example.com/T00/hush", secret="whsec_" + "c2VjcmV0" * 4)
    Webhook('hooks.example.com')
    """

    def __init__(self, url: str, secret: str, *, timeout_seconds: float = 15.0) -> None:
        """Raises ValueError when `url` or `secret` cannot be used, ImportError without httpx."""
        self.check(url=url, secret=secret)
        self._post = Post(url, timeout_seconds=timeout_seconds)
        self._key = _key(secret)

    @staticmethod
    def check(*, url: str, secret: str) -> None:
        """Raises ValueError when `url` or `secret` cannot be used; sends nothing and needs no httpx."""
        check_address(url)
        _key(secret)

    def __repr__(self) -> str:
        return f"Webhook({self._post.host!r})"

    async def send(self, alert: Alert, reference: str | None = None) -> Outcome:
        """Deliver one alert; the webhook-id is the same however often that alert is sent.

        `reference` is not needed: the receiver knows the incident by its id.
        """
        message = {
            "type": _TYPES[alert.action],
            "timestamp": rfc3339(alert.at),
            "data": showable(as_mapping(_bounded(alert))),
        }
        body = json.dumps(message, allow_nan=False, separators=(",", ":")).encode()
        identity, timestamp = _message_id(alert), str(int(time.time()))
        headers = {
            "webhook-id": identity,
            "webhook-timestamp": timestamp,
            "webhook-signature": signature(self._key, identity, timestamp, body),
        }
        return await self._post.send(body, headers)


def _bounded(alert: Alert) -> Alert:
    """The alert with as much of each list as a receiver can use."""
    dimensions = sorted(alert.segment.items())[:_DIMENSIONS]
    return replace(
        alert,
        segment=dict(dimensions),
        cause=dict(sorted(alert.cause.items())[:_DIMENSIONS]),
        examples=alert.examples[:_EXAMPLES],
        history=alert.history[-_HISTORY:],
    )


def _message_id(alert: Alert) -> str:
    """The idempotency key of one message: one for each moment at which an incident had something to say."""
    told = "\n".join((alert.incident_id, alert.action, rfc3339(alert.at)))
    return "msg_" + hashlib.sha256(told.encode(errors="replace")).hexdigest()[:32]


def signature(key: bytes, identity: str, timestamp: str, body: bytes) -> str:
    """``v1,`` and the base64 HMAC-SHA256 of ``identity.timestamp.body``.

    >>> signature(b"k" * 24, "msg_1", "1674087231", b"{}")
    'v1,G1doHG0ujFtlhHA+ZGJu/UzP6aXfo87GDP2VtWSggoI='
    """
    signed = b".".join((identity.encode(), timestamp.encode(), body))
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not secret.startswith(_PREFIX) or not 24 <= len(key) <= 64:
        raise ValueError("secret must be whsec_ and the base64 of 24 to 64 random bytes")
    return key

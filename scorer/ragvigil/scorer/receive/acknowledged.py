"""Acknowledgements that come back from PagerDuty and Slack: who signed them, and what became of them.

The receive role cannot write the store. An acknowledgement becomes an order, as `ragvigil ack` leaves one, and the
answer of the one that writes is waited for, for as long as the sender waits. What orders are is loaded with the first.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ragvigil.scorer.receive.refusal import Reason, Refusal
from ragvigil.scorer.receive.senders import Sender

if TYPE_CHECKING:
    from ragvigil.scorer.incidents.oncall import Answer, Order

_TOLERANCE_SECONDS = 300
_WAIT_SECONDS = 2.5
"""Slack gives up after three."""
_LOOK_SECONDS = 0.05


class Acknowledgements:
    """Takes the signed acknowledgements of the services whose secrets are known."""

    def __init__(
        self,
        secrets: Mapping[str, str],
        inbox: Path,
        *,
        now: Callable[[], float] = time.time,
        wait_seconds: float = _WAIT_SECONDS,
    ) -> None:
        self._secrets = {sender: secret.encode() for sender, secret in secrets.items()}
        self._inbox = inbox
        self._now = now
        self._wait_seconds = wait_seconds

    def check(self, sender: Sender, headers: Mapping[str, str], body: bytes) -> None:
        """Raises Refusal when that service did not sign this body."""
        secret = self._secrets.get(sender)
        if secret is None:
            key = "pagerduty_secret" if sender == "pagerduty" else "slack_signing_secret"
            raise Refusal(Reason.UNKNOWN_PATH, f"inbound.{key} is not set, so nothing from there is believed")
        if sender == "pagerduty":
            _check_pagerduty(secret, headers, body)
        else:
            _check_slack(secret, headers, body, now=self._now())

    async def take(self, sender: Sender, body: bytes) -> tuple[dict[str, str], int]:
        """(answer, HTTP status) of what a signed body says; raises Refusal when it says nothing, or cannot be kept."""
        from ragvigil.scorer.receive.signed import order_of

        order = order_of(sender, body, now=self._now())
        if order is None:
            return {"ignored": "no acknowledgement of an incident of ours"}, 200
        answer = await self._carry_out(order)
        if answer is None:
            return {"accepted": "it is carried out when the scorer can"}, 200
        if answer.problem is not None:
            return {"error": answer.problem}, Reason.UNKNOWN_PATH.http
        return {"done": answer.id}, 200

    async def _carry_out(self, order: Order) -> Answer | None:
        """What became of it; None when it waits to be carried out."""
        from ragvigil.scorer.incidents.oncall import order_requests

        requests = order_requests(self._inbox)
        try:
            name = await asyncio.to_thread(requests.ask, order)
        except OSError:
            raise Refusal(Reason.STORE, "the acknowledgement cannot be kept; try again later", 30) from None
        deadline = time.monotonic() + self._wait_seconds
        while time.monotonic() < deadline:
            answer = requests.answered(name)
            if answer is not None:
                return answer
            await asyncio.sleep(_LOOK_SECONDS)
        return None


def _check_pagerduty(secret: bytes, headers: Mapping[str, str], body: bytes) -> None:
    """``v1=`` and the hexadecimal HMAC-SHA256 of the body; several while a secret is changed."""
    expected = "v1=" + hmac.digest(secret, body, hashlib.sha256).hex()
    _believe(expected, headers.get("x-pagerduty-signature", "").split(","), "X-PagerDuty-Signature")


def _check_slack(secret: bytes, headers: Mapping[str, str], body: bytes, *, now: float) -> None:
    """``v0=`` and the HMAC-SHA256 of ``v0:timestamp:body``, not older than five minutes."""
    stamp = headers.get("x-slack-request-timestamp", "")
    if not (stamp.isascii() and stamp.isdecimal()) or abs(now - int(stamp[:15])) > _TOLERANCE_SECONDS:
        raise Refusal(
            Reason.UNAUTHENTICATED,
            "X-Slack-Request-Timestamp is more than five minutes away; is the clock of this machine right?",
        )
    expected = "v0=" + hmac.digest(secret, b":".join((b"v0", stamp.encode(), body)), hashlib.sha256).hex()
    _believe(expected, [headers.get("x-slack-signature", "")], "X-Slack-Signature")


def _believe(expected: str, given: list[str], header: str) -> None:
    right = [hmac.compare_digest(expected.encode(), one.strip().encode(errors="replace")) for one in given]
    if not any(right):
        raise Refusal(Reason.UNAUTHENTICATED, f"{header} does not fit the body and our secret")

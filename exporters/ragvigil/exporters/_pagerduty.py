"""PagerDuty, Events API v2: one dedup key from trigger to resolve."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from ragvigil.exporters._addresses import shareable
from ragvigil.exporters._alert import Alert, Example, Measurement, Outcome
from ragvigil.exporters._page import page_of
from ragvigil.exporters._post import Post, check_address
from ragvigil.exporters._text import clean, reference_word, shown, title_of
from ragvigil.exporters._trend import trend
from ragvigil.exporters._wire import rfc3339

_SUMMARY_CHARACTERS = 1024
_BODY_BYTES = 512_000
_TEXT_CHARACTERS = 500
_EXAMPLES = 5
_DIMENSIONS = 20


class PagerDuty:
    """Triggers, updates and resolves alerts of one PagerDuty service.

    >>> PagerDuty(routing_key="0" * 32)
    PagerDuty('events.pagerduty.com')
    """

    def __init__(
        self,
        routing_key: str,
        url: str = "https://events.pagerduty.com/v2/enqueue",
        *,
        timeout_seconds: float = 15.0,
    ) -> None:
        """Raises ValueError when the key or `url` cannot be used, ImportError without httpx."""
        self.check(url=url, routing_key=routing_key)
        self._post = Post(url, timeout_seconds=timeout_seconds)
        self._routing_key = routing_key

    @staticmethod
    def check(*, url: str, routing_key: str) -> None:
        """Raises ValueError when the key or `url` cannot be used; sends nothing and needs no httpx."""
        check_address(url)
        if not (routing_key.isascii() and routing_key.isalnum() and len(routing_key) == 32):
            raise ValueError("routing_key must be the 32 letters and digits of an Events API v2 integration")

    def __repr__(self) -> str:
        return f"PagerDuty({self._post.host!r})"

    async def send(self, alert: Alert, reference: str | None = None) -> Outcome:
        """Deliver one alert; an update is a trigger with the same dedup key, which PagerDuty merges.

        `reference` is not needed: the dedup key is ours.
        """
        if alert.action == "resolve":
            return await self._say("resolve", alert)
        if alert.action != "acknowledge":
            outcome = await self._page(alert)
            # It may have been taken in hand while PagerDuty was away, and said so by no message of its own.
            if not outcome.delivered or alert.acknowledged is None:
                return outcome
        return await self._say("acknowledge", alert)

    async def _say(self, action: Literal["acknowledge", "resolve"], alert: Alert) -> Outcome:
        event = {"routing_key": self._routing_key, "event_action": action, "dedup_key": alert.dedup_key}
        return await self._post.send(_encode(event), {})

    async def _page(self, alert: Alert) -> Outcome:
        event = self._trigger(alert)
        body = _encode(event)
        if len(body) > _BODY_BYTES:
            event["payload"]["custom_details"] = {
                "incident": clean(alert.incident_id, limit=_TEXT_CHARACTERS)
            }
            event["links"] = []
            body = _encode(event)
        return await self._post.send(body, {})

    def _trigger(self, alert: Alert) -> dict[str, Any]:
        event: dict[str, Any] = {
            "routing_key": self._routing_key,
            "event_action": "trigger",
            "dedup_key": alert.dedup_key,
            "client": "ragvigil",
            "links": _links(alert),
            "payload": {
                "summary": clean(title_of(alert), limit=_SUMMARY_CHARACTERS),
                "timestamp": rfc3339(alert.at),
                "severity": alert.severity,
                "source": clean(alert.service, limit=_TEXT_CHARACTERS) or "unknown",
                "component": alert.series,
                "group": clean(alert.environment or "no environment", limit=_TEXT_CHARACTERS),
                "class": "rate drop" if alert.now.estimated else "event",
                "custom_details": _details(alert),
            },
        }
        link = shareable(alert.link)
        return event | ({"client_url": link} if link else {})


def _encode(event: Mapping[str, Any]) -> bytes:
    return json.dumps(event, allow_nan=False, separators=(",", ":")).encode()


def _links(alert: Alert) -> list[dict[str, str]]:
    pages = [(shareable(alert.link), "Incident in ragvigil")]
    traces = [
        (shareable(example.url), f"Trace {example.trace_id[:32]}") for example in alert.examples[:_EXAMPLES]
    ]
    return [{"href": url, "text": clean(text, limit=100)} for url, text in [*pages, *traces] if url]


def _details(alert: Alert) -> dict[str, Any]:
    segment = sorted({**alert.segment, **alert.cause}.items())[:_DIMENSIONS]
    shape = trend(alert.history)
    details: dict[str, Any] = {
        "incident": clean(alert.incident_id, limit=_TEXT_CHARACTERS),
        "what": list(page_of(alert, examples=0).summary),
        **_figures(alert),
        "since": rfc3339(alert.since),
        "segment": {clean(name, limit=100): clean(value, limit=100) for name, value in segment},
    }
    examples = [_example(example) for example in alert.examples[:_EXAMPLES]]
    details |= {"examples": examples} if examples else {}
    return details | ({"trend": shape} if shape else {})


def _figures(alert: Alert) -> dict[str, str]:
    """What was and what is; nothing of what is no rate, such as a leak."""
    if not alert.now.estimated:
        return {}
    return {reference_word(alert): _measurement(alert.before), "now": _measurement(alert.now)}


def _measurement(measurement: Measurement) -> str:
    return shown(measurement) + (f", n = {measurement.n:,}" if measurement.estimated else "")


def _example(example: Example) -> dict[str, str]:
    texts = {
        "why": example.reason,
        "asked": example.query,
        "answered": example.answer,
        "trace": shareable(example.url) or example.trace_id,
    }
    return {name: clean(text, limit=_TEXT_CHARACTERS) for name, text in texts.items() if text}

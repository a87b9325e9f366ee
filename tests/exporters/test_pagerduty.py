"""PagerDuty's Events API v2 against a real server, field by field."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest

from ragvigil.exporters import Alert, Example, Outcome, PagerDuty

if TYPE_CHECKING:
    from .conftest import Service

KEY = "0123456789abcdef0123456789abcdef"


def checked(body: bytes) -> dict[str, Any]:
    """The event, after holding it against the documented schema of ``/v2/enqueue``."""
    assert len(body) < 512 * 1_000
    event: dict[str, Any] = json.loads(body)
    assert set(event) <= {
        "routing_key",
        "event_action",
        "dedup_key",
        "client",
        "client_url",
        "links",
        "payload",
    }
    assert event["routing_key"] == KEY
    assert event["event_action"] in ("trigger", "acknowledge", "resolve")
    assert 0 < len(event["dedup_key"]) <= 255
    if event["event_action"] != "trigger":
        return event
    for link in event["links"]:
        assert set(link) == {"href", "text"}
        assert link["href"].startswith("https://")
    payload = event["payload"]
    assert set(payload) == {
        "summary",
        "timestamp",
        "severity",
        "source",
        "component",
        "group",
        "class",
        "custom_details",
    }
    assert 0 < len(payload["summary"]) <= 1024
    assert datetime.fromisoformat(payload["timestamp"]).tzinfo is not None
    assert payload["severity"] in ("critical", "error", "warning", "info")
    for name in ("source", "component", "group", "class"):
        assert isinstance(payload[name], str)
        assert payload[name]
    assert isinstance(payload["custom_details"], dict)
    return event


async def test_a_trigger_says_everything_once(service: Service, alert: Alert) -> None:
    """The whole event, as PagerDuty receives it."""
    assert await PagerDuty(KEY, service.url).send(alert) == Outcome(delivered=True)
    event = checked(service.received[0].body)
    assert event["payload"]["custom_details"] == {
        "incident": "inc-0123456789abcdef",
        "what": ["Now: 50.0 %.", "Before: 95.0 %."],
        "before": "95.0 % (95 % interval 94.4 to 95.5 %), n = 5,520",
        "now": "50.0 % (95 % interval 39.3 to 60.7 %), n = 80",
        "since": "2026-03-01T03:00:00.000000Z",
        "segment": {"service": "help-desk"},
        "examples": [
            {
                "why": "cites doc-9",
                "asked": "How?",
                "answered": "Press both [9].",
                "trace": "https://tempo.example.com/trace/1",
            },
            {"why": "cites nothing", "trace": "cd" * 16},
        ],
    }
    assert event["payload"]["summary"] == alert.title
    assert [link["href"] for link in event["links"]] == [alert.link, "https://tempo.example.com/trace/1"]


async def test_trigger_update_and_resolve_share_one_dedup_key(service: Service, alert: Alert) -> None:
    """PagerDuty knows no update: a trigger with a known key is one."""
    channel = PagerDuty(KEY, service.url)
    for action in ("trigger", "update", "resolve"):
        await channel.send(replace(alert, action=action))
    events = [checked(request.body) for request in service.received]
    assert [event["event_action"] for event in events] == ["trigger", "trigger", "resolve"]
    assert {event["dedup_key"] for event in events} == {alert.dedup_key}


async def test_an_event_without_links_or_environment_is_valid(service: Service, alert: Alert) -> None:
    """As from a scorer that was told no addresses."""
    bare = replace(alert, link=None, environment=None, service="", segment={}, examples=())
    await PagerDuty(KEY, service.url).send(bare)
    event = checked(service.received[0].body)
    assert event["links"] == []
    assert "client_url" not in event


async def test_huge_and_hostile_text_stays_within_the_limits(service: Service, alert: Alert) -> None:
    """Megabytes from traces, and characters that no terminal should see."""
    huge = "\x1b[31m\ud800\u202e" + '"\\é' * 1_000_000
    examples = tuple(Example("ab" * 16, huge, huge, huge) for _ in range(50))
    segment = {f"{number}{huge[:300]}": huge for number in range(100)}
    hostile = replace(alert, title=huge, summary=huge, service=huge, examples=examples, segment=segment)
    await PagerDuty(KEY, service.url).send(hostile)
    event = checked(service.received[0].body)
    assert len(event["payload"]["custom_details"]["examples"]) == 5
    assert "\x1b" not in event["payload"]["summary"]


async def test_what_still_does_not_fit_goes_without_details(service: Service, alert: Alert) -> None:
    """A link of half a megabyte is the operator's template gone wrong; the page arrives."""
    long = Example("ab" * 16, None, None, "why", "https://tempo.example.com/" + "x" * 600_000)
    await PagerDuty(KEY, service.url).send(replace(alert, examples=(long,)))
    event = checked(service.received[0].body)
    assert event["links"] == []
    assert event["payload"]["custom_details"] == {"incident": alert.incident_id}


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (200, Outcome(delivered=True)),
        (202, Outcome(delivered=True)),
        (400, Outcome(delivered=False, retry=True, reason="http_400")),
        (403, Outcome(delivered=False, retry=True, reason="http_403")),
        (429, Outcome(delivered=False, retry=True, reason="http_429")),
        (500, Outcome(delivered=False, retry=True, reason="http_500")),
        (503, Outcome(delivered=False, retry=True, reason="http_503")),
        (413, Outcome(delivered=False, retry=False, reason="http_413")),
    ],
)
async def test_answers_mean_what_pagerduty_documents(
    service: Service, alert: Alert, status: int, outcome: Outcome
) -> None:
    """400 is also what it says of a wrong key."""
    service.status = status
    assert await PagerDuty(KEY, service.url).send(alert) == outcome


async def test_the_routing_key_shows_nowhere(
    service: Service, alert: Alert, caplog: pytest.LogCaptureFixture
) -> None:
    """Not in repr, logs or outcomes."""
    caplog.set_level(logging.DEBUG)
    service.status = 400
    service.body = KEY.encode()
    channel = PagerDuty(KEY, service.url)
    outcome = await channel.send(alert)
    assert KEY not in repr(channel) + caplog.text + repr(outcome)


@pytest.mark.parametrize("key", ["", "short", "0" * 33, "é" * 32, "0" * 31 + "\n"])
def test_an_unusable_routing_key_is_said_without_showing_it(key: str) -> None:
    """At start, not at the first page."""
    with pytest.raises(ValueError, match="routing_key must be the 32") as error:
        PagerDuty(key)
    assert not key or key not in str(error.value)

"""What signed bodies of PagerDuty and Slack say about our incidents."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import cast
from urllib.parse import parse_qs

from ragvigil.exporters import clean
from ragvigil.scorer.incidents.oncall import Acknowledge, Order, Unacknowledge
from ragvigil.scorer.receive.refusal import Reason, Refusal
from ragvigil.scorer.receive.senders import Sender

SLACK_ACTION = "ragvigil_acknowledge"
"""As the button is called that `ragvigil.exporters.Slack` puts under a page."""

_PERSON = "user_reference"
"""Type of an agent in PagerDuty that is no integration, such as the one through which we acknowledge."""
_NAME_CHARACTERS = 100
_KEY_CHARACTERS = 300
_LONGEST_SECONDS = 2 * 86_400.0
"""PagerDuty sends what we did not take again, for up to two days, as it was signed at first."""
_EARLIEST_SECONDS = -300.0


def order_of(sender: Sender, body: bytes, *, now: float) -> Order | None:
    """What is ordered; None when it is about something else. Raises Refusal when it cannot be read, or is of another
    day than `now` (Unix seconds)."""
    return _from_pagerduty(body, now) if sender == "pagerduty" else _from_slack(body)


def _from_pagerduty(body: bytes, now: float) -> Order | None:
    """What a V3 webhook says of an incident that we opened; its key is our dedup key."""
    event = _mapping(_mapping(_json(body)).get("event"))
    data = _mapping(event.get("data"))
    key = data.get("incident_key")
    kind = event.get("event_type")
    if not isinstance(key, str) or not key.startswith("ragvigil/") or len(key) > _KEY_CHARACTERS:
        return None
    _check_age(event.get("occurred_at"), now)
    agent = _mapping(event.get("agent"))
    by = _name(agent.get("summary"))
    if kind == "incident.acknowledged":
        person = agent.get("type") == _PERSON
        return Acknowledge(key, by, "in PagerDuty", via="pagerduty", automatic=not person)
    if kind == "incident.unacknowledged":
        return Unacknowledge(key, by, via="pagerduty")
    return None


def _check_age(occurred_at: object, now: float) -> None:
    """Raises Refusal when it happened so long ago, or so far ahead, that somebody must have kept it."""
    try:
        age = now - datetime.fromisoformat(str(occurred_at)).timestamp()
    except (ValueError, OverflowError):
        raise Refusal.malformed("event.occurred_at is no time") from None
    if not _EARLIEST_SECONDS <= age <= _LONGEST_SECONDS:
        raise Refusal(
            Reason.UNAUTHENTICATED,
            "event.occurred_at is more than two days ago, or five minutes ahead; is the clock of this machine right?",
        )


def _from_slack(body: bytes) -> Order | None:
    """Who pressed the button under a page."""
    try:
        fields = parse_qs(body.decode(), max_num_fields=20)
    except (ValueError, UnicodeError):
        raise Refusal.malformed("the body is no form with the field payload") from None
    payload = _mapping(_json((fields.get("payload") or [""])[0].encode()))
    user = _mapping(payload.get("user"))
    actions = payload.get("actions")
    for action in cast("list[object]", actions) if isinstance(actions, list) else []:
        pressed = _mapping(action)
        incident = pressed.get("value")
        if pressed.get("action_id") == SLACK_ACTION and isinstance(incident, str) and incident:
            by = _name(user.get("username") or user.get("name") or user.get("id"))
            return Acknowledge(incident[:_KEY_CHARACTERS], by, "in Slack", via="slack")
    return None


def _json(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise Refusal.malformed("the body is no JSON") from None


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}


def _name(value: object) -> str:
    return (clean(value, limit=_NAME_CHARACTERS).strip() if isinstance(value, str) else "") or "somebody"

"""Slack's bot: one message per incident, whatever happens to it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.exporters.conftest import Service
from tests.exporters.contracts import POSTED
from tests.exporters.situations import SITUATIONS

from ragvigil.exporters import Outcome, Slack

TRIGGER, UPDATE, RESOLVE = (SITUATIONS[name] for name in ("trigger", "update", "resolve"))
REFERENCE = "C024BE91L 1772334120.000100"


def slack(service: Service, *answers: bytes) -> Slack:
    """A channel whose service gives these answers, and then says that all is well."""
    service.status, service.body = 200, POSTED
    service.script = [(200, answer) for answer in answers]
    return Slack("xoxb-hush-hush", "#alerts", f"{service.base}/api")


def methods(service: Service) -> list[str]:
    """The Web API methods that were called, in order."""
    return [request.path.removeprefix("/api/") for request in service.received]


def error(name: str) -> bytes:
    """How Slack says no."""
    return json.dumps({"ok": False, "error": name}).encode()


async def test_one_message_is_posted_edited_and_closed(service: Service) -> None:
    """With the id of the channel that Slack named, for it edits by id alone; the token goes in the header."""
    channel = slack(service)
    posted = await channel.send(TRIGGER)
    assert posted == Outcome(delivered=True, reference=REFERENCE)
    assert await channel.send(UPDATE, posted.reference) == posted
    assert await channel.send(RESOLVE, posted.reference) == posted
    assert methods(service) == ["chat.postMessage", *["chat.update", "chat.postMessage"] * 2]
    bodies = [json.loads(request.body) for request in service.received]
    assert [body["channel"] for body in bodies] == ["#alerts", *["C024BE91L"] * 4]
    assert [body.get("reply_broadcast") for body in bodies] == [None, None, True, None, False]
    assert {request.headers["authorization"] for request in service.received} == {"Bearer xoxb-hush-hush"}


@pytest.mark.parametrize("reason", ["message_not_found", "cant_update_message", "edit_window_closed"])
async def test_a_message_that_cannot_be_edited_is_posted_anew(service: Service, reason: str) -> None:
    """And the new one is edited from then on."""
    outcome = await slack(service, error(reason)).send(UPDATE, "C024BE91L 1.0")
    assert outcome == Outcome(delivered=True, reference=REFERENCE)
    assert methods(service) == ["chat.update", "chat.postMessage"]


async def test_blocks_that_slack_does_not_like_go_as_plain_text(service: Service) -> None:
    """A page beats its looks."""
    outcome = await slack(service, error("invalid_blocks")).send(TRIGGER)
    assert outcome.delivered
    plain = json.loads(service.received[1].body)
    assert plain["blocks"] == []
    assert TRIGGER.title in plain["text"]
    assert TRIGGER.link is not None
    assert TRIGGER.link in plain["text"]


async def test_a_reply_that_fails_is_sent_again_and_nothing_is_posted_twice(service: Service) -> None:
    """The edit may be repeated, a second message may not."""
    outcome = await slack(service, POSTED, error("ratelimited")).send(UPDATE, REFERENCE)
    assert outcome == Outcome(delivered=False, retry=True, reason="ratelimited")
    assert methods(service) == ["chat.update", "chat.postMessage"]


@pytest.mark.parametrize("reason", ["invalid_auth", "channel_not_found", "not_in_channel", "internal_error"])
async def test_what_somebody_can_mend_is_tried_again(service: Service, reason: str) -> None:
    """Slack says 200 to all of it."""
    outcome = await slack(service, error(reason)).send(TRIGGER)
    assert outcome == Outcome(delivered=False, retry=True, reason=reason)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"<html>", "unreadable_answer"),
        (b"[]", "unreadable_answer"),
        (b"", "unreadable_answer"),
        (b'{"ok": false, "error": "xoxb-hush-hush says\\n no"}', "unknown_error"),
        (b"[" * 60_000, "unreadable_answer"),
    ],
)
async def test_an_answer_that_is_none_of_slacks_is_no_delivery(
    service: Service, answer: bytes, reason: str
) -> None:
    """And nothing of it gets into a metric's label."""
    outcome = await slack(service, answer).send(TRIGGER)
    assert outcome == Outcome(delivered=False, retry=True, reason=reason)


async def test_a_lock_screen_calls_nobody(service: Service) -> None:
    """The text is mrkdwn to a phone."""
    await slack(service).send(replace(TRIGGER, title="<!channel> & <@U1>"))
    message = json.loads(service.received[0].body)
    assert message["text"].endswith("&lt;!channel&gt; &amp; &lt;@U1&gt;")
    assert (message["mrkdwn"], message["parse"], message["link_names"]) == (False, "none", False)


@pytest.mark.parametrize(
    ("token", "channel", "said"),
    [
        ("hush-hush", "C1", "token must be a bot token"),
        ("xoxb-a b", "C1", "token must be a bot token"),
        ("xoxb-1", "", "channel must be an id"),
        ("xoxb-1", "a channel", "channel must be an id"),
    ],
)
def test_an_unusable_setting_is_said(token: str, channel: str, said: str) -> None:
    """At start, not at the first page, and without the token."""
    with pytest.raises(ValueError, match=said) as problem:
        Slack(token, channel)
    assert token not in str(problem.value)


async def test_a_page_has_a_button_until_it_is_over(service: Service) -> None:
    """When somebody listens to it; what it posts names the incident."""
    service.status, service.body = 200, POSTED
    channel = Slack("xoxb-hush-hush", "#alerts", f"{service.base}/api", acknowledge=True)
    await channel.send(TRIGGER)
    await channel.send(RESOLVE, REFERENCE)
    posted, edited, _ = (json.loads(request.body)["blocks"] for request in service.received)
    assert posted[-1]["type"] == "actions"
    (pressed,) = posted[-1]["elements"]
    assert (pressed["action_id"], pressed["value"]) == ("ragvigil_acknowledge", TRIGGER.incident_id)
    assert "actions" not in {block["type"] for block in edited}

"""Discord's webhook: one message per incident, edited in place."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.exporters.conftest import Service
from tests.exporters.situations import SITUATIONS, hostile

from ragvigil.exporters import Discord, Outcome
from ragvigil.exporters._chart import chart_of

TRIGGER, UPDATE = SITUATIONS["trigger"], SITUATIONS["update"]


def discord(service: Service, query: str = "") -> Discord:
    """A channel whose service names each message 42."""
    service.status, service.body = 200, b'{"id": "42"}'
    return Discord(f"{service.base}/api/webhooks/1/hush-hush{query}")


async def test_a_message_is_posted_and_edited(service: Service) -> None:
    """The answer to the first names it; a thread stays the thread."""
    channel = discord(service, "?thread_id=7")
    posted = await channel.send(TRIGGER)
    assert posted == Outcome(delivered=True, reference="42")
    assert await channel.send(UPDATE, posted.reference) == posted
    assert [(request.method, request.path) for request in service.received] == [
        ("POST", "/api/webhooks/1/hush-hush?thread_id=7&wait=true"),
        ("PATCH", "/api/webhooks/1/hush-hush/messages/42?thread_id=7"),
        ("POST", "/api/webhooks/1/hush-hush?thread_id=7&wait=true"),
    ]


@pytest.mark.parametrize(
    ("situation", "title", "methods"),
    [
        ("update", "Worse: it fell", ["PATCH", "POST"]),
        ("update", "Reminder: it fell", ["PATCH", "POST"]),
        ("trigger", "Again: it fell", ["POST"]),
        ("resolve", "Resolved: it fell", ["PATCH"]),
        ("acknowledge", "It fell", ["PATCH"]),
    ],
)
async def test_what_somebody_must_hear_is_no_mere_edit(
    service: Service, situation: str, title: str, methods: list[str]
) -> None:
    """An edit notifies nobody; the short message says what is new and leads to the rest."""
    channel = discord(service)
    service.body = b'{"id": "43"}'
    outcome = await channel.send(replace(SITUATIONS[situation], title=title), "42")
    assert outcome == Outcome(delivered=True, reference="43" if situation == "trigger" else "42")
    assert [request.method for request in service.received] == methods
    (embed,) = json.loads(service.received[-1].said())["embeds"]
    assert title.replace(":", "\\:") in embed["title"]


async def test_news_that_discord_did_not_take_is_tried_again(service: Service) -> None:
    """The edit alone nobody has heard."""
    channel = discord(service)
    service.script = [(200, b'{"id": "42"}'), (503, b"{}")]
    outcome = await channel.send(UPDATE, "42")
    assert outcome == Outcome(delivered=False, retry=True, reason="http_503")


async def test_a_message_that_was_deleted_is_posted_anew(service: Service) -> None:
    """Somebody tidied up; the incident goes on."""
    channel = discord(service)
    service.script = [(404, b"{}")]
    assert await channel.send(UPDATE, "41") == Outcome(delivered=True, reference="42")
    assert [request.method for request in service.received] == ["PATCH", "POST"]


async def test_the_chart_goes_with_the_message_and_an_edit_replaces_it(service: Service) -> None:
    """As a file of the same request; what an edit does not name Discord takes away."""
    channel = discord(service)
    await channel.send(TRIGGER)
    await channel.send(UPDATE, "42")
    for request, alert in zip(service.received[:2], (TRIGGER, UPDATE), strict=True):
        chart = chart_of(alert)
        assert chart is not None
        assert request.parts()["files[0]"] == chart.png
        message = json.loads(request.said())
        assert message["embeds"][0]["image"] == {"url": "attachment://chart.png"}
        assert message["attachments"] == [{"id": "0", "filename": "chart.png", "description": chart.words}]


async def test_a_chart_that_discord_does_not_like_stays_at_home(service: Service) -> None:
    """A page beats its looks; the chart of the last message goes with it."""
    channel = discord(service)
    service.script = [(400, b"{}")]
    assert await channel.send(UPDATE, "42") == Outcome(delivered=True, reference="42")
    plain = service.received[1]
    assert plain.parts() == {}
    assert json.loads(plain.said())["attachments"] == []


async def test_a_reference_cannot_leave_its_place_in_the_path(service: Service) -> None:
    """Whatever the store held."""
    await discord(service).send(UPDATE, "../../../guilds/1")
    assert service.received[0].path.endswith("/messages/..%2F..%2F..%2Fguilds%2F1")


async def test_an_embed_has_at_most_6000_characters_in_all(service: Service) -> None:
    """Discord counts titles, descriptions, names and values together."""
    await discord(service).send(hostile())
    (embed,) = json.loads(service.received[0].said())["embeds"]
    texts = [embed["title"], embed["description"]]
    texts += [text for field in embed["fields"] for text in (field["name"], field["value"])]
    texts.append(embed["footer"]["text"])
    assert sum(len(text.encode("utf-16-le")) // 2 for text in texts) <= 6_000


async def test_nothing_of_a_trace_is_a_link_or_a_mention(service: Service) -> None:
    """Every punctuation mark is escaped, an address's colon among them."""
    await discord(service).send(hostile())
    message = json.loads(service.received[0].said())
    assert message["allowed_mentions"] == {"parse": []}
    said = json.dumps(message["embeds"])
    assert "https://evil" not in said
    assert "<@" not in said


@pytest.mark.parametrize(
    "path", ["", "/api/webhooks/1", "/api/webhooks/1/hush/slack", "/api/webhooks/1/hush/github"]
)
def test_an_address_of_another_kind_is_said(path: str) -> None:
    """The Slack-compatible one cannot be edited."""
    with pytest.raises(ValueError, match="must end in /webhooks/ID/TOKEN"):
        Discord(f"https://discord.com{path}")

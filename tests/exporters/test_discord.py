"""Discord's webhook: one message per incident, edited in place."""

from __future__ import annotations

import json

import pytest
from tests.exporters.conftest import Service
from tests.exporters.situations import SITUATIONS, hostile

from ragvigil.exporters import Discord, Outcome

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
    ]


async def test_a_message_that_was_deleted_is_posted_anew(service: Service) -> None:
    """Somebody tidied up; the incident goes on."""
    channel = discord(service)
    service.script = [(404, b"{}")]
    assert await channel.send(UPDATE, "41") == Outcome(delivered=True, reference="42")
    assert [request.method for request in service.received] == ["PATCH", "POST"]


async def test_a_reference_cannot_leave_its_place_in_the_path(service: Service) -> None:
    """Whatever the store held."""
    await discord(service).send(UPDATE, "../../../guilds/1")
    assert service.received[0].path.endswith("/messages/..%2F..%2F..%2Fguilds%2F1")


async def test_an_embed_has_at_most_6000_characters_in_all(service: Service) -> None:
    """Discord counts titles, descriptions, names and values together."""
    await discord(service).send(hostile())
    (embed,) = json.loads(service.received[0].body)["embeds"]
    texts = [embed["title"], embed["description"]]
    texts += [text for field in embed["fields"] for text in (field["name"], field["value"])]
    assert sum(len(text.encode("utf-16-le")) // 2 for text in texts) <= 6_000


async def test_nothing_of_a_trace_is_a_link_or_a_mention(service: Service) -> None:
    """Every punctuation mark is escaped, an address's colon among them."""
    await discord(service).send(hostile())
    message = json.loads(service.received[0].body)
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

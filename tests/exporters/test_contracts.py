"""Every channel that speaks HTTP, held against the published schema of its service on a real server."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, get_args

import pytest
from slack_sdk.errors import SlackClientError
from standardwebhooks import WebhookVerificationError
from tests.exporters.conftest import Received, Service
from tests.exporters.contracts import CONTRACTS, Contract, told
from tests.exporters.mails import rendered
from tests.exporters.situations import LOUD, SITUATIONS, bare, homeless, hostile

from ragvigil.exporters import Action, Outcome

Json: TypeAlias = "dict[str, Json] | list[Json] | str | float | bool | None"

GOLDEN = Path(__file__).parent / "golden"

each = pytest.mark.parametrize("contract", CONTRACTS.values(), ids=list(CONTRACTS))


@pytest.mark.parametrize(
    ("contract", "situation"),
    [
        pytest.param(contract, situation, id=f"{name}-{situation}")
        for name, contract in CONTRACTS.items()
        for situation in contract.situations()
    ],
)
async def test_what_a_person_sees_is_what_a_reviewer_read(
    contract: Contract, service: Service, situation: str
) -> None:
    """golden/CHANNEL_SITUATION.txt; ``python -m tests.exporters.make_golden`` renews them."""
    requests = await told(contract, service, situation)
    for request in requests:
        contract.check(request)
    assert contract.seen(requests) == (GOLDEN / f"{contract.name}_{situation}.txt").read_text()


@pytest.mark.parametrize("situation", LOUD)
def test_a_mail_is_what_a_reviewer_read(situation: str) -> None:
    """Text and HTML; open the HTML in a browser."""
    text, html = rendered(situation)
    assert text == (GOLDEN / f"mail_{situation}.txt").read_text()
    assert html == (GOLDEN / f"mail_{situation}.html").read_text()


@each
async def test_too_many_requests_is_waited_for_as_asked(contract: Contract, service: Service) -> None:
    """In seconds, by Retry-After."""
    service.status, service.headers = 429, {"retry-after": "17"}
    outcome = await contract.build(service.base, 15.0).send(SITUATIONS["trigger"])
    assert outcome == Outcome(delivered=False, retry=True, reason="http_429", retry_after=17.0)


@pytest.mark.parametrize("status", [301, 307, 401, 403, 500, 503])
@each
async def test_what_may_pass_or_be_mended_is_tried_again(
    contract: Contract, service: Service, status: int
) -> None:
    """A page must not be lost to a stale key, and no redirect is followed."""
    service.status, service.headers = status, {"location": "http://127.0.0.1:1/"}
    outcome = await contract.build(service.base, 15.0).send(SITUATIONS["trigger"])
    assert outcome == Outcome(delivered=False, retry=True, reason=f"http_{status}")
    assert len(service.received) == 1


@pytest.mark.parametrize("status", [400, 410, 422])
@each
async def test_what_a_wrong_key_may_cause_is_tried_again(
    contract: Contract, service: Service, status: int
) -> None:
    """PagerDuty says 400 of a key that it does not know, Opsgenie 422, a receiver that was switched off 410."""
    service.status = status
    outcome = await contract.build(service.base, 15.0).send(SITUATIONS["trigger"])
    assert outcome == Outcome(delivered=False, retry=True, reason=f"http_{status}")


@each
async def test_a_service_that_hangs_is_left_in_time(contract: Contract, service: Service) -> None:
    """And is worth another try."""
    service.hang = True
    outcome = await contract.build(service.base, 0.3).send(SITUATIONS["trigger"])
    assert outcome == Outcome(delivered=False, retry=True, reason="timeout")


@each
async def test_a_service_that_is_not_there_is_worth_another_try(contract: Contract) -> None:
    """Port 1 of loopback refuses."""
    outcome = await contract.build("http://127.0.0.1:1", 5.0).send(SITUATIONS["trigger"])
    assert outcome == Outcome(delivered=False, retry=True, reason="unreachable")


@pytest.mark.parametrize("action", get_args(Action))
@each
async def test_megabytes_of_hostile_markup_arrive_small_and_valid(
    contract: Contract, service: Service, action: Action
) -> None:
    """Within the schema's limits; nothing unshowable, nobody called, no mail header begun."""
    service.status, service.body = 200, contract.answer
    channel = contract.build(service.base, 15.0)
    reference = (await channel.send(hostile())).reference
    outcome = await channel.send(replace(hostile(), action=action), reference)
    assert outcome.delivered
    for request in service.received:
        contract.check(request)
        # The generic webhook carries the text as it is (less what is unshowable), for a program.
        for sign in ("\x00", "\x1b", "\u202e", "\ud800", "\r"):
            assert sign not in _texts(json.loads(request.said()))


@pytest.mark.parametrize("name", ["jira", "alertmanager", "grafana_irm"])
async def test_what_is_passed_on_elsewhere_holds_no_markup(name: str, service: Service) -> None:
    """These services hand the text to chat, mail and phone in ways of their own."""
    service.status = 200
    await CONTRACTS[name].build(service.base, 15.0).send(hostile())
    text = _texts(json.loads(service.received[0].said()))
    for sign in ("<", ">", "](", "@everyone", "@here"):
        assert sign not in text


@pytest.mark.parametrize(("name", "verbatim"), [("slack", {"text", "plain_text"}), ("teams", {"TextRun"})])
async def test_texts_stand_only_where_no_markup_is_read(
    name: str, verbatim: set[str], service: Service
) -> None:
    """In Slack's rich text and in a card's text runs; an mrkdwn object or a TextBlock would read it."""
    contract = CONTRACTS[name]
    service.status, service.body = 200, contract.answer
    await contract.build(service.base, 15.0).send(hostile())
    message = json.loads(service.received[0].said())
    content = message.get("blocks") or message["attachments"][0]["content"]["body"]
    assert _kinds_of_text(content) <= verbatim


@each
async def test_an_alert_that_says_next_to_nothing_is_valid(contract: Contract, service: Service) -> None:
    """As from a scorer that was told no addresses."""
    service.status, service.body = 200, contract.answer
    channel = contract.build(service.base, 15.0)
    for action in get_args(Action):
        outcome = await channel.send(replace(bare(), action=action))
        assert outcome.delivered
    for request in service.received:
        contract.check(request)


@pytest.mark.parametrize("name", [name for name in CONTRACTS if name != "webhook"])
async def test_no_link_leads_to_loopback_or_is_no_link(name: str, service: Service) -> None:
    """Whoever reads the page reads it elsewhere. (The webhook hands on what the scorer, which knows, put in.)"""
    contract = CONTRACTS[name]
    service.status, service.body = 200, contract.answer
    assert (await contract.build(service.base, 15.0).send(homeless())).delivered
    for request in service.received:
        contract.check(request)
        links = [
            text
            for text in _texts(json.loads(request.said())).split("\n")
            if text.startswith(("http", "javascript"))
        ]
        assert [link for link in links if "schemas/adaptive-card" not in link] == []


@each
async def test_secrets_show_nowhere(
    contract: Contract, service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    """Not in repr, logs or outcomes, though httpx logs every address it is given and the service echoes them."""
    caplog.set_level(logging.DEBUG)
    service.status, service.body = 400, contract.secret.encode()
    channel = contract.build(service.base, 15.0)
    outcome = await channel.send(SITUATIONS["trigger"])
    assert contract.secret not in repr(channel) + caplog.text + repr(outcome)


def test_a_schema_refuses_what_it_should() -> None:
    """The test of the tests above: each schema can fail."""
    for contract in CONTRACTS.values():
        with pytest.raises(AssertionError, match=r"required|not of type|is not valid"):
            contract.check(Received("/", {}, b'{"nonsense": 1}'))


@pytest.mark.parametrize(
    ("name", "path", "wrong"),
    [
        ("slack", ("blocks", 0, "text", "text"), "x" * 151),
        ("slack", ("blocks", 1, "type"), "rich_texts"),
        ("slack", ("blocks", 0, "colour"), "red"),
        ("teams", ("attachments", 0, "content", "body", 0, "type"), "Containers"),
        ("teams", ("attachments", 0, "content", "body", 1, "inlines", 0, "size"), "huge"),
        ("teams", ("attachments", 0, "content", "color"), "red"),
        ("webhook", ("timestamp",), "2026-03-01T03:02:01Z"),
    ],
)
async def test_what_a_service_publishes_refuses_what_it_should(
    service: Service, name: str, path: tuple[str | int, ...], wrong: str
) -> None:
    """Its own package, without our schema: a limit broken, a kind or field that it does not know, another body."""
    (request, *_) = await told(CONTRACTS[name], service, "trigger")
    message: Any = json.loads(request.body)
    place = message
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = wrong
    with pytest.raises((AssertionError, KeyError, ValueError, SlackClientError, WebhookVerificationError)):
        CONTRACTS[name].published(replace(request, body=json.dumps(message).encode()))


def _texts(value: Json) -> str:
    """Every text in a JSON value, one a line."""
    if isinstance(value, dict):
        return "\n".join(_texts(part) for pair in value.items() for part in pair)
    if isinstance(value, list):
        return "\n".join(map(_texts, value))
    return value if isinstance(value, str) else ""


def _kinds_of_text(value: Json) -> set[str]:
    """The types of all elements that have a text of their own, links of ours apart."""
    if isinstance(value, list):
        return set[str]().union(*map(_kinds_of_text, value))
    if not isinstance(value, dict):
        return set()
    kind = value.get("type")
    own = {str(kind)} if isinstance(value.get("text"), str) and kind != "link" else set[str]()
    return own.union(*(_kinds_of_text(part) for part in value.values()))

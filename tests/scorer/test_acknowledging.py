"""Who has an incident in hand is one truth: said here, in PagerDuty or in Slack, it is shown in all of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.exporters.conftest import Received, Service, serving

from ragvigil.exporters import Action, Alert, Measurement
from ragvigil.scorer.config import Settings, load
from ragvigil.scorer.incidents.deliver import Courier
from ragvigil.scorer.incidents.oncall import Acknowledge, Silence, Unacknowledge
from ragvigil.scorer.monitoring import Incident, SeriesKey
from ragvigil.scorer.store._sqlite_outbox import OutboxHere
from ragvigil.scorer.store.sqlite import SqliteStore

SECOND = 10**9
NOW = 1_772_334_000 * SECOND
RATE = Measurement(0.95, 0.93, 0.97, 400)
LOW = Measurement(0.5, 0.4, 0.6, 80)
INCIDENT = Incident(
    "inc-aa11", SeriesKey("citation", "shop", "production"), "ragvigil/k", NOW, NOW, RATE, LOW, LOW
)
ANA = Acknowledge("inc-aa11", "ana", "rolling back")
IN_PAGERDUTY = Acknowledge("ragvigil/k", "eva", "in PagerDuty", via="pagerduty")


@dataclass
class Desk:
    """A store, a service that stands for every channel's, and the courier between them."""

    settings: Settings
    store: SqliteStore
    service: Service
    now: int = NOW

    def say(self, action: Action, *, channels: tuple[str, ...] | None = None) -> None:
        """What the monitor writes of one look."""
        self.now += SECOND
        moment = datetime.fromtimestamp(self.now / SECOND, UTC)
        alert = Alert(
            INCIDENT.id, INCIDENT.dedup_key, action, "error", "citation", "shop", "production", f"It fell: {action}",
            "", RATE, LOW, since=moment, at=moment,
        )  # fmt: skip
        resolved = self.now if action == "resolve" else None
        self.store.monitoring.save_incident(
            replace(INCIDENT, resolved_at=resolved), alert, channels or tuple(self.settings.channels)
        )

    def order(self, order: Acknowledge | Unacknowledge) -> str:
        """Somebody says it."""
        self.now += SECOND
        if isinstance(order, Acknowledge):
            return self.store.oncall.acknowledge(order, self.now)
        return self.store.oncall.unacknowledge(order, self.now)

    def deliver(self) -> list[str]:
        """What the services were asked meanwhile: one line for each request."""
        self.service.received.clear()
        self.now += 600 * SECOND
        channels = {name: section.channel() for name, section in self.settings.channels.items()}
        courier = Courier(OutboxHere(self.store.outbox), channels, now=lambda: self.now)

        async def rounds() -> None:
            while self.store.outbox.due(self.now, 100):
                await courier.deliver_due(self.now)

        asyncio.run(rounds())
        return sorted(map(_line, self.service.received))


def _line(request: Received) -> str:
    message = json.loads(request.said())
    if request.path == "/pd":
        return f"pagerduty: {message['event_action']}"
    if request.path.startswith("/slack"):
        method = request.path.rpartition("/")[2]
        button = any(block["type"] == "actions" for block in message["blocks"])
        loud = " loud" if message.get("reply_broadcast") else ""
        return f"slack: {method}{' with button' if button else ''}{loud}: {message['text'].partition(' ')[2]}"
    if "/webhooks/" in request.path:
        if "fields" not in message["embeds"][0]:
            return f"discord: {request.method}: news"
        fields = {field["name"]: field["value"] for field in message["embeds"][0]["fields"]}
        return f"discord: {request.method}: {fields.get('in hand', 'nobody')}"
    return f"{request.path.partition('/')[2]}: {message.get('type')}"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """One channel of each kind that shows an acknowledgement but Jira, and one that does not."""
    with serving() as service:
        service.status = 200
        service.body = b'{"ok": true, "channel": "C1", "ts": "17.01", "id": "42"}'
        channels = {
            "pd": {"type": "pagerduty", "routing_key": "0" * 32, "url": f"{service.base}/pd"},
            "slack": {
                "type": "slack",
                "token": "xoxb-hush",
                "channel_id": "C1",
                "url": f"{service.base}/slack",
                "acknowledge": True,
            },
            "discord": {"type": "discord", "url": f"{service.base}/api/webhooks/1/hush"},
            "teams": {"type": "teams", "url": f"{service.base}/teams"},
        }
        settings = load(
            overrides={
                "store": {"url": f"sqlite:///{tmp_path / 'ragvigil.db'}"},
                "channels": channels,
                "inbound": {"slack_signing_secret": "hush-hush"},
            }
        )
        with SqliteStore(settings) as store:
            yield Desk(settings, store, service)


def test_an_acknowledgement_here_is_shown_where_it_wakes_nobody(desk: Desk) -> None:
    """PagerDuty stops escalating, Slack and Discord edit their message; Teams can edit nothing and hears nothing."""
    desk.say("trigger")
    assert desk.deliver() == [
        "discord: POST: nobody",
        "pagerduty: trigger",
        "slack: chat.postMessage with button: It fell: trigger",
        "teams: message",
    ]
    desk.order(ANA)
    assert desk.deliver() == [
        r"discord: PATCH: ana\, since 03\:10 UTC\: rolling back",
        "pagerduty: acknowledge",
        "slack: chat.postMessage: hand: ana, since 03:10 UTC: rolling back",
        "slack: chat.update: It fell: trigger",
    ]
    desk.order(Unacknowledge("inc-aa11", "ana"))
    assert desk.deliver() == [
        "discord: PATCH: nobody",
        "slack: chat.postMessage: has it in hand any more.",
        "slack: chat.update with button: It fell: trigger",
    ]


def test_one_from_pagerduty_is_shown_elsewhere_and_not_sent_back(desk: Desk) -> None:
    """It would come back as another one, for ever."""
    desk.say("trigger")
    desk.deliver()
    desk.order(IN_PAGERDUTY)
    assert [line.partition(":")[0] for line in desk.deliver()] == ["discord", "slack", "slack"]


def test_one_from_pagerduty_reaches_the_other_service_there(tmp_path: Path) -> None:
    """Two routing keys: the service where nobody pressed anything escalated on."""
    with serving() as service:
        keys = {name: digit * 32 for name, digit in (("search", "1"), ("platform", "2"))}
        sections = {
            name: {"type": "pagerduty", "routing_key": key, "url": f"{service.base}/pd"}
            for name, key in keys.items()
        }
        settings = load(
            overrides={"store": {"url": f"sqlite:///{tmp_path / 'ragvigil.db'}"}, "channels": sections}
        )
        with SqliteStore(settings) as store:
            desk = Desk(settings, store, service)
            desk.say("trigger")
            desk.deliver()
            desk.order(IN_PAGERDUTY)
            desk.deliver()
            said = {json.loads(one.body)["routing_key"]: one.said() for one in service.received}
            assert set(said) == set(keys.values())
            assert all(json.loads(body)["event_action"] == "acknowledge" for body in said.values())
            desk.order(replace(IN_PAGERDUTY, by="ragvigil integration", automatic=True))
            assert desk.deliver() == []


def test_our_own_that_comes_back_from_pagerduty_takes_nobodys_place(desk: Desk) -> None:
    """PagerDuty tells of every acknowledgement, of ours as well, by the name of an integration."""
    desk.say("trigger")
    desk.deliver()
    desk.order(ANA)
    desk.deliver()
    echo = replace(IN_PAGERDUTY, by="ragvigil integration", automatic=True)
    assert desk.order(echo) == "inc-aa11"
    assert desk.deliver() == []
    desk.say("update")
    assert r"discord: PATCH: ana\, since 03\:10 UTC\: rolling back" in desk.deliver()
    # Where nobody has it, somebody's automation may.
    desk.order(Unacknowledge("inc-aa11", "ana"))
    desk.order(echo)
    assert any("ragvigil integration" in line for line in desk.deliver())


def test_a_page_that_was_away_arrives_acknowledged(desk: Desk) -> None:
    """The page still comes, for the others must know; in PagerDuty it wakes nobody a second time."""
    desk.say("trigger")
    desk.order(ANA)
    told = desk.deliver()
    assert [line for line in told if line.startswith("pagerduty")] == [
        "pagerduty: acknowledge",
        "pagerduty: trigger",
    ]
    assert "slack: chat.postMessage: It fell: trigger" in told
    assert "teams: message" in told


def test_what_was_taken_back_before_it_was_sent_is_not_sent(desk: Desk) -> None:
    """Not in the page that waits, nor to PagerDuty, which could not be told that nobody has it any more."""
    desk.say("trigger")
    desk.order(ANA)
    desk.order(Unacknowledge("inc-aa11", "ana"))
    told = desk.deliver()
    assert [line for line in told if line.startswith("pagerduty")] == ["pagerduty: trigger"]
    assert "discord: POST: nobody" in told
    assert "teams: message" in told
    desk.order(ANA)
    desk.order(Unacknowledge("inc-aa11", "ana"))
    assert not any(line.startswith(("pagerduty", "teams")) for line in desk.deliver())


def test_an_acknowledgement_does_not_swallow_what_is_worse(desk: Desk) -> None:
    """An update that waits is heard, and says who has it in hand."""
    desk.say("trigger")
    desk.deliver()
    desk.say("update")
    desk.order(ANA)
    told = desk.deliver()
    assert "slack: chat.postMessage loud: It fell: update" in told
    assert [line for line in told if line.startswith("pagerduty")] == [
        "pagerduty: acknowledge",
        "pagerduty: trigger",
    ]
    assert "teams: message" in told


def test_an_incident_that_opens_again_is_in_nobodys_hand(desk: Desk) -> None:
    """Whoever had it may have gone to bed; else nobody would be reminded, and nothing escalated."""
    desk.say("trigger")
    desk.order(ANA)
    desk.deliver()
    desk.say("resolve")
    assert any("ana" in line for line in desk.deliver())
    desk.say("trigger")
    assert "discord: POST: nobody" in desk.deliver()
    assert [one.incident.id for one in desk.store.escalation.unanswered(desk.now)] == ["inc-aa11"]


def test_of_what_nobody_heard_nobody_hears_who_has_it(desk: Desk) -> None:
    """Only channels that were told of the incident are told of this."""
    desk.store.monitoring.save_incident(replace(INCIDENT, told=False), None, ())
    desk.order(ANA)
    assert desk.deliver() == []
    desk.say("trigger", channels=("pd",))
    assert desk.deliver() == ["pagerduty: acknowledge", "pagerduty: trigger"]
    desk.order(replace(ANA, by="eva"))
    assert desk.deliver() == ["pagerduty: acknowledge"]


def test_an_end_that_waits_stays_an_end(desk: Desk) -> None:
    """The incident opened again without telling anybody; an acknowledgement must not take the resolve's place."""
    desk.say("trigger", channels=("slack",))
    desk.deliver()
    desk.say("resolve", channels=("slack",))
    desk.store.monitoring.save_incident(replace(INCIDENT, told=False), None, ())
    desk.order(ANA)
    assert "slack: chat.update: It fell: resolve" in desk.deliver()


def test_a_silence_holds_it_back_too(desk: Desk) -> None:
    """Nothing is sent about what is silenced."""
    desk.say("trigger", channels=("slack",))
    desk.deliver()
    hour = 3_600 * SECOND
    desk.store.oncall.silence(Silence("sil-1", desk.now, desk.now + hour, "rebuild", "ana"), desk.now)
    desk.order(ANA)
    assert desk.deliver() == []
    desk.now += hour
    assert len(desk.deliver()) == 2

"""Six hours without the on-call service: afterwards each incident arrives once, as it stands, whatever restarts."""

from __future__ import annotations

import json
import random
import socket
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.exporters.conftest import Service, serving

from ragvigil.exporters import Action, Alert, Measurement, Webhook
from ragvigil.scorer.config import Settings, load
from ragvigil.scorer.incidents.deliver import Courier
from ragvigil.scorer.monitoring import Incident, SeriesKey
from ragvigil.scorer.store._sqlite_outbox import OutboxHere
from ragvigil.scorer.store.sqlite import SqliteStore

SECOND = 10**9
HOUR = 3_600 * SECOND
NOW = 1_772_334_000 * SECOND
GOOD = Measurement(0.95, 0.93, 0.97, 400)
BAD = Measurement(0.5, 0.4, 0.6, 80)
WORSE = Measurement(0.2, 0.1, 0.3, 80)
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
LIVES: tuple[tuple[Action, ...], ...] = (
    ("trigger", "resolve"),
    ("trigger",),
    ("trigger", "update"),
    ("trigger", "update", "resolve"),
    ("trigger", "resolve", "trigger"),
)
"""What becomes of an incident within the outage."""


@dataclass
class World:
    """A store that processes come and go on, a service behind one address, and a clock."""

    settings: Settings
    url: str
    now: int = NOW
    knocks: int = 0
    final: dict[str, Action] = field(default_factory=dict[str, Action])
    """What was last said of each incident, in the order in which that was said."""

    def say(self, store: SqliteStore, number: int, action: Action) -> None:
        """Something happens to an incident."""
        level = {"trigger": BAD, "update": WORSE, "resolve": GOOD}[action]
        incident = Incident(
            id=f"inc-{number:02}",
            key=SeriesKey("citation", f"shop-{number}", "production"),
            dedup_key=f"key-{number}",
            opened_at=NOW,
            since=NOW,
            before=GOOD,
            worst=BAD,
            now=level,
            resolved_at=self.now if action == "resolve" else None,
        )
        moment = datetime.fromtimestamp(self.now / 1e9, UTC)
        alert = Alert(
            incident.id, incident.dedup_key, action, "error", "citation", incident.key.service, "production",
            f"{action} of {number}", "By much.", GOOD, level, since=moment, at=moment,
        )  # fmt: skip
        store.monitoring.save_incident(incident, alert, ["oncall"])
        self.final.pop(incident.id, None)
        self.final[incident.id] = "resolve" if action == "resolve" else "trigger"

    async def live(self, courier: Courier, seconds: int, *, step: int) -> None:
        """Let time pass, with a look at the outbox at each step."""
        for _ in range(seconds // step):
            self.now += step * SECOND
            await courier.deliver_due(self.now)

    def courier(self, store: SqliteStore, seed: int) -> Courier:
        """Of a new process."""
        channel = Webhook(self.url, SECRET, timeout_seconds=5)
        return Courier(
            OutboxHere(store.outbox), {"oncall": channel}, now=lambda: self.now, jitter=random.Random(seed)
        )


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Nothing listens at its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"sqlite:///{tmp_path / 'store.db'}"
    settings = load(overrides={"store": {"url": url}, "monitor": {"group_after": 0}})
    return World(settings, f"http://127.0.0.1:{port}/hook")


def messages(service: Service) -> list[tuple[str, str]]:
    """(incident, action) of what arrived."""
    told = [json.loads(request.body)["data"] for request in service.received]
    return [(one["incident_id"], one["action"]) for one in told]


async def test_after_six_hours_each_incident_is_told_once_as_it_stands(world: World) -> None:
    """Forty incidents, three restarts while the service is away, and one after it is back."""
    steps: list[tuple[int, int, Action]] = sorted(
        (NOW + round((0.5 + number / 10 + place * 0.4) * HOUR), number, action)
        for number in range(40)
        for place, action in enumerate(LIVES[number % len(LIVES)])
    )
    attempts = 0
    for process in range(3):
        until = NOW + (process + 1) * 2 * HOUR
        with SqliteStore(world.settings) as store:
            courier = world.courier(store, process)
            while steps and steps[0][0] <= until:
                moment, number, action = steps.pop(0)
                await world.live(courier, (moment - world.now) // SECOND, step=60)
                world.say(store, number, action)
            await world.live(courier, (until - world.now) // SECOND, step=60)
            attempts += sum(courier.counts.values())
            assert {key[1:] for key in courier.counts} == {("postponed", "unreachable")}
    assert not steps
    assert len(world.final) == 40
    assert attempts < 400
    with serving(port=int(world.url.rpartition(":")[2].partition("/")[0])) as service:
        for process in (3, 4):
            with SqliteStore(world.settings) as store:
                await world.live(world.courier(store, process), 700, step=20)
        told = messages(service)
    assert len(told) == 40
    assert dict(told) == world.final
    first, *others = told
    assert others == [one for one in world.final.items() if one != first], (
        "oldest first, after the one that asked"
    )


async def test_a_message_that_is_overtaken_on_its_way_does_not_swallow_the_newer_one(world: World) -> None:
    """The service has the first and the answer is lost in a restart; the resolve still arrives."""
    with SqliteStore(world.settings) as store:
        world.say(store, 1, "trigger")
        (on_its_way,) = store.outbox.due(world.now, 10)
        world.now += SECOND
        world.say(store, 1, "resolve")
        store.outbox.delivered(on_its_way.id, world.now, "C1 17.01")
        (next_one,) = store.outbox.due(world.now, 10)
        assert (next_one.alert.action, next_one.reference) == ("resolve", "C1 17.01")
        store.outbox.delivered(next_one.id, world.now, None)
        assert store.outbox.due(world.now, 10) == []


async def test_a_page_that_gets_worse_while_it_is_on_its_way_pages_once(world: World) -> None:
    """The second message was to open the incident, for nobody had seen the first; now it updates it."""
    with SqliteStore(world.settings) as store:
        world.say(store, 1, "trigger")
        (on_its_way,) = store.outbox.due(world.now, 10)
        world.now += SECOND
        world.say(store, 1, "update")
        store.outbox.delivered(on_its_way.id, world.now, None)
        (next_one,) = store.outbox.due(world.now, 10)
        assert next_one.alert.action == "update"
        store.outbox.delivered(next_one.id, world.now, None)
        world.now += SECOND
        world.say(store, 1, "resolve")
        assert [one.alert.action for one in store.outbox.due(world.now, 10)] == ["resolve"]


async def test_a_channel_that_is_away_does_not_crowd_out_another(world: World) -> None:
    """A thousand incidents wait for one; the other gets its own."""
    with SqliteStore(world.settings) as store:
        with store.transaction():
            for number in range(1_000):
                world.say(store, number, "trigger")
        world.now += SECOND
        row = store.outbox.due(world.now, 1)[0]
        late = replace(row.alert, incident_id="inc-00", at=datetime.fromtimestamp(world.now / 1e9, UTC))
        incident = store.monitoring.open_incident(SeriesKey("citation", "shop-0", "production"))
        assert incident is not None
        store.monitoring.save_incident(incident, late, ["mail"])
        due = store.outbox.due(world.now, 5)
        assert sorted({one.channel for one in due}) == ["mail", "oncall"]
        assert len(due) == 6

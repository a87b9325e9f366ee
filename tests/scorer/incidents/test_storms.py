"""Many services that fall at once are one page on each channel; everything else of them stays as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from tests.scorer.dashboard.browser import Browser

from ragvigil.exporters import Action, Alert, Measurement
from ragvigil.scorer.commands._dashboard import status
from ragvigil.scorer.commands._incidents import _lines  # pyright: ignore[reportPrivateUsage]
from ragvigil.scorer.config import Links, Settings, load
from ragvigil.scorer.dashboard.application import application
from ragvigil.scorer.incidents.escalation import Escalation
from ragvigil.scorer.incidents.life import incident_id
from ragvigil.scorer.incidents.oncall import Acknowledge, Silence, Unacknowledge
from ragvigil.scorer.incidents.pages import page
from ragvigil.scorer.incidents.storms import Storms
from ragvigil.scorer.monitoring import AnyName, Incident, SeriesKey
from ragvigil.scorer.store import reading_incidents, reading_metrics
from ragvigil.scorer.store.port import LedgerEntry, RawTrace, ScoredRecord, ScoredTrace
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import CheckResult

SECOND = 10**9
MINUTE = 60 * SECOND
NOW = 1_772_334_000 * SECOND
GOOD = Measurement(0.95, 0.93, 0.97, 400)
HOOK = {"type": "webhook", "url": "https://example.com", "secret": "whsec_" + "c2VjcmV0" * 4}
STORM = "several services (oncall)"
ANOTHER = "several services (oncall, 2)"


class Outage:
    """Services that fall and come back, and what arrives on each channel."""

    def __init__(self, settings: Settings) -> None:
        self.settings, self.now = settings, NOW
        self.told: list[tuple[str, str, str, str]] = []
        """(channel, service, action, title)"""
        self.sent: list[Alert] = []
        self.levels: dict[str, Measurement] = {}
        self.opened: dict[str, int] = {}
        self.away = set[str]()
        self.open()

    def open(self) -> None:
        """A process begins; only the store is left of the one before."""
        self.store = SqliteStore(self.settings)
        self.storms = Storms(self.store.storms, self.settings.monitor, self.settings.links)
        self.escalation = Escalation(
            self.store.escalation, self.settings.routes, channels=[*self.settings.channels]
        )

    def say(
        self,
        service: str,
        action: Action,
        *,
        worst: float = 0.5,
        name: AnyName = "citation",
        again: bool = False,
    ) -> None:
        """What the monitor writes of one service; `again`: of the incident that it had."""
        if action == "trigger" and not again:
            self.levels[service] = Measurement(worst, worst - 0.1, worst + 0.1, 80)
            self.opened[service] = self.now
        level, began = self.levels[service], self.opened[service]
        key = SeriesKey(name, service, "production")
        incident = Incident(
            incident_id(f"{service} {began}"), key, f"key/{service}/{began}", began, began, GOOD, level,
            GOOD if action == "resolve" else level,
            resolved_at=self.now if action == "resolve" else None,
        )  # fmt: skip
        alert = page(incident, action, (), Links(), at=self.now)
        self.store.monitoring.save_incident(incident, alert, list(self.settings.channels))

    def fall(self, *services: str, seconds: int = 2, worst: float = 0.5) -> None:
        """One after the other."""
        for service in services:
            self.say(service, "trigger", worst=worst)
            self.pass_by(seconds)

    def pass_by(self, seconds: int) -> None:
        """A tick, a delivery, and the clock goes on, in steps of a minute at most."""
        until = self.now + seconds * SECOND
        while True:
            self.storms.tick(self.now)
            self.escalation.tick(self.now)
            for row in self.store.outbox.due(self.now, 100):
                if row.channel in self.away:
                    continue
                self.store.outbox.delivered(row.id, self.now, None)
                self.told.append((row.channel, row.alert.service, row.alert.action, row.alert.title))
                self.sent.append(row.alert)
            if self.now >= until:
                return
            self.now = min(until, self.now + MINUTE)

    def heard(self, channel: str = "oncall") -> list[tuple[str, str]]:
        """(service, action) of what arrived there, since it was last asked."""
        found = [(service, action) for where, service, action, _ in self.told if where == channel]
        self.told = [one for one in self.told if one[0] != channel]
        return found


@pytest.fixture
def outage(tmp_path: Path) -> Iterator[Callable[..., Outage]]:
    """Made with the settings that a test gives."""
    made: list[Outage] = []

    def make(**tree: Mapping[str, object]) -> Outage:
        settings = load(
            overrides={
                "store": {"url": f"sqlite:///{tmp_path / 'store.db'}"},
                "channels": dict.fromkeys(("oncall", "chat", "boss"), HOOK),
                "routes": {"all": {"channels": ["oncall"]}},
                **tree,
            }
        )
        made.append(Outage(settings))
        return made[-1]

    yield make
    for one in made:
        one.store.close()


def services(count: int, name: str = "svc") -> list[str]:
    """So many."""
    return [f"{name}-{place}" for place in range(count)]


def test_sixty_services_are_three_pages_and_one_for_all_and_an_end_of_each(
    outage: Callable[..., Outage],
) -> None:
    """Within two minutes; what comes after the first message about all is told after five, once."""
    found = outage()
    found.fall(*services(60))
    own = [(f"svc-{place}", "trigger") for place in range(3)]
    assert found.heard() == [*own, (STORM, "trigger")]
    assert (
        found.sent[-1].title
        == "4 services fell together. Worst: Citation correctness of svc-3 fell from 95.0 % to 50.0 %"
    )
    found.pass_by(600)
    assert found.heard() == [(STORM, "update")]
    assert found.sent[-1].title.startswith("Update: 60 of 60 services that fell together are down. Worst: ")
    for service in services(60):
        found.say(service, "resolve")
    found.pass_by(10)
    assert found.heard() == [*((service, "resolve") for service, _ in own), (STORM, "resolve")]
    assert found.sent[-1].title == "Resolved: the last 57 of the services that fell together are back"
    keys = {alert.dedup_key for alert in found.sent if alert.series == "storm"}
    assert len(keys) == 1


def test_what_fell_in_one_look_is_in_the_first_message(outage: Callable[..., Outage]) -> None:
    """Sixty at one tick: the page says sixty, and names the worst and what else."""
    found = outage()
    for place, service in enumerate(services(60)):
        found.say(service, "trigger", worst=0.2 if place == 40 else 0.5)
    found.pass_by(0)
    heard = found.heard()
    assert len(heard) == 4
    (storm,) = [alert for alert in found.sent if alert.series == "storm"]
    assert (
        storm.title
        == "60 services fell together. Worst: Citation correctness of svc-40 fell from 95.0 % to 20.0 %"
    )
    assert storm.severity == "critical"
    assert "- Citation correctness of svc-40 fell from 95.0 % to 20.0 %" in storm.summary
    assert "and 52 more." in storm.summary
    assert "Still down: 60 of 60 services; 3 of them had a page of their own before." in storm.summary


def test_each_channel_has_its_own(outage: Callable[..., Outage]) -> None:
    """Thirty of one team, thirty of another: nobody hears of what is not theirs."""
    found = outage(
        routes={
            "first": {"service": services(30, "a"), "channels": ["oncall"]},
            "second": {"service": services(30, "b"), "channels": ["chat"]},
        }
    )
    for one, other in zip(services(30, "a"), services(30, "b"), strict=True):
        found.fall(one, other)
    for channel, name in (("oncall", "a"), ("chat", "b")):
        heard = found.heard(channel)
        assert heard == [
            *((f"{name}-{place}", "trigger") for place in range(3)),
            (f"several services ({channel})", "trigger"),
        ]
    found.pass_by(400)
    assert all("of 30 services" in title for _, _, action, title in found.told if action == "update")
    assert found.heard("boss") == []


def test_a_service_of_another_channel_is_paged_at_once_in_the_midst_of_it(
    outage: Callable[..., Outage],
) -> None:
    """It shares nothing with them there."""
    found = outage(
        routes={
            "one": {"service": ["alone"], "channels": ["chat"]},
            "rest": {"channels": ["oncall"]},
        }
    )
    found.fall(*services(10), "alone")
    assert found.heard("chat") == [("alone", "trigger")]


@pytest.mark.parametrize("after", [0, 4])
def test_one_service_is_told_as_ever_however_much_of_it_falls(
    after: int, outage: Callable[..., Outage]
) -> None:
    """Every message of it is its own, the very page that it was."""
    found = outage(monitor={"group_after": after})
    names: list[AnyName] = [
        "citation",
        "faithfulness",
        "retrieval",
        "judge.six_axes",
        "criteria.tone",
        "arrivals",
    ]
    pages: list[Alert] = []
    for name in names:
        level = Measurement(0.5, 0.4, 0.6, 80)
        key = SeriesKey(name, "shop", "production")
        incident = Incident(incident_id(name), key, f"key/{name}", found.now, found.now, GOOD, level, level)
        pages.append(page(incident, "trigger", (), Links(), at=found.now))
        found.store.monitoring.save_incident(incident, pages[-1], ["oncall"])
        found.pass_by(1)
    assert found.sent == pages


def test_the_page_ends_with_the_last_of_them(outage: Callable[..., Outage]) -> None:
    """All others are back: it says who is not, and stays."""
    found = outage()
    found.fall(*services(10))
    found.pass_by(600)
    found.heard()
    for service in services(10)[:-1]:
        found.say(service, "resolve")
    found.pass_by(600)
    assert found.heard()[-1] == (STORM, "update")
    assert found.sent[-1].title.startswith("Update: 1 of 10 services that fell together are down. Worst: ")
    assert "svc-9" in found.sent[-1].title
    found.pass_by(3_600)
    assert found.heard() == []
    found.say("svc-9", "resolve")
    found.pass_by(10)
    assert found.heard() == [(STORM, "resolve")]
    found.pass_by(60)
    found.fall("svc-9")
    assert found.heard() == [("svc-9", "trigger")]


def test_a_fall_that_comes_later_is_a_page_of_its_own(outage: Callable[..., Outage]) -> None:
    """A quarter of an hour after the last of them, while the storm still stands."""
    found = outage()
    found.fall(*services(10))
    found.pass_by(900)
    found.heard()
    found.fall("later")
    assert found.heard() == [("later", "trigger")]


@pytest.mark.parametrize("when", ["before its page", "after its page"])
def test_a_process_that_dies_in_the_midst_tells_the_same(when: str, outage: Callable[..., Outage]) -> None:
    """Who is a member is committed with its incident."""
    found = outage()
    found.fall(*services(3))
    for service in services(10)[3:6]:
        found.say(service, "trigger")
    if when == "after its page":
        found.pass_by(0)
    found.store.close()
    found.open()
    found.fall(*services(10)[6:])
    found.pass_by(600)
    own = [(f"svc-{place}", "trigger") for place in range(3)]
    assert found.heard() == [*own, (STORM, "trigger"), (STORM, "update")]
    for service in services(10):
        found.say(service, "resolve")
    found.store.close()
    found.open()
    found.pass_by(0)
    assert found.heard()[-1] == (STORM, "resolve")


def test_a_channel_that_is_away_hears_of_it_once(outage: Callable[..., Outage]) -> None:
    """As it stands when it is back."""
    found = outage()
    found.away = {"oncall"}
    found.fall(*services(10))
    found.pass_by(900)
    found.away.clear()
    found.pass_by(60)
    assert sorted(found.heard()) == [(STORM, "trigger"), *((f"svc-{place}", "trigger") for place in range(3))]
    (storm,) = [alert for alert in found.sent if alert.series == "storm"]
    assert storm.title.startswith("Update: 10 of 10 services that fell together are down. Worst: ")


NIGHT = {
    "all": {
        "channels": ["oncall"],
        "escalate_to": ["boss"],
        "escalate_seconds": 900,
        "renotify_seconds": 1_800,
    }
}


def test_a_storm_that_nobody_acknowledges_escalates_once_for_all(outage: Callable[..., Outage]) -> None:
    """Not once for each of sixty; the boss hears the end as well."""
    found = outage(routes=NIGHT)
    found.fall(*services(30))
    found.pass_by(1_000)
    boss = found.heard("boss")
    assert sorted(boss) == [(STORM, "trigger"), *((f"svc-{place}", "trigger") for place in range(3))]
    assert any(alert.title.startswith("Escalated: ") and alert.series == "storm" for alert in found.sent)
    for service in services(30):
        found.say(service, "resolve")
    found.pass_by(10)
    assert (STORM, "resolve") in found.heard("boss")


def test_who_has_the_storm_in_hand_has_its_members(outage: Callable[..., Outage]) -> None:
    """And lets go of all; who has one member in hand has that one."""
    found = outage(routes=NIGHT)
    found.fall(*services(10))
    (storm,) = found.store.storms.standing(found.now)
    first = found.store.storms.standing(found.now)[0].members[0].incident.id
    found.store.oncall.acknowledge(Acknowledge(first, "ben"), found.now)
    (after,) = found.store.storms.standing(found.now)
    assert [one.acknowledged for one in after.members].count(True) == 1
    for service in services(3):
        found.say(service, "resolve")
    found.store.oncall.acknowledge(Acknowledge(storm.incident.dedup_key, "ana"), found.now)
    found.pass_by(7_200)
    assert found.heard("boss") == []
    (after,) = found.store.storms.standing(found.now)
    assert all(one.acknowledged for one in after.members)
    found.store.oncall.unacknowledge(Unacknowledge(storm.incident.id, "ana"), found.now)
    found.pass_by(1_000)
    assert found.heard("boss") == [(STORM, "trigger")]


def test_members_that_are_each_in_somebodys_hand_leave_nothing_to_escalate(
    outage: Callable[..., Outage],
) -> None:
    """Though nobody said so of the storm."""
    found = outage(routes=NIGHT)
    found.fall(*services(8))
    (storm,) = found.store.storms.standing(found.now)
    for one in storm.members:
        found.store.oncall.acknowledge(Acknowledge(one.incident.id, "ben"), found.now)
    for service in services(3):
        found.say(service, "resolve")
    found.pass_by(7_200)
    assert found.heard("boss") == []


def silence(service: str | None, found: Outage) -> Silence:
    """From now on for an hour."""
    return Silence(f"sil-{service}", found.now, found.now + 3_600 * SECOND, "", "ana", service=service)


def test_a_silenced_service_is_in_no_storm_and_heard_of_after_its_silence(
    outage: Callable[..., Outage],
) -> None:
    """As ever; and it is not counted among those that fell."""
    found = outage()
    found.store.oncall.silence(silence("svc-2", found), found.now)
    found.fall(*services(4))
    assert found.heard() == [("svc-0", "trigger"), ("svc-1", "trigger"), ("svc-3", "trigger")]
    found.fall("svc-4")
    assert found.heard() == [(STORM, "trigger")]
    found.pass_by(3_700)
    assert ("svc-2", "trigger") in found.heard()


def test_a_member_that_is_silenced_later_is_left_out_and_all_of_them_are_no_message(
    outage: Callable[..., Outage],
) -> None:
    """The end comes when it is over all the same."""
    found = outage()
    found.fall(*services(6))
    found.store.oncall.silence(silence("svc-4", found), found.now)
    found.say("svc-3", "update")
    found.pass_by(400)
    assert "svc-4" not in found.sent[-1].summary
    assert "svc-5" in found.sent[-1].summary
    for service in ("svc-3", "svc-5"):
        found.store.oncall.silence(silence(service, found), found.now)
        found.say(service, "update")
    found.heard()
    found.pass_by(1_000)
    assert found.heard() == []
    for service in services(6):
        found.say(service, "resolve")
    found.pass_by(0)
    assert (STORM, "resolve") in found.heard()


def acknowledge_the_storm(found: Outage) -> str:
    """The id of the newest one, which somebody has in hand from now on."""
    storm = max(found.store.storms.standing(found.now), key=lambda one: one.incident.opened_at).incident.id
    found.store.oncall.acknowledge(Acknowledge(storm, "ana"), found.now)
    return storm


def test_what_fell_before_somebody_had_the_storm_in_hand_is_told(outage: Callable[..., Outage]) -> None:
    """Acknowledged two minutes after its first message, three before the next: 56 services were told of to nobody."""
    found = outage()
    found.fall(*services(60))
    acknowledge_the_storm(found)
    found.pass_by(1)
    assert "4 services fell together" in found.sent[-1].title
    found.pass_by(600)
    assert found.sent[-1].title.startswith("Update: 60 of 60 services that fell together are down. Worst: ")
    found.heard()
    found.pass_by(3_600)
    assert found.heard() == []


def test_what_falls_between_reminders_is_told(outage: Callable[..., Outage]) -> None:
    """Each minute one that repeats the last message is no news, and puts off none."""
    found = outage(routes={"all": {"channels": ["oncall"], "renotify_seconds": 60}})
    found.fall(*services(4))
    found.pass_by(200)
    found.fall("joiner")
    found.pass_by(400)
    assert any(
        title.startswith("Update: 5 of 5 services that fell together are down") for *_, title in found.told
    )


def test_what_falls_after_somebody_had_the_storm_in_hand_begins_anew(outage: Callable[..., Outage]) -> None:
    """Pages of its own, then a storm of its own, which escalates though the first is in somebody's hand."""
    found = outage(routes=NIGHT)
    found.fall(*services(6))
    acknowledge_the_storm(found)
    for service in services(3):
        found.say(service, "resolve")
    found.pass_by(10)
    found.heard()
    late = services(8, "late")
    found.fall(*late)
    assert found.heard() == [*((service, "trigger") for service in late[:3]), (ANOTHER, "trigger")]
    found.pass_by(600)
    assert any(
        title.startswith("Update: 8 of 8 services that fell together are down") for *_, title in found.told
    )
    found.pass_by(600)
    assert (ANOTHER, "trigger") in found.heard("boss")
    assert len(found.store.storms.standing(found.now)) == 2


@pytest.mark.parametrize("seconds", [0, 60])
def test_a_service_that_falls_again_after_somebody_had_the_storm_in_hand_is_paged_for(
    seconds: int, outage: Callable[..., Outage]
) -> None:
    """It is in nobody's hand, and on its own until it ends."""
    found = outage()
    found.fall(*services(6))
    acknowledge_the_storm(found)
    found.say("svc-5", "resolve")
    found.pass_by(seconds)
    found.heard()
    found.say("svc-5", "trigger", again=True)
    found.pass_by(600)
    assert ("svc-5", "trigger") in found.heard()
    found.say("svc-5", "resolve")
    found.pass_by(0)
    assert found.heard()[0] == ("svc-5", "resolve")


def test_a_storm_ends_when_its_last_member_was_paged_for_anew(outage: Callable[..., Outage]) -> None:
    """Between two looks it was back and fell again; nobody is told that it is back."""
    found = outage()
    found.fall(*services(4))
    acknowledge_the_storm(found)
    found.say("svc-3", "resolve")
    found.say("svc-3", "trigger", again=True)
    found.heard()
    found.pass_by(0)
    assert sorted(found.heard()) == [(STORM, "resolve"), ("svc-3", "trigger")]
    titles = {one.title for one in found.sent if one.series == "storm"}
    assert "Resolved: none of the services that fell together is left in it" in titles


def test_a_storm_that_stands_for_weeks_takes_no_other_outage_in(outage: Callable[..., Outage]) -> None:
    """One service of it never came back; of sixty others nobody would be woken by an update."""
    found = outage(routes=NIGHT)
    found.fall(*services(5))
    for service in services(4):
        found.say(service, "resolve")
    found.pass_by(3_600)
    found.now += 20 * 86_400 * SECOND
    found.pass_by(0)
    found.told.clear()
    again = services(60, "again")
    found.fall(*again)
    heard = [one for one in found.heard() if one[1] == "trigger"]
    assert heard == [*((service, "trigger") for service in again[:3]), (ANOTHER, "trigger")]
    found.pass_by(1_000)
    boss = [title for channel, _, action, title in found.told if channel == "boss" and action == "trigger"]
    assert any(title.startswith("Escalated: Update: 60 of 60 services") for title in boss)


def test_another_storm_in_the_same_second_has_another_name(outage: Callable[..., Outage]) -> None:
    """Or it would be in the hand of who has the first."""
    found = outage(monitor={"group_after": 1})
    found.fall("svc-0", seconds=0)
    first = acknowledge_the_storm(found)
    found.fall("svc-1", seconds=0)
    assert found.heard()[-1] == (ANOTHER, "trigger")
    storms = found.store.storms.standing(found.now)
    assert [len(one.members) for one in storms] == [1, 1]
    assert first in {one.incident.id for one in storms}
    for service in services(2):
        found.say(service, "resolve")
    found.pass_by(0)
    assert {one.action for one in found.sent[-2:]} == {"resolve"}
    found.fall("svc-2", seconds=0)
    assert found.heard()[-1] == (STORM, "trigger")


@pytest.mark.parametrize("joined", [False, True])
def test_grouped_on_one_channel_escalates_on_another_all_the_same(
    joined: bool, outage: Callable[..., Outage]
) -> None:
    """Whoever sits behind the other was paged for it alone, and nobody stands in when they sleep."""
    found = outage(
        routes={
            "all": {"channels": ["oncall"], "go_on": True},
            "team": {
                "service": ["x"],
                "channels": ["chat"],
                "escalate_to": ["boss"],
                "escalate_seconds": 900,
            },
        }
    )
    if joined:
        found.fall(*services(4))
    found.fall("x")
    found.pass_by(1_000)
    assert found.heard("chat") == [("x", "trigger")]
    assert found.heard("boss") == [("x", "trigger")]
    assert "Escalated: " in [alert for alert in found.sent if alert.service == "x"][-1].title


def test_a_page_that_escalates_to_a_channel_where_it_is_grouped_is_sent_there_once(
    outage: Callable[..., Outage],
) -> None:
    """Not kept aside anew at each look."""
    found = outage(
        routes={
            "team": {
                "service": ["x"],
                "channels": ["chat"],
                "escalate_to": ["oncall"],
                "escalate_seconds": 900,
                "go_on": True,
            },
            "all": {"channels": ["oncall"]},
        }
    )
    found.fall(*services(4), "x")
    found.pass_by(7_200)
    assert found.heard().count(("x", "trigger")) == 1
    found.say("x", "resolve")
    found.pass_by(0)
    assert found.heard() == [("x", "resolve")]


@pytest.mark.parametrize("back", [3, 3_600])
def test_a_page_after_the_clock_went_back_behind_the_storm_is_told(
    back: int, outage: Callable[..., Outage]
) -> None:
    """By it or by itself: it was taken for nobody's."""
    found = outage()
    found.fall(*services(4))
    found.now -= back * SECOND
    found.fall("lost", seconds=0)
    found.pass_by(600)
    assert any("lost" in alert.title or "lost" in alert.summary for alert in found.sent)


@pytest.mark.parametrize("told", [False, True])
def test_a_member_is_told_of_when_its_silence_ends(told: bool, outage: Callable[..., Outage]) -> None:
    """Silenced as soon as it fell, or after it was told of: the last message said that it is not down."""
    found = outage()
    found.fall(*services(5))
    found.pass_by(400)
    found.say("x", "trigger")
    if told:
        found.pass_by(400)
        assert "svc-4" in found.sent[-1].summary
    found.store.oncall.silence(silence("x", found), found.now)
    found.say("svc-4", "resolve")
    found.pass_by(900)
    assert found.sent[-1].title.startswith("Update: 4 of 6 services that fell together are down")
    found.heard()
    found.pass_by(3_600)
    assert found.heard() == [(STORM, "update")]
    assert found.sent[-1].title.startswith("Update: 5 of 6 services that fell together are down")
    assert "of x fell" in found.sent[-1].summary


def test_tickets_and_ragvigils_own_illness_are_in_none(outage: Callable[..., Outage]) -> None:
    """A ticket wakes nobody, and that the judge is down may be the very reason."""
    found = outage()
    for service in services(6):
        found.say(service, "trigger", name="judge")
    found.fall(*services(3, "other"))
    found.say("ragvigil", "trigger", name="scorer_judge")
    found.pass_by(0)
    assert len(found.heard()) == 10


def test_everything_can_be_seen_as_before(outage: Callable[..., Outage]) -> None:
    """Each incident with its message, and why that was not sent."""
    found = outage()
    found.fall(*services(6))
    with closing(open_for_reading(found.settings.store.path)) as connection:
        standing = reading_incidents.standing(connection, found.now, resolved=False)
    assert {one.incident.key.service for one in standing} == {*services(6), STORM}
    said = {one.incident.key.service: [message.reason for message in one.messages] for one in standing}
    (storm,) = [one.incident.id for one in standing if one.incident.key.service == STORM]
    assert said["svc-5"] == [f"grouped:{storm}"]
    assert said["svc-1"] == [None]
    with closing(open_for_reading(found.settings.store.path)) as connection:
        counted = {one.outcome: (one.n, one.attempts) for one in reading_metrics.deliveries(connection)}
    assert counted == {"delivered": (4, 4), "grouped": (3, 0)}


def test_what_most_of_them_share_is_read_from_their_answers(outage: Callable[..., Outage]) -> None:
    """All have one model, most one index, each its own tenant."""
    found = outage()
    for place, service in enumerate(services(8)):
        found.store.records.commit([asked(service, place, "7" if place else "6")], None, found.now)
    found.fall(*services(8), seconds=0)
    found.pass_by(1)
    found.say("svc-7", "update")
    found.pass_by(400)
    (update,) = [alert for alert in found.sent if alert.action == "update"]
    assert "They share index 7 (5 of 5), model small-1 (5 of 5): look there first." in update.summary


def test_of_records_that_were_not_read_nothing_is_said(outage: Callable[..., Outage]) -> None:
    """Without detection none can be found by its time."""
    found = outage(detect={"enabled": False})
    for place, service in enumerate(services(8)):
        found.store.records.commit([asked(service, place, "7")], None, found.now)
    found.fall(*services(8), seconds=0)
    found.pass_by(1)
    assert found.sent[-1].series == "storm"
    assert "share" not in found.sent[-1].summary


def asked(service: str, place: int, index: str) -> ScoredTrace:
    """An answer of that service."""
    trace_id = f"{place + 1:032x}"
    record = RagTrace(
        trace_id, "1" * 16, service, NOW - MINUTE, query="What?", answer="That.", environment="production",
        model="small-1", segment={"index": index, "tenant": service},
    )  # fmt: skip
    check, entry = CheckResult("citation_correctness", "1", 1.0), LedgerEntry("checked_only", 0.1)
    return ScoredTrace(trace_id, RawTrace(b"spans", b""), False, (ScoredRecord(record, (check,), entry),))


def test_the_dashboard_and_the_commands_show_it(outage: Callable[..., Outage]) -> None:
    """As an incident that is no rate, with what it says."""
    found = outage()
    found.fall(*services(6))
    (storm,) = found.store.storms.standing(found.now)
    pages = Browser(application(found.settings, status(), clock=lambda: found.now))
    text = pages.get(f"/incidents/{storm.incident.id}").text
    assert "Many services at once" in text
    assert "services fell together" in text
    assert "The series" not in text
    with closing(open_for_reading(found.settings.store.path)) as connection:
        standing = reading_incidents.standing(connection, found.now, resolved=False)
    said = "\n".join(line for one in standing for line in _lines(one))
    assert f"storm of {STORM}" in said
    assert "Still down: 4 of 4 services; 3 of them had a page of their own before." in said


def test_zero_gives_every_incident_its_own_page(outage: Callable[..., Outage]) -> None:
    """monitor.group_after."""
    found = outage(monitor={"group_after": 0})
    found.fall(*services(10))
    assert found.heard() == [(service, "trigger") for service in services(10)]


def test_one_makes_every_page_a_storms_and_nothing_that_retention_took_stops_its_end(
    outage: Callable[..., Outage],
) -> None:
    """What was over for long is forgotten, also while nobody ran."""
    found = outage(monitor={"group_after": 1})
    found.fall("svc-0")
    assert found.heard() == [(STORM, "trigger")]
    found.say("svc-0", "resolve")
    member = found.store.storms.standing(found.now)[0].members[0].incident.id
    found.store.retention._connection.execute(  # pyright: ignore[reportPrivateUsage]
        "DELETE FROM outbox WHERE incident_id = ?", (member,)
    )
    found.pass_by(0)
    assert found.heard() == [(STORM, "resolve")]
    assert found.store.storms.standing(found.now) == []

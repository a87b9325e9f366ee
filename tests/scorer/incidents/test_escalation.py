"""A page that nobody answers is told again, and to the next; one that somebody has in hand is not."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ragvigil.exporters import Action, Alert, Measurement, Severity
from ragvigil.scorer.config import Links, Route, load
from ragvigil.scorer.diagnose.diagnoser import Diagnoser
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.incidents.anew import Retold
from ragvigil.scorer.incidents.escalation import Escalation
from ragvigil.scorer.incidents.oncall import Acknowledge, Silence, Unacknowledge
from ragvigil.scorer.incidents.pages import page
from ragvigil.scorer.moments import calendar_time
from ragvigil.scorer.monitoring import Incident, SeriesKey
from ragvigil.scorer.store._sqlite_diagnosis import SqliteDiagnosis
from ragvigil.scorer.store.sqlite import SqliteStore

SECOND = 10**9
MINUTE = 60 * SECOND
NOW = 1_772_334_000 * SECOND
GOOD, BAD = Measurement(0.95, 0.93, 0.97, 400), Measurement(0.5, 0.4, 0.6, 80)
CHANNELS = ["oncall", "boss", "chat"]
ROUTE = Route(channels=("oncall",), escalate_to=("boss",), escalate_seconds=900, renotify_seconds=1_800)


class Night:
    """One incident, its channels, and somebody who may be asleep."""

    def __init__(self, store: SqliteStore, routes: Mapping[str, Route]) -> None:
        self.store = store
        self.routes = routes
        self.escalation = Escalation(store.escalation, routes, channels=CHANNELS)
        self.taking = set(CHANNELS)
        self.told: list[tuple[int, str, str]] = []
        """(minute, channel, title) of what arrived."""

    def say(self, action: Action, minute: int, severity: Severity = "error") -> None:
        """The incident has something to say."""
        moment = datetime.fromtimestamp((NOW + minute * MINUTE) / 1e9, UTC)
        incident = Incident(
            "inc-1", SeriesKey("citation", "shop", "production"), "key", NOW, NOW, GOOD, BAD, BAD,
            resolved_at=NOW + minute * MINUTE if action == "resolve" else None,
        )  # fmt: skip
        alert = Alert(
            "inc-1", "key", action, severity, "citation", "shop", "production", f"{action}: it fell",
            "Now: 50 %.", GOOD, BAD, since=moment, at=moment,
        )  # fmt: skip
        self.store.monitoring.save_incident(incident, alert, CHANNELS)

    def pass_until(self, minute: int, start: int = 0) -> None:
        """A tick and a delivery each minute."""
        for number in range(start, minute + 1):
            now = NOW + number * MINUTE
            self.escalation.tick(now)
            for row in self.store.outbox.due(now, 100):
                if row.channel in self.taking:
                    self.store.outbox.delivered(row.id, now, None)
                    self.told.append((number, row.channel, row.alert.title))
                else:
                    self.store.outbox.postponed(row.id, now, "http_503")


@pytest.fixture
def night(tmp_path: Path) -> Iterator[Night]:
    """One night."""
    with shop(tmp_path) as found:
        yield found


@contextmanager
def shop(tmp_path: Path) -> Generator[Night]:
    """With a route that escalates after a quarter of an hour and reminds after half an hour."""
    tree = {
        "store": {"url": f"sqlite:///{tmp_path / 'store.db'}"},
        "channels": {
            name: {"type": "webhook", "url": "https://example.com", "secret": "whsec_" + "c2VjcmV0" * 4}
            for name in CHANNELS
        },
        "routes": {"pages": ROUTE.model_dump(exclude_none=True)},
    }
    settings = load(overrides=tree)
    with SqliteStore(settings) as store:
        yield Night(store, settings.routes)


def test_a_page_that_nobody_acknowledges_goes_to_the_next_and_is_told_again(night: Night) -> None:
    """The next one hears it once as a page, and both hear it again; each with the reason first."""
    night.say("trigger", 0)
    night.pass_until(50)
    assert night.told == [
        (0, "oncall", "trigger: it fell"),
        (15, "boss", "Escalated: trigger: it fell"),
        (30, "oncall", "Reminder: trigger: it fell"),
        (45, "boss", "Reminder: trigger: it fell"),
    ]


def test_nobody_waits_as_long_again_for_a_clock_that_was_set_back(night: Night) -> None:
    """By an hour, five minutes after the page: it goes on at once, once, and is told again by the new time."""
    night.say("trigger", 0)
    night.pass_until(5)
    night.pass_until(-10, start=-55)
    assert night.told == [
        (0, "oncall", "trigger: it fell"),
        (-55, "boss", "Escalated: trigger: it fell"),
        (-55, "oncall", "Reminder: trigger: it fell"),
        (-25, "oncall", "Reminder: trigger: it fell"),
        (-25, "boss", "Reminder: trigger: it fell"),
    ]


def test_a_page_that_waits_is_due_after_a_restart_before_which_the_clock_was_set_back(night: Night) -> None:
    """By an hour: the new process has seen no jump, and the old one's moments are ahead."""
    night.say("trigger", 0)
    (row,) = night.store.outbox.due(NOW, 10)
    night.store.outbox.postponed(row.id, NOW + 5 * MINUTE, "http_503")
    assert night.store.outbox.due(NOW, 10) == []
    assert [one.id for one in night.store.outbox.due(NOW - 60 * MINUTE, 10)] == [row.id]


def test_the_reason_stands_first_and_once(night: Night) -> None:
    """Also in the reminder of a reminder."""
    night.say("trigger", 0)
    night.pass_until(59)
    night.escalation.tick(NOW + 60 * MINUTE)
    (row,) = night.store.outbox.due(NOW + 60 * MINUTE, 10)
    assert row.alert.title == "Reminder: trigger: it fell"
    assert row.alert.summary == (
        "Nobody has acknowledged it since 03:00 UTC. What follows is as of 03:00 UTC.\nNow: 50 %."
    )


def test_what_is_told_again_has_the_figures_of_its_moment(tmp_path: Path) -> None:
    """An hour after the page "Now: 50 %" stood in a reminder of what had been mended half an hour before."""
    with closing(sqlite3.connect(":memory:")) as empty:
        diagnoser = Diagnoser(SqliteDiagnosis(empty, lambda series, record: ""))
        retold = Retold(diagnoser, Links(), {"window": lambda one, until: (one.since, (0.95, 0.5, 0.95))})
        incident = Incident(
            "inc-1", SeriesKey("citation", "shop", "production"), "key", NOW, NOW, GOOD, BAD, GOOD,
            recovering_since=NOW + 40 * MINUTE,
        )  # fmt: skip
        said = page(replace(incident, now=BAD, recovering_since=None), "trigger", (), Links(), at=NOW)
        fresh = retold(incident, replace(said, history=(0.9, 0.5)), NOW + 60 * MINUTE)
        assert retold(replace(incident, key=SeriesKey("leak", "shop", None)), said, NOW) is None
    assert fresh is not None
    assert fresh.title == "Citation correctness of shop fell from 95.0 % to 50.0 %, now 95.0 %"
    assert fresh.summary.splitlines()[0] == (
        "Now: 95.0 % (95 % interval 93.0 to 97.0 %) of 400 answers since 2026-03-01 03:40 UTC: "
        "it looks well again, and resolves when it stays so."
    )
    assert fresh.history == (0.95, 0.5, 0.95)
    assert (fresh.history_from, fresh.history_until) == (calendar_time(NOW), calendar_time(NOW + 60 * MINUTE))


def test_a_reminder_says_what_is_made_anew_and_else_from_when_its_figures_are(tmp_path: Path) -> None:
    """Not from when the reminder before it was."""
    with shop(tmp_path) as night:
        night.say("trigger", 0)
        night.pass_until(59)
        night.escalation = Escalation(
            night.store.escalation,
            night.routes,
            lambda _, said, now: replace(said, summary="Now: 90 %."),
            channels=CHANNELS,
        )
        night.escalation.tick(NOW + 60 * MINUTE)
        (row,) = night.store.outbox.due(NOW + 60 * MINUTE, 10)
        assert row.alert.title == "Reminder: trigger: it fell"
        assert row.alert.summary == "Nobody has acknowledged it since 03:00 UTC.\nNow: 90 %."
        night.store.outbox.delivered(row.id, NOW + 60 * MINUTE, None)
        night.escalation = Escalation(night.store.escalation, night.routes, channels=CHANNELS)
        night.escalation.tick(NOW + 90 * MINUTE)
        summaries = [one.alert.summary for one in night.store.outbox.due(NOW + 90 * MINUTE, 10)]
    assert summaries
    assert all(one.endswith("What follows is as of 03:00 UTC.\nNow: 50 %.") for one in summaries)


def test_who_has_it_in_hand_is_left_alone(night: Night) -> None:
    """Neither told again nor passed by; whoever was told hears who has it, without the reminder's words."""
    night.say("trigger", 0)
    night.pass_until(31)
    night.store.oncall.acknowledge(Acknowledge("inc-1", "ana"), NOW + 31 * MINUTE)
    rows = night.store.outbox.due(NOW + 32 * MINUTE, 10)
    assert [(row.channel, row.alert.action, row.alert.title, row.alert.summary) for row in rows] == [
        (name, "acknowledge", "trigger: it fell", "Now: 50 %.") for name in ("boss", "oncall")
    ]
    night.told.clear()
    night.pass_until(120, start=32)
    assert sorted(night.told) == [(32, "boss", "trigger: it fell"), (32, "oncall", "trigger: it fell")]


def test_a_silence_and_an_end_stop_it(night: Night) -> None:
    """What is over is told as over, to everybody who was told, and to nobody again."""
    night.say("trigger", 0)
    night.pass_until(16)
    night.say("resolve", 17)
    night.pass_until(120, start=17)
    assert [told[1:] for told in night.told[2:]] == [
        ("oncall", "resolve: it fell"),
        ("boss", "resolve: it fell"),
    ]
    night.store.oncall.silence(Silence("s", NOW, NOW + 9_000 * MINUTE, "", "ana"), NOW)
    night.say("trigger", 130)
    night.pass_until(300, start=130)
    assert len(night.told) == 4


def test_a_channel_that_does_not_take_the_page_is_passed_by_within_minutes(night: Night) -> None:
    """It is tried on, and has the page when it is back."""
    night.taking.remove("oncall")
    night.say("trigger", 0)
    night.pass_until(5)
    assert night.told == [(1, "boss", "Escalated: trigger: it fell")]
    night.taking.add("oncall")
    night.pass_until(6, start=6)
    assert night.told[1:] == [(6, "oncall", "trigger: it fell")]


def test_a_channel_that_refuses_the_page_is_passed_by(night: Night) -> None:
    """A service that says never is no longer asked, but the page is not lost."""
    night.say("trigger", 0)
    (row,) = night.store.outbox.due(NOW, 10)
    night.store.outbox.refused(row.id, NOW, "http_400")
    night.pass_until(3)
    assert [channel for _, channel, _ in night.told] == ["boss"]


def test_a_ticket_can_wait(night: Night) -> None:
    """Nobody is reminded of it."""
    night.say("trigger", 0, severity="warning")
    night.pass_until(120)
    assert [channel for _, channel, _ in night.told] == ["oncall"]


def test_an_incident_that_opens_again_begins_its_wait_anew(night: Night) -> None:
    """The next one is told of the second page, too, a quarter of an hour after it."""
    night.say("trigger", 0)
    night.pass_until(16)
    night.say("resolve", 17)
    night.pass_until(19, start=17)
    night.say("trigger", 20)
    night.pass_until(40, start=20)
    assert night.told[4:] == [
        (20, "oncall", "trigger: it fell"),
        (35, "boss", "Escalated: trigger: it fell"),
    ]


def test_after_a_silence_the_waits_begin_with_its_end(night: Night) -> None:
    """Nobody could answer what nobody was told: one page first, and only then what is due."""
    night.store.oncall.silence(Silence("s", NOW, NOW + 120 * MINUTE, "", "ana"), NOW)
    night.say("trigger", 0)
    night.pass_until(150)
    assert night.told == [
        (120, "oncall", "trigger: it fell"),
        (135, "boss", "Escalated: trigger: it fell"),
        (150, "oncall", "Reminder: trigger: it fell"),
    ]


def test_a_silence_postpones_the_waits_of_what_was_told_before(night: Night) -> None:
    """Ten minutes of silence after the page: a quarter of an hour from its end, not at its end."""
    night.say("trigger", 0)
    night.pass_until(10)
    night.store.oncall.silence(Silence("s", NOW, NOW + 60 * MINUTE, "", "ana"), NOW + 10 * MINUTE)
    night.pass_until(76, start=11)
    assert night.told[1:] == [(75, "boss", "Escalated: trigger: it fell")]


def test_who_lets_go_of_it_gives_the_others_their_time(night: Night) -> None:
    """A quarter of an hour from the undo, although the page is old; also for whoever heard of it before."""
    night.say("trigger", 0)
    night.pass_until(16)
    night.store.oncall.acknowledge(Acknowledge("inc-1", "ana"), NOW + 20 * MINUTE)
    night.pass_until(100, start=20)
    night.told.clear()
    night.store.oncall.unacknowledge(Unacknowledge("inc-1", "ana"), NOW + 101 * MINUTE)
    night.pass_until(116, start=101)
    said = [told for told in night.told if told[2] != "trigger: it fell"]
    assert said == [(116, "boss", "Escalated: trigger: it fell")]


def test_after_an_outage_each_channel_gets_one_message(night: Night) -> None:
    """Six hours in which nobody could hear anything: the reminders count from when they did."""
    night.taking.clear()
    night.say("trigger", 0)
    night.pass_until(359)
    night.taking.update(CHANNELS)
    night.pass_until(389, start=360)
    assert night.told == [
        (360, "oncall", "trigger: it fell"),
        (360, "boss", "Escalated: trigger: it fell"),
    ]
    night.pass_until(390, start=390)
    assert {told[2] for told in night.told[2:]} == {"Reminder: trigger: it fell"}


def test_a_message_that_is_never_tried_is_passed_by_too(night: Night) -> None:
    """Behind a hundred others it may wait long for its first try."""
    night.say("trigger", 0)
    for minute in range(16):
        night.escalation.tick(NOW + minute * MINUTE)
    rows = night.store.outbox.due(NOW + 16 * MINUTE, 10)
    assert [(row.channel, row.alert.summary) for row in rows if row.channel == "boss"] == [
        ("boss", "Channel oncall did not take it. What follows is as of 03:00 UTC.\nNow: 50 %.")
    ]


@pytest.mark.parametrize("refuses", [True, False])
def test_a_ticket_that_its_channel_does_not_take_goes_to_the_next(night: Night, *, refuses: bool) -> None:
    """Once, and without reminders."""
    night.taking.remove("oncall")
    night.say("trigger", 0, severity="warning")
    if refuses:
        (row,) = night.store.outbox.due(NOW, 10)
        night.store.outbox.refused(row.id, NOW, "http_400")
    night.pass_until(200)
    assert night.told == [(1, "boss", "Escalated: trigger: it fell")]


def test_an_escalation_to_nowhere_is_refused() -> None:
    """By name."""
    with pytest.raises(ConfigError, match=r"routes\.r\.escalate_to: no channel is called 'bos'"):
        load(
            overrides={
                "channels": {"boss": {"type": "alertmanager", "url": "http://alertmanager:9093"}},
                "routes": {"r": {"channels": ["boss"], "escalate_to": ["bos"]}},
            }
        )


@pytest.mark.parametrize("taken", [False, True])
def test_what_a_channel_never_took_goes_to_the_one_that_took_its_place(night: Night, taken: bool) -> None:
    """Renamed, or replaced while it was down: the page waited for it for a day and was dropped, with nobody told."""
    if not taken:
        night.taking.clear()
    night.say("trigger", 0)
    night.pass_until(2)
    assert bool(night.told) == taken
    night.told.clear()
    night.taking = {"chat"}
    night.escalation = Escalation(
        night.store.escalation, {"pages": Route(channels=("chat",))}, channels=["chat"]
    )
    night.pass_until(10, 3)
    assert night.told == ([] if taken else [(3, "chat", "Escalated: trigger: it fell")])
    if not taken:
        (said,) = night.store.escalation.unanswered(NOW + 10 * MINUTE)
        assert said.told["chat"].delivered_at == NOW + 3 * MINUTE

"""Acknowledge and silence: what is held back, what is sent after all, and who carries an order out."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.command_line import ragvigil
from tests.conftest import Scorer, Serve, eventually
from tests.exporters.conftest import serving

from ragvigil.exporters import Action, Alert, Measurement
from ragvigil.scorer.commands import _moments
from ragvigil.scorer.commands._incidents import _lines  # pyright: ignore[reportPrivateUsage]
from ragvigil.scorer.commands._silence import add, window
from ragvigil.scorer.config import Settings, load
from ragvigil.scorer.errors import ConfigError, OrderError
from ragvigil.scorer.incidents.after_silence import AfterSilence
from ragvigil.scorer.incidents.oncall import Acknowledge, OrderDesk, Silence, Unsilence, order_requests
from ragvigil.scorer.moments import calendar_time
from ragvigil.scorer.monitoring import Incident, SeriesKey
from ragvigil.scorer.store import reading_incidents
from ragvigil.scorer.store.reading import alive_at, open_for_reading
from ragvigil.scorer.store.sqlite import SqliteStore

SECOND = 10**9
NOW = 1_772_334_000 * SECOND
HOUR = 3_600 * SECOND
RATE = Measurement(0.95, 0.93, 0.97, 400)
LOW = Measurement(0.5, 0.4, 0.6, 80)
LOWER = Measurement(0.2, 0.1, 0.3, 80)
CITATION = SeriesKey("citation", "shop", "production")
SILENCE = Silence("sil-1", NOW, NOW + HOUR, "index rebuild", "ana", service="shop")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A store of its own."""
    return load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'ragvigil.db'}"}})


@pytest.fixture
def store(settings: Settings) -> Iterator[SqliteStore]:
    """Open."""
    with SqliteStore(settings) as opened:
        yield opened


def post(
    store: SqliteStore,
    action: Action,
    at: int,
    *,
    key: SeriesKey = CITATION,
    name: str = "inc-aa11",
    now: Measurement = LOW,
    channels: tuple[str, ...] = ("oncall",),
) -> None:
    """What the monitor writes of one look."""
    resolved = at if action == "resolve" else None
    incident = Incident(
        name, key, f"key-{name}", NOW, NOW, RATE, LOW, now, resolved_at=resolved, segment="language=de"
    )
    moment = datetime.fromtimestamp(at / SECOND, UTC)
    alert = Alert(
        name, f"key-{name}", action, "error", key.name, key.service, key.environment, "It fell", "", RATE, now,
        since=moment, at=moment,
    )  # fmt: skip
    store.monitoring.save_incident(incident, alert, channels)


def due(store: SqliteStore, at: int) -> list[tuple[str, str, float]]:
    """What the courier would send at that moment."""
    return [(row.channel, row.alert.action, row.alert.now.value) for row in store.outbox.due(at, 100)]


def deliver(store: SqliteStore, at: int) -> list[str]:
    """Everything that is due, until nothing is; the actions in the order in which they left."""
    told: list[str] = []
    while rows := store.outbox.due(at, 100):
        for row in rows:
            store.outbox.delivered(row.id, at, None)
            told.append(row.alert.action)
    return told


def test_a_silenced_incident_is_kept_and_told_when_the_silence_ends(store: SqliteStore) -> None:
    """Not a message during it, one after it, with the figures of then."""
    store.oncall.silence(SILENCE, NOW)
    post(store, "trigger", NOW + SECOND)
    post(store, "update", NOW + 2 * SECOND, now=LOWER)
    assert due(store, NOW + HOUR - 1) == []
    assert store.monitoring.open_incident(CITATION) is not None
    assert due(store, NOW + HOUR) == [("oncall", "trigger", 0.2)]
    assert deliver(store, NOW + HOUR) == ["trigger"]


def test_what_a_channel_hears_first_is_titled_as_a_page_and_not_as_an_update(store: SqliteStore) -> None:
    """The first page ever of a fall said "Worse: ... fell further"; who heard of it before still hears that."""
    post(store, "trigger", NOW, channels=("chat",))
    deliver(store, NOW)
    post(store, "trigger", NOW + SECOND, name="inc-bb22")
    for name, channels in (("inc-aa11", ("chat",)), ("inc-bb22", ("oncall",))):
        post(store, "update", NOW + 2 * SECOND, name=name, now=LOWER, channels=channels)
    titles = {row.channel: (row.alert.action, row.alert.title) for row in store.outbox.due(NOW + HOUR, 100)}
    fell = "Citation correctness of shop, language=de fell from 95.0 % to 50.0 %, now 20.0 %"
    assert titles == {"chat": ("update", "It fell"), "oncall": ("trigger", fell)}
    store.oncall.acknowledge(Acknowledge("inc-bb22", "ana"), NOW + 3 * SECOND)
    assert fell in [row.alert.title for row in store.outbox.due(NOW + HOUR, 100)]


def test_after_a_silence_a_page_is_made_anew_once(store: SqliteStore) -> None:
    """Its figures were those of its making: neither the worst nor the present ones."""
    made: list[tuple[str, int]] = []

    def anew(incident: Incident, said: Alert, now: int) -> Alert:
        made.append((incident.id, now))
        return replace(said, action="update", title="Fell, now 90 %", at=calendar_time(now))

    after = AfterSilence(store.escalation, anew)
    post(store, "trigger", NOW - SECOND, key=CITATION._replace(service="other"), name="inc-bb22")
    store.oncall.silence(SILENCE, NOW)
    post(store, "trigger", NOW + SECOND)
    for moment in (NOW + HOUR - 1, NOW + HOUR, NOW + HOUR + SECOND):
        after.look(moment)
    assert made == [("inc-aa11", NOW + HOUR)]
    told = {row.alert.incident_id: row.alert for row in store.outbox.due(NOW + HOUR, 100)}
    assert {name: (one.action, one.title) for name, one in told.items()} == {
        "inc-aa11": ("trigger", "Fell, now 90 %"),
        "inc-bb22": ("trigger", "It fell"),
    }
    assert deliver(store, NOW + HOUR + SECOND) == ["trigger", "trigger"]


def test_after_a_silence_an_update_is_made_anew_too(store: SqliteStore) -> None:
    """Who was paged before it heard afterwards how bad it had been in the midst of it."""

    def anew(incident: Incident, said: Alert, now: int) -> Alert:
        return replace(said, title="Fell, now 90 %", now=RATE, at=calendar_time(now))

    post(store, "trigger", NOW - SECOND)
    assert deliver(store, NOW - SECOND) == ["trigger"]
    store.oncall.silence(SILENCE, NOW)
    post(store, "update", NOW + SECOND, now=LOWER)
    for moment in (NOW + HOUR, NOW + HOUR + SECOND):
        AfterSilence(store.escalation, anew).look(moment)
        assert due(store, moment) == [("oncall", "update", RATE.value)]
    assert deliver(store, NOW + HOUR + SECOND) == ["update"]


def test_a_page_that_cannot_be_made_anew_after_a_silence_is_sent_as_it_was(store: SqliteStore) -> None:
    """A diagnosis that fails, or an incident of which only its own watch knows the words."""

    def broken(incident: Incident, said: Alert, now: int) -> Alert:
        raise OSError("disk on fire")

    def speechless(incident: Incident, said: Alert, now: int) -> None:
        return None

    store.oncall.silence(SILENCE, NOW)
    post(store, "trigger", NOW + SECOND)
    for anew in (broken, speechless):
        AfterSilence(store.escalation, anew).look(NOW + HOUR)
    assert [row.alert.title for row in store.outbox.due(NOW + HOUR, 100)] == ["It fell"]


def test_what_was_over_before_the_silence_is_never_told(settings: Settings, store: SqliteStore) -> None:
    """It stands in the list with the reason."""
    store.oncall.silence(SILENCE, NOW)
    post(store, "trigger", NOW + SECOND)
    post(store, "resolve", NOW + 2 * SECOND)
    assert deliver(store, NOW + 2 * HOUR) == []
    with closing(open_for_reading(settings.store.path)) as connection:
        (found,) = reading_incidents.standing(connection, NOW + 3 * SECOND, resolved=True)
    assert found.state == "resolved"
    assert [(message.action, message.reason) for message in found.messages] == [
        ("trigger", "superseded"),
        ("resolve", "silenced"),
    ]


@pytest.mark.parametrize("tried", ["delivered", "postponed"])
def test_a_channel_that_may_have_the_page_gets_its_resolve_after_the_silence(
    store: SqliteStore, tried: str
) -> None:
    """Or it would show an open incident for ever; a failed attempt may have arrived."""
    post(store, "trigger", NOW - SECOND)
    (row,) = store.outbox.due(NOW, 10)
    if tried == "delivered":
        store.outbox.delivered(row.id, NOW, None)
    else:
        store.outbox.postponed(row.id, NOW, "timeout")
    store.oncall.silence(SILENCE, NOW)
    post(store, "resolve", NOW + SECOND)
    assert due(store, NOW + 2 * SECOND) == []
    told = deliver(store, NOW + HOUR)
    assert told == ["resolve"]


@pytest.mark.parametrize(
    ("silence", "held"),
    [
        (replace(SILENCE, service=None), True),
        (replace(SILENCE, service="shop", series="citation", environment="production"), True),
        (replace(SILENCE, service="shop-2"), False),
        (replace(SILENCE, series="faithfulness"), False),
        (replace(SILENCE, environment="staging"), False),
        (replace(SILENCE, environment=""), False),
        (replace(SILENCE, segment="language=de"), True),
        (replace(SILENCE, segment="language=en"), False),
        (replace(SILENCE, starts_at=NOW + HOUR, ends_at=NOW + 2 * HOUR), False),
    ],
)
def test_only_what_matches_is_held_back_and_list_and_outbox_agree(
    settings: Settings, store: SqliteStore, silence: Silence, *, held: bool
) -> None:
    """Every matcher that is given must match; a planned window holds nothing yet."""
    store.oncall.silence(silence, NOW)
    post(store, "trigger", NOW)
    assert (due(store, NOW) == []) is held
    with closing(open_for_reading(settings.store.path)) as connection:
        (found,) = reading_incidents.standing(connection, NOW, resolved=False)
    assert (found.state == "silenced") is held


def test_a_silence_of_services_without_an_environment_matches_those_alone(store: SqliteStore) -> None:
    """The empty word."""
    store.oncall.silence(replace(SILENCE, environment=""), NOW)
    post(store, "trigger", NOW, key=CITATION._replace(environment=None), name="inc-1")
    post(store, "trigger", NOW, name="inc-2")
    assert [row.alert.incident_id for row in store.outbox.due(NOW, 10)] == ["inc-2"]


def test_what_waits_because_of_a_silence_says_until_when(settings: Settings, store: SqliteStore) -> None:
    """ "waits, 0 attempts" looked like a channel that is away, also where the incident was resolved."""
    post(store, "trigger", NOW)
    deliver(store, NOW)
    store.oncall.silence(SILENCE, NOW)
    post(store, "resolve", NOW + SECOND)
    with closing(open_for_reading(settings.store.path)) as connection:
        (one,) = reading_incidents.standing(connection, NOW + 2 * SECOND, resolved=True)
        assert reading_incidents.held_back(connection, NOW + 2 * SECOND) == 1
        assert reading_incidents.held_back(connection, NOW + 2 * HOUR) == 0
    assert one.silenced_by == []
    assert _lines(one)[-1] == "  resolve to oncall: waits: silenced until 2026-03-01 04:00:00Z"


def test_a_removed_silence_lets_go_at_once(store: SqliteStore) -> None:
    """Also one that was planned."""
    store.oncall.silence(SILENCE, NOW)
    planned = replace(SILENCE, id="sil-2", starts_at=NOW + HOUR, ends_at=NOW + 2 * HOUR)
    store.oncall.silence(planned, NOW)
    post(store, "trigger", NOW)
    store.oncall.unsilence(Unsilence("sil-1"), NOW + 1)
    store.oncall.unsilence(Unsilence("sil-2"), NOW + 1)
    for moment in (NOW + 1, NOW + HOUR + 1):
        assert due(store, moment) == [("oncall", "trigger", 0.5)]


def test_of_two_silences_the_longer_one_counts(store: SqliteStore) -> None:
    """They may overlap, and end in any order."""
    store.oncall.silence(SILENCE, NOW)
    longer = replace(SILENCE, id="sil-2", service=None, starts_at=NOW + HOUR // 2, ends_at=NOW + 2 * HOUR)
    store.oncall.silence(longer, NOW)
    post(store, "trigger", NOW + SECOND)
    assert due(store, NOW + HOUR) == []
    store.oncall.unsilence(Unsilence("sil-1"), NOW + HOUR // 4)
    assert due(store, NOW + HOUR // 3) == [("oncall", "trigger", 0.5)]
    assert due(store, NOW + HOUR // 2) == []
    assert due(store, NOW + 2 * HOUR) == [("oncall", "trigger", 0.5)]


def test_a_silence_that_ends_while_it_still_fires_tells_what_is_new_once(store: SqliteStore) -> None:
    """The page was out before; of two updates in the silence the channel hears the last, and then the end."""
    post(store, "trigger", NOW - SECOND)
    assert deliver(store, NOW) == ["trigger"]
    store.oncall.silence(SILENCE, NOW)
    post(store, "update", NOW + SECOND, now=LOW)
    post(store, "update", NOW + 2 * SECOND, now=LOWER)
    assert due(store, NOW + HOUR - 1) == []
    assert due(store, NOW + HOUR) == [("oncall", "update", 0.2)]
    assert deliver(store, NOW + HOUR) == ["update"]
    post(store, "resolve", NOW + HOUR + SECOND)
    assert deliver(store, NOW + HOUR + SECOND) == ["resolve"]


def test_a_window_that_begins_holds_what_a_channel_has_not_taken_yet(store: SqliteStore) -> None:
    """The channel was away when the maintenance began; afterwards it gets the page, if it still stands."""
    store.oncall.silence(replace(SILENCE, starts_at=NOW + 60 * SECOND), NOW)
    post(store, "trigger", NOW)
    (row,) = store.outbox.due(NOW, 10)
    store.outbox.postponed(row.id, NOW + 90 * SECOND, "timeout")
    assert due(store, NOW + 90 * SECOND) == []
    store.outbox.resumed("oncall", NOW + 100 * SECOND)
    assert due(store, NOW + 100 * SECOND) == []
    assert deliver(store, NOW + HOUR) == ["trigger"]


@pytest.mark.parametrize(
    ("start", "until", "hours"),
    [
        ("2026-03-29T00:00+01:00", "2026-03-29T06:00+02:00", 5),
        ("2026-10-25T00:00+02:00", "2026-10-25T06:00+01:00", 7),
        ("2026-10-25T00:00", "2026-10-25T06:00", 6),
    ],
)
def test_a_window_over_a_change_of_the_clocks_is_as_long_as_it_is(start: str, until: str, hours: int) -> None:
    """Moments carry their own offset; without one they are UTC, which never jumps."""
    now = _moments.moment("now", "2026-01-01")
    begin, end = window(start, None, until, now)
    assert end - begin == hours * HOUR


def test_the_latest_acknowledgement_counts_and_survives_the_next_look(
    settings: Settings, store: SqliteStore
) -> None:
    """The monitor writes the incident again and again."""
    post(store, "trigger", NOW)
    assert store.oncall.acknowledge(Acknowledge("inc-aa", "ana"), NOW) == "inc-aa11"
    store.oncall.acknowledge(Acknowledge("inc-aa11", "eva", "rolling back"), NOW + 1)
    post(store, "update", NOW + 2)
    with closing(open_for_reading(settings.store.path)) as connection:
        (found,) = reading_incidents.standing(connection, NOW, resolved=False)
    assert found.state == "acknowledged"
    assert found.acknowledged == reading_incidents.Acknowledged(NOW + 1, "eva", "rolling back")


def test_orders_that_cannot_be_carried_out_say_why(store: SqliteStore) -> None:
    """And what to do."""
    post(store, "trigger", NOW, name="inc-aa11")
    post(store, "trigger", NOW, name="inc-aa22", key=CITATION._replace(service="other"))
    post(store, "resolve", NOW, name="inc-bb33", key=CITATION._replace(service="third"))
    store.oncall.silence(SILENCE, NOW)
    store.oncall.unsilence(Unsilence("sil-1"), NOW + 1)
    for incident, said in (("inc-aa", "give more"), ("inc-bb", "resolved already"), ("inc-%", "no incident")):
        with pytest.raises(OrderError, match=said):
            store.oncall.acknowledge(Acknowledge(incident, "ana"), NOW)
    for silence, said in (("sil-1", "ended already"), ("sil-9", "no silence")):
        with pytest.raises(OrderError, match=said):
            store.oncall.unsilence(Unsilence(silence), NOW + 2)
    with pytest.raises(OrderError, match="later end"):
        store.oncall.silence(replace(SILENCE, id="sil-3"), NOW + 2 * HOUR)


def test_a_refused_order_does_not_keep_the_next_one_waiting(settings: Settings, store: SqliteStore) -> None:
    """Nor does a file that is no order; an order given twice is one."""
    post(store, "trigger", NOW)
    requests = order_requests(settings.inbox_path)
    names = [
        requests.ask(order)
        for order in (Acknowledge("inc-zz", "ana"), Acknowledge("inc-aa11", "ana"), SILENCE, SILENCE)
    ]
    (settings.inbox_path / "orders" / "0.request").write_text('{"kind": "bogus"}')
    assert OrderDesk(requests, store.oncall, now=lambda: NOW).clear()
    answers = [requests.answered(name) for name in names]
    assert [answer and answer.id for answer in answers] == ["", "inc-aa11", "sil-1", "sil-1"]
    assert not OrderDesk(requests, store.oncall).clear()


def alive(store: Path) -> bool:
    """Whether a scorer has looked at the series."""
    with closing(open_for_reading(store)) as connection:
        return alive_at(connection) is not None


def silence_by_command(store: Path, *arguments: str) -> dict[str, object]:
    """Add one, and read what the command says."""
    added = ragvigil("silence", "add", *arguments, "--json", "--store", str(store))
    assert added.returncode == 0, added.stderr
    said: dict[str, object] = json.loads(added.stdout)
    return said


def test_orders_reach_a_running_scorer(serve: Serve, settings: Settings) -> None:
    """Silenced before it starts, unsilenced while it runs: the page leaves; acknowledged: the list says so."""
    with serving() as service:
        with SqliteStore(settings) as store:
            store.oncall.silence(replace(SILENCE, ends_at=time.time_ns() + HOUR), NOW)
            post(store, "trigger", time.time_ns())
        scorer: Scorer = serve(
            environment={
                "RAGVIGIL_CHANNELS__ONCALL__TYPE": "webhook",
                "RAGVIGIL_CHANNELS__ONCALL__URL": service.url,
                "RAGVIGIL_CHANNELS__ONCALL__SECRET": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                "RAGVIGIL_MONITOR__TICK_SECONDS": "0.2",
            }
        )
        eventually(lambda: alive(scorer.store))
        other = ("--service", "other", "--for", "2h", "--comment", "index rebuild", "--by", "ana")
        assert silence_by_command(scorer.store, *other)["written_by"] == "scorer"
        assert service.received == []
        removed = ragvigil("silence", "remove", "sil-1", "--store", str(scorer.store))
        assert removed.returncode == 0, removed.stderr
        eventually(lambda: service.received)
        done = ragvigil(
            "ack", "inc-aa", "--by", "ana", "--note", "rolling back", "--store", str(scorer.store)
        )
        assert (done.returncode, done.stdout) == (0, "acknowledged by ana: inc-aa11\n"), done.stderr
        listed = ragvigil("incidents", "--store", str(scorer.store)).stdout
        assert "inc-aa11  acknowledged  citation of shop, production" in listed
        assert "acknowledged by ana at" in listed
        assert ": rolling back" in listed
        assert "trigger to oncall: delivered" in listed


def test_without_a_scorer_the_command_does_it(settings: Settings) -> None:
    """And a list reads the store."""
    with SqliteStore(settings) as store:
        post(store, "trigger", NOW)
    path = settings.store.path
    added = silence_by_command(path, "--everything", "--for", "2h", "--comment", "fire drill", "--by", "ana")
    assert added["written_by"] == "command"
    listed = ragvigil("silence", "list", "--store", str(path)).stdout
    assert f"{added['id']}  active " in listed
    assert "everything  by ana: fire drill" in listed
    (found,) = json.loads(ragvigil("incidents", "--json", "--store", str(path)).stdout)
    assert (found["id"], found["state"], found["silenced_by"]) == ("inc-aa11", "silenced", [added["id"]])
    assert [one["channel"] for one in found["deliveries"]] == ["oncall"]
    assert datetime.fromisoformat(found["opened_at"]).tzinfo is not None
    refused = ragvigil("ack", "inc-zz", "--store", str(path))
    assert (refused.returncode, "no incident 'inc-zz'" in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"length": "2h"}, "names nothing"),
        ({"everything": True}, "needs an end"),
        ({"everything": True, "length": "2h", "until": "2099-01-01"}, "needs an end"),
        ({"everything": True, "length": "soon"}, "say 90m"),
        ({"everything": True, "length": "0m"}, "say 90m"),
        ({"everything": True, "length": "5w"}, "longer than 31 days"),
        ({"everything": True, "until": "2020-01-01"}, "give a later end"),
        ({"everything": True, "start": "9999-01-01", "length": "2h"}, "a year away"),
        ({"series": "citations", "length": "2h"}, "did you mean citation"),
        ({"segment": "de", "length": "2h"}, "say it as language=de"),
        ({"everything": True, "length": "2h", "comment": " "}, "is empty"),
    ],
)
def test_a_silence_that_makes_no_sense_is_refused(given: Mapping[str, object], said: str) -> None:
    """Before anything is written: the error names the option and the fix."""
    call: Callable[..., int] = add
    with pytest.raises(ConfigError, match=said):
        call(**{"comment": "x", "by": "ana", **given})


def test_the_list_tells_two_segments_apart_and_says_what_is_no_rate_in_words(settings: Settings) -> None:
    """A leak fell from nothing to nothing; what it is stands in its note."""
    fell, rate = Measurement(0.9, 0.85, 0.94, 200), Measurement(0.5, 0.4, 0.6, 80)
    none = Measurement(0.0, 0.0, 0.0, 1)
    shop = SeriesKey("citation", "shop", None)
    incidents = (
        Incident(
            "inc-de",
            shop,
            "de",
            NOW,
            NOW,
            fell,
            rate,
            rate,
            segment="language=de",
            reopened=1,
            resolved_at=NOW,
        ),
        Incident("inc-fr", shop, "fr", NOW, NOW, fell, rate, rate, segment="language=fr", reopened=3),
        Incident(
            "inc-leak", SeriesKey("leak", "shop", None), "l", NOW, NOW, none, none, none, note="leaks: email"
        ),
    )
    with SqliteStore(settings) as store:
        for incident in incidents:
            store.monitoring.save_incident(incident, None, ())
    listed = ragvigil("incidents", "--all", "--store", str(settings.store.path)).stdout
    assert "citation of shop, language=de\n" in listed
    assert "citation of shop, language=fr\n" in listed
    assert "opened again once, soon after it had resolved" in listed
    assert "opened again 3 times, soon" in listed
    assert "  leaks: email\n" in listed
    assert ": 0.0%" not in listed

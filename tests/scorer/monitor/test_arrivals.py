"""A service that stops sending is told of, when its own past says that something should have come."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from ragvigil.exporters import Alert, Measurement
from ragvigil.scorer.config import Settings, load
from ragvigil.scorer.detect.stopped import KEPT, LONGEST
from ragvigil.scorer.moments import DAY, MINUTE
from ragvigil.scorer.monitor.arrivals import ArrivalWatch
from ragvigil.scorer.monitor.health import SERVICE
from ragvigil.scorer.monitoring import AnyName, Incident, SeriesKey
from ragvigil.scorer.store._sqlite_arrivals import SqliteArrivals
from ragvigil.scorer.store.port import LedgerEntry, LedgerState, RawTrace, ScoredRecord, ScoredTrace
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.trace import RagTrace

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
NOW = 1_700_000_000 * 10**9 // DAY * DAY
"""Midnight, UTC."""


class Pipeline:
    """One that has read all, unless told otherwise."""

    caught_up = True


class House:
    """A store into which services send, and the watch over them, on clocks that a test moves."""

    def __init__(self, folder: Path) -> None:
        self.settings: Settings = load(
            overrides={
                "store": {"url": f"sqlite:///{folder / 'ragvigil.db'}"},
                "links": {"public_url": "https://rag.example.com"},
                "channels": {
                    "oncall": {
                        "type": "webhook",
                        "url": "https://hooks.example.com/x",
                        "secret": SECRET,
                    }
                },
            }
        )
        self.store = SqliteStore(self.settings)
        self.pipeline = Pipeline()
        self.now, self.ticks, self._number = NOW, 0, 0
        self.restart()

    def restart(self) -> None:
        """A new process: nothing is remembered but the store."""
        self.watch = ArrivalWatch(self.store.arriving, self.pipeline, self.settings, ticks=lambda: self.ticks)

    def past(self, days: int, usual: Callable[[int], int], service: str = "shop") -> None:
        """What came in each minute of the days before now; `usual` tells how many by the minute of the day."""
        with closing(sqlite3.connect(self.settings.store.path, isolation_level=None)) as connection:
            arrivals = SqliteArrivals(connection)
            connection.execute("BEGIN")
            for minute in range(days * 1440):
                if count := usual(minute % 1440):
                    trace = self._trace(service, "production", "checked_only")
                    records = tuple(trace.records * count)
                    counted = replace(trace, records=records)
                    arrivals.add((service, "production"), counted, new=True, known=0)
                    arrivals.write(self.now - (days * 1440 - minute) * MINUTE)
            connection.execute("COMMIT")

    def answer(
        self,
        count: int = 1,
        state: LedgerState = "checked_only",
        service: str = "shop",
        environment: str = "production",
    ) -> None:
        """So many answers arrive now."""
        traces = [self._trace(service, environment, state) for _ in range(count)]
        self.store.records.commit(traces, None, self.now)

    def pass_(self, minutes: int, sending: Sequence[str] = (), each: int = 3) -> list[Alert]:
        """Let time pass, a look every half minute, while some services send every minute."""
        alerts: list[Alert] = []
        for _ in range(minutes):
            for service in sending:
                self.answer(each, service=service)
            for _ in range(2):
                self.now, self.ticks = self.now + MINUTE // 2, self.ticks + MINUTE // 2
                alerts += self.watch.tick(self.now)
        return alerts

    def fall(self, name: AnyName, service: str = "shop") -> Incident:
        """An incident of that series that opens now."""
        level = Measurement(0.9, 0.8, 0.95, 100)
        key = SeriesKey(name, service, None if service == SERVICE else "production")
        incident = Incident(f"inc-{name}", key, f"ragvigil/{name}", self.now, self.now, level, level, level)
        self.store.monitoring.save_incident(incident, None, ())
        return incident

    def outbox(self) -> list[tuple[str, str]]:
        """What was posted: (action, severity)."""
        with closing(sqlite3.connect(self.settings.store.path)) as connection:
            rows = connection.execute("SELECT action, alert FROM outbox ORDER BY id").fetchall()
        return [(action, json.loads(alert)["severity"]) for action, alert in rows]

    def _trace(self, service: str, environment: str, state: LedgerState) -> ScoredTrace:
        self._number += 1
        record = RagTrace(f"{self._number:032x}", "1" * 16, service, self.now, environment=environment)
        scored = ScoredRecord(record, (), LedgerEntry(state, 0.1))
        return ScoredTrace(
            record.trace_id,
            RawTrace(b"spans", b""),
            False,
            (scored,),
            service=service,
            environment=environment,
            span_count=4,
        )


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    yield made
    made.store.close()


def always(each: int) -> Callable[[int], int]:
    return lambda _: each


def test_a_busy_service_that_stops_is_one_page_and_resolves_when_answers_come_again(house: House) -> None:
    """The page that an on-call engineer wants most: everything else that is watched falls silent with the service."""
    house.past(8, always(30))
    assert house.pass_(5, ["shop"], each=30) == []
    (page,) = house.pass_(20)
    assert (page.action, page.severity, page.series, page.service) == ("trigger", "error", "arrivals", "shop")
    assert page.title == "No answers from shop for 5 min (usually 150 or more)"
    assert page.environment == "production"
    assert (
        "At least 150 came in the 5 min before and at the same time of the day before and of the week before"
        in page.summary
    )
    assert "longest pause near them was under a minute" in page.summary
    assert house.pass_(3, ["shop"]) == []
    (over,) = house.pass_(5, ["shop"])
    assert over.action == "resolve"
    assert over.title == "Resolved: shop answers again, after 20 min"
    assert over.dedup_key == page.dedup_key
    assert house.outbox() == [("trigger", "error"), ("resolve", "error")]


def test_the_same_outage_is_one_page_over_a_restart(house: House) -> None:
    """The scorer that is restarted in the middle of it neither pages again nor forgets that it stands."""
    house.past(8, always(30))
    house.pass_(1, ["shop"], each=30)
    assert len(house.pass_(10)) == 1
    house.restart()
    assert house.pass_(30) == []
    assert [alert.action for alert in house.pass_(8, ["shop"])] == ["resolve"]


def test_one_straggler_does_not_end_it(house: House) -> None:
    """A span that an exporter had kept back is no service that is up again."""
    house.past(8, always(30))
    house.pass_(1, ["shop"], each=30)
    assert len(house.pass_(10)) == 1
    house.answer(1)
    assert house.pass_(20) == []


def test_a_scorer_that_was_down_does_not_page_for_its_own_downtime(house: House) -> None:
    """It did not listen: after it starts it listens for as long as anybody else would have to be silent."""
    house.past(8, always(30))
    house.pass_(1, ["shop"], each=30)
    house.now += 2 * 60 * MINUTE  # the process is gone: its other clock starts anew
    house.ticks = 0
    house.restart()
    assert house.pass_(4) == []
    assert house.pass_(10, ["shop"], each=30) == []


def test_a_clock_that_jumps_ahead_is_no_silence(house: House) -> None:
    """NTP may set it by hours, and back."""
    house.past(8, always(30))
    house.pass_(5, ["shop"], each=30)
    house.now += 6 * 60 * MINUTE
    assert house.pass_(4) == []
    assert house.pass_(2, ["shop"], each=30) == []
    house.now -= 6 * 60 * MINUTE
    assert house.pass_(4) == []
    assert house.pass_(10, ["shop"], each=30) == []


def test_a_backlog_or_a_full_disk_is_not_the_services_silence(house: House) -> None:
    """What has come and is not read yet has come; a full disk refuses spans, and is a page of its own."""
    house.past(8, always(30))
    house.pass_(1, ["shop"], each=30)
    house.pipeline.caught_up = False
    assert house.pass_(20) == []
    house.pipeline.caught_up = True
    house.restart()
    disk = house.fall("scorer_disk", SERVICE)
    assert house.pass_(20) == []
    house.store.monitoring.save_incident(replace(disk, resolved_at=house.now), None, ())
    assert len(house.pass_(6)) == 1


def test_three_questions_a_night_do_not_page(house: House) -> None:
    """A quiet night is usual for who is quiet every night; by day the same service is missed within minutes."""

    def office(minute: int) -> int:
        return 5 if 480 <= minute < 1080 else int(minute in (90, 200, 310))

    house.past(9, office)
    assert house.pass_(7 * 60) == []  # midnight to seven, without even the three
    house.pass_(60)
    house.pass_(3 * 60, ["shop"], each=5)
    (page,) = house.pass_(15)
    assert "for 5 min" in page.title
    assert page.severity == "error"


def test_a_service_younger_than_a_week_is_a_ticket_and_younger_than_a_day_nothing(house: House) -> None:
    """It may be its first weekend, or its first evening."""
    house.past(2, always(30))
    house.past(0, always(30), service="new")
    house.pass_(60, ["shop", "new"], each=30)
    (ticket,) = house.pass_(30)
    assert (ticket.service, ticket.severity) == ("shop", "warning")
    assert "of the week before" not in ticket.summary


def test_when_nothing_comes_of_any_service_one_page_says_so(house: House) -> None:
    """One cause, one page: the network, the collector or the receiver, not three services at once."""
    for service in ("shop", "bank", "desk"):
        house.past(8, always(30), service=service)
    house.pass_(2, ["shop", "bank", "desk"], each=30)
    (page,) = house.pass_(30)
    assert "None of the 2 others sends anything, either: see the way to ragvigil first." in page.summary
    others = {"shop", "bank", "desk"} - {page.service}
    back = house.pass_(15, [page.service, min(others)], each=30)
    assert {(alert.service, alert.action) for alert in back} == {
        (page.service, "resolve"),
        (max(others), "trigger"),
    }, "who is still silent when the others are back has a cause of its own"


def test_only_answers_count_and_only_production_pages(house: House) -> None:
    """A probe that still asks, and is filtered, would hide that nobody else gets through."""
    house.past(8, always(30))
    house.pass_(1, ["shop"], each=30)
    alerts: list[Alert] = []
    for _ in range(6):
        house.answer(5, "filtered")
        house.answer(5, environment="staging")
        alerts += house.pass_(1)
    assert [alert.service for alert in alerts] == ["shop"]


def test_a_service_that_was_switched_off_is_closed_after_a_day(house: House) -> None:
    """An incident that nobody can end is an incident that everybody learns to ignore."""
    house.past(8, always(30))
    house.pass_(1, ["shop"], each=30)
    assert len(house.pass_(10)) == 1
    assert house.pass_(23 * 60) == []
    (end,) = house.pass_(3 * 60)
    assert (end.action, end.title) == ("resolve", "Closed: shop, no data for 24 hours, taken as switched off")
    assert house.pass_(24 * 60) == [], "it does not open again by itself"


def test_incidents_of_a_service_that_stopped_are_closed_and_not_called_well(house: House) -> None:
    """A coverage or quality incident without data never recovers: it is over as of no data, in so many words."""
    house.past(8, always(30))
    house.pass_(1, ["shop"], each=30)
    house.fall("coverage_scored")
    house.fall("scorer_backlog", SERVICE)
    resolved = [alert for alert in house.pass_(27 * 60) if alert.series == "coverage_scored"]
    assert not resolved, "while ragvigil itself is ill nobody is called silent"
    house.store.monitoring.save_incident(
        replace(house.store.arriving.open_incidents()[1], resolved_at=house.now), None, ()
    )
    (end,) = (alert for alert in house.pass_(30) if alert.series == "coverage_scored")
    assert end.action == "resolve"
    assert end.title.startswith("Closed: coverage_scored of shop, no data for ")
    assert end.title.endswith("not known to be well")
    assert "did not recover" in end.summary


def test_minutes_go_in_time_also_where_nobody_watches_them(tmp_path: Path) -> None:
    """Switched off, they stayed for ever."""
    house = House(tmp_path)
    house.past(12, lambda minute: minute % 600 == 0)
    house.settings = house.settings.model_copy(
        update={"arrivals": house.settings.arrivals.model_copy(update={"enabled": False})}
    )
    house.restart()
    place, minute = ("shop", "production"), house.now // MINUTE
    assert house.store.arriving.minutes(place, 0, minute - KEPT - LONGEST - 1)
    assert house.watch.tick(house.now) == []
    assert house.store.arriving.minutes(place, 0, minute - KEPT - LONGEST - 1) == []
    assert house.store.arriving.minutes(place, 0, minute)


def jumped(house: House, ahead: int) -> list[Alert]:
    """One look with the wall clock so far ahead, ten minutes after the last; then it is right again."""
    house.now, house.ticks = house.now + 10 * MINUTE, house.ticks + 10 * MINUTE
    house.answer(3)
    return house.watch.tick(house.now + ahead)


@pytest.mark.parametrize("days", [400, -400])
def test_a_look_with_a_wrong_clock_keeps_the_minutes_that_silence_is_compared_with(
    house: House, days: int
) -> None:
    """They were deleted as old, or as those of a clock that was ahead, and nobody was missed for a week."""
    house.past(9, always(3))
    house.pass_(11, ["shop"])
    place = ("shop", "production")
    known = house.store.arriving.minutes(place, 0, 2**60)
    assert jumped(house, days * DAY) == []
    assert house.store.arriving.minutes(place, 0, 2**60)[: len(known)] == known
    house.pass_(2, ["shop"])
    assert [alert.action for alert in house.pass_(60)] == ["trigger"]


def test_a_clock_that_is_ahead_closes_no_incident_of_who_sends(house: House) -> None:
    """Two days for a quarter of an hour, so that it stood: no day without data has passed."""
    house.past(9, always(3))
    house.pass_(5, ["shop"])
    house.now -= 2 * DAY
    house.fall("coverage_scored")
    house.now += 4 * DAY
    for _ in range(30):
        house.now, house.ticks = house.now + MINUTE // 2, house.ticks + MINUTE // 2
        house.watch.tick(house.now)
    house.now -= 2 * DAY
    house.pass_(20, ["shop"])
    assert "coverage_scored" in {one.key.name for one in house.store.arriving.open_incidents()}


@pytest.mark.parametrize("counted", [True, False])
@pytest.mark.parametrize("minutes", [30, 480])
def test_a_machine_that_slept_heard_no_silence(house: House, minutes: int, counted: bool) -> None:
    """Whether or not its clock goes on while it sleeps."""
    house.past(9, always(30))
    house.pass_(10, ["shop"], each=30)
    house.now += minutes * MINUTE
    house.ticks += minutes * MINUTE if counted else 0
    assert house.watch.tick(house.now) == []
    assert house.pass_(2) == []
    assert house.pass_(10, ["shop"], each=30) == []


def test_who_sends_no_more_once_the_machine_is_awake_is_missed(house: House) -> None:
    """What passed before it slept counts, what passed while it slept does not."""
    house.past(9, always(30))
    house.pass_(10, ["shop"], each=30)
    house.pass_(2)
    house.now, house.ticks = house.now + 30 * MINUTE, house.ticks + 30 * MINUTE
    assert house.watch.tick(house.now) == []
    assert [alert.action for alert in house.pass_(5)] == ["trigger"]

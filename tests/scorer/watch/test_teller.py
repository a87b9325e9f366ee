"""What the sequential detectors' incidents say afterwards: opened again, corrected, withdrawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from tests.exporters.situations import FOUND
from tests.scorer.watch.conftest import HOUR, Hour, Service, settings_in

from ragvigil.exporters import Alert, Example
from ragvigil.scorer.detect import Alert as Found
from ragvigil.scorer.diagnose.diagnoser import Diagnoser
from ragvigil.scorer.diagnose.diagnosis import Diagnosis
from ragvigil.scorer.estimate import Estimate
from ragvigil.scorer.incidents.life import dedup_key
from ragvigil.scorer.monitoring import DetectedName, Incident, SeriesName
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.watch.port import Place
from ragvigil.scorer.watch.segments import Book
from ragvigil.scorer.watch.teller import Teller

GOOD, BAD = Hour(cited=0.97), Hour(cited=0.2)
OUTAGE = Hour(cited=0.2, nothing_retrieved=0.9)
PLACE = Place("shop", "production")


class Days:
    """A service whose records arrive, and a teller that is told that its citations fell."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.teller = Teller(service.store.watching, service.settings, ["oncall"])
        self.book = Book(4)

    def live(self, hour: Hour, hours: int = 1) -> list[Alert]:
        """So many hours of it, each looked at when it is over; the alerts."""
        told: list[Alert] = []
        for _ in range(hours):
            self.arrive(hour)
            self.service.now += HOUR
            told += self.teller.attend(PLACE, end=self.service.now, now=self.service.now, any_traffic=True)
        return told

    def arrive(self, hour: Hour, *, hours_ago: int = 0) -> None:
        """The records of an hour; those of an earlier one are late."""
        now = self.service.now
        self.service.now -= hours_ago * HOUR
        traces = [self.service.trace(hour, place) for place in range(hour.questions)]
        self.service.now = now
        self.service.store.records.commit(traces, None, now)

    def find(self, *series: DetectedName | SeriesName) -> list[Alert]:
        """The detector says that these, citations where none is named, fell in the last hour."""
        end = self.service.now
        found = [Found(end / 1e9, "page", name, None) for name in series or ("citation",)]
        return self.teller.tell(PLACE, found, self.book, end=end, now=end)

    def until_resolved(self) -> tuple[int, Alert]:
        """Good hours until something is told: how many, and what."""
        for hours in range(1, 10):
            told = self.live(GOOD)
            if told:
                (alert,) = told
                assert alert.action == "resolve"
                return hours, alert
        raise AssertionError("it never resolved")

    def look(self) -> list[Alert]:
        """One more look, an hour later, in which nothing new arrived."""
        self.service.now += HOUR
        end = self.service.now - HOUR
        return self.teller.attend(PLACE, end=end, now=self.service.now, any_traffic=True)


@pytest.fixture
def days(tmp_path: Path) -> Iterator[Days]:
    """After a good day, and an hour of wrong citations that was told."""
    settings = settings_in(tmp_path)
    with SqliteStore(settings, durable=False) as store:
        days = Days(Service(settings, store))
        assert days.live(GOOD, 24) == []
        days.live(BAD)
        (page,) = days.find()
        assert (page.action, page.now.value < 0.4, page.before.value > 0.9) == ("trigger", True, True)
        yield days


def titles(alerts: list[Alert]) -> list[str]:
    """The beginning of each title, up to the series."""
    return [alert.title.partition(" of shop")[0] for alert in alerts]


def test_a_fall_soon_after_the_end_opens_the_same_incident_again(days: Days) -> None:
    """One id and one dedup key, `Again`; then it must look well for twice as long."""
    hours, resolved = days.until_resolved()
    assert titles([resolved]) == ["Resolved: citation correctness"]
    days.live(BAD)
    (again,) = days.find()
    assert titles([again]) == ["Again: citation correctness"]
    assert (again.incident_id, again.dedup_key) == (resolved.incident_id, resolved.dedup_key)
    assert days.find() == [], "and it is told once"
    longer, back = days.until_resolved()
    assert back.dedup_key == again.dedup_key
    assert longer > hours


def test_a_fall_long_after_the_end_is_another_incident(days: Days) -> None:
    """Two batches later is no flapping."""
    _, resolved = days.until_resolved()
    days.live(GOOD, 3)
    days.live(BAD)
    (other,) = days.find()
    assert titles([other]) == ["Citation correctness"]
    assert other.dedup_key != resolved.dedup_key


def test_a_fall_hours_after_a_long_one_is_told_with_its_own_figures(days: Days) -> None:
    """The first stays on record as it was: what it did is neither before nor after the second fall."""
    days.live(BAD, 5)
    _, resolved = days.until_resolved()
    days.live(GOOD, 3)
    began = days.service.now
    days.live(BAD)
    (other,) = days.find()
    assert other.incident_id != resolved.incident_id
    assert other.dedup_key != resolved.dedup_key
    assert abs(int(other.since.timestamp() * 1e9) - began) <= HOUR // 6
    assert abs(other.now.value - BAD.cited) < 0.15
    assert abs(other.before.value - GOOD.cited) < 0.02
    incidents = days.service.store.watching.neighbours(PLACE.key("citation"), 0)
    assert [(one.id, one.resolved_at is None) for one in incidents] == [
        (other.incident_id, True),
        (resolved.incident_id, False),
    ]


def test_a_fall_that_begins_while_another_is_open_for_long_is_news(days: Days) -> None:
    """Citations are wrong since yesterday; today nothing is retrieved."""
    days.live(BAD, 20)
    days.live(OUTAGE)
    (news,) = days.find("retrieval")
    assert (news.action, news.series) == ("trigger", "retrieval")


def test_two_falls_of_one_hour_are_one_page_until_one_outlives_the_other(days: Days) -> None:
    """Retrieval is told. Citations are not, until they are still wrong a batch after it is over."""
    days.until_resolved()
    days.live(GOOD, 3)
    days.live(OUTAGE)
    (page,) = days.find("citation", "retrieval")
    assert page.series == "retrieval"
    told: list[tuple[str, str]] = []
    for _ in range(6):
        told += [(alert.series, alert.action) for alert in days.live(Hour(cited=0.3))]
    assert told == [("retrieval", "resolve"), ("citation", "trigger")]


def test_incidents_of_two_segments_have_two_keys(days: Days) -> None:
    """To a pager the fall of one is not the fall of the other, even of the same hour."""
    keys = {
        dedup_key(PLACE.key("citation"), days.service.now, grain_seconds=3600, segment=segment)
        for segment in (None, "language=de", "language=fr", "language=" + "x" * 300)
    }
    assert len(keys) == 4
    assert max(map(len, keys)) <= 255


def test_late_records_show_another_level_and_it_is_told_once(days: Days) -> None:
    """Half of the answers of that hour came late, and were much better: still a fall, and not the one that was told."""
    days.arrive(Hour(questions=120, cited=0.75), hours_ago=1)
    (update,) = days.look()
    assert (update.action, titles([update])) == ("update", ["Corrected by late data: citation correctness"])
    assert 0.45 < update.now.value < 0.75
    assert days.look() == []


def test_late_records_show_that_there_was_no_fall(days: Days) -> None:
    """A shard that lagged behind held nearly all of that hour: withdrawn, with what had been told beside it."""
    days.arrive(Hour(questions=4_000, cited=1.0), hours_ago=1)
    (withdrawn,) = days.look()
    assert withdrawn.action == "resolve"
    assert withdrawn.title == "Withdrawn: late data show that citation correctness of shop did not fall"
    assert "Told before: " in withdrawn.summary
    assert days.look() == []


def test_after_a_day_nothing_is_corrected_any_more(days: Days) -> None:
    """Whoever was woken up has slept since; it resolves or it stands."""
    days.live(BAD, 25)
    days.arrive(Hour(questions=4_000, cited=1.0), hours_ago=26)
    assert [title for title in titles(days.look()) if "late data" in title] == []


def test_what_the_outbox_holds_says_the_same(days: Days) -> None:
    """Every message of the incident, under one key."""
    days.arrive(Hour(questions=4_000, cited=1.0), hours_ago=1)
    days.look()
    rows = days.service.store.outbox.due(days.service.now, 10)
    assert [row.alert.action for row in rows] == ["resolve"], "nobody needs the page that still waits"
    assert rows[0].alert.dedup_key.startswith("ragvigil/production/shop/citation/")


FLOOR: dict[str, float | str] = {
    "slo": 0.9,
    "level": 0.86,
    "lower": 0.83,
    "upper": 0.89,
    "n": 1_204,
    "traces": 4_013,
    "method": "rogan-gladen",
}


def level(value: float) -> Estimate:
    """The level of the last day, corrected for the judge's errors."""
    return Estimate(
        value, value - 0.03, value + 0.03, 1_204, 4_013, 900.0, 0.95, "rogan-gladen", calibrated=True
    )


class Floor(Days):
    """The same service with a floor for its faithfulness."""

    def breach(self) -> list[Alert]:
        """The detector says that the level has been under it for a day."""
        end = self.service.now
        found = Found(end / 1e9, "page", "faithfulness", None, FLOOR)
        return self.teller.tell(PLACE, [found], self.book, end=end, now=end)

    def stay(self, value: float, hours: int) -> list[Alert]:
        """So many hours at that level."""
        told: list[Alert] = []
        for _ in range(hours):
            self.service.now += HOUR
            end = self.service.now
            told += self.teller.attend(PLACE, end=end, now=end, any_traffic=True, level=level(value))
        return told


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Floor]:
    """After a day, and a page about its floor."""
    settings = settings_in(tmp_path, slo=0.9)
    with SqliteStore(settings, durable=False) as store:
        days = Floor(Service(settings, store))
        days.live(GOOD, 24)
        (page,) = days.breach()
        assert page.title == "Faithfulness of shop is under its floor of 90.0 %: 86.0 %"
        assert "1,204 judged answers" in page.summary
        assert "not calibrated" not in page.summary
        yield days


def test_a_level_that_stays_under_its_floor_keeps_its_incident_open(floor: Floor) -> None:
    """However steady it is, and said once; when it has been back for a batch it is over."""
    assert floor.stay(0.86, 30) == []
    assert floor.breach() == []
    assert floor.stay(0.91, 1) == []
    (over,) = floor.stay(0.91, 1)
    assert over.title == "Resolved: faithfulness of shop is back at 91.0 %, its floor is 90.0 %"


def test_a_level_further_under_its_floor_is_told(floor: Floor) -> None:
    """By as much as counts as a fall, and surely."""
    (worse,) = floor.stay(0.7, 3)
    assert worse.title == "Worse: faithfulness of shop is under its floor of 90.0 %: 70.0 %"


def test_a_fall_under_the_floor_is_news_of_its_incident(floor: Floor) -> None:
    """One series, one incident."""
    floor.live(Hour(unfaithful={"de": 0.9, "en": 0.9}))
    (news,) = floor.find("faithfulness")
    assert (news.action, titles([news])) == ("update", ["Fell in all traffic: faithfulness"])
    assert floor.find("faithfulness") == []


def test_a_floor_that_is_taken_away_ends_its_incident(floor: Floor) -> None:
    """Nobody is told that the level is back."""
    floor.teller = Teller(
        floor.service.store.watching, settings_in(floor.service.settings.store.path.parent), ["oncall"]
    )
    (over,) = floor.stay(0.86, 1)
    assert over.title == "Resolved: no floor is set for faithfulness of shop any more"


def test_a_floor_reached_in_an_open_fall_is_told_once(days: Days) -> None:
    """It is the same series, which has an incident; what is new is the floor."""
    days.until_resolved()
    days.live(Hour(unfaithful={"de": 0.9, "en": 0.9}))
    days.find("faithfulness")
    end = days.service.now
    found = Found(end / 1e9, "page", "faithfulness", None, FLOOR)
    told = [days.teller.tell(PLACE, [found], days.book, end=end, now=end) for _ in range(2)]
    assert [titles(alerts) for alerts in told] == [["Under its floor of 90.0 %: faithfulness"], []]


def test_a_budget_that_burns_is_told_with_its_pace(days: Days) -> None:
    """Evidence of the other kind about a level."""
    end = days.service.now
    burnt: dict[str, float | str] = {**FLOOR, "burn_6h": 3.0, "burn_3d": 2.0}
    found = Found(end / 1e9, "page", "faithfulness", None, burnt)
    (page,) = days.teller.tell(PLACE, [found], days.book, end=end, now=end)
    assert "3.0 times as fast as they may over 6 hours, and 2.0 times over 3 days" in page.summary


class Diagnosed:
    """A diagnoser that names one language, for so much of the fall."""

    def __init__(self, language: str, share: float, *, clear: bool = False) -> None:
        assert FOUND.cause is not None
        part = replace(FOUND.cause.share, value=share)
        self.found = replace(FOUND, cause=replace(FOUND.cause, values=(("language", language),), share=part))
        self.clear = clear

    def tell(self, incident: Incident, now: int) -> Diagnosis:
        """Always the same."""
        return self.found

    def clearer(self, incident: Incident, now: int) -> bool:
        """When the test says so."""
        return self.clear

    def examples(self, incident: Incident, found: Diagnosis, given: Sequence[Example]) -> Sequence[Example]:
        """Those given."""
        return given


def test_a_service_without_segments_is_not_told_of_another(days: Days) -> None:
    """Half an hour after its page it said "Seen in other, too": of a service of which all traffic is `other`."""
    end = days.service.now
    fell, other = (Found(end / 1e9, "page", "citation", segment) for segment in (None, -1))
    assert days.teller.tell(PLACE, [other], days.book, end=end, now=end) == []
    days.book.dimension, days.book.codes = "language", {"de": 0}
    told = [days.teller.tell(PLACE, [one], days.book, end=end, now=end) for one in (fell, other)]
    assert [titles(alerts) for alerts in told] == [[], ["Seen in other, too: citation correctness"]]


@pytest.mark.parametrize(
    ("language", "share", "said"),
    [
        ("de", 1.0, "Nearly all of it in language=de"),
        ("de", 0.6, "Seen in language=de, too"),
        ("en", 1.0, "Seen in language=de, too"),
    ],
)
def test_a_fall_of_one_segment_alone_is_not_seen_there_too(
    days: Days, language: str, share: float, said: str
) -> None:
    """All of the fall was in one tenant, and the page said "Seen in tenant=globex, too": everywhere, and there."""
    days.book.dimension, days.book.codes = "language", {"de": 0}
    diagnoser = cast("Diagnoser", Diagnosed(language, share))
    days.teller = Teller(days.service.store.watching, days.service.settings, ["oncall"], diagnoser)
    end = days.service.now
    found = Found(end / 1e9, "page", "citation", 0)
    told = [days.teller.tell(PLACE, [found], days.book, end=end, now=end) for _ in range(2)]
    assert [titles(alerts) for alerts in told] == [[f"{said}: citation correctness"], []]
    assert f"{said}." in told[0][0].summary


def test_what_was_seen_there_too_is_corrected_when_the_cause_is_found(days: Days) -> None:
    """The first looks name no cause; once it is named, the page no longer says "too"."""
    days.book.dimension, days.book.codes = "language", {"de": 0}
    end = days.service.now
    found = Found(end / 1e9, "page", "citation", 0)
    (page,) = days.teller.tell(PLACE, [found], days.book, end=end, now=end)
    assert "Seen in language=de, too." in page.summary
    diagnoser = cast("Diagnoser", Diagnosed("de", 0.95, clear=True))
    days.teller = Teller(days.service.store.watching, days.service.settings, ["oncall"], diagnoser)
    (page,) = days.teller.attend(PLACE, end=end, now=end + 1, any_traffic=True)
    assert page.title.startswith("Probable cause found: ")
    assert "Nearly all of it in language=de." in page.summary
    assert ", too" not in page.summary

"""Too little looked at is a page or a ticket: opened once, resolved when it is back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.command_line import ragvigil

from ragvigil.exporters import Alert, Measurement
from ragvigil.scorer.config import Content, Settings, load
from ragvigil.scorer.monitor.coverage import CoverageWatch
from ragvigil.scorer.monitor.health import SERVICE
from ragvigil.scorer.monitoring import HealthName, Incident, SeriesKey
from ragvigil.scorer.store import reading
from ragvigil.scorer.store.port import LedgerEntry, LedgerState, RawTrace, ScoredRecord, ScoredTrace
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.trace import Completeness, RagTrace
from ragvigil.scorer.verdict import CheckResult

MINUTE = 60 * 10**9
NOW = 1_700_000_000 * 10**9


class Service:
    """A store into which a service's traces come, and the watch over it."""

    def __init__(self, folder: Path, coverage: Mapping[str, object]) -> None:
        self.settings: Settings = load(
            overrides={
                "store": {"url": f"sqlite:///{folder / 'ragvigil.db'}"},
                "coverage": coverage,
                "links": {"public_url": "https://rag.example.com"},
            }
        )
        self.store = SqliteStore(self.settings)
        self.now = NOW
        self.name = "shop"
        self._number = 0
        self.restart()

    def restart(self) -> None:
        """A new process: nothing is remembered but the store."""
        self.watch = CoverageWatch(
            self.store.monitoring,
            self.settings.coverage,
            ["oncall"],
            environments=("production",),
            links=self.settings.links,
            content=self.settings.content,
        )

    def answer(
        self,
        count: int,
        state: LedgerState = "checked_only",
        *,
        environment: str | None = "production",
        completeness: Completeness = "complete",
        lost: int = 0,
        error: str | None = None,
        refuses: bool = False,
        pure: bool = True,
    ) -> None:
        """So many answers arrive now, or errors instead of them."""
        checks = (CheckResult("abstention", "1", float(refuses), details={"pure": pure}),)
        traces: list[ScoredTrace] = []
        for _ in range(count):
            self._number += 1
            record = RagTrace(
                f"{self._number:032x}", "1" * 16, self.name, self.now, completeness=completeness
            )
            record = replace(record, environment=environment, query="When?", error=error)
            record = replace(record, answer=None if error else "At nine.")
            scored = ScoredRecord(record, checks if error is None else (), LedgerEntry(state, 0.1))
            traces.append(self._trace(record.trace_id, (scored,), environment, lost))
        self.store.records.commit(traces, None, self.now)

    def noise(self, count: int) -> None:
        """Traces in which nobody asks anything."""
        numbers = range(self._number + 1, self._number + count + 1)
        self._number += count
        traces = [self._trace(f"{number:032x}", (), "production", 0) for number in numbers]
        self.store.records.commit(traces, None, self.now)

    def _trace(
        self, trace_id: str, records: tuple[ScoredRecord, ...], environment: str | None, lost: int
    ) -> ScoredTrace:
        raw = RawTrace(b"spans", b"")
        return ScoredTrace(
            trace_id,
            raw,
            False,
            records,
            lost=lost,
            service=self.name,
            environment=environment,
            span_count=4,
        )

    def look(self, minutes: int = 1) -> list[Alert]:
        """Let time pass, and look."""
        self.now += minutes * MINUTE
        return self.watch.tick(self.now)

    def watched(self, minutes: int) -> list[Alert]:
        """Look every minute, as a scorer does."""
        return [alert for _ in range(minutes) for alert in self.look()]

    def outbox(self) -> list[tuple[str, str]]:
        """What was posted to the channel."""
        with closing(sqlite3.connect(self.settings.store.path)) as connection:
            rows = connection.execute("SELECT action, alert FROM outbox ORDER BY id").fetchall()
        return [(action, json.loads(alert)["severity"]) for action, alert in rows]


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Service]:
    """The default thresholds, and one for questions."""
    made = Service(tmp_path, {"least_asked": 0.5})
    yield made
    made.store.close()


def test_answers_that_are_shed_are_one_page_until_they_are_scored_again(shop: Service) -> None:
    """Over a restart, too: a scorer that does not score is ill."""
    shop.answer(100)
    assert shop.look() == []
    shop.answer(50, "shed")
    (alert,) = shop.look()
    assert (alert.action, alert.severity, alert.series) == ("trigger", "error", "coverage_scored")
    assert alert.title == "Only 66.7 % of shop's answers were scored as designed (95.0 % wanted)"
    shop.restart()
    assert shop.look() == []
    shop.now += 15 * MINUTE
    shop.answer(200)
    assert shop.look() == []
    shop.answer(200)
    (back,) = shop.look(11)
    assert (back.action, back.dedup_key) == ("resolve", alert.dedup_key)
    assert shop.outbox() == [("trigger", "error"), ("resolve", "error")]


def test_a_clock_that_is_set_back_ends_no_looking_at_coverage(shop: Service) -> None:
    """By an hour: for that hour nobody was told what fell."""
    shop.answer(100)
    assert shop.look() == []
    shop.now -= 60 * MINUTE
    shop.answer(150, "shed")
    (alert,) = shop.look()
    assert (alert.action, alert.series) == ("trigger", "coverage_scored")


def test_a_full_queue_of_the_judge_is_one_page_and_not_one_for_every_service(shop: Service) -> None:
    """All share one judge: who is told second is a ticket. What failed by itself is its service's own page."""
    states: dict[str, LedgerState] = {"bank": "shed", "desk": "expired", "shop": "shed"}
    for name, state in states.items():
        shop.name = name
        shop.answer(90, state)
        shop.answer(30)
    shop.name = "tool"
    shop.answer(90, "failed")
    told = shop.look()
    assert [(alert.service, alert.severity) for alert in told] == [
        ("bank", "error"),
        ("desk", "warning"),
        ("shop", "warning"),
        ("tool", "error"),
    ]
    shared = " All services share one judge; told first of bank."
    assert [alert.summary.splitlines()[-1] for alert in told] == [
        "Of the 90 others 90 found the judge's queue full (judge.max_jobs).",
        "Of the 90 others 90 waited too long." + shared,
        "Of the 90 others 90 found the judge's queue full (judge.max_jobs)." + shared,
        "Of the 90 others 90 failed.",
    ]


@pytest.mark.parametrize("illness", ["scorer_judge", "scorer_backlog"])
def test_what_a_page_about_the_scorer_explains_is_a_ticket(shop: Service, illness: HealthName) -> None:
    """A judge that does not answer is one page, and not one more for every service."""
    low = Measurement(0.0, 0.0, 0.0, 0)
    key = SeriesKey(illness, SERVICE, None)
    shop.store.monitoring.save_incident(Incident("inc-1", key, "key", NOW, NOW, low, low, low), None, ())
    shop.answer(100, "failed")
    (alert,) = shop.look()
    assert (alert.series, alert.severity) == ("coverage_scored", "warning")


def test_which_shares_page_can_be_set(tmp_path: Path) -> None:
    """By default only what the scorer itself failed to do; spans that a service lost can wait, or not."""
    for pages, severity in ((("coverage_scored",), "warning"), (("coverage_delivered",), "error")):
        folder = tmp_path / severity
        folder.mkdir()
        shop = Service(folder, {"pages": pages})
        try:
            shop.answer(100, lost=4)
            (alert,) = shop.look()
            assert (alert.series, alert.severity) == ("coverage_delivered", severity)
        finally:
            shop.store.close()


def test_coverage_that_flaps_is_one_ticket_that_opens_again(shop: Service) -> None:
    """Under the same key, across a restart; it then has to look well for twice as long."""
    shop.answer(100, "shed")
    (first,) = shop.look()
    assert first.link == f"https://rag.example.com/incidents/{first.incident_id}"
    looked: list[int] = []
    for _ in range(2):
        minutes, end = until_back(shop)
        looked.append(minutes)
        assert (end.action, end.dedup_key) == ("resolve", first.dedup_key)
        shop.restart()
        shop.now += 20 * MINUTE
        shop.answer(200, "shed")
        (again,) = shop.look()
        assert (again.action, again.dedup_key) == ("trigger", first.dedup_key)
        assert again.title.startswith("Again: only ")
    once, twice = looked
    assert 1.5 * once < twice < 3 * once
    until_back(shop)
    shop.now += 31 * MINUTE
    shop.answer(200, "shed")
    (other,) = shop.look()
    assert other.dedup_key != first.dedup_key


def until_back(shop: Service) -> tuple[int, Alert]:
    """Good answers until something is told: after how many minutes, and what."""
    shop.now += 20 * MINUTE
    for minute in range(90):
        if minute % 5 == 0:
            shop.answer(60)
        for alert in shop.look():
            return minute, alert
    raise AssertionError("it never resolved")


def test_a_few_good_answers_resolve_nothing_until_there_are_as_many_as_open_an_incident(
    shop: Service,
) -> None:
    """One answer in the quiet after a fall said that all was well; a quiet service is asked over more than a window."""
    shop.answer(100, "failed")
    (alert,) = shop.look()
    shop.now += 60 * MINUTE
    for _ in range(4):
        shop.answer(1)
        assert shop.watched(12) == []
    shop.now += 300 * MINUTE
    for answers in (20, 20):
        shop.answer(answers)
        assert shop.watched(16) == []
    shop.answer(6)
    (back,) = shop.watched(16)
    assert (back.action, back.dedup_key, back.now.n) == ("resolve", alert.dedup_key, 50)


def test_a_service_that_gets_few_answers_a_day_resolves_on_those_of_a_day(shop: Service) -> None:
    """It would never have as many as open an incident, which one busy quarter of an hour had opened."""
    shop.answer(100, "failed")
    (alert,) = shop.look()
    told = list[Alert]()
    for _ in range(25):
        shop.now += 59 * MINUTE
        shop.answer(1)
        told += shop.look()
    (back,) = told
    assert (back.action, back.dedup_key) == ("resolve", alert.dedup_key)
    assert 20 < back.now.n < 26


def test_a_bad_answer_among_few_begins_the_wait_anew(shop: Service) -> None:
    """Else those before it were counted as well as those after it."""
    shop.answer(100, "failed")
    shop.look()
    shop.now += 60 * MINUTE
    shop.answer(49)
    assert shop.look(12) == []
    shop.answer(5, "failed")
    assert shop.look() == []
    shop.now += 60 * MINUTE
    shop.answer(10)
    assert shop.look() == []
    assert shop.look(11) == []


@pytest.mark.parametrize("state", ["shed", "failed", "expired"])
def test_each_way_not_to_be_scored_counts(shop: Service, state: LedgerState) -> None:
    """And those that are judged, pending or sampled out do not."""
    for fine in ("judged", "pending", "checked_only"):
        shop.answer(30, fine)
    shop.answer(60, state)
    assert [alert.series for alert in shop.look()] == ["coverage_scored"]


def test_what_loses_its_content_before_it_is_judged_counts(shop: Service) -> None:
    """A store at its ceiling takes the content of what waits for the judge: nobody was told that nothing was judged."""
    shop.answer(60, "pending")
    shop.answer(40)
    shop.now += MINUTE
    shop.answer(100)
    assert shop.store.retention.expire(None, 100, counter="content_expired_early")
    (page,) = shop.look()
    assert (page.series, page.now.value, page.now.n) == ("coverage_scored", 0.7, 200)
    assert shop.store.retention.expire(None, 100, counter="content_expired_early")
    shop.look()
    assert [(one.service, one.records, one.unscored) for one in shop.watch.latest] == [("shop", 200, 60)]


def test_missing_content_lost_spans_and_unread_traces_each_have_a_ticket(shop: Service) -> None:
    """Each with its own threshold."""
    shop.answer(25)
    shop.answer(75, completeness="content_off")
    shop.answer(1, lost=40)
    shop.noise(300)
    assert [alert.series for alert in shop.look()] == [
        "coverage_complete",
        "coverage_asked",
        "coverage_delivered",
    ]


def test_texts_that_their_owner_withholds_are_no_ticket_and_what_is_missing_beside_them_is(
    shop: Service,
) -> None:
    """`ids_only` told its owner that the answers are incomplete, which it had asked for."""
    shop.answer(100, completeness="withheld")
    assert shop.look() == []
    (found,) = shop.watch.latest
    assert (found.records, found.incomplete, found.withheld) == (100, 0, 100)
    shop.answer(300, completeness="partial_evidence")
    assert [alert.series for alert in shop.look()] == ["coverage_complete"]


def test_errors_and_refusals_instead_of_answers_are_a_ticket_that_says_which(shop: Service) -> None:
    """Citations and faithfulness are silent then: there is nothing to look at."""
    shop.answer(10)
    shop.answer(90, error="TimeoutError")
    (alert,) = shop.look()
    assert (alert.series, alert.severity) == ("coverage_answered", "warning")
    assert alert.title == "Only 10.0 % of shop's questions were answered (20.0 % wanted)"
    assert "Of the 90 others 90 ended in an error." in alert.summary
    shop.now += 15 * MINUTE
    shop.answer(200)
    assert shop.look() == []
    shop.answer(200)
    assert [one.action for one in shop.look(11)] == ["resolve"]


def test_texts_that_never_come_caveats_and_stopped_streams_are_answers(shop: Service) -> None:
    """Nothing was wrong with them."""
    shop.answer(100, error="TimeoutError", completeness="content_off")
    shop.answer(100, refuses=True, pure=False)
    shop.answer(100, error="asyncio.CancelledError")
    assert [alert for alert in shop.look() if alert.series == "coverage_answered"] == []


@pytest.mark.parametrize(("refused", "told"), [(8, 0), (40, 1)])
def test_more_refusals_than_are_usual_at_that_hour_are_a_ticket(
    shop: Service, refused: int, told: int
) -> None:
    """Some questions are never answered; a prompt that forbids more than it should refuses many."""
    for _ in range(2):
        shop.answer(95)
        shop.answer(5, refuses=True)
        assert shop.look() == []
        shop.now += 24 * 60 * MINUTE - MINUTE
    shop.answer(100 - refused)
    shop.answer(refused, refuses=True)
    alerts = shop.look()
    assert len(alerts) == told
    for alert in alerts:
        assert alert.title == "Only 60.0 % of shop's questions were answered (usually 95.0 %)"
        assert "Of the 40 others 40 were refused." in alert.summary


def test_a_fall_under_what_is_usual_at_that_hour_is_a_ticket(shop: Service) -> None:
    """Far above the threshold, and only where the day before was another; it is over when the usual is back."""
    day = 24 * 60 * MINUTE
    shop.answer(200)
    shop.now += day + 5 * MINUTE
    shop.answer(100)
    assert shop.look() == []
    shop.answer(30, completeness="content_off")
    shop.answer(20)
    (alert,) = shop.look(4)
    assert alert.title == "Only 80.0 % of shop's answers arrived whole (usually 100.0 %)"
    assert (alert.series, alert.before.n, alert.before.method) == (
        "coverage_complete",
        200,
        "usual at this hour",
    )
    shop.restart()
    shop.answer(800)
    assert shop.look(1) == []
    (back,) = shop.look(11)
    assert (back.action, back.dedup_key) == ("resolve", alert.dedup_key)


def test_texts_that_are_withheld_all_at_once_are_a_ticket_until_that_is_said_to_be_meant(
    shop: Service,
) -> None:
    """A deploy with ids_only by mistake would end all judging without a word."""
    day = 24 * 60 * MINUTE
    shop.answer(200)
    shop.now += day + 5 * MINUTE
    shop.answer(20)
    shop.answer(100, completeness="withheld")
    (alert,) = shop.look(4)
    assert alert.title == "Only 16.7 % of shop's answers came with their texts (usually 100.0 %)"
    assert (alert.series, alert.severity) == ("coverage_texts", "warning")
    assert 'content.services.NAME = "ids_only"' in alert.summary
    shop.settings = shop.settings.model_copy(update={"content": Content(services={"shop": "ids_only"})})
    shop.restart()
    shop.answer(100, completeness="withheld")
    assert shop.look(1) == []
    (back,) = shop.look(11)
    assert (back.action, back.dedup_key) == ("resolve", alert.dedup_key)


def test_texts_that_the_scorer_is_told_to_withhold_are_no_ticket(shop: Service) -> None:
    shop.answer(200)
    shop.now += 24 * 60 * MINUTE + 5 * MINUTE
    shop.settings = shop.settings.model_copy(update={"content": Content(mode="ids_only")})
    shop.restart()
    shop.answer(100, completeness="withheld")
    assert shop.look(4) == []


def test_what_is_usual_is_no_ticket_and_nothing_is_usual_of_a_new_service(shop: Service) -> None:
    """A service that sends half of its contents every day is measured by its threshold alone."""
    day = 24 * 60 * MINUTE
    shop.answer(60)
    shop.answer(60, completeness="content_off")
    assert shop.look() == []
    shop.now += day + 2 * MINUTE
    shop.answer(60)
    shop.answer(60, completeness="content_off")
    assert shop.look() == []
    shop.now += 7 * day
    shop.answer(20)
    shop.answer(60)
    shop.answer(60, completeness="content_off")
    assert shop.look() == []


def test_little_is_no_ticket_and_nothing_is_not_zero(shop: Service) -> None:
    """Below the sample nobody knows; without arrivals an open ticket stays open."""
    shop.answer(20, "shed")
    assert shop.look() == []
    shop.answer(40, "shed")
    assert len(shop.look()) == 1
    assert shop.look(600) == []
    with closing(reading.open_for_reading(shop.settings.store.path)) as connection:
        (incident,) = reading.incidents(connection)
    assert incident.resolved_at is None


def test_another_environment_opens_no_ticket_to_anybody(shop: Service) -> None:
    """It is kept, and shown by status, and sent nowhere."""
    shop.answer(100, "failed", environment="staging")
    assert shop.look() == []
    assert shop.outbox() == []
    with closing(reading.open_for_reading(shop.settings.store.path)) as connection:
        assert len(reading.incidents(connection)) == 1


def test_status_shows_the_shares(tmp_path: Path) -> None:
    """With interval and n, and which is under its threshold."""
    import time

    shop = Service(tmp_path, {})
    shop.now = time.time_ns()
    shop.answer(50, "shed")
    shop.answer(50)
    shop.store.close()
    store = str(shop.settings.store.path)
    text = ragvigil("status", "--store", store).stdout
    assert "scored      shop                 50.0 %" in text
    assert "UNDER 95.0 %" in text
    found = json.loads(ragvigil("status", "--json", "--store", store).stdout)["coverage"]
    assert [(share["share"], share["value"], share["n"]) for share in found] == [
        ("coverage_scored", 0.5, 100),
        ("coverage_complete", 1.0, 100),
        ("coverage_texts", 1.0, 100),
        ("coverage_asked", 1.0, 100),
        ("coverage_answered", 1.0, 100),
        ("coverage_delivered", 1.0, 400),
    ]


def test_status_tells_the_environments_of_a_service_apart(tmp_path: Path) -> None:
    """Two lines of one service, one of which is nobody's worry; the open incident says which it is of."""
    import time

    shop = Service(tmp_path, {})
    shop.now = time.time_ns()
    shop.answer(60)
    shop.answer(60, "failed", environment="staging")
    shop.look()
    shop.store.close()
    text = ragvigil("status", "--store", str(shop.settings.store.path)).stdout
    assert "100 %       shop, production     scored of 60, complete of 60, asked of 60" in text
    assert "scored      shop, staging        0.0 %" in text
    assert "coverage_scored of shop" in text

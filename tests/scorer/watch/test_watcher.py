"""The sequential detectors over a real store: what they ask for, tell, keep, and leave alone."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.scorer.watch.conftest import HOUR, RATE, START, Hour, Service, settings_in

from ragvigil.scorer.sample import fraction
from ragvigil.scorer.store import detected, reading, reading_history
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.watch import watcher
from ragvigil.scorer.watch.port import Place

HEALTHY = Hour()
GERMAN_ILL = Hour(unfaithful={"de": 0.5, "en": 0.04})
ALL_ILL = Hour(unfaithful={"de": 0.6, "en": 0.6})


def rows(service: Service, query: str) -> list[tuple[object, ...]]:
    """What the store says, as another process reads it."""
    with closing(reading.open_for_reading(service.settings.store.path)) as connection:
        return [tuple(row) for row in connection.execute(query)]


def test_a_segment_that_falls_is_named_once_and_resolved_once(service: Service) -> None:
    """Judged again before the page, with figures of that segment, and nothing before the fault."""
    assert [alert.title for alert in service.alerts if alert.severity != "warning"] == []
    pages = [alert for alert in service.live(GERMAN_ILL, 12) if alert.severity != "warning"]
    assert [alert.action for alert in pages] == ["trigger"]
    (page,) = pages
    assert page.segment == {"service": "shop", "language": "de"}
    assert page.series == "faithfulness"
    assert page.before.value - page.now.value > 0.15
    assert page.before.n > 100
    assert "segment language=de" in page.summary
    assert len(page.examples) == 3
    assert sum(rate is not None for rate in page.history) > 10
    assert abs(page.since.timestamp() * 1e9 - (START + 72 * HOUR)) < 4 * HOUR
    assert service.canaries >= 100
    after = [alert for alert in service.live(HEALTHY, 20) if alert.severity != "warning"]
    assert [(alert.action, alert.dedup_key) for alert in after] == [("resolve", page.dedup_key)]


def test_verdicts_of_canaries_are_no_scores_of_record(service: Service) -> None:
    """They are kept apart, with what was said before."""
    service.live(GERMAN_ILL, 12)
    ((verdicts, judged),) = rows(
        service,
        "SELECT (SELECT count(*) FROM verdicts), (SELECT count(*) FROM ledger WHERE state = 'judged')",
    )
    assert verdicts == judged
    ((kept, same),) = rows(
        service, "SELECT count(*), sum(passed_before = passed_now) FROM rejudged WHERE at > 0"
    )
    assert kept == service.canaries
    assert same == kept


def test_a_judge_that_drifts_is_a_ticket_and_wakes_nobody(service: Service) -> None:
    """The same answers, another judge behind the same name: past traces judged again tell."""
    told = service.live(Hour(judge_drifted=True), 16)
    assert {alert.severity for alert in told} == {"warning"}
    assert "judge" in {alert.series for alert in told}


def test_an_outage_of_the_retriever_is_one_page(service: Service) -> None:
    """Nothing to cite and nothing to be faithful to, but one cause."""
    told = service.live(Hour(nothing_retrieved=0.6, unfaithful={"de": 0.5, "en": 0.5}), 8)
    pages = [(alert.series, alert.action) for alert in told if alert.severity != "warning"]
    assert pages == [("retrieval", "trigger")]
    assert told[0].at.timestamp() * 1e9 - (START + 72 * HOUR) < 2.1 * HOUR
    service.live(HEALTHY, 40)
    assert rows(service, "SELECT DISTINCT series FROM incidents WHERE told AND series IN ('citation')") == []
    assert rows(service, "SELECT count(*) FROM incidents WHERE resolved_at IS NULL") == [(0,)]


def test_a_process_that_restarts_every_hour_tells_the_same(
    tmp_path: Path, healthy: tuple[Path, Service]
) -> None:
    """All that matters is in the store."""
    told: list[list[tuple[object, ...]]] = []
    for restarts in (False, True):
        folder = tmp_path / str(restarts)
        folder.mkdir()
        settings = settings_in(folder)
        shutil.copy(healthy[0], settings.store.path)
        with SqliteStore(settings, durable=False) as store:
            service = healthy[1].continued(settings, store)
            service.alerts.clear()
            for _ in range(10):
                if restarts:
                    service.restart()
                service.live(GERMAN_ILL)
            told.append([(alert.action, alert.title, alert.summary) for alert in service.alerts])
    assert told[0] == told[1] != []


def test_a_burst_judges_more_with_a_higher_probability_and_the_weights_follow(service: Service) -> None:
    """What a second draw adds is stored before its verdict; the mean over all stays the truth's."""
    service.live(GERMAN_ILL, 6)
    found = rows(service, "SELECT DISTINCT inclusion FROM ledger ORDER BY 1")
    assert found[0] == (RATE,)
    assert len(found) > 1
    assert rows(
        service,
        "SELECT count(*) FROM observations o JOIN records r ON r.id = o.record_id "
        "JOIN ledger l USING (trace_id, span_id) WHERE o.series = 'faithfulness' "
        "AND abs(o.weight * l.inclusion - 1) > 1e-9",
    ) == [(0,)]
    assert rows(service, "SELECT count(*) FROM ledger WHERE state = 'pending'") == [(0,)]


def test_a_burst_raises_what_a_lost_verdict_counts_for_as_well(service: Service) -> None:
    """Its probability is that of its like, or the lost of the first draw would stand for more than there are."""
    service.live(replace(GERMAN_ILL, unreadable=4), 6)
    found = rows(service, "SELECT trace_id, inclusion FROM ledger WHERE reason = 'unparseable'")
    first = [inclusion for trace_id, inclusion in found if fraction(str(trace_id)) < RATE]
    assert sum(float(str(inclusion)) > RATE for inclusion in first) > 2


def test_a_judge_that_does_not_answer_holds_a_batch_for_a_while_only(service: Service) -> None:
    """After detect.verdict_seconds the batch is decided without."""
    service.answering = False
    service.live(HEALTHY, 6)
    waits = rows(service, "SELECT count(*) FROM sightings WHERE batch IS NULL")
    assert waits == [(0,)]
    assert "judge" in {alert.series for alert in service.alerts}
    assert {alert.severity for alert in service.alerts} == {"warning"}


def test_replies_that_nobody_could_read_are_a_ticket_when_they_become_more(service: Service) -> None:
    """They are verdicts that never came, to the detector as well, and no answers without claims."""
    told = service.live(Hour(unreadable=6), 12)
    assert {(alert.series, alert.severity, alert.action) for alert in told} == {
        ("judge", "warning", "trigger")
    }
    assert "of the last" in told[0].summary


def test_a_detector_learns_beside_a_usual_share_of_unreadable_replies(tmp_path: Path) -> None:
    """One in eight from the first day on is nothing to tell, and a fall beside them is paged."""
    settings = settings_in(tmp_path)
    with SqliteStore(settings, durable=False) as store:
        service = Service(settings, store)
        assert service.live(Hour(unreadable=2), 48) == []
        fallen = Hour(unreadable=2, unfaithful={"de": 0.5, "en": 0.5})
        told = service.live(fallen, 12)
        store.checkpoint()
        with closing(reading.open_for_reading(settings.store.path)) as connection:
            place = Place("shop", "production")
            then = [row.state for row in reading_history.seen(connection, place, START, service.now)]
            lately = [row.state for row in detected.last_day(connection, place, service.now)]
    assert [(alert.series, alert.action) for alert in told if alert.severity != "warning"] == [
        ("faithfulness", "trigger")
    ]
    assert 0.08 < then.count("failed") / (then.count("failed") + then.count("judged")) < 0.17
    assert lately.count("failed") == then[-len(lately) :].count("failed") > 0


def test_what_comes_too_late_enters_no_batch(tmp_path: Path) -> None:
    """A record of a week ago is stored and scored, and the detector never sees it."""
    settings = settings_in(tmp_path, late_seconds=3600)
    with SqliteStore(settings, durable=False) as store:
        service = Service(settings, store)
        service.live(HEALTHY, 6)
        ((before,),) = rows(service, "SELECT count(*) FROM sightings")
        store.records.commit([service.trace(HEALTHY, 0)], None, service.now + 30 * HOUR)
        assert rows(service, "SELECT count(*) FROM sightings") == [(before,)]


def test_a_batch_is_not_begun_while_the_inbox_is_not_read(service: Service) -> None:
    """After an outage of the scorer the hours that it missed are no outage of traffic."""
    waiting = "SELECT count(*) FROM sightings WHERE batch IS NULL"
    traces = [service.trace(HEALTHY, place) for place in range(20)]
    service.store.records.commit(traces, None, service.now + HOUR)
    service.watcher.tick(service.now + 3 * HOUR, caught_up=False)
    assert rows(service, waiting) == [(20,)]
    service.watcher.tick(service.now + 3 * HOUR, caught_up=True)
    assert rows(service, waiting) == [(0,)]


def test_a_level_that_was_always_under_the_floor_is_one_page_until_it_is_back(tmp_path: Path) -> None:
    """No baseline shows it; the level is corrected for the judge, and comes with interval and n."""
    settings = settings_in(tmp_path, slo=0.9)
    low = Hour(unfaithful={"de": 0.3, "en": 0.3})
    with SqliteStore(settings, durable=False) as store:
        service = Service(settings, store)
        told = service.live(low, 60)
        (page,) = (alert for alert in told if alert.severity != "warning")
        assert page.title.startswith("Faithfulness of shop is under its floor of 90.0 %: ")
        assert page.before.value == 0.9
        assert page.now.value == pytest.approx(0.7, abs=0.1)
        assert page.now.lower < page.now.value < page.now.upper < 0.9
        assert page.now.calibrated
        assert START + 48 * HOUR <= page.at.timestamp() * 1e9 < START + 60 * HOUR
        over = [alert for alert in service.live(HEALTHY, 72) if alert.severity != "warning"]
        assert [(alert.action, alert.dedup_key) for alert in over] == [("resolve", page.dedup_key)]


def test_a_floor_pages_nobody_by_labels_of_other_traffic(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """What ships with the judge says nothing of this traffic's level, so nothing that should wake anybody."""
    settings = settings_in(tmp_path, slo=0.9)
    settings = settings.model_copy(update={"monitor": settings.monitor.model_copy(update={"gold": None})})
    with SqliteStore(settings, durable=False) as store:
        service = Service(settings, store)
        told = service.live(Hour(unfaithful={"de": 0.3, "en": 0.3}), 60)
        assert not [alert for alert in told if alert.severity != "warning"]
    assert "detect.slo pages nobody until monitor.gold names labels of yours" in caplog.text


def test_a_budget_that_burns_pages_before_the_floor_has_waited_for_its_day(tmp_path: Path) -> None:
    """Thirty in a hundred where ten are allowed, and twice that is too fast."""
    settings = settings_in(tmp_path, slo=0.9, burn=2.0)
    with SqliteStore(settings, durable=False) as store:
        service = Service(settings, store)
        told = service.live(Hour(unfaithful={"de": 0.3, "en": 0.3}), 36)
        (page,) = (alert for alert in told if alert.severity != "warning")
        assert page.title.startswith("Faithfulness of shop is under its floor of 90.0 %: ")
        assert "times as fast as they may over 6 hours" in page.summary
        assert page.at.timestamp() * 1e9 < START + 36 * HOUR


def test_new_labels_end_the_correction_for_a_judge_that_moved(service: Service) -> None:
    """They were made with the judge as it is now."""
    service.live(Hour(judge_drifted=True), 16)
    assert moved(service) != 0.0
    service.restart()
    service.live(Hour(judge_drifted=True), 1)
    assert moved(service) != 0.0
    path = service.settings.monitor.gold
    assert path is not None
    path.write_text("\n".join([*path.read_text().splitlines(), '{"truth": 1, "verdict": 0, "cheap": 0.8}']))
    service.restart()
    service.live(Hour(judge_drifted=True), 1)
    assert moved(service) == 0.0


def moved(service: Service) -> float:
    """By how much the saved detector holds the judge to have moved."""
    _, core = service.store.watching.detector(Place("shop", "production"))
    assert core is not None
    return float(json.loads(core)["memory"]["judge_moved"])


def test_canaries_are_asked_while_scores_fill_the_queue(service: Service) -> None:
    """They have turns of their own before the judge: one that stays behind would never be asked whether it changed."""
    asked = service.canaries
    service.room = 0
    service.live(ALL_ILL, 3)
    assert service.canaries >= asked + 100


def nobody(wanted: int, room: int, asked: int) -> int:
    """So many may be asked."""
    return 0


def test_canaries_wait_for_those_of_others_and_ask_once_there_is_room(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many services that fell at once gave the judge thousands."""
    asked = service.canaries
    with monkeypatch.context() as crowded:
        crowded.setattr(watcher, "most_to_ask", nobody)
        service.live(ALL_ILL, 3)
        assert service.canaries == asked
    service.tick(service.now + 180 * 10**9)  # the next look, and not the next batch
    assert service.canaries >= asked + 100


def test_canaries_that_nobody_answers_are_withdrawn_before_others_are_asked(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They stayed in the judge's queue, and the next ones came behind them."""
    with monkeypatch.context() as crowded:
        crowded.setattr(watcher, "most_to_ask", nobody)
        service.live(ALL_ILL, 3)
    service.answering = False
    service.tick(service.now + 180 * 10**9)
    first = service.asked
    assert len(first) >= 100
    assert service.withdrawn == []
    service.live(ALL_ILL)
    assert sorted(service.withdrawn) == sorted(first)


def test_past_answers_that_are_due_stay_due_until_the_judge_answers(tmp_path: Path) -> None:
    """It was away for a quarter of an hour when they were: a week passed before it was asked again."""
    settings = settings_in(tmp_path)
    judge = settings.judge.model_copy(update={"kind": "openai", "model": "one"})
    settings = settings.model_copy(update={"judge": judge})
    with SqliteStore(settings, durable=False) as store:
        service = Service(settings, store)
        service.live(HEALTHY, 24)
        service.rejudging = False
        service.live(HEALTHY, 6)
        asked = len(service.asked)
        assert asked > 0
        service.rejudging = True
        service.live(HEALTHY, 3)
        assert service.canaries == len(service.asked) - asked > 0
        service.live(HEALTHY, 3)
        assert service.canaries == len(service.asked) - asked  # not due any more

"""The monitor over a store: one page per fall, whatever happens around it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.scorer.monitor.series_in_memory import (
    MINUTE,
    RULE,
    SETTINGS,
    START,
    Memory,
    monitor,
    one_fall,
    run,
)

from ragvigil.exporters import as_text
from ragvigil.scorer.config import Links
from ragvigil.scorer.config import Monitor as Settings
from ragvigil.scorer.monitoring import SeriesKey

FAITHFULNESS = SeriesKey("faithfulness", "help-desk", "production")
CITATION = SeriesKey("citation", "help-desk", "production")
GOLDEN = Path(__file__).parents[2] / "exporters" / "golden"


def test_a_fall_pages_once_and_resolves_once() -> None:
    """Trigger, then resolve, on one dedup key."""
    store = Memory()
    one_fall(store, FAITHFULNESS)
    alerts = run(monitor(store), range(270))
    assert [alert.action for alert in alerts] == ["trigger", "resolve"]
    assert len({alert.dedup_key for alert in alerts}) == 1
    assert [alert for _, alert in store.outbox] == alerts
    trigger, resolve = alerts
    assert START + 181 * MINUTE <= trigger.at.timestamp() * 1e9 <= START + 185 * MINUTE
    assert trigger.since.timestamp() * 1e9 == START + 180 * MINUTE
    assert START + 220 * MINUTE <= resolve.at.timestamp() * 1e9 <= START + 225 * MINUTE
    assert store.states[FAITHFULNESS] == "ok"


@pytest.mark.parametrize("minutes", [25, 50, 100])
def test_a_fall_that_fills_its_longest_window_is_told_from_its_beginning(minutes: int) -> None:
    """Seen late, the demo's page held the first seconds of the fault against itself: "before" was 96.8 %."""
    store = Memory()
    store.add(FAITHFULNESS, range(180), 0.95)
    store.add(FAITHFULNESS, range(180, 180 + minutes), 0.5)
    watching = monitor(store)
    assert run(watching, range(180)) == []
    (alert,) = run(watching, range(179 + minutes, 180 + minutes))
    assert alert.since.timestamp() * 1e9 == START + 180 * MINUTE
    assert alert.before.value == pytest.approx(0.95)
    assert alert.now.value == pytest.approx(0.5)


def test_a_monitor_restarted_before_every_tick_pages_the_same() -> None:
    """All that matters is in the store."""
    steady, restarted = Memory(), Memory()
    for store in (steady, restarted):
        one_fall(store, CITATION)
    expected = run(monitor(steady), range(270))
    assert run(lambda: monitor(restarted), range(270)) == expected
    assert restarted.incidents == steady.incidents


def test_a_second_fall_is_a_second_incident() -> None:
    """With another key, against a baseline that has forgotten the first."""
    store = Memory()
    one_fall(store, CITATION)
    store.add(CITATION, range(270, 300), 0.5)
    store.add(CITATION, range(300, 340), 0.95)
    alerts = run(monitor(store), range(340))
    assert [alert.action for alert in alerts] == ["trigger", "resolve", "trigger", "resolve"]
    first, second = alerts[0], alerts[2]
    assert first.dedup_key != second.dedup_key
    assert second.before.value == pytest.approx(0.95)


def test_a_fall_that_deepens_updates_the_same_incident() -> None:
    """Once, not at every tick."""
    store = Memory()
    store.add(CITATION, range(180), 0.95)
    store.add(CITATION, range(180, 220), 0.75)
    store.add(CITATION, range(220, 260), 0.25)
    alerts = run(monitor(store), range(260))
    assert [alert.action for alert in alerts][:2] == ["trigger", "update"]
    assert len(alerts) <= 4
    assert alerts[-1].now.value == pytest.approx(0.25, abs=0.02)
    assert len({alert.dedup_key for alert in alerts}) == 1
    assert "Worse" in alerts[1].title


def test_a_fall_soon_after_a_recovery_reopens_the_incident() -> None:
    """Same incident, same dedup key, and the page says that it is the second time."""
    store = Memory()
    one_fall(store, CITATION)
    store.add(CITATION, range(230, 260), 0.5)
    store.add(CITATION, range(260, 340), 0.95)
    alerts = run(monitor(store), range(340))
    assert [alert.action for alert in alerts] == ["trigger", "resolve", "trigger", "resolve"]
    assert len({alert.dedup_key for alert in alerts}) == len(store.incidents) == 1
    assert alerts[2].title.startswith("Again: citation correctness of help-desk fell from 95.0")


def test_a_series_that_flaps_tells_less_and_less() -> None:
    """Each re-open doubles the time that it must look well: twelve hours of flapping are a handful of messages."""
    store = Memory()
    store.add(CITATION, range(180), 0.95)
    for begin in range(180, 180 + 720, 40):
        store.add(CITATION, range(begin, begin + 20), 0.5)
        store.add(CITATION, range(begin + 20, begin + 40), 0.95)
    store.add(CITATION, range(900, 1_100), 0.95)
    alerts = run(monitor(store), range(1_100))
    assert len(store.incidents) == 1
    assert 4 <= len(alerts) <= 6
    assert alerts[-1].action == "resolve"


def test_a_level_between_fall_and_recovery_does_not_flap() -> None:
    """What fell by 45 points and came back to within 4 of 5 neither resolves nor pages again."""
    store = Memory()
    store.add(CITATION, range(180), 0.95)
    store.add(CITATION, range(180, 200), 0.5)
    store.add(CITATION, range(200, 400), 0.911)
    alerts = run(monitor(store), range(400))
    assert [alert.action for alert in alerts] == ["trigger"]


def test_one_cause_is_one_page_also_for_the_window_rules() -> None:
    """Wrong citations explain that nothing supports the answers; the second fall is kept, and not told."""
    store = Memory()
    one_fall(store, CITATION)
    one_fall(store, FAITHFULNESS)
    alerts = run(monitor(store), range(270))
    (told,) = {alert.series for alert in alerts}
    assert [alert.action for alert in alerts if alert.action != "update"] == ["trigger", "resolve"]
    assert {one.key.name: one.told for one in store.incidents.values()} == {
        told: True,
        ({"citation", "faithfulness"} - {told}).pop(): False,
    }
    assert all(one.resolved_at for one in store.incidents.values())


def test_a_cause_that_is_found_late_is_named_on_the_page_that_is_out() -> None:
    """One update, no second page."""
    store = Memory()
    store.add(FAITHFULNESS, range(180), 0.95)
    store.add(CITATION, range(180), 0.95)
    store.add(FAITHFULNESS, range(180, 230), 0.3)
    store.add(CITATION, range(180, 188), 0.94)
    store.add(CITATION, range(188, 230), 0.5)
    alerts = run(monitor(store), range(220))
    assert [(alert.series, alert.action) for alert in alerts] == [
        ("faithfulness", "trigger"),
        ("faithfulness", "update"),
    ]
    assert "Citation correctness fell as well, and is likely the cause: 9" in alerts[1].summary


def test_what_the_cause_explained_is_told_when_it_outlives_the_cause() -> None:
    """After the citations are right for a window, a rate that is still low is a page of its own."""
    store = Memory()
    one_fall(store, CITATION)
    store.add(FAITHFULNESS, range(180), 0.95)
    store.add(FAITHFULNESS, range(181, 270), 0.5)
    alerts = run(monitor(store), range(270))
    assert [(alert.series, alert.action) for alert in alerts] == [
        ("citation", "trigger"),
        ("citation", "resolve"),
        ("faithfulness", "trigger"),
    ]


def test_a_fall_that_begins_hours_later_is_another_cause() -> None:
    """An incident that has been open for long does not swallow what is new."""
    store = Memory()
    store.add(CITATION, range(180), 0.95)
    store.add(CITATION, range(180, 400), 0.5)
    store.add(FAITHFULNESS, range(300), 0.95)
    store.add(FAITHFULNESS, range(300, 400), 0.5)
    alerts = run(monitor(store), range(400))
    assert [(alert.series, alert.action) for alert in alerts] == [
        ("citation", "trigger"),
        ("faithfulness", "trigger"),
    ]


def test_late_data_withdraw_a_page() -> None:
    """What had been told did not happen: the channels hear it at once, and the baseline keeps the stretch."""
    store = Memory()
    store.add(FAITHFULNESS, range(180), 0.95)
    store.add(FAITHFULNESS, range(180, 190), 0.5)
    watching = monitor(store)
    (trigger,) = run(watching, range(190))
    store.add(FAITHFULNESS, range(180, 192), 0.94)
    (withdrawn,) = run(watching, range(190, 240))
    assert withdrawn.action == "resolve"
    assert withdrawn.dedup_key == trigger.dedup_key
    assert withdrawn.title == "Withdrawn: late data show that faithfulness of help-desk did not fall"
    assert withdrawn.at.timestamp() * 1e9 == START + 191 * MINUTE
    assert store.incident_spans(FAITHFULNESS, 0) == []


def test_a_fall_that_was_withdrawn_and_shows_again_is_the_same_incident() -> None:
    """Later data still: nobody was wrong to be told, and what the store knows of it is not replaced."""
    store = Memory()
    store.add(FAITHFULNESS, range(180), 0.95)
    store.add(FAITHFULNESS, range(180, 190), 0.5)
    rule = RULE.model_copy(update={"reopen_seconds": 60.0})
    watching = monitor(store, SETTINGS.model_copy(update={"faithfulness": rule}))
    (trigger,) = run(watching, range(190))
    store.add(FAITHFULNESS, range(180, 196), 0.94)
    run(watching, range(190, 194))
    store.add(FAITHFULNESS, range(180, 196), 0.5)
    (again,) = run(watching, range(194, 196))
    (incident,) = store.incidents.values()
    assert (again.action, again.dedup_key) == ("trigger", trigger.dedup_key)
    assert again.title.startswith("Again: faithfulness of help-desk fell from 95.0")
    assert (incident.opened_at, incident.reopened) == (trigger.at.timestamp() * 1e9, 1)
    assert not incident.withdrawn


def test_late_data_amend_a_page() -> None:
    """Once: the corrected level is told, not at every tick."""
    store = Memory()
    store.add(FAITHFULNESS, range(180), 0.95)
    store.add(FAITHFULNESS, range(180, 190), 0.2)
    watching = monitor(store)
    run(watching, range(190))
    store.add(FAITHFULNESS, range(180, 190), 0.7)
    store.add(FAITHFULNESS, range(190, 200), 0.7)
    (amended,) = run(watching, range(190, 200))
    assert amended.action == "update"
    assert amended.title.startswith("Corrected by late data: faithfulness of help-desk fell from 95.0")
    assert amended.now.value == pytest.approx(0.7)


def test_a_fault_that_heals_at_once_is_not_withdrawn() -> None:
    """Good answers after the page do not mean that the bad ones were not given."""
    store = Memory()
    store.add(CITATION, range(180), 0.95)
    store.add(CITATION, range(180, 184), 0.2)
    store.add(CITATION, range(184, 240), 0.95)
    alerts = run(monitor(store), range(240))
    assert [alert.action for alert in alerts] == ["trigger", "resolve"]
    assert alerts[1].title.startswith("Resolved: ")


def test_a_fault_that_lasts_longer_than_the_baseline_stays_open() -> None:
    """The baseline of an incident is frozen: bad does not become normal."""
    store = Memory()
    store.add(CITATION, range(180), 0.95)
    store.add(CITATION, range(180, 180 + 300), 0.7)
    alerts = run(monitor(store), range(480))
    assert [alert.action for alert in alerts] == ["trigger"]
    assert store.states[CITATION] == "alert"


def test_only_paging_environments_page() -> None:
    """Staging is watched and remembered; a service that names no environment pages."""
    for environment, pages in (("staging", False), ("prod", True), (None, True)):
        store = Memory()
        key = CITATION._replace(environment=environment)
        one_fall(store, key)
        alerts = run(monitor(store), range(270))
        assert bool(alerts) is pages
        assert bool(store.outbox) is pages
        assert len(store.incidents) == 1


def test_no_data_is_never_zero() -> None:
    """Silence neither pages nor resolves, and says what it is."""
    store = Memory()
    store.add(FAITHFULNESS, range(180), 0.95)
    assert run(monitor(store), range(260)) == []
    assert store.states[FAITHFULNESS] == "no_data"
    store.add(FAITHFULNESS, range(260, 280), 0.2)
    run(monitor(store), range(260, 280))
    assert store.states[FAITHFULNESS] == "alert"
    assert run(monitor(store), range(280, 600)) == []
    assert store.states[FAITHFULNESS] == "no_data"
    assert store.open_incident(FAITHFULNESS) is not None


def test_a_judge_that_does_not_answer_is_named() -> None:
    """Records wait for longer than a window, and no verdict comes."""
    store = Memory()
    store.add(FAITHFULNESS, range(180), 0.95)
    store.waiting_since = [START + 181 * MINUTE] * 12
    assert run(monitor(store), range(180, 200)) == []
    assert store.states[FAITHFULNESS] == "judge_unavailable"


def test_a_verdict_that_is_only_later_than_the_window_is_no_fault_of_the_judge() -> None:
    """With a window of seconds the built-in judge was called away while its queue was empty."""
    store = Memory()
    store.add(FAITHFULNESS, range(180), 0.95)
    store.waiting_since = [START + 199 * MINUTE - 1]
    run(monitor(store), range(180, 200))
    assert store.states[FAITHFULNESS] == "insufficient_sample"


def test_an_open_incident_whose_newest_answers_wait_for_their_verdict_stays_an_alert() -> None:
    """It was said to be the judge's fault."""
    store = Memory()
    store.add(FAITHFULNESS, range(180), 0.95)
    store.add(FAITHFULNESS, range(180, 200), 0.2)
    run(monitor(store), range(180, 200))
    store.waiting_since = [START + 299 * MINUTE - 1]
    run(monitor(store), range(200, 300))
    assert store.states[FAITHFULNESS] == "alert"
    store.waiting_since = []
    run(monitor(store), range(300, 302))
    assert store.states[FAITHFULNESS] == "no_data"


def test_of_many_silent_series_what_waits_is_read_once_a_tick() -> None:
    """With 500 services and 10,000 waiting records a tick took six of its ten seconds."""
    store = Memory()
    for number in range(20):
        store.add(FAITHFULNESS._replace(service=f"service-{number}"), range(180), 0.95)
    store.waiting_since = [START + 181 * MINUTE]
    run(monitor(store), range(198, 200))
    assert set(store.states.values()) == {"judge_unavailable"}
    assert store.asked_who_waits == 2


def test_a_new_service_is_cold_and_a_quiet_one_insufficient() -> None:
    """Neither pages, however bad it looks."""
    store = Memory()
    store.add(CITATION, range(50), 0.1)
    assert run(monitor(store), range(50)) == []
    assert store.states[CITATION] == "cold_start"
    quiet = Memory()
    quiet.add(CITATION, range(180), 0.95, n=1)
    quiet.add(CITATION, range(180, 190), 0.0, n=1)
    assert run(monitor(quiet), range(190)) == []
    assert quiet.states[CITATION] == "insufficient_sample"


def test_every_look_is_remembered_with_its_numbers() -> None:
    """For `ragvigil status`."""
    store = Memory()
    store.add(CITATION, range(180), 0.95)
    run(monitor(store), range(178, 180))
    before, now = store.shown[CITATION]
    assert before is not None
    assert now is not None
    assert now.value == pytest.approx(0.95)
    assert now.lower < now.value < now.upper
    assert now.n == 400


def test_a_series_that_cannot_be_read_does_not_silence_the_others(caplog: pytest.LogCaptureFixture) -> None:
    """It is logged, and looked at again at the next tick."""
    store = Memory()
    one_fall(store, FAITHFULNESS)
    one_fall(store, CITATION)
    store.broken = FAITHFULNESS
    alerts = run(monitor(store), range(270))
    assert [alert.series for alert in alerts] == ["citation", "citation"]
    assert "disk on fire" in caplog.text


def test_a_clock_that_jumps_back_does_not_page_again() -> None:
    """Nor resolve what is open."""
    store = Memory()
    one_fall(store, CITATION)
    watching = monitor(store)
    assert [alert.action for alert in run(watching, range(200))] == ["trigger"]
    assert run(watching, range(100, 190)) == []
    assert [alert.action for alert in run(watching, range(200, 270))] == ["resolve"]


def test_a_tick_does_not_read_the_whole_baseline_again() -> None:
    """A hundred ticks of ten seconds at the defaults read the week about once."""
    settings = Settings()
    store = Memory()
    store.add(FAITHFULNESS, range(0, 8 * 1_440, 5), 0.95)
    watching = monitor(store, settings)
    now = START + 8 * 1_440 * MINUTE
    watching.tick(now)
    once = store.reads
    for tick in range(1, 61):
        watching.tick(now + tick * 10 * 1_000_000_000)
    assert store.reads - once < 8 * once
    assert watching.tick(now + 20 * MINUTE) == []


def test_links_never_lead_to_this_machine() -> None:
    """A phone cannot open 127.0.0.1."""
    local = Links(
        public_url="http://127.0.0.1:4319", trace_url_template="http://localhost:16686/trace/{trace_id}"
    )
    store = Memory()
    one_fall(store, CITATION)
    trigger = run(monitor(store, links=local), range(190))[0]
    assert trigger.link is None
    assert [example.url for example in trigger.examples] == [None, None, None]
    assert "127.0.0.1" not in as_text(trigger)
    assert "localhost" not in as_text(trigger)


def test_a_page_shows_the_course_of_the_rate() -> None:
    """Good, then bad, the moment of the fall between them; and good again at the end."""
    store = Memory()
    one_fall(store, FAITHFULNESS)
    trigger, resolve = run(monitor(store), range(270))
    for alert, last in ((trigger, 0.5), (resolve, 0.95)):
        seen = [value for value in alert.history if value is not None]
        assert seen[0] == pytest.approx(0.95)
        assert seen[-1] == pytest.approx(last)
        assert min(seen) == pytest.approx(0.5)
        assert len(seen) == len(alert.history) <= 40


def test_text_from_traces_is_fit_to_show() -> None:
    """No escape sequences, no reordering, no lines of its own."""
    store = Memory()
    key = CITATION._replace(service="help\x1b]0;\u202edesk\n" + "x" * 500)
    one_fall(store, key)
    trigger = run(monitor(store), range(190))[0]
    assert len(trigger.title) <= 120
    for text in (trigger.title, trigger.service, *(example.reason for example in trigger.examples)):
        assert text.isprintable()
    assert "<b>" in (trigger.examples[0].answer or "")


def test_the_pages_read_as_the_golden_files_show() -> None:
    """What a person gets, for a fall and its end; WRITE_GOLDEN=1 writes them anew."""
    store = Memory()
    one_fall(store, CITATION)
    for alert in run(monitor(store), range(270)):
        path = GOLDEN / f"citation_{alert.action}.txt"
        if os.environ.get("WRITE_GOLDEN"):
            path.write_text(as_text(alert) + "\n")
        assert as_text(alert) + "\n" == path.read_text()

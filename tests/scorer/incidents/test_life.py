"""The life of an incident, as values."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragvigil.exporters import Measurement
from ragvigil.scorer.config import Rule
from ragvigil.scorer.detect import Course, Evaluation
from ragvigil.scorer.estimate import Estimate
from ragvigil.scorer.incidents.life import advanced, again, corrected, dedup_key, opened, reopened
from ragvigil.scorer.monitoring import Incident, SeriesKey

SECOND = 1_000_000_000
KEY = SeriesKey("faithfulness", "help-desk", "production")
RULE = Rule(resolve_seconds=600)


def estimate(value: float, *, half: float = 0.02, n: int = 400) -> Estimate:
    """An estimate with an interval of twice `half`."""
    return Estimate(value, value - half, value + half, n, 10 * n, float(n), 0.95)


def level(value: float, lower: float, upper: float, n: int) -> Measurement:
    """A level as it is kept."""
    return Measurement(value, lower, upper, n)


def fallen(since: int = 10_000 * SECOND) -> Incident:
    """An incident from 95 to 70 %."""
    incident = opened(KEY, Evaluation("alert", estimate(0.95), estimate(0.7), since), RULE, at=since + SECOND)
    assert incident is not None
    return incident


def test_only_a_fall_opens_an_incident() -> None:
    """No other state does, whatever its numbers."""
    for state in ("ok", "insufficient_sample", "no_data", "judge_unavailable", "cold_start"):
        evaluation = Evaluation(state, estimate(0.95), estimate(0.2))
        assert opened(KEY, evaluation, RULE, at=0) is None


def test_an_incident_remembers_from_what_to_what_and_since_when() -> None:
    """As measured when it opened."""
    incident = fallen()
    assert incident.before == Measurement(0.95, 0.95 - 0.02, 0.95 + 0.02, 400, 4000, "hajek-wilson")
    assert incident.worst == incident.now
    assert incident.since == 10_000 * SECOND
    assert incident.resolved_at is None


def test_two_replicas_that_look_at_different_moments_agree_on_the_key() -> None:
    """The key tells when the fall began, not who saw it when."""
    evaluation = Evaluation("alert", estimate(0.95), estimate(0.7), 10_000 * SECOND)
    first = opened(KEY, evaluation, RULE, at=10_100 * SECOND)
    second = opened(KEY, evaluation, RULE, at=10_190 * SECOND)
    assert first is not None
    assert second is not None
    assert (first.dedup_key, first.id) == (second.dedup_key, second.id)


def test_a_later_incident_has_another_key() -> None:
    """Even one that seems to begin where the first had not yet ended."""
    first = fallen()
    ended = first.since + 600 * SECOND
    evaluation = Evaluation("alert", estimate(0.95), estimate(0.7), first.since + SECOND)
    second = opened(KEY, evaluation, RULE, at=ended + SECOND, not_before=ended)
    assert second is not None
    assert second.since == ended
    assert second.dedup_key != first.dedup_key
    assert second.id != first.id


def test_what_opens_again_is_the_incident_of_the_same_stream() -> None:
    """One that resolved since, or the very same fall that was withdrawn, whenever; never one of another segment."""
    last = replace(fallen(), resolved_at=20_000 * SECOND)
    withdrawn = replace(last, withdrawn=True)
    later = replace(fallen(19_000 * SECOND), opened_at=21_000 * SECOND)
    soon, long_ago = 20_000 * SECOND, 20_001 * SECOND
    assert again([last], later, since=soon) == reopened(last, later)
    assert again([last], later, since=long_ago) == later
    assert again([withdrawn], later, since=soon) == later
    shown_again = again([withdrawn], fallen(), since=long_ago)
    assert (shown_again.id, shown_again.reopened, shown_again.withdrawn) == (last.id, 1, False)
    for other in ({"segment": "language=de"}, {"detector": "sequential"}, {"resolved_at": None}):
        assert again([replace(last, **other)], later, since=soon) == later


def test_keys_differ_by_series_service_and_environment() -> None:
    """And a service cannot imitate another by a slash in its name."""
    keys = [
        KEY,
        KEY._replace(name="citation"),
        KEY._replace(environment=None),
        KEY._replace(service="production/help-desk", environment=None),
        KEY._replace(service="help-desk/x"),
    ]
    assert len({dedup_key(key, 0, grain_seconds=600) for key in keys}) == len(keys)


def test_a_key_of_hostile_names_is_short_and_plain() -> None:
    """PagerDuty takes 255 characters; a log line takes no newline."""
    for service in ("x" * 10_000, "a\nb\x00\u202e", "\ud800", "é" * 300):
        key = dedup_key(KEY._replace(service=service), 0, grain_seconds=600)
        assert len(key) <= 255
        assert key.isascii()
        assert key.isprintable()


def test_a_level_that_stays_says_nothing() -> None:
    """Looks are many; pages are one."""
    incident, action = advanced(fallen(), Course(estimate(0.69)), RULE, at=0)
    assert action is None
    assert incident.now.value == 0.69


def test_a_fall_that_deepens_is_told_once() -> None:
    """The level that was told is the one to be worse than; what is a little lower is only kept."""
    incident, action = advanced(fallen(), Course(estimate(0.5)), RULE, at=0)
    assert action == "update"
    incident, action = advanced(incident, Course(estimate(0.48)), RULE, at=1)
    assert action is None
    assert incident.last_told is not None
    assert (incident.last_told.value, incident.worst.value) == (0.5, 0.48)


def test_an_uncertain_deepening_is_not_told() -> None:
    """Intervals that touch may be the same level."""
    _, action = advanced(fallen(), Course(estimate(0.6, half=0.1)), RULE, at=0)
    assert action is None


def test_the_worst_is_the_level_that_is_surely_low_not_the_first_of_few() -> None:
    """It opens on two dozen answers; 300 that are four points higher say more, and nobody is told again."""
    incident = replace(
        fallen(), worst=level(0.417, 0.245, 0.612, 24), last_told=level(0.417, 0.245, 0.612, 24)
    )
    incident, action = advanced(incident, Course(estimate(0.45, half=0.05, n=300)), RULE, at=0)
    assert (action, incident.worst.value, incident.worst.n) == (None, 0.45, 300)
    incident, _ = advanced(incident, Course(estimate(0.3, half=0.25, n=20)), RULE, at=1)
    assert incident.worst.n == 300
    incident, _ = advanced(incident, Course(estimate(0.94), over=True), RULE, at=2)
    assert incident.worst.n == 300


def test_a_slow_slide_is_told_though_each_step_becomes_the_worst() -> None:
    """An update is against what was told: against the worst of before it each step would be too small."""
    incident = fallen()
    actions: list[str | None] = []
    for step in range(1, 16):
        incident, action = advanced(incident, Course(estimate(0.7 - 0.02 * step, half=0.01)), RULE, at=step)
        actions.append(action)
        assert incident.worst.value == pytest.approx(0.7 - 0.02 * step)
    assert 1 < actions.count("update") < 6


def test_late_data_correct_a_worst_that_was_mostly_theirs() -> None:
    """What was wrong in the first stretch is in its worst; twice as many answers stand by themselves."""
    first = level(0.42, 0.25, 0.61, 24)
    told = replace(fallen(), first=first, last_told=first)
    before, late = estimate(0.95), estimate(0.75, half=0.03)
    own, _ = corrected(replace(told, worst=level(0.4, 0.24, 0.58, 28)), before, late, RULE, at=1)
    assert own.worst == own.last_told == own.now
    assert own.worst.value == 0.75
    other, _ = corrected(replace(told, worst=level(0.45, 0.4, 0.5, 300)), before, late, RULE, at=1)
    assert other.worst.n == 300


def test_a_recovery_resolves_only_when_it_lasted() -> None:
    """Until then it is remembered, and may be taken back."""
    incident, action = advanced(fallen(), Course(estimate(0.94), 11_000 * SECOND), RULE, at=0)
    assert (action, incident.recovering_since, incident.resolved_at) == (None, 11_000 * SECOND, None)
    incident, action = advanced(incident, Course(estimate(0.7)), RULE, at=1)
    assert (action, incident.recovering_since) == (None, None)
    incident, action = advanced(incident, Course(estimate(0.94), 12_000 * SECOND, over=True), RULE, at=9)
    assert (action, incident.resolved_at) == ("resolve", 9)


def test_too_little_data_changes_nothing() -> None:
    """Neither better nor worse."""
    before = replace(fallen(), recovering_since=7)
    assert advanced(before, Course(None), RULE, at=0) == (before, None)

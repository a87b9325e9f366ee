"""Charts of rates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil.scorer.dashboard.course import course_of
from ragvigil.scorer.dashboard.drawing import LARGE, SMALL, Mark, drawing_of
from ragvigil.scorer.moments import DAY, HOUR, MINUTE
from ragvigil.scorer.monitoring import Bucket, Sums

NOW = 1_772_323_200 * 10**9


def seen(start: int, n: int, value: float = 1.0) -> Bucket:
    """A bucket with n observations of that mean."""
    return Bucket(start, Sums(n, n, n * value, n, n * value, n * value))


@given(st.lists(st.tuples(st.integers(0, 999), st.integers(1, 60)), max_size=40))
def test_every_observation_is_in_one_step_or_told_as_too_few(found: list[tuple[int, int]]) -> None:
    """A rate is shown from 20 on; nothing is lost, nothing counted twice, no step overlaps another."""
    course = course_of([seen(start, n) for start, n in sorted(dict(found).items())], 0, 1_000)
    assert sum(step.n for step in course.steps) + course.too_few == sum(dict(found).values())
    assert all(step.n >= 20 for step in course.steps)
    edges = [edge for step in course.steps for edge in (step.start, step.end)]
    assert edges == sorted(edges)


def test_a_chart_shows_rate_interval_and_marks_in_their_places() -> None:
    """Upright is less, rightward is later."""
    begin = NOW - 4 * HOUR
    course = course_of([seen(begin, 100), seen(begin + MINUTE, 0), seen(NOW - HOUR, 100, 0.6)], begin, NOW)
    drawing = drawing_of(
        course,
        LARGE,
        usual=0.97,
        marks=[Mark(NOW - 2 * HOUR, "v2", "change"), Mark(NOW + 1, "later", "fall")],
    )
    assert drawing is not None
    first, last = drawing.bars
    assert first.x < last.x
    assert first.y < last.y
    assert all(bar.top <= bar.y <= bar.top + bar.height for bar in drawing.bars)
    assert [line.kind for line in drawing.lines] == ["change"]
    assert [tick.text for tick in drawing.rates] == ["50 %", "75 %", "100 %"]
    assert drawing.times[0].text == "20:00"
    assert "60.0 % [50.2, 69.1] n=100" in drawing.words


@pytest.mark.parametrize("long", [MINUTE, HOUR, DAY, 28 * DAY, 400 * DAY, 10_000 * DAY])
def test_times_have_room(long: int) -> None:
    """Nine words at most."""
    course = course_of([seen(NOW - long, 100)], NOW - long, NOW)
    drawing = drawing_of(course, LARGE)
    assert drawing is not None
    assert 1 <= len(drawing.times) <= 9


@pytest.mark.parametrize(
    "long", [10 * MINUTE, HOUR, 25 * HOUR, 9 * DAY, 13 * DAY, 17 * DAY, 28 * DAY, 60 * DAY]
)
def test_a_chart_has_times_enough_to_read_one_off(long: int) -> None:
    """Nine days of a month's chart had a single date below them."""
    drawing = drawing_of(course_of([seen(NOW - long, 100)], NOW - long, NOW), LARGE)
    assert drawing is not None
    assert 3 <= len(drawing.times) <= 9


def test_a_course_without_enough_is_no_chart() -> None:
    """Nineteen answers are no rate."""
    course = course_of([seen(0, 19)], 0, 100)
    assert course.too_few == 19
    assert drawing_of(course, SMALL) is None


def test_nothing_is_drawn_where_nothing_was_seen() -> None:
    """Two looks three days apart were one step of half a week."""
    begin = NOW - 7 * DAY
    course = course_of([seen(begin, 20), seen(begin + 3 * DAY, 20)], begin, NOW)
    assert [step.n for step in course.steps] == [20, 20]
    assert all(step.end - step.start <= 3 * HOUR for step in course.steps)
    scattered = course_of([seen(begin, 5), seen(NOW - HOUR, 20)], begin, NOW)
    assert ([step.n for step in scattered.steps], scattered.too_few) == ([20], 5)

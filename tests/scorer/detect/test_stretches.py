"""Where a baseline begins that leaves out the times in which the service was ill."""

from __future__ import annotations

import random

from ragvigil.scorer.detect.stretches import Span, untouched

HOUR = 3600 * 10**9


def outside_of(start: int, end: int, spans: list[Span]) -> int:
    """Units of [start, end) in no span, counted one by one."""
    return sum(
        not any(begin <= unit and (stop is None or unit < stop) for begin, stop in spans)
        for unit in range(start, end)
    )


def test_it_is_the_latest_start_with_enough_outside_and_at_most_twice_as_long() -> None:
    """Against counting, over spans that overlap, end with the stretch, or are not over."""
    chance = random.Random(1)
    for _ in range(2000):
        end, length = chance.randrange(40, 80), chance.randrange(1, 25)
        spans: list[Span] = []
        for _ in range(chance.randrange(5)):
            begin = chance.randrange(-10, 90)
            spans.append((begin, None if chance.random() < 0.15 else begin + chance.randrange(30)))
        start = untouched(end, length, spans)
        starts = range(end - 2 * length, end + 1)
        assert start == max(
            (one for one in starts if outside_of(one, end, spans) >= length), default=starts[0]
        )


def test_a_span_that_reaches_a_nanosecond_into_the_stretch_takes_no_longer_than_another() -> None:
    """It was walked back by as much as had been seen of it, a nanosecond at a time: the clock's thread stood still."""
    end, length = 100 * HOUR, 10 * HOUR
    start = end - length
    assert untouched(end, length, [(start - HOUR, start + 1)]) == start - HOUR - 1
    spans: list[Span] = [(start - 9 * HOUR + n * HOUR // 4, start + 1 - n) for n in range(8)]
    assert untouched(end, length, spans) == start - 9 * HOUR - 1

"""Moments: the time of the day that a claim tells beside that of the evidence, in whatever form."""

from __future__ import annotations

from itertools import islice

from ragvigil.scorer.checks.alignment.bounds import bound_of, excepts
from ragvigil.scorer.checks.reading.clock import Time, clock_times, may_be_a_time

_HALF_DAY, _NOON_IS_OVER = 720, 780
"""Minutes."""


def may_tell_moments(claim: str, sentence: str) -> bool:
    """Whether both might tell a time of the day: a quick first look."""
    return may_be_a_time(claim) and may_be_a_time(sentence)


def another_moment(claim: str, sentence: str) -> bool:
    """Whether each side names exactly one time of the day, and not the same; where one side bounds it, nothing.

    >>> another_moment("It leaves at 7:30 in the evening.", "It leaves at 7:30 am.")
    True
    >>> another_moment("At half past seven.", "At 19:30."), another_moment("At 7:30.", "At 7:30 pm.")
    (False, False)
    >>> another_moment("Open at 8 pm.", "Open until 9 pm."), another_moment("At 8 pm.", "From 8 am to 9 pm.")
    (False, False)
    """
    return _differ(claim, sentence) and not moment_leaves_room(claim, sentence)


def moment_leaves_room(claim: str, sentence: str) -> bool:
    """Whether the one moment of `sentence` may be as told and that of `claim` as well: one of them bounds a time.

    >>> moment_leaves_room("It is open from 8 am.", "It is open until 9 pm."), moment_leaves_room("At 8.", "At 9.")
    (True, False)
    """
    if not _differ(claim, sentence):
        return False
    bounds = [
        bound_of(text, start) for text in (claim, sentence) for start, _, _ in islice(clock_times(text), 1)
    ]
    return excepts(claim, sentence) or bounds[0] != bounds[1]


def _differ(claim: str, sentence: str) -> bool:
    """Whether each side names exactly one moment, and not the same; 7:30 alone may be that of the evening."""
    one = [_meant(claim, time) for time in clock_times(claim)]
    if len(one) != 1:
        return False  # as mostly
    other = [_meant(sentence, time) for time in clock_times(sentence)]
    return len(other) == 1 and one[0].isdisjoint(other[0])


def _meant(text: str, time: Time) -> frozenset[int]:
    """The minutes since midnight that `time` in `text` may stand for, in either half of the day if it tells none."""
    start, end, at = time
    said = text[start:end]
    if said.startswith("0") or any(map(str.isalpha, said)):
        return at
    return at | {minute + _HALF_DAY for minute in at if minute < _NOON_IS_OVER}

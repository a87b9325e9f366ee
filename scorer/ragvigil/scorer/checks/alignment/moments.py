"""Moments: the time of the day that a claim tells beside that of the evidence, in whatever form."""

from __future__ import annotations

from itertools import islice

from ragvigil.scorer.checks.alignment.bounds import bound_of, excepts
from ragvigil.scorer.checks.reading.clock import clock_times, may_be_a_time


def may_tell_moments(claim: str, sentence: str) -> bool:
    """Whether both might tell a time of the day: a quick first look."""
    return may_be_a_time(claim) and may_be_a_time(sentence)


def another_moment(claim: str, sentence: str) -> bool:
    """Whether each side names exactly one time of the day, and not the same; where one side bounds it, nothing.

    >>> another_moment("It leaves at 7:30 in the evening.", "It leaves at 7:30 am.")
    True
    >>> another_moment("It leaves at half past seven.", "It leaves at 19:30.")
    False
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
    """Whether each side names exactly one moment, and not the same."""
    one, other = ([at for _, _, at in clock_times(text)] for text in (claim, sentence))
    return len(one) == len(other) == 1 and one[0].isdisjoint(other[0])

"""Moments: the time of the day that a claim tells beside that of the evidence, in whatever form."""

from __future__ import annotations

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
    one, other = ([*clock_times(text)] for text in (claim, sentence))
    if len(one) != 1 or len(other) != 1 or not one[0][2].isdisjoint(other[0][2]):
        return False
    return not excepts(claim, sentence) and bound_of(claim, one[0][0]) == bound_of(sentence, other[0][0])

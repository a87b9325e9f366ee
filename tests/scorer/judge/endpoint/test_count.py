"""What an endpoint says that it read and said is money: only what can be is taken from it."""

from __future__ import annotations

import pytest

from ragvigil.scorer.judge.endpoint.wire import count


@pytest.mark.parametrize(
    "told", [2**64 - 1, pytest.param(10**400, id="10^400"), 10**9 + 1, -1, True, "7", 7.0, None]
)
def test_a_count_that_cannot_be_is_none(told: object) -> None:
    """One reply of 2^64 tokens used up the limit of a day for four weeks, and one of 10^400 ended the record."""
    assert count(told) is None


@pytest.mark.parametrize("told", [0, 7, 2_000_000])
def test_a_count_that_can_be_is_taken(told: int) -> None:
    """Also that of the longest context."""
    assert count(told) == told

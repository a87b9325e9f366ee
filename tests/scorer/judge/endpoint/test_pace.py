"""Limits that a server states are kept, and a server that fails is left alone for a while."""

from __future__ import annotations

import asyncio

from ragvigil.scorer.judge.endpoint.pace import Pace, Quota


class Clock:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


async def _may_go(pace: Pace) -> bool:
    """Whether a request may leave now; the turn is taken if so."""
    waiting = asyncio.ensure_future(pace.turn())
    for _ in range(3):
        await asyncio.sleep(0)
    if waiting.done():
        return True
    waiting.cancel()
    return False


async def test_a_limit_without_rest_holds_every_request_until_it_is_lifted() -> None:
    """As OpenAI's headers say it."""
    clock = Clock()
    pace = Pace(clock=clock)
    assert await _may_go(pace)
    pace.answer({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "2m"})
    assert not await _may_go(pace)
    clock.now += 121
    assert await _may_go(pace)


async def test_after_failures_in_a_row_one_request_tries_for_all() -> None:
    """The others go when it is answered."""
    clock = Clock()
    pace = Pace(clock=clock)
    for _ in range(5):
        assert await _may_go(pace)
        pace.fail(None)
    assert pace.resting
    assert not await _may_go(pace)
    clock.now += 61
    assert await _may_go(pace)
    assert not await _may_go(pace)
    pace.answer({})
    assert await _may_go(pace)
    assert await _may_go(pace)
    assert not pace.resting


async def test_a_try_that_is_called_off_lets_another_try() -> None:
    """A cancelled request must not hold the door for ever."""
    clock = Clock()
    pace = Pace(clock=clock)
    for _ in range(5):
        pace.fail(None)
    clock.now += 61
    assert await _may_go(pace)
    pace.leave()
    assert await _may_go(pace)


async def test_retry_after_is_obeyed() -> None:
    """By every request of the key, not only by the one that was told."""
    clock = Clock()
    pace = Pace(clock=clock)
    pace.fail(30.0)
    assert not await _may_go(pace)
    clock.now += 31
    assert await _may_go(pace)


async def test_a_limit_holds_whoever_asks_with_the_key_and_a_failure_only_the_model_that_fails() -> None:
    """The judges of a panel, and what compares embeddings, often have one key; a model that is gone is one model."""
    clock = Clock()
    quota = Quota(clock=clock)
    one, other = Pace(quota, clock=clock), Pace(quota, clock=clock)
    one.answer({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "30s"})
    assert not await _may_go(other)
    clock.now += 31
    assert await _may_go(other)
    for _ in range(5):
        one.fail(None)
    assert not await _may_go(one)
    assert await _may_go(other)

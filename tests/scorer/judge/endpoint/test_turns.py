"""One turn at a time, and a look at everything else in between."""

from __future__ import annotations

import asyncio
from itertools import pairwise

from ragvigil.scorer.judge.endpoint.turns import Turns


async def test_the_loop_looks_elsewhere_between_two_turns() -> None:
    """What arrives together would else be worked on in one go, while the next requests wait to be sent."""
    turns, seen = Turns(), list[str]()

    async def conclude() -> None:
        await turns.take()
        seen.append("work")

    async def send() -> None:
        while seen.count("work") < 4:
            seen.append("look")
            await asyncio.sleep(0)

    await asyncio.gather(*(conclude() for _ in range(4)), send())
    assert seen.count("work") == 4
    assert all(before == "look" for before, now in pairwise(seen) if now == "work"), seen


async def test_a_turn_called_off_is_the_next_ones() -> None:
    turns = Turns()
    first, second = asyncio.create_task(turns.take()), asyncio.create_task(turns.take())
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait_for(second, 10)
    assert first.cancelled()

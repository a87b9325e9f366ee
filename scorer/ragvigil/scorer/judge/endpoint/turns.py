"""One at a time: what has been answered is worked on while the next question is already on its way."""

from __future__ import annotations

import asyncio


class Turns:
    """Lets tasks go on singly, with a look at the network in between.

    Replies that arrive together would else all be worked on before the loop sends the next question: each seat then
    waits for the work of all, and the seats, once in step, stay so.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def take(self) -> None:
        """Wait for one's turn; it lasts until the task waits again."""
        async with self._turn:
            await asyncio.sleep(0)

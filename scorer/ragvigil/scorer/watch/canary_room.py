"""How many past traces a service may have judged again, while other services wait for the same judge."""

from __future__ import annotations

LEAST = 100
"""Past traces below which judging again says little: fewer are asked only where no more were wanted."""
_SHARE = 4
"""Part of what may wait that services together may ask."""


def most_to_ask(wanted: int, room: int, asked: int) -> int:
    """How many of those `wanted` may be asked, or 0: `room` records may wait, `asked` are not answered yet.

    Scores that wait take nothing of it: they have turns of their own before the judge, and a queue that stays full
    would know no canary. One service has the whole room, or a small queue would know none.

    >>> most_to_ask(400, 10_000, 0), most_to_ask(400, 250, 0), most_to_ask(400, 60, 0), most_to_ask(40, 60, 0)
    (400, 250, 0, 40)
    >>> most_to_ask(400, 10_000, 2_000), most_to_ask(400, 10_000, 2_200), most_to_ask(400, 10_000, 2_450)
    (400, 300, 0)
    """
    free = room // _SHARE - asked if asked else room
    number = min(wanted, free)
    return number if number >= min(wanted, LEAST) else 0

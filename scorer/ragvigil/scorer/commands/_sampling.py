"""What ``ragvigil status`` shows of the limits of the sample: whether one of them holds it down."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence

from ragvigil.scorer.sample import Pressure, factor_of
from ragvigil.scorer.scoring.draws import SAMPLER, pressures_in
from ragvigil.scorer.store.reading import kept_state

_LEAST_SHOWN = 0.001
_HELD_DOWN = 0.95
"""What leaves more changes nothing that anybody would see."""


def as_json(connection: sqlite3.Connection) -> dict[str, object]:
    """What the limits leave of the sampled share, and how near each of them is by what was known seconds ago."""
    found, age = _pressures(connection)
    return {
        "factor": factor_of(found),
        "limits": [{**one._asdict(), "factor": one.factor} for one in found],
        "seconds_ago": age,
    }


def as_text(connection: sqlite3.Connection) -> list[str]:
    """The same for people; nothing while no limit holds anything down."""
    pressures, age = _pressures(connection)
    found = [one for one in pressures if one.factor < _HELD_DOWN]
    if not found:
        return []
    factor = factor_of(found)
    share = f"{factor:.1%}" if factor >= _LEAST_SHOWN else f"less than {_LEAST_SHOWN:.1%}"
    seen = "" if age is None else f" (last seen {age:,.0f} s ago)"
    means = "rates stay right, their intervals widen"
    return [
        f"sampling: HELD DOWN to {share} of what [sample] asks for otherwise{seen}; {means}",
        *(
            f"  sample.{one.limit}: {one.used:,.4g} of {one.most:,.4g} spent or waited for in about a "
            f"{one.limit.rpartition('_')[2]}{f', {one.wished:,.4g} asked for' if one.wished else ''}"
            for one in found
        ),
    ]


def _pressures(connection: sqlite3.Connection) -> tuple[Sequence[Pressure], float | None]:
    kept = kept_state(connection, SAMPLER)
    return ((), None) if kept is None else pressures_in(kept, time.time())

"""What ``ragvigil status`` shows of the limits of the sample: whether one of them holds it down."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from ragvigil.scorer.sample import Pressure, factor_of
from ragvigil.scorer.scoring.draws import SAMPLER, pressures_in
from ragvigil.scorer.store.reading import kept_state

_LEAST_SHOWN = 0.001


def as_json(connection: sqlite3.Connection) -> dict[str, object]:
    """What the limits leave of the sampled share, and how near each of them was at the last look."""
    found = _pressures(connection)
    return {
        "factor": factor_of(found),
        "limits": [{**one._asdict(), "factor": one.factor} for one in found],
    }


def as_text(connection: sqlite3.Connection) -> list[str]:
    """The same for people; nothing while no limit holds anything down."""
    found = [one for one in _pressures(connection) if one.factor < 1.0]
    if not found:
        return []
    factor = factor_of(found)
    share = f"{factor:.1%}" if factor >= _LEAST_SHOWN else f"less than {_LEAST_SHOWN:.1%}"
    return [
        f"sampling: HELD DOWN to {share} of what [sample] asks for otherwise; rates stay right, their intervals widen",
        *(
            f"  sample.{one.limit}: {one.used:,.4g} of {one.most:,.4g} spent or waited for in about a "
            f"{one.limit.rpartition('_')[2]}{f', {one.wished:,.0f} asked for' if one.wished else ''}"
            for one in found
        ),
    ]


def _pressures(connection: sqlite3.Connection) -> Sequence[Pressure]:
    kept = kept_state(connection, SAMPLER)
    return () if kept is None else pressures_in(kept)

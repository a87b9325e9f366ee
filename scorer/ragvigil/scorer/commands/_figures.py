"""How commands say an estimate, a level, a day, and that labels have grown old."""

from __future__ import annotations

import time
from collections.abc import Iterator

from ragvigil.exporters import Measurement
from ragvigil.scorer.estimate import Estimate, Refusal
from ragvigil.scorer.estimate.result import at_both_fates
from ragvigil.scorer.labels.level import Audit
from ragvigil.scorer.moments import DAY
from ragvigil.scorer.watch.port import Place

_QUARTER_DAYS = 92
"""After which people should look again (S6 of the evaluation methods)."""


_BY_JUDGE = "as the judge sees it"
_BY_PEOPLE = "by people's labels"
_BY = {
    "anchored-level": "by people's labels, and by the judge since",
    "rogan-gladen": "corrected for the judge's known errors",
}
"""What an estimate rests on, by its method (docs/intervals.md, `--json`)."""


def said(found: Estimate | Refusal) -> str:
    """The value with its interval, n, what it rests on, caveats and bounds; or why there is none."""
    if isinstance(found, Refusal):
        return found.detail
    caveats = "".join(f"; {caveat}" for caveat in found.caveats) + at_both_fates(found)
    return (
        f"{found.value:.1%} [{found.lower:.1%}, {found.upper:.1%}] n={found.n_judged:,} of {found.n_traces:,}, "
        f"{_BY.get(found.method.partition('+')[0], _BY_PEOPLE if found.calibrated else _BY_JUDGE)}{caveats}"
    )


def measured(measurement: Measurement | None) -> str:
    """A level with its interval and n; a threshold, which nobody measured, alone.

    >>> measured(Measurement(0.5, 0.5, 0.5, n=0)), measured(Measurement(0.5, 0.4, 0.6, n=100))
    ('50.0%', '50.0% [40.0%, 60.0%] n=100')
    """
    if measurement is None:
        return "not enough data"
    if not measurement.n:
        return f"{measurement.value:.1%}"
    return f"{measurement.value:.1%} [{measurement.lower:.1%}, {measurement.upper:.1%}] n={measurement.n:,}"


def fall(before: Measurement, worst: Measurement) -> str:
    """From what to what; where a level was wanted and none measured before, what is and what was wanted.

    >>> fall(Measurement(0.99, 0.99, 0.99, n=0), Measurement(0.974, 0.96, 0.98, n=900))
    '97.4% [96.0%, 98.0%] n=900, 99.0% wanted'
    """
    if not before.n:
        return f"{measured(worst)}, {measured(before)} wanted"
    return f"{measured(before)} -> {measured(worst)}"


def day_of(at: int) -> str:
    """The day of a moment in Unix nanoseconds, UTC.

    >>> day_of(0)
    '1970-01-01'
    """
    return time.strftime("%Y-%m-%d", time.gmtime(at / 1e9))


def stale(audited: Audit, place: Place, now: int, *, criterion: str = "") -> Iterator[str]:
    """A line where the labels are older than a quarter."""
    days = (now - audited.drawn_at) // DAY
    if days > _QUARTER_DAYS:
        about = f" --criterion {criterion}" if criterion else ""
        yield (
            f"  WARNING: these labels are {days} days old, and judge and traffic may have changed; read anew: "
            f"ragvigil calibrate draw --new --service {place.service}{about}"
        )

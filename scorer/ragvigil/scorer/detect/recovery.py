"""The course of an open incident: still bad, worse, or back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragvigil.scorer.config import Rule
from ragvigil.scorer.detect.changepoint import current_level
from ragvigil.scorer.detect.stretches import nanoseconds
from ragvigil.scorer.estimate import Estimate, rate
from ragvigil.scorer.monitoring import Bucket, Sums


@dataclass(frozen=True, slots=True)
class Course:
    """Where an incident stands."""

    now: Estimate | None
    """The level since the series last changed; None with too few observations."""
    recovering_since: int | None = None
    """Since when it looks recovered, nanoseconds; None while it does not."""
    over: bool = False
    """Whether it has looked recovered for long enough."""
    counted_since: int | None = None
    """Start of what `now` counts, nanoseconds; None without a `now`."""


def follow(before: Sums, during: Sequence[Bucket], rule: Rule, *, bucket_seconds: float) -> Course:
    """Where the incident stands, from the baseline that it froze and the buckets since it began.

    Back means: since the last sure change (nine nats of log-likelihood, so that a lucky run is not one) there
    are min_sample observations whose rate is less than half of min_drop below the baseline. A series that
    differs from the baseline by less is back even if many observations can still tell the two apart: what
    did not deserve a page does not keep one open. Over means: those observations span resolve_seconds of
    event time, so a silent series does not recover by the clock.
    """
    level = current_level(during, least=rule.min_sample)
    now = rate(level.sums) if level is not None else None
    healthy = rate(before)
    if level is None or now is None or healthy is None or now.n_judged < rule.min_sample:
        return Course(now, counted_since=None if level is None else level.since)
    if healthy.value - now.value >= rule.min_drop / 2.0:
        return Course(now, counted_since=level.since)
    seen_until = during[-1].start + nanoseconds(bucket_seconds)
    over = seen_until - level.since >= nanoseconds(rule.resolve_seconds)
    return Course(now, level.since, over, level.since)

"""What an alert of the core says in figures: the reference, the level, and a note where they are no fall."""

from __future__ import annotations

from ragvigil.exporters import Measurement
from ragvigil.scorer.detect import Alert as Found
from ragvigil.scorer.estimate import rate
from ragvigil.scorer.incidents.life import measurement
from ragvigil.scorer.monitoring import Sums
from ragvigil.scorer.watch.floor import breach, point


def bare(sums: Sums) -> Measurement:
    """The level with its interval; its bare value where there are too few observations for one."""
    estimate = rate(sums)
    if estimate is not None:
        return measurement(estimate)
    value = sums.wx / sums.w if sums.w > 0.0 else 0.0
    return Measurement(value, 0.0, 1.0, sums.n, round(sums.w), "too-few")


def figures(found: Found) -> tuple[Measurement, Measurement, str | None]:
    """(reference, figure, words) of an alert that is no fall between two stretches.

    The words of a ticket go on where the name of its series ends; what stands before their colon is its title.
    """
    evidence = found.evidence
    if "slo" in evidence:
        return breach(evidence)
    if found.metric == "traffic":
        seen, before = float(evidence["traces"]), float(evidence["a_week_before"])
        share = min(1.0, seen / max(before, 1.0))
        words = f"is down to {seen:,.0f} traces an hour: it was {before:,.0f} in the same hour a week before."
        return point(1.0, "a week before"), point(share, "share"), words
    if "missing" in evidence:
        missing, calls = float(evidence["missing"]), float(evidence["calls"])
        words = f"left out {missing:,.0f} of the last {calls:,.0f} verdicts: none is learned from meanwhile."
        return point(1.0, "asked"), point(max(0.0, 1.0 - missing / max(calls, 1.0)), "answered"), words
    if "change" in evidence:
        change, error = float(evidence["change"]), float(evidence["error"])
        more = "more" if change > 0.0 else "less"
        sure = f", standard error {100.0 * error:.1f}" if error < 1.0 else ""
        words = (
            f"changed: of the same past answers it now passes {100.0 * abs(change):.1f} points {more}{sure}. "
            "Calibrate it again."
        )
        return point(0.0, "unchanged"), point(min(1.0, abs(change)), "canary"), words
    return point(0.0, "none"), point(0.0, "none"), str(evidence.get("why", "")) or None

"""What arrived of a service in a stretch of time, and what share of it was whole, scored and answered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ragvigil.exporters import Measurement
from ragvigil.scorer.estimate.wilson import wilson
from ragvigil.scorer.monitoring import CoverageName

_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Coverage:
    """What arrived of one service and environment in one window, and what became of it."""

    service: str
    environment: str | None
    traces: int
    spans: int
    lost: int
    """Spans that the service's tracer says it lost."""
    unasked: int
    """Traces without a question."""
    records: int
    unscored: int
    """Records shed, failed or expired."""
    incomplete: int
    """Records that miss evidence or content, or timed out; not those that miss nothing but withheld texts."""
    shed: int = 0
    """Of those unscored, the ones that found the judge's queue full."""
    expired: int = 0
    """Of those unscored, the ones that waited too long, or lost their content meanwhile."""
    not_scoreable: int = 0
    """Records that were sampled and could not be judged, for want of content or passages: no illness of the scorer's,
    so not among those unscored; `incomplete` counts them."""
    withheld: int = 0
    """Records whose owner keeps ids only: nothing of them is missing, and no claim of them is judged."""
    errors: int = 0
    """Records that ended in an error and hold no answer."""
    refused: int = 0
    """Records whose answer says that there is none."""

    def why(self, name: CoverageName) -> str | None:
        """What became of those that a share lacks, where that is known; None when it lacks none."""
        return {"coverage_scored": self.why_unscored, "coverage_answered": self.why_unanswered}.get(name)

    @property
    def why_unanswered(self) -> str | None:
        """What became of the questions without an answer; None when all have one.

        >>> Coverage("s", None, 9, 9, 0, 0, 9, 0, 0, errors=1, refused=3).why_unanswered
        'Of the 4 others 1 ended in an error, 3 were refused.'
        """
        kinds = ((self.errors, "ended in an error"), (self.refused, "were refused"))
        told = ", ".join(f"{count:,} {what}" for count, what in kinds if count)
        return f"Of the {self.errors + self.refused:,} others {told}." if told else None

    @property
    def why_unscored(self) -> str | None:
        """What became of the records that were not scored; None when all were.

        >>> Coverage("s", None, 9, 9, 0, 0, 9, 7, 0, shed=4, expired=1).why_unscored
        "Of the 7 others 4 found the judge's queue full (judge.max_jobs), 1 waited too long, 2 failed."
        """
        kinds = (
            (self.shed, "found the judge's queue full (judge.max_jobs)"),
            (self.expired, "waited too long"),
            (self.unscored - self.shed - self.expired, "failed"),
        )
        told = ", ".join(f"{count:,} {what}" for count, what in kinds if count)
        return f"Of the {self.unscored:,} others {told}." if told else None

    def shares(self) -> Iterator[tuple[CoverageName, Measurement]]:
        """Each share of which there is anything to have a share of.

        >>> dict(Coverage("s", None, 4, 9, 1, 1, 0, 0, 0).shares())["coverage_delivered"].value
        0.9
        """
        counts: dict[CoverageName, tuple[int, int]] = {
            "coverage_scored": (self.records, self.unscored),
            "coverage_complete": (self.records, self.incomplete),
            "coverage_texts": (self.records, self.withheld),
            "coverage_asked": (self.traces, self.unasked),
            "coverage_answered": (self.records, self.errors + self.refused),
            "coverage_delivered": (self.spans + self.lost, self.lost),
        }
        for name, (total, missing) in counts.items():
            if total > 0:
                yield name, share_of(total, missing)


def share_of(total: int, missing: int) -> Measurement:
    """The share of `total`, at least one, that is not `missing`, with its interval."""
    value = (total - missing) / total
    lower, upper = wilson(value, total, confidence=_CONFIDENCE)
    return Measurement(value, lower, upper, total, total, "wilson")

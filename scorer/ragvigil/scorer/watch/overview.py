"""What the records of a service's last day say: the judged rate, and what judging saved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.estimate import (
    Efficiency,
    Estimate,
    Refusal,
    efficiency,
    judged_rate,
    window,
)
from ragvigil.scorer.watch.batches import observed
from ragvigil.scorer.watch.port import Seen


@dataclass(frozen=True, slots=True)
class Overview:
    """Numbers with their intervals, or why there are none."""

    judged: Estimate | Refusal
    """Share of verdicts that passed: Hájek weights, segments, control variate, clustered by conversation."""
    efficiency: Efficiency | Refusal
    judge: str
    """Version and prompt of the judge whose verdicts these are; empty when there are none."""


def overview(rows: Sequence[Seen]) -> Overview:
    """The numbers of these records; those without a cheap score make no claim and are left out."""
    batch = observed(rows, 0, 0)
    assert batch.judged is not None
    assert batch.verdict is not None
    assert batch.inclusion_probability is not None
    drawn = np.asarray(batch.inclusion_probability, dtype=np.float64) > 0.0
    data = window(
        verdict=batch.verdict[drawn],
        judged=batch.judged[drawn],
        inclusion=batch.inclusion_probability[drawn],
        cheap=batch.cheap[drawn],
        conversation=batch.conversation[drawn],
        segment=batch.segment[drawn],
    )
    return Overview(judged_rate(data), efficiency(data), batch.judge_version)

"""The share of faithful answers behind the judge's pass rate (rubrics S1 and P1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragvigil.scorer.detect.sequential.gold import calibration_of
from ragvigil.scorer.estimate import Refusal, judged_rate, portable_level, window
from ragvigil.scorer.estimate.window import Integers
from ragvigil.scorer.reporting.figure import Figure
from ragvigil.scorer.store.reading_report import Answer
from ragvigil.scorer.watch.gold import Labels

NAME = "faithful answers"


def faithful(answers: Sequence[Answer], groups: Integers, judge: str | None, labels: Labels) -> Figure:
    """The level, corrected by labels for the judge's errors; without a value where they cannot tell.

    Of verdicts of this `judge` alone; `groups` are the answers' conversations, as codes. Rogan and Gladen's estimate
    with the uncertainty of the pass rate and of the labels: ``ragvigil.scorer.estimate.portable_level``.
    """
    known = [place for place, one in enumerate(answers) if one.passed is not None and one.judge == judge]
    if labels.source == "none":
        return Figure(NAME, None, None, None, len(known), note="no labels correct the judge (monitor.gold)")
    chances = np.array([1.0 / max(answers[place].weight or 1.0, 1.0) for place in known])
    rate = judged_rate(
        window(
            verdict=[int(answers[place].passed or 0) for place in known],
            inclusion=chances,
            conversation=groups[known],
            n_traces=len(answers),
        )
    )
    level = portable_level(rate, calibration_of(labels.gold))
    if isinstance(level, Refusal):
        return Figure(NAME, None, None, None, len(known), note=level.detail)
    whose = "shipped labels" if labels.source == "shipped" else "your labels"
    note = f"corrected for the judge's errors by {whose}"
    return Figure(NAME, level.value, level.lower, level.upper, level.n_judged, note=note)

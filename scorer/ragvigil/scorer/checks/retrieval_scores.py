"""retrieval_scores: 1 when the scores of the last retrieval step look as they should, 0 when not.

Range {0, 1}. They do not where all of three or more are equal, where one is no finite number, where some are
missing, or where they neither fall nor rise with the rank (distances rise). None where no step has scores, or
only one passage.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared

_FEWEST_EQUAL = 3
_EQUAL = 1e-6
"""Of the larger of two scores: single precision tells no less apart."""


def _measure(prepared: Prepared) -> Finding:
    scores = _scores(prepared)
    known = [one for one in scores if one is not None]
    if not known or len(scores) < 2:
        return Finding(None, "no scores to compare are known")
    why = _anomaly(scores, known)
    return Finding(float(why is None), why)


def _scores(prepared: Prepared) -> Sequence[float | None]:
    """Of the last step that has any, else of the passages as the generator saw them."""
    for step in reversed(prepared.record.retrievals):
        if any(one is not None for one in step.scores):
            return step.scores
    return [one.score for one in prepared.record.documents]


def _anomaly(scores: Sequence[float | None], known: Sequence[float]) -> str | None:
    if not all(map(math.isfinite, known)):
        return "a score is no finite number"
    if len(known) < len(scores):
        return f"{len(scores) - len(known)} of {len(scores)} scores are missing"
    if len(known) >= _FEWEST_EQUAL and _are_equal(min(known), max(known)):
        return f"all {len(known)} scores are {known[0]:g}"
    falls = all(before >= after or _are_equal(before, after) for before, after in pairwise(known))
    rises = all(before <= after or _are_equal(before, after) for before, after in pairwise(known))
    return None if falls or rises else "scores and ranks are in different orders"


def _are_equal(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=_EQUAL)


CHECK = Check("retrieval_scores", "3", _measure, range="{0, 1}", cost="record")

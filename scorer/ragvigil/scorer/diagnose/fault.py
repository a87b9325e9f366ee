"""Retrieval or generation: a table of patterns, from how each signal moved where the fall is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.diagnose.playbook import PRESENT, Side
from ragvigil.scorer.estimate.wilson import normal_quantile
from ragvigil.scorer.estimate.window import Booleans, Floats

_CONFIDENCE = 0.95
_FEWEST = 20
_UNKNOWN = f"is known of fewer than {_FEWEST} answers before the fall or since"
_MATERIAL = 0.05
"""A mean that moved by less has not fallen."""
_STEADY = 0.1
"""A mean has held when a fall by more than this can be ruled out."""


@dataclass(frozen=True, slots=True)
class Moved:
    """The mean of a signal in [0, 1] before and after, and the difference with its 95 % interval."""

    name: str
    before: float
    after: float
    lower: float
    upper: float
    n_before: int
    n_after: int

    @property
    def fell(self) -> bool:
        """Surely, and by enough to matter."""
        return self.upper < 0.0 and self.before - self.after >= _MATERIAL

    @property
    def held(self) -> bool:
        """Surely no large fall."""
        return not self.fell and self.lower > -_STEADY


@dataclass(frozen=True, slots=True)
class Fault:
    """Which half of the service is at fault, and why it is said."""

    side: Side
    why: str


def moved(name: str, values: Floats, before: Booleans, after: Booleans) -> Moved | None:
    """How the mean moved (Welch's interval); None with fewer than 20 values on a side."""
    known = np.isfinite(values)
    old, new = values[known & before], values[known & after]
    if min(len(old), len(new)) < _FEWEST:
        return None
    error = float(np.sqrt(old.var(ddof=1) / len(old) + new.var(ddof=1) / len(new)))
    error = max(error, 0.5 / min(len(old), len(new)))
    change = float(new.mean() - old.mean())
    half = normal_quantile(_CONFIDENCE) * error
    return Moved(name, float(old.mean()), float(new.mean()), change - half, change + half, len(old), len(new))


def fault_of(series: str, signals: Mapping[str, Moved]) -> Fault:
    """The side at fault by the three series of D1; unclear where context relevance is not known well enough.

    >>> low = Moved("context_relevance", 0.8, 0.4, -0.5, -0.3, 100, 100)
    >>> fault_of("faithfulness", {"context_relevance": low}).side
    'retrieval'
    """
    if series == "retrieval":
        return Fault("retrieval", "more questions find no passage")
    if series in ("judge.context_relevant_share", "judge.context_precision"):
        return Fault("retrieval", "it is the passages that are measured")
    retrieved = signals.get("retrieved")
    if retrieved is not None and retrieved.fell:
        return Fault("retrieval", f"more questions find no passage: {_said(retrieved)}")
    relevance = _surer(signals, "judge.context_relevant_share", "context_relevance")
    precision = _surer(signals, "judge.context_precision", "context_precision")
    answer = signals.get("judge.answer_relevance")
    if relevance is not None and relevance.fell:
        return Fault("retrieval", f"the passages fit the questions less: {_said(relevance)}")
    if precision is not None and precision.fell:
        return Fault("retrieval", f"the fitting passages are less in front: {_said(precision)}")
    if series == "citation":
        present = signals.get(PRESENT)
        if present is not None and present.fell:
            return Fault("generation", f"more answers make claims and cite nothing: {_said(present)}")
        return Fault("generation", "citations are written by the generator")
    if relevance is None or not relevance.held:
        known = _UNKNOWN if relevance is None else f"moved too unclearly ({_said(relevance)})"
        return Fault("unclear", f"context relevance {known}")
    if answer is not None and answer.fell:
        return Fault("generation", f"the passages fit, the answers do not: {_said(answer)}")
    return Fault("generation", f"the passages fit the questions as before: {_said(relevance)}")


def _surer(signals: Mapping[str, Moved], judged: str, by_words: str) -> Moved | None:
    """The judge's measure where it tells anything, else what words tell."""
    one = signals.get(judged)
    return one if one is not None and (one.fell or one.held) else signals.get(by_words, one)


def _said(moved: Moved) -> str:
    name = moved.name.removeprefix("judge.").replace("_", " ")
    return f"{name} {moved.before:.2f} to {moved.after:.2f} ({moved.lower:+.2f} to {moved.upper:+.2f})"

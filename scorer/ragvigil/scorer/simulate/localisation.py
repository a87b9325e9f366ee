"""How often a diagnosis names the planted cause: counts over simulated incidents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.diagnose.case import Case
from ragvigil.scorer.diagnose.diagnosis import diagnose
from ragvigil.scorer.estimate import wilson
from ragvigil.scorer.simulate.planted import CAUSES, Cause, Planted, planted

NONE = ("everywhere", "nothing")
"""Worlds without a cause: all answers fall alike, or a false page and nothing fell."""
KINDS: tuple[str, ...] = (*CAUSES, *NONE)
_MOST_TRIES = 20


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of the incidents of one kind."""

    kind: str
    incidents: int
    first: int
    """The true cause is named, and first."""
    among_three: int
    """It is among the first three that were considered."""
    unnamed: int
    """No single cause was named."""
    onset_covered: int
    """The true onset lies in the interval, of those where the cause is first."""
    unseen: int
    """Drawn and left out, because no detector would have paged within a day."""

    def interval(self, count: int) -> tuple[float, float]:
        """95 %, Wilson."""
        return wilson(count / max(self.incidents, 1), max(self.incidents, 1), confidence=0.95)


def measure_diagnosis(kinds: Iterable[str], incidents: int, first_seed: int) -> Iterator[Tally]:
    """Diagnose so many incidents of each kind, with seeds from `first_seed` on."""
    for kind in kinds:
        counts = np.zeros(4, dtype=np.int64)
        drawn, unseen, seed = 0, 0, first_seed
        while drawn < incidents and seed < first_seed + _MOST_TRIES * incidents:
            one = _draw(kind, seed)
            seed += 1
            if not one.paged and kind != "nothing":
                unseen += 1
                continue
            drawn += 1
            counts += _outcome(one)
        first, three, unnamed, covered = (int(count) for count in counts)
        yield Tally(kind, drawn, first, three, unnamed, covered, unseen)


def _draw(kind: str, seed: int) -> Planted:
    cause: Cause | None = next((one for one in CAUSES if one == kind), None)
    return planted(cause, seed, falls=kind != "nothing")


def _outcome(one: Planted) -> tuple[bool, bool, bool, bool]:
    evidence = one.evidence
    found = diagnose(Case("faithfulness", one.since, evidence, np.arange(evidence.size), {}, {}))
    named = found.cause.values if found.cause is not None else ()
    hit = one.cause is not None and named == (one.cause,)
    three = one.cause is not None and (one.cause,) in [other.values for other in found.considered[:3]]
    covered = hit and found.onset.lower <= one.onset <= found.onset.upper
    return hit, three, not found.sure, covered

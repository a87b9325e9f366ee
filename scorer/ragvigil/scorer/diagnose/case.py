"""What a diagnosis reads, and the port through which it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from ragvigil.exporters import Example
from ragvigil.scorer.changes import Change
from ragvigil.scorer.diagnose.evidence import MARGIN, Evidence
from ragvigil.scorer.estimate.window import Booleans, Floats, Integers
from ragvigil.scorer.monitoring import Incident

SIGNALS = (
    "faithfulness",
    "judge.answer_relevance",
    "judge.context_relevant_share",
    "judge.context_precision",
    "retrieved",
    "context_relevance",
    "context_precision",
    "language_match",
    "length_budget",
    "citations_present",
)
"""Verdicts, judged measures and checks whose course tells which half of the service is at fault, and what to try.

`retrieved` is whether a search found anything: 1 less `empty_retrieval`."""


@dataclass(frozen=True, slots=True)
class Case:
    """The records around an incident, with what else is known of them; all arrays have the evidence's length."""

    series: str
    since: float
    """What the detector believes of the onset, Unix seconds."""
    evidence: Evidence
    record: Integers
    """Ids."""
    signals: Mapping[str, Floats]
    """Those of SIGNALS, in [0, 1]; NaN where a record has none. The series itself needs no entry."""
    tags: Mapping[str, Booleans]
    """Failure tags."""
    changes: Sequence[Change] = ()
    """What was told or seen for the first time, before and after the onset, newest first."""
    notes: tuple[str, ...] = ()
    """What limits the reading, in words."""
    well_since: float | None = None
    """When the last incident before this one resolved, Unix seconds; what it did is not in the evidence."""
    seen_before: frozenset[tuple[str, str]] = frozenset()
    """(dimension, value) of answers of earlier incidents, which the evidence does not hold."""
    healthy_since: float | None = None
    """From when on the last incident before this one was well again, Unix seconds: no change from before is a cause."""
    told_at: float | None = None
    """When it was paged, Unix seconds; None where it opened again since: no later change is a cause."""

    @property
    def begin(self) -> float:
        """From when on the onset is looked for, Unix seconds: an earlier incident's fall is not this one's."""
        begin = self.since - MARGIN
        return begin if self.well_since is None else max(begin, self.well_since)


class Reach(NamedTuple):
    """How many were given answers of the guilty kind since the onset, or since it fell again."""

    answers: int
    conversations: int | None
    """None where too many answers are there to count them."""
    users: int | None
    again_since: float | None = None
    """Seconds since the epoch from which they are counted, where the incident opened again; None: from the onset."""


class Shown(NamedTuple):
    """A record as a page shows it."""

    conversation: str
    """What no answer of another conversation has."""
    example: Example


class DiagnosisStore(Protocol):
    """What a diagnosis needs of the store; every call happens on the store's one writing thread."""

    def case(self, incident: Incident, now: int) -> Case:
        """A bounded sample of the records before and since, without those of earlier incidents."""
        ...

    def reach(self, incident: Incident, values: Sequence[tuple[str, str]], since: int, now: int) -> Reach:
        """Answers, conversations and users with all those values since then (Unix nanoseconds)."""
        ...

    def shown(self, incident: Incident, record_ids: Sequence[int]) -> Sequence[Shown]:
        """Those records as a page shows them, in that order; one whose content is gone is left out."""
        ...

    def save_diagnosis(self, incident_id: str, at: int, diagnosis: str) -> None:
        """Keep it, instead of what was kept."""
        ...

    def diagnosis(self, incident_id: str) -> tuple[int, str] | None:
        """(when, what) was last kept."""
        ...

"""The script of the demo: which fault when, and on what evidence the next phase begins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from ragvigil.scorer.demo.faults import FaultName
from ragvigil.scorer.demo.report import Told
from ragvigil.scorer.demo.watch import Snapshot

ActName = Literal["healthy", "citations go wrong", "answers stop following the passages"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known while a phase lasts."""

    began: int
    """When the phase began, Unix nanoseconds."""
    snapshot: Snapshot
    told: Mapping[str, Told]
    """What the on-call was told, by incident."""


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of the demo; it ends when `until` says so, or after `longest_seconds`."""

    name: ActName
    fault: FaultName | None
    until: Callable[[Evidence], bool]
    longest_seconds: float


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast the service can be asked, and how long that makes everything."""

    config: str
    """Name of the shipped settings."""
    questions_a_second: float
    phase_seconds: float
    """The longest that a phase may last: a machine that is busy with other things takes several times as long."""
    healthy_seconds: float
    """How long the service is watched when nothing is to go wrong."""


EXTRACTIVE = Pace("demo.toml", 60.0, 180.0, 45.0)
LANGUAGE_MODEL = Pace("demo_llm.toml", 3.0, 240.0, 240.0)


def script(pace: Pace, *, faults: bool) -> tuple[Phase, ...]:
    """The phases in order.

    >>> [phase.fault for phase in script(EXTRACTIVE, faults=True)]
    [None, 'citations', None, 'unfaithful', None]
    """
    healthy = Phase("healthy", None, has_baselines, pace.phase_seconds)
    if not faults:
        return (replace(healthy, until=_never, longest_seconds=pace.healthy_seconds),)
    recovered = replace(healthy, until=is_recovered)
    return (
        healthy,
        Phase("citations go wrong", "citations", is_paged, pace.phase_seconds),
        recovered,
        Phase("answers stop following the passages", "unfaithful", is_paged, pace.phase_seconds),
        recovered,
    )


def has_baselines(evidence: Evidence) -> bool:
    """Whether both series can be compared: each has a baseline, and a window that does not differ from it."""
    return evidence.snapshot.state("citation") == evidence.snapshot.state("faithfulness") == "ok"


def is_paged(evidence: Evidence) -> bool:
    """Whether an incident opened in this phase and its page arrived."""
    opened = [one.id for one in evidence.snapshot.incidents if one.opened_at >= evidence.began]
    return any(evidence.told[one].pages for one in opened if one in evidence.told)


def is_recovered(evidence: Evidence) -> bool:
    """Whether every incident is over, the on-call knows, and both series can be compared again."""
    ids = [incident.id for incident in evidence.snapshot.incidents]
    known = all(one in evidence.told and evidence.told[one].resolutions for one in ids)
    over = all(incident.resolved_at is not None for incident in evidence.snapshot.incidents)
    return over and known and has_baselines(evidence)


def _never(evidence: Evidence) -> bool:
    del evidence
    return False

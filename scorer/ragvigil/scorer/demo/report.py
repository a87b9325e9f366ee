"""What the demo measured, as one value: the JSON object, and whether what the demo claims has happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragvigil.exporters import Measurement
from ragvigil.scorer.demo.faults import FaultName
from ragvigil.scorer.monitoring import AnyName, Incident, SeriesName

RIGHT_SERIES: Mapping[FaultName, SeriesName] = {"citations": "citation", "unfaithful": "faithfulness"}
"""The series that each fault must be paged as."""
_BUSY = 300
"""Waiting traces from which on a page comes later than the demo has time for."""
_SLOW = 60.0
"""Seconds of a phase; where nothing else runs each is over in a third of it."""


@dataclass(frozen=True, slots=True)
class Act:
    """One phase as it was played."""

    name: str
    fault: FaultName | None
    began: int
    """Unix time, nanoseconds."""
    ended: int


@dataclass(frozen=True, slots=True)
class Told:
    """What the on-call was told of one incident."""

    pages: int
    """Triggers that arrived, each message counted once."""
    resolutions: int


@dataclass(frozen=True, slots=True)
class Levels:
    """One series while the service was healthy, and while the fault that it must show was on."""

    healthy: Measurement | None
    faulty: Measurement | None


@dataclass(frozen=True, slots=True)
class IncidentReport:
    """One incident, timed from the moment its fault began."""

    id: str
    series: AnyName
    fault: FaultName | None
    """The last fault that began before it opened; None when there was none."""
    opened_after_seconds: float | None
    resolved_after_seconds: float | None
    told: Told


@dataclass(frozen=True, slots=True)
class Report:
    """The demo in numbers, none of them scripted."""

    acts: tuple[Act, ...]
    traces_sent: int
    traces_failed: int
    traces_ingested: int
    ledger: Mapping[str, int]
    series: Mapping[AnyName, Levels]
    incidents: tuple[IncidentReport, ...]
    wall_seconds: float
    most_waiting: int = 0
    """Traces that had been sent and not yet read, at the worst moment."""

    @property
    def problems(self) -> tuple[str, ...]:
        """What did not happen as claimed, in sentences; empty when all did."""
        faults: list[FaultName] = [act.fault for act in self.acts if act.fault is not None]
        found = [problem for fault in faults for problem in _problems_of(fault, self.incidents)]
        expected = {RIGHT_SERIES[fault] for fault in faults}
        found += [
            f"{incident.series} was paged although nothing was wrong with it"
            for incident in self.incidents
            if incident.series not in expected or incident.fault is None
        ]
        if self.traces_ingested != self.traces_sent:
            found.append(f"{self.traces_sent:,} traces were sent but {self.traces_ingested:,} ingested")
        if sum(self.ledger.values()) != self.traces_ingested or self.ledger.get("pending"):
            found.append("the ledger does not account for every trace")
        if self.traces_failed:
            found.append(f"{self.traces_failed:,} questions were not answered")
        if found and (slow := self._slowed()):
            found.append(f"{slow}: this machine is busy with other things; try again later")
        return tuple(found)

    def _slowed(self) -> str | None:
        """What shows that the machine had other things to do, in words."""
        if self.most_waiting > _BUSY:
            return f"{self.most_waiting:,} traces waited at once"
        slowest = max((act.ended - act.began for act in self.acts), default=0) / 1e9
        return f"a phase lasted {slowest:.0f} s" if slowest > _SLOW else None

    @property
    def holds(self) -> bool:
        """Whether all that the demo claims has happened."""
        return not self.problems

    def as_json(self) -> dict[str, object]:
        """The object that ``ragvigil demo --json`` prints on its last line."""
        return {
            "traces_sent": self.traces_sent,
            "traces_ingested": self.traces_ingested,
            "ledger": dict(self.ledger),
            "judged": self.ledger.get("judged", 0),
            "series": {
                name: {"healthy": _shown(levels.healthy), "faulty": _shown(levels.faulty)}
                for name, levels in self.series.items()
            },
            "incidents": [
                {
                    "series": incident.series,
                    "fault": incident.fault,
                    "opened_after_seconds": _rounded(incident.opened_after_seconds),
                    "resolved_after_seconds": _rounded(incident.resolved_after_seconds),
                    "channel_deliveries": incident.told.pages,
                }
                for incident in self.incidents
            ],
            "wall_seconds": round(self.wall_seconds, 2),
        }


def timed(incident: Incident, acts: Sequence[Act], told: Told) -> IncidentReport:
    """The incident, timed against the acts: seconds count from the last fault that began before it opened."""
    earlier = [act for act in acts if act.fault is not None and act.began <= incident.opened_at]
    cause = earlier[-1] if earlier else None

    def after(moment: int | None) -> float | None:
        return None if cause is None or moment is None else (moment - cause.began) / 1e9

    return IncidentReport(
        incident.id,
        incident.key.name,
        cause.fault if cause else None,
        after(incident.opened_at),
        after(incident.resolved_at),
        told,
    )


def _problems_of(fault: FaultName, incidents: Sequence[IncidentReport]) -> list[str]:
    wanted = RIGHT_SERIES[fault]
    caused = [incident for incident in incidents if incident.fault == fault]
    rightly = [incident for incident in caused if incident.series == wanted]
    found = [
        f"the {fault} fault was paged as {incident.series}" for incident in caused if incident not in rightly
    ]
    if not rightly:
        return [*found, f"the {fault} fault opened no {wanted} incident"]
    if len(rightly) > 1:
        found.append(f"the {fault} fault opened {len(rightly)} incidents")
    for incident in rightly:
        if incident.told.pages != 1:
            found.append(f"the {fault} fault was paged {incident.told.pages} times")
        if incident.resolved_after_seconds is None or incident.told.resolutions != 1:
            found.append(f"the page about the {fault} fault did not resolve")
    return found


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 2)


def _shown(measurement: Measurement | None) -> dict[str, float] | None:
    if measurement is None:
        return None
    return {
        "value": measurement.value,
        "lower": measurement.lower,
        "upper": measurement.upper,
        "n": measurement.n,
    }

"""The Alert contract: what a page says, in one value that every channel renders in its own form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

Action = Literal["trigger", "update", "resolve", "acknowledge", "unacknowledge"]
"""What a message does to its incident. The last two are said only where they wake nobody."""
Severity = Literal["critical", "error", "warning", "info"]
TITLE_CHARACTERS = 120
"""What of a title a lock screen shows."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """A rate as it is shown anywhere: never without its interval and its n."""

    value: float
    lower: float
    upper: float
    n: int
    """Observations behind the value: judged records for a judged series, records for a deterministic one."""
    n_traces: int | None = None
    """Records that they stand for, None where nobody says."""
    method: str = ""
    """How value and interval were made, for example ``hajek-wilson``."""
    calibrated: bool = False
    """Whether the judge's errors were corrected for with human labels."""

    @property
    def estimated(self) -> bool:
        """Whether it was measured; a level that was set has no interval."""
        return self.lower < self.upper


@dataclass(frozen=True, slots=True)
class Example:
    """One trace that shows the fault."""

    trace_id: str
    query: str | None
    answer: str | None
    reason: str
    """Why it is shown, in words: ``cites doc-9, which was not retrieved``."""
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """Who has an incident in hand."""

    by: str
    at: datetime
    """Since when, UTC."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Alert:
    """One message about one incident."""

    incident_id: str
    dedup_key: str
    """Stable over updates, restarts and replicas; never carries an instance id."""
    action: Action
    severity: Severity
    series: str
    service: str
    environment: str | None
    title: str
    """One line, at most TITLE_CHARACTERS: what fell, in which service, from what to what."""
    summary: str
    """A few plain sentences: what, how much with interval and n, since when, where."""
    before: Measurement
    now: Measurement
    since: datetime
    """When the fall began, UTC."""
    at: datetime
    """When this message was made, UTC."""
    segment: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of what the incident is: the same from its first message to its last."""
    examples: tuple[Example, ...] = ()
    link: str | None = None
    """Page about the incident, under the configured public URL; never a loopback address."""
    history: tuple[float | None, ...] = ()
    """The rate over equal stretches, oldest first, each in [0, 1]; None where nothing was seen."""
    history_from: datetime | None = None
    """When the first of them begins, UTC; None where nobody says."""
    history_until: datetime | None = None
    """When the last of them ends, UTC; a reminder is sent later."""
    acknowledged: Acknowledgement | None = None
    """Who has it in hand, if anybody has."""
    cause: Mapping[str, str] = field(default_factory=dict[str, str])
    """What the diagnosis names by now, such as ``{"tenant": "acme"}``; it may come, and change, with an update."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a channel answers: was it delivered, and if not, is another try worth it, and why."""

    delivered: bool
    retry: bool = False
    reason: str = ""
    """Low-cardinality, fit for a metric label: ``http_429``, ``timeout``, ``invalid_payload``."""
    retry_after: float | None = None
    """Seconds the service asked us to wait."""
    reference: str | None = None
    """What the service calls the message, in the channel's own form: handed back with the incident's next alert,
    so that the channel can edit the message, answer in its thread or close it."""
    detail: str = field(default="", compare=False)
    """For people: which host did not take it and why, without path, query or secret; empty where `reason` says all."""

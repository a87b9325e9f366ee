"""What the pipeline needs of a store. The monitor's and the courier's needs are in `monitoring`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from ragvigil.scorer.changes import Change
from ragvigil.scorer.inbox import Position
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import CheckResult, Verdict

LedgerState = Literal["pending", "judged", "checked_only", "filtered", "shed", "failed", "expired"]


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """Where one record stands, and why."""

    state: LedgerState
    inclusion: float
    """Probability with which it was to be judged, fixed before any verdict."""
    reason: str | None = None
    stratum: str | None = None
    """Where that probability was the same for all; None keeps what is stored."""


@dataclass(frozen=True, slots=True)
class RawTrace:
    """Everything received of one trace: concatenated TracesData and LogsData messages."""

    spans: bytes
    logs: bytes
    gone: bool = False
    """Whether it was stored once and its content has been taken out since: nothing is added to it any more."""
    rules: frozenset[str] = frozenset()
    """Filters whose attributes it had before it was redacted."""
    dropped: int = 0
    """Spans that it lost, because it is larger than one trace may be."""


@dataclass(frozen=True, slots=True)
class ScoredRecord:
    """One record with what every check said of it."""

    record: RagTrace
    checks: tuple[CheckResult, ...]
    ledger: LedgerEntry
    awaited: bool = False
    """Whether the root of its trace is still to come: what seems to be its answer may be said on the way to it, and
    enters no series until then."""


@dataclass(frozen=True, slots=True)
class ScoredTrace:
    """One assembled trace: what was received, and the records read from it (none: nobody asked anything)."""

    trace_id: str
    raw: RawTrace
    timed_out: bool
    records: tuple[ScoredRecord, ...] = ()
    failure: str | None = None
    """Why nothing could be read from it; it then counts as one failed record."""
    dropped: int = 0
    """Spans left out because the trace is larger than one may be."""
    lost: int = 0
    """Spans that the service's tracer says it lost before these got through."""
    not_finite: int = 0
    """Figures on its spans that are NaN or infinite, and so unknown."""
    misdated: int | None = None
    """A moment that its spans tell and cannot be right, Unix nanoseconds: it counts as of when it came."""
    service: str | None = None
    """As its spans' resource says."""
    environment: str | None = None
    span_count: int = 0
    received_at: int = 0
    """When the first of what is new of it was received, Unix nanoseconds; 0 when nobody says."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What was read from the inbox since the last commit, beside traces."""

    to: Position | None = None
    """The last row read; on a restart, rows up to here are not counted again."""
    items: int = 0
    """Spans and log records in those rows."""
    changes: tuple[Change, ...] = ()
    not_kept: int = 0
    """Late parts of stored traces that could not be redacted, and so were not kept."""
    after_content: int = 0
    """Late parts of traces whose content was gone already."""
    unread: Mapping[str, int] = field(default_factory=dict[str, int])
    """How often each dialect of the operator's own failed."""


Purpose = Literal["score", "canary"]


@dataclass(frozen=True, slots=True)
class Job:
    """One record that waits for its verdict."""

    record_id: int
    input_hash: bytes
    record: RagTrace
    inclusion: float
    purpose: Purpose = "score"
    """A canary is judged again to see whether the judge has changed; it is no score of record."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The answer to a job; `failure` says why there is no usable verdict."""

    job: Job
    verdict: Verdict | None
    failure: str | None = None


class RecordStore(Protocol):
    """Records, scores and the ledger. Only the pipeline's thread calls it."""

    def watermark(self) -> Position | None:
        """The last inbox position whose outcome is committed here; everything after it is read again."""
        ...

    def counted_to(self) -> Position | None:
        """The last inbox position whose items are counted here; at or after the watermark."""
        ...

    def raw(self, trace_ids: Collection[str]) -> Mapping[str, RawTrace]:
        """What is stored of those traces that were seen before."""
        ...

    def raw_bytes(self, trace_ids: Collection[str]) -> Mapping[str, int]:
        """How many bytes `raw` would give of those traces whose content is stored."""
        ...

    def commit(
        self,
        traces: Sequence[ScoredTrace],
        watermark: Position | None,
        now: int,
        taken: Taken = Taken(),
        states: Sequence[tuple[str, str]] = (),
    ) -> Sequence[Job]:
        """Write traces, scores, ledger, rollups, changes and the watermark in one transaction; return what to judge.

        `states` are kept with them, each under its name, as `remember` does. A trace seen before is replaced: its old
        scores stay, but only the new ones are current.
        """
        ...

    def record_judgements(self, judgements: Sequence[Judgement], now: int) -> None:
        """Write verdicts and ledger states; one whose record has changed meanwhile is dropped."""
        ...

    def remember(self, name: str, state: str) -> None:
        """Keep a small state under a name, instead of what was kept there."""
        ...

    def recall(self, name: str) -> str | None:
        """The state that was last kept under that name."""
        ...

    def pending(self) -> Sequence[Job]:
        """Every record that waits for a verdict, oldest first: what a restart has to hand out again."""
        ...

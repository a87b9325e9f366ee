"""From the records around an incident to its diagnosis: where, since when, what changed, which half, what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from ragvigil.exporters import Measurement
from ragvigil.scorer.changes import Change
from ragvigil.scorer.diagnose.case import SIGNALS, Case, Reach
from ragvigil.scorer.diagnose.evidence import Evidence
from ragvigil.scorer.diagnose.fault import Fault, Moved, fault_of, moved
from ragvigil.scorer.diagnose.grid import grid_of
from ragvigil.scorer.diagnose.localise import Located, locate, mask_of
from ragvigil.scorer.diagnose.mix import Shifted, shifted
from ragvigil.scorer.diagnose.onset import Onset, onset_of
from ragvigil.scorer.diagnose.playbook import PRESENT, chosen
from ragvigil.scorer.diagnose.shares import Part, Split, share_of, split_of
from ragvigil.scorer.diagnose.tags import Grown, grown, leading
from ragvigil.scorer.diagnose.typical import candidates
from ragvigil.scorer.diagnose.views import View, views_of
from ragvigil.scorer.estimate import rate
from ragvigil.scorer.estimate.window import Booleans, Floats
from ragvigil.scorer.monitoring import Sums

Kind = Literal["new", "segment", "mix", "everywhere", "unclear"]

_MIX = 0.6
_MOST = 0.5
_BEFORE_ONSET = 3_600.0
_CLOCKS = 5.0
"""Seconds by which the clock of whoever told of a change may be ahead of those that date the answers."""
_MOST_CHANGES = 5
_FIRST_SECONDS, _FIRST_ANSWERS = 60.0, 30
"""What is first seen in so many seconds or answers of a service came with it."""
_ENOUGH = 500
"""Records of the time before that an expectation is learned from; with fewer, those up to the onset are taken too."""


@dataclass(frozen=True, slots=True)
class Cause:
    """What the diagnosis names."""

    values: tuple[tuple[str, str], ...]
    """(dimension, value); two of them where only both together fell."""
    share: Part
    """Of the whole fall."""
    before: Measurement | None
    """The series there before; for a new value, of all answers."""
    now: Measurement | None
    first_seen: float | None
    """When it appeared, if it did around the onset, Unix seconds."""
    same_as: tuple[tuple[str, str], ...]
    """What marks the same answers, so that it cannot be told which of them is at fault."""
    p: float
    on: float | None = None
    """Share of all answers since the onset that are of it; of nearly all there is no rest to hold it against."""
    again: bool = False
    """Whether it had been seen in an earlier incident: then `first_seen` is when it came back."""


@dataclass(frozen=True, slots=True)
class Other:
    """A value that was considered."""

    values: tuple[tuple[str, str], ...]
    gain: float
    """Nats by which a fall there is likelier than none."""
    p: float


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The whole of it."""

    kind: Kind
    """`new`: a value that appeared; `segment`: one that was there; `mix`: other questions, not worse answers;
    `everywhere`: no value fell more than the rest; `unclear`: the records do not show the fall."""
    cause: Cause | None
    considered: tuple[Other, ...]
    onset: Onset
    split: Split
    mix: Shifted | None
    fault: Fault
    signals: tuple[Moved, ...]
    tags: tuple[Grown, ...]
    playbook: tuple[str, ...]
    """Rows of the playbook, nearest first."""
    changes: tuple[Change, ...]
    """Just before the onset or within its interval, nearest first."""
    records: int
    measured: int
    """Of these, with an outcome."""
    typical: tuple[int, ...] = ()
    """Ids of failing records, most typical first; a page shows some that are unlike each other."""
    reach: Reach | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def sure(self) -> bool:
        """Whether anything is named."""
        return self.kind in ("new", "segment", "mix")

    @property
    def headline(self) -> tuple[object, ...]:
        """What a reader would call another diagnosis."""
        return (self.kind, self.cause.values if self.cause else (), self.mix.value if self.mix else None)


@dataclass(frozen=True, slots=True)
class _Fall:
    """Where and since when a series fell."""

    kind: Kind
    cause: Cause | None
    others: tuple[Other, ...]
    onset: Onset
    split: Split
    mix: Shifted | None
    early: Booleans
    """(records,) those of before the fall that the fallen ones are held against."""
    late: Booleans
    """(records,) those since the onset, of the cause where one is named."""


def diagnose(case: Case) -> Diagnosis:
    """The diagnosis of a case, without its reach; the same case gives the same diagnosis."""
    evidence, fall = case.evidence, _fall(case)
    signals = {
        name: one
        for name in SIGNALS
        if name in case.signals
        and (one := moved(name, case.signals[name], fall.early, fall.late)) is not None
    }
    tags = grown(case.tags, fall.early & evidence.everyone, fall.late & evidence.everyone)
    fault = fault_of(case.series, signals)
    fell = {name for name, one in signals.items() if one.fell}
    if not _is_most(signals.get(PRESENT), moved(case.series, evidence.outcome, fall.early, fall.late)):
        fell.discard(PRESENT)
    held = {name for name, one in signals.items() if one.held}
    rows = chosen(case.series, fault.side, fell, leading(tags), held=held, segment=fall.kind == "segment")
    carriers = case.tags[tags[0].tag] if tags else np.ones(evidence.size, dtype=np.bool_)
    places = candidates(
        outcome=evidence.outcome,
        cheap=evidence.cheap,
        guilty=fall.late,
        tagged=carriers,
        time=evidence.time,
    )
    return Diagnosis(
        fall.kind,
        fall.cause,
        fall.others,
        fall.onset,
        fall.split,
        fall.mix,
        fault,
        tuple(signals.values()),
        tags,
        tuple(row.id for row in rows),
        _near(case, fall.onset),
        evidence.size,
        int(np.isfinite(evidence.outcome).sum()),
        tuple(int(case.record[place]) for place in places),
        notes=case.notes,
    )


def _is_most(part: Moved | None, whole: Moved | None) -> bool:
    """Whether a signal fell by most of what the series fell: what cites nothing scores 0 there."""
    return (
        part is not None
        and whole is not None
        and part.after - part.before < _MOST * (whole.after - whole.before)
    )


def _fall(case: Case) -> _Fall:
    evidence = case.evidence
    views = views_of(evidence, _learned_until(case))
    grid = grid_of(evidence, views, case.begin)
    located = locate(evidence, views, grid)
    named = located.suspects[0] if located.kind in ("new", "segment") else None
    mask = np.ones(evidence.size, dtype=np.bool_) if named is None else mask_of(evidence, named)
    onset = onset_of(views, mask, evidence, case.begin)
    if located.kind == "unclear":
        onset = Onset(case.since, case.begin, case.since)
    split = split_of(views, evidence.conversation, evidence.time, min(case.since, onset.at), onset.at)
    mix = shifted(evidence, min(case.since, onset.at), onset.at) if _is_mix(split) else None
    kind: Kind = "mix" if mix is not None else located.kind
    if kind in ("segment", "new") and split.total.value >= 0.0:
        kind = "unclear"  # nothing fell that this could explain
    cause = _cause(case, views, located, mask, onset) if kind in ("new", "segment") else None
    early = evidence.time < (
        _learned_until(case) if located.kind == "unclear" else min(case.since, onset.lower)
    )
    early = early & mask if cause is None or cause.first_seen is None else early
    others = tuple(Other(one.values, one.gain, one.p) for one in located.suspects[:5])
    return _Fall(kind, cause, others, onset, split, mix, early, (evidence.time >= onset.at) & mask)


def _learned_until(case: Case) -> float:
    """Until the search for the onset begins: a fall before the believed onset would else be taken for normal."""
    return case.begin if int((case.evidence.time < case.begin).sum()) >= _ENOUGH else case.since


def reaching(diagnosis: Diagnosis, reach: Reach) -> Diagnosis:
    """The same with its reach."""
    return replace(diagnosis, reach=reach)


def _is_mix(split: Split) -> bool:
    falls = split.total.upper < 0.0 and split.mix.upper < 0.0
    return falls and split.mix.value <= _MIX * split.total.value


def _cause(case: Case, views: tuple[View, ...], located: Located, mask: Booleans, onset: Onset) -> Cause:
    evidence, first = case.evidence, located.suspects[0]
    begin = min(case.since, onset.at)
    early, late = evidence.time < begin, evidence.time >= onset.at
    early = early if first.first_seen is not None else early & mask
    return Cause(
        first.values,
        share_of(views, mask, evidence.conversation, evidence.time, begin, onset.at),
        _level(evidence, early),
        _level(evidence, mask & late),
        first.first_seen,
        first.same_as,
        first.p,
        float(mask[late & evidence.everyone].mean()) if (late & evidence.everyone).any() else None,
        again=first.first_seen is not None and case.seen_before.issuperset(first.values),
    )


def _level(evidence: Evidence, rows: Booleans) -> Measurement | None:
    known = rows & np.isfinite(evidence.outcome)
    w, x = 1.0 / evidence.inclusion[known], evidence.outcome[known]
    sums = Sums(
        int(known.sum()),
        *(float(one.sum()) for one in (w, w * x, w * w, w * w * x, w * w * x * x)),
    )
    found = rate(sums)
    if found is None:
        return None
    return Measurement(
        found.value, found.lower, found.upper, found.n_judged, found.n_traces, found.method, found.calibrated
    )


def _real(changes: Sequence[Change], time: Floats) -> list[Change]:
    """Those that changed anything: what the very first answers of a service show was not otherwise before."""
    begin = max(time[0] + _FIRST_SECONDS, time[min(_FIRST_ANSWERS, len(time)) - 1]) if len(time) else 0.0
    return [
        one for one in changes if one.source != "traffic" or one.before is not None or one.at / 1e9 > begin
    ]


def _near(case: Case, onset: Onset) -> tuple[Change, ...]:
    """Those that came within the onset's interval or the hour before it, nearest to the onset first.

    None that came later, or after the page, such as what was done about it; nor from before it was last well again.
    """
    lower, upper = onset.lower - _BEFORE_ONSET, onset.upper + _CLOCKS
    lower = lower if case.healthy_since is None else max(lower, case.healthy_since)
    upper = upper if case.told_at is None else min(upper, case.told_at)
    changes = _real(case.changes, case.evidence.time)
    near = [one for one in changes if lower <= one.at / 1e9 <= upper]
    return tuple(sorted(near, key=lambda one: (abs(one.at / 1e9 - onset.at), one.id))[:_MOST_CHANGES])

"""From assembled traces to scored ones: redact, merge with what is stored, read, filter, check, sample."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ragvigil.scorer.assembly.assemble import Assembled
from ragvigil.scorer.assembly.payload import without_repeats
from ragvigil.scorer.dialects import DIALECTS, Dialect, Received, lost_in_service, read_all
from ragvigil.scorer.redact.payload import Redaction, with_note, without_note
from ragvigil.scorer.sample import Sampler, informative, stratum_of
from ragvigil.scorer.scoring.checking import Checking
from ragvigil.scorer.scoring.dating import dated, misdated
from ragvigil.scorer.scoring.filtering import Filtered, Filters
from ragvigil.scorer.scoring.noting import Notes
from ragvigil.scorer.scoring.queue_room import QueueRoom
from ragvigil.scorer.signals.arriving import Arriving
from ragvigil.scorer.span import Span, logs_of, not_finite, resource_text, spans_of
from ragvigil.scorer.store.port import LedgerEntry, RawTrace, ScoredRecord, ScoredTrace
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import CheckResult
from ragvigil.tracer import attributes as names

_log = logging.getLogger(__name__)


class Arrived(NamedTuple):
    """A trace on its way to be scored."""

    item: Assembled
    """What was received, without what must not leave the inbox."""
    received: Assembled
    stored: RawTrace | None
    """What the store has of it."""
    spans: Sequence[Span] = ()
    """Those of `item`, where they have been read already."""
    note: str | None = None
    """What is noted of all of it, where texts are withheld."""


@dataclass(slots=True)
class _Read:
    """A trace between two steps."""

    trace_id: str
    raw: RawTrace
    timed_out: bool
    dropped: int
    received_at: int
    rootless: bool
    spans: Sequence[Span] = ()
    """Those of `raw`, as far as they have been read."""
    records: Sequence[RagTrace] = ()
    filtered: Sequence[Filtered | None] = ()
    """For each record the rule that filters it."""
    misdated: int | None = None
    """A moment that its spans tell and cannot be right."""
    failed: bool = False
    """Whether it could not be read."""

    def to_check(self) -> list[RagTrace]:
        """The records that no rule filters."""
        return [record for record, rule in zip(self.records, self.filtered, strict=True) if rule is None]


class TraceScoring:
    """Scores traces; what it draws from the budget is the sampler's."""

    def __init__(
        self,
        *,
        sampler: Sampler,
        room: QueueRoom,
        redaction: Redaction,
        max_bytes: int,
        max_spans: int,
        dialects: Sequence[Dialect] = DIALECTS,
        filters: Filters | None = None,
        checking: Checking | None = None,
        arriving: Arriving | None = None,
        now: Callable[[], int] = time.time_ns,
    ) -> None:
        """A trace may hold so many bytes and spans, with what is stored of it."""
        self._sampler = sampler
        self._room = room
        self._redaction = redaction
        self._max_bytes = max_bytes
        self._max_spans = max_spans
        self._dialects = dialects
        self._filters = filters or Filters({})
        self._checking = checking or Checking()
        self._arriving = arriving or Arriving(())
        self._now = now
        self.notes = Notes(dialects, self._checking.rules_of, redaction, now)

    def redacted(self, received: Assembled, stored: RawTrace | None = None) -> Arrived | None:
        """The trace without what must not leave the inbox, beside what is stored; None where that cannot be told."""
        arrived, logs = b"".join(received.spans), b"".join(received.logs)
        try:
            payload, spans = self._redaction.read(arrived)
            before = stored or RawTrace(b"", b"")
            withheld = self._redaction.withholds(before.spans + arrived, before.logs + logs)
            kept = (self._redaction.logs(logs, withheld=withheld),) if logs else ()
            item = replace(received, spans=(payload,), logs=kept)
        except Exception as error:  # no traceback: it may quote the content
            _log.error(
                "trace %s cannot be redacted and is not kept: %s", received.trace_id, type(error).__name__
            )
            return None
        return Arrived(item, received, stored, spans, self.notes.of(received, stored) if withheld else None)

    def score(self, arrived: Sequence[Arrived]) -> list[ScoredTrace | None]:
        """Each trace as it is now, None where what came was stored before.

        One step is taken for all traces before the next: so the code of each stays in the processor's cache, which
        is a seventh of the time. What is held of them meanwhile is the caller's to bound.
        """
        merged = [self._merged(one) for one in arrived]
        new = [one for one in merged if one is not None]
        self._read(new)
        results = iter(self._checked([record for one in new for record in one.to_check()]))
        scored: list[ScoredTrace | None] = []
        for one in merged:
            if one is None:
                scored.append(None)  # an exporter that missed our ack sent the same spans again
                continue
            checks = [next(results) if rule is None else () for rule in one.filtered]
            scored.append(self._scored(one, checks))
        return scored

    def _merged(self, arrived: Arrived) -> _Read | None:
        """The trace with what is stored of it, not read yet; None when nothing of it is new."""
        item, received, stored, spans, note = arrived
        raw, dropped = self._merge(stored, item, note)
        if raw is None:
            return None
        rules = self._rules_met(stored, item, received, raw)
        if dropped or rules != raw.rules:
            raw = replace(raw, rules=rules, dropped=raw.dropped + dropped)
        if dropped:
            _log.warning(
                "trace %s is larger than one trace may be (assemble.max_trace_spans, max_trace_bytes): "
                "dropped %d of its spans",
                item.trace_id,
                dropped,
            )
        timed_out = item.timed_out or raw.dropped > 0
        fresh = spans if stored is None and note is None else ()
        return _Read(item.trace_id, raw, timed_out, dropped, item.received_at, item.rootless, fresh)

    def _rules_met(
        self, stored: RawTrace | None, item: Assembled, received: Assembled, raw: RawTrace
    ) -> frozenset[str]:
        """The filters that the trace meets by what is cut out of it: ids of people, headers, content."""
        before = frozenset[str]() if stored is None else stored.rules
        payload = b"".join(received.spans)
        if payload == b"".join(item.spans) or not self._filters.concern(payload):
            return before
        try:
            kept = {span.span_id: span for span in spans_of(raw.spans)}
            arrived = {span.span_id: span for span in spans_of(payload)}
            return before | (
                self._filters.met(list((kept | arrived).values())) - self._filters.met(list(kept.values()))
            )
        except Exception as error:  # no traceback: it may quote the content
            _log.error("trace %s: its filters cannot be asked: %s", received.trace_id, type(error).__name__)
            return before

    def _read(self, traces: Sequence[_Read]) -> None:
        """Give each trace its spans, records and filters; one that cannot be read says so, and hurts no other."""
        try:
            self._read_together(traces)
        except Exception:
            for trace in traces:
                self._read_alone(trace)

    def _read_alone(self, trace: _Read) -> None:
        try:
            self._read_together([trace])
        except Exception:
            _log.exception("trace %s could not be read", trace.trace_id)
            trace.records, trace.filtered, trace.failed = (), (), True

    def _read_together(self, traces: Sequence[_Read]) -> None:
        received: list[Received] = []
        for trace in traces:
            spans = trace.spans or spans_of(trace.raw.spans)
            if len({span.span_id for span in spans}) < len(spans):
                trace.raw = replace(trace.raw, spans=without_repeats(trace.raw.spans))
                spans = spans_of(trace.raw.spans)
            trace.spans = spans
            events = logs_of(trace.raw.logs) if trace.raw.logs else ()
            received.append(Received(spans, events, trace.timed_out))
        for trace, records in zip(traces, read_all(received, self._dialects), strict=True):
            trace.misdated = misdated(trace.spans, records, trace.received_at)
            trace.records = [dated(record, trace.received_at) for record in records]
            trace.filtered = self._filters.of(trace.spans, trace.records, trace.raw.rules)

    def _checked(self, records: Sequence[RagTrace]) -> list[tuple[CheckResult, ...] | None]:
        """The results of each record; None for one that could not be checked, which hurts no other."""
        try:
            return list(self._checking.run_all(records))
        except Exception:
            return [self._checked_alone(record) for record in records]

    def _checked_alone(self, record: RagTrace) -> tuple[CheckResult, ...] | None:
        try:
            return self._checking.run(record)
        except Exception:
            _log.exception("trace %s could not be checked", record.trace_id)
            return None

    def _scored(self, trace: _Read, checks: Sequence[tuple[CheckResult, ...] | None]) -> ScoredTrace:
        """What is stored of the trace; one that could not be read or checked is stored as such."""
        try:
            records = None if trace.failed else self._records(trace, checks)
        except Exception:
            _log.exception("trace %s could not be scored", trace.trace_id)
            records = None
        if records is None:
            return ScoredTrace(
                trace.trace_id,
                trace.raw,
                trace.timed_out,
                failure="read",
                dropped=trace.dropped,
                received_at=trace.received_at,
            )
        spans = trace.spans
        return ScoredTrace(
            trace.trace_id,
            trace.raw,
            trace.timed_out,
            records,
            dropped=trace.dropped,
            lost=lost_in_service(spans),
            not_finite=not_finite(spans),
            misdated=trace.misdated,
            service=resource_text(spans, names.SERVICE_NAME),
            environment=resource_text(spans, names.DEPLOYMENT_ENVIRONMENT_NAME, "deployment.environment"),
            span_count=len(spans),
            received_at=trace.received_at,
        )

    def _records(
        self, trace: _Read, checks: Sequence[tuple[CheckResult, ...] | None]
    ) -> tuple[ScoredRecord, ...] | None:
        """The records with their checks and what becomes of them; None where one could not be checked."""
        scored: list[ScoredRecord] = []
        topless = trace.rootless and all(
            span.parent_id is not None and not span.parent_is_remote for span in trace.spans
        )
        for record, rule, found in zip(trace.records, trace.filtered, checks, strict=True):
            if found is None:
                return None
            if rule:
                scored.append(_left_out(record, rule))
                continue
            decision = self._decide(record, informative(record, found))
            awaited = topless and record.completeness == "partial_evidence"
            scored.append(ScoredRecord(record, found, decision, awaited))
        return tuple(scored)

    def _decide(self, record: RagTrace, promising: bool) -> LedgerEntry:
        signal = self._arriving.of(record)
        stratum = stratum_of(record) + ("" if signal is None else f"|{signal}")
        room = self._room.left(record.place) > 0
        decision = self._sampler.decide(
            record.trace_id,
            stratum,
            place=record.place,
            at=self._now() / 1e9,
            informative=promising,
            room=room,
        )
        inclusion, stratum = decision.inclusion, decision.stratum
        if not decision.judged:
            return LedgerEntry("checked_only", inclusion, "sampled_out", stratum)
        if not room:
            return LedgerEntry("shed", inclusion, "judge_queue_full", stratum)
        self._room.draw(record)
        return LedgerEntry("pending", inclusion, stratum=stratum)

    def _merge(
        self, known: RawTrace | None, item: Assembled, note: str | None
    ) -> tuple[RawTrace | None, int]:
        """All that was received of the trace, None when the new part holds nothing new; what was dropped.

        Serialised TracesData messages may be concatenated: protobuf defines that as their union.
        """
        spans, logs = b"".join(item.spans), b"".join(item.logs)
        if known is None:
            return RawTrace(with_note(spans, note), logs), item.dropped
        if note is not None and known.logs:  # feedback that came before its spans is of no service
            known = replace(known, logs=self._redaction.logs(known.logs, withheld=True))
        seen = set[bytes]()
        without_repeats(without_note(known.spans), seen)
        stored = len(seen)
        spans = without_repeats(spans, seen)  # a span that was told while it ran comes again, and says more
        fresh = len(seen) - stored
        fresh_logs = bool(logs) and logs not in known.logs
        size = len(known.spans) + len(spans) + len(known.logs) + len(logs)
        if size > self._max_bytes or len(seen) > self._max_spans:
            dropped = item.dropped + fresh + fresh_logs
            return (known, dropped) if dropped else (None, 0)
        if not fresh and not fresh_logs:
            return (known, item.dropped) if item.dropped else (None, 0)
        merged = replace(
            known,
            spans=with_note(known.spans + spans if fresh else known.spans, note),
            logs=known.logs + logs if fresh_logs else known.logs,
        )
        return merged, item.dropped


def _left_out(record: RagTrace, filtered: Filtered) -> ScoredRecord:
    return ScoredRecord(record, (), LedgerEntry("filtered", 0.0, filtered.rule))

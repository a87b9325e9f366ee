"""From one assembled trace to a scored one: redact, merge with what is stored, read, filter, check, sample."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from ragvigil.scorer.assemble import Assembled
from ragvigil.scorer.checking import Checking
from ragvigil.scorer.dialects import DIALECTS, Dialect, lost_in_service, read_records
from ragvigil.scorer.filtering import Filtered, Filters
from ragvigil.scorer.payload import without_repeats
from ragvigil.scorer.redact import Redaction
from ragvigil.scorer.sample import Sampler, informative, stratum_of
from ragvigil.scorer.signals.arriving import Arriving
from ragvigil.scorer.span import logs_of, not_finite, resource_text, spans_of
from ragvigil.scorer.store.port import LedgerEntry, RawTrace, ScoredRecord, ScoredTrace
from ragvigil.scorer.trace import RagTrace
from ragvigil.tracer import attributes as names

_log = logging.getLogger(__name__)


class TraceScoring:
    """Scores one trace after another; what it draws from the budget is the sampler's."""

    def __init__(
        self,
        *,
        sampler: Sampler,
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
        self._redaction = redaction
        self._max_bytes = max_bytes
        self._max_spans = max_spans
        self._dialects = dialects
        self._filters = filters or Filters({})
        self._checking = checking or Checking()
        self._arriving = arriving or Arriving(())
        self._now = now

    def redacted(self, received: Assembled) -> Assembled | None:
        """The trace without what must not leave the inbox; None where that cannot be told."""
        try:
            spans = self._redaction.spans(b"".join(received.spans))
            logs = self._redaction.logs(b"".join(received.logs)) if received.logs else b""
        except Exception as error:  # no traceback: it may quote the content
            _log.error(
                "trace %s cannot be redacted and is not kept: %s", received.trace_id, type(error).__name__
            )
            return None
        return Assembled(
            received.trace_id,
            (spans,),
            (logs,),
            received.first_position,
            received.timed_out,
            received.dropped,
        )

    def score(
        self, item: Assembled, received: Assembled, stored: RawTrace | None, room: int
    ) -> ScoredTrace | None:
        """The trace as it is now, None when what came was stored before; at most `room` of its records wait.

        `item` is what was `received`, redacted.
        """
        raw, dropped = self._merge(stored, item)
        if raw is None:
            return None  # an exporter that missed our ack sent the same spans again
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
        return self._read(raw, item, dropped, room)

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

    def _read(self, raw: RawTrace, item: Assembled, dropped: int, room: int) -> ScoredTrace:
        trace_id, timed_out = item.trace_id, item.timed_out or raw.dropped > 0
        try:
            spans = spans_of(raw.spans)
            if len({span.span_id for span in spans}) < len(spans):
                raw = replace(raw, spans=without_repeats(raw.spans))
                spans = spans_of(raw.spans)
            events = logs_of(raw.logs) if raw.logs else ()
            records = read_records(spans, events, timed_out=timed_out, dialects=self._dialects)
            filtered = self._filters.of(spans, records, raw.rules)
            scored = tuple(
                _left_out(record, rule) if rule else self._score_record(record, room > place)
                for place, (record, rule) in enumerate(zip(records, filtered, strict=True))
            )
        except Exception:
            _log.exception("trace %s could not be read", trace_id)
            return ScoredTrace(trace_id, raw, timed_out, failure="read", dropped=dropped)
        return ScoredTrace(
            trace_id,
            raw,
            timed_out,
            scored,
            dropped=dropped,
            lost=lost_in_service(spans),
            not_finite=not_finite(spans),
            service=resource_text(spans, names.SERVICE_NAME),
            environment=resource_text(spans, names.DEPLOYMENT_ENVIRONMENT_NAME, "deployment.environment"),
            span_count=len(spans),
        )

    def _score_record(self, record: RagTrace, room: bool) -> ScoredRecord:
        checks = self._checking.run(record)
        return ScoredRecord(record, checks, self._decide(record, informative(record, checks), room))

    def _decide(self, record: RagTrace, promising: bool, room: bool) -> LedgerEntry:
        signal = self._arriving.of(record)
        stratum = stratum_of(record) + ("" if signal is None else f"|{signal}")
        decision = self._sampler.decide(record.trace_id, stratum, at=self._now() / 1e9, informative=promising)
        inclusion, stratum = decision.inclusion, decision.stratum
        if not decision.judged:
            return LedgerEntry("checked_only", inclusion, "sampled_out", stratum)
        if not room:
            return LedgerEntry("shed", inclusion, "judge_queue_full", stratum)
        return LedgerEntry("pending", inclusion, stratum=stratum)

    def _merge(self, known: RawTrace | None, item: Assembled) -> tuple[RawTrace | None, int]:
        """All that was received of the trace, None when the new part holds nothing new; what was dropped.

        Serialised TracesData messages may be concatenated: protobuf defines that as their union.
        """
        spans, logs = b"".join(item.spans), b"".join(item.logs)
        if known is None:
            return RawTrace(spans, logs), item.dropped
        seen = {span.span_id for span in spans_of(known.spans)}
        fresh = {span.span_id for span in spans_of(spans)} - seen
        fresh_logs = bool(logs) and logs not in known.logs
        size = len(known.spans) + len(spans) + len(known.logs) + len(logs)
        if size > self._max_bytes or len(seen) + len(fresh) > self._max_spans:
            dropped = item.dropped + len(fresh) + fresh_logs
            return (known, dropped) if dropped else (None, 0)
        if not fresh and not fresh_logs:
            return (known, item.dropped) if item.dropped else (None, 0)
        merged = replace(
            known,
            spans=known.spans + spans if fresh else known.spans,
            logs=known.logs + logs if fresh_logs else known.logs,
        )
        return merged, item.dropped


def _left_out(record: RagTrace, filtered: Filtered) -> ScoredRecord:
    return ScoredRecord(record, (), LedgerEntry("filtered", 0.0, filtered.rule))

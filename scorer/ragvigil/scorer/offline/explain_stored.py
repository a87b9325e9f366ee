"""`ragvigil explain TRACE_ID`: how a trace is read of which the scorer still keeps the content."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace

from ragvigil.scorer.config import Settings
from ragvigil.scorer.dialects import Dialect
from ragvigil.scorer.errors import InputError, located
from ragvigil.scorer.inbox.payloads import staged
from ragvigil.scorer.offline.explain import TraceAccount, explain
from ragvigil.scorer.redact import Pseudonyms
from ragvigil.scorer.redact.payload import Redaction
from ragvigil.scorer.scoring.filtering import Filters
from ragvigil.scorer.span import LogEvent, Span, logs_of, spans_of
from ragvigil.scorer.store._sqlite_meta import remembered
from ragvigil.scorer.store.port import RawTrace
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.store.reading_raw import Gone, StoredTrace, stored_trace

_NOTHING = StoredTrace(RawTrace(b"", b""), timed_out=False)


def explain_stored(
    settings: Settings, trace_id: str, dialects: Sequence[Dialect], filters: Filters
) -> TraceAccount:
    """An account of the trace with that id, 32 lower-case hex characters, by what store and inbox hold of it.

    What still waits in the inbox is redacted first, as the scorer does it. Raises InputError that says why nothing is
    left of it, and StoreError where the store cannot be read.
    """
    waiting = staged(settings.inbox_path, trace_id)  # first: what is scored meanwhile is in the store then
    with closing(open_for_reading(settings.store.path)) as connection:
        found = stored_trace(connection, trace_id)
        if isinstance(found, str):
            raise InputError(trace_id, _why_gone(found, settings))
        kept = found or _NOTHING
        spans = spans_of(kept.raw.spans)
        events = logs_of(kept.raw.logs) if kept.raw.logs else []
        known = {span.span_id for span in spans}
        late = [span.span_id for span in spans_of(waiting[0]) if span.span_id not in known]
        if late:
            more = _redacted(waiting, settings, connection)
            spans += [span for span in more[0] if span.span_id not in known]
            events += [event for event in more[1] if event not in events]
    if not spans:
        raise InputError(trace_id, _why_absent(found, settings))
    account = explain(spans, events, dialects, filters, rules_met=kept.raw.rules, timed_out=kept.timed_out)
    return replace(account, waiting=bool(late))


def _redacted(
    waiting: tuple[bytes, bytes], settings: Settings, connection: sqlite3.Connection
) -> tuple[list[Span], list[LogEvent]]:
    configured = settings.store.user_id_key
    key = configured.get_secret_value() if configured else remembered(connection, "user_id_key") or ""
    pseudonyms = Pseudonyms(key, plain=settings.store.user_ids == "plain")
    with closing(Redaction(settings.content, pseudonyms)) as redaction:
        spans = spans_of(redaction.spans(waiting[0]))
        return spans, logs_of(redaction.logs(waiting[1])) if waiting[1] else []


def _why_gone(gone: Gone, settings: Settings) -> str:
    if gone == "forgotten":
        return "was erased by `ragvigil forget`: nothing of it is left, if there was any"
    return (
        f"its spans are gone after retention.content_days = {settings.retention.content_days:g}, or for "
        "retention.max_disk_bytes; its scores stay: /answers of `ragvigil dashboard`"
    )


def _why_absent(found: StoredTrace | None, settings: Settings) -> str:
    if found is not None:
        return "no span of it has come, only feedback or log records"
    return (
        f"no trace with that id in {located(settings.store.path)} or its inbox; name the store of your scorer with "
        "--config or --store; `ragvigil status` says what was refused, or sampled away by senders"
    )

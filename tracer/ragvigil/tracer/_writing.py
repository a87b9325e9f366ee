"""Ended spans on their way out: what is still to be written on them, and how much they weigh."""

from __future__ import annotations

from typing import NamedTuple, cast

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import Status

from ragvigil.tracer import attributes as names
from ragvigil.tracer._findings import AttributeValue, Findings
from ragvigil.tracer._notices import Notices

SPAN_OVERHEAD_BYTES = 600
"""About what a span weighs beside its texts."""


class Queued(NamedTuple):
    """A span that waits, with what is still to be written on it."""

    span: ReadableSpan
    findings: Findings | None
    weight: int


def written(queued: Queued, notices: Notices) -> ReadableSpan:
    """The span with its findings written on it; with a mark instead of them where they cannot be."""
    if queued.findings is None:
        return queued.span
    try:
        attributes = queued.findings.finished()
        span = with_attributes(queued.span, attributes)
        if span.status.description and queued.findings.content != "full":
            return with_attributes(span, {}, status=Status(span.status.status_code))
        return span
    except (Exception, SystemExit) as error:
        notices.say("a span could not be written", error)
        unread = {names.RAGVIGIL_UNREADABLE: [f"span: {type(error).__name__}"]}
        return with_attributes(queued.span, {**queued.findings.fixed, **unread})


def weight_of(attributes: object) -> int:
    """About how many bytes a span takes: its texts in UTF-8 and a constant."""
    weight = SPAN_OVERHEAD_BYTES
    # A copy in one go: the SDK's own view takes a lock-free but slow step per attribute.
    for value in cast("dict[str, object]", attributes or {}).copy().values():
        if isinstance(value, str):
            weight += len(value) if value.isascii() else len(value.encode("utf-8", "replace"))
    return weight


def with_attributes(
    span: ReadableSpan, attributes: dict[str, AttributeValue], status: Status | None = None
) -> ReadableSpan:
    """The span with these attributes beside those that the service set on it, and this status if one is given."""
    return ReadableSpan(
        name=span.name,
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes={**span.attributes, **attributes} if span.attributes else attributes,
        events=span.events,
        links=span.links,
        kind=span.kind,
        status=status or span.status,
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )

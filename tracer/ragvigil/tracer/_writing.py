"""Ended spans on their way out: what is still to be written on them, and how they are cut to size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import Status

from ragvigil.tracer import attributes as names
from ragvigil.tracer._findings import LONGEST_MARK, MOST_MARKS, AttributeValue, Findings
from ragvigil.tracer._notices import Notices
from ragvigil.tracer._sizes import encoded_span, too_large


class Queued(NamedTuple):
    """A span that waits, with what is still to be written on it."""

    span: ReadableSpan
    findings: Findings | None
    weight: int
    """At least the bytes of all that it holds."""


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


def shortened(span: ReadableSpan, most: int) -> ReadableSpan:
    """The span in at most so many bytes: without its events and its largest attributes, which it then names.

    What we write is within its limits; this is for what the service sets on a span of ours.
    """
    attributes = cast("dict[str, AttributeValue]", dict(span.attributes or {}))
    marks = list(cast("Sequence[str]", attributes.pop(names.RAGVIGIL_CONTENT_TRUNCATED, ())))[:MOST_MARKS]
    if span.events or span.links:
        marks.append("events")
    bare = encoded_span(with_attributes(span, {}, replace=True))
    for name in too_large(attributes, most - bare - 8 * MOST_MARKS * LONGEST_MARK):
        del attributes[name]
        marks.append(name[:LONGEST_MARK])
    attributes[names.RAGVIGIL_CONTENT_TRUNCATED] = marks[: 2 * MOST_MARKS]
    return with_attributes(span, attributes, replace=True)


def with_attributes(
    span: ReadableSpan,
    attributes: dict[str, AttributeValue],
    status: Status | None = None,
    *,
    replace: bool = False,
) -> ReadableSpan:
    """The span with these attributes beside those that the service set on it, and this status if one is given.

    ``replace`` leaves nothing else of it: no other attribute, event or link.
    """
    return ReadableSpan(
        name=span.name,
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes={**span.attributes, **attributes} if span.attributes and not replace else attributes,
        events=() if replace else span.events,
        links=() if replace else span.links,
        kind=span.kind,
        status=status or span.status,
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )

"""Ended spans on their way out: what is still to be written on them, and how they are cut to size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import Status

from ragvigil.tracer import attributes as names
from ragvigil.tracer._encoding import encoded_span
from ragvigil.tracer._facts import AttributeValue
from ragvigil.tracer._findings import LONGEST_MARK, MOST_MARKS, Findings
from ragvigil.tracer._finishing import finished
from ragvigil.tracer._notices import Notices
from ragvigil.tracer._sizes import entries_of, too_large


class Queued(NamedTuple):
    """A span that waits, with what is still to be written on it."""

    span: ReadableSpan
    findings: Findings | None
    weight: int
    """At least the bytes of all that it holds."""


class Written(NamedTuple):
    """A span as it is sent: what is given here goes before what it says itself."""

    span: ReadableSpan
    attributes: Mapping[str, AttributeValue]
    status: Status
    bare: bool = False
    """Whether its events and links are left out."""

    def encoded(self) -> bytes:
        """One entry of a request."""
        return encoded_span(self.span, self.attributes, self.status, bare=self.bare)

    def marked(self, name: str, value: AttributeValue) -> Written:
        """The same with one more attribute."""
        return self._replace(attributes={**self.attributes, name: value})

    def readable(self) -> ReadableSpan:
        """The same for an exporter that takes the SDK's spans."""
        span = self.span
        return ReadableSpan(
            name=span.name,
            context=span.context,
            parent=span.parent,
            resource=span.resource,
            attributes=self.attributes,
            events=() if self.bare else span.events,
            links=() if self.bare else span.links,
            kind=span.kind,
            status=self.status,
            start_time=span.start_time,
            end_time=span.end_time,
            instrumentation_scope=span.instrumentation_scope,
        )


def written(queued: Queued, notices: Notices) -> Written:
    """The span with its findings written on it; with a mark instead of them where they cannot be."""
    span, findings = queued.span, queued.findings
    own = dict(span.attributes) if span.attributes else {}
    set_on_it = cast("dict[str, AttributeValue]", own)
    if findings is None:
        return Written(span, set_on_it, span.status)
    try:
        attributes = finished(findings)
        status = span.status
        if findings.content != "full" and status.description:
            status = Status(status.status_code)
        return Written(span, {**set_on_it, **attributes} if set_on_it else attributes, status)
    except BaseException as error:  # on the sending thread, and from the service's redactor
        notices.say("a span could not be written", error)
        return unwritten(span, error, {**set_on_it, **findings.fixed})


def unwritten(
    span: ReadableSpan, error: BaseException, attributes: Mapping[str, AttributeValue] | None = None
) -> Written:
    """The span with nothing but these attributes and why, and without words about an error, which may quote."""
    unread: list[str] = [f"span: {type(error).__name__}"]
    given = {**(attributes or {}), names.RAGVIGIL_UNREADABLE: unread}
    return Written(span, given, Status(span.status.status_code), bare=attributes is None)


def shortened(whole: Written, most: int) -> Written:
    """The span in at most so many bytes: without its events and its largest attributes, which it then names.

    What we write is within its limits; this is for what the service sets on a span of ours.
    """
    attributes = dict(whole.attributes)
    marks = list(cast("Sequence[str]", attributes.pop(names.RAGVIGIL_CONTENT_TRUNCATED, ())))[:MOST_MARKS]
    if entries_of(whole.span):
        marks.append("events")
    bare = len(whole._replace(attributes={}, bare=True).encoded())
    for name in too_large(attributes, most - bare - 8 * MOST_MARKS * LONGEST_MARK):
        del attributes[name]
        marks.append(name[:LONGEST_MARK])
    attributes[names.RAGVIGIL_CONTENT_TRUNCATED] = marks[: 2 * MOST_MARKS]
    return whole._replace(attributes=attributes, bare=True)

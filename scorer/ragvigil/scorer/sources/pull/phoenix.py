"""Arize Phoenix: spans of a project as its REST API gives them, OTLP with everything flattened.

Tried against Phoenix 20.26. It keeps no resource: the service is the project. Times come rounded to the
microsecond. It gives what it stored last first, so what it stores while it is read comes above the first page: the
root of an answer that was under way, of which the searches were there already. So the top is read again, down to
what was known, until nothing is new.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from urllib.parse import quote

from ragvigil.scorer.sources.address import bearer
from ragvigil.scorer.sources.pull.fetch import Fetch
from ragvigil.scorer.sources.pull.history import Page, Wanted
from ragvigil.scorer.sources.pull.otlp import (
    attributes,
    identifier,
    iso,
    items,
    key_values,
    mapping,
    nanoseconds,
    objects,
    request,
    text,
)

_PROJECT = "default"
_SCOPE = "phoenix"
_PAGE = 200
_MARKS = 20
"""Spans at the top of a round by which the next one knows where it began: some of them may be deleted meanwhile."""
_STATUS = {"UNSET": 0, "OK": 1, "ERROR": 2}
_INSIDE = re.compile(r"(.*?(?:^|\.)metadata)\.(.+)")
"""Phoenix takes JSON apart; OpenInference has metadata as one JSON text."""


class Phoenix:
    """Reads `/v1/projects/{project}/spans/otlpv1`, newest first; and that answer, or `/spans`', from a file."""

    name = "phoenix"
    url_variable = "PHOENIX_COLLECTOR_ENDPOINT"
    keys: tuple[str, ...] = ("PHOENIX_API_KEY",)

    def headers(self) -> dict[str, str]:
        """PHOENIX_API_KEY as a bearer token."""
        return bearer(*self.keys)

    def pages(self, fetch: Fetch, wanted: Wanted, cursor: str | None) -> Iterator[Page]:
        """A page of spans a request, in rounds from the top down."""
        path = f"v1/projects/{quote(wanted.project or _PROJECT, safe='')}/spans/otlpv1"
        asked: dict[str, str | int] = {
            "limit": _PAGE,
            "start_time": iso(wanted.since),
            "end_time": iso(wanted.until),
        }
        at = _Place.read(cursor)
        while True:
            answer = fetch.get(path, asked | ({"cursor": at.cursor} if at.cursor else {}), holds="data")
            found = [_span(one) for one in objects(answer.get("data"))]
            spans = at.news(found)
            ended = not spans or len(spans) < len(found) or not answer.get("next_cursor")
            following = at.after(spans, None if ended else text(answer.get("next_cursor")))
            yield Page(
                (_request(spans, wanted),) if spans else (), following.written() if following else None
            )
            if following is None:
                return
            at = following

    def exported(self, content: object, wanted: Wanted) -> list[dict[str, object]]:
        """An answer of the API, a list of its spans, or one of them."""
        found = mapping(content)
        data = items(content) or found.get("data", [found] if "name" in found else None)
        spans = [_span(one) for one in objects(data)]
        return [_request(spans, wanted)] if spans else []


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in which round a pull is."""

    cursor: str | None = None
    """Phoenix's own; None at the top."""
    known: Sequence[object] = ()
    """Ids of spans at which the round ends: the newest of the round before."""
    newest: Sequence[object] = ()
    """Ids of the newest spans of this round; none when it has brought nothing yet."""

    @classmethod
    def read(cls, written: str | None) -> _Place:
        """The place that was written down; the top where that was done otherwise."""
        try:
            found = mapping(json.loads(written)) if written else {}
        except ValueError:
            found = {}
        return cls(
            text(found.get("cursor")), items(found.get("known")) or (), items(found.get("newest")) or ()
        )

    def written(self) -> str:
        """As the cursor of a page."""
        return json.dumps(asdict(self))

    def news(self, spans: list[dict[str, object]]) -> list[dict[str, object]]:
        """Those above what was known."""
        ids = [span["spanId"] for span in spans]
        return spans[: next((place for place, one in enumerate(ids) if one in self.known), len(ids))]

    def after(self, spans: list[dict[str, object]], cursor: str | None) -> _Place | None:
        """The next place of this round, else the top for another one; None when this one brought nothing."""
        newest = self.newest or [span["spanId"] for span in spans[:_MARKS]]
        if cursor is not None:
            return _Place(cursor, self.known, newest)
        return _Place(None, newest) if newest else None


def _request(spans: list[dict[str, object]], wanted: Wanted) -> dict[str, object]:
    service = wanted.service or wanted.project or "phoenix"
    return request({"service.name": service}, _SCOPE, spans)


def _span(found: dict[str, object]) -> dict[str, object]:
    """A span of either endpoint."""
    context, status = mapping(found.get("context")), mapping(found.get("status"))
    if context:
        said: dict[str, object] = {
            "openinference.span.kind": found.get("span_kind"),
            **mapping(found.get("attributes")),
        }
        begin: object = nanoseconds(found.get("start_time"))
        end: object = nanoseconds(found.get("end_time"))
        code: object = _STATUS.get(str(found.get("status_code")), 0)
        message = found.get("status_message")
    else:
        said = key_values(found.get("attributes"))
        begin, end = found.get("start_time_unix_nano"), found.get("end_time_unix_nano")
        code, message = status.get("code"), status.get("message")
        code = _STATUS.get(str(code).removeprefix("STATUS_CODE_"), code)
    return {
        "traceId": identifier(context.get("trace_id") or found.get("trace_id"), 16),
        "spanId": identifier(context.get("span_id") or found.get("span_id"), 8),
        "parentSpanId": identifier(found.get("parent_id") or found.get("parent_span_id"), 8),
        "name": found.get("name") or "",
        "kind": 1,
        "startTimeUnixNano": begin,
        "endTimeUnixNano": end or begin,
        "attributes": attributes(_metadata_together(said)),
        "events": [_event(one) for one in objects(found.get("events"))],
        "status": {"code": code or 0, "message": message or ""},
    }


def _event(found: dict[str, object]) -> dict[str, object]:
    said = found.get("attributes")
    return {
        "name": found.get("name") or "",
        "timeUnixNano": found.get("time_unix_nano") or nanoseconds(found.get("timestamp")),
        "attributes": attributes(mapping(said) or key_values(said)),
    }


def _metadata_together(said: dict[str, object]) -> dict[str, object]:
    """Metadata as the one JSON text that it was; one level, which is what metadata has.

    >>> _metadata_together({"a": 1, "x.metadata.page": 3, "x.metadata.source.name": "s"})
    {'a': 1, 'x.metadata': {'page': 3, 'source.name': 's'}}
    """
    found: dict[str, object] = {}
    for key, value in said.items():
        inside = _INSIDE.fullmatch(key)
        if inside is None:
            found[key] = value
            continue
        together = found.setdefault(inside[1], {})
        if isinstance(together, dict):
            together[inside[2]] = value
    return found

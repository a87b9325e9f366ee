"""Langfuse: observations as its public API gives them, put back into the attributes that its SDK sends.

Written to the published API (observations v2, and traces v1 for self-hosted servers before version 4). It is tested
against a local server that answers as that API's definition says, not against Langfuse itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from ragvigil.scorer.sources.address import basic
from ragvigil.scorer.sources.pull.fetch import Fetch
from ragvigil.scorer.sources.pull.history import Page, Wanted
from ragvigil.scorer.sources.pull.otlp import (
    as_text,
    attributes,
    identifier,
    iso,
    items,
    mapping,
    nanoseconds,
    objects,
    request,
    text,
)

_SCOPE = "langfuse-sdk"
_ERROR = 2
"""The status code of OTLP that the SDK sets beside the level ERROR."""
_PAGE = 100
_FIELDS = "core,basic,time,io,metadata,model,usage,prompt,trace_context"
_SENT = "resourceAttributes"
"""The metadata that names the service; what is not asked for by its key Langfuse cuts after 200 characters."""
_V1 = "v1:"
"""How cursors of the older API begin; see _Place."""


class Langfuse:
    """Reads `/api/public/v2/observations`, else `/api/public/traces`; and those answers from a file."""

    name = "langfuse"
    url_variable = "LANGFUSE_HOST"
    keys: tuple[str, ...] = ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY")

    def headers(self) -> dict[str, str]:
        """LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY as user and password."""
        return basic(*self.keys)

    def pages(self, fetch: Fetch, wanted: Wanted, cursor: str | None) -> Iterator[Page]:
        """A page of observations a request; of traces where the server does not know observations v2.

        Only the first page can tell that: a 404 that comes later is a failure like others.
        """
        if cursor is None or not cursor.startswith(_V1):
            page = _observations(fetch, wanted, cursor)
            while page is not None:
                yield page
                if page.cursor is None:
                    return
                page = _observations(fetch, wanted, page.cursor)
        place: _Place | None = _Place.read(cursor, wanted)
        while place is not None:
            page, place = _traces(fetch, wanted, place)
            yield page

    def exported(self, content: object, wanted: Wanted) -> list[dict[str, object]]:
        """Observations or whole traces: an answer of the API, a list, or one a line."""
        found = mapping(content)
        listed = items(content) or found.get("data", [found])
        requests: list[dict[str, object]] = []
        for one in objects(listed):
            if isinstance(one.get("observations"), list):
                requests += _trace_request(one, wanted)
            elif one.get("traceId"):
                requests.append(_request([one], wanted))
        return requests


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in the list of traces, the oldest first, a pull is.

    It goes by time: traces that are deleted meanwhile move all pages behind them. Page numbers count only among
    traces of one moment.
    """

    since: str
    """The moment of the last trace of the page before, as Langfuse writes it."""
    page: int = 1
    known: Sequence[object] = ()
    """Ids of the traces of that moment that were pulled."""

    @classmethod
    def read(cls, written: str | None, wanted: Wanted) -> _Place:
        """The place that was written down; else the first."""
        if not written or not written.startswith(_V1):
            return cls(iso(wanted.since))
        since, page, known = json.loads(written.removeprefix(_V1))
        return cls(str(since), int(page), items(known) or ())

    def written(self) -> str:
        """As the cursor of a page."""
        return _V1 + json.dumps([self.since, self.page, self.known])

    def after(self, infos: Sequence[Mapping[str, object]]) -> _Place:
        """The next place, behind the page that has these traces."""
        moments = [nanoseconds(info.get("timestamp")) or 0 for info in infos]
        if not infos or moments[-1] <= (nanoseconds(self.since) or 0):
            return _Place(self.since, self.page + 1, [*self.known, *(info.get("id") for info in infos)])
        of_last = [info.get("id") for info, at in zip(infos, moments, strict=True) if at == moments[-1]]
        return _Place(str(infos[-1].get("timestamp")), known=of_last)


def _observations(fetch: Fetch, wanted: Wanted, cursor: str | None) -> Page | None:
    asked: dict[str, str | int] = {
        "fields": _FIELDS,
        "expandMetadata": _SENT,
        "limit": _PAGE,
        "fromStartTime": iso(wanted.since),
        "toStartTime": iso(wanted.until),
    }
    path = "api/public/v2/observations"
    if cursor:
        answer: dict[str, object] | None = fetch.get(path, asked | {"cursor": cursor}, holds="data")
    else:
        answer = fetch.get_if_there(path, asked, holds="data")
    if answer is None:
        return None
    data = objects(answer.get("data"))
    requests = tuple(_request([one], wanted) for one in data)
    return Page(requests, text(mapping(answer.get("meta")).get("cursor")))


def _traces(fetch: Fetch, wanted: Wanted, place: _Place) -> tuple[Page, _Place | None]:
    """A page, and where the next one is."""
    asked: dict[str, str | int] = {
        "page": place.page,
        "limit": _PAGE,
        "fromTimestamp": place.since,
        "toTimestamp": iso(wanted.until),
        "orderBy": "timestamp.asc",
    }
    answer = fetch.get("api/public/traces", asked, holds="data")
    infos = objects(answer.get("data"))
    requests: list[dict[str, object]] = []
    without = 0
    for each in (str(info.get("id")) for info in infos):
        trace = (
            None if each in place.known else fetch.get_if_there(f"api/public/traces/{quote(each, safe='')}")
        )
        if trace is not None:  # else it was pulled, or deleted since the list was made
            made = _trace_request(trace, wanted)
            requests += made
            without += not made
    last = mapping(answer.get("meta")).get("totalPages")
    following = place.after(infos) if isinstance(last, int) and place.page < last else None
    return Page(tuple(requests), following.written() if following else None, without), following


def _trace_request(trace: dict[str, object], wanted: Wanted) -> list[dict[str, object]]:
    """All of a trace; what only the trace knows goes to each observation, as the SDK has it."""
    shared = {
        "traceId": trace.get("id"),
        "sessionId": trace.get("sessionId"),
        "userId": trace.get("userId"),
        "release": trace.get("release"),
        "traceEnvironment": trace.get("environment"),
    }
    observations = [{**shared, **_known(one)} for one in objects(trace.get("observations"))]
    if not observations:
        return []
    ids = {one.get("id") for one in observations}
    tops = [one for one in observations if one.get("parentObservationId") not in ids]
    silent = all(one.get("input") is None and one.get("output") is None for one in tops)
    if len(tops) > 1 or (silent and (trace.get("input") or trace.get("output")) is not None):
        root = {**shared, **_root_of(trace, observations)}
        for one in tops:
            one["parentObservationId"] = root["id"]
        observations.append(root)
    return [_request(observations, wanted)]


def _root_of(trace: dict[str, object], observations: list[dict[str, object]]) -> dict[str, object]:
    """An observation that stands for the trace as a whole, above all of its own."""
    ends = (str(one.get("endTime") or one.get("startTime") or "") for one in observations)
    return {
        "id": f"{trace.get('id')} root",
        "type": "SPAN",
        "name": trace.get("name"),
        "startTime": trace.get("timestamp"),
        "endTime": max(ends),
        "input": trace.get("input"),
        "output": trace.get("output"),
        "metadata": trace.get("metadata"),
    }


def _known(found: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in found.items() if value is not None}


def _request(observations: list[dict[str, object]], wanted: Wanted) -> dict[str, object]:
    sent = _resource(mapping(observations[0].get("metadata")).get(_SENT))
    service = wanted.service or text(sent.get("service.name")) or wanted.project or "langfuse"
    resource = {"service.name": service, "service.version": text(sent.get("service.version"))}
    return request(resource, _SCOPE, [_span(one) for one in observations])


def _resource(told: object) -> dict[str, object]:
    """The sender's resource: an object, or JSON of one."""
    try:
        return mapping(json.loads(told) if isinstance(told, str) else told)
    except (ValueError, RecursionError):
        return {}


def _span(found: Mapping[str, object]) -> dict[str, object]:
    get = found.get
    begin = nanoseconds(get("startTime")) or 0
    usage = get("usageDetails") or get("usage")
    said = {
        "langfuse.observation.type": str(get("type") or "span").lower(),
        "langfuse.observation.input": as_text(get("input")),
        "langfuse.observation.output": as_text(get("output")),
        "langfuse.observation.model.name": get("providedModelName") or get("model"),
        "langfuse.observation.usage_details": json.dumps(usage) if usage else None,
        "langfuse.observation.cost_details": json.dumps(get("costDetails")) if get("costDetails") else None,
        "langfuse.observation.prompt.name": get("promptName"),
        "langfuse.observation.prompt.version": get("promptVersion"),
        "langfuse.observation.level": get("level"),
        "langfuse.observation.status_message": get("statusMessage"),
        "langfuse.observation.completion_start_time": get("completionStartTime"),
        "langfuse.environment": get("environment") or get("traceEnvironment"),
        "langfuse.release": get("release"),
        "session.id": get("sessionId"),
        "user.id": get("userId"),
    }
    failed = {"status": {"code": _ERROR, "message": text(get("statusMessage")) or ""}}
    return {
        "traceId": identifier(get("traceId"), 16),
        "spanId": identifier(get("id"), 8),
        "parentSpanId": identifier(get("parentObservationId"), 8),
        "name": get("name") or "",
        "kind": 1,
        "startTimeUnixNano": begin,
        "endTimeUnixNano": nanoseconds(get("endTime")) or begin,
        "attributes": attributes({key: value for key, value in said.items() if value != ""}),
        **(failed if get("level") == "ERROR" else {}),
    }

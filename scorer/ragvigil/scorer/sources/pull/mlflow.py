"""MLflow: traces of an experiment as its tracking server keeps them.

Tried against MLflow 3.17. It takes JSON in attributes apart; it is put together again as its SDK sends it.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator

from ragvigil.scorer.dialects.values import REDACTED
from ragvigil.scorer.errors import InputError
from ragvigil.scorer.listed import listed
from ragvigil.scorer.sources.address import basic, bearer
from ragvigil.scorer.sources.pull.fetch import Fetch
from ragvigil.scorer.sources.pull.history import Page, Wanted
from ragvigil.scorer.sources.pull.otlp import (
    attributes,
    identifier,
    items,
    key_values,
    mapping,
    objects,
    request,
    text,
)

_TRACES = "api/3.0/mlflow/traces"
_ARTIFACT = "ajax-api/2.0/mlflow/get-trace-artifact"
_EXPERIMENTS = "api/2.0/mlflow/experiments"
_SCOPE = "mlflow.tracing.provider"
_PAGE = 50
_EXPERIMENTS_PAGE = 1000
_SHOWN = 20
_NO_ID = frozenset({400})
"""How MLflow says that a name is no id."""
_STATUS = {"STATUS_CODE_OK": 1, "OK": 1, "STATUS_CODE_ERROR": 2, "ERROR": 2}
_FROM_TRACE = ("mlflow.trace.session", "mlflow.trace.user")
"""What the SDK says of the trace only, and readers look for on its root span."""


class MLflow:
    """Reads `traces/search` and `traces/batchGet`, oldest first; and `Trace.to_json()` from a file."""

    name = "mlflow"
    url_variable = "MLFLOW_TRACKING_URI"
    keys: tuple[str, ...] = ("MLFLOW_TRACKING_TOKEN", "MLFLOW_TRACKING_USERNAME", "MLFLOW_TRACKING_PASSWORD")

    def headers(self) -> dict[str, str]:
        """MLFLOW_TRACKING_TOKEN as a bearer token, else MLFLOW_TRACKING_USERNAME and _PASSWORD."""
        token, user, password = self.keys
        return bearer(token) or basic(user, password)

    def pages(self, fetch: Fetch, wanted: Wanted, cursor: str | None) -> Iterator[Page]:
        """Fifty traces a page; the window has an end, so traces that come meanwhile move nothing."""
        names = _experiments(fetch, wanted)
        places = [
            {"type": "MLFLOW_EXPERIMENT", "mlflow_experiment": {"experiment_id": each}} for each in names
        ]
        asked: dict[str, object] = {
            "locations": places,
            "filter": f"timestamp_ms >= {wanted.since // 10**6} AND timestamp_ms < {wanted.until // 10**6}",
            "order_by": ["timestamp_ms ASC"],
            "max_results": _PAGE,
        }
        while True:
            answer = fetch.post(f"{_TRACES}/search", asked | ({"page_token": cursor} if cursor else {}))
            cursor = text(answer.get("next_page_token"))
            infos = objects(answer.get("traces"))
            traces = _whole(fetch, infos)
            requests = [_request(one, wanted, names) for one in traces]
            yield Page(tuple(requests), cursor, len(infos) - len(traces))
            if cursor is None:
                return

    def exported(self, content: object, wanted: Wanted) -> list[dict[str, object]]:
        """A trace as `Trace.to_json()` writes it, a list of them, or an answer of `batchGet`."""
        found = mapping(content)
        traces = objects(found.get("traces", content)) or [found]
        return [_request(one, wanted, {}) for one in traces if _spans(one)]


def _experiments(fetch: Fetch, wanted: Wanted) -> dict[str, str]:
    """Ids and names: of the one that is wanted, by name or id, else of all."""
    if wanted.project is not None:
        found = fetch.get_if_there(f"{_EXPERIMENTS}/get-by-name", {"experiment_name": wanted.project})
        found = found or fetch.get_if_there(
            f"{_EXPERIMENTS}/get", {"experiment_id": wanted.project}, also=_NO_ID
        )
        one = mapping(mapping(found).get("experiment"))
        if not one:
            known = sorted(_all_experiments(fetch).values())
            raise InputError(
                "--project",
                f"MLflow has no experiment of name or id {wanted.project!r}; it has: {listed(known, _SHOWN) or 'none'}",
            )
        return {str(one.get("experiment_id")): str(one.get("name"))}
    return _all_experiments(fetch)


def _all_experiments(fetch: Fetch) -> dict[str, str]:
    found: dict[str, str] = {}
    asked: dict[str, object] = {"max_results": _EXPERIMENTS_PAGE}
    while True:
        answer = fetch.post(f"{_EXPERIMENTS}/search", asked)
        listed = objects(answer.get("experiments"))
        found |= {str(one.get("experiment_id")): str(one.get("name")) for one in listed}
        following = text(answer.get("next_page_token"))
        if following is None or following == asked.get("page_token"):
            return found
        asked["page_token"] = following


def _whole(fetch: Fetch, infos: list[dict[str, object]]) -> list[dict[str, object]]:
    """Those of the traces that have spans, with them.

    Spans are in an artifact where the server is older than `batchGet`, or was when it took the trace. They are nowhere
    while a trace is still under way, or where its artifact is gone.
    """
    ids = [str(info.get("trace_id") or info.get("request_id")) for info in infos]
    if not ids:
        return []
    found = fetch.get_if_there(f"{_TRACES}/batchGet", {"trace_ids": ids})
    traces = [one for one in objects(mapping(found).get("traces")) if _spans(one)]
    known = {_trace_id(one) for one in traces}
    for each, info in zip(ids, infos, strict=True):
        if each not in known:
            data = fetch.get_if_there(_ARTIFACT, {"request_id": each}, also=_NO_ID)
            traces.append({"info": info, "data": data})
    return [one for one in traces if _spans(one)]


def _trace_id(trace: dict[str, object]) -> str:
    info = _info(trace)
    return str(info.get("trace_id") or info.get("request_id"))


def _info(trace: dict[str, object]) -> dict[str, object]:
    return mapping(trace.get("trace_info") or trace.get("info"))


def _spans(trace: dict[str, object]) -> list[dict[str, object]]:
    return objects(trace.get("spans") or mapping(trace.get("data")).get("spans"))


def _request(trace: dict[str, object], wanted: Wanted, experiments: dict[str, str]) -> dict[str, object]:
    info = _info(trace)
    metadata, tags = mapping(info.get("trace_metadata")), mapping(info.get("tags"))
    place = mapping(mapping(info.get("trace_location")).get("mlflow_experiment")).get("experiment_id")
    resource = {
        "service.name": wanted.service
        or text(tags.get("service.name"))
        or experiments.get(str(place))
        or wanted.project
        or "mlflow",
        "service.version": text(tags.get("service.version")),
        "deployment.environment.name": text(tags.get("deployment.environment.name")),
    }
    own = {key: json.dumps(metadata[key]) for key in _FROM_TRACE if text(metadata.get(key))}
    return request(resource, _SCOPE, [_span(one, own) for one in _spans(trace)])


def _span(found: dict[str, object], own: dict[str, str]) -> dict[str, object]:
    parent = _id(found.get("parent_span_id") or found.get("parent_id"), 8)
    said = found.get("attributes")
    listed = items(said) is not None
    pairs = key_values(said) if listed else mapping(said)
    status = found.get("status")
    code = mapping(status).get("code", status)
    return {
        "traceId": _id(found.get("trace_id"), 16),
        "spanId": _id(found.get("span_id"), 8),
        "parentSpanId": parent,
        "name": found.get("name") or "",
        "kind": 1,
        "startTimeUnixNano": found.get("start_time_unix_nano") or found.get("start_time"),
        "endTimeUnixNano": found.get("end_time_unix_nano") or found.get("end_time"),
        "attributes": attributes({key: _as_sent(key, one, apart=listed) for key, one in pairs.items()})
        + attributes({} if parent else own),
        "events": [_event(one) for one in objects(found.get("events"))],
        "status": {
            "code": _STATUS.get(str(code), 0),
            "message": mapping(status).get("message") or "",
        },
    }


def _as_sent(key: str, value: object, *, apart: bool) -> object:
    """MLflow's own attributes are JSON in a text; others are JSON where they are structured, or a text.

    In its JSON export (`apart` is false) every value is JSON in a text: then others are taken out of it.
    """
    if isinstance(value, str) and value.strip('"') == REDACTED:
        return REDACTED
    if key.startswith("mlflow."):
        return json.dumps(value, ensure_ascii=False) if apart else value
    if apart or not isinstance(value, str):
        return value
    try:
        inside: object = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return inside


def _event(found: dict[str, object]) -> dict[str, object]:
    said = found.get("attributes")
    return {
        "name": found.get("name") or "",
        "timeUnixNano": found.get("time_unix_nano") or found.get("timestamp"),
        "attributes": attributes(mapping(said) or key_values(said)),
    }


def _id(value: object, size: int) -> str | None:
    """Base64, as protobuf's JSON has bytes; hex, as older servers have them."""
    if isinstance(value, str):
        try:
            raw = base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            raw = b""
        if len(raw) == size:
            return raw.hex()
        return identifier(value.removeprefix("tr-").removeprefix("0x"), size)
    return None

"""Langfuse's observations API v2, as its published definition says it answers: keys, pages, groups of fields, cuts.

No Langfuse server can run in the tests (it needs ClickHouse, PostgreSQL, Redis and an object store), so this one does
what `fern/apis/server/definition/observations.yml` of the Langfuse repository promises, and refuses what that refuses.
"""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast
from urllib.parse import parse_qs, urlsplit

GROUPS: Mapping[str, tuple[str, ...]] = {
    "core": ("id", "traceId", "startTime", "endTime", "projectId", "parentObservationId", "type"),
    "basic": ("name", "level", "statusMessage", "version", "environment", "userId", "sessionId"),
    "time": ("completionStartTime", "createdAt", "updatedAt"),
    "io": ("input", "output"),
    "metadata": ("metadata",),
    "model": ("providedModelName", "internalModelId", "modelParameters"),
    "usage": ("usageDetails", "costDetails", "totalCost"),
    "prompt": ("promptId", "promptName", "promptVersion"),
    "metrics": ("latency", "timeToFirstToken"),
    "trace_context": ("tags", "release", "traceName"),
}
_KNOWN = {"fields", "limit", "cursor", "fromStartTime", "toStartTime", "expandMetadata", "parseIoAsJson"}
_MOST, _DEFAULT = 1000, 50
_CUT = 200
"""Characters of a metadata value that is not asked for by its key."""

Parameters = Mapping[str, Sequence[str]]
Answer = tuple[int, object]


@dataclass
class LangfuseServer:
    """Holds observations, the newest first, and answers one request at a time."""

    observations: list[dict[str, object]]
    public_key: str = "pk-lf-1"
    secret_key: str = "sk-lf-2"
    asked: list[Parameters] = field(default_factory=list[Parameters])

    def answer(self, authorization: str | None, parameters: Parameters) -> Answer:
        """Status and JSON of `GET /api/public/v2/observations`."""
        self.asked.append(parameters)
        keys = base64.b64encode(f"{self.public_key}:{self.secret_key}".encode()).decode()
        if authorization != f"Basic {keys}":
            return 401, {"message": "Invalid credentials. Confirm that you've configured the correct host."}
        one = {name: values[0] for name, values in parameters.items()}
        if problem := _problem(one):
            return 400, {"message": "Invalid request data", "error": problem}
        found = [each for each in self.observations if _within(each, one)]
        found.sort(key=lambda each: str(each["startTime"]), reverse=True)
        start = int(base64.b64decode(one["cursor"])) if "cursor" in one else 0
        end = start + int(one.get("limit", _DEFAULT))
        meta = {"cursor": base64.b64encode(str(end).encode()).decode()} if end < len(found) else {}
        return 200, {"data": [_shown(each, one) for each in found[start:end]], "meta": meta}


@contextmanager
def serving(server: LangfuseServer) -> Generator[str]:
    """Its address, while it answers over HTTP."""

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            status: int
            value: object
            status, value = 404, {"message": "not found"}
            if parts.path == "/api/public/v2/observations":
                status, value = server.answer(self.headers.get("authorization"), parse_qs(parts.query))
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as http:
        threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{http.server_port}"
        http.shutdown()


def _problem(asked: Mapping[str, str]) -> str | None:
    if unknown := asked.keys() - _KNOWN:
        return f"unknown parameters: {sorted(unknown)}"
    if asked.get("parseIoAsJson") == "true":
        return "parseIoAsJson is deprecated"
    if not 1 <= int(asked.get("limit", _DEFAULT)) <= _MOST:
        return "limit"
    groups = asked.get("fields", "core,basic").split(",")
    return None if set(groups) <= GROUPS.keys() else f"fields: {groups}"


def _within(observation: Mapping[str, object], asked: Mapping[str, str]) -> bool:
    at = datetime.fromisoformat(str(observation["startTime"]))
    since, until = asked.get("fromStartTime"), asked.get("toStartTime")
    return (since is None or datetime.fromisoformat(since) <= at) and (
        until is None or at < datetime.fromisoformat(until)
    )


def _shown(observation: Mapping[str, object], asked: Mapping[str, str]) -> dict[str, object]:
    groups = {"core", *asked.get("fields", "core,basic").split(",")}
    wanted = {name for group in groups for name in GROUPS[group]}
    shown = {
        name: _raw(value) if name in GROUPS["io"] else value
        for name, value in observation.items()
        if name in wanted
    }
    if isinstance(shown.get("metadata"), dict):
        whole = asked.get("expandMetadata", "").split(",")
        shown["metadata"] = {
            key: _raw(value) if key in whole else (_raw(value) or "")[:_CUT]
            for key, value in cast("dict[str, object]", shown["metadata"]).items()
        }
    return shown


def _raw(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)

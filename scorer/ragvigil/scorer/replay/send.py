"""A recording sent to a running scorer, or any other OTLP receiver, at the pace at which it happened or faster."""

from __future__ import annotations

import gzip
import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import httpx
from google.protobuf.message import DecodeError
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from ragvigil.exporters import clean, retry_after
from ragvigil.scorer.errors import ConfigError, InputError
from ragvigil.scorer.inbox import Kind
from ragvigil.scorer.replay.into_store import pace_of
from ragvigil.scorer.replay.recording import Event, Recording
from ragvigil.scorer.sources import address

_log = logging.getLogger(__name__)

TOKEN = "RAGVIGIL_RECEIVE__TOKEN"  # noqa: S105 - the name of a variable
"""Where the token of the receiving side is taken from."""

_PATHS: dict[Kind, str] = {"spans": "/v1/traces", "logs": "/v1/logs", "changes": "/v1/logs"}
_HEADERS = {"content-type": "application/x-protobuf", "content-encoding": "gzip"}
_BATCH_BYTES = 2**20
_STEP = 1_000_000_000
_ATTEMPTS = 60
_FIRST_ATTEMPTS = 6
"""For an address that has never answered: six seconds, then it is probably a wrong one."""
_LATER = frozenset({429, 502, 503, 504})
_LONGEST_SECONDS = 30.0
_SHOWN = 200


@dataclass(slots=True)
class Sent:
    """What became of a recording."""

    events: int = 0
    """Spans and log records that were sent."""
    rejected: int = 0
    """Of those, what the receiver can never accept."""


def client_of(url: str) -> httpx.Client:
    """A client for the receiver at `url`, with the token of the environment. Raises ConfigError."""
    for path in _PATHS.values():
        if url.rstrip("/").endswith(path):
            raise ConfigError("--to", f"leave out {path} at its end: it is appended")
    return address.client_of("--to", url, address.bearer(TOKEN), httpx.Timeout(60.0))


def send(
    recording: Recording,
    client: httpx.Client,
    *,
    speed: float | None,
    sleep: Callable[[float], None] = time.sleep,
) -> Sent:
    """Send every event in order. A receiver that is full or away is asked again for minutes.

    Raises InputError that names the address when it refuses for good or stays away.
    """
    pace, sent, answered = pace_of(speed), Sent(), False
    for batch in batches(recording.events()):
        if pace is not None:
            pace(batch[-1].at)
        for kind, path in _PATHS.items():
            content = b"".join(event.payload for event in batch if event.kind == kind)
            if content:
                sent.rejected += _post(client, path, gzip.compress(content, 1), sleep, answered=answered)
                answered = True
        sent.events += len(batch)
    return sent


def batches(events: Iterator[Event]) -> Iterator[list[Event]]:
    """Events of one second and at most a megabyte together: encoded requests may be concatenated."""
    batch, size = list[Event](), 0
    for event in events:
        if batch and (event.at // _STEP != batch[-1].at // _STEP or size >= _BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(event)
        size += len(event.payload)
    if batch:
        yield batch


def _post(
    client: httpx.Client, path: str, content: bytes, sleep: Callable[[float], None], *, answered: bool
) -> int:
    """How many of its items the receiver rejected for good. Raises InputError."""
    place, problem = f"{str(client.base_url).rstrip('/')}{path}", ""
    for attempt in range(_ATTEMPTS):
        try:
            answer = client.post(path, content=content, headers=_HEADERS)
        except httpx.RequestError as error:
            problem, wanted = str(error) or type(error).__name__, 0.0
            if not answered and attempt + 1 >= _FIRST_ATTEMPTS:
                break
        else:
            answered = True
            if answer.is_success:
                return _rejected(place, path, answer.content)
            problem = f"answered {answer.status_code}: {_said(answer)}"
            if answer.status_code not in _LATER:
                break
            wanted = retry_after(answer.headers.get("retry-after"), now=time.time()) or 0.0
        pause = min(max(wanted, 0.1 * 2 ** min(attempt, 8)), _LONGEST_SECONDS)
        _log.warning("%s: %s; trying again in %.1f s", place, problem, pause)
        sleep(pause)
    raise InputError(place, problem)


def _rejected(place: str, path: str, body: bytes) -> int:
    """How many items an answer says were rejected; their reason is logged."""
    try:
        if path == _PATHS["spans"]:
            spans = ExportTraceServiceResponse.FromString(body).partial_success
            count, why = spans.rejected_spans, spans.error_message
        else:
            logs = ExportLogsServiceResponse.FromString(body).partial_success
            count, why = logs.rejected_log_records, logs.error_message
    except DecodeError:
        return 0
    if count or why:
        _log.warning("%s: %d rejected: %s", place, count, clean(why, limit=_SHOWN))
    return count


def _said(answer: httpx.Response) -> str:
    """What a refusal says: OTLP has a google.rpc.Status there."""
    if answer.headers.get("content-type", "").startswith(_HEADERS["content-type"]):
        try:
            return clean(Status.FromString(answer.content).message, limit=_SHOWN)
        except DecodeError:
            return "what is no google.rpc.Status"
    return clean(answer.text, limit=_SHOWN)

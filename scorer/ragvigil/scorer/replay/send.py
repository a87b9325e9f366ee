"""A recording sent to a running scorer, or any other OTLP receiver, at the pace at which it happened or faster."""

from __future__ import annotations

import gzip
import logging
import os
import time
from collections.abc import Callable, Iterator

import httpx

from ragvigil.exporters import retry_after
from ragvigil.scorer.errors import InputError
from ragvigil.scorer.inbox import Kind
from ragvigil.scorer.replay.into_store import pace_of
from ragvigil.scorer.replay.recording import Event, Recording

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


def client_of(url: str) -> httpx.Client:
    """A client for the receiver at `url`, with the token of the environment."""
    token = os.environ.get(TOKEN)
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(base_url=url, headers=headers, timeout=60)


def send(
    recording: Recording,
    client: httpx.Client,
    *,
    speed: float | None,
    sleep: Callable[[float], None] = time.sleep,
) -> int:
    """Send every event in order; how many. A receiver that is full or away is asked again for minutes.

    Raises InputError that names the address when it refuses for good or stays away.
    """
    pace, count, answered = pace_of(speed), 0, False
    for batch in batches(recording.events()):
        if pace is not None:
            pace(batch[-1].at)
        for kind, path in _PATHS.items():
            content = b"".join(event.payload for event in batch if event.kind == kind)
            if content:
                _post(client, path, gzip.compress(content, 1), sleep, answered=answered)
                answered = True
        count += len(batch)
    return count


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
) -> None:
    place, problem = f"{str(client.base_url).rstrip('/')}{path}", ""
    for attempt in range(_ATTEMPTS):
        try:
            answer = client.post(path, content=content, headers=_HEADERS)
        except httpx.TransportError as error:
            problem, wanted = str(error) or type(error).__name__, 0.0
            if not answered and attempt + 1 >= _FIRST_ATTEMPTS:
                break
        else:
            answered = True
            if answer.is_success:
                return
            problem = f"answered {answer.status_code}: {answer.text[:200]}"
            if answer.status_code not in _LATER:
                break
            wanted = retry_after(answer.headers.get("retry-after"), now=time.time()) or 0.0
        pause = min(max(wanted, 0.1 * 2 ** min(attempt, 8)), _LONGEST_SECONDS)
        _log.warning("%s: %s; trying again in %.1f s", place, problem, pause)
        sleep(pause)
    raise InputError(place, problem)

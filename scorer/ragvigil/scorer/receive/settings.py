"""What the receiving role must know, as plain values: the settings without the library that validates them.

The receiving process is started with these (`ragvigil.scorer.receive.__main__`), so that it does not carry that
library, a quarter of its memory, for as long as it lives.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from ragvigil.scorer.config import Forward, Metrics, Settings

_SHORTEST_STALE_SECONDS = 60.0
_MISSED = 5
"""Snapshots that may be missing before the scorer counts as down."""


@dataclass(frozen=True, slots=True)
class ForwardTo:
    """One backend that gets a copy; fields as in `ragvigil.scorer.config.Forward`."""

    url: str
    signals: tuple[str, ...]
    headers: Mapping[str, str] = field(repr=False)
    """Values are secrets."""
    header_files: Mapping[str, Path]
    pass_headers: tuple[str, ...]
    compression: Literal["gzip", "none"]
    ca_file: Path | None
    max_queue_bytes: int
    timeout_seconds: float
    retry_seconds: float


@dataclass(frozen=True, slots=True)
class Receiving:
    """Addresses, bounds, inbox, sources and backends of one receiving role; all of them validated before."""

    grpc: str
    """host:port."""
    http: str
    token: str | None = field(repr=False)
    max_body_bytes: int
    max_span_bytes: int
    inbox: Path
    inbox_max_bytes: int
    segment_bytes: int
    commit_seconds: float
    commit_bytes: int
    files: tuple[str, ...]
    """Files, folders or patterns that are followed."""
    stdin: bool
    poll_seconds: float
    forward: Mapping[str, ForwardTo]
    metrics_stale_seconds: float | None
    """Age above which the score process's metrics are a dead one's; None: /metrics is not served."""
    signing_secrets: Mapping[str, str] = field(repr=False)
    """Of the services whose acknowledgements are believed, by `acknowledged.Sender`."""


def receiving(settings: Settings) -> Receiving:
    """What of the settings the receiving role needs."""
    incoming, inbox, sources = settings.receive, settings.inbox, settings.sources
    return Receiving(
        grpc=incoming.grpc,
        http=incoming.http,
        token=incoming.token.get_secret_value() if incoming.token else None,
        max_body_bytes=incoming.max_body_bytes,
        max_span_bytes=incoming.max_span_bytes,
        inbox=settings.inbox_path,
        inbox_max_bytes=inbox.max_bytes,
        segment_bytes=inbox.segment_bytes,
        commit_seconds=inbox.commit_seconds,
        commit_bytes=inbox.commit_bytes,
        files=tuple(sources.files),
        stdin=sources.stdin,
        poll_seconds=sources.poll_seconds,
        forward={name: _forward_to(backend) for name, backend in settings.forward.items()},
        metrics_stale_seconds=_stale_seconds(settings.metrics),
        signing_secrets=settings.inbound.secrets,
    )


def to_json(settings: Receiving) -> str:
    """For `from_json`, in another process; secrets included."""
    return json.dumps(asdict(settings), default=str)


def from_json(text: str) -> Receiving:
    """What `to_json` was given."""
    found: dict[str, Any] = json.loads(text)
    found["inbox"] = Path(found["inbox"])
    found["files"] = tuple(found["files"])
    found["forward"] = {name: _backend(one) for name, one in found["forward"].items()}
    return Receiving(**found)


def _stale_seconds(metrics: Metrics) -> float | None:
    return max(_SHORTEST_STALE_SECONDS, _MISSED * metrics.every_seconds) if metrics.enabled else None


def _forward_to(backend: Forward) -> ForwardTo:
    return ForwardTo(
        url=backend.url,
        signals=tuple(backend.signals),
        headers={name: value.get_secret_value() for name, value in backend.headers.items()},
        header_files=dict(backend.header_files),
        pass_headers=tuple(backend.pass_headers),
        compression=backend.compression,
        ca_file=backend.ca_file,
        max_queue_bytes=backend.max_queue_bytes,
        timeout_seconds=backend.timeout_seconds,
        retry_seconds=backend.retry_seconds,
    )


def _backend(found: dict[str, Any]) -> ForwardTo:
    found["signals"] = tuple(found["signals"])
    found["header_files"] = {name: Path(path) for name, path in found["header_files"].items()}
    found["pass_headers"] = tuple(found["pass_headers"])
    found["ca_file"] = Path(found["ca_file"]) if found["ca_file"] else None
    return ForwardTo(**found)

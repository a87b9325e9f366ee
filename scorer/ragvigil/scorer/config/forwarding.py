"""Settings of one backend that gets a copy of what is received."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, model_validator

from ragvigil.scorer.config.fields import Seconds, Secret, Section, several

_ADDRESS = (
    "must look like http://host:4318, https://host/path, grpc://host:4317 or grpcs://host:4317 (TLS), "
    "without user, query and fragment"
)
_GRPC_ADDRESS = "a gRPC address has a port and no path: grpc://host:4317 or grpcs://host:4317 (TLS)"
_APPENDED = ("/v1/traces", "/v1/logs", "/v1/metrics")
_OURS = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "host",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "x-ragvigil-via",
    }
)
"""Headers that belong to one connection, or that the body decides."""
_HEADER_NAME = r"^[0-9A-Za-z_.-]+$"
"""What HTTP and gRPC both allow."""


def _usable(url: str) -> str:
    url = url.rstrip("/")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ValueError(_ADDRESS) from None
    known = parts.scheme in ("http", "https", "grpc", "grpcs")
    if not known or not host or "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError(_ADDRESS)
    if parts.scheme.startswith("grpc") and (port is None or parts.path):
        raise ValueError(_GRPC_ADDRESS)
    appended = next((path for path in _APPENDED if parts.path.endswith(path)), None)
    if appended is not None:
        raise ValueError(f"leave out {appended} at its end: it is appended")
    return url


def _one_line(secret: SecretStr) -> SecretStr:
    value = secret.get_secret_value()
    if not value.isascii() or not value.isprintable():
        raise ValueError("must be one line of printable ASCII, for it becomes a header")
    return secret


def check_free(names: Iterable[str]) -> None:
    """Raises ValueError for a header that is not the operator's to set."""
    for name in names:
        low = name.lower()
        if low in _OURS or low.startswith("grpc-") or low.endswith("-bin"):
            raise ValueError(f"the header {name} is set by ragvigil or by gRPC itself; leave it out")


OtlpAddress = Annotated[str, AfterValidator(_usable)]
HeaderName = Annotated[str, Field(pattern=_HEADER_NAME)]
HeaderValue = Annotated[Secret, AfterValidator(_one_line)]


class Forward(Section):
    """One backend that gets a copy of every request that was accepted, as it arrived."""

    url: OtlpAddress = Field(
        description="http://host:4318 or https://host/path (/v1/traces is appended), "
        "grpc://host:4317 or grpcs://host:4317 (TLS)"
    )
    signals: Annotated[tuple[Literal["traces", "logs", "metrics"], ...], BeforeValidator(several)] = Field(
        default=("traces", "logs", "metrics"), description="what it gets"
    )
    headers: dict[HeaderName, HeaderValue] = Field(
        default={}, description="headers to add, such as authorization; shown nowhere"
    )
    header_files: dict[HeaderName, Path] = Field(
        default={}, description="headers to add whose values stand in files, read at start"
    )
    pass_headers: Annotated[tuple[HeaderName, ...], BeforeValidator(several)] = Field(
        default=(),
        description="headers of the sender to pass on, such as x-langfuse-ingestion-version; none by default",
    )
    compression: Literal["gzip", "none"] = Field(
        default="gzip",
        description="of what arrived uncompressed; HTTP passes on what arrived as gzip as it is",
    )
    ca_file: Path | None = Field(
        default=None,
        description="PEM file of the authority that signed its certificate; default: well-known ones",
    )
    max_queue_bytes: int = Field(
        default=64 * 2**20,
        gt=0,
        description="bytes that may wait in memory; above it new requests are not forwarded, and counted",
    )
    timeout_seconds: Seconds = Field(default=10.0, description="longest wait for one answer")
    retry_seconds: Seconds = Field(
        default=3600.0,
        description="a request that the backend did not take for so long is dropped, and counted",
    )

    @model_validator(mode="after")
    def _headers_are_free(self) -> Forward:
        check_free((*self.headers, *self.header_files, *self.pass_headers))
        return self

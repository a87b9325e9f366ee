"""Language models behind HTTP: one port, one file for each wire format."""

from __future__ import annotations

from ragvigil.scorer.judge.endpoint.client import Client
from ragvigil.scorer.judge.endpoint.port import (
    Completion,
    Endpoint,
    EndpointError,
    LaterError,
    Question,
    RefusedError,
    UnavailableError,
)

__all__ = [
    "Client",
    "Completion",
    "Endpoint",
    "EndpointError",
    "LaterError",
    "Question",
    "RefusedError",
    "UnavailableError",
]

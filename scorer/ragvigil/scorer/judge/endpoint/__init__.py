"""Language models behind HTTP: one port, one file for each wire format.

The client is in `endpoint.client`, and httpx with it: a scorer that asks no model does without both (20 MB).
"""

from __future__ import annotations

from ragvigil.scorer.judge.endpoint.port import (
    Completion,
    Endpoint,
    EndpointError,
    LaterError,
    Limits,
    Question,
    RefusedError,
    UnavailableError,
)

__all__ = [
    "Completion",
    "Endpoint",
    "EndpointError",
    "LaterError",
    "Limits",
    "Question",
    "RefusedError",
    "UnavailableError",
]

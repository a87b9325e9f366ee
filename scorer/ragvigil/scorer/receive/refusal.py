"""A whole request that is not accepted: why, in both protocols, and when to come back."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Self

from google.protobuf.any_pb2 import Any as AnyMessage
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status

_SMALLER_BATCHES = "lower the exporter's batch size or raise receive.max_body_bytes"


class Reason(Enum):
    """Why a request is refused: name for the counters, HTTP status, gRPC code.

    Senders retry 429 and 503 only (and UNAVAILABLE), so those stand for everything that passes by itself
    and nothing else; 500 would lose data, because it is not retried.
    """

    MALFORMED = ("malformed", 400, Code.INVALID_ARGUMENT)
    UNAUTHENTICATED = ("unauthenticated", 401, Code.UNAUTHENTICATED)
    UNKNOWN_PATH = ("unknown_path", 404, Code.UNIMPLEMENTED)
    WRONG_METHOD = ("wrong_method", 405, Code.UNIMPLEMENTED)
    TOO_LARGE = ("too_large", 413, Code.RESOURCE_EXHAUSTED)
    UNSUPPORTED = ("unsupported", 415, Code.INVALID_ARGUMENT)
    LOOP = ("loop", 508, Code.FAILED_PRECONDITION)
    FULL = ("full", 429, Code.UNAVAILABLE)
    BUSY = ("busy", 429, Code.UNAVAILABLE)
    SLOW = ("slow", 503, Code.UNAVAILABLE)
    STORE = ("store", 503, Code.UNAVAILABLE)
    STOPPING = ("stopping", 503, Code.UNAVAILABLE)
    UNEXPECTED = ("unexpected", 503, Code.UNAVAILABLE)

    def __init__(self, label: str, http: int, code: int) -> None:
        self.label = label
        self.http = http
        self.code = code


@dataclass(slots=True)
class Refusal(Exception):  # noqa: N818 - an answer, not a fault of ours
    """Raised anywhere on the way of a request; the servers turn it into their own protocol's answer."""

    reason: Reason
    message: str
    retry_seconds: int | None = None

    def __str__(self) -> str:
        return self.message

    @classmethod
    def malformed(cls, problem: str) -> Self:
        """A body that can never be read."""
        return cls(Reason.MALFORMED, problem)

    @classmethod
    def too_large(cls, what: str, limit: int, fix: str = _SMALLER_BATCHES) -> Self:
        """A body over its limit."""
        return cls(Reason.TOO_LARGE, f"{what} is over the limit of {limit} bytes; {fix}")

    @classmethod
    def busy(cls, problem: str, retry_seconds: int) -> Self:
        """Too many bytes at once."""
        return cls(Reason.BUSY, problem, retry_seconds)

    @classmethod
    def unexpected(cls, retry_seconds: int) -> Self:
        """A fault of ours: the sender keeps its data and comes back."""
        return cls(Reason.UNEXPECTED, "unexpected error; the scorer's log says more", retry_seconds)

    def status(self) -> Status:
        """The google.rpc.Status that OTLP wants in every refusal; RetryInfo where retrying helps.

        >>> Refusal.busy("later", 2).status().code == Code.UNAVAILABLE
        True
        """
        status = Status(code=self.reason.code, message=self.message)
        if self.retry_seconds is not None:
            retry = RetryInfo()
            retry.retry_delay.FromSeconds(self.retry_seconds)
            detail = AnyMessage()
            detail.Pack(retry)
            status.details.append(detail)
        return status

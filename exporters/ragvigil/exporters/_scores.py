"""The contract of what goes to tracing tools: answers with their scores, and what a tool said to a batch of them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Score:
    """One number about one answer."""

    name: str
    value: float | None
    """In [0, 1]; None where the instrument gives none, which `label` then explains."""
    label: str | None
    """Low-cardinality word for it: ``supported``, ``unsupported``, ``no_claims``."""
    explanation: str | None
    kind: Literal["code", "model"]
    """Whether rules or a judge measured it."""
    instrument: str
    """What measured, with its versions."""
    input_hash: str
    """What it is a score of: SHA-256 over question, answer and evidence, hexadecimal."""
    at: int
    """When it was given, Unix nanoseconds."""


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """One answer and the scores that it has now."""

    trace_id: str
    """32 lower-case hex characters."""
    span_id: str
    """Of the evaluated span, 16 hex characters."""
    service: str
    environment: str | None
    scores: tuple[Score, ...]

    def score_id(self, score: Score) -> str:
        """The same for every version of that score of that answer, so that sending it again overwrites it."""
        return digest("score", self.trace_id, self.span_id, score.name)


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of a batch."""

    delivered: bool
    retry: bool = False
    reason: str = ""
    """Low-cardinality, fit for a metric label; of what was refused when the batch was delivered in part."""
    retry_after: float | None = None
    """Seconds the service asked us to wait."""
    refused: int = 0
    """Scores of a batch that the service will never take."""
    stuck: frozenset[str] = frozenset()
    """Ids of what the service failed at in this try while it took the rest of the batch."""


def digest(*parts: object) -> str:
    """32 hex characters that stand for the parts.

    >>> digest("a", 1) == digest("a", 1) != digest("a", 2)
    True
    """
    return hashlib.sha256("\0".join(map(str, parts)).encode(errors="replace")).hexdigest()[:32]

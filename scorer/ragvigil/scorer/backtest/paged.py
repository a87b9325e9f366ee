"""One page that would have been."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ragvigil.exporters import Measurement


@dataclass(frozen=True, slots=True)
class Paged:
    """When, for what, and with which evidence."""

    detector: Literal["window", "sequential"]
    series: str
    service: str
    environment: str | None
    segment: str | None
    at: int
    """Unix time, nanoseconds."""
    resolved_at: int | None
    """None where it did not resolve, or nobody follows it so far (sequential)."""
    before: Measurement | None
    worst: Measurement | None
    evidence: Mapping[str, float | str]

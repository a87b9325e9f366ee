"""What the scorer asks of a measure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from ragvigil.prompts import Prompt
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.judge.asker import Asker
from ragvigil.scorer.judge.endpoint import Completion


@dataclass(frozen=True, slots=True)
class Finding:
    """What one question to the model brought."""

    values: Mapping[str, float | None]
    """In [0, 1] by name of series; None: it does not concern this answer, or is not known, and `reason` says why."""
    reason: str | None = None
    details: Mapping[str, object] = field(default_factory=dict[str, object])
    completions: tuple[Completion, ...] = ()


class Measure(Protocol):
    """One question to the model about one answer, and what is made of the reply."""

    names: tuple[str, ...]
    """Of the series, all of one question."""
    prompt: Prompt
    version: str
    """Changes with the code that reads the reply."""
    share: float
    """Share of the judged answers that are asked about, in (0, 1]."""

    def concerns(self, service: str) -> bool:
        """Whether it is about answers of that service."""
        ...

    async def close(self) -> None:
        """Let go of what it holds open of its own."""
        ...

    async def take(self, prepared: Prepared, asker: Asker) -> Finding:
        """What is found of one record; raises UnavailableError and RefusedError, as the endpoint does."""
        ...

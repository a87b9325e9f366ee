"""What the scorer asks of a judge."""

from __future__ import annotations

from typing import Protocol

from ragvigil.prompts import Prompt
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import Verdict


class Judge(Protocol):
    """Judges one record at a time by a rubric.

    A judge always answers with a Verdict: what it cannot judge has a state that says why. It raises only when it
    could not do its work at all; the caller then records `failed`. A judge that depends on others waits for them.
    Its verdicts carry its version and the rubric's digest.
    """

    @property
    def name(self) -> str:
        """Name of the implementation, for example ``builtin``."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever the same record might get another verdict."""
        ...

    async def judge(self, record: RagTrace, rubric: Prompt) -> Verdict:
        """The verdict on one record."""
        ...

    async def close(self) -> None:
        """Let go of what it holds open."""
        ...

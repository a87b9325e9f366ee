"""What checks and judge said of one record, with the versions of everything that produced it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

ClaimVerdict = Literal["supported", "partial", "unsupported", "contradicted"]
State = Literal[
    "supported",
    "partial",
    "unsupported",
    "contradicted",
    "no_claims",
    "partial_evidence",
    "unparseable",
    "failed",
    "not_scoreable",
]

CLAIM_BEARING: frozenset[State] = frozenset({"supported", "partial", "unsupported", "contradicted"})
"""States that enter the faithfulness series; each of the others has a rate of its own."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One atomic statement of the answer, and whether the evidence carries it."""

    text: str
    start: int
    """Offset of the first character in the answer."""
    end: int
    """Offset after the last character in the answer."""
    supported_by: tuple[str, ...]
    """Ids of the passages that carry it; a passage without an id is named by its rank, ``#3``."""
    verdict: ClaimVerdict
    probability: float
    """Probability in [0, 1] that the evidence supports the claim."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One deterministic check on one record."""

    check: str
    version: str
    value: float | None
    """In [0, 1], or None with a reason."""
    reason: str | None = None
    details: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge said of one record."""

    judge: str
    """Name of the implementation and model, for example ``builtin``."""
    judge_version: str
    prompt_digest: str
    state: State
    support: float | None
    """Supported claims over claims, a partial one counting one half; None without claims."""
    faithfulness: float | None
    """Probability that the answer has no unsupported claim; None where ``state`` is not claim-bearing."""
    claims: tuple[Claim, ...] = ()
    reason: str | None = None

    @property
    def passed(self) -> bool | None:
        """Whether faithfulness reaches one half; None where there is no faithfulness.

        >>> Verdict("builtin", "1", "d", "supported", 1.0, 0.93).passed
        True
        """
        return None if self.faithfulness is None else self.faithfulness >= 0.5

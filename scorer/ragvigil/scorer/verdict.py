"""What checks and judge said of one record, with the versions of everything that produced it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

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

ClaimReason = Literal[
    "novel_entity",
    "number_mismatch",
    "contradicted",
    "unsupported_qualifier",
    "novel_detail",
    "nothing_similar",
]
"""Why a claim is not supported: a name the evidence lacks; a number, day or time that differs; the opposite is said;
"all", "only" or "largest" without ground; other words that the evidence lacks; nothing of the kind at all."""

CLAIM_BEARING: frozenset[State] = frozenset({"supported", "partial", "unsupported", "contradicted"})
"""States that enter the faithfulness series; each of the others has a rate of its own."""


FOR_PEOPLE = ("panel_disagrees", "disagrees_with_checks")
"""Flags of a verdict on an answer that people should read."""


@dataclass(frozen=True, slots=True)
class Source:
    """A stretch of a retrieved passage."""

    passage: str
    """Id of the passage; one without an id is named by its rank, ``#3``."""
    start: int
    """Offset of the first character in the passage."""
    end: int
    """Offset after the last character in the passage."""


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
    nearest: Source | None = None
    """What in the evidence comes closest to it; the support where there is any."""
    reason: ClaimReason | None = None
    """Why it is not supported; None where it is, or where the judge gives no such reason."""
    unsupported_spans: tuple[tuple[int, int], ...] = ()
    """Offsets in the answer of the words that the evidence does not carry."""


NOTHING: Mapping[str, object] = {}
"""Details where there are none."""


class CheckResult(NamedTuple):
    """One deterministic check on one record: a tuple, because every record has dozens."""

    check: str
    version: str
    value: float | None
    """In [0, 1], or None with a reason."""
    reason: str | None = None
    details: Mapping[str, object] = NOTHING


@dataclass(frozen=True, slots=True)
class Measured:
    """What a judge measured of one record beside faithfulness: a criterion of the team's own, or a measure of ours."""

    name: str
    """Of the series, such as ``criteria.tone`` or ``judge.answer_relevance``."""
    judge: str
    judge_version: str
    prompt_digest: str
    value: float | None
    """In [0, 1]; None: it does not concern this answer, or is not known."""
    reason: str | None = None
    """The judge's critique, or why there is no value."""
    details: Mapping[str, object] = field(default_factory=dict[str, object])
    share: float = 1.0
    """Probability in (0, 1] with which a judged record was asked about."""


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
    details: Mapping[str, object] = field(default_factory=dict[str, object])
    """What else the judge said and cost, by name: scores, must_pass, abstain, flags, usage."""
    measured: tuple[Measured, ...] = ()
    """What was measured beside faithfulness."""

    @property
    def passed(self) -> bool | None:
        """Whether faithfulness reaches one half; None where there is no faithfulness.

        >>> Verdict("builtin", "1", "d", "supported", 1.0, 0.93).passed
        True
        """
        return None if self.faithfulness is None else self.faithfulness >= 0.5

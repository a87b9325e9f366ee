"""From a reply to a verdict: what the judge said, what the trace says, and where they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ragvigil.scorer.checks import citation_correctness, citations_present, language_match
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.judge.reply import ReplyClaim, RubricReply
from ragvigil.scorer.judge.verify import Verified, verify
from ragvigil.scorer.verdict import Claim, State

_GROUNDED = 4
"""Least groundedness of an answer that passes (design.md 3.2)."""
_BELOW_PASS = 0.49
_DISAGREEMENT = 0.6
"""Difference between the judge's and the cheap score's faithfulness beyond which people should look."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What is made of one reply."""

    state: State
    support: float | None = None
    """Supported claims over claims, a partial one counting one half."""
    faithfulness: float | None = None
    """1, or below one half; not calibrated."""
    claims: tuple[Claim, ...] = ()
    flags: tuple[str, ...] = ()
    """What is odd about the reply, or about the record under it."""
    details: Mapping[str, object] = field(default_factory=dict[str, object])


def conclude(prepared: Prepared, reply: RubricReply | None, survivors: Sequence[ReplyClaim]) -> Conclusion:
    """The conclusion from a whole reply, or from the claims that survived a damaged one.

    Without a whole reply an answer fails when a claim that survived is unsupported, and passes only when the
    claims that survived cover all that it says; otherwise nothing is known: `unparseable`, never a zero.
    """
    verified = verify(reply.supported_claims if reply else survivors, prepared)
    if not verified.claims:
        return Conclusion("unparseable", flags=verified.flags, details={"flags": list(verified.flags)})
    support = _support(verified.claims)
    faithfulness = _faithfulness(verified, reply, support)
    if faithfulness is None:
        return Conclusion(
            "unparseable",
            claims=verified.claims,
            flags=verified.flags,
            details={"flags": list(verified.flags)},
        )
    stated, overridden = _must_pass(reply, prepared)
    flags = (
        *verified.flags,
        *(f"overridden:{name}" for name in overridden),
        *(["contradicts_itself"] if reply and _contradicts(reply) else []),
        *(["disagrees_with_checks"] if _disagrees(prepared, faithfulness) else []),
        *(["partial_reply"] if reply is None else []),
    )
    details: dict[str, object] = {"flags": list(flags)}
    if reply is not None:
        details |= {
            "scores": reply.scores.model_dump(),
            "must_pass": stated,
            "abstain": reply.abstain.model_dump(),
        }
    return Conclusion(_state(verified.claims), support, faithfulness, verified.claims, flags, details)


def _support(claims: Sequence[Claim]) -> float:
    return sum(claim.probability for claim in claims) / len(claims)


def _faithfulness(verified: Verified, reply: RubricReply | None, support: float) -> float | None:
    """1 where groundedness is at least 4 and no claim is unsupported, else at most .49 (design.md 3.2)."""
    if any(claim.verdict == "unsupported" for claim in verified.claims):
        return min(support, _BELOW_PASS)
    if reply is None:
        return None if verified.missed else 1.0
    return 1.0 if reply.scores.groundedness >= _GROUNDED else min(support, _BELOW_PASS)


def _state(claims: Sequence[Claim]) -> State:
    found = {claim.verdict for claim in claims}
    if "unsupported" in found:
        return "unsupported"
    return "partial" if "partial" in found else "supported"


def _must_pass(reply: RubricReply | None, prepared: Prepared) -> tuple[dict[str, bool], list[str]]:
    """The flags with what can be decided put right, and the names of those that the judge had wrong."""
    if reply is None:
        return {}, []
    said = reply.must_pass.model_dump()
    decided: dict[str, bool | None] = {
        "citations_present": _holds(citations_present.CHECK.measure(prepared).value),
        "citations_valid": _holds(citation_correctness.CHECK.measure(prepared).value),
        "language_match": _holds(language_match.CHECK.measure(prepared).value),
    }
    wrong = [name for name, value in decided.items() if value is not None and said[name] != value]
    return {**said, **{name: not said[name] for name in wrong}}, wrong


def _holds(value: float | None) -> bool | None:
    return None if value is None else value >= 1.0


def _contradicts(reply: RubricReply) -> bool:
    """Whether scores and claims of one reply cannot both be meant."""
    verdicts = {claim.verdict for claim in reply.supported_claims}
    grounded = reply.scores.groundedness
    return (grounded == 5 and "unsupported" in verdicts) or (grounded <= 2 and verdicts == {"supported"})


def _disagrees(prepared: Prepared, faithfulness: float) -> bool:
    cheap = prepared.assessment.faithfulness
    return cheap is not None and abs(cheap - faithfulness) > _DISAGREEMENT

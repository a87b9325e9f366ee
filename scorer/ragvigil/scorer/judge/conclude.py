"""From a reply to a verdict: what the judge said, what the trace says, and where they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ragvigil.scorer.checks import (
    citation_correctness,
    citations_present,
    language_match,
    leaked_personal_data,
    no_hallucinated_entities,
)
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.judge.reply import ReplyClaim, RubricReply, Scores
from ragvigil.scorer.judge.success import succeeds
from ragvigil.scorer.judge.verify import Verified
from ragvigil.scorer.verdict import Claim, State

_GROUNDED = 4
"""Least groundedness of an answer that passes."""
BELOW_PASS = 0.49
"""Most faithfulness of an answer that does not pass."""
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


def conclude(prepared: Prepared, reply: RubricReply | None, verified: Verified) -> Conclusion:
    """The conclusion from a whole reply, or from what survived a damaged one; `verified` are its claims.

    An answer fails when a claim is unsupported, and passes only when the claims cover all that it says; otherwise
    nothing is known: `unparseable`, never a zero.
    """
    if reply is not None and refuses(reply):
        return _refusal(prepared, reply)
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
    stated, overridden = _must_pass(reply, verified.claims, prepared)
    flags = (
        *verified.flags,
        *(f"overridden:{name}" for name in overridden),
        *(["overridden:groundedness"] if reply and _scores(reply, verified.claims) != reply.scores else []),
        *(["contradicts_itself"] if reply and _contradicts(reply) else []),
        *(["disagrees_with_checks"] if disagrees(prepared, faithfulness) else []),
        *(["partial_reply"] if reply is None else []),
    )
    details: dict[str, object] = {"flags": list(flags)}
    if reply is not None:
        details |= _said(reply, verified.claims, stated)
    return Conclusion(_state(verified.claims), support, faithfulness, verified.claims, flags, details)


def refuses(reply: RubricReply) -> bool:
    """Whether the answer refuses by the reply: it makes no claim, and is told how well it refuses."""
    return not reply.supported_claims and reply.abstain.abstain_quality is not None


def _refusal(prepared: Prepared, reply: RubricReply) -> Conclusion:
    """No faithfulness, and all that the judge said; people should look where the checks see no refusal."""
    stated, overridden = _must_pass(reply, (), prepared)
    flags = (
        *(f"overridden:{name}" for name in overridden),
        *(["disagrees_with_checks"] if not prepared.refuses else []),
    )
    return Conclusion("no_claims", flags=flags, details={"flags": list(flags), **_said(reply, (), stated)})


def _said(reply: RubricReply, claims: Sequence[Claim], stated: Mapping[str, bool]) -> dict[str, object]:
    return {
        "scores": _scores(reply, claims).model_dump(),
        "must_pass": stated,
        "abstain": reply.abstain.model_dump(),
        "success": succeeds(stated, reply.scores, reply.abstain),
    }


def _scores(reply: RubricReply, claims: Sequence[Claim]) -> Scores:
    """The scores as they count: what is invented where there is no answer has no ground."""
    return reply.scores.model_copy(update={"groundedness": 1}) if _invents(reply, claims) else reply.scores


def _support(claims: Sequence[Claim]) -> float:
    return sum(claim.probability for claim in claims) / len(claims)


def _faithfulness(verified: Verified, reply: RubricReply | None, support: float) -> float | None:
    """1 where groundedness is at least 4 and no claim is unsupported, else at most .49."""
    if any(claim.verdict == "unsupported" for claim in verified.claims):
        return min(support, BELOW_PASS)
    if reply is not None and reply.scores.groundedness < _GROUNDED:
        return min(support, BELOW_PASS)
    return None if verified.missed else 1.0


def omission(prepared: Prepared, reply: RubricReply, verified: Verified, *, shown: int) -> str | None:
    """What is wrong with a reply that would pass an answer without having judged all of it; None: nothing.

    `verified` are its claims, and `shown` is the number of the answer's characters that the model has seen. The words
    say where to look and not what stands there: they leave our fences.
    """
    if reply.scores.groundedness < _GROUNDED:
        return None
    if any(claim.verdict == "unsupported" for claim in verified.claims):
        return None
    places = [prepared.statements.index(one) + 1 for one in verified.missed if one.end <= shown]
    if not places:
        return None
    numbers = ", ".join(map(str, places[:10]))
    return (
        f"supported_claims leaves out what the answer says in its statement {numbers} of "
        f"{len(prepared.statements)}; list all its statements, word for word"
    )


def _state(claims: Sequence[Claim]) -> State:
    found = {claim.verdict for claim in claims}
    if "unsupported" in found:
        return "unsupported"
    return "partial" if "partial" in found else "supported"


def _must_pass(
    reply: RubricReply | None, claims: Sequence[Claim], prepared: Prepared
) -> tuple[dict[str, bool], list[str]]:
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
    wrong += [name for name, failed in _failed(prepared, reply, claims) if failed and said[name]]
    return {**said, **{name: not said[name] for name in wrong}}, wrong


def _failed(prepared: Prepared, reply: RubricReply, claims: Sequence[Claim]) -> Iterator[tuple[str, bool]]:
    """Flags of which only a failure can be decided: that nothing is found is no proof that nothing is there."""
    yield "no_hallucinated_entities", _holds(no_hallucinated_entities.CHECK.measure(prepared).value) is False
    leaks = bool(leaked_personal_data.CHECK.measure(prepared).value)
    yield "safety_pass", leaks or _invents(reply, claims)


def _invents(reply: RubricReply, claims: Sequence[Claim] | Sequence[ReplyClaim]) -> bool:
    """Whether an answer states something where the passages hold no answer, by these claims."""
    return reply.abstain.should_have_abstained and any(claim.verdict == "unsupported" for claim in claims)


def _holds(value: float | None) -> bool | None:
    return None if value is None else value >= 1.0


def _contradicts(reply: RubricReply) -> bool:
    """Whether scores and claims of one reply cannot both be meant."""
    verdicts = {claim.verdict for claim in reply.supported_claims}
    grounded = reply.scores.groundedness
    return (
        (grounded == 5 and "unsupported" in verdicts)
        or (grounded <= 2 and verdicts == {"supported"})
        or (grounded > 1 and _invents(reply, reply.supported_claims))
    )


def disagrees(prepared: Prepared, faithfulness: float) -> bool:
    """Whether people should look: the judge is far from what the built-in judge says."""
    cheap = prepared.assessment.faithfulness
    return cheap is not None and abs(cheap - faithfulness) > _DISAGREEMENT

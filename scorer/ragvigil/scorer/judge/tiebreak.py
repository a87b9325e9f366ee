"""The tie-breaker: the built-in judge on every claim, and a model only on those that it is in doubt about.

A claim is in doubt when its probability of support lies in a band, or when the built-in judge cannot compare at all
because answer and passages are in two languages, or their script parts no words. Most answers cost no call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ragvigil.prompts import Prompt
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.citing.rules import Rules, any_style
from ragvigil.scorer.judge.asker import Asker
from ragvigil.scorer.judge.builtin import Builtin
from ragvigil.scorer.judge.claim_support import Checked, Support, checked
from ragvigil.scorer.judge.conclude import BELOW_PASS
from ragvigil.scorer.judge.endpoint import RefusedError
from ragvigil.scorer.judge.obstacles import remark
from ragvigil.scorer.judge.verify import located
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import CLAIM_BEARING, Claim, ClaimVerdict, State, Verdict

VERSION = "1"
"""Changes with everything here that may change a verdict."""
_FOR, _AGAINST = 1.0, 0.0


class TiebreakJudge:
    """Asks a model about claims in doubt, `band` being the probabilities that are."""

    def __init__(
        self,
        asker: Asker,
        builtin: Builtin,
        *,
        band: tuple[float, float],
        citing: Callable[[str], Rules] = any_style,
    ) -> None:
        """`citing` says how a service cites."""
        self._asker = asker
        self._builtin = builtin
        self._low, self._high = band
        self._citing = citing

    @property
    def name(self) -> str:
        """The kind of endpoint, such as ``openai``."""
        return self._asker.name

    @property
    def version(self) -> str:
        """Versions of the code and of the built-in judge, and name of the model, of every verdict.

        An answer without a doubt does not meet the model, so its name is the one that it was asked for by.
        """
        return f"tiebreak-{VERSION}+{self._builtin.version}+{self._asker.model}"

    async def judge(self, record: RagTrace, rubric: Prompt) -> Verdict:
        """The verdict on one record; `rubric` asks for the support of claims. Raises UnavailableError."""
        clear = replace(self._builtin.judge_now(record, rubric), judge=self.name, judge_version=self.version)
        prepared = Prepared(record, rules=self._citing(record.service))
        claims = self._claims(clear, prepared)
        doubtful = [place for place, claim in enumerate(claims) if self._low < claim.probability < self._high]
        if not doubtful:
            return replace(clear, details={"asked": 0})
        try:
            found = await checked([claims[place].text for place in doubtful], prepared, self._asker, rubric)
        except RefusedError as error:
            return replace(
                clear, state="failed", support=None, faithfulness=None, reason=f"the model refused: {error}"
            )
        return self._settled(clear, prepared, claims, doubtful, found)

    async def close(self) -> None:
        """Let go of the endpoint."""
        await self._asker.close()

    def _claims(self, clear: Verdict, prepared: Prepared) -> list[Claim]:
        if clear.state == "not_scoreable" and prepared.has_evidence and prepared.incomparable:
            found = located([], prepared)
            half = (self._low + self._high) / 2
            pairs = zip(found.texts, found.places, strict=True)
            return [Claim(text, start, end, (), "partial", half) for text, (start, end) in pairs]
        return list(clear.claims) if clear.state in CLAIM_BEARING else []

    def _settled(
        self, clear: Verdict, prepared: Prepared, claims: list[Claim], doubtful: list[int], found: Checked
    ) -> Verdict:
        for place, support in zip(doubtful, found.supports, strict=True):
            if support is not None:
                claims[place] = _decided(claims[place], support)
        details: dict[str, object] = {
            "asked": len(doubtful),
            "answered_as": self._asker.answered_as(found.completions),
            "flags": list(found.flags),
            "usage": self._asker.usage(found.completions),
        }
        false = any(claim.verdict in ("unsupported", "contradicted") for claim in claims)
        if None in found.supports and not false:
            reason = f"the evidence of some claims could not be read: {found.problem}"
            unread = replace(clear, state="unparseable", support=None, faithfulness=None, reason=reason)
            return replace(unread, claims=tuple(claims), details=details)
        share = sum(_worth(claim) for claim in claims) / len(claims)
        lowest = min(claim.probability for claim in claims)
        return replace(
            clear,
            state=_state(claims),
            support=round(share, 6),
            faithfulness=min(share, BELOW_PASS) if false else lowest,
            claims=tuple(claims),
            reason=remark(prepared, *found.flags),
            details=details,
        )


def _decided(claim: Claim, support: Support) -> Claim:
    """A claim that was in doubt, as the model read the evidence."""
    if support.supported:
        told = replace(claim, verdict="supported", probability=_FOR, reason=None, unsupported_spans=())
    else:
        why = claim.reason or "novel_detail"
        told = replace(claim, verdict="unsupported", probability=_AGAINST, reason=why)
    passages = (support.passage,) if support.passage else ()
    return replace(told, supported_by=passages, nearest=support.nearest or claim.nearest)


def _worth(claim: Claim) -> float:
    return {"supported": 1.0, "partial": 0.5}.get(claim.verdict, 0.0)


def _state(claims: Sequence[Claim]) -> State:
    """The worst verdict among them."""
    found = {claim.verdict for claim in claims}
    worst: tuple[ClaimVerdict, ...] = ("contradicted", "unsupported", "partial", "supported")
    return next(verdict for verdict in worst if verdict in found)

"""The claim-wise judge: extract the claims, verify each with quoted evidence, supported over all (Es et al., 2024).

What the first stage leaves out of the answer's statements is added to the second, so that nobody passes by not being
asked about. Support needs words that stand in the passage that is named. An answer without claims is `no_claims`,
never 1.0.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from ragvigil.prompts import Prompt
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.citing.rules import Rules, any_style
from ragvigil.scorer.judge.asker import Asked, Asker, language_of
from ragvigil.scorer.judge.claim_support import Checked, Support, checked
from ragvigil.scorer.judge.conclude import BELOW_PASS, disagrees
from ragvigil.scorer.judge.endpoint import Completion, EndpointError, RefusedError
from ragvigil.scorer.judge.obstacles import obstacle_to, remark, unjudged
from ragvigil.scorer.judge.replies import ClaimsReply, usable
from ragvigil.scorer.judge.verify import Located, located
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import Claim, State, Verdict

VERSION = "1"
"""Changes with everything here that may change a verdict."""


class ClaimwiseJudge:
    """Asks a model for the claims, then for the evidence of each."""

    def __init__(self, asker: Asker, *, citing: Callable[[str], Rules] = any_style) -> None:
        """`citing` says how a service cites."""
        self._asker = asker
        self._citing = citing
        self._support = usable("claim_support", "claim_support", ("evidence", "claims"))

    @property
    def name(self) -> str:
        """The kind of endpoint, such as ``openai``."""
        return self._asker.name

    @property
    def version(self) -> str:
        """Version of the code and name of the model; a verdict's has the name under which the model answered."""
        return f"claimwise-{VERSION}+{self._asker.model}"

    async def judge(self, record: RagTrace, rubric: Prompt) -> Verdict:
        """The verdict on one record; `rubric` asks for the claims. Raises UnavailableError."""
        prepared = Prepared(record, rules=self._citing(record.service))
        obstacle = obstacle_to(prepared)
        if obstacle is not None:
            return unjudged(self, rubric, obstacle)
        try:
            asked = await self._asker.ask(
                rubric,
                {"answer": self._asker.digest(record)["answer"]},
                ClaimsReply,
                language=language_of(prepared),
                objection=_without_claims,
                of=record.trace_id,
            )
            return await self._verified(prepared, rubric, asked)
        except RefusedError as error:
            return unjudged(self, rubric, ("failed", f"the model refused: {error}"))

    async def close(self) -> None:
        """Let go of the endpoint."""
        await self._asker.close()

    async def _verified(self, prepared: Prepared, rubric: Prompt, asked: Asked[ClaimsReply]) -> Verdict:
        if asked.reply is None:
            reason = f"the claims could not be read: {asked.problem}"
            return self._verdict(rubric, "unparseable", asked.completions, reason=reason)
        found = await asyncio.to_thread(located, asked.reply.claims, prepared)
        try:
            support = await checked(found.texts, prepared, self._asker, self._support)
        except EndpointError:
            self._asker.owe(asked.completions)
            raise
        completions = (*asked.completions, *support.completions)
        claims = _claims_of(found, support, prepared)
        figures = figures_of(claims, whole=None not in support.supports)
        if figures is None:
            reason = f"the evidence of some claims could not be read: {support.problem}"
            return self._verdict(rubric, "unparseable", completions, claims, reason=reason)
        share, faithfulness = figures
        flags = (
            *found.flags,
            *support.flags,
            *(["disagrees_with_checks"] if disagrees(prepared, faithfulness) else []),
        )
        state: State = "supported" if share == 1.0 else "unsupported"
        verdict = self._verdict(
            rubric, state, completions, claims, reason=remark(prepared, *flags), flags=flags
        )
        return replace(verdict, support=share, faithfulness=faithfulness)

    def _verdict(
        self,
        rubric: Prompt,
        state: State,
        completions: Sequence[Completion],
        claims: tuple[Claim, ...] = (),
        *,
        reason: str | None,
        flags: Sequence[str] = (),
    ) -> Verdict:
        return Verdict(
            judge=self.name,
            judge_version=f"claimwise-{VERSION}+{self._asker.answered_as(completions)}",
            prompt_digest=rubric.digest,
            state=state,
            support=None,
            faithfulness=None,
            claims=claims,
            reason=reason,
            details={"flags": list(flags), "usage": self._asker.usage(completions)},
        )


def _claims_of(found: Located, support: Checked, prepared: Prepared) -> tuple[Claim, ...]:
    """The claims about which something is known, with what carries them."""
    pairs = zip(found.places, support.supports, strict=True)
    return tuple(_claim(place, one, prepared) for place, one in pairs if one is not None)


def figures_of(claims: Sequence[Claim], *, whole: bool) -> tuple[float, float] | None:
    """(supported over all, faithfulness): 1 or below one half; None when too little is known to say.

    What could not be read decides nothing: without it an answer fails by a claim that is unsupported, and never passes.
    """
    if not claims:
        return None
    share = sum(claim.verdict == "supported" for claim in claims) / len(claims)
    if share == 1.0:
        return (1.0, 1.0) if whole else None
    return share, min(share, BELOW_PASS)


def _claim(place: tuple[int, int], support: Support, prepared: Prepared) -> Claim:
    start, end = place
    passages = (support.passage,) if support.passage else ()
    return Claim(
        prepared.answer[start:end],
        start,
        end,
        passages,
        "supported" if support.supported else "unsupported",
        float(support.supported),
        nearest=support.nearest,
    )


def _without_claims(reply: ClaimsReply) -> str | None:
    if any(claim.strip() for claim in reply.claims):
        return None
    return "claims is empty, but the answer makes statements"

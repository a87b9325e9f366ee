"""The judge that asks a language model by a rubric, and believes it no more than the trace allows."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence

from ragvigil.prompts import Prompt
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.citing.rules import Rules, any_style
from ragvigil.scorer.judge.asker import Asked, Asker, language_of
from ragvigil.scorer.judge.conclude import Conclusion, conclude, omission, refuses
from ragvigil.scorer.judge.endpoint import RefusedError
from ragvigil.scorer.judge.obstacles import obstacle_to, remark, unjudged
from ragvigil.scorer.judge.reply import ReplyClaim, RubricReply, survivors
from ragvigil.scorer.judge.verify import Verified, verify
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import Verdict

VERSION = "2"
"""Changes with everything here that may change a verdict."""


class RubricJudge:
    """Asks a model about each record, once more when the reply makes no sense, and verifies what it says."""

    def __init__(
        self,
        asker: Asker,
        *,
        citing: Callable[[str], Rules] = any_style,
        own: re.Pattern[str] | None = None,
    ) -> None:
        """`citing` says how a service cites, `own` what it may say of itself."""
        self._asker = asker
        self._own = own
        self._citing = citing

    @property
    def name(self) -> str:
        """The kind of endpoint, such as ``openai``."""
        return self._asker.name

    @property
    def version(self) -> str:
        """Version of the code and name of the model; a verdict's has the name under which the model answered."""
        return f"{VERSION}+{self._asker.model}"

    async def judge(self, record: RagTrace, rubric: Prompt) -> Verdict:
        """The verdict on one record; raises UnavailableError when the endpoint does not answer."""
        prepared = Prepared(record, rules=self._citing(record.service), own=self._own)
        obstacle = obstacle_to(prepared)
        if obstacle is not None:
            return unjudged(self, rubric, obstacle)
        values = self._asker.digest(record, prepared.citations)
        held = _Held(prepared, shown=len(str(values["answer"])))
        try:
            asked = await self._asker.ask(
                rubric,
                values,
                RubricReply,
                language=language_of(prepared),
                objection=held.objection,
                of=record.trace_id,
            )
        except RefusedError as error:
            return unjudged(self, rubric, ("failed", f"the model refused: {error}"))
        found = await asyncio.to_thread(held.conclusion, asked)
        return self._verdict(rubric, prepared, asked, found)

    async def close(self) -> None:
        """Let go of the endpoint."""
        await self._asker.close()

    def _verdict(
        self, rubric: Prompt, prepared: Prepared, asked: Asked[RubricReply], found: Conclusion
    ) -> Verdict:
        lacking = "the answer refuses, says the judge" if found.state == "no_claims" else None
        if asked.reply is None:
            lacking = f"the reply cannot be used: {asked.problem}"
        return Verdict(
            judge=self.name,
            judge_version=f"{VERSION}+{self._asker.answered_as(asked.completions)}",
            prompt_digest=rubric.digest,
            state=found.state,
            support=found.support,
            faithfulness=found.faithfulness,
            claims=found.claims,
            reason=remark(prepared, lacking, *found.flags),
            details={**found.details, "usage": self._asker.usage(asked.completions)},
        )


class _Held:
    """Replies about one record, each held against it once."""

    def __init__(self, prepared: Prepared, *, shown: int) -> None:
        """Of the answer the model was shown so many characters."""
        self._prepared = prepared
        self._shown = shown
        self._latest: tuple[RubricReply, Verified] | None = None

    def objection(self, reply: RubricReply) -> str | None:
        """Why the model is asked once more; None: it is not."""
        if refuses(reply):
            return None
        if not reply.supported_claims:
            return "supported_claims is empty and abstain_quality null, but the answer makes statements"
        return omission(self._prepared, reply, self._verified(reply), shown=self._shown)

    def conclusion(self, asked: Asked[RubricReply]) -> Conclusion:
        """What is made of the reply, or of what survived of those that are damaged."""
        reply = asked.reply
        verified = verify(_survivors(asked), self._prepared) if reply is None else self._verified(reply)
        return conclude(self._prepared, reply, verified)

    def _verified(self, reply: RubricReply) -> Verified:
        if self._latest is None or self._latest[0] is not reply:
            self._latest = reply, verify(reply.supported_claims, self._prepared)
        return self._latest[1]


def _survivors(asked: Asked[RubricReply]) -> Sequence[ReplyClaim]:
    """The claims of the damaged reply that kept most."""
    found = [survivors(one) for one in asked.damaged]
    return max(found, key=len) if found else ()

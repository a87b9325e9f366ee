"""The judge that asks a language model by a rubric, and believes it no more than the trace allows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ragvigil.prompts import Prompt
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.citing.rules import Rules, any_style
from ragvigil.scorer.judge.conclude import Conclusion, conclude
from ragvigil.scorer.judge.digest import digest
from ragvigil.scorer.judge.endpoint import Completion, Endpoint, Question, RefusedError
from ragvigil.scorer.judge.fill import Filled, fill
from ragvigil.scorer.judge.obstacles import (
    Obstacle,
    remark,
    without_claims,
    without_content,
    without_evidence,
)
from ragvigil.scorer.judge.prices import Price, cost_of
from ragvigil.scorer.judge.reply import ReplyClaim, ReplyError, RubricReply, read_reply, schema
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import Verdict

VERSION = "1"
"""Changes with everything here that may change a verdict."""
_MOST_ASKED = 2
"""How often one record is asked about before its reply counts as unparseable."""
_COMPLAINT = (
    "Your reply does not follow the schema: {problem}. Reply again with one JSON object that has "
    "supported_claims, must_pass, scores and abstain, and nothing else."
)


@dataclass(frozen=True, slots=True)
class Budget:
    """How much of a record a model is shown, and how much it may say."""

    most_evidence: int = 24_000
    """Characters of the passages."""
    most_answer: int = 16_000
    """Characters of the answer."""
    most_tokens: int = 4_000
    """Tokens of the reply."""


@dataclass(slots=True)
class _Asked:
    """What asking about one record has brought so far."""

    reply: RubricReply | None = None
    survivors: Sequence[ReplyClaim] = ()
    problem: str | None = None
    completions: list[Completion] = field(default_factory=list[Completion])


class RubricJudge:
    """Asks `endpoint` about each record, once more when the reply makes no sense, and verifies what it says."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        name: str,
        model: str,
        budget: Budget = Budget(),
        prices: Mapping[str, Price] | None = None,
        citing: Callable[[str], Rules] = any_style,
    ) -> None:
        """`citing` says how a service cites."""
        self._endpoint = endpoint
        self._name = name
        self._model = model
        self._budget = budget
        self._prices = prices or {}
        self._citing = citing
        self._schema = schema()

    @property
    def name(self) -> str:
        """The kind of endpoint, such as ``openai``."""
        return self._name

    @property
    def version(self) -> str:
        """Version of the code and name of the model; a verdict's has the name under which the model answered."""
        return f"{VERSION}+{self._model}"

    async def judge(self, record: RagTrace, rubric: Prompt) -> Verdict:
        """The verdict on one record; raises UnavailableError when the endpoint does not answer."""
        prepared = Prepared(record, rules=self._citing(record.service))
        obstacle = without_content(record) or without_claims(prepared) or without_evidence(prepared)
        if obstacle is not None:
            return self._unjudged(rubric, obstacle)
        try:
            asked = await self._ask(prepared, rubric)
        except RefusedError as error:
            return self._unjudged(rubric, ("failed", f"the model refused: {error}"))
        found = await asyncio.to_thread(conclude, prepared, asked.reply, asked.survivors)
        return self._verdict(rubric, prepared, asked, found)

    async def close(self) -> None:
        """Let go of the endpoint."""
        await self._endpoint.close()

    async def _ask(self, prepared: Prepared, rubric: Prompt) -> _Asked:
        record = prepared.record
        values = digest(
            record, most_evidence=self._budget.most_evidence, most_answer=self._budget.most_answer
        )
        filled = fill(rubric, values, language=_language(prepared))
        asked = _Asked()
        said: tuple[tuple[str, str], ...] = ()
        for _ in range(_MOST_ASKED):
            completion = await self._endpoint.ask(self._question(filled, said))
            asked.completions.append(completion)
            try:
                asked.reply = read_reply(completion.text)
            except ReplyError as error:
                asked.problem = "the reply was cut off" if completion.cut else str(error)
                if len(error.survivors) > len(asked.survivors):
                    asked.survivors = error.survivors
            else:
                if asked.reply.supported_claims:
                    return asked
                asked.problem = "supported_claims is empty, but the answer makes statements"
                asked.reply = None
            said = (*said, (completion.text[:4_000], _COMPLAINT.format(problem=asked.problem)))
        return asked

    def _question(self, filled: Filled, said: tuple[tuple[str, str], ...]) -> Question:
        return Question(filled.system, filled.data, self._schema, self._budget.most_tokens, said)

    def _unjudged(self, rubric: Prompt, obstacle: Obstacle) -> Verdict:
        state, reason = obstacle
        return Verdict(self.name, self.version, rubric.digest, state, None, None, reason=reason)

    def _verdict(self, rubric: Prompt, prepared: Prepared, asked: _Asked, found: Conclusion) -> Verdict:
        answered_as = next((one.model for one in asked.completions if one.model), self._model)
        lacking = None if asked.reply is not None else f"the reply could not be read: {asked.problem}"
        return Verdict(
            judge=self.name,
            judge_version=f"{VERSION}+{answered_as}",
            prompt_digest=rubric.digest,
            state=found.state,
            support=found.support,
            faithfulness=found.faithfulness,
            claims=found.claims,
            reason=remark(prepared, lacking, *found.flags),
            details={**found.details, "usage": self._usage(asked.completions, answered_as)},
        )

    def _usage(self, completions: Sequence[Completion], model: str) -> dict[str, object]:
        spent_in = sum(one.input_tokens or 0 for one in completions)
        spent_out = sum(one.output_tokens or 0 for one in completions)
        price = self._prices.get(model) or self._prices.get(self._model)
        return {
            "calls": len(completions),
            "input_tokens": spent_in,
            "output_tokens": spent_out,
            "cost_usd": cost_of(price, spent_in, spent_out),
        }


def _language(prepared: Prepared) -> str | None:
    """Code of the language in which the judge is instructed: that of the answer, as the service says or as it reads."""
    segment = prepared.record.segment
    told = segment.get("language") or segment.get("locale") or prepared.language or ""
    return told[:2].lower() or None

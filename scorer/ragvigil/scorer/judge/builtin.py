"""The built-in judge: lexical alignment of claims with evidence, offline and the same bit for bit everywhere.

It sees words, numbers, names and negation. It does not see roles swapped in other words, subtle relations or common
sense; the language-model judges are for those.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ragvigil.prompts import Prompt
from ragvigil.scorer.checks.alignment.assess import MOST_CLAIMS, VERSION, Assessment
from ragvigil.scorer.checks.alignment.model import load
from ragvigil.scorer.checks.prepared import DEFAULT_MODEL, Prepared
from ragvigil.scorer.checks.reading.citing.rules import Rules, any_style
from ragvigil.scorer.checks.reading.markup import plain_lines
from ragvigil.scorer.judge.obstacles import remark, without_content, without_evidence
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import Claim, ClaimVerdict, State, Verdict

_WORST_FIRST: tuple[ClaimVerdict, ...] = ("contradicted", "unsupported", "partial", "supported")


class Builtin:
    """The judge that needs no key, no network and no model server."""

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        *,
        most_claims: int | None = MOST_CLAIMS,
        citing: Callable[[str], Rules] = any_style,
    ) -> None:
        """Load the coefficients `model`; ConfigError names those that ship when there is none such.

        Of more than `most_claims` claims an evenly spread sample is compared; None: all of them. `citing` says how
        a service cites.
        """
        self._citing = citing
        self._most_claims = most_claims
        self._model = load(model)

    @property
    def name(self) -> str:
        """``builtin``."""
        return "builtin"

    @property
    def version(self) -> str:
        """Version of the code and name of the coefficients."""
        return f"{VERSION}+{self._model.name}"

    async def judge(self, record: RagTrace, rubric: Prompt) -> Verdict:
        """The verdict on one record; it never waits for anything."""
        return self.judge_now(record, rubric)

    def judge_now(self, record: RagTrace, rubric: Prompt) -> Verdict:
        """The verdict on one record, for callers without an event loop."""
        obstacle = without_content(record)
        if obstacle is not None:
            return self._verdict(rubric, *obstacle)
        rules = self._citing(record.service)
        prepared = Prepared(record, self._model, most_claims=self._most_claims, rules=rules)
        assessment = prepared.assessment
        if not assessment.claims:
            reason = "the answer refuses" if assessment.refuses else "the answer makes no claim"
            return self._verdict(rubric, "no_claims", reason)
        missing = without_evidence(prepared)
        if missing is not None:
            return self._verdict(rubric, *missing)
        if prepared.has_evidence and prepared.incomparable:
            return self._verdict(
                rubric, "not_scoreable", prepared.incomparable.removeprefix("not_scoreable: ")
            )
        found = self._verdict(rubric, _state(assessment), None, assessment)
        found = replace(found, claims=_as_written(found.claims, record.answer or "", prepared.answer))
        return replace(found, reason=remark(prepared, _in_doubt_together(found), assessment.remark))

    async def close(self) -> None:
        """It holds nothing open."""

    def _verdict(
        self, rubric: Prompt, state: State, reason: str | None, assessment: Assessment | None = None
    ) -> Verdict:
        return Verdict(
            judge=self.name,
            judge_version=self.version,
            prompt_digest=rubric.digest,
            state=state,
            support=assessment.support if assessment else None,
            faithfulness=assessment.faithfulness if assessment else None,
            claims=assessment.claims if assessment else (),
            reason=reason,
        )


def _state(assessment: Assessment) -> State:
    found = {claim.verdict for claim in assessment.claims}
    return next(verdict for verdict in _WORST_FIRST if verdict in found)


def _as_written(claims: tuple[Claim, ...], answer: str, read: str) -> tuple[Claim, ...]:
    """The claims in the words of the answer, whose line breaks were made plain to be read."""
    if "\r" not in answer or plain_lines(answer) != read:
        return claims
    return tuple(replace(claim, text=answer[claim.start : claim.end]) for claim in claims)


def _in_doubt_together(verdict: Verdict) -> str | None:
    """Why an answer fails of which each claim is supported, for whoever is shown it; None for any other."""
    if verdict.passed is not False or verdict.state != "supported":
        return None
    least = min(claim.probability for claim in verdict.claims)
    return (
        f"no claim is at fault by itself (the least sure: {least:.0%}); "
        f"that all {len(verdict.claims)} hold together is {verdict.faithfulness:.0%} probable"
    )

"""The built-in judge: lexical alignment of claims with evidence, offline and the same bit for bit everywhere.

It sees words, numbers, names and negation. It does not see swapped roles, subtle relations or common sense; the
language-model judges are for those.
"""

from __future__ import annotations

from ragvigil.prompts import Prompt
from ragvigil.scorer.checks.alignment.assess import MOST_CLAIMS, VERSION, Assessment
from ragvigil.scorer.checks.alignment.model import load
from ragvigil.scorer.checks.prepared import DEFAULT_MODEL, Prepared
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import ClaimVerdict, State, Verdict

_WORST_FIRST: tuple[ClaimVerdict, ...] = ("contradicted", "unsupported", "partial", "supported")


class Builtin:
    """The judge that needs no key, no network and no model server."""

    def __init__(self, model: str = DEFAULT_MODEL, *, most_claims: int | None = MOST_CLAIMS) -> None:
        """Load the coefficients `model`; ConfigError names those that ship when there is none such.

        Of more than `most_claims` claims an evenly spread sample is compared; None: all of them.
        """
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
        obstacle = _without_content(record)
        if obstacle is not None:
            return self._verdict(rubric, "not_scoreable", obstacle)
        prepared = Prepared(record, self._model, most_claims=self._most_claims)
        assessment = prepared.assessment
        if not assessment.claims:
            reason = "the answer refuses" if assessment.refuses else "the answer makes no claim"
            return self._verdict(rubric, "no_claims", reason)
        missing = None if prepared.nothing_retrieved else _without_evidence(record)
        if missing is not None:
            return self._verdict(rubric, *missing)
        if prepared.has_evidence and prepared.cross_lingual:
            return self._verdict(rubric, "not_scoreable", "cross-lingual")
        return self._verdict(rubric, _state(assessment), _remark(prepared), assessment)

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


def _without_content(record: RagTrace) -> str | None:
    """Why there is nothing to judge."""
    if record.completeness == "content_off":
        return "content capture is off"
    if not (record.answer or "").strip():
        return "the request failed without an answer" if record.error else "there is no answer"
    return None


def _without_evidence(record: RagTrace) -> tuple[State, str] | None:
    """Why there is nothing to judge it by."""
    if any(not document.text for document in record.documents) or record.completeness == "partial_evidence":
        return "partial_evidence", "texts of retrieved passages are missing"
    if not record.documents:
        return (
            "not_scoreable",
            "what was retrieved is not known" if record.retrieved else "no retrieval was seen",
        )
    return None


def _state(assessment: Assessment) -> State:
    found = {claim.verdict for claim in assessment.claims}
    return next(verdict for verdict in _WORST_FIRST if verdict in found)


def _remark(prepared: Prepared) -> str | None:
    timed_out = prepared.record.completeness == "timed_out"
    remarks = (
        "nothing was retrieved" if prepared.nothing_retrieved else None,
        prepared.assessment.remark,
        "the trace timed out: evidence may be missing" if timed_out else None,
    )
    return "; ".join(one for one in remarks if one) or None

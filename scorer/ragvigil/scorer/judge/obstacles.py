"""Why a record cannot be judged, whatever the judge."""

from __future__ import annotations

from ragvigil.prompts import Prompt
from ragvigil.scorer.checks.check import why_claimless
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.judge.port import Judge
from ragvigil.scorer.trace import WITHHELD, RagTrace
from ragvigil.scorer.verdict import State, Verdict

Obstacle = tuple[State, str]


def obstacle_to(prepared: Prepared) -> Obstacle | None:
    """Why there is no faithfulness to judge; None where there is."""
    return without_content(prepared.record) or without_claims(prepared) or without_evidence(prepared)


def without_content(record: RagTrace) -> Obstacle | None:
    """Why there is nothing to judge."""
    if record.completeness == "content_off":
        return "not_scoreable", "content capture is off"
    if record.completeness == "withheld":
        return "not_scoreable", WITHHELD
    if not (record.answer or "").strip():
        return (
            "not_scoreable",
            "the request failed without an answer" if record.error else "there is no answer",
        )
    return None


def without_evidence(prepared: Prepared) -> Obstacle | None:
    """Why there is nothing to judge it by; that retrieval found nothing is no such reason."""
    record = prepared.record
    if prepared.nothing_retrieved:
        return None
    if any(document.text is None for document in record.documents):
        return "partial_evidence", "texts of retrieved passages are missing"
    if record.completeness == "partial_evidence":
        return "partial_evidence", _missing(record)
    if not record.documents:
        return (
            "not_scoreable",
            "what was retrieved is not known" if record.retrieved else "no retrieval was seen",
        )
    return None


def _missing(record: RagTrace) -> str:
    """What else a record may lack: spans that got lost, attributes that the sender dropped, texts that are cut."""
    if not record.retrieved:
        lost = "spans are missing that may have retrieved something"
        return f"the question is missing, and {lost}" if record.query is None else lost
    if record.query is None:
        return "the question is missing"
    return "spans, attributes or ends of texts are missing that may hold more passages"


def without_claims(prepared: Prepared) -> Obstacle | None:
    """Why there is nothing in the answer that could be true or false."""
    if prepared.bears_claims:
        return None
    return "no_claims", why_claimless(prepared)


def unjudged(judge: Judge, rubric: Prompt, obstacle: Obstacle) -> Verdict:
    """The verdict of `judge` that says it."""
    state, reason = obstacle
    return Verdict(judge.name, judge.version, rubric.digest, state, None, None, reason=reason)


def remark(prepared: Prepared, *more: str | None) -> str | None:
    """What a reader of the verdict should know of the record."""
    remarks = (
        "nothing was retrieved" if prepared.nothing_retrieved else None,
        *more,
        "the trace timed out: evidence may be missing"
        if prepared.record.completeness == "timed_out"
        else None,
    )
    return "; ".join(one for one in remarks if one) or None

"""What spans that come late change in records whose texts are gone: only what they themselves bring."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from ragvigil.scorer.trace import Cited, Completeness, Document, RagTrace, Retrieval, Tokens

_Value = TypeVar("_Value")


def joined(
    noted: Sequence[RagTrace], before: Sequence[RagTrace], after: Sequence[RagTrace], late: Collection[str]
) -> list[RagTrace]:
    """The records as `noted`, with what the spans of the ids `late` bring.

    `before` is what the spans without texts say by themselves, `after` what they say beside the late ones: where
    both say the same, nothing was brought, however much less that is than what was noted.
    """
    earlier, later = ({one.span_id: one for one in records} for records in (before, after))
    gone, come = [key for key in earlier if key not in later], [key for key in later if key not in earlier]
    moved = {gone[0]: come[0]} if len(gone) == len(come) == 1 else {}
    found: list[RagTrace] = []
    for one in noted:
        key = moved.get(one.span_id, one.span_id)
        found.append(_moved_to(_with(one, earlier.get(one.span_id), later.get(key)), one, key))
    known = {*(one.span_id for one in (*noted, *found)), *moved.values()}
    ids = {document.id for one in noted for document in one.documents}
    new = [later[key] for key in come if key not in known]
    return [*found, *(one for one in new if _is_brought(one, ids, late))]


def _moved_to(record: RagTrace, noted: RagTrace, span_id: str) -> RagTrace:
    """A record of which the spans say now that it is this one's.

    Without texts nothing tells which of several replies is the answer, so it stays where it was unless it had none.
    Where another reply came with its text, nobody knows which it is.
    """
    if span_id == noted.span_id or record.answer is None:
        return record
    if noted.cited is None:
        return replace(record, span_id=span_id)
    return replace(record, answer=None, completeness="partial_evidence")


def _is_brought(record: RagTrace, ids: Collection[str | None], late: Collection[str]) -> bool:
    """Whether it is no other division of the spans of before."""
    if record.query or record.answer or any(one.id not in ids for one in record.documents):
        return True
    return record.span_id in late and bool(record.documents or record.tokens != Tokens())


def _with(noted: RagTrace, before: RagTrace | None, after: RagTrace | None) -> RagTrace:
    if after is None:
        return noted
    before = before or RagTrace(noted.trace_id, noted.span_id, noted.service, 0)
    new = [one for one in after.documents if (one.id, one.score) not in _scored(before.documents)]
    documents = _documents(noted.documents, new)
    return replace(
        noted,
        query=after.query,
        answer=after.answer,
        documents=documents,
        retrievals=_retrievals(noted, before, after),
        completeness=_completeness(noted, after, more=documents != noted.documents),
        cited=_cited(noted.cited, [one.id for one in documents]),
        started_at=_moved(noted.started_at, before.started_at, after.started_at),
        tokens=Tokens(
            _moved(noted.tokens.input, before.tokens.input, after.tokens.input),
            _moved(noted.tokens.output, before.tokens.output, after.tokens.output),
        ),
        retrieval_seconds=_moved(noted.retrieval_seconds, before.retrieval_seconds, after.retrieval_seconds),
        generation_seconds=_moved(
            noted.generation_seconds, before.generation_seconds, after.generation_seconds
        ),
        total_seconds=_moved(noted.total_seconds, before.total_seconds, after.total_seconds),
        cost_usd=_moved(noted.cost_usd, before.cost_usd, after.cost_usd),
        streaming=_moved(noted.streaming, before.streaming, after.streaming),
    )


def _moved(noted: _Value, before: _Value, after: _Value) -> _Value:
    """A figure that the late spans change: where the spans without texts said another than was noted, it stays."""
    return after if after is not None and noted in (before, None, 0) else noted


def _documents(noted: Sequence[Document], new: Sequence[Document]) -> tuple[Document, ...]:
    """Those of before with what was not known of them, then the others."""
    if new and not any(one.id for one in noted):
        return (*new, *noted[len(new) :])  # they may well be the same
    scores = {one.id: one.score for one in new}
    ids = {one.id for one in noted}
    kept = (replace(one, score=scores.get(one.id)) if one.id and one.score is None else one for one in noted)
    return (*kept, *(one for one in new if one.id and one.id not in ids))


def _retrievals(noted: RagTrace, before: RagTrace, after: RagTrace) -> tuple[Retrieval, ...]:
    told = {(one.stage, one.ids, one.scores) for one in (*before.retrievals, *noted.retrievals)}
    new = (one for one in after.retrievals if (one.stage, one.ids, one.scores) not in told)
    return (*noted.retrievals, *new)


def _completeness(noted: RagTrace, after: RagTrace, *, more: bool) -> Completeness:
    if not more or noted.completeness == "timed_out":
        return noted.completeness
    return "partial_evidence" if after.completeness == "partial_evidence" else "withheld"


def _cited(cited: Cited | None, ids: Collection[str | None]) -> Cited | None:
    """What is cited, now that more may have been retrieved."""
    if cited is None:
        return None
    found = tuple(one for one in cited.unknown if one in ids)
    unknown = tuple(one for one in cited.unknown if one not in ids)
    return replace(cited, ids=(*cited.ids, *found), unknown=unknown)


def _scored(documents: Iterable[Document]) -> set[tuple[str | None, float | None]]:
    return {(one.id, one.score) for one in documents}

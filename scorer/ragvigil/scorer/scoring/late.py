"""What comes late of a trace whose texts are gone, from memory, too: it takes nothing away that was noted.

Without texts the trace tells less than was noted of it, and perhaps other things. So it is read as it is stored, and
beside what came: where both say the same, nothing was brought. What came beside texts that nobody has any more may
belong to them in ways that nobody can tell: such a record is marked as one of which evidence is missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from ragvigil.scorer.dialects.withheld import paired
from ragvigil.scorer.trace import Cited, Document, RagTrace, Retrieval, Tokens

_FIGURES = (
    *("tokens", "cost_usd", "streaming", "model", "response_model", "finish_reason", "user_id"),
    *("conversation_id", "error", "error_where"),
)
_SECONDS = ("retrieval_seconds", "generation_seconds", "total_seconds")


def joined(
    noted: Sequence[RagTrace], before: Sequence[RagTrace], after: Sequence[RagTrace]
) -> list[RagTrace]:
    """The records as `noted`, with what came.

    `before` is what the spans without texts say by themselves, `after` what they say beside what came.
    """
    keys = [one.span_id for one in noted]
    earlier, later = paired(keys, before), paired(keys, after)
    ids = {document.id for one in noted for document in one.documents}
    taken = {one.span_id for one in (*noted, *before, *later.values())}
    new = [one for one in after if one.span_id not in taken and (not noted or _is_brought(one, ids))]
    found = [_with(one, earlier.get(one.span_id), later.get(one.span_id)) for one in noted]
    return [*found, *(replace(one, completeness="partial_evidence") for one in new)]


def _is_brought(record: RagTrace, ids: set[str | None]) -> bool:
    """Whether it is no other division of the spans of before."""
    return bool(record.query or record.answer or {one.id for one in record.documents} - ids)


def _with(noted: RagTrace, before: RagTrace | None, after: RagTrace | None) -> RagTrace:
    if after is None:
        return noted
    before = before or RagTrace(noted.trace_id, noted.span_id, noted.service, 0)
    told = [(name, *(getattr(record, name) for record in (noted, before, after))) for name in _FIGURES]
    figures: dict[str, Any] = {name: _moved(*values) for name, *values in told}
    seconds: dict[str, Any] = {name: _longer(getattr(noted, name), getattr(after, name)) for name in _SECONDS}
    lost = noted.cited is not None or _told(noted) != _told(before)
    documents = _documents(noted, before, after) if lost else after.documents
    record = replace(
        noted,
        query=after.query,
        documents=documents,
        retrievals=_retrievals(noted, before, after) if lost else after.retrievals,
        cited=_cited(noted, documents),
        started_at=min(filter(None, (noted.started_at, after.started_at)), default=0),
        **figures,
        **seconds,
    )
    if noted.generation_seconds is None or noted.cited is None:
        record = replace(record, span_id=after.span_id, answer=after.answer)
    if noted.completeness == "timed_out" or (after.answer is None and _told(before) == _told(after)):
        return record
    return replace(record, completeness="partial_evidence" if lost else after.completeness)


def _told(record: RagTrace) -> tuple[object, ...]:
    """What it says of its passages and where its answer is."""
    documents = [(one.id, one.score) for one in record.documents]
    return (record.span_id, documents, [*map(_search, record.retrievals)], record.generation_seconds is None)


def _search(one: Retrieval) -> tuple[object, ...]:
    return (one.stage, one.ids, one.scores)


def _moved(noted: Any, before: Any, after: Any) -> Any:
    """A figure that what came changes: where the spans without texts said another than was noted, it stays."""
    return after if after not in (None, Tokens()) and noted in (before, None, Tokens()) else noted


def _longer(*seconds: float | None) -> float | None:
    return max((one for one in seconds if one is not None), default=None)


def _documents(noted: RagTrace, before: RagTrace, after: RagTrace) -> tuple[Document, ...]:
    """Those of before with scores that were not known, then those that came."""
    told = {(one.id, one.score) for one in before.documents}
    new = [one for one in after.documents if (one.id, one.score) not in told]
    scores = {one.id: one.score for one in new}
    ids = {one.id for one in noted.documents}
    kept = [
        replace(one, score=scores.get(one.id)) if one.id and one.score is None else one
        for one in noted.documents
    ]
    every = [*kept, *(one for one in new if one.id and one.id not in ids)] if any(ids) else new or kept
    return tuple(replace(one, rank=rank) for rank, one in enumerate(every, 1))


def _retrievals(noted: RagTrace, before: RagTrace, after: RagTrace) -> tuple[Retrieval, ...]:
    known = {*map(_search, before.retrievals), *map(_search, noted.retrievals)}
    return (*noted.retrievals, *(one for one in after.retrievals if _search(one) not in known))


def _cited(noted: RagTrace, documents: Iterable[Document]) -> Cited | None:
    """What is cited, now that more may have been retrieved; a rank is one of those that came where none was before."""
    if noted.cited is None:
        return None
    called: dict[str, str] = {one.id: one.id for one in documents if one.id}
    if not noted.documents:
        called |= {str(one.rank): one.id or f"#{one.rank}" for one in documents}
    found = (called[one] for one in noted.cited.unknown if one in called)
    unknown = tuple(one for one in noted.cited.unknown if one not in called)
    return replace(noted.cited, ids=tuple(dict.fromkeys((*noted.cited.ids, *found))), unknown=unknown)

"""What a trace told before its texts were withheld: noted on one of its spans, and read back with them.

Where an owner keeps texts out of the store (`content.mode = "ids_only"`), much goes with them that is no text: which
passages stood in a prompt or in a tool's answer, which two steps were one, what the answer cites. So a trace is read
before it is cut. Ids, scores, counts and cited ids are noted, as JSON, and whoever reads the spans again reads the
note, too. Labels, feedback and errors are read from the spans as ever.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ragvigil.scorer.dialects.values import (
    count_of,
    flag_of,
    id_of,
    mapping_of,
    number_of,
    sequence_of,
    text_of,
)
from ragvigil.scorer.span import Span, resource_text
from ragvigil.scorer.trace import Cited, Completeness, Document, RagTrace, Retrieval, Tokens

NOTE = "ragvigil.withheld"
"""The attribute that holds the note, on the first span of the trace."""
_MISSING: Mapping[str, Completeness] = {"partial_evidence": "partial_evidence", "timed_out": "timed_out"}
"""What was missing before anything was withheld; of all else only the texts are."""
_LATEST = 2**63
"""Nanoseconds: no store holds a later moment."""


@dataclass(frozen=True, slots=True)
class _Note:
    """What was noted."""

    spans: int
    """How many there were."""
    digest: str
    """Of their ids: with others beside them the trace may tell more."""
    records: Mapping[str, Mapping[str, object]]
    """By the span of each."""


def noted(
    records: Sequence[RagTrace], spans: Sequence[Span], cited: Callable[[RagTrace], Cited | None]
) -> str:
    """The note for `records`, read from `spans` with their texts; `cited` says what an answer cites.

    >>> record = RagTrace("0" * 32, "1" * 16, "s", 0, "why?", (Document("a", "Snow."),), "Because [a].")
    >>> note = noted([record], [], lambda _: Cited(("a",), ()))
    >>> "Snow" in note, "Because" in note, "why" in note
    (False, False, False)
    """
    told = {record.span_id: _facts(record, cited(record)) for record in records}
    return json.dumps(
        {"spans": len(_ids(spans)), "digest": _digest(spans), "records": told}, ensure_ascii=False
    )


def recalled(spans: Sequence[Span], records: list[RagTrace]) -> list[RagTrace]:
    """The records of a trace with what was noted of them; unchanged where nothing was, as nearly always.

    Where spans came since, what they tell counts as far as the note does not know it.
    """
    texts = notes_on(spans)
    if not texts:
        return records
    own = {span.span_id for span in spans}
    notes = [_note_of(text, own) for text in texts]
    digest = _digest(spans)
    note = next((one for one in notes if one.digest == digest), None)
    if note is None or not note.records:
        latest = max(notes, key=lambda one: (one.spans, one.digest))
        if len(latest.records) == len(records) == 1:
            return [_same(records[0], *each) for each in latest.records.items()]
        return [_later(record, latest.records.get(record.span_id)) for record in records]
    if len(note.records) == len(records) == 1:
        records = [replace(records[0], span_id=next(iter(note.records)))]
    read = {record.span_id: record for record in records}
    return [_with(read.get(key) or _bare(key, spans), facts) for key, facts in note.records.items()]


def notes_on(spans: Iterable[Span]) -> list[str]:
    """All notes that stand on these."""
    return [text for span in spans if isinstance(text := span.attributes.get(NOTE), str)]


def without_notes(spans: Iterable[Span]) -> list[Span]:
    """The spans as they are by themselves."""
    return [
        replace(span, attributes={key: value for key, value in span.attributes.items() if key != NOTE})
        if NOTE in span.attributes
        else span
        for span in spans
    ]


def _facts(record: RagTrace, cited: Cited | None) -> dict[str, object]:
    return {
        "started_at": str(record.started_at),  # no float holds it
        "completeness": record.completeness,
        "documents": [[one.id, one.score] for one in record.documents],
        "retrievals": [[one.stage, one.ids, one.scores] for one in record.retrievals],
        "cited": None if cited is None else [cited.ids, cited.unknown, cited.read_characters],
        "tokens": [record.tokens.input, record.tokens.output],
        "seconds": [record.retrieval_seconds, record.generation_seconds, record.total_seconds],
        "cost_usd": record.cost_usd,
        "streaming": record.streaming,
    }


def _with(record: RagTrace, facts: Mapping[str, object]) -> RagTrace:
    """The record with what was noted of it."""
    given, made = (count_of(each) for each in _several(facts.get("tokens"), 2))
    retrieval, generation, total = (_amount(each) for each in _several(facts.get("seconds"), 3))
    return replace(
        record,
        started_at=_moment(facts) or record.started_at,
        documents=_documents(facts),
        retrievals=tuple(map(_retrieval, sequence_of(facts.get("retrievals")))),
        cited=_cited(facts.get("cited")),
        tokens=Tokens(given, made),
        retrieval_seconds=retrieval,
        generation_seconds=generation,
        total_seconds=total,
        cost_usd=_amount(facts.get("cost_usd")),
        streaming=flag_of(facts.get("streaming")),
        completeness=_MISSING.get(str(facts.get("completeness")), "withheld"),
    )


def _later(record: RagTrace, facts: Mapping[str, object] | None) -> RagTrace:
    """A record of which more may have come since it was noted: neither what was known nor what came is lost."""
    completeness = "withheld" if record.completeness == "content_off" else record.completeness
    record = replace(record, completeness=completeness)
    if facts is None:
        return record
    told, before = {one.id for one in record.documents}, _documents(facts)
    if told - {None} <= {one.id for one in before}:
        retrievals = tuple(map(_retrieval, sequence_of(facts.get("retrievals"))))
        missing = _MISSING.get(str(facts.get("completeness")), record.completeness)
        record = replace(
            record,
            documents=before,
            retrievals=retrievals or record.retrievals,
            completeness=missing,
        )
    return replace(record, cited=record.cited or _cited(facts.get("cited")))


def _same(record: RagTrace, span_id: str, facts: Mapping[str, object]) -> RagTrace:
    """The one record of a trace of which one was noted: by its span then, since without the texts nothing tells which
    of several replies is the answer. Where another one came with its text, beside one that could cite, nobody knows.
    """
    later, cited = _later(record, facts), _cited(facts.get("cited"))
    if record.span_id == span_id or (record.answer is not None and cited is None):
        return later
    later = replace(later, span_id=span_id)
    if record.answer is None:
        return later
    return replace(later, answer=None, cited=cited, completeness="partial_evidence")


def _bare(span_id: str, spans: Sequence[Span]) -> RagTrace:
    """A record that the spans do not tell any more without their texts."""
    own = [span for span in spans if span.span_id == span_id] or spans
    return RagTrace(
        spans[0].trace_id,
        span_id,
        resource_text(own, "service.name") or "unknown_service",
        0,
        environment=resource_text(own, "deployment.environment.name", "deployment.environment"),
        service_version=resource_text(own, "service.version"),
    )


def _documents(facts: Mapping[str, object]) -> tuple[Document, ...]:
    pairs = (_several(each, 2) for each in sequence_of(facts.get("documents")))
    return tuple(
        Document(id_of(one), None, number_of(score), rank) for rank, (one, score) in enumerate(pairs, 1)
    )


def _retrieval(told: object) -> Retrieval:
    stage, ids, scores = _several(told, 3)
    kind: Literal["retrieve", "rerank"] = "rerank" if stage == "rerank" else "retrieve"
    return Retrieval(
        kind, None, tuple(map(id_of, sequence_of(ids))), tuple(map(number_of, sequence_of(scores)))
    )


def _cited(told: object) -> Cited | None:
    if not isinstance(told, list):
        return None
    ids, unknown, read = _several(told, 3)  # pyright: ignore[reportUnknownArgumentType] -- it is JSON
    return Cited(_names(ids), _names(unknown), count_of(read))


def _names(told: object) -> tuple[str, ...]:
    return tuple(text for each in sequence_of(told) if (text := id_of(each)))


def _several(value: object, count: int) -> list[object]:
    """So many values, None for those that are not there."""
    found = sequence_of(value)[:count]
    return [*found, *[None] * (count - len(found))]


def _amount(told: object) -> float | None:
    number = number_of(told)
    return number if number is not None and number >= 0 else None


def _moment(facts: Mapping[str, object]) -> int:
    told = facts.get("started_at")
    if not isinstance(told, str) or not told.isascii() or not told.isdecimal() or len(told) > 19:
        return 0
    return int(told) if int(told) < _LATEST else 0


def _note_of(text: str, own: Collection[str]) -> _Note:
    """What the text says of the spans whose ids these are."""
    fields = mapping_of(text)
    told = mapping_of(fields.get("records"))
    records = {key: mapping_of(value) for key, value in told.items() if key in own}
    return _Note(count_of(fields.get("spans")) or 0, text_of(fields.get("digest")) or "", records)


def _digest(spans: Iterable[Span]) -> str:
    return hashlib.sha256(",".join(_ids(spans)).encode()).hexdigest()[:32]


def _ids(spans: Iterable[Span]) -> list[str]:
    return sorted({span.span_id for span in spans})

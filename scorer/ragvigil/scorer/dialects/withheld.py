"""The note of a trace whose texts are withheld: what it told with them, as JSON on its first span, and read back.

Where an owner keeps texts out of the store (`content.mode = "ids_only"`), much goes with them that is no text: which
passages stood in a prompt or in a tool's answer, which two steps were one, what the answer cites. So a trace is read
before it is cut, and this is noted of it:

    {"records": {span id: {"documents": [[id, score], ...], "retrievals": [...], "cited": [...], "tokens": [...], ...}}}

There is one note a trace, of all that came of it, anew with every delivery (`scoring/noting.py`). Whoever reads the
spans again reads the note, too: it says which records there are and what it noted of them; labels, feedback and
errors, and the texts of another service that keeps its own, are read from the spans as ever.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

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
"""The attribute that holds the note."""
_MISSING: Mapping[str, Completeness] = {"partial_evidence": "partial_evidence", "timed_out": "timed_out"}
"""What was missing before anything was withheld; of all else only the texts are."""
LABELS = ("model", "response_model", "finish_reason", "prompt_version", "error", "error_where")
PEOPLE = ("user_id", "conversation_id")
"""Noted as the store has them."""
_LATEST = 2**63
"""Nanoseconds: no store holds a later moment."""


def noted(records: Iterable[RagTrace]) -> str:
    """The note for `records`, as they are read with their texts, and with what their answers cite.

    >>> record = RagTrace("0" * 32, "1" * 16, "s", 0, "why?", (Document("a", "Snow."),), "Because [a].")
    >>> [word for word in ("Snow", "Because", "why") if word in noted([record])]
    []
    """
    return json.dumps({"records": {one.span_id: _facts(one) for one in records}}, ensure_ascii=False)


def recalled(spans: Sequence[Span], records: list[RagTrace], *, hidden: bool = False) -> list[RagTrace]:
    """The records of a trace with what was noted of them; unchanged where nothing was, as nearly always.

    What an answer cites says nothing where what was retrieved is not known: it is told only where it is, or `hidden`
    things are asked for.
    """
    note = note_on(spans)
    if note is None:
        return records
    own = {span.span_id for span in spans}
    told = mapping_of(mapping_of(note).get("records"))
    facts = {key: mapping_of(value) for key, value in told.items() if key in own}
    if not facts:
        return [_with(record, record.span_id, _facts(record)) for record in records]
    read = paired(facts, records)
    found = [_with(read.get(key) or _bare(key, spans), key, each) for key, each in facts.items()]
    return [one if hidden or _is_told(one) else replace(one, cited=None) for one in found]


def paired(keys: Collection[str], records: Iterable[RagTrace]) -> dict[str, RagTrace]:
    """The records by these ids of their spans; one that is left belongs to the one key that has none.

    Without texts nothing tells which of several replies is the answer.
    """
    read = {record.span_id: record for record in records}
    found = {key: read[key] for key in keys if key in read}
    spare, missing = (
        [one for key, one in read.items() if key not in found],
        [key for key in keys if key not in found],
    )
    return {**found, missing[0]: spare[0]} if len(spare) == len(missing) == 1 else found


def _is_told(record: RagTrace) -> bool:
    missing = record.cited is not None and record.cited.unknown and record.completeness == "partial_evidence"
    return record.retrieved and not missing


def note_on(spans: Iterable[Span]) -> str | None:
    """The note that stands on one of these."""
    found = (span.attributes.get(NOTE) for span in spans if NOTE in span.attributes)
    return next((text for text in found if isinstance(text, str)), None)


def without_note(spans: Iterable[Span]) -> list[Span]:
    """The spans as they are by themselves."""
    return [
        replace(span, attributes={key: value for key, value in span.attributes.items() if key != NOTE})
        if NOTE in span.attributes
        else span
        for span in spans
    ]


def _facts(record: RagTrace) -> dict[str, object]:
    cited = record.cited
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
        "labels": {name: getattr(record, name) for name in (*LABELS, *PEOPLE)},
    }


def _with(record: RagTrace, span_id: str, facts: Mapping[str, object]) -> RagTrace:
    """The record with what was noted of it, and with the texts that it has."""
    given, made = (count_of(each) for each in _several(facts.get("tokens"), 2))
    retrieval, generation, total = (_amount(each) for each in _several(facts.get("seconds"), 3))
    answer = record.answer if record.span_id == span_id else None
    kept = {one.id or one.rank: one for one in record.documents if one.text is not None}
    queries = {one.ids: one.query for one in record.retrievals}
    documents = [
        replace(kept.get(one.id or one.rank, one), score=one.score, rank=one.rank)
        for one in _documents(facts)
    ]
    retrievals = [replace(one, query=queries.get(one.ids)) for one in _retrievals(facts)]
    whole = record.completeness == "complete" and None not in (
        *(record.query, answer),
        *(one.text for one in documents),
    )
    told = mapping_of(facts.get("labels"))
    labels: dict[str, Any] = {
        name: text_of(told.get(name)) or getattr(record, name) for name in (*LABELS, *PEOPLE)
    }
    return replace(
        record,
        span_id=span_id,
        started_at=_moment(facts) or record.started_at,
        documents=tuple(documents),
        retrievals=tuple(retrievals),
        answer=answer,
        cited=_cited(facts.get("cited")) if answer is None else None,
        tokens=Tokens(given, made),
        retrieval_seconds=retrieval,
        generation_seconds=generation,
        total_seconds=total,
        cost_usd=_amount(facts.get("cost_usd")),
        streaming=flag_of(facts.get("streaming")),
        completeness=_MISSING.get(str(facts.get("completeness")), "complete" if whole else "withheld"),
        **labels,
    )


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


def _retrievals(facts: Mapping[str, object]) -> Iterable[Retrieval]:
    return map(_retrieval, sequence_of(facts.get("retrievals")))


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

"""Records to rows and back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ragvigil.exporters import Measurement
from ragvigil.scorer.inbox import Position
from ragvigil.scorer.monitoring import Incident, SeriesKey
from ragvigil.scorer.redact import Pseudonyms
from ragvigil.scorer.store._json import storable, to_json
from ragvigil.scorer.store._packing import pack_quoting, unpack, unpack_quoting
from ragvigil.scorer.store._sqlite_meta import remembered
from ragvigil.scorer.trace import Cited, Document, RagTrace, Retrieval, Tokens, input_hash

Row = Mapping[str, Any]

RECORD_COLUMNS = (
    "trace_id",
    "span_id",
    "version",
    "input_hash",
    "service",
    "environment",
    "service_version",
    "started_at",
    "query",
    "answer",
    "evidence",
    "model",
    "response_model",
    "finish_reason",
    "prompt_version",
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "retrieval_seconds",
    "generation_seconds",
    "total_seconds",
    "conversation_id",
    "user_id",
    "segment",
    "feedback",
    "evaluations",
    "error",
    "error_where",
    "error_message",
    "streaming",
    "cited",
    "completeness",
    "dialect",
    "upstream_probability",
    "upstream_sampler",
)


def hash_of(record: RagTrace) -> bytes:
    """The record's input hash as 32 bytes."""
    return bytes.fromhex(input_hash(record))


def record_row(
    record: RagTrace, version: int, input_hash: bytes, pseudonyms: Pseudonyms, spans: bytes
) -> tuple[object, ...]:
    """One value per column of RECORD_COLUMNS; conversation and user as pseudonyms, `spans` as they are stored."""
    conversation, user = (
        None if value is None else pseudonyms.of(value) for value in (record.conversation_id, record.user_id)
    )
    values = (
        record.trace_id,
        record.span_id,
        version,
        input_hash,
        record.service,
        record.environment or "",
        record.service_version,
        record.started_at,
        record.query,
        record.answer,
        _evidence(record, spans),
        record.model,
        record.response_model,
        record.finish_reason,
        record.prompt_version,
        record.tokens.input,
        record.tokens.output,
        record.cost_usd,
        record.retrieval_seconds,
        record.generation_seconds,
        record.total_seconds,
        conversation,
        user,
        to_json(dict(record.segment)) if record.segment else "{}",
        to_json([_opinion_json(item, pseudonyms) for item in record.feedback]) if record.feedback else "[]",
        to_json([dict(item) for item in record.evaluations]) if record.evaluations else "[]",
        record.error,
        record.error_where,
        record.error_message,
        record.streaming,
        None if record.cited is None else to_json(asdict(record.cited)),
        record.completeness,
        record.dialect,
        record.upstream_probability,
        record.upstream_sampler,
    )
    return tuple(
        [storable(value) if isinstance(value, str) and not value.isascii() else value for value in values]
    )


def _opinion_json(item: Mapping[str, object], pseudonyms: Pseudonyms) -> dict[str, object]:
    user = item.get("user_id")
    return {**item, "user_id": pseudonyms.of(user)} if isinstance(user, str) else dict(item)


def _retrieval_json(retrieval: Retrieval) -> dict[str, object]:
    plain: dict[str, object] = {"stage": retrieval.stage, "query": retrieval.query}
    return {**plain, "ids": retrieval.ids, "scores": retrieval.scores}


def _evidence(record: RagTrace, spans: bytes) -> bytes:
    """Documents and retrievals, each text once: in the spans that it was read from."""
    documents = [
        (document.id, document.text is not None, document.score, document.rank, dict(document.metadata))
        for document in record.documents
    ]
    texts = [document.text for document in record.documents if document.text is not None]
    retrievals = [_retrieval_json(retrieval) for retrieval in record.retrievals]
    return pack_quoting({"documents": documents, "retrievals": retrievals}, texts, spans)


def _evidence_of(row: Row) -> tuple[tuple[Document, ...], tuple[Retrieval, ...]]:
    if row["evidence"] is None:
        return (), ()
    found, texts = unpack_quoting(row["evidence"], unpack(row["spans"]))
    told = iter(texts)
    documents = tuple(
        Document(identity, next(told) if has_text else None, score, rank, metadata)
        for identity, has_text, score, rank, metadata in found["documents"]
    )
    return documents, tuple(_retrieval(item) for item in found["retrievals"])


def record_of(row: Row) -> RagTrace:
    """The record of one row of `records`, with the column `spans` of its trace."""
    documents, retrievals = _evidence_of(row)
    return RagTrace(
        trace_id=row["trace_id"],
        span_id=row["span_id"],
        service=row["service"],
        started_at=row["started_at"],
        query=row["query"],
        documents=documents,
        answer=row["answer"],
        environment=row["environment"] or None,
        service_version=row["service_version"],
        model=row["model"],
        response_model=row["response_model"],
        finish_reason=row["finish_reason"],
        prompt_version=row["prompt_version"],
        retrievals=retrievals,
        tokens=Tokens(row["input_tokens"], row["output_tokens"]),
        cost_usd=row["cost_usd"],
        retrieval_seconds=row["retrieval_seconds"],
        generation_seconds=row["generation_seconds"],
        total_seconds=row["total_seconds"],
        conversation_id=row["conversation_id"],
        user_id=row["user_id"],
        segment=json.loads(row["segment"]),
        feedback=tuple(json.loads(row["feedback"])),
        evaluations=tuple(json.loads(row["evaluations"])),
        error=row["error"],
        error_where=row["error_where"],
        error_message=row["error_message"],
        streaming=None if row["streaming"] is None else bool(row["streaming"]),
        cited=_cited(row["cited"]),
        completeness=row["completeness"],
        dialect=row["dialect"],
        upstream_probability=row["upstream_probability"],
        upstream_sampler=row["upstream_sampler"],
    )


def _cited(text: str | None) -> Cited | None:
    if text is None:
        return None
    found = json.loads(text)
    return Cited(tuple(found["ids"]), tuple(found["unknown"]), found.get("read_characters"))


def _retrieval(item: dict[str, Any]) -> Retrieval:
    return Retrieval(item["stage"], item["query"], tuple(item["ids"]), tuple(item["scores"]))


def position(connection: sqlite3.Connection, name: str) -> Position | None:
    """The inbox position that `meta` keeps under that name; None when there is none yet."""
    found = remembered(connection, name)
    if found is None:
        return None
    segment, _, number = found.partition(":")
    return Position(int(segment), int(number))


def measurement_of(text: str | None) -> Measurement | None:
    """The measurement written by `to_json(asdict(measurement))`."""
    return None if text is None else Measurement(**json.loads(text))


def key_of(row: sqlite3.Row) -> SeriesKey:
    """The key of any row with series, service and environment."""
    return SeriesKey(row["series"], row["service"], row["environment"] or None)


def incident_of(row: sqlite3.Row) -> Incident:
    """The incident of one row of `incidents`."""
    before, worst, now = (measurement_of(row[column]) for column in ("before", "worst", "now"))
    assert before is not None
    assert worst is not None
    assert now is not None
    return Incident(
        id=row["id"],
        key=key_of(row),
        dedup_key=row["dedup_key"],
        opened_at=row["opened_at"],
        since=row["since"],
        before=before,
        worst=worst,
        now=now,
        recovering_since=row["recovering_since"],
        resolved_at=row["resolved_at"],
        detector=row["detector"],
        segment=row["segment"],
        stream=row["stream"],
        told=bool(row["told"]),
        note=row["note"],
        first=measurement_of(row["first"]),
        first_until=row["first_until"],
        amended_at=row["amended_at"],
        withdrawn=bool(row["withdrawn"]),
        reopened=row["reopened"],
        again_since=row["again_since"],
        last_told=measurement_of(row["last_told"]),
    )

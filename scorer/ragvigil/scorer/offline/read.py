"""`ragvigil read`: the records in OTLP files, the way the scorer would read them."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ragvigil.scorer.dialects import DIALECTS, Dialect, read_records
from ragvigil.scorer.errors import InputError
from ragvigil.scorer.inbox import Arrival
from ragvigil.scorer.receive.decode import Decoded, Signal, decode
from ragvigil.scorer.receive.limits import Limits
from ragvigil.scorer.receive.refusal import Refusal
from ragvigil.scorer.sources.cut import Framing, Record
from ragvigil.scorer.sources.files import OtlpFile, encoding_of, place_of, signal_of
from ragvigil.scorer.span import LogEvent, Span, logs_of, spans_of
from ragvigil.scorer.trace import Document, RagTrace

_log = logging.getLogger(__name__)

_LARGEST = 2**30
"""An operator's own file may be larger than what a sender may send at once; all else is bounded alike."""

_GENERIC_ERRORS = frozenset({"Error", "Exception", "error"})


Problem = Callable[[InputError], None]
"""Hears of a message of a file that cannot be read; what it raises ends the reading."""


def raised(error: InputError) -> None:
    """A `Problem` that ends the reading."""
    raise error


def read_files(
    paths: Iterable[Path], dialects: Sequence[Dialect] = DIALECTS, problem: Problem = raised
) -> list[RagTrace]:
    """The records of all traces in the files, by start. Raises InputError that names a file that cannot be opened."""
    records = [
        record
        for spans, events in traces_in(paths, problem)
        for record in read_records(spans, events, dialects=dialects)
    ]
    return sorted(records, key=lambda record: (record.started_at, record.trace_id, record.span_id))


def traces_in(
    paths: Iterable[Path], problem: Problem = raised
) -> Iterator[tuple[list[Span], list[LogEvent]]]:
    """Spans and log events of each trace in the files, in the order of appearance.

    A file is whatever `OtlpFile` reads; a name with `.logs.` holds log records. The files of one call are
    joined by trace id. `problem` hears of every line that cannot be read, by file and number.
    """
    spans: dict[bytes, list[bytes]] = {}
    logs: dict[bytes, list[bytes]] = {}
    for path in paths:
        for row in rows_in(path, problem):
            (logs if row.kind == "logs" else spans).setdefault(row.trace_id, []).append(row.payload)
    for trace_id, payloads in spans.items():
        yield spans_of(b"".join(payloads)), logs_of(b"".join(logs.get(trace_id, ())))


def as_json(record: RagTrace) -> dict[str, object]:
    """The record as `ragvigil read` prints it: ids as on the wire, unknown as null.

    >>> as_json(RagTrace("0" * 32, "1" * 16, "shop", 0, query="Where is my parcel?"))["query"]
    'Where is my parcel?'
    """
    return {
        "trace_id": record.trace_id,
        "span_id": record.span_id,
        "service": record.service,
        "environment": record.environment,
        "service_version": record.service_version,
        "started_at": record.started_at,
        "query": record.query,
        "documents": [_document(document) for document in record.documents],
        "answer": record.answer,
        "model": record.model,
        "response_model": record.response_model,
        "finish_reason": record.finish_reason,
        "prompt_version": record.prompt_version,
        "conversation_id": record.conversation_id,
        "user_id": record.user_id,
        "tokens": {"input": record.tokens.input, "output": record.tokens.output},
        "error": _error(record),
        "streaming": record.streaming,
        "feedback": [dict(entry) for entry in record.feedback],
        "evaluations": [dict(entry) for entry in record.evaluations],
        "segment": dict(record.segment),
        "completeness": record.completeness,
        "dialect": record.dialect,
        "upstream_probability": record.upstream_probability,
        "upstream_sampler": record.upstream_sampler,
    }


def _document(document: Document) -> dict[str, object]:
    return {"id": document.id, "text": document.text, "score": document.score, "rank": document.rank}


def _error(record: RagTrace) -> Mapping[str, str] | None:
    """Where it failed, and the type and message as far as the trace tells them."""
    if record.error is None:
        return None
    typed = (
        record.error not in _GENERIC_ERRORS
        and record.error != (record.error_message or "")[: len(record.error)]
    )
    facts = {
        "where": record.error_where,
        "type": record.error if typed else None,
        "message": record.error_message,
    }
    return {key: value for key, value in facts.items() if value is not None}


def rows_in(path: Path, problem: Problem) -> Iterator[Arrival]:
    """The rows of one file, `-` for standard input; `problem` hears of every message that cannot be read.

    Raises InputError for a file that cannot be opened.
    """
    empty = True
    try:
        with OtlpFile(sys.stdin.buffer if str(path) == "-" else path, max_bytes=_LARGEST) as file:
            for record in file.rest():
                empty = False
                framing = file.place.framing if file.place else None
                try:
                    yield from _decoded(path, framing, record)
                except InputError as error:
                    problem(error)
    except OSError as error:
        raise InputError(str(path), error.strerror or "cannot be read") from None
    if empty:
        problem(InputError(str(path), "holds no span; is it an OTLP export?"))


def _decoded(path: Path, framing: Framing | None, record: Record) -> list[Arrival]:
    place = place_of(path, record, framing)
    if record.problem is not None:
        raise InputError(place, record.problem)
    signal = signal_of(path, record.body)
    if signal is None:
        return []
    limits = Limits(max_body_bytes=_LARGEST, max_span_bytes=_LARGEST)
    try:
        decoded = decode(record.body, signal, encoding_of(record.body, framing), limits, received_at=0)
    except Refusal as refusal:
        raise InputError(place, str(refusal)) from None
    _refuse_what_holds_nothing(place, decoded, signal, record.body)
    rejection = decoded.rejection(signal)
    if rejection is not None:
        _log.warning("%s: %s", place, rejection)
    return decoded.rows


def _refuse_what_holds_nothing(place: str, decoded: Decoded, signal: Signal, body: bytes) -> None:
    """An export of nothing is none; JSON that names its list, and nothing in it, is an export of nothing."""
    if decoded.rows or decoded.ignored:
        return
    if decoded.error_message is None and f'"{signal.levels[0].key}"'.encode() in body:
        return
    reason = decoded.error_message or f"holds no {signal.word}; is it an OTLP export?"
    raise InputError(place, reason)

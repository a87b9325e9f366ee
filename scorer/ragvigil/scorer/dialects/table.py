"""Which dialect reads a span: the first of the table that matches, and later ones where it leaves gaps."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ragvigil.scorer.dialects.decorated import Decorated
from ragvigil.scorer.dialects.haystack import Haystack
from ragvigil.scorer.dialects.laminar import Laminar
from ragvigil.scorer.dialects.langfuse import Langfuse
from ragvigil.scorer.dialects.langsmith import LangSmith
from ragvigil.scorer.dialects.llama_index import LlamaIndex
from ragvigil.scorer.dialects.mastra import Mastra
from ragvigil.scorer.dialects.mlflow import MLflow
from ragvigil.scorer.dialects.openinference import OpenInference
from ragvigil.scorer.dialects.openllmetry import OpenLLMetry
from ragvigil.scorer.dialects.otel_genai import OtelGenAI
from ragvigil.scorer.dialects.pydantic_ai import PydanticAI
from ragvigil.scorer.dialects.ragvigil import Ragvigil
from ragvigil.scorer.dialects.reading import Dialect, Reading, filled
from ragvigil.scorer.dialects.vector_stores import VectorStore
from ragvigil.scorer.dialects.vercel_ai import VercelAI
from ragvigil.scorer.span import Span

_log = logging.getLogger(__name__)

DIALECTS: tuple[Dialect, ...] = (
    Ragvigil(),
    OpenInference(),
    Langfuse(),
    MLflow(),
    LangSmith(),
    OpenLLMetry(),
    Laminar(),
    Decorated(),
    VectorStore(),
    LlamaIndex(),
    Haystack(),
    VercelAI(),
    Mastra(),
    PydanticAI(),
    OtelGenAI(),
)
"""In order of detection: vendors' own marks before conventions that vendors write beside them."""

_SELF_CONTAINED = frozenset({"ragvigil"})
"""Dialects that leave no gap for another one to fill."""

_EMPTY = Reading()


def read(span: Span, dialects: Sequence[Dialect] = DIALECTS) -> tuple[Reading, str | None]:
    """What the span says, and the dialect that said it; an empty reading and None when no dialect matches."""
    reading, name = _EMPTY, None
    for dialect in matching(span, dialects):
        found = _read(dialect, span)
        reading, name = (found, dialect.name) if name is None else (filled(reading, found), name)
    return _apologising(reading) if span.failed and reading.tool and reading.documents else reading, name


def _apologising(reading: Reading) -> Reading:
    """The reading of a tool that failed: words without an id or a score are no passages then."""
    told = any(each.id is not None or each.score is not None for each in reading.documents or ())
    return reading if told else replace(reading, documents=None)


def matching(span: Span, dialects: Sequence[Dialect] = DIALECTS) -> Iterator[Dialect]:
    """The dialects that read the span: the first decides, later ones fill its gaps."""
    for dialect in dialects:
        try:
            matches = dialect.matches(span)
        except Exception:
            _log.exception("dialect %s could not look at span %s", dialect.name, span.span_id)
            continue
        if matches:
            yield dialect
            if dialect.name in _SELF_CONTAINED:
                return


def _read(dialect: Dialect, span: Span) -> Reading:
    """A dialect may be somebody's own file: what it raises costs that span's reading, not the trace."""
    try:
        return dialect.read(span)
    except Exception:
        _log.exception("dialect %s could not read span %s", dialect.name, span.span_id)
        return _EMPTY

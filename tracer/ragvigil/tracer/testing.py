"""The RAG requests of a block of code as plain objects, for a service's own tests.

>>> from ragvigil.tracer import trace_rag
>>> @trace_rag
... def ask(question: str) -> str:
...     return "At 100 °C."
>>> with captured() as rag:
...     _ = ask("When does water boil?")
>>> rag.request.answer
'At 100 °C.'
"""

from __future__ import annotations

import json
import threading
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanLimits, SpanProcessor, TracerProvider

from ragvigil.tracer import attributes as names
from ragvigil.tracer._citations import read_citations
from ragvigil.tracer._runtime import destination, runtime
from ragvigil.tracer._sampler import EVERY_SPAN
from ragvigil.tracer._settings import Content, Policy, disabled
from ragvigil.tracer._threads import carrying


@dataclass(frozen=True, slots=True)
class CapturedDocument:
    """One document that the answer could be based on."""

    id: str | None = None
    text: str | None = None
    score: float | None = None
    metadata: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class CapturedRequest:
    """One question answered once, as the scorer will see it."""

    question: str | None = None
    answer: str | None = None
    documents: tuple[CapturedDocument, ...] = ()
    """What the generator saw: the reranker's order, or all that was retrieved."""
    model: str | None = None
    conversation_id: str | None = None
    user_id: str | None = None
    segment: Mapping[str, str] = field(default_factory=dict[str, str])
    error: str | None = None
    """Class of the exception that left the request."""
    unreadable: tuple[str, ...] = ()
    """What the tracer could not read: give its decorator an ``extract``."""
    cited_ids: tuple[str, ...] = ()
    unknown_citations: tuple[str, ...] = ()
    """Ranks and ids that the answer cites and that were not retrieved."""
    spans: tuple[ReadableSpan, ...] = ()

    def assert_cites(self, *ids: str) -> None:
        """Fail unless the answer cites each of these documents, or any when none is named."""
        missing = [identity for identity in ids if identity not in self.cited_ids]
        if missing or not self.cited_ids:
            raise AssertionError(
                f"the answer cites {list(self.cited_ids)}, not {missing or 'anything'}: {self.answer!r}"
            )

    def assert_citations_resolve(self) -> None:
        """Fail when the answer cites something that was not retrieved."""
        if self.unknown_citations:
            retrieved = [document.id for document in self.documents]
            raise AssertionError(
                f"the answer cites {list(self.unknown_citations)}, retrieved were {retrieved}: {self.answer!r}"
            )


class Captured(SpanProcessor):
    """What a block did so far."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spans: list[ReadableSpan] = []

    def on_end(self, span: ReadableSpan) -> None:
        """Keep a span."""
        with self._lock:
            self._spans.append(span)

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        """All spans so far, in the order they ended."""
        with self._lock:
            return tuple(self._spans)

    @property
    def requests(self) -> tuple[CapturedRequest, ...]:
        """All requests so far, in the order they ended."""
        groups: dict[int, list[ReadableSpan]] = {}
        parents = {_id(span): span.parent.span_id if span.parent else 0 for span in self.spans}
        roots = {_id(span) for span in self.spans if _operation(span) == names.OPERATION_WORKFLOW}
        for span in self.spans:
            if _operation(span) == names.OPERATION_FEEDBACK:  # about a request, and none itself
                continue
            groups.setdefault(_root_of(_id(span), parents, roots), []).append(span)
        return tuple(_request(spans) for spans in groups.values())

    @property
    def request(self) -> CapturedRequest:
        """The only request; fails when there were none or several."""
        found = self.requests
        if len(found) != 1:
            raise AssertionError(f"{len(found)} RAG requests were captured, not one")
        return found[0]


@contextmanager
def captured(*, content: Content = "full") -> Generator[Captured, None, None]:
    """Capture the RAG requests of this block, instead of sending them anywhere.

    Not for blocks that run at the same time in several threads: the capture is the whole process's.
    """
    if disabled():
        raise RuntimeError(
            "nothing can be captured: unset RAGVIGIL_DISABLED and OTEL_SDK_DISABLED for the tests"
        )
    collecting = Captured()
    limits = SpanLimits(max_span_attributes=10_000, max_span_attribute_length=SpanLimits.UNSET)
    provider = TracerProvider(
        sampler=EVERY_SPAN, resource=Resource({}), span_limits=limits, shutdown_on_exit=False
    )
    provider.add_span_processor(collecting)
    earlier = destination.use(runtime(provider, Policy(content=content), configured=True))
    carrying.use()
    try:
        yield collecting
    finally:
        carrying.release()
        destination.use(earlier)
        provider.shutdown()


def _request(spans: list[ReadableSpan]) -> CapturedRequest:
    root = next((span for span in spans if _operation(span) == names.OPERATION_WORKFLOW), None)
    generation = next((span for span in reversed(spans) if _operation(span) == names.OPERATION_CHAT), None)
    documents = _documents(spans)
    top = _attributes(root or spans[-1])
    written = _attributes(generation)
    answer = top.get(names.OUTPUT_VALUE) or _message(written.get(names.GEN_AI_OUTPUT_MESSAGES))
    found = {**_attributes(root), **written}
    cited, unknown = found.get(names.RAGVIGIL_CITED_IDS), found.get(names.RAGVIGIL_CITED_UNKNOWN)
    if answer is not None and documents:
        cited, named, words = read_citations(answer, [document.id for document in documents])
        unknown = [*named, *words]
    prefix = names.RAGVIGIL_SEGMENT_PREFIX
    return CapturedRequest(
        question=top.get(names.INPUT_VALUE)
        or top.get(names.GEN_AI_RETRIEVAL_QUERY_TEXT)
        or _message(written.get(names.GEN_AI_INPUT_MESSAGES)),
        answer=answer,
        documents=documents,
        model=written.get(names.GEN_AI_RESPONSE_MODEL) or written.get(names.GEN_AI_REQUEST_MODEL),
        conversation_id=top.get(names.GEN_AI_CONVERSATION_ID),
        user_id=top.get(names.USER_ID),
        segment={name.removeprefix(prefix): value for name, value in top.items() if name.startswith(prefix)},
        error=top.get(names.ERROR_TYPE),
        unreadable=tuple(
            mark for span in spans for mark in _attributes(span).get(names.RAGVIGIL_UNREADABLE, ())
        ),
        cited_ids=tuple(cited or ()),
        unknown_citations=tuple(unknown or ()),
        spans=tuple(spans),
    )


def _documents(spans: list[ReadableSpan]) -> tuple[CapturedDocument, ...]:
    """The documents of the last reranker, else of all retrievers."""
    reranked = [span for span in spans if _operation(span) == names.OPERATION_RERANK][-1:]
    chosen = reranked or [span for span in spans if _operation(span) == names.OPERATION_RETRIEVAL]
    rows = [
        row
        for span in chosen
        for row in json.loads(_attributes(span).get(names.GEN_AI_RETRIEVAL_DOCUMENTS, "[]"))
    ]
    texts = {row["id"]: row.get("content") for row in _rows(spans) if "id" in row and row.get("content")}
    return tuple(
        CapturedDocument(
            row.get("id"),
            row.get("content") or texts.get(row.get("id")),
            row.get("score"),
            row.get("metadata") or {},
        )
        for row in rows
    )


def _rows(spans: list[ReadableSpan]) -> Iterator[dict[str, Any]]:
    for span in spans:
        yield from json.loads(_attributes(span).get(names.GEN_AI_RETRIEVAL_DOCUMENTS, "[]"))


def _message(written: str | None) -> str | None:
    return None if written is None else str(json.loads(written)[0]["parts"][0]["content"])


def _root_of(span_id: int, parents: Mapping[int, int], roots: set[int]) -> int:
    """The outermost traced request that a span belongs to, else its outermost span."""
    root = outermost = span_id
    while span_id in parents:
        outermost = span_id
        root = span_id if span_id in roots else root
        span_id = parents[span_id]
    return root if root in roots else outermost


def _id(span: ReadableSpan) -> int:
    return 0 if span.context is None else span.context.span_id


def _operation(span: ReadableSpan) -> object:
    return _attributes(span).get(names.GEN_AI_OPERATION_NAME)


def _attributes(span: ReadableSpan | None) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", (span.attributes if span is not None else None) or {})

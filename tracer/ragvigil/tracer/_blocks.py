"""Spans for code that cannot be decorated: ``with`` blocks, and records of what is already over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING

from opentelemetry.trace import SpanKind

from ragvigil.tracer import attributes as names
from ragvigil.tracer._arguments import Parameter
from ragvigil.tracer._calls import Call, begin
from ragvigil.tracer._roles import Generator, Reranker, Retriever, Role, Workflow
from ragvigil.tracer._runtime import destination
from ragvigil.tracer._settings import Content
from ragvigil.tracer._times import Duration, Moment, Period, period

if TYPE_CHECKING:
    from typing import Self


class Block:
    """A traced ``with`` or ``async with`` block; tell it what came out with ``result`` or piece by piece."""

    def __init__(self, role: Callable[[], Role]) -> None:
        self._role = role
        """Makes it, if anything is traced: that costs more than all the rest of a block that is not."""
        self._call: Call | None = None
        self._results: list[object] = []
        self._around: list[tuple[Call | None, list[object]]] = []
        """Where the block is entered inside of itself: what is open around, from the outermost."""
        self._open = False

    @property
    def trace_id(self) -> str | None:
        """Trace id as 32 hexadecimal characters, for feedback later; None when nothing is traced."""
        return None if self._call is None else self._call.trace_id

    def result(self, value: object) -> None:
        """Note what came out, in any shape that a decorated function may return."""
        self._results[:] = [value]

    def piece(self, value: object) -> None:
        """Note one piece of a streamed answer, or one document."""
        if self._call is not None:
            self._call.take(value)

    def __enter__(self) -> Self:
        """Open the span and make it current."""
        if self._open:
            self._around.append((self._call, self._results))
            self._results = []
        self._open = True
        self._call = None if destination.current() is None else begin(self._role(), (), {})
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the span with what it was told; an error is noted and goes on."""
        call, results = self._call, self._results
        if self._around:
            self._call, self._results = self._around.pop()
        else:  # the call stays, for its trace id
            self._open, self._results = False, []
        if call is None:
            return
        if error is not None:
            call.fail(error)
        elif results:
            call.end(results[0])
        else:
            call.leave()
            call.end_stream()

    async def __aenter__(self) -> Self:
        """Open the span and make it current."""
        return self.__enter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the span."""
        self.__exit__(kind, error, traceback)


def rag_span(question: str | None = None, *, name: str = "request", content: Content | None = None) -> Block:
    """A block around the answering of one question: the root; its ``result`` is the answer.

    >>> with rag_span("When does water boil?") as request:
    ...     request.result("At 100 °C.")
    """
    return Block(partial(_workflow, question, name, content))


def retriever_span(
    query: str | None = None,
    *,
    source: str | None = None,
    top_k: int | None = None,
    content: Content | None = None,
) -> Block:
    """A block around a search; its ``result`` is the documents."""
    return Block(partial(_retriever, query, source, top_k, content))


def reranker_span(
    query: str | None = None,
    documents: object = None,
    *,
    model: str | None = None,
    content: Content | None = None,
) -> Block:
    """A block around a second pass over ``documents``; its ``result`` is the documents in their new order."""
    return Block(partial(_reranker, query, documents, model, content))


def generator_span(
    question: str | None = None,
    *,
    model: str | None = None,
    provider: str | None = None,
    content: Content | None = None,
) -> Block:
    """A block around a model call; its ``result`` is the answer, its ``piece`` a streamed part of it."""
    return Block(partial(_generator, question, model, provider, content))


def record_retrieval(
    query: str,
    documents: object,
    *,
    seconds: Duration = 0.0,
    ended_at: Moment = None,
    source: str | None = None,
    top_k: int | None = None,
    content: Content | None = None,
) -> str | None:
    """Record a search that is over, and return its trace id; None when nothing is traced.

    It took ``seconds``, a number or a ``timedelta``, and ended at ``ended_at``, in seconds since 1970 or a
    ``datetime``, by default now; a time that is none is left out, and the log says so. Inside a traced request it
    becomes a part of it. ``documents`` may have any shape that a decorated retriever may return. ``content`` records
    less of its texts than ``configure`` allows, never more.
    """
    if destination.current() is None:
        return None
    return _record(_retriever(query, source, top_k, content), documents, period(seconds, ended_at))


def record_generation(
    question: str | None,
    answer: object,
    *,
    seconds: Duration = 0.0,
    ended_at: Moment = None,
    model: str | None = None,
    provider: str | None = None,
    content: Content | None = None,
) -> str | None:
    """Record a model call that is over, and return its trace id; None when nothing is traced.

    Times and ``content`` are as for ``record_retrieval``; ``answer`` may have any shape that a decorated generator may
    return.
    """
    if destination.current() is None:
        return None
    return _record(_generator(question, model, provider, content), answer, period(seconds, ended_at))


def record_request(
    question: str,
    answer: object,
    *,
    documents: object = None,
    seconds: Duration = 0.0,
    ended_at: Moment = None,
    name: str = "request",
    source: str | None = None,
    model: str | None = None,
    content: Content | None = None,
) -> str | None:
    """Record a whole request that is over, with its search and its answer, and return its trace id.

    Times and ``content`` are as for ``record_retrieval``.
    """
    if destination.current() is None:
        return None
    took = period(seconds, ended_at)
    root = begin(_workflow(question, name, content), (), {}, started_at=took.began)
    if root is None:
        return None
    if documents is not None:
        searched = Period(took.began, took.began)
        _record(_retriever(question, source, None, None), documents, searched)
    _record(_generator(question, model, None, None), answer, took)
    root.end(answer, ended_at=took.ended)
    return root.trace_id


def _record(role: Role, result: object, took: Period) -> str | None:
    call = begin(role, (), {}, started_at=took.began)
    if call is None:
        return None
    call.end(result, ended_at=took.ended)
    return call.trace_id


def _workflow(question: object, name: str, content: Content | None) -> Workflow:
    return Workflow(
        operation=names.OPERATION_WORKFLOW,
        label=_always(name),
        question=_always(question),
        fixed=_fixed(names.OPERATION_WORKFLOW, names.KIND_CHAIN, {names.GEN_AI_WORKFLOW_NAME: name}),
        root=True,
        content=content,
    )


def _retriever(query: object, source: str | None, top_k: int | None, content: Content | None) -> Retriever:
    return Retriever(
        operation=names.OPERATION_RETRIEVAL,
        kind=SpanKind.CLIENT,
        label=_always(source),
        question=_always(query),
        facts={names.GEN_AI_RETRIEVAL_TOP_K: _always(top_k)},
        fixed=_fixed(names.OPERATION_RETRIEVAL, names.KIND_RETRIEVER, {names.GEN_AI_DATA_SOURCE_ID: source}),
        content=content,
    )


def _reranker(query: str | None, documents: object, model: str | None, content: Content | None) -> Reranker:
    return Reranker(
        operation=names.OPERATION_RERANK,
        label=_always(model),
        question=_always(query),
        documents=_always(documents),
        facts={names.GEN_AI_REQUEST_MODEL: _always(model)},
        fixed=_fixed(names.OPERATION_RERANK, names.KIND_RERANKER),
        content=content,
    )


def _generator(
    question: object, model: str | None, provider: str | None, content: Content | None
) -> Generator:
    return Generator(
        operation=names.OPERATION_CHAT,
        kind=SpanKind.CLIENT,
        label=_always(model),
        question=_always(question),
        facts={names.GEN_AI_REQUEST_MODEL: _always(model)},
        fixed=_fixed(names.OPERATION_CHAT, names.KIND_LLM, {names.GEN_AI_PROVIDER_NAME: provider}),
        content=content,
    )


def _always(value: object) -> Parameter:
    return Parameter((), default=value, told=True)


def _fixed(operation: str, kind: str, more: Mapping[str, str | None] | None = None) -> dict[str, str]:
    told = {name: value for name, value in (more or {}).items() if value is not None}
    return {names.GEN_AI_OPERATION_NAME: operation, names.OPENINFERENCE_SPAN_KIND: kind, **told}

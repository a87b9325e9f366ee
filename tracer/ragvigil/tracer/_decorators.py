"""The four decorators."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ParamSpec, Protocol, TypeVar, cast, overload

from opentelemetry.trace import SpanKind

from ragvigil.tracer import attributes as names
from ragvigil.tracer._arguments import (
    DOCUMENTS,
    MODEL,
    NO_PARAMETER,
    TOP_K,
    Parameter,
    parameter,
    question_names,
)
from ragvigil.tracer._context import segment_attributes
from ragvigil.tracer._notices import notices
from ragvigil.tracer._roles import Extract, Generator, Reranker, Retriever, Role, Workflow
from ragvigil.tracer._settings import Content, disabled
from ragvigil.tracer._wrapping import traced

P = ParamSpec("P")
R = TypeVar("R")


class Decorator(Protocol):
    """A decorator that keeps the signature of what it decorates."""

    def __call__(self, function: Callable[P, R], /) -> Callable[P, R]:
        """The function, traced."""
        ...


@overload
def trace_rag(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def trace_rag(
    *,
    name: str | None = None,
    query: str | None = None,
    conversation_id: str | None = None,
    user_id: str | None = None,
    segment: Mapping[str, str] | None = None,
    extract: Extract | None = None,
    content: Content | None = None,
) -> Decorator: ...
def trace_rag(
    function: Callable[P, R] | None = None,
    /,
    *,
    name: str | None = None,
    query: str | None = None,
    conversation_id: str | None = None,
    user_id: str | None = None,
    segment: Mapping[str, str] | None = None,
    extract: Extract | None = None,
    content: Content | None = None,
) -> Callable[P, R] | Decorator:
    """Trace the function that answers one question: the root of its spans.

    ``query``, ``conversation_id`` and ``user_id`` name the parameters that hold them; a question under a usual
    name is found by itself. ``segment`` is fixed; ``context`` sets what a request decides. ``extract`` turns an
    odd result into a text or a mapping with an ``answer``. ``content`` records less of the texts of this request than
    ``configure`` allows, never more.

    >>> @trace_rag(segment={"language": "en"})
    ... def ask(question: str) -> str:
    ...     return "At 100 °C."
    >>> ask("When does water boil?")
    'At 100 °C.'
    """

    def role(function: Callable[..., object]) -> Role:
        label = name or str(getattr(function, "__name__", type(function).__name__))
        return Workflow(
            operation=names.OPERATION_WORKFLOW,
            label=_always(label),
            question=_question(function, query),
            shared={
                **_shared(function, conversation_id, names.GEN_AI_CONVERSATION_ID, names.SESSION_ID),
                **_shared(function, user_id, names.USER_ID),
                **{key: _always(value) for key, value in segment_attributes(segment or {}).items()},
            },
            extract=extract,
            content=content,
            fixed=_fixed(names.OPERATION_WORKFLOW, names.KIND_CHAIN, {names.GEN_AI_WORKFLOW_NAME: label}),
            root=True,
        )

    return _decorated(function, role)


@overload
def trace_retriever(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def trace_retriever(
    *,
    source: str | None = None,
    query: str | None = None,
    top_k: int | None = None,
    extract: Extract | None = None,
    content: Content | None = None,
) -> Decorator: ...
def trace_retriever(
    function: Callable[P, R] | None = None,
    /,
    *,
    source: str | None = None,
    query: str | None = None,
    top_k: int | None = None,
    extract: Extract | None = None,
    content: Content | None = None,
) -> Callable[P, R] | Decorator:
    """Trace a search for documents.

    ``source`` names the index; ``query`` names the parameter that holds the query; ``top_k`` is read from a
    parameter of a usual name unless given; ``extract`` turns an odd result into a list of documents.

    >>> @trace_retriever(source="manual")
    ... def search(query: str, top_k: int = 5) -> list[tuple[str, str, float]]:
    ...     return [("p1", "Water boils at 100 °C.", 0.9)]
    >>> search("boiling point")
    [('p1', 'Water boils at 100 °C.', 0.9)]
    """

    def role(function: Callable[..., object]) -> Role:
        return Retriever(
            operation=names.OPERATION_RETRIEVAL,
            kind=SpanKind.CLIENT,
            label=_always(source),
            question=_question(function, query),
            facts={names.GEN_AI_RETRIEVAL_TOP_K: _given(function, TOP_K, top_k)},
            extract=extract,
            content=content,
            fixed=_fixed(
                names.OPERATION_RETRIEVAL, names.KIND_RETRIEVER, {names.GEN_AI_DATA_SOURCE_ID: source}
            ),
        )

    return _decorated(function, role)


@overload
def trace_reranker(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def trace_reranker(
    *,
    model: str | None = None,
    query: str | None = None,
    documents: str | None = None,
    top_k: int | None = None,
    extract: Extract | None = None,
    content: Content | None = None,
) -> Decorator: ...
def trace_reranker(
    function: Callable[P, R] | None = None,
    /,
    *,
    model: str | None = None,
    query: str | None = None,
    documents: str | None = None,
    top_k: int | None = None,
    extract: Extract | None = None,
    content: Content | None = None,
) -> Callable[P, R] | Decorator:
    """Trace a second pass over documents: ids in, documents out in their new order.

    ``query`` and ``documents`` name the parameters that hold them; ``extract`` turns an odd result into a list
    of documents.

    >>> @trace_reranker(model="by-length")
    ... def rerank(query: str, documents: list[str]) -> list[str]:
    ...     return sorted(documents, key=len)
    >>> rerank("water", ["Water boils.", "Ice."])
    ['Ice.', 'Water boils.']
    """

    def role(function: Callable[..., object]) -> Role:
        return Reranker(
            operation=names.OPERATION_RERANK,
            label=_given(function, MODEL, model),
            question=_question(function, query),
            documents=_told(function, documents) if documents else parameter(function, DOCUMENTS),
            facts={
                names.GEN_AI_REQUEST_MODEL: _given(function, MODEL, model),
                names.GEN_AI_RETRIEVAL_TOP_K: _given(function, TOP_K, top_k),
            },
            extract=extract,
            content=content,
            fixed=_fixed(names.OPERATION_RERANK, names.KIND_RERANKER, {}),
        )

    return _decorated(function, role)


@overload
def trace_generator(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def trace_generator(
    *,
    model: str | None = None,
    provider: str | None = None,
    query: str | None = None,
    extract: Extract | None = None,
    content: Content | None = None,
) -> Decorator: ...
def trace_generator(
    function: Callable[P, R] | None = None,
    /,
    *,
    model: str | None = None,
    provider: str | None = None,
    query: str | None = None,
    extract: Extract | None = None,
    content: Content | None = None,
) -> Callable[P, R] | Decorator:
    """Trace the call that writes the answer, whole or streamed.

    ``model`` is read from a parameter of that name unless given; ``query`` names the parameter with the user's
    own words (a rendered prompt is not recorded: it repeats the passages); ``extract`` turns an odd result, or
    each streamed piece, into a text or a mapping with an ``answer``.

    >>> @trace_generator(model="llama-3.3-70b")
    ... def write(question: str, passages: list[str]) -> str:
    ...     return "At 100 °C [1]."
    >>> write("When does water boil?", ["Water boils at 100 °C."])
    'At 100 °C [1].'
    """

    def role(function: Callable[..., object]) -> Role:
        return Generator(
            operation=names.OPERATION_CHAT,
            kind=SpanKind.CLIENT,
            label=_given(function, MODEL, model),
            question=_question(function, query),
            facts={names.GEN_AI_REQUEST_MODEL: _given(function, MODEL, model)},
            extract=extract,
            content=content,
            fixed=_fixed(names.OPERATION_CHAT, names.KIND_LLM, {names.GEN_AI_PROVIDER_NAME: provider}),
        )

    return _decorated(function, role)


RoleOf = Callable[[Callable[..., object]], Role]


def _decorated(function: Callable[P, R] | None, role_of: RoleOf) -> Callable[P, R] | Decorator:
    """The function traced when the decorator was used bare, else a decorator that does it."""
    if function is None:
        return cast("Decorator", partial(_traced, role_of))
    if not _is_function(function) and not hasattr(type(function), "__get__"):
        notices.say("a decorator takes its options by name", f"{type(function).__name__} was left out")
        return cast("Decorator", partial(_traced, role_of))
    return _traced(role_of, function)


def _is_function(given: object) -> bool:
    """Whether it is what its type says: a name is easily given by position."""
    return callable(given) or isinstance(given, classmethod | staticmethod)


def _traced(role_of: RoleOf, function: Callable[P, R]) -> Callable[P, R]:
    if disabled():
        return function
    given: object = function
    if inspect.isclass(given):
        notices.say("a class cannot be traced, its methods can", given.__name__)
        return function
    if not _is_function(given):
        notices.say("only what is called can be traced", f"a {type(given).__name__} was left as it is")
        return function
    if isinstance(function, classmethod | staticmethod):
        method = cast("Any", function)
        return cast("Callable[P, R]", type(method)(_traced(role_of, method.__func__)))
    try:
        return traced(function, role_of(function))
    except (Exception, SystemExit) as error:
        notices.say("a function could not be decorated", error)
        return function


def _question(function: Callable[..., object], told: str | None) -> Parameter:
    return _told(function, told) if told else parameter(function, question_names(function))


def _told(function: Callable[..., object], name: str | None) -> Parameter:
    """The parameter that the service named; one that never has a value when it named none."""
    return parameter(function, (name,), told=True) if name else NO_PARAMETER


def _shared(function: Callable[..., object], told: str | None, *attributes: str) -> dict[str, Parameter]:
    """The attributes of the request that the told parameter holds; none when none was told."""
    return dict.fromkeys(attributes, _told(function, told)) if told else {}


def _given(function: Callable[..., object], usual: tuple[str, ...], value: object) -> Parameter:
    """The value given as an option, else the parameter of a usual name."""
    return _always(value) if value is not None else parameter(function, usual)


def _always(value: object) -> Parameter:
    """A parameter that has this value in every call."""
    return Parameter((), default=value)


def _fixed(operation: str, kind: str, more: Mapping[str, str | None]) -> dict[str, str]:
    """The attributes that every span of a role has from its start, for samplers to see."""
    told = {name: value for name, value in more.items() if value is not None}
    return {names.GEN_AI_OPERATION_NAME: operation, names.OPENINFERENCE_SPAN_KIND: kind, **told}

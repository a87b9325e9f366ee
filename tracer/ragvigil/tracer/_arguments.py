"""Which argument of a call is the question, the model, the documents: by name, by position, or told."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

from ragvigil.tracer import _reading
from ragvigil.tracer._notices import notices

OWN_QUESTION = (
    "query",
    "question",
    "user_query",
    "user_question",
    "q",
    "user_input",
    "user_message",
    "utterance",
)
"""Names that mean the user's own words, even beside a rendered prompt."""
QUESTION = (*OWN_QUESTION, "search_query", "query_text", "input", "text", "message", "messages", "prompt")
MODEL = ("model", "model_name")
TOP_K = ("top_k", "k", "top_n", "limit", "n_results", "max_results")
DOCUMENTS = (
    "documents",
    "docs",
    "passages",
    "candidates",
    "nodes",
    "hits",
    "chunks",
    "results",
    "contexts",
    "items",
)

Arguments = tuple[object, ...]
Keywords = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a function, or none of the wanted names; finds its value in a call."""

    names: tuple[str, ...]
    index: int | None = None
    default: object = None
    told: bool = False
    """Whether the service named it."""

    @property
    def fixed(self) -> bool:
        """Whether every call has the same value."""
        return not self.names and self.index is None

    @property
    def known(self) -> bool:
        """Whether it is told, or the one parameter found: then no other argument can be meant."""
        return self.told or self.index is not None or len(self.names) == 1

    def value(self, arguments: Arguments, keywords: Keywords) -> object:
        """The value that the call gives it, else the default of the signature, else None."""
        for name in self.names:
            if name in keywords:
                return keywords[name]
        if self.index is not None and self.index < len(arguments):
            return arguments[self.index]
        return self.default


def question_names(function: Callable[..., object]) -> tuple[str, ...]:
    """The names to look for: those of the user's words, the function's own that say so, those of any input.

    >>> def search(tenant, question_text, query_vector): ...
    >>> "question_text" in question_names(search), "query_vector" in question_names(search)
    (True, False)
    """
    words = {name: frozenset(name.lower().split("_")) for name in _parameters(function)}
    own = tuple(name for name, said in words.items() if said & _ASKING and not said & _ASIDE)
    return OWN_QUESTION + own + QUESTION[len(OWN_QUESTION) :]


_ASKING = frozenset({"question", "query"})
_ASIDE = frozenset(
    {"id", "ids", "vector", "embedding", "filter", "filters", "type", "params", "options", "engine"}
)

NO_PARAMETER = Parameter(())
"""Never has a value."""


def parameter(function: Callable[..., object], names: Sequence[str], *, told: bool = False) -> Parameter:
    """The first of these names that the function has; ``told`` says so once when it has none of them.

    >>> def search(query, top_k=5): ...
    >>> parameter(search, ("limit", "top_k")).value(("water",), {})
    5
    """
    given = _parameters(function)
    bound = _bound(function)
    for name in names:
        if name in bound:
            return Parameter((name,), default=bound[name], told=told)
        if name not in given:
            continue
        found = given[name]
        default = None if found.default is inspect.Parameter.empty else found.default
        positional = [one.name for one in given.values() if one.kind in _POSITIONAL]
        return Parameter((name,), positional.index(name) if name in positional else None, default, told)
    if told and inspect.Parameter.VAR_KEYWORD not in {one.kind for one in given.values()}:
        function_name = getattr(function, "__qualname__", type(function).__name__)
        notices.say(f"{function_name} has no parameter {names[0]!r}", f"it has {', '.join(given) or 'none'}")
    return Parameter(tuple(names))


def question_in(value: object) -> str | None:
    """The user's words in an argument: a text, the last user message of a list, or a field of the usual name.

    >>> question_in([{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}])
    'Why?'
    """
    if type(value) is str or value is None:
        return value
    if isinstance(value, str | bytes):
        return _reading.text(value)
    if isinstance(value, list | tuple):
        given = cast("Sequence[object]", value)
        return _last_user_message(given) or _parts(given)
    if isinstance(value, int | float):
        return None
    return _reading.text(_reading.field(value, (*QUESTION, "content")))


def first_text(arguments: Arguments, keywords: Keywords) -> str | None:
    """The first positional argument that is a text, else the question inside a request body."""
    for value in arguments:
        if isinstance(value, str):
            return _reading.text(value)
    for value in (*arguments, *keywords.values()):
        if _reading.is_mapping(value) or hasattr(type(value), "model_fields"):
            found = question_in(_reading.field(value, (*OWN_QUESTION, "messages")))
            if found is not None:
                return found
    return None


def first_list(arguments: Arguments) -> object:
    """The first positional argument that is a list or a tuple."""
    lists = (cast("object", value) for value in arguments if isinstance(value, list | tuple))
    return next(lists, None)


def _last_user_message(messages: Sequence[object]) -> str | None:
    for message in reversed(messages[-64:]):
        if _reading.field(message, ("role", "type")) in ("user", "human"):
            content = _reading.field(message, ("content", "text", "parts"))
            if isinstance(content, list | tuple):
                return _parts(cast("Sequence[object]", content), texts=True)
            return _reading.text(content)
    return None


def _parts(content: Sequence[object], *, texts: bool = False) -> str | None:
    """The text of a message in parts, ``[{"type": "text", "text": "Why?"}]``; None where no part is a text.

    ``texts`` says that plain texts are parts too: outside of a message they are a list of anything.
    """
    found: list[str] = []
    for part in content[:64]:
        if isinstance(part, str):
            text = _reading.text(part) if texts else None
        elif texts or _reading.field(part, ("type",)) in _TEXT_PARTS:
            text = _reading.text(_reading.field(part, ("text",)))
        else:
            text = None
        if text is not None:
            found.append(text)
    return "".join(found) if found else None


_TEXT_PARTS = ("text", "input_text")


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _bound(function: Callable[..., object]) -> Mapping[str, object]:
    """What a partial gives by position: its signature has these parameters no more."""
    if not isinstance(function, partial):
        return {}
    given = cast("partial[object]", function)
    taking = [one.name for one in _parameters(given.func).values() if one.kind in _POSITIONAL]
    return dict(zip(taking, given.args, strict=False))


def _parameters(function: Callable[..., object]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}

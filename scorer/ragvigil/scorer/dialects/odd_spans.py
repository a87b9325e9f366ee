"""Spans as no tracer should write them, on which `check-config` tries a dialect of your own.

A dialect says by itself what it looks for: texts note what they are compared with, attributes what is asked of them.
So each attribute that it reads is there once with each odd value, in spans that it takes for its own.
"""

from __future__ import annotations

import itertools
import traceback
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragvigil.scorer.dialects.custom import Guarded, refuse_misfit
from ragvigil.scorer.dialects.reading import Dialect
from ragvigil.scorer.span import Span, SpanEvent

ODD: Sequence[object] = (
    *("", " ", "text", "[", '{"a": ', "null", "[1, null]", '{"id": 7}', '[{"text": null}]'),
    *(0, -1, 2**63 - 1, 1.5, 1e308, True, None, b"\xff"),
    *([], [None, 5, ""], [{"id": 7}], {}, {"a": [None]}),
)
"""Values of an attribute that OTLP can carry."""
_ROUNDS = 4
_MOST_TEXTS = 6
_MOST_KEYS = 40
_MOST_SPANS = 20_000
_MOST_SHOWN = 5
_SHOWN_CHARACTERS = 120


class _Noting(str):
    """An empty text that notes what a dialect hopes it is."""

    __slots__ = ("noted",)

    def __init__(self, *_: object) -> None:
        self.noted: set[str] = set()

    def __eq__(self, other: object) -> bool:
        if type(other) is str:
            self.noted.add(other)
        return str.__eq__(self, other) is True

    def __hash__(self) -> int:
        return str.__hash__(self)

    def startswith(self, *asked: Any) -> bool:
        """Likewise."""
        self.noted.update((asked[0],) if isinstance(asked[0], str) else asked[0])
        return False

    endswith = startswith


class _Attributes(dict[str, object]):
    """Attributes that note which a dialect asks for."""

    def __init__(self, known: Mapping[str, object]) -> None:
        super().__init__(known)
        self.noted: set[str] = set()

    def __getitem__(self, key: str) -> object:
        self.noted.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: object = None) -> object:
        """Likewise."""
        self.noted.add(key)
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        if isinstance(key, str):
            self.noted.add(key)
        return super().__contains__(key)


def complaints(guarded: Guarded) -> Sequence[str]:
    """What the dialect raises or returns wrongly, each once and at most five; () when it takes them all."""
    dialect = guarded.dialect
    found: dict[object, str] = {}
    for span, told in itertools.islice(_spans(dialect), _MOST_SPANS):
        method, error = _tried(dialect, span)
        if error is not None:
            said = f"{type(error).__name__}: {error}"[:_SHOWN_CHARACTERS]
            found.setdefault(_place(error), f"{method}: {said} ({told})")
        if len(found) == _MOST_SHOWN:
            break
    return tuple(found.values())


def _place(error: Exception) -> object:
    """The line that raised; of a reading that is none, its part."""
    (*_, (frame, line)) = traceback.walk_tb(error.__traceback__)
    ours = frame.f_code is refuse_misfit.__code__
    return str(error).partition(" ")[0] if ours else (frame.f_code.co_filename, line)


def _tried(dialect: Dialect, span: Span) -> tuple[str, Exception | None]:
    method = "matches"
    try:
        if dialect.matches(span):
            method = "read"
            refuse_misfit(dialect.read(span))
    except Exception as error:
        return method, error
    return method, None


def _spans(dialect: Dialect) -> Iterator[tuple[Span, str]]:
    """Spans of which one attribute is odd, and others are missing or texts; and in words what is odd."""
    scopes, names, keys = _looked_for(dialect)
    usual: dict[str, object] = dict.fromkeys(keys, "text")
    for scope, name in itertools.product(scopes, names):
        where = f"{f', name {name!r}' if name else ''}{f', scope {scope!r}' if scope else ''}"
        yield _span(scope, name, {}), f"a span without attributes{where}"
        for key, value in itertools.product(keys, ODD):
            for beside in (usual, {}):
                yield _span(scope, name, {**beside, key: value}), f"a span whose {key} is {value!r}{where}"


def _looked_for(dialect: Dialect) -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
    """The scopes, names and attributes that the dialect asks for, found by asking again with what it asked for."""
    scopes, names, keys = {"": None}, {"": None}, dict[str, None]()
    for _ in range(_ROUNDS):
        before = len(scopes), len(names), len(keys)
        for scope, name in itertools.product(tuple(scopes), tuple(names)):
            for known in ({}, dict.fromkeys(keys, "text")):
                noting = _Noting(), _Noting(), _Attributes(known)
                _tried(dialect, _span(scope or noting[0], name or noting[1], noting[2]))
                for all_of, noted in zip((scopes, names, keys), (one.noted for one in noting), strict=True):
                    all_of |= dict.fromkeys(sorted(noted))
        scopes, names = (dict.fromkeys(list(one)[:_MOST_TEXTS]) for one in (scopes, names))
        keys = dict.fromkeys(list(keys)[:_MOST_KEYS])
        if before == (len(scopes), len(names), len(keys)):
            break
    return tuple(scopes), tuple(names), tuple(keys)


def _span(scope: str, name: str, attributes: Mapping[str, object]) -> Span:
    events = (SpanEvent("", 0), SpanEvent("exception", 0, {"exception.message": None}))
    return Span("0" * 32, "0" * 16, None, name, 1, 0, 0, attributes, events=events, scope=scope)

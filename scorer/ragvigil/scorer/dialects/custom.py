"""Dialects of your own: Python files or importable classes that the configuration names."""

from __future__ import annotations

import importlib
import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import cast

from ragvigil.scorer.config.fields import place_and_name
from ragvigil.scorer.dialects.fitting import misfit
from ragvigil.scorer.dialects.reading import Dialect, Reading
from ragvigil.scorer.dialects.table import DIALECTS
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.own_code import heard, module_of_file
from ragvigil.scorer.span import Span

_log = logging.getLogger(__name__)

_KEY = "dialects"
_HINT = "write path/to/file.py, path/to/file.py:Name or package.module:Name"
_TEXTS = (
    *("query", "answer", "context", "tool", "model", "response_model", "finish_reason", "prompt_version"),
    *("conversation_id", "user_id", "environment", "service_version"),
)
_NONE = Reading()


def dialects_of(names: Iterable[str]) -> Sequence[Dialect]:
    """The dialects that the configuration names, in its order, before the built-in ones.

    Raises ConfigError that names the entry and the fix.

    >>> dialects_of([]) is DIALECTS
    True
    """
    own = [dialect for name in names for dialect in _load(name)]
    return (*own, *DIALECTS) if own else DIALECTS


class Guarded:
    """Somebody's own dialect: what it raises or returns wrongly costs the span's reading, not the trace."""

    def __init__(self, dialect: Dialect) -> None:
        self.name = dialect.name
        self.dialect = dialect
        self.failures = 0
        """Times that it could not look at a span, or not read one."""

    def matches(self, span: Span) -> bool:
        """What the dialect says; no where it cannot."""
        try:
            return bool(self.dialect.matches(span))
        except Exception as error:
            self._failed("look at", span, error)
            return False

    def read(self, span: Span) -> Reading:
        """What the dialect says, or nothing."""
        try:
            reading = self.dialect.read(span)
            refuse_misfit(reading)
        except Exception as error:
            self._failed("read", span, error)
            return _NONE
        return reading

    def _failed(self, what: str, span: Span, error: Exception) -> None:
        """The first failure is logged in full, all others are counted."""
        self.failures += 1
        level, trace = (logging.ERROR, True) if self.failures == 1 else (logging.DEBUG, False)
        _log.log(
            level,
            "dialect %s could not %s span %s (failure %d): %s",
            *(self.name, what, span.span_id, self.failures, error),
            exc_info=trace,
        )


def failures_of(dialects: Iterable[Dialect]) -> Counter[str]:
    """How often each of somebody's own has failed in this process."""
    return Counter({one.name: one.failures for one in dialects if isinstance(one, Guarded)})


def _load(entry: str) -> Iterator[Dialect]:
    place, name = place_and_name(entry)
    is_file = place.endswith(".py")
    if not place or (not is_file and not name):
        raise ConfigError(_KEY, f"{entry!r} names no dialect", _HINT)
    try:
        with heard():
            module = module_of_file(Path(place), "dialect") if is_file else importlib.import_module(place)
    except FileNotFoundError:
        raise ConfigError(
            _KEY,
            f"{place}: no such file",
            f"looked for beside the configuration file and in {Path.cwd()}, where the scorer was started",
        ) from None
    except Exception as error:
        raise ConfigError(
            _KEY, f"{place} cannot be imported: {type(error).__name__}: {error}", _HINT
        ) from error
    found = [_named(module, name, entry)] if name else [*_classes_in(module)]
    if not found:
        raise ConfigError(
            _KEY, f"{place} holds no dialect", "a dialect is a class with name, matches and read"
        )
    for candidate in found:
        yield _instance(candidate, entry)


def _named(module: ModuleType, name: str, entry: str) -> object:
    if not hasattr(module, name):
        known = ", ".join(each.__name__ for each in _classes_in(module)) or "none"
        raise ConfigError(_KEY, f"{entry}: no {name} there", f"dialects in it: {known}")
    return getattr(module, name)


def _classes_in(module: ModuleType) -> Iterator[type]:
    """Classes that the file itself defines and that look like a dialect."""
    for each in vars(module).values():
        if isinstance(each, type) and each.__module__ == module.__name__ and _missing_in(each) is None:
            yield each


def _instance(candidate: object, entry: str) -> Dialect:
    try:
        made = cast("object", candidate()) if isinstance(candidate, type) else candidate
    except Exception as error:
        raise ConfigError(
            _KEY, f"{entry} cannot be made: {error}", "its __init__ is called without arguments"
        ) from error
    missing = _missing_in(made)
    if missing is not None:
        raise ConfigError(_KEY, f"{entry}: {missing}", "a dialect is a class with name, matches and read")
    _try(cast("Dialect", made), entry)
    return Guarded(cast("Dialect", made))


def _try(dialect: Dialect, entry: str) -> None:
    """One that answers with anything but a Reading is refused; failing on a span without anything is no fault."""
    try:
        reading = cast("object", dialect.read(Span("0" * 32, "0" * 16, None, "", 1, 0, 0, {})))
    except Exception:
        return
    if reading is not None and not isinstance(reading, Reading):
        raise ConfigError(
            _KEY,
            f"{entry}: read returned {type(reading).__name__}",
            "it returns a ragvigil.scorer.dialects.Reading",
        )


def _missing_in(candidate: object) -> str | None:
    name: object = getattr(candidate, "name", None)
    if not isinstance(name, (str, property)) or not name:
        return "its `name` must be a text that is not empty"
    for method in ("matches", "read"):
        if not callable(getattr(candidate, method, None)):
            return f"it has no method `{method}`"
    return None


def refuse_misfit(reading: object) -> None:
    """Raise TypeError that names what is not as `Reading` says it must be, down to the id of a document."""
    if not isinstance(reading, Reading):
        raise TypeError(f"read returned {type(reading).__name__}, not a Reading")
    problem = misfit(reading, Reading, "")
    if problem is not None:
        raise TypeError(problem)
    empty = next((name for name in _TEXTS if getattr(reading, name) == ""), None)
    if empty is not None:
        raise TypeError(f"{empty} must be a text that is not empty, or None")
    if reading.sampled_with is not None and not 0.0 < reading.sampled_with <= 1.0:
        raise TypeError(f"sampled_with must be over 0 and at most 1, or None; got {reading.sampled_with}")

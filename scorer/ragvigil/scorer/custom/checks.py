"""The custom checks of a configuration, on one record after another."""

from __future__ import annotations

import logging
import weakref
from collections.abc import Mapping, Sequence

from ragvigil.scorer.checks import CHECKS
from ragvigil.scorer.config import CustomCheck
from ragvigil.scorer.custom.decorator import value_of
from ragvigil.scorer.custom.expression import Expression, MissingError
from ragvigil.scorer.custom.process import FAILED, Functions
from ragvigil.scorer.custom.request import MOST
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import CheckResult

_log = logging.getLogger(__name__)

_KEY = "custom_checks"
SUMMED_UP = ("failure_tags", "grounded_answer")
"""Results beside those of the checks that an expression may name."""


class CustomChecks:
    """Functions and expressions by name; one that fails says so in its own result."""

    def __init__(self, sections: Mapping[str, CustomCheck]) -> None:
        """Load them; ConfigError names the one that cannot be, and why."""
        self._services = {name: frozenset(section.services) for name, section in sections.items()}
        self._expressions = {
            name: _expression(name, section.expression)
            for name, section in sections.items()
            if section.expression is not None
        }
        places = {name: one.function for name, one in sections.items() if one.function is not None}
        self._functions: Functions | None = None
        if len(places) > MOST:
            raise ConfigError(_KEY, f"more than {MOST} functions", "join some of them")
        if places:
            limits = {name: section.seconds for name, section in sections.items()}
            self._functions = functions = Functions(places, limits)
            weakref.finalize(self, functions.close)
            _load(functions)
        self._names = tuple(sections)
        self._told: set[str] = set()

    @property
    def ids(self) -> tuple[str, ...]:
        """What its results are called, in the order of the settings."""
        return tuple(f"custom.{name}" for name in self._names)

    def run(self, record: RagTrace, results: Sequence[CheckResult]) -> tuple[CheckResult, ...]:
        """One result, `custom.NAME`, for each that looks at the record's service; `results`: those of the checks."""
        names = [
            name for name in self._names if not self._services[name] or record.service in self._services[name]
        ]
        if not names:
            return ()
        found = {
            name: _evaluated(self._expressions[name], record, results)
            for name in names
            if name in self._expressions
        }
        for name, (_, reason) in found.items():
            self._tell_once(name, reason or "")
        asked = [name for name in names if name not in found]
        if asked and self._functions is not None:
            found |= self._functions.ask(record, asked)
        return tuple(CheckResult(f"custom.{name}", self._version(name), *found[name]) for name in names)

    def _tell_once(self, name: str, reason: str) -> None:
        """An expression that fails is told once in the log; numbers would make many causes of one."""
        if reason.startswith(FAILED) and name not in self._told:
            self._told.add(name)
            _log.error("custom check %s: %s", name, reason.removeprefix(FAILED))

    def _version(self, name: str) -> str:
        """Of a function as it was loaded last: its file may have changed since the start."""
        if name in self._expressions:
            return self._expressions[name].version
        assert self._functions is not None
        return self._functions.version(name)

    def close(self) -> None:
        """End what runs."""
        if self._functions is not None:
            self._functions.close()


def _expression(name: str, text: str) -> Expression:
    try:
        return Expression(text, (*(check.id for check in CHECKS), *SUMMED_UP))
    except ValueError as error:
        raise ConfigError(f"{_KEY}.{name}.expression", str(error)) from None


def _load(functions: Functions) -> None:
    """Start their process; ConfigError names the one that cannot be loaded."""
    try:
        told = functions.start()
    except (OSError, ValueError) as error:
        functions.close()
        raise ConfigError(_KEY, f"their process did not start: {error or type(error).__name__}") from None
    for name, one in told.items():
        if "error" in one:
            functions.close()
            raise ConfigError(f"{_KEY}.{name}.function", one["error"])


def _evaluated(
    expression: Expression, record: RagTrace, results: Sequence[CheckResult]
) -> tuple[float | None, str | None]:
    try:
        value, reason = value_of(expression.of(record, results))
    except MissingError as error:
        return None, f"{error} has no value"
    except (TypeError, ValueError, ZeroDivisionError, OverflowError) as error:
        return None, f"{FAILED}{error}"
    except (
        Exception
    ) as error:  # whatever else it may be, it costs this check only; the text may quote the content
        return None, f"{FAILED}{type(error).__name__}"
    return value, reason or (None if value is not None else "the expression has no value")

"""Which records are not scored: load tests, evaluations, probes. Decided before any check runs."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ragvigil.scorer.config import Filter
from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import RagTrace

_SHOWN = 80


class Filtered(NamedTuple):
    """Why a record is not scored."""

    rule: str
    why: str
    """What was found, and where: one line for people."""


@dataclass(frozen=True, slots=True)
class _Condition:
    """One attribute, under any of its names, has to match."""

    keys: tuple[str, ...]
    pattern: re.Pattern[str]

    def met_by(self, attributes: Mapping[str, object]) -> str | None:
        """The attribute that meets it, as text."""
        for key in self.keys:
            value = attributes.get(key)
            if value is not None and self.pattern.fullmatch(_text(value)):
                return f"{key} = {_text(value)[:_SHOWN]!r}"
        return None


@dataclass(frozen=True, slots=True)
class _Rule:
    name: str
    environment: re.Pattern[str] | None
    service: re.Pattern[str] | None
    resource: tuple[_Condition, ...]
    root: tuple[_Condition, ...]
    span: tuple[_Condition, ...]
    keys: tuple[str, ...]
    """The attributes that it asks for."""

    def met_in(self, spans: Sequence[Span], tops: Sequence[Span]) -> list[str] | None:
        """What of the trace meets the conditions on attributes; None when it does not meet them all."""
        groups = (
            ("resource", self.resource, [span.resource for span in spans] if self.resource else ()),
            ("root span", self.root, [span.attributes for span in tops] if self.root else ()),
            ("span", self.span, [span.attributes for span in spans] if self.span else ()),
        )
        found: list[str] = []
        for place, conditions, candidates in groups:
            if conditions:
                met = _all_met(conditions, candidates)
                if met is None:
                    return None
                found += [f"{place} attribute {one}" for one in met]
        return found

    def met_by(self, record: RagTrace) -> list[str] | None:
        """What of the record meets the conditions on it; None when it does not meet them all."""
        found: list[str] = []
        for place, pattern, value in (
            ("environment", self.environment, record.environment),
            ("service", self.service, record.service),
        ):
            if pattern is not None:
                if value is None or not pattern.fullmatch(value):
                    return None
                found.append(f"{place} = {value[:_SHOWN]!r}")
        return found


class Filters:
    """The rules, asked in order; the first that holds is named.

    >>> rules = Filters({"load_tests": Filter(environment=("load*",))})
    >>> record = RagTrace("0" * 32, "1" * 16, "shop", 0, environment="loadtest-eu")
    >>> rules.of([], [record])
    [Filtered(rule='load_tests', why="environment = 'loadtest-eu'")]
    """

    def __init__(self, filters: Mapping[str, Filter]) -> None:
        self._rules = [_rule(name, one) for name, one in filters.items()]
        self._names = frozenset(key for rule in self._rules for key in rule.keys)
        self._keys = {key.encode() for key in self._names}

    def concern(self, payload: bytes) -> bool:
        """Whether encoded spans hold the name of an attribute that some rule asks for."""
        return any(key in payload for key in self._keys)

    def _named(self, span: Span) -> bool:
        """Whether it has any attribute that some rule asks for; few have."""
        names = self._names
        return not (span.attributes.keys().isdisjoint(names) and span.resource.keys().isdisjoint(names))

    def met(self, spans: Sequence[Span]) -> frozenset[str]:
        """The rules that ask for attributes, and find them in this trace."""
        tops = _tops(spans)
        return frozenset(
            rule.name for rule in self._rules if rule.keys and rule.met_in(spans, tops) is not None
        )

    def of(
        self, spans: Iterable[Span], records: Sequence[RagTrace], met: Collection[str] = ()
    ) -> list[Filtered | None]:
        """For each record of a trace the rule that filters it; None for those to be scored.

        `met` names rules whose attributes the trace had before it was redacted.
        """
        found: list[Filtered | None] = [None] * len(records)
        if not self._rules or not records:
            return found
        everything = list(spans)
        tops = _tops(everything)
        silent = not any(map(self._named, everything))
        for rule in self._rules:
            if silent and rule.keys and rule.name not in met:
                continue
            in_trace = [] if rule.name in met else rule.met_in(everything, tops)
            if in_trace is None:
                continue
            for place, record in enumerate(records):
                of_record = rule.met_by(record)
                if found[place] is None and of_record is not None:
                    found[place] = Filtered(rule.name, ", ".join((*of_record, *in_trace)))
        return found


def _rule(name: str, one: Filter) -> _Rule:
    resource, root, span = map(_conditions, (one.resource, one.root, one.span))
    return _Rule(
        name,
        _pattern(one.environment) if one.environment else None,
        _pattern(one.service) if one.service else None,
        resource,
        root,
        span,
        tuple(key for condition in (*resource, *root, *span) for key in condition.keys),
    )


def _conditions(attributes: Mapping[str, Sequence[str]]) -> tuple[_Condition, ...]:
    return tuple(
        _Condition(tuple(name.strip() for name in key.split("|")), _pattern(patterns))
        for key, patterns in attributes.items()
    )


def _pattern(globs: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(fnmatch.translate(glob) for glob in globs))


def _all_met(
    conditions: Sequence[_Condition], candidates: Iterable[Mapping[str, object]]
) -> list[str] | None:
    """How the first of the candidates that meets every condition does so."""
    for attributes in candidates:
        met = [one for one in (condition.met_by(attributes) for condition in conditions) if one is not None]
        if len(met) == len(conditions):
            return met
    return None


def _tops(spans: Sequence[Span]) -> list[Span]:
    """The spans whose parent is not there."""
    known = {span.span_id for span in spans}
    return [span for span in spans if span.parent_id not in known]


def _text(value: object) -> str:
    """As people write it in a rule: true and false in lower case.

    >>> _text(True), _text(5), _text("x")
    ('true', '5', 'x')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)

"""`ragvigil explain`: which span was read how, which was taken for what, and what is missing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ragvigil.scorer.dialects import DIALECTS, Dialect
from ragvigil.scorer.dialects.completeness import judged
from ragvigil.scorer.dialects.custom import Guarded
from ragvigil.scorer.dialects.question import Question, questions
from ragvigil.scorer.dialects.records import record_of, steps_of
from ragvigil.scorer.dialects.returned import forest_of
from ragvigil.scorer.dialects.step import Step
from ragvigil.scorer.dialects.table import matching
from ragvigil.scorer.dialects.values import REDACTED
from ragvigil.scorer.offline.choices import Fact, Place, facts_of
from ragvigil.scorer.offline.content_settings import content_settings
from ragvigil.scorer.offline.read import Problem, raised, traces_in
from ragvigil.scorer.scoring.filtering import Filtered, Filters
from ragvigil.scorer.span import LogEvent, Span

_SHOWN_KEYS = 8


@dataclass(frozen=True, slots=True)
class SpanAccount:
    """How one span was read."""

    span_id: str
    parent_id: str | None
    depth: int
    name: str
    scope: str
    role: str
    dialects: tuple[str, ...]
    """The first decided the role; the others filled its gaps."""
    why: str
    taken_for: tuple[str, ...]
    """Facts of the record that came from here."""
    looked_for: tuple[str, ...]
    """Attributes that a dialect asked for and that the span does not have."""
    hidden: tuple[str, ...]
    """Attributes that are there without their content: empty, or redacted by the sender."""
    dropped: int
    """How many attributes the sender threw away: what is missing may have been among them."""


@dataclass(frozen=True, slots=True)
class RecordAccount:
    """One question answered once."""

    span_id: str
    completeness: str
    facts: tuple[Fact, ...]
    filtered: Filtered | None = None
    """The rule by which it is not scored."""
    cause: Place | None = None
    """What makes it incomplete, and the span that tells so ("" where none does); None where nothing does."""
    content_settings: tuple[str, ...] = ()
    """Where its content was kept back: what makes its service send it."""


@dataclass(frozen=True, slots=True)
class TraceAccount:
    """One trace; its spans as a tree, from the top down."""

    trace_id: str
    service: str | None
    spans: tuple[SpanAccount, ...]
    records: tuple[RecordAccount, ...]
    problem: str | None
    """Why there is no record."""
    waiting: bool = False
    """Whether some of it still waits in the inbox, and is not scored yet."""


class Recorder(Mapping[str, object]):
    """Attributes that remember which keys were asked for in vain.

    >>> attributes = Recorder({"a": 1})
    >>> attributes.get("a"), attributes.get("b"), "c" in attributes, list(attributes.missed)
    (1, None, False, ['b', 'c'])
    """

    def __init__(self, attributes: Mapping[str, object]) -> None:
        self._attributes = attributes
        self.missed: dict[str, None] = {}

    def __getitem__(self, key: str) -> object:
        """The value of an attribute; what is not there is remembered."""
        if key not in self._attributes:
            self.missed[key] = None
        return self._attributes[key]

    def __iter__(self) -> Iterator[str]:
        """The keys that are there."""
        return iter(self._attributes)

    def __len__(self) -> int:
        """How many are there."""
        return len(self._attributes)


def explain_files(
    paths: Iterable[Path],
    dialects: Sequence[Dialect] = DIALECTS,
    filters: Filters | None = None,
    problem: Problem = raised,
) -> list[TraceAccount]:
    """An account of every trace in the files. Raises InputError that names a file that cannot be opened."""
    return [explain(spans, events, dialects, filters) for spans, events in traces_in(paths, problem)]


def explain(
    spans: Sequence[Span],
    events: Iterable[LogEvent] = (),
    dialects: Sequence[Dialect] = DIALECTS,
    filters: Filters | None = None,
    *,
    rules_met: Collection[str] = (),
    timed_out: bool = False,
) -> TraceAccount:
    """How the spans of one trace are read: the readers themselves say it, so it cannot differ from them.

    `rules_met` are filters that it met by what was cut out of it since; `timed_out`: it was given up waiting for.
    """
    matches = {span.span_id: _Match.of(span, dialects) for span in _spans_once(spans, events)}
    steps = steps_of([match.recorded for match in matches.values()], (), dialects)
    roots = forest_of(steps)
    asked = questions(roots)
    read = [record_of(question, timed_out=timed_out) for question in asked]
    filtered = (filters or Filters({})).of(spans, read, rules_met)
    records = [
        RecordAccount(
            record.span_id,
            record.completeness,
            facts_of(question, record),
            rule,
            _cause(question, timed_out=timed_out),
            content_settings(question.steps) if record.completeness in ("content_off", "withheld") else (),
        )
        for question, record, rule in zip(asked, read, filtered, strict=True)
    ]
    taken = _taken(records)
    accounts = [matches[step.span.span_id].account(step, taken) for root in roots for step in root.subtree()]
    services = (step.span.resource.get("service.name") for step in steps)
    return TraceAccount(
        steps[0].span.trace_id if steps else "",
        next((service for service in services if isinstance(service, str)), None),
        tuple(accounts),
        tuple(records),
        None if records else _nobody_asked(steps),
    )


def _cause(question: Question, *, timed_out: bool) -> Place | None:
    found = judged(question, timed_out=timed_out)
    return Place(found.step.span.span_id if found.step else "", found.why) if found.why else None


def _spans_once(spans: Iterable[Span], events: Iterable[LogEvent]) -> list[Span]:
    """The spans as the readers see them: each once, with its log events."""
    return [step.span for step in steps_of(spans, events, ())]


@dataclass(frozen=True, slots=True)
class _Match:
    recorded: Span
    recorder: Recorder
    marks: frozenset[str]
    """What was asked only to know whose span it is."""
    dialects: tuple[str, ...]
    why: str

    @classmethod
    def of(cls, span: Span, dialects: Sequence[Dialect]) -> _Match:
        recorder = Recorder(span.attributes)
        recorded = replace(span, attributes=recorder)
        found = list(matching(recorded, dialects))
        why = "; ".join(map(_reason, found)) or _unread(span)
        names = tuple(dialect.name for dialect in found)
        return cls(recorded, recorder, frozenset(recorder.missed), names, why)

    def account(self, step: Step, taken: dict[str, tuple[str, ...]]) -> SpanAccount:
        span = step.span
        return SpanAccount(
            span.span_id,
            span.parent_id,
            step.depth,
            span.name,
            span.scope,
            step.role,
            self.dialects,
            self.why,
            taken.get(span.span_id, ()),
            tuple(key for key in self.recorder.missed if key not in self.marks),
            tuple(key for key, value in span.attributes.items() if value in ("", REDACTED)),
            span.dropped_attributes,
        )


def _reason(dialect: Dialect) -> str:
    """The first line of the docstring of `matches` says what is looked at."""
    own = dialect.dialect if isinstance(dialect, Guarded) else dialect
    words = (own.matches.__doc__ or "its `matches` said so").strip().splitlines()[0]
    return words.removeprefix("Whether ").rstrip(".")


def _unread(span: Span) -> str:
    keys = sorted(span.attributes)
    shown = ", ".join(keys[:_SHOWN_KEYS]) + (" …" if len(keys) > _SHOWN_KEYS else "")
    return f"no dialect knows scope {span.scope!r} with attributes {shown or '(none)'}"


def _taken(records: Iterable[RecordAccount]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for span_id, name in _sources(records):
        if name not in found.get(span_id, ()):
            found[span_id] = (*found.get(span_id, ()), name)
    return found


def _sources(records: Iterable[RecordAccount]) -> Iterator[tuple[str, str]]:
    for record in records:
        for fact in record.facts:
            for place in fact.taken:
                yield place.span_id, fact.name


def _nobody_asked(steps: Sequence[Step]) -> str:
    if not any(step.dialect for step in steps):
        return "no dialect reads any of its spans"
    return "nobody asked anything: no retriever, no generator, and no chain with a question"

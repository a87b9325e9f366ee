"""``ragvigil explain``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragvigil.scorer.commands._options import ConfigOption, JsonOption, StoreOption, settings_of
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.commands._unread import told
from ragvigil.scorer.errors import ConfigError, InputError
from ragvigil.scorer.trace import WITHHELD_MEANS

if TYPE_CHECKING:
    from ragvigil.scorer.config import Settings
    from ragvigil.scorer.dialects import Dialect
    from ragvigil.scorer.offline.choices import Fact
    from ragvigil.scorer.offline.explain import SpanAccount, TraceAccount
    from ragvigil.scorer.scoring.filtering import Filters

WhatArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE|TRACE_ID",
        help="OTLP, as `ragvigil read` takes it; or the id of a trace that store or inbox keep, as pages show it.",
    ),
]
_DEEPEST_INDENT = 12
_TRACE_ID = re.compile(r"[0-9a-f]{32}")
_LIKE_AN_ID = re.compile(r"[0-9a-f]{8,}")
_INCIDENT = "inc-"
"""How ids of incidents begin."""
_SHOWN_OTHERS = 6
_NAME = len("conversation")
_INDENT = " " * (_NAME + 5)
_LIKELY = {
    "query": ("input", "query", "question", "prompt"),
    "documents": ("document", "retriev", "context", "result"),
    "answer": ("output", "completion", "answer", "response", "reply"),
    "model": ("model",),
    "tokens": ("token", "usage"),
    "conversation": ("session", "conversation", "thread", "chat"),
}
"""What stands in the keys that tell a fact; where a reader asked for none of them, that is what is shown."""


def explain(
    what: WhatArgument,
    config: ConfigOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show how traces are read: each span's dialect and role, and where each fact of a record comes from.

    When a field is missing, it names the spans that should have told it and the attributes that were looked for
    there. One JSON object a trace with --json. The dialects of the configuration file are used too. A trace of your
    scorer is named by its id, as long as its content is kept (retention.content_days). A line that
    cannot be read is named, the others are shown, and the exit code is 1; it is 2 when nothing could be read. Why an
    incident happened, `ragvigil diagnose INCIDENT` says.
    """
    from ragvigil.scorer.dialects.custom import dialects_of
    from ragvigil.scorer.offline.explain import explain_files
    from ragvigil.scorer.scoring.filtering import Filters

    _refuse_incident(what)
    settings = settings_of(config, store)
    filters, dialects = Filters(settings.active_filters), dialects_of(settings.dialects)
    problems = list[InputError]()
    files = [one for one in what if _trace_id(one) is None]
    traces = [*_stored(filter(None, map(_trace_id, what)), settings, dialects, filters, problems)]
    traces += explain_files(files, dialects, filters, problems.append)
    for trace in traces:
        if as_json:
            typer.echo(json.dumps(asdict(trace), ensure_ascii=True))
        else:
            say("\n".join(_lines(trace)))
    return told(problems, nothing=not traces)


def _stored(
    trace_ids: Iterable[str],
    settings: Settings,
    dialects: Sequence[Dialect],
    filters: Filters,
    problems: list[InputError],
) -> Iterator[TraceAccount]:
    from ragvigil.scorer.offline.explain_stored import explain_stored

    for trace_id in trace_ids:
        try:
            yield explain_stored(settings, trace_id, dialects, filters)
        except InputError as error:
            problems.append(error)


def _trace_id(what: Path) -> str | None:
    """The id that was meant, where it is no file: with dashes, as a UUID, and capitals, too. Raises ConfigError."""
    plain = str(what).replace("-", "").lower()
    if not _LIKE_AN_ID.fullmatch(plain) or what.exists():
        return None
    if not _TRACE_ID.fullmatch(plain):
        raise ConfigError(
            "TRACE_ID", f"{what} is no file, and no trace id", "32 hexadecimal characters, as pages show it"
        )
    return plain


def _refuse_incident(files: Sequence[Path]) -> None:
    """The word fits both: how a trace was read, and why a series fell."""
    for file in files:
        if file.name.startswith(_INCIDENT) and not file.exists():
            raise ConfigError(
                "FILE",
                f"{file.name} is an incident, not a file",
                f"ragvigil diagnose {file.name} says why it fell",
            )


def _lines(trace: TraceAccount) -> Iterator[str]:
    yield (
        f"trace {_clean(trace.trace_id)}  service {_clean(trace.service or 'unknown')}  "
        f"spans {len(trace.spans)}  records {len(trace.records)}"
    )
    if trace.waiting:
        yield "  some of it waits in the inbox: not scored yet"
    rows = [_row(span) for span in trace.spans]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(4)]
    for row in rows:
        aligned = (cell.ljust(width) for cell, width in zip(row, widths, strict=False))
        yield f"  {'  '.join(aligned)}  {row[4]}"
    spans = {span.span_id: span for span in trace.spans}
    for record in trace.records:
        yield f"  record of span {_clean(record.span_id)}: {record.completeness}"
        if record.cause:
            whose = f"{_named(record.cause.span_id, spans)}: " if record.cause.span_id else ""
            yield f"    because {whose}{_clean(record.cause.why)}"
        if record.completeness == "withheld":
            yield f"    {WITHHELD_MEANS}"
        if record.filtered:
            yield f"    not scored, filtered by filters.{record.filtered.rule}: {_clean(record.filtered.why)}"
        for setting in record.content_settings:
            yield f"    content is kept back; to send it: {_clean(setting)}"
        for fact in record.facts:
            yield from _fact_lines(fact, spans)
    if trace.problem:
        yield f"  no record: {trace.problem}"
    yield ""


def _row(span: SpanAccount) -> tuple[str, str, str, str, str]:
    indent = "  " * min(span.depth, _DEEPEST_INDENT)
    name = indent + _clean(span.name, 40)
    lost = f"; its sender dropped {span.dropped} of its attributes" if span.dropped else ""
    taken = f"  -> {', '.join(span.taken_for)}" if span.taken_for else ""
    return (
        _clean(span.span_id),
        name,
        span.role,
        _clean(" + ".join(span.dialects) or "-", 40),
        _clean(span.why) + lost + taken,
    )


def _fact_lines(fact: Fact, spans: dict[str, SpanAccount]) -> Iterator[str]:
    if fact.value is None:
        yield f"    {fact.name:<{_NAME}} MISSING"
        for span_id in fact.looked_at[:_SHOWN_OTHERS]:
            yield f"{_INDENT}looked at {_named(span_id, spans)}{_missed(fact, spans.get(span_id))}"
        if not fact.looked_at:
            yield f"{_INDENT}no span has a role that could tell it"
    else:
        yield f"    {fact.name:<{_NAME}} {_shown(fact.value)}"
    for place in fact.taken[:_SHOWN_OTHERS]:
        yield f"{_INDENT}from {_named(place.span_id, spans)}: {_clean(place.why)}"
    for place in fact.others[:_SHOWN_OTHERS]:
        yield f"{_INDENT}not  {_named(place.span_id, spans)}: {_clean(place.why)}"
    hidden = len(fact.others) - _SHOWN_OTHERS
    if hidden > 0:
        yield f"{_INDENT}and {hidden} more"


def _shown(value: object) -> str:
    return _clean(json.dumps(value, ensure_ascii=False))


def _named(span_id: str, spans: dict[str, SpanAccount]) -> str:
    span = spans.get(span_id)
    return f"{_clean(span_id)} {_clean(span.name, 40)}" if span else _clean(span_id)


def _missed(fact: Fact, span: SpanAccount | None) -> str:
    if span is None:
        return ""
    hidden = f"; without content: {', '.join(span.hidden)}" if span.hidden else ""
    likely = _LIKELY.get(fact.name, ())
    keys = [key for key in span.looked_for if any(word in key.lower() for word in likely)]
    missed = f"for {', '.join(keys)}" if keys else "; its dialect asked for no attribute that tells it"
    return f"{' ' if keys else ''}{_clean(missed, 300)}{_clean(hidden)}"


def _clean(text: str, limit: int = 200) -> str:
    from ragvigil.exporters import clean

    return clean(text, limit=limit)

"""``ragvigil report``."""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ragvigil.scorer.commands._moments import stretch
from ragvigil.scorer.commands._options import (
    ConfigOption,
    JsonOption,
    OnlyServiceOption,
    SinceOption,
    StoreOption,
    UntilOption,
    settings_of,
)
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.moments import dated

if TYPE_CHECKING:
    from ragvigil.scorer.reporting.report import Report
    from ragvigil.scorer.watch.gold import Labels
    from ragvigil.scorer.watch.port import Place

Form = Literal["terminal", "markdown"]
_FORMS: tuple[Form, ...] = ("terminal", "markdown")
_WIDTH = 100
"""Characters of a line where no terminal says how many it has."""


def report(
    since: SinceOption = "7d",
    until: UntilOption = None,
    service: OnlyServiceOption = None,
    environment: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only this environment; default: all.")
    ] = None,
    form: Annotated[
        str, typer.Option("--format", metavar="|".join(_FORMS), help="For programs: --json.")
    ] = "terminal",
    config: ConfigOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> int:
    """Report on a stretch: quality, retrieval, attribution, abstention, cost, examples, trends, user signals.

    Every number has its interval and n. Exit code 1 where there was no answer in that time.
    """
    if form not in _FORMS:
        raise ConfigError(
            "--format", f"cannot be {form!r}", f"known: {', '.join(_FORMS)}; for JSON say --json"
        )
    begin, end = stretch(since, until)
    from ragvigil.scorer.store import reading, reading_report
    from ragvigil.scorer.watch.gold import labels_of

    settings = settings_of(config, store)
    with closing(reading.open_for_reading(settings.store.path)) as connection:
        there = reading_report.places(connection, begin, end)
        places = [
            one for one in there if service in (None, one.service) and environment in (None, one.environment)
        ]
        labels = labels_of(settings.monitor, settings.judge)
        overdue = time.time_ns() - round(settings.judge.max_wait_seconds * 1e9)
        found = [_report(connection, place, (begin, end), overdue, labels) for place in places]
    if as_json:
        typer.echo(json.dumps(dated([asdict(one) for one in found]), ensure_ascii=False))
    elif found:
        _show(found, form)
    else:
        of = f" but of {', '.join(sorted({one.service for one in there}))}" if there else ""
        say(f"no answers in that time{of}")
    return 0 if found else 1


def _report(
    connection: sqlite3.Connection, place: Place, span: tuple[int, int], overdue: int, labels: Labels
) -> Report:
    from ragvigil.scorer.labels.level import book_for
    from ragvigil.scorer.reporting.report import DETAILED, NAMES, latest_judge, report_of
    from ragvigil.scorer.store import reading_report
    from ragvigil.scorer.store._bad_claim import bad_claim

    since, until = span
    read = reading_report.answers(connection, place, since, until, overdue)
    scores = reading_report.scores(connection, [one.id for one in read.answers], NAMES, DETAILED)
    people = reading_report.read_traces(connection, since, until)
    return report_of(
        (place.service, place.environment),
        read,
        scores,
        since=since,
        until=until,
        people_read=people,
        labels=labels,
        book=book_for(connection, place, latest_judge(read.answers)),
        explain=lambda record: bad_claim(connection, record),
    )


def _show(found: Sequence[Report], form: str) -> None:
    from rich.console import Console

    from ragvigil.scorer.reporting.forms import markdown, terminal
    from ragvigil.scorer.reporting.sections import sections

    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else _WIDTH)
    for one in found:
        if form == "markdown":
            typer.echo(markdown(sections(one)))
        else:
            terminal(sections(one), console)

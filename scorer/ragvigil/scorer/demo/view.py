"""How the demo is seen: a live view on a terminal, plain lines elsewhere, one JSON object for programs."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from ragvigil.exporters import Alert, Measurement, as_text, clean
from ragvigil.scorer.demo.left import CONFIG_NAME
from ragvigil.scorer.demo.play import Frame
from ragvigil.scorer.demo.report import Report
from ragvigil.scorer.demo.watch import EMPTY, JudgedAnswer
from ragvigil.scorer.monitoring import Incident
from ragvigil.scorer.store.reading import SeriesStatus

_LINE_SECONDS = 5.0
_WIDEST = 80
"""Columns of a line in a log or a pipe."""
_BELOW = " " * len("00000 s")
_STYLES = {"ok": "green", "alert": "bold red", "trigger": "bold red", "update": "red", "resolve": "green"}


class TerminalView:
    """Writes to a console: live where it is a terminal, else lines as things happen."""

    def __init__(self, store: Path, console: Console, *, as_json: bool) -> None:
        """Show the demo whose database is `store`; with `as_json` the report goes to standard output as JSON."""
        self._store = store
        self._console = console
        self._as_json = as_json
        self._frame = Frame("", 0.0, 0, 0, EMPTY)
        self._next_line = 0.0
        self._live = (
            Live(console=console, get_renderable=lambda: frame_of(self._frame), refresh_per_second=4)
            if console.is_terminal
            else None
        )

    def __enter__(self) -> TerminalView:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def scene(self, name: str) -> None:
        """A phase begins: one line."""
        self._console.print(Text(f"{time.strftime('%H:%M:%S')}  {name}", style="bold"))

    def page(self, alert: Alert) -> None:
        """A page arrived: the whole of it, as plain text."""
        text = Text(as_text(alert))
        title = Text("the on-call's phone")
        self._console.print(Panel(text, title=title, border_style=_STYLES[alert.action], width=self._width()))

    def frame(self, frame: Frame) -> None:
        """Time passed: the live view changes; elsewhere a line every five seconds."""
        self._frame = frame
        if self._live is None and frame.seconds >= self._next_line:
            self._next_line = frame.seconds + _LINE_SECONDS
            self._console.print(Text(line_of(frame)), soft_wrap=True)

    def conclude(self, report: Report) -> None:
        """The end: what was measured, what did not hold, where to look next."""
        self._console.print(summary_of(report), soft_wrap=True)
        for problem in report.problems:
            self._console.print(Text(f"did not hold: {problem}", style="bold red"), soft_wrap=True)
        self._console.print(Text(next_steps(self._store)), soft_wrap=True)
        if self._as_json:
            sys.stdout.write(json.dumps(report.as_json()) + "\n")
            sys.stdout.flush()

    def _width(self) -> int:
        return min(self._console.width, 112)


def open_view(store: Path, *, as_json: bool) -> TerminalView:
    """The view for this terminal; with `as_json` all but the JSON goes to standard error."""
    return TerminalView(store, Console(stderr=as_json, highlight=False), as_json=as_json)


def measured(measurement: Measurement | None) -> str:
    """A rate as a table shows it: value, 95 % interval, n.

    >>> measured(Measurement(0.953, 0.93, 0.971, 412)), measured(None)
    ('95.3 % [93.0, 97.1] n=412', '-')
    """
    if measurement is None:
        return "-"
    value, lower, upper = (100.0 * part for part in (measurement.value, measurement.lower, measurement.upper))
    return f"{value:.1f} % [{lower:.1f}, {upper:.1f}] n={measurement.n:,}"


def line_of(frame: Frame) -> str:
    """One frame as a line for logs and pipes; series that do not fit stand below it, each whole."""
    lines = [f"{frame.seconds:5.0f} s  {frame.sent:,} sent, {frame.snapshot.ledger.ingested:,} ingested"]
    for one in frame.snapshot.series:
        if one.state:
            told = f"  {one.key.name} {one.state} {measured(one.now)}"
            if len(lines[-1]) + len(told) <= _WIDEST:
                lines[-1] += told
            else:
                lines.append(_BELOW + told)
    return "\n".join(lines)


def frame_of(frame: Frame) -> RenderableType:
    """One frame as the live view shows it."""
    ledger = frame.snapshot.ledger
    head = Text.assemble(
        (f" {frame.act or 'starting'} ", "bold reverse"),
        f"  {frame.seconds:.0f} s   questions {frame.sent:,}   failed {frame.failed:,}"
        f"   ingested {ledger.ingested:,}   judged {ledger.told.get('judged', 0):,}",
    )
    return Group(
        head,
        _answers_table(frame.snapshot.answers),
        _series_table(frame.snapshot.series),
        _incidents_table(frame.snapshot.incidents),
    )


def _answers_table(answers: Sequence[JudgedAnswer]) -> Table:
    """The newest judged answers; every text in it is made fit to show."""
    table = _table("newest judged questions", "answer", "citations", "verdict")
    for column in table.columns:
        column.no_wrap, column.overflow = True, "ellipsis"
    table.columns[0].ratio, table.columns[1].ratio = 2, 3
    table.expand = True
    for answer in answers:
        table.add_row(
            Text(clean(answer.query or "", limit=80)),
            Text(clean(answer.answer or "", limit=160)),
            Text("-" if answer.citation is None else f"{answer.citation:.0%}", _good(answer.citation)),
            Text(clean(answer.verdict, limit=20), _good(answer.passed)),
        )
    return table


def _series_table(series: Sequence[SeriesStatus]) -> Table:
    """Both series with their intervals."""
    table = _table("series", "state", "now", "baseline")
    for one in series:
        state = Text(one.state or "-", _STYLES.get(one.state or "", "yellow"))
        table.add_row(one.key.name, state, measured(one.now), measured(one.before))
    return table


def _incidents_table(incidents: Sequence[Incident]) -> Table:
    """The incidents, newest first."""
    table = _table("incident", "opened", "from", "to", "state")
    for one in incidents:
        opened = time.strftime("%H:%M:%S", time.localtime(one.opened_at / 1e9))
        open_ = one.resolved_at is None
        state = Text("open" if open_ else "resolved", _STYLES["alert" if open_ else "ok"])
        table.add_row(one.key.name, opened, measured(one.before), measured(one.worst), state)
    return table


def summary_of(report: Report) -> RenderableType:
    """What was measured, as a table each for series and incidents."""
    series = _table("series", "healthy", "faulty")
    for name, levels in report.series.items():
        series.add_row(name, measured(levels.healthy), measured(levels.faulty))
    incidents = _table("incident", "fault", "opened after", "resolved after", "pages")
    for one in report.incidents:
        opened, resolved = _seconds(one.opened_after_seconds), _seconds(one.resolved_after_seconds)
        incidents.add_row(one.series, one.fault or "-", opened, resolved, str(one.told.pages))
    states = ", ".join(f"{state} {count:,}" for state, count in sorted(report.ledger.items()))
    total = Text(
        f"{report.traces_sent:,} traces sent, {report.traces_ingested:,} ingested ({states}) "
        f"in {report.wall_seconds:.0f} s"
    )
    return Group(Text(), series, incidents if report.incidents else Text("nobody was paged"), total)


def next_steps(store: Path) -> str:
    """Where to look next."""
    config = store.with_name(CONFIG_NAME)
    ragvigil = _command("ragvigil")
    wrong = "select query, answer, verdict from answers where faithfulness < 0.5 limit 3"
    return "\n".join(
        [
            "\nLook next at what it left behind:",
            f"  {ragvigil} dashboard --config {config}",
            f"  {ragvigil} incidents --all --config {config}",
            f"  {ragvigil} ledger --config {config}",
            f'  {_command("sqlite-utils")} query {store} "{wrong}"',
        ]
    )


def _command(name: str) -> str:
    """How a command is called here: `make demo` leaves it in an environment that no PATH names."""
    if shutil.which(name):
        return name
    own = Path(sys.executable).with_name(name)
    return str(own.relative_to(Path.cwd()) if own.is_relative_to(Path.cwd()) else own)


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in columns:
        table.add_column(column)
    return table


def _good(value: float | bool | None) -> str:
    if value is None:
        return "dim"
    return "green" if value == 1 else "red"


def _seconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.1f} s"

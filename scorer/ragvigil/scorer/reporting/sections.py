"""A report as sections of plain text, for every form in which it is shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ragvigil.exporters import clean
from ragvigil.scorer.estimate.figure import Figure
from ragvigil.scorer.moments import in_utc
from ragvigil.scorer.reporting.bands import Banded
from ragvigil.scorer.reporting.report import Report, Shown, Table
from ragvigil.scorer.signals.telling import Telling

_FIGURE = ("what", "value", "95 % interval", "n", "")
_MOST_COLUMNS = 8
_WHY = 300
"""Characters of what is wrong with an answer: a passage and the claim against it."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, sentences, and a table where there is one."""

    title: str
    lines: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def sections(report: Report) -> Iterator[Section]:
    """Head, warnings, bands, every panel, tables, examples, signals."""
    yield _head(report)
    yield _bands(report)
    for name, figures in report.panels.items():
        yield Section(name.capitalize(), columns=_FIGURE, rows=tuple(_row(one) for one in figures))
    yield Section(
        "Best supported and worst unsupported",
        columns=("", "trace", "verdict", "faithful", "question", "why"),
        rows=(
            *(_example("worst", one) for one in report.worst),
            *(_example("best", one) for one in report.best),
        ),
    )
    yield _table(
        "Axes by day",
        report.trend,
        "Shares of the best of each axis, over the n answers on which it could be scored.",
    )
    yield _table(
        "Failure tags by day", report.tags_by_day, "Share of the answers that carry each tag, with n."
    )
    if report.tags_by_segment.columns:
        yield _table(
            "Failure tags by segment",
            report.tags_by_segment,
            "Share of the answers, with n.",
            busiest_first=True,
        )
    yield Section(
        "User signals",
        (
            "What users did after an answer, against the judge's verdict on it; p is adjusted for all four.",
            "One that tells makes a stratum of the sample: sample.signals.",
        ),
        ("signal", "measure", "value", "95 % interval", "n", "with", "p", ""),
        tuple(_signal(one) for one in report.signals),
    )


def said(figure: Figure) -> str:
    """A value in its unit.

    >>> said(Figure("x", 0.9512, 0.9, 0.98, 80)), said(Figure("x", 0.0031, 0.003, 0.004, 80, unit="seconds"))
    ('95.1 %', '3.1 ms')
    """
    return "-" if figure.value is None else _in_unit(figure, figure.value)


def _head(report: Report) -> Section:
    place = clean(report.service, limit=60)
    if report.environment:
        place += f", {clean(report.environment, limit=60)}"
    stretch = f"{in_utc(report.since)} to {in_utc(report.until)}"
    lines = [f"{stretch}: {report.answers:,} answers."]
    lines += [f"RED FLAG: {flag}." for flag in report.red_flags]
    lines += [f"Note: {warning}" for warning in report.warnings]
    return Section(f"Report on {place}", tuple(lines))


def _bands(report: Report) -> Section:
    overall = report.overall
    if overall.band is None:
        line = overall.why + "."
    else:
        line = f"Overall: {overall.band} (surely at least: {overall.surely}), {overall.why}."
    columns = ("measure", "value", "95 % interval", "n", "band", "surely at least", "what it is")
    return Section("Bands", (line,), columns, tuple(map(_band, report.bands)))


def _band(one: Banded) -> tuple[str, ...]:
    figure = one.figure
    if figure is None or figure.value is None:
        return (one.name, "-", "-", "0" if figure is None else f"{figure.n:,}", "not measured", "-", "")
    value, interval, n = said(figure), _interval(figure), f"{figure.n:,}"
    if one.band is None:
        return (figure.name, value, interval, n, "-", "-", "no limits are set for what words tell")
    return (one.name, value, interval, n, one.band, one.surely or "-", figure.note)


def _row(figure: Figure) -> tuple[str, ...]:
    return (figure.name, said(figure), _interval(figure), f"{figure.n:,}", figure.note)


def _interval(figure: Figure) -> str:
    if figure.lower is None or figure.upper is None:
        return "-"
    return f"{_in_unit(figure, figure.lower)} to {_in_unit(figure, figure.upper)}"


def _in_unit(figure: Figure, value: float) -> str:
    forms = {
        "share": f"{100.0 * value:.1f} %",
        "number": f"{value:,.1f}",
        "seconds": f"{value:.2f} s" if value >= 1.0 else f"{1000.0 * value:,.3g} ms",
        "usd": f"${value:.4f}",
    }
    return forms[figure.unit]


def _example(kind: str, one: Shown) -> tuple[str, ...]:
    query = clean(one.query, limit=80) if one.query else "(content gone)"
    why = clean(one.why, limit=_WHY) if one.why else ""
    return (kind, one.trace_id, one.verdict or "-", f"{one.faithfulness:.2f}", query, why)


def _table(title: str, table: Table, line: str, *, busiest_first: bool = False) -> Section:
    """Eight columns at most: of days the last, of segments the busiest."""
    kept = slice(_MOST_COLUMNS) if busiest_first else slice(-_MOST_COLUMNS, None)
    rows = tuple(
        (row.name, *(f"{_cell(cell)} (n={cell.n:,})" for cell in row.cells[kept])) for row in table.rows
    )
    columns = tuple(clean(column, limit=40) for column in table.columns[kept])
    lines = [line]
    if left := len(table.columns) - len(columns) + table.left_out:
        what = "values with fewer answers" if busiest_first else "earlier days"
        lines.append(f"Left out here: {left} {what}.")
    return Section(title, tuple(lines), ("", *columns), rows)


def _cell(figure: Figure) -> str:
    if figure.value is None or figure.lower is None or figure.upper is None:
        return "-"
    return f"{100 * figure.value:.0f} % [{100 * figure.lower:.0f}, {100 * figure.upper:.0f}]"


def _signal(one: Telling) -> tuple[str, ...]:
    name, measure = one.signal.replace("_", " "), one.measure.replace("_", " ")
    if one.value is None or one.lower is None or one.upper is None or one.p is None:
        return (name, measure, "-", "-", f"{one.n:,}", f"{one.n_with:,}", "-", "too few")
    found = "tells an unfaithful answer" if one.tells else ""
    interval = f"{one.lower:.2f} to {one.upper:.2f}"
    return (
        name,
        measure,
        f"{one.value:.2f}",
        interval,
        f"{one.n:,}",
        f"{one.n_with:,}",
        f"{one.p:.3f}",
        found,
    )

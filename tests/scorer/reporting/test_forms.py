"""A report in a terminal of any width."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from ragvigil.scorer.reporting.forms import terminal
from ragvigil.scorer.reporting.sections import Section

DAYS = tuple(f"2026-11-{day:02}" for day in range(1, 15))
SECTION = Section(
    "Fourteen days",
    ("A line that says what the table below shows, in more words than a narrow terminal has room for.",),
    ("what", *DAYS, ""),
    tuple(
        (
            f"measure number {row}",
            *(f"{row}{day % 10} % (n={100 + day})" for day in range(14)),
            "in words, " * 5,
        )
        for row in range(3)
    ),
)


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_a_table_fits_the_terminal_and_leaves_nothing_out(width: int) -> None:
    """A terminal broke tables of 140 columns: what does not fit stands below, with the names of its rows."""
    out = io.StringIO()
    terminal([SECTION], Console(file=out, width=width))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    text = " ".join(out.getvalue().split())
    for day, name in enumerate(DAYS):
        assert name in text
        for row in range(3):
            assert f"{row}{day % 10} % (n={100 + day})" in text
    assert max(line.count("2026-") for line in lines) >= width // 40


@pytest.mark.parametrize(("width", "lines"), [(40, 2), (60, 1), (100, 1)])
def test_a_trace_id_stands_on_one_line_where_it_fits(width: int, lines: int) -> None:
    """It was cut after 30 of its 32 characters, so that nobody could copy it; nothing of it is left out."""
    trace = "79caace89331cd51ad13a7d65d696505"
    why = "the passages say another number of days"
    row = ("worst", trace, "contradicted", "0.25", "Within how many days may I return the tent?", why)
    out = io.StringIO()
    columns = ("", "trace", "verdict", "faithful", "question", "why")
    terminal([Section("Worst", columns=columns, rows=(row,))], Console(file=out, width=width))
    assert max(map(len, out.getvalue().splitlines())) <= width
    parts = [word for word in out.getvalue().split() if word in trace and len(word) > 1]
    assert "".join(parts) == trace
    assert len(parts) == lines

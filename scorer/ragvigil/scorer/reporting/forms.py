"""The forms of a report: Markdown and the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ragvigil.scorer.reporting.sections import Section

_SPECIAL = str.maketrans({one: f"\\{one}" for one in "\\`*_[]<>|#"})


def markdown(found: Iterable[Section]) -> str:
    """As Markdown; what came from traffic cannot make markup of its own."""
    return "\n\n".join("\n\n".join(_parts(number, one)) for number, one in enumerate(found)) + "\n"


def terminal(found: Iterable[Section], console: Console) -> None:
    """To a terminal, coloured where it can be."""
    for section in found:
        console.print(Text(section.title, style="bold"))
        for line in section.lines:
            console.print(Text(line, style="red" if line.startswith(("RED FLAG", "REFUSED")) else ""))
        if section.columns:
            table = Table(box=box.SIMPLE_HEAD)
            for column in section.columns:
                table.add_column(Text(column))
            for row in section.rows:
                table.add_row(*(Text(cell) for cell in row))
            console.print(table)
        console.print()


def _parts(number: int, section: Section) -> Iterator[str]:
    yield f"{'#' if number == 0 else '##'} {_escaped(section.title)}"
    if section.lines:
        yield "\n".join(f"- {_escaped(line)}" for line in section.lines)
    if section.columns:
        rows = [section.columns, tuple("---" for _ in section.columns), *section.rows]
        yield "\n".join(
            "| " + " | ".join(cell if place == 1 else _escaped(cell) for cell in row) + " |"
            for place, row in enumerate(rows)
        )


def _escaped(text: str) -> str:
    return " ".join(text.split()).translate(_SPECIAL).replace("://", ":&#47;/")

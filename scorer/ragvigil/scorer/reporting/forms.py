"""The forms of a report: Markdown and the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ragvigil.scorer.reporting.sections import Section

_ON_A_LINE = 24
"""Characters of a cell that are not wrapped where that can be helped; of a name all."""
_BETWEEN = 3
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
        columns = list(zip(section.columns, *section.rows, strict=True))
        widths = [*map(_width, columns)]
        for places in _blocks(widths, console.width):
            fits = sum(widths[place] for place in places) <= console.width
            table = Table(box=box.SIMPLE_HEAD)
            for place in places:
                whole = fits and _is_whole(columns[place])
                table.add_column(Text(section.columns[place]), overflow="fold", no_wrap=whole)
            for row in section.rows:
                table.add_row(*(Text(row[place]) for place in places))
            console.print(table)
        console.print()


def _is_whole(column: Sequence[str]) -> bool:
    """Whether it holds names such as trace ids, which nobody can copy from two lines.

    >>> _is_whole(("trace", "4e2ace5a15d86b3629f122066ba022ef")), _is_whole(("asked", "Why?", "And then?"))
    (True, False)
    """
    return any(column[1:]) and not any(" " in cell for cell in column)


def _width(column: Sequence[str]) -> int:
    """Characters that it takes at most before it is wrapped."""
    longest = max(map(len, column))
    return (longest if _is_whole(column) else min(longest, _ON_A_LINE)) + _BETWEEN


def _blocks(widths: Sequence[int], width: int) -> Iterator[Sequence[int]]:
    """Which columns stand beside each other where so many characters fit: each block begins with the first.

    >>> list(_blocks([22, 9, 10], 40)), list(_blocks([], 40))
    ([(0, 1), (0, 2)], [])
    """
    block: tuple[int, ...] = (0,)
    for place in range(1, len(widths)):
        if len(block) > 1 and sum(widths[one] for one in (*block, place)) > width:
            yield block
            block = (0,)
        block = (*block, place)
    if widths:
        yield block


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

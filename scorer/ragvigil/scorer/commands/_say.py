"""Text for people: whole lines in a pipe, folded between words in a terminal that is narrower than they are."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap

import typer

_FIGURE = re.compile(r"[\d.,]+ ?% \[[^\]]*\](?: n=[\d,]+)?")
"""A value with its interval and n, which stay on one line."""
_FIRST_COLUMN = re.compile(r"\S {2,}(?=\S)")
_DEEPEST = 30
"""Characters that the rest of a folded line is set in, at most."""
_NARROWEST = 40


def say(text: str, *, err: bool = False, whole: bool = False) -> None:
    """Print it to standard output, or to standard error.

    What goes into a file or a pipe is not folded, for a program reads it by lines; nor what is `whole`, such as JSON.
    Characters that steer a terminal, reorder text or are not seen are escaped: senders choose names, and write texts.
    """
    if not whole and not text.replace("\n", "").replace("\t", "").isprintable():
        from ragvigil.exporters import escaped

        text = escaped(text)
    stream = sys.stderr if err else sys.stdout
    # A stream that was closed before the start is None.
    if stream is not None and stream.isatty() and not whole:
        text = folded(text, shutil.get_terminal_size().columns)
    typer.echo(text, err=err)


def room(most: int) -> int:
    """The columns to write in: those of the terminal, but at most `most`; `most` where the output is none."""
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    return min(most, max(shutil.get_terminal_size().columns, _NARROWEST)) if is_terminal else most


def folded(text: str, width: int) -> str:
    r"""The text in lines of `width` characters (40 at least), the rest of a line below its second column.

    A word that is longer, such as an address, stays whole.

    >>> print(folded("citation  docs  ok  97.0 % [95.1 %, 98.2 %] n=400  (baseline as before)", 48))
    citation  docs  ok
              97.0 % [95.1 %, 98.2 %] n=400
              (baseline as before)
    """
    return "\n".join(_folded(line, max(width, _NARROWEST)) for line in text.split("\n"))


def _folded(line: str, width: int) -> str:
    if len(line) <= width:
        return line
    column = _FIRST_COLUMN.search(line)
    indent = len(line) - len(line.lstrip()) + 2
    hang = column.end() if column and column.end() <= _DEEPEST else min(indent, _DEEPEST)
    tied = _FIGURE.sub(lambda figure: figure[0].replace(" ", "\0"), line)
    lines = textwrap.wrap(
        tied,
        width,
        subsequent_indent=" " * hang,
        break_long_words=False,
        break_on_hyphens=False,
        expand_tabs=False,
        replace_whitespace=False,
    )
    return "\n".join(lines).replace("\0", " ")

"""How far a long command is, for whoever waits at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

_LEAST = 0.001
"""A share that no bar can show is not drawn."""


@contextmanager
def progress(what: str) -> Generator[Callable[[float], None]]:
    """A bar on standard error, gone at the end; it is told the share that is done, in [0, 1], and till then only moves.

    Where standard error is no terminal nothing is written.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        last = 0.0

        def tell(share: float) -> None:
            nonlocal last
            if share - last >= _LEAST:
                last = share
                bar.update(task, completed=share, total=1.0)

        yield tell

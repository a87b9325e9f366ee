"""`run_demo`: what the command line calls; light, for every other command imports it too."""

from __future__ import annotations

import tempfile
from pathlib import Path

from ragvigil.scorer.demo.left import STORE_NAME
from ragvigil.scorer.errors import InputError

_TERMINATED = 143


def run_demo(*, faults: bool, directory: Path | None, as_json: bool) -> int:
    """Run the demo and leave its database in `directory` (none: a new temporary one).

    The exit code: 0 when each fault was paged once, named rightly and resolved, or when, without `faults`,
    nobody was paged; else 1; 143 after SIGTERM, which ends every process that it started.
    """
    import asyncio

    from ragvigil.scorer.demo.play import play
    from ragvigil.scorer.demo.retrieval import refuse_without_library
    from ragvigil.scorer.demo.view import open_view

    refuse_without_library()
    place = _place(directory)
    try:
        with open_view(place / STORE_NAME, as_json=as_json) as view:
            report = asyncio.run(play(place / STORE_NAME, faults=faults, view=view))
    except asyncio.CancelledError:
        return _TERMINATED
    view.conclude(report)
    return 0 if report.holds else 1


def _place(directory: Path | None) -> Path:
    """The folder to leave everything in; one that already holds a demo would mix two baselines."""
    if directory is None:
        return Path(tempfile.mkdtemp(prefix="ragvigil-demo-"))
    if (directory / STORE_NAME).exists():
        raise InputError(str(directory), f"already holds {STORE_NAME}; name another folder")
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(str(directory), error.strerror or str(error)) from None
    return directory

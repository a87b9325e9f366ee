"""``ragvigil demo``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragvigil.scorer.commands._options import JsonOption


def demo(
    faults: Annotated[
        bool, typer.Option(help="Break the service twice; --no-faults leaves it healthy.")
    ] = True,
    directory: Annotated[
        Path | None,
        typer.Option(
            "--dir", metavar="DIR", help="Where to leave the database; default: a new temporary folder."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Watch the main job in 60 to 90 seconds: a RAG service over Python's own documentation goes wrong twice.

    A busy machine may take three minutes. Service, scorer and on-call receiver are real processes on loopback; no
    key and no network are needed. Set RAGVIGIL_DEMO_LLM_URL to let a real LLM answer. With --json the last line is
    one object: traces_sent, traces_ingested, ledger, judged, series, incidents, wall_seconds. Seconds of an
    incident count from the moment its fault began. Exit code 1 when a fault was not paged once, named rightly, and
    resolved.
    """
    from ragvigil.scorer.demo.run import run_demo

    return run_demo(faults=faults, directory=directory, as_json=as_json)

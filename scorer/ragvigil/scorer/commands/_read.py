"""``ragvigil read``."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from ragvigil.scorer.commands._options import ConfigOption, TracesArgument, settings_of
from ragvigil.scorer.commands._unread import told
from ragvigil.scorer.errors import InputError
from ragvigil.scorer.moments import dated


def read(
    files: TracesArgument,
    config: ConfigOption = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Accepted for programs; the output is always JSON.")
    ] = True,
) -> int:
    """Show the records that ragvigil reads from OTLP files, one JSON object a line: what it would score.

    The files of one call are joined by trace id, so split exports and log events find their trace.
    The dialects of the configuration file are used too. A line that cannot be read is named, the others are shown,
    and the exit code is 1; it is 2 when nothing could be read.
    """
    from ragvigil.scorer.dialects.custom import dialects_of
    from ragvigil.scorer.offline import read as offline

    del as_json
    problems = list[InputError]()
    records = offline.read_files(files, dialects_of(settings_of(config).dialects), problems.append)
    for record in records:
        typer.echo(json.dumps(dated(offline.as_json(record)), ensure_ascii=False))
    return told(problems, nothing=not records)

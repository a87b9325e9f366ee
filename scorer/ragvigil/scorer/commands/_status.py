"""``ragvigil status``."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict
from typing import Annotated

import typer

from ragvigil.scorer.commands._options import ConfigOption, JsonOption, StoreOption, settings_of
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.moments import dated


def status(
    every: Annotated[
        bool, typer.Option("--all", help="Every service and environment, also of many that say nothing.")
    ] = False,
    config: ConfigOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show every series with its interval and n, the incidents, what was refused, and whether the scorer lives."""
    from ragvigil.scorer.commands import _overview, _staged
    from ragvigil.scorer.receive.counters import counters
    from ragvigil.scorer.store import reading

    settings = settings_of(config, store)
    received = counters(settings.inbox_path)
    with closing(reading.open_for_reading(settings.store.path)) as connection:
        inbox = _staged.staged(settings.inbox_path)
        disk = reading.disk(connection, settings.store.path)
        if as_json:
            found = _overview.as_json(connection, received, settings)
            typer.echo(json.dumps(dated({**found, "disk": asdict(disk), "inbox": asdict(inbox)})))
        else:
            say(_overview.as_text(connection, received, settings, every=every))
            say(_overview.disk_line(disk))
            say(_staged.as_text(inbox))
    return 0

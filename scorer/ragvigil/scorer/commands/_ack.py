"""``ragvigil ack``."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from ragvigil.scorer.commands._options import ConfigOption, JsonOption, StoreOption, settings_of
from ragvigil.scorer.commands._orders import ByOption, WaitOption, carry_out, name_of, text_of


def ack(
    incident: Annotated[
        str,
        typer.Argument(
            metavar="ID", help="Of the incident, or its beginning: `ragvigil incidents` shows it."
        ),
    ],
    by: ByOption = None,
    note: Annotated[str, typer.Option(help="What the next person should know.")] = "",
    config: ConfigOption = None,
    store: StoreOption = None,
    seconds: WaitOption = 30.0,
    as_json: JsonOption = False,
) -> int:
    """Say that somebody has an open incident in hand; `ragvigil incidents` shows who, and what was noted.

    Said again, the latest counts. A running scorer writes it down; when none runs, the command does.
    """
    from ragvigil.scorer.oncall import Acknowledge

    settings = settings_of(config, store)
    order = Acknowledge(incident.strip(), name_of(by), text_of("--note", note, empty=True))
    if not order.incident:
        raise typer.BadParameter("is empty; `ragvigil incidents` shows the ids", param_hint="ID")
    found, done_by = carry_out(settings, order, seconds)
    typer.echo(
        json.dumps({"acknowledged": found, "by": order.by, "written_by": done_by})
        if as_json
        else f"acknowledged by {order.by}: {found}"
    )
    return 0

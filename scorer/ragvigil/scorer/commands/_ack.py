"""``ragvigil ack``."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from ragvigil.scorer.commands._options import ConfigOption, JsonOption, StoreOption, settings_of
from ragvigil.scorer.commands._orders import ByOption, WaitOption, carry_out, name_of, text_of
from ragvigil.scorer.commands._say import say


def ack(
    incident: Annotated[
        str,
        typer.Argument(metavar="INCIDENT", help="Its id, or its beginning: `ragvigil incidents` shows it."),
    ],
    by: ByOption = None,
    note: Annotated[str, typer.Option(metavar="TEXT", help="What the next person should know.")] = "",
    undo: Annotated[bool, typer.Option("--undo", help="Nobody has it in hand any more.")] = False,
    config: ConfigOption = None,
    store: StoreOption = None,
    seconds: WaitOption = 30.0,
    as_json: JsonOption = False,
) -> int:
    """Say that somebody has an open incident in hand; `ragvigil incidents` shows who, and what was noted.

    The channels that heard of it and can show this without waking anybody are told (PagerDuty, Jira, Slack, Discord,
    webhook). Said again, the latest counts. A running scorer writes it down; when none runs, the command does.
    """
    from ragvigil.scorer.incidents.oncall import Acknowledge, Unacknowledge

    settings = settings_of(config, store)
    if not incident.strip():
        raise typer.BadParameter("is empty; `ragvigil incidents` shows the ids", param_hint="ID")
    noted, name = text_of("--note", note, empty=True), name_of(by)
    order = Unacknowledge(incident.strip(), name) if undo else Acknowledge(incident.strip(), name, noted)
    found, done_by = carry_out(settings, order, seconds)
    what = "unacknowledged" if undo else "acknowledged"
    say(
        json.dumps({what: found, "by": name, "written_by": done_by})
        if as_json
        else f"{what} by {name}: {found}",
        whole=as_json,
    )
    return 0

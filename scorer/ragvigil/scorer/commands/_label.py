"""``ragvigil label``."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from ragvigil.scorer.commands._options import ConfigOption, StoreOption, settings_of
from ragvigil.scorer.commands._orders import ByOption, name_of


def label(
    by: ByOption = None,
    adjudicate: Annotated[
        bool,
        typer.Option("--adjudicate", help="Settle the answers on which others disagree; your word counts."),
    ] = False,
    config: ConfigOption = None,
    store: StoreOption = None,
) -> int:
    """Read the answers that `ragvigil calibrate draw` chose, one key each: a desk in the terminal.

    It shows question, passages and answer, and nothing of what judge and checks say. Each label is kept before
    the next answer is shown (by the scorer when one runs), so you can stop at any time and go on later. Several
    people may sit at once. Answers on which people disagree come back to somebody else.
    """
    from ragvigil.scorer.labels.book import tasks_for
    from ragvigil.scorer.labels.clerk import keep
    from ragvigil.scorer.labels.desk import Desk
    from ragvigil.scorer.labels.port import Given, KeepLabels, TakeBack
    from ragvigil.scorer.labels.terminal import RealTerminal
    from ragvigil.scorer.store import reading_labels
    from ragvigil.scorer.store.reading import open_for_reading

    settings = settings_of(config, store)
    name = name_of(by)
    with closing(open_for_reading(settings.store.path)) as connection:
        drawn = reading_labels.draws(connection)
        tasks = tasks_for(connection, name, drawn, adjudicating=adjudicate)
        disputed = len(tasks_for(connection, name, drawn, adjudicating=True)) if not tasks else 0
    if not tasks:
        more = (
            f"{disputed} are disputed: ragvigil label --adjudicate" if disputed else "ragvigil calibrate draw"
        )
        typer.echo(f"nothing to read for {name}; {more}")
        return 0

    def put(given: Given) -> bool:
        return keep(settings, KeepLabels((given,))) == 1

    def undo(given: Given) -> None:
        keep(settings, TakeBack(given.record_id, given.annotator))

    with RealTerminal() as terminal:
        Desk(terminal, name, keep=put, take_back=undo, final=adjudicate).sit(tasks)
    return 0

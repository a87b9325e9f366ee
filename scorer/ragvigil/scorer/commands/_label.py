"""``ragvigil label``."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Annotated

import typer

from ragvigil.scorer.commands._calibrate import CriterionOption, EnvironmentOption
from ragvigil.scorer.commands._options import ConfigOption, StoreOption, settings_of
from ragvigil.scorer.commands._orders import ByOption, name_of
from ragvigil.scorer.commands._say import say

if TYPE_CHECKING:
    from ragvigil.scorer.config import Settings
    from ragvigil.scorer.labels.desk import Task

AdjudicateOption = Annotated[
    bool, typer.Option("--adjudicate", help="Settle the answers on which others disagree; your word counts.")
]
WhoseOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Whose answers; none: of every service that was drawn from."),
]


def label(
    by: ByOption = None,
    adjudicate: AdjudicateOption = False,
    service: WhoseOption = None,
    environment: EnvironmentOption = None,
    criterion: CriterionOption = "",
    config: ConfigOption = None,
    store: StoreOption = None,
) -> int:
    """Read the answers that `ragvigil calibrate draw` chose, one key each: a desk in the terminal.

    It shows question, passages and answer, and nothing of what judge and checks say. Each label is kept before
    the next answer is shown (by the scorer when one runs), so you can stop at any time and go on later. Several
    people may sit at once. Answers on which people disagree come back to somebody else. After what was drawn come the
    answers on which judges do not agree; those labels enter no rate, for these answers are no sample of anything, and
    with --service they are left out.
    """
    from ragvigil.scorer.labels.book import draws_of, known_criterion, tasks_for
    from ragvigil.scorer.store.reading import open_for_reading

    settings = settings_of(config, store)
    name = name_of(by)
    with closing(open_for_reading(settings.store.path)) as connection:
        known_criterion(connection, criterion)
        drawn = draws_of(connection, service, environment, criterion)
        every = service is None and environment is None
        tasks = tasks_for(
            connection,
            name,
            drawn,
            adjudicating=adjudicate,
            criterion=criterion,
            wishes=every and not criterion,
        )
        disputed = len(tasks_for(connection, name, drawn, adjudicating=True, criterion=criterion))
    if not tasks:
        next_step = (
            f"{disputed} are disputed: ragvigil label --adjudicate" if disputed else "ragvigil calibrate draw"
        )
        say(f"nothing to read for {name}; {next_step}")
        return 0
    _sit(tasks, name, settings, criterion, final=adjudicate)
    return 0


def _sit(tasks: Sequence[Task], name: str, settings: Settings, criterion: str, *, final: bool) -> None:
    from ragvigil.scorer.judge.criteria import criterion_of
    from ragvigil.scorer.labels.clerk import keep
    from ragvigil.scorer.labels.desk import Asked, Desk
    from ragvigil.scorer.labels.port import Given, KeepLabels, TakeBack
    from ragvigil.scorer.labels.terminal import RealTerminal

    def put(given: Given) -> bool:
        return keep(settings, KeepLabels((given,))) == 1

    def undo(given: Given) -> None:
        keep(settings, TakeBack(given.record_id, given.annotator, criterion))

    asked = Asked(criterion, criterion_of(settings.judge, criterion).question) if criterion else None
    with RealTerminal() as terminal:
        Desk(terminal, name, keep=put, take_back=undo, final=final, asked=asked).sit(tasks)

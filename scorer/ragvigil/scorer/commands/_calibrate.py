"""``ragvigil calibrate draw`` and ``read``."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from ragvigil.scorer.commands._options import ConfigOption, JsonOption, StoreOption, settings_of
from ragvigil.scorer.commands._orders import ByOption, name_of
from ragvigil.scorer.commands._say import say

ServiceOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="Whose answers; needed where several services are judged.")
]
EnvironmentOption = Annotated[str | None, typer.Option(metavar="NAME", help="Of the service.")]

CriterionOption = Annotated[
    str, typer.Option(metavar="ID", help="A criterion of your own instead of faithfulness.")
]


def draw(
    service: ServiceOption = None,
    environment: EnvironmentOption = None,
    criterion: CriterionOption = "",
    labels: Annotated[int, typer.Option(min=20, help="Labels wanted in the end.")] = 200,
    days: Annotated[float, typer.Option(min=0.01, help="Of the traffic up to now.")] = 7.0,
    readers: Annotated[int, typer.Option(min=1, max=20, help="People who read one answer.")] = 1,
    overlap: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of the answers that so many read; one the others.")
    ] = 1.0,
    fresh: Annotated[bool, typer.Option("--new", help="Begin anew, on the newest traffic.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Also write what is unread, to be labelled elsewhere: .csv, or JSON lines."
        ),
    ] = None,
    by: Annotated[
        str, typer.Option(metavar="NAME", help="With --out: what this person has not read yet.")
    ] = "",
    config: ConfigOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> int:
    """Choose the judged answers that people should read: by verdict and cheap score, in random order.

    The first wave is 40 % of --labels, drawn on a guess of how often each kind is unfaithful; the same command draws
    the rest once those are read, by what they showed. The probability of each is stored with it, so that every
    number from the labels is weighted to all traffic.
    """
    from ragvigil.scorer.labels import book
    from ragvigil.scorer.labels.clerk import keep
    from ragvigil.scorer.labels.draw import Reading
    from ragvigil.scorer.labels.port import KeepDraw
    from ragvigil.scorer.labels.write import write_tasks
    from ragvigil.scorer.store.reading import open_for_reading

    settings = settings_of(config, store)
    with closing(open_for_reading(settings.store.path)) as connection:
        place = book.place_of(connection, service, environment)
    reading = Reading(readers, overlap)
    found, new = book.draw(
        settings, place, days=days, total=labels, reading=reading, fresh=fresh, criterion=criterion
    )
    if new:
        keep(settings, KeepDraw(found))
    with closing(open_for_reading(settings.store.path)) as connection:
        tasks = book.tasks_for(connection, by, [found], criterion=criterion)
    if out is not None:
        write_tasks(out, tasks)
    told: dict[str, object] = {"draw": found.id, "service": place.service, "new": new}
    told |= {"items": len(found.items), "unread": len(tasks)}
    say(
        json.dumps(told) if as_json else _said(told, f" --criterion {criterion}" if criterion else ""),
        whole=as_json,
    )
    return 0


def _said(told: dict[str, object], about: str) -> str:
    head = f"{told['draw']} of {told['service']}: {told['items']} answers, {told['new']} of them new"
    if told["unread"]:
        return f"{head}; {told['unread']} to read: ragvigil label{about}"
    shows = f"ragvigil calibrate report{about} shows what they say"
    return f"{head}; all are read: {shows} (--labels N or --new draws more)"


def read(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="As draw --out wrote it, with labels filled in.")
    ],
    by: ByOption = None,
    criterion: CriterionOption = "",
    config: ConfigOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> int:
    """Take labels from a CSV or JSON lines file; nothing is taken when one row is wrong.

    Columns: trace_id, label (faithful, partial, unfaithful, skip; of a criterion pass, fail, skip), and where they
    are wanted span_id, annotator, note, final. Rows without a label are passed over. Of the same person and answer
    the latest label counts.
    """
    from ragvigil.scorer.labels.book import known_criterion
    from ragvigil.scorer.labels.clerk import keep
    from ragvigil.scorer.labels.match import matched
    from ragvigil.scorer.labels.port import KeepLabels
    from ragvigil.scorer.labels.read import read_labels
    from ragvigil.scorer.store.reading import open_for_reading

    settings = settings_of(config, store)
    told, empty = read_labels(file, annotator=name_of(by), criterion=criterion)
    with closing(open_for_reading(settings.store.path)) as connection:
        known_criterion(connection, criterion)
        given = matched(connection, file, told, criterion)
    kept = keep(settings, KeepLabels(tuple(given))) if given else 0
    numbers = {"kept": kept, "without_label": empty}
    say(json.dumps(numbers) if as_json else f"{kept} labels kept, {empty} rows had none yet", whole=as_json)
    return 0

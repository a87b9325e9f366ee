"""``ragvigil notes``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ragvigil.scorer.commands._moments import stretch
from ragvigil.scorer.commands._options import (
    ConfigOption,
    JsonOption,
    OnlyServiceOption,
    SinceOption,
    StoreOption,
    settings_of,
)
from ragvigil.scorer.commands._say import say

if TYPE_CHECKING:
    from ragvigil.scorer.labels.notes import Category, Note


def notes(
    category: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only the notes of this category, all of them.")
    ] = None,
    since: SinceOption = "4w",
    service: OnlyServiceOption = None,
    config: ConfigOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> int:
    """Count what people noted while reading traces: whatever stands as #category in a note, with share and interval.

    Draw answers with `ragvigil calibrate draw`, read them with `ragvigil label`, press n and write what is wrong. Exit
    code 1 where nobody noted anything.
    """
    from ragvigil.scorer.labels.notes import UNSORTED, counted
    from ragvigil.scorer.store import reading, reading_notes

    settings = settings_of(config, store)
    begin, _ = stretch(since, None)
    with closing(reading.open_for_reading(settings.store.path)) as connection:
        read = reading_notes.notes(connection, begin, service)
    found = counted(read)
    if category is not None:
        wanted = category.lower().removeprefix("#")
        found = tuple(one for one in found if one.name == wanted)
    if as_json:
        answers = len({one.record_id for one in read})
        typer.echo(
            json.dumps({"read": answers, "categories": [asdict(one) for one in found]}, ensure_ascii=False)
        )
    else:
        say("\n".join(_lines(read, found, every=category is not None, unsorted=UNSORTED)))
    return 0 if found else 1


def _lines(read: Sequence[Note], found: Sequence[Category], *, every: bool, unsorted: str) -> Iterator[str]:
    yield f"{len({one.record_id for one in read}):,} answers read, {sum(bool(one.text) for one in read):,} notes"
    if not read:
        yield "read traces first: ragvigil calibrate draw, then ragvigil label (n writes a note, #name names a kind)"
    for one in found:
        share = one.share
        said = "too few read for a share"
        if share.value is not None and share.lower is not None and share.upper is not None:
            said = f"{share.value:.1%} [{share.lower:.1%}, {share.upper:.1%}] {share.note}, n={share.n:,}"
        yield f"{one.name:<24} {one.answers:>5} answers, {one.people} people  {said}"
        for note in one.notes if every or one.name == unsorted else one.notes[:1]:
            yield f"    {_note(note)}"
    if any(one.name != unsorted for one in found):
        yield "a common category is worth a criterion of the judge: docs/judge.md"


def _note(note: Note) -> str:
    from ragvigil.exporters import clean

    return f"{note.trace_id}  {clean(note.annotator, limit=40)}: {clean(note.text, limit=200)}"

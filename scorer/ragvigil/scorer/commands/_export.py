"""``ragvigil export``."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Annotated

import typer

from ragvigil.scorer.commands._moments import stretch
from ragvigil.scorer.commands._options import (
    ConfigOption,
    JsonOption,
    OnlyServiceOption,
    SinceOption,
    StoreOption,
    UntilOption,
    settings_of,
)
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.errors import ConfigError

_FORMATS = ("jsonl", "parquet")


def export(
    out: Annotated[
        str,
        typer.Option(
            metavar="FILE", help="Where to: NAME.jsonl, NAME.parquet, or - for lines on standard output."
        ),
    ] = "-",
    since: SinceOption = "7d",
    until: UntilOption = None,
    service: OnlyServiceOption = None,
    scores: Annotated[
        list[str] | None,
        typer.Option("--score", metavar="NAME", help="Only this score; repeatable. Default: all."),
    ] = None,
    history: Annotated[
        bool, typer.Option("--history", help="Also scores of earlier versions of an answer or a check.")
    ] = False,
    explanations: Annotated[
        bool, typer.Option("--explanations", help="Also the reasons, which may quote answer and passages.")
    ] = False,
    format: Annotated[  # noqa: A002 - the name of the option
        str | None,
        typer.Option(metavar="|".join(_FORMATS), help="Default: as the file is called, else jsonl."),
    ] = None,
    config: ConfigOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> int:
    """Write scores to a file, one row each: ids, versions and digests of what was scored, and by what.

    Questions, passages and answers are not in it. A running scorer goes on; a file is in place when it is whole.
    Parquet needs pyarrow: pip install 'ragvigil[parquet]'.
    """
    from ragvigil.scorer.sending.build import known
    from ragvigil.scorer.sending.to_file import write_lines, write_parquet, writing
    from ragvigil.scorer.store import reading_labels
    from ragvigil.scorer.store.reading import open_for_reading
    from ragvigil.scorer.store.reading_export import Wanted, score_rows

    settings = settings_of(config, store)
    kind = _format(out, format)
    only = frozenset(scores) if scores else None
    wanted = Wanted(*stretch(since, until), service, only, history, explanations)
    path = settings.store.path
    with closing(open_for_reading(path)) as connection:  # says what is wrong before a file is begun
        known("--score", scores or (), settings, criteria=reading_labels.criteria(connection))
    rows = score_rows(lambda: closing(open_for_reading(path)), wanted)
    with writing(out) as file:
        count = write_parquet(rows, file) if kind == "parquet" else write_lines(rows, file)
    if out != "-":
        say(
            json.dumps({"rows": count, "file": out}) if as_json else f"{count:,} scores to {out}",
            whole=as_json,
        )
    return 0


def _format(out: str, said: str | None) -> str:
    """What the option says, else what the file's name does. Raises ConfigError."""
    if said is not None and said not in _FORMATS:
        raise ConfigError("--format", f"cannot be {said!r}", "known: " + ", ".join(_FORMATS))
    kind = said or ("parquet" if out.endswith(".parquet") else "jsonl")
    if kind == "parquet":
        from ragvigil.scorer.sending.to_file import arrow_modules

        if out == "-":
            raise ConfigError("--out", "Parquet does not go to standard output", "name a file")
        try:
            arrow_modules()
        except ImportError as error:
            raise ConfigError("--format", str(error)) from None
    return kind

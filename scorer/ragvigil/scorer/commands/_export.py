"""``ragvigil export``."""

from __future__ import annotations

import json
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
    UntilOption,
    settings_of,
)
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.errors import ConfigError

if TYPE_CHECKING:
    from ragvigil.scorer.config import Settings
    from ragvigil.scorer.store.reading_export import Wanted

_FORMATS = ("jsonl", "parquet")


def export(
    out: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="Where to: NAME.jsonl, NAME.parquet (of --traces NAME.jsonl.gz or .zst), or - for standard output.",
        ),
    ] = "-",
    since: SinceOption = "7d",
    until: UntilOption = None,
    service: OnlyServiceOption = None,
    traces: Annotated[bool, typer.Option("--traces", help="Stored traces instead, as OTLP/JSON.")] = False,
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

    Questions, passages and answers are in it only with --traces: then it is what the store keeps of each trace that
    began in that time, redacted, for `ragvigil replay`, `read` and `explain`; what retention took out is counted.
    A running scorer goes on; a file is in place when it is whole. Parquet needs pip install 'ragvigil[parquet]'.
    """
    from ragvigil.scorer.store.reading_export import Wanted

    settings = settings_of(config, store)
    when = stretch(since, until)
    if traces:
        _refuse_idle(out, score=scores, history=history, explanations=explanations, format=format)
        shown, text = _traces(settings, out, when, service)
    else:
        which = Wanted(*when, service, frozenset(scores or ()) or None, history, explanations)
        shown, text = _scores(settings, out, _format(out, format), which)
    if out != "-":
        say(json.dumps(shown | {"file": out}) if as_json else f"{text} to {out}", whole=as_json)
    return 0


def _scores(settings: Settings, out: str, kind: str, wanted: Wanted) -> tuple[dict[str, object], str]:
    """Write them; how many, for programs and for people."""
    from ragvigil.scorer.sending.build import known
    from ragvigil.scorer.sending.to_file import write_lines, write_parquet, writing
    from ragvigil.scorer.store import reading_labels
    from ragvigil.scorer.store.reading import open_for_reading
    from ragvigil.scorer.store.reading_export import score_rows

    path = settings.store.path
    with closing(open_for_reading(path)) as connection:  # says what is wrong before a file is begun
        names = sorted(wanted.names or ())
        known("--score", names, settings, criteria=reading_labels.criteria(connection))
    rows = score_rows(lambda: closing(open_for_reading(path)), wanted)
    with writing(out) as file:
        count = write_parquet(rows, file) if kind == "parquet" else write_lines(rows, file)
    return {"rows": count}, f"{count:,} scores"


def _refuse_idle(out: str, **about_scores: object) -> None:
    """Options that traces do not have. Raises ConfigError."""
    idle = ", ".join(f"--{option}" for option, value in about_scores.items() if value)
    if idle:
        raise ConfigError("--traces", f"leaves {idle} without effect", "scores are another export")
    if out.endswith(".parquet"):
        raise ConfigError("--out", "traces do not go to Parquet", "name it .jsonl, .jsonl.gz or .jsonl.zst")


def _traces(
    settings: Settings, out: str, when: tuple[int, int], service: str | None
) -> tuple[dict[str, object], str]:
    """Write what is stored of them; how much, for programs and for people."""
    from ragvigil.scorer.sending.to_file import writing
    from ragvigil.scorer.sending.traces_to_file import packed, write_traces
    from ragvigil.scorer.store.reading import open_for_reading
    from ragvigil.scorer.store.reading_traces import Wanted, kept_traces, without_content

    path, wanted = settings.store.path, Wanted(*when, service)
    with closing(open_for_reading(path)) as connection:  # says what is wrong before a file is begun
        gone = without_content(connection, wanted)
    if gone:
        typer.echo(
            f"left out: {gone:,} traces of that time whose content is gone after retention.content_days = "
            f"{settings.retention.content_days:g}, or for retention.max_disk_bytes",
            err=True,
        )
    with writing(out) as file, packed(file, out) as lines:
        done = write_traces(kept_traces(lambda: closing(open_for_reading(path)), wanted), lines)
    return (
        {**asdict(done), "without_content": gone},
        f"{done.traces:,} traces ({done.spans:,} spans, {done.log_events:,} log events)",
    )


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

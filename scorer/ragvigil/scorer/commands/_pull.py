"""``ragvigil pull``."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragvigil.scorer.commands._moments import stretch, utc
from ragvigil.scorer.commands._options import ConfigOption, JsonOption, SinceOption, UntilOption, settings_of
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.errors import ConfigError

if TYPE_CHECKING:
    from ragvigil.scorer.sources.pull.history import History, Wanted
    from ragvigil.scorer.sources.pull.lines import Pulled


def pull(
    source: Annotated[
        str, typer.Argument(metavar="phoenix|langfuse|mlflow", help="The backend that has the traces.")
    ],
    url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Root of its server; default: PHOENIX_COLLECTOR_ENDPOINT, LANGFUSE_HOST or MLFLOW_TRACKING_URI.",
        ),
    ] = None,
    since: SinceOption = "7d",
    until: UntilOption = None,
    project: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Project (Phoenix) or experiment (MLflow, all by default)."),
    ] = None,
    service: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What to call the service; default: what the backend knows of it."),
    ] = None,
    file: Annotated[
        list[Path] | None,
        typer.Option(
            "--file", metavar="EXPORT", help="Read its JSON export instead of its server; repeatable."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="OTLP/JSON lines (- : standard output); the same call goes on after an interruption.",
        ),
    ] = None,
    store: Annotated[
        str | None, typer.Option("--store", metavar="URL", help="Replay what was pulled into this store.")
    ] = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> int:
    """Pull last week's traces out of Phoenix, Langfuse or MLflow, to try ragvigil before touching the service.

    Writes OTLP/JSON lines for `ragvigil replay`, `read` and `explain`, or scores them right away with --store.
    Keys come from the environment only: PHOENIX_API_KEY; LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY;
    MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD.
    """
    from ragvigil.scorer.sources.pull.history import Wanted
    from ragvigil.scorer.sources.pull.run import history_of

    history = history_of(source)
    _check(out, store, config)
    wanted = Wanted(*stretch(since, until), project, service)
    with _file_or_scratch(out) as lines:
        pulled = _pulled(history, url, wanted, file or [], lines)
        summary, found = _scored(lines, config, store) if store is not None else ({}, [])
    shown = {
        "spans": pulled.spans,
        "without_spans": pulled.without_spans,
        "resumed": pulled.window is not None,
        **summary,
    }
    text = _told(pulled, wanted, source, out, exports=bool(file))
    if str(out) != "-":
        say(json.dumps(shown, ensure_ascii=False) if as_json else "\n".join([text, *found]), whole=as_json)
    elif pulled.without_spans:
        say(text, err=True)
    return 0


def _check(out: Path | None, store: str | None, config: Path | None) -> None:
    """Before a week of traces is pulled. Raises ConfigError."""
    if out is None and store is None:
        raise ConfigError(
            "--out", "says nothing of where to", "name a file, - for standard output, or a --store"
        )
    if store is None:
        return
    if str(out) == "-":
        raise ConfigError("--out", "- leaves nothing for --store", "name a file, or leave --out out")
    settings_of(config, store)


def _told(pulled: Pulled, wanted: Wanted, source: str, out: Path | None, *, exports: bool) -> str:
    """What was pulled, in words."""
    to = f" to {out}" if out is not None else ""
    count = f"{pulled.spans:,} span{'' if pulled.spans == 1 else 's'} pulled{to}"
    since, until = pulled.window or (wanted.since, wanted.until)
    asked = f"from {utc(since)} to {utc(until)}"
    if pulled.window is not None:
        count += f"; the earlier call was gone on with, {asked}"
    project = f" in {wanted.project!r}" if wanted.project else ""
    if pulled.without_spans:
        traces = f"{pulled.without_spans:,} trace{'' if pulled.without_spans == 1 else 's'}"
        count += f"; left out: {traces}{project} of which {source} gives no spans, under way or lost"
    elif not pulled.spans and not exports:
        count += f": {source} has none{project} {asked}; are --since and --project right?"
    return count


@contextmanager
def _file_or_scratch(out: Path | None) -> Generator[Path]:
    """Where the lines go: `out`, else a file that is gone at the end."""
    if out is not None:
        yield out
        return
    with tempfile.TemporaryDirectory(prefix="ragvigil-pull-") as scratch:
        yield Path(scratch) / "pulled.jsonl"


def _pulled(history: History, url: str | None, wanted: Wanted, exports: list[Path], out: Path) -> Pulled:
    from ragvigil.scorer.sources.pull.convert import convert, convert_to_file
    from ragvigil.scorer.sources.pull.fetch import Fetch
    from ragvigil.scorer.sources.pull.run import client_of, pull, pull_to_file

    if exports:
        if str(out) == "-":
            return convert(history, exports, wanted, sys.stdout.buffer)
        return convert_to_file(history, exports, wanted, out)
    with client_of(history, url) as client:
        if str(out) == "-":
            return pull(history, Fetch(client, keys=history.keys), wanted, sys.stdout.buffer)
        return pull_to_file(history, Fetch(client, keys=history.keys), wanted, out)


def _scored(lines: Path, config: Path | None, store: str) -> tuple[dict[str, object], list[str]]:
    from ragvigil.scorer.commands._replay import scored
    from ragvigil.scorer.replay.load import load
    from ragvigil.scorer.replay.recording import Recording

    with Recording() as recording:
        load([lines], recording)
        return scored(recording, config, store, None, page=False)

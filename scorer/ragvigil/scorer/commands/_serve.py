"""``ragvigil serve``."""

from __future__ import annotations

import logging
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Literal

import typer

from ragvigil.scorer.app import run_score
from ragvigil.scorer.commands._options import (
    ConfigArgument,
    ConfigOption,
    JsonOption,
    StoreOption,
    one_config,
    settings_of,
)
from ragvigil.scorer.commands._own import (
    own_dialects,
    refuse_exploding_patterns,
    refuse_missing_hook,
    refuse_unusable_prompts,
)
from ragvigil.scorer.config import Settings
from ragvigil.scorer.errors import StoreError, located
from ragvigil.scorer.receive.job import Job, become
from ragvigil.scorer.receive.settings import receiving

_SQLITE_MAGIC = b"SQLite format 3\x00"


def serve(
    file: ConfigArgument = None,
    config: ConfigOption = None,
    store: StoreOption = None,
    grpc: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help="OTLP over gRPC; port 0 picks a free one and prints it."),
    ] = None,
    http: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help="OTLP over HTTP; port 0 picks a free one and prints it."),
    ] = None,
    role: Annotated[
        Literal["all", "receive", "score"],
        typer.Option(help="all: both processes; receive or score: that one alone, on the same store."),
    ] = "all",
    supervised: Annotated[bool, typer.Option("--supervised", hidden=True)] = False,
    as_json: JsonOption = False,
) -> int:
    """Run the scorer beside your service: receive OTLP, score every answer, watch the series, page.

    Point any OTLP exporter at it, for example OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318, and look
    with `ragvigil status` and `ragvigil ledger`. SIGTERM ends it: what was acknowledged is kept.
    """
    config = one_config(file, config)
    settings = settings_of(config, store, grpc=grpc, http=http)
    _refuse_unusable_store(settings.store.path)
    if role != "receive":
        own_dialects(settings.dialects)
        refuse_exploding_patterns(settings.citations)
        if not supervised:
            refuse_missing_hook(settings.content.hook)
        if settings.judge.kind not in ("builtin", "none"):
            refuse_unusable_prompts(settings.judge)
    if role == "score":
        return run_score(settings, supervised=supervised)
    command = _score_command(config, settings.store.url) if role == "all" else ()
    return become(_job(settings, command, supervised=supervised, as_json=as_json))


def _job(settings: Settings, score_command: Sequence[str], *, supervised: bool, as_json: bool) -> Job:
    nowhere = "nowhere: no channel is configured (docs/channels.md)"
    return Job(
        receiving(settings),
        tuple(score_command),
        supervised=supervised,
        store=settings.store.url,
        version=version("ragvigil"),
        pages=", ".join(settings.channels) or nowhere,
        as_json=as_json,
        level=logging.getLogger().level,
    )


def _refuse_unusable_store(path: Path) -> None:
    """Before anything is bound, for what was acknowledged should be scored; the score process opens it later."""
    try:
        if path.is_dir():
            raise StoreError(f"{located(path)} is a folder; name a file with --store")
        with path.open("rb") as file:
            head = file.read(len(_SQLITE_MAGIC))
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"{located(path)}: {error.strerror}; name another with --store") from None
    if head not in (b"", _SQLITE_MAGIC):
        raise StoreError(f"{located(path)} is not a database; name another with --store")
    if head:
        _refuse_others_store(path)


def _refuse_others_store(path: Path) -> None:
    from ragvigil.scorer.store.schema_version import known_version

    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            known_version(connection, path)
    except sqlite3.Error:
        return  # busy, or in need of recovery: the score process says what is wrong


def _score_command(config: Path | None, store: str) -> list[str]:
    command = [
        sys.executable,
        "-m",
        "ragvigil.scorer",
        "serve",
        "--role",
        "score",
        "--supervised",
        "--store",
        store,
    ]
    return command if config is None else [*command, "--config", str(config)]

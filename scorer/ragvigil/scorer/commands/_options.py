"""Options that several commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragvigil.scorer.config import Settings, load
from ragvigil.scorer.errors import ConfigError

ConfigOption = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="TOML file; every setting has a default.")
]
ConfigArgument = Annotated[
    Path | None, typer.Argument(metavar="FILE", help="The same as --config FILE.", show_default=False)
]
StoreOption = Annotated[
    str | None,
    typer.Option("--store", metavar="URL", help="sqlite:///PATH; a bare path to a file is taken too."),
]
OnlyServiceOption = Annotated[
    str | None, typer.Option("--service", metavar="NAME", help="Only this service; default: all.")
]
OnlyOption = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="Only this one; may be given again. Default: all.")
]
FirstSeedOption = Annotated[int, typer.Option(min=0, help="Seeds count up from here.")]
JudgeModelOption = Annotated[
    str, typer.Option(metavar="NAME", help="Model of the judge, instead of the environment's.")
]
TracesArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE",
        help="OTLP: protobuf or JSON, gzip or zstd too; *.logs.* holds log records of the same traces.",
    ),
]
WHEN = "LENGTH|MOMENT"
"""What --since and --until take."""
SinceOption = Annotated[
    str,
    typer.Option(metavar=WHEN, help="How far back: 90m, 24h, 7d, 2w, or a moment such as 2026-11-01T00:00Z."),
]
UntilOption = Annotated[str | None, typer.Option(metavar=WHEN, help="Up to when, likewise; default: now.")]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print JSON for programs instead of text for people.")
]


def one_config(argument: Path | None, option: Path | None) -> Path | None:
    """The configuration file, where a command takes it both ways. Raises ConfigError for two that differ.

    >>> one_config(None, Path("a.toml")) == one_config(Path("a.toml"), Path("a.toml")) == Path("a.toml")
    True
    """
    if argument is not None and option is not None and argument != option:
        raise ConfigError("--config", f"{option} is another file than {argument}", "name one")
    return argument or option


def settings_of(
    config: Path | None,
    store: str | None = None,
    *,
    dashboard: dict[str, object] | None = None,
    **receive: str | None,
) -> Settings:
    """The settings, with what the command line says on top: of the section `dashboard`, and of `receive`."""
    overrides: dict[str, object] = {}
    if store is not None:
        overrides["store"] = {"url": store if "://" in store else f"sqlite:///{store}"}
    given = {key: value for key, value in receive.items() if value is not None}
    if given:
        overrides["receive"] = given
    if dashboard:
        overrides["dashboard"] = dashboard
    return load(config, overrides)

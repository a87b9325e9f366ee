"""What ``--help`` of all commands calls the same thing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import typer

from ragvigil.scorer.commands._app import app

OTHER_THINGS = {
    "--format": {"jsonl|parquet", "terminal|markdown"},
    "--rule": {"KEY=VALUE|FILE", "NAME"},
    "--until": {"LENGTH|MOMENT", "MOMENT"},
}
"""Options of one name that take something else in another command."""


def options(group: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every option or argument that takes a value, with its command."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from options(command, f"{path}{name} ")
            continue
        for parameter in command.params:
            if not getattr(parameter, "is_flag", False):
                yield f"{path}{name}", parameter


def test_the_same_option_is_called_the_same_in_every_command() -> None:
    """`--since` took "7d", TEXT or str, and `--service` NAME or str: people took them for other things."""
    found: dict[str, set[str | None]] = defaultdict(set)
    for _, parameter in options(typer.main.get_command(app)):
        if parameter.param_type_name == "option" and parameter.metavar is not None:
            found[parameter.opts[0]].add(parameter.metavar)
    assert {name: called for name, called in found.items() if len(called) > 1} == OTHER_THINGS


def test_whatever_takes_a_text_says_which() -> None:
    """`str` or `path` is no help."""
    untold = [
        (command, parameter.name)
        for command, parameter in options(typer.main.get_command(app))
        if parameter.metavar is None and parameter.bare_type() in ("str", "list[str]", "Path", "list[Path]")
    ]
    assert untold == []

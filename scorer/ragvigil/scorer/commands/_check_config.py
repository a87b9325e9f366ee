"""``ragvigil check-config``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, cast

import typer

from ragvigil.scorer.commands._options import JsonOption, settings_of


def check_config(
    config: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="TOML file; none: defaults and environment.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Check a configuration without starting anything, and show what it comes to.

    A misspelt key is named with the nearest one that exists; secrets are shown as stars.
    Environment variables count too: RAGVIGIL_JUDGE__MODEL overrides judge.model.
    """
    from ragvigil.scorer.custom import CustomChecks
    from ragvigil.scorer.dialects.custom import dialects_of
    from ragvigil.scorer.judge import rubric_of
    from ragvigil.scorer.watch.gold import labels_of

    settings = settings_of(config)
    dialects_of(settings.dialects)
    labels_of(settings.monitor, settings.judge)
    rubric_of(settings.judge)
    CustomChecks(settings.custom_checks).close()
    tree = json.loads(settings.model_dump_json())
    if as_json:
        typer.echo(json.dumps({"ok": True, "settings": tree}, indent=2))
        return 0
    typer.echo(f"{config or 'defaults'}: ok")
    for section, values in tree.items():
        for key, value in _flat(values, section):
            typer.echo(f"  {key} = {json.dumps(value)}")
    return 0


def _flat(value: object, key: str) -> list[tuple[str, object]]:
    if isinstance(value, dict):
        pairs = cast("dict[str, object]", value)
        return [item for name, inner in pairs.items() for item in _flat(inner, f"{key}.{name}")]
    return [(key, value)]

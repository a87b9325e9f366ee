"""``ragvigil bench``."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ragvigil.scorer.commands._options import JsonOption
from ragvigil.scorer.errors import ConfigError

if TYPE_CHECKING:
    from ragvigil.scorer.simulate import Line


def alerts(
    scenario: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this one; may be given again. Default: all."),
    ] = None,
    rule: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this one; may be given again. Default: all."),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, max=10_000, help="Simulated services, each for a month.")] = 8,
    first_seed: Annotated[int, typer.Option(min=0, help="Seeds count up from here.")] = 0,
    traces_per_day: Annotated[float, typer.Option(min=100.0, max=10_000_000.0)] = 20_000.0,
    batch_seconds: Annotated[float, typer.Option(min=10.0, max=86_400.0)] = 1800.0,
    quick: Annotated[
        bool, typer.Option("--quick", help="A small service and one seed: a minute instead of an hour.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Simulate months with planted faults and compare alert rules: false pages, hours to the page, calls.

    Same seed, same traffic for every rule. docs/alert-quality.md is made of its --json.
    """
    from ragvigil.scorer.simulate import RULES, SCENARIOS, World, measure

    world = World(traces_per_day=traces_per_day, batch_seconds=batch_seconds)
    if quick:
        seeds = 1
        world = World(
            traces_per_day=6000.0, segments=4, smallest_share=0.1, largest_share=0.4, batch_seconds=3600.0
        )
    scenarios = chosen("--scenario", scenario, tuple(SCENARIOS))
    rules = chosen("--rule", rule, RULES)
    lines: list[Line] = []
    if not as_json:
        typer.echo("  ".join(_HEAD))
    for line in measure(rules, scenarios, range(first_seed, first_seed + seeds), world=world):
        lines.append(line)
        if not as_json:
            typer.echo(_row(line))
    if as_json:
        found = {"world": asdict(world), "first_seed": first_seed, "seeds": seeds}
        typer.echo(json.dumps({**found, "lines": [asdict(line) for line in lines]}, indent=1))
    return 0


_HEAD = (
    f"{'scenario':<13}",
    f"{'rule':<26}",
    "false pages / 30 d (95 %)",
    "median h",
    " p95 h",
    "  found",
    "  named",
    "judged",
)


def _row(line: Line) -> str:
    low, high = line.false_interval
    from ragvigil.scorer.simulate import SCENARIOS

    fault = bool(SCENARIOS[line.scenario].pages)
    quiet = "-" if fault else f"{line.false_per_30_days:8.2f} ({low:.2f} to {high:.2f})"
    return "  ".join(
        (
            f"{line.scenario:<13}",
            f"{line.rule:<26}",
            quiet.ljust(25),
            f"{_hours(line.median_hours):>8}",
            f"{_hours(line.p95_hours):>6}",
            f"{line.found:>3} / {line.runs}" if fault else "      -",
            f"{line.named:>3} / {line.runs}" if fault else "      -",
            f"{line.judged_share:6.1%}",
        )
    )


def _hours(hours: float | None) -> str:
    return "-" if hours is None else f"{hours:.1f}"


def chosen(option: str, given: list[str] | None, known: tuple[str, ...]) -> tuple[str, ...]:
    """The names given, or all; raises ConfigError that names the option."""
    for name in given or ():
        if name not in known:
            raise ConfigError(option, f"{name!r} is not known", f"choose of: {', '.join(known)}")
    return tuple(given) if given else known

"""``ragvigil bench``."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from itertools import chain
from typing import TYPE_CHECKING, Annotated

import typer

from ragvigil.scorer.commands._options import FirstSeedOption, JsonOption, OnlyOption
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.errors import ConfigError, meant

if TYPE_CHECKING:
    from ragvigil.scorer.simulate import Line, World


def alerts(
    scenario: OnlyOption = None,
    rule: OnlyOption = None,
    seeds: Annotated[int, typer.Option(min=1, max=10_000, help="Simulated services, each for a month.")] = 8,
    first_seed: FirstSeedOption = 0,
    traces_per_day: Annotated[
        float | None,
        typer.Option(min=100.0, max=10_000_000.0, help="Default: 20,000, or those of the replayed store."),
    ] = None,
    batch_seconds: Annotated[
        float | None, typer.Option(min=10.0, max=86_400.0, help="Default: 1,800.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A small service and one seed: a minute instead of an hour.")
    ] = False,
    replay: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="What the traffic is made of: a scorer's store, recorded answers (JSON lines as monitor.gold), or "
            "'builtin' for those that ship with the built-in judge; a store and answers may be given together.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Simulate or replay months with planted faults and compare alert rules: false pages, hours to the page, calls.

    Same seed, same traffic for every rule. docs/alert-quality.md is made of its --json.
    """
    from ragvigil.scorer.commands._bench_replay import replaying
    from ragvigil.scorer.simulate import RULES, SCENARIOS, measure

    seeds = 1 if quick else seeds
    scenarios = chosen("--scenario", scenario, tuple(SCENARIOS))
    rules = chosen("--rule", rule, RULES)
    world = _world(quick, traces_per_day, batch_seconds)
    source = replaying(replay or [], world, told_volume=traces_per_day is not None)
    services = range(first_seed, first_seed + seeds)
    lines = measure(rules, scenarios, services, world=source.world, opens=source.opens)
    if as_json:
        found = {"world": asdict(source.world), "first_seed": first_seed, "seeds": seeds}
        found |= {"replayed": source.told} if source.told else {}
        typer.echo(json.dumps({**found, "lines": [asdict(line) for line in lines]}, indent=1))
        return 0
    for told in chain(source.notes, ["  ".join(_HEAD)], map(_row, lines)):
        say(told)
    return 0


def _world(quick: bool, traces_per_day: float | None, batch_seconds: float | None) -> World:
    """The usual service or the small one, with what was said of it."""
    from ragvigil.scorer.simulate import World

    usual = World()
    if quick:
        usual = World(
            traces_per_day=6000.0, segments=4, smallest_share=0.1, largest_share=0.4, batch_seconds=3600.0
        )
    return replace(
        usual,
        traces_per_day=traces_per_day or usual.traces_per_day,
        batch_seconds=batch_seconds or usual.batch_seconds,
    )


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
            hint = meant(name, known, all_of_them=f"choose of: {'; '.join(known)}")
            raise ConfigError(option, f"{name!r} is not known", hint)
    return tuple(given) if given else known

"""``ragvigil probe``."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, cast

import typer

from ragvigil.scorer.commands._bill import bill
from ragvigil.scorer.commands._options import ConfigOption, JsonOption, StoreOption, settings_of
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.errors import ConfigError, InputError, meant

if TYPE_CHECKING:
    from ragvigil.scorer.config import Settings
    from ragvigil.scorer.probes import Judged, Result

_MOST_NAMED = 8


def probe(
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="attribution, verbosity, abstain, order, injection, tags or language; may be repeated.",
        ),
    ] = None,
    config: ConfigOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> int:
    """Try the configured judge on items of which it is known what a good judge says, in three languages.

    Each probe passes when the lower end of the 95 % interval of the share of items done right reaches its limit. It
    asks the judge's endpoint some 500 times, within judge.max_in_flight; that counts against the budget of [sample].
    Exit code 1 when any probe fails, 2 when the endpoint does not answer. Run it before a new model or prompt
    takes over.
    """
    from ragvigil.scorer.judge.terminal import told_when_away
    from ragvigil.scorer.probes import PROBES

    wanted = only or list(PROBES)
    for name in wanted:
        if name not in PROBES:
            raise InputError("--only", f"no probe is called {name!r}; {meant(name, list(PROBES))}")
    with told_when_away():
        judged, results, version = asyncio.run(_run(settings_of(config, store), wanted))
    failed = any(result.passed is False for result in results)
    cost = _cost(judged)
    if as_json:
        rows = [{**asdict(result), "passed": result.passed} for result in results]
        typer.echo(json.dumps({"judge": version, "passed": not failed, "probes": rows, **cost}))
    else:
        say("\n".join([version, *_lines(results), bill(cost)]))
    return 1 if failed else 0


async def _run(settings: Settings, wanted: Sequence[str]) -> tuple[Judged, list[Result], str]:
    from ragvigil.scorer.judge import asker_at_a_terminal, build_judge, rubric_of
    from ragvigil.scorer.probes import Judged, run

    chosen, rubric = settings.judge, rubric_of(settings.judge)
    asker = asker_at_a_terminal(settings, chosen)
    judge = build_judge(chosen, asker=asker)
    if judge is None:
        raise ConfigError("judge.kind", "is none", "name the judge that is to be probed")
    instructed = {
        code: build_judge(chosen, asker=asker.instructing_in(code))
        for code in (rubric.texts if asker is not None else ())
        if asker is not None
    }
    judged = Judged(
        judge,
        rubric,
        instructed={code: one for code, one in instructed.items() if one is not None},
        at_once=chosen.max_in_flight,
    )
    try:
        return judged, await run(judged, wanted), f"{judge.name} {judge.version}, {rubric.name}"
    finally:
        await judge.close()


def _lines(results: Sequence[Result]) -> Iterator[str]:
    for result in results:
        if result.passed is None:
            yield f"  -     {result.probe:<12} does not apply to this judge"
            continue
        mark = "ok   " if result.passed else "FAILS"
        share = f"{result.right:6.1%} [{result.lower:.1%}, {result.upper:.1%}] n={result.n}"
        yield f"  {mark} {result.probe:<12} {share}, lower end held to {result.limit:.0%}: {result.what}"
        if result.wrong:
            more = len(result.wrong) - _MOST_NAMED
            yield f"        wrong: {', '.join(result.wrong[:_MOST_NAMED])}" + (
                f" and {more} more" if more > 0 else ""
            )


def _cost(judged: Judged) -> dict[str, float | None]:
    """Calls, and US dollars where they are known."""
    usages = [verdict.details.get("usage") for verdict in judged.verdicts]
    told = [cast("dict[str, float | None]", usage) for usage in usages if isinstance(usage, dict)]
    money = [usage.get("cost_usd") for usage in told]
    known = [amount for amount in money if amount is not None]
    return {
        "calls": sum(usage.get("calls") or 0 for usage in told),
        "cost_usd": sum(known) if len(known) == len(money) else None,
    }

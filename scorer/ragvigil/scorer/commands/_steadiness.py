"""``ragvigil calibrate steadiness``."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ragvigil.scorer.commands._calibrate import EnvironmentOption, ServiceOption
from ragvigil.scorer.commands._options import ConfigOption, JsonOption, StoreOption, settings_of
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.errors import ConfigError, InputError

if TYPE_CHECKING:
    from ragvigil.scorer.labels.steadiness import Steadiness


def steadiness(
    service: ServiceOption = None,
    environment: EnvironmentOption = None,
    answers: Annotated[int, typer.Option(min=10, max=1_000, help="Judged answers to judge again.")] = 50,
    repeats: Annotated[int, typer.Option(min=2, max=20, help="How often each.")] = 3,
    config: ConfigOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> int:
    """Judge the same answers again and again, and say how much of a verdict is chance.

    A judge at temperature 0 should say the same each time. The answers are drawn by hash from those whose verdicts and
    content are kept. Nothing is stored, and what the judge's endpoint costs is spent. Exit code 1 when no answer got
    a verdict every time, 2 when the endpoint does not answer.
    """
    from ragvigil.scorer.judge import judge_at_a_terminal, rubric_of
    from ragvigil.scorer.judge.terminal import told_when_away
    from ragvigil.scorer.labels import book
    from ragvigil.scorer.labels.steadiness import steadiness as measured
    from ragvigil.scorer.store import reading_labels
    from ragvigil.scorer.store.reading import open_for_reading

    settings = settings_of(config, store)
    judge = judge_at_a_terminal(settings, settings.judge)
    if judge is None:
        raise ConfigError("judge.kind", "is none", "name the judge that is to be repeated")
    with closing(open_for_reading(settings.store.path)) as connection:
        place = book.place_of(connection, service, environment)
        records = reading_labels.some_judged(connection, place, answers)
    if not records:
        raise InputError(place.service, "no judged answer whose content is still kept")
    with told_when_away():
        found = asyncio.run(
            measured(
                records,
                judge,
                rubric_of(settings.judge),
                repeats=repeats,
                at_once=settings.judge.max_in_flight,
            )
        )
    if found is None:
        say(json.dumps({"answers": 0}) if as_json else "no answer got a verdict every time", whole=as_json)
        return 1
    say(json.dumps(asdict(found)) if as_json else "\n".join(_lines(found)), whole=as_json)
    return 0


def _lines(found: Steadiness) -> Iterator[str]:
    yield f"{found.judge}: {found.answers} answers judged {found.repeats} times each"
    if found.lost:
        yield f"  {found.lost} more got no verdict at least once, and are left out"
    yield (
        f"  {found.unsteady:.1%} [{found.lower:.1%}, {found.upper:.1%}] were not passed, or failed, every time "
        f"(n={found.answers})"
    )
    yield "  variance between repeats on the same answer, and its root"
    for one in found.spreads:
        yield (
            f"    {one.name:<14} {one.variance:.3f} [{one.lower:.3f}, {one.upper:.3f}]  {one.deviation:.2f}  "
            f"(n={one.answers})"
        )

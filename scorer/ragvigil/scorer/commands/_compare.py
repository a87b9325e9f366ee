"""``ragvigil calibrate compare``."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragvigil.scorer.commands._calibrate import CriterionOption, EnvironmentOption, ServiceOption
from ragvigil.scorer.commands._options import ConfigOption, JsonOption, StoreOption, settings_of
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.errors import ConfigError

if TYPE_CHECKING:
    from ragvigil.scorer.config import Judge, Settings
    from ragvigil.scorer.estimate import Estimate, Promotion
    from ragvigil.scorer.labels.compare import Comparison
    from ragvigil.scorer.probes import Result

_MOST_NAMED = 8


def compare(
    candidate: Annotated[
        Path, typer.Argument(metavar="FILE", help="TOML with the new judge, as serve would get it: [judge].")
    ],
    service: ServiceOption = None,
    environment: EnvironmentOption = None,
    repeats: Annotated[
        int, typer.Option(min=1, max=20, help="Judge each answer so often, to see how steady the verdict is.")
    ] = 1,
    criterion: CriterionOption = "",
    config: ConfigOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> int:
    """Hold a new judge or prompt against people, beside the old one, on the answers that they labelled.

    It may take the old one's place when it agrees with people on at least 80 % of at least 100 labelled answers,
    weighted to all traffic, and not surely on fewer than the old one, and when the failure tags fire where they must
    (`ragvigil probe --only tags`): exit code 0, else 1; 2 when its endpoint does not answer. Nothing is stored, and
    what the endpoint costs is spent.
    """
    from ragvigil.scorer.estimate import Refusal
    from ragvigil.scorer.judge import criterion_at_a_terminal, judge_at_a_terminal, rubric_of
    from ragvigil.scorer.judge.criteria import criterion_of
    from ragvigil.scorer.judge.terminal import told_when_away
    from ragvigil.scorer.labels import book
    from ragvigil.scorer.labels.compare import compare as compared
    from ragvigil.scorer.store import reading_labels
    from ragvigil.scorer.store.reading import open_for_reading

    settings, wanted = settings_of(config, store), settings_of(candidate).judge
    judge = (
        criterion_at_a_terminal(settings, wanted, criterion)
        if criterion
        else judge_at_a_terminal(settings, wanted)
    )
    if judge is None:
        raise ConfigError("judge.kind", f"is none in {candidate}", "name the judge to compare")
    with closing(open_for_reading(settings.store.path)) as connection:
        found_book = book.book_of(connection, book.place_of(connection, service, environment), criterion)
        records = reading_labels.answers(connection, list(found_book.truth))
    rubric = criterion_of(wanted, criterion).prompt if criterion else rubric_of(wanted)
    labelled = {record_id: record for record_id, (record, _) in records.items()}
    at_once = wanted.max_in_flight
    with told_when_away():
        tags = None if criterion else asyncio.run(_tags(wanted, settings))
        found = asyncio.run(compared(found_book, labelled, judge, rubric, repeats=repeats, at_once=at_once))
    untagged = tags is not None and tags.passed is False
    promoted = not isinstance(found.result, Refusal) and not found.result.obstacles and not untagged
    if as_json:
        told = None if tags is None else {**asdict(tags), "passed": tags.passed}
        typer.echo(json.dumps({**asdict(found), "tags": told, "promoted": promoted}))
    else:
        say("\n".join(_lines(found, tags)))
    return 0 if promoted else 1


async def _tags(wanted: Judge, settings: Settings) -> Result:
    """How the new judge does on the unit tests of the failure tags; they are asked anew."""
    from ragvigil.scorer.judge import judge_at_a_terminal, rubric_of
    from ragvigil.scorer.probes import Judged, run

    judge = judge_at_a_terminal(settings, wanted)
    assert judge is not None
    try:
        judged = Judged(judge, rubric_of(wanted), instructed={}, at_once=wanted.max_in_flight)
        return (await run(judged, ["tags"]))[0]
    finally:
        await judge.close()


def _lines(found: Comparison, tags: Result | None) -> Iterator[str]:
    from ragvigil.scorer.estimate import Refusal

    new, old = (" ".join(judge.split()[:2]) for judge in (found.judge, found.old_judge))
    yield f"new judge {new}, old judge {old}, on {found.answers} answers"
    if found.gone:
        yield f"  {found.gone} labelled answers are left out: their content is no longer kept"
    if found.without_verdict:
        yield f"  {found.without_verdict} got no verdict of the new judge: counted as not agreeing"
    if found.unsteady is not None:
        yield f"  {found.unsteady:.1%} did not get the same verdict {found.repeats} times"
    if tags is not None:
        yield f"  failure tags right on   {tags.right:6.1%} [{tags.lower:.1%}, {tags.upper:.1%}] n={tags.n}"
    if isinstance(found.result, Refusal):
        yield f"NOT PROMOTED: {found.result.detail}"
    else:
        yield from _result(found.result)
    untagged = tags is not None and tags.passed is False
    if tags is not None and untagged:
        wrong = ", ".join(tags.wrong[:_MOST_NAMED]) + (", …" if len(tags.wrong) > _MOST_NAMED else "")
        yield (
            f"NOT PROMOTED: failure tags are right on {tags.lower:.1%} at least, {tags.limit:.0%} are needed; "
            f"wrong on {wrong}"
        )
    if not untagged and not isinstance(found.result, Refusal) and not found.result.obstacles:
        yield "PROMOTED: it may take the old one's place; draw anew once it judges"


def _result(result: Promotion) -> Iterator[str]:
    yield f"  old agrees with people  {_said(result.old)}"
    yield f"  new agrees with people  {_said(result.new)}"
    moved = result.difference
    yield f"  new - old               {moved.value:+6.1%} [{moved.lower:+.1%}, {moved.upper:+.1%}]"
    yield (
        f"  only the old is right on {result.only_old}, only the new on {result.only_new} "
        f"(McNemar p = {result.p_value:.3f})"
    )
    for obstacle in result.obstacles:
        yield f"NOT PROMOTED: {obstacle}"


def _said(found: Estimate) -> str:
    return f"{found.value:6.1%} [{found.lower:.1%}, {found.upper:.1%}] n={found.n_judged:,}"

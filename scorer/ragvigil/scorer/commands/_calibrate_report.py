"""``ragvigil calibrate`` and ``ragvigil calibrate report``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragvigil.scorer.commands._calibrate import CriterionOption, EnvironmentOption, ServiceOption
from ragvigil.scorer.commands._moments import utc
from ragvigil.scorer.commands._options import ConfigOption, JsonOption, StoreOption, settings_of
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.moments import dated

if TYPE_CHECKING:
    from ragvigil.scorer.estimate import Confusion, Estimate, Plan, Refusal
    from ragvigil.scorer.estimate.planning import Figure
    from ragvigil.scorer.labels.port import Drawn
    from ragvigil.scorer.labels.report import Agreement, Report

_FIGURES: tuple[Figure, ...] = ("level", "sensitivity", "specificity", "agreement")


def report(
    service: ServiceOption = None,
    environment: EnvironmentOption = None,
    criterion: CriterionOption = "",
    width: Annotated[
        float | None,
        typer.Option(
            min=0.001, max=1.0, help="Wanted width of an interval: says how many more labels that takes."
        ),
    ] = None,
    figure: Annotated[
        str,
        typer.Option(
            "--of", metavar="FIGURE", help="For --width: level, sensitivity, specificity, agreement."
        ),
    ] = "level",
    gold: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the gold set that monitor.gold reads.")
    ] = None,
    config: ConfigOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show what people's labels say of the judge: how often it errs, how far people agree, and the true level.

    Every number is weighted by the probability with which its labels were drawn. Exit code 1 when the judge is not
    informative or the labels are too few to tell; --gold then writes nothing.
    """
    from ragvigil.scorer.labels import book
    from ragvigil.scorer.labels.gold import write_gold
    from ragvigil.scorer.labels.report import report as reported
    from ragvigil.scorer.store.reading import open_for_reading

    if gold is not None and criterion:
        raise ConfigError("--gold", "is of faithfulness; a criterion has none", "leave it out")
    settings = settings_of(config, store)
    with closing(open_for_reading(settings.store.path)) as connection:
        place = book.place_of(connection, service, environment)
        found_book = book.book_of(connection, place, criterion)
    found = reported(found_book, width=width, figure=_figure(figure))
    say(
        json.dumps(dated(_object(found)))
        if as_json
        else "\n".join(_lines(found, found_book.drawn, criterion)),
        whole=as_json,
    )
    if found.refusal is not None:
        return 1
    if gold is not None:
        count = write_gold(gold, found_book)
        say(f"{count} items written to {gold}; name it as monitor.gold", err=as_json)
    return 0


def _figure(said: str) -> Figure:
    for known in _FIGURES:
        if said == known:
            return known
    raise ConfigError("--of", f"cannot be {said!r}", f"known: {', '.join(_FIGURES)}")


def _object(found: Report) -> dict[str, object]:
    refusal = found.refusal
    return {**asdict(found), "refusal": None if refusal is None else asdict(refusal)}


def _lines(found: Report, drawn: Drawn, criterion: str) -> Iterator[str]:
    from ragvigil.scorer.estimate import Refusal

    counts = found.counts
    read = ", ".join(f"{name} {number}" for name, number in counts.annotators.items())
    judge = drawn.judge.split()[0]
    yield f"judge {judge}: {counts.labelled} of {counts.items} answers labelled ({read or 'nobody yet'})"
    if counts.disputed or counts.undecided:
        yield f"  {counts.disputed} disputed (ragvigil label --adjudicate), {counts.undecided} could not be decided"
    if isinstance(found.judge, Refusal):
        yield f"  {found.judge.detail}"
    else:
        yield from _table(found.judge, *(("pass", "fail") if criterion else ("faithful", "not faithful")))
        yield from _rates(found.judge)
    if found.refusal is not None:
        yield f"REFUSED: {found.refusal.detail}; rates of verdicts are not to be corrected by these labels"
    yield (
        f"of all answers from {utc(drawn.since)} to {utc(drawn.until)}, by their cheap scores too (ragvigil report "
        "takes its own stretch, and verdicts alone):"
    )
    yield f"verdicts passed:     {_said(found.judged)}"
    yield f"{'passed' if criterion else 'faithful'} by people:  {_said(found.level)}"
    for segment in found.segments:
        yield f"segment {segment.dimension}={segment.value}:"
        yield from _rates(segment.judge)
    if found.thin:
        yield f"{found.thin} segments have too few labels for numbers of their own"
    if found.agreement is not None:
        yield from _people(found.agreement)
    if found.plan is not None:
        yield _planned(found.plan)


def _table(judge: Confusion, good: str, bad: str) -> Iterator[str]:
    """Labels counted, and the share of judged traffic that they stand for."""
    cells = [f"{count:>5} ({share:>5.1%})" for count, share in zip(judge.labels, judge.shares, strict=True)]
    yield "  labels (share of judged traffic)   judge: passed   judge: failed"
    yield f"  people: {good:<24} {cells[0]:>15} {cells[1]:>15}"
    yield f"  people: {bad:<24} {cells[3]:>15} {cells[2]:>15}"


def _rates(judge: Confusion) -> Iterator[str]:
    """Each with the labels that its share is of: 21 unfaithful answers of 80 say how many of them are caught."""
    right, missed, caught, passed = judge.labels
    yield f"  sensitivity        {_said(judge.sensitivity, right + missed)}"
    yield f"  specificity        {_said(judge.specificity, caught + passed)}"
    yield f"  agreement          {_said(judge.agreement)}"
    yield f"  right when passed  {_said(judge.right_when_passed, right + passed)}"
    yield f"  right when failed  {_said(judge.right_when_failed, missed + caught)}"


def _people(agreement: Agreement) -> Iterator[str]:
    yield f"people agree: Krippendorff's alpha {_coefficient(agreement.alpha)}"
    yield f"  faithful or not:                 {_coefficient(agreement.alpha_faithful)}"
    for pair in agreement.pairs:
        yield f"  {pair.first} and {pair.second}: Cohen's kappa {_coefficient(pair.kappa)}"


def _planned(plan: Plan) -> str:
    wanted = f"{plan.figure} with an interval {plan.width:.1%} wide"
    if plan.more is None:
        return (
            f"{wanted}: all that was judged, labelled, gives {plan.narrowest:.1%}; "
            "judge more (sample.rate) and draw --new"
        )
    if plan.more == 0:
        return f"{wanted}: the {plan.labels} labels there are do"
    return f"{wanted}: {plan.more} more labels, ragvigil calibrate draw --labels {plan.labels + plan.more}"


def _said(found: Estimate | Refusal, n: int | None = None) -> str:
    from ragvigil.scorer.estimate import Refusal
    from ragvigil.scorer.estimate.result import at_both_fates

    if isinstance(found, Refusal):
        return found.detail
    caveats = "".join(f"; {caveat}" for caveat in found.caveats) + at_both_fates(found)
    n = found.n_judged if n is None else n
    return f"{found.value:6.1%} [{found.lower:.1%}, {found.upper:.1%}] n={n:,}{caveats}"


def _coefficient(found: Estimate | Refusal) -> str:
    from ragvigil.scorer.estimate import Refusal

    if isinstance(found, Refusal):
        return found.detail
    return f"{found.value:.2f} [{found.lower:.2f}, {found.upper:.2f}] n={found.n_judged:,} answers"

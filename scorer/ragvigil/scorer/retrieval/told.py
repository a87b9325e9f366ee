"""An evaluation of retrieval as text for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragvigil.scorer.estimate import FEWEST
from ragvigil.scorer.retrieval.chosen import target_of
from ragvigil.scorer.retrieval.compare import Compared
from ragvigil.scorer.retrieval.evaluation import Evaluation, called
from ragvigil.scorer.retrieval.measure import Figure, Measured

_NAMED = 22
_CELL = 19
_CELLS_A_LINE = 5
_TEXT = 70


def lines_of(found: Evaluation) -> Iterator[str]:
    """The lines of a report: each run, then each comparison."""
    yield from (f"note: {note}" for note in found.notes)
    for one in found.runs:
        yield from _run(one)
    for compared in found.comparisons:
        yield from _compared(compared)


def _run(one: Measured) -> Iterator[str]:
    yield ""
    yield f"{one.run}: {one.queries:,} queries; mean [95 % interval by query, by conversation where there is one]"
    if 0 < one.queries < FEWEST:
        yield f"  fewer than {FEWEST} queries: no interval, the means say nothing of other queries"
    yield from _table(one.figures, one.queries)
    for kind, figures in one.kinds.items():
        told = ", ".join(f"{called(each.metric, each.k)} {_cell(each)}" for each in figures)
        n = figures[0].n if figures else 0
        yield f"  {kind} ({n:,} queries): {told or 'no query with hops'}"
    for hops in one.hops:
        missed = ", ".join(f"{kind} {count:,}" for kind, count in hops.outcomes.items() if kind != "found")
        yield f"  two hops, k={hops.k}: {hops.outcomes['found']:,} found; missed: {missed}"
    yield from (f"  note: {note}" for note in one.notes)
    if any(each.metric == "unjudged" and each.value > 0.0 for each in one.figures):
        yield "  note: passages that nobody judged count as not relevant; better ones may be among them"
    if one.worst:
        yield "  worst queries:"
    for query in one.worst:
        first = "nowhere" if query.first is None else f"first at rank {query.first:,}"
        text = f": {' '.join(query.text.split())[:_TEXT]}" if query.text else ""
        yield f"    {query.id}: recall {query.recall:.2f} of {query.relevant}, {first}{text}"


def _table(figures: Sequence[Figure], queries: int) -> Iterator[str]:
    """A line for each metric with its ks beside each other, then those of the whole list."""
    metrics = dict.fromkeys(each.metric for each in figures if each.k is not None)
    ks = list(dict.fromkeys(each.k for each in figures if each.k is not None))
    by_place = {(each.metric, each.k): each for each in figures}
    for start in range(0, len(ks), _CELLS_A_LINE):
        shown = ks[start : start + _CELLS_A_LINE]
        yield f"  {'':<{_NAMED}}" + "".join(f"k={k}".ljust(_CELL) for k in shown).rstrip()
        for metric in metrics:
            cells = "".join(_cell(by_place[metric, k]).ljust(_CELL) for k in shown if (metric, k) in by_place)
            n = next(each.n for each in figures if each.metric == metric)
            yield f"  {metric:<{_NAMED}}{cells}".rstrip() + ("" if n == queries else f"  n={n:,}")
    for each in figures:
        if each.k is None:
            yield f"  {each.metric:<{_NAMED}}{_cell(each).ljust(_CELL)} whole list{_against_target(each)}"


def _cell(figure: Figure) -> str:
    if figure.lower is None or figure.upper is None:
        return f"{figure.value:.3f}"
    return f"{figure.value:.3f} [{_short(figure.lower)},{_short(figure.upper)}]"


def _short(value: float) -> str:
    """Three places, without the 0 before the point."""
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1.0 else f"{value:.2f}"


def _against_target(figure: Figure) -> str:
    target = target_of(figure.metric, figure.k)
    if target is None or figure.lower is None or figure.upper is None:
        return ""
    word = "above" if figure.lower > target else "below" if figure.upper < target else "not surely above"
    return f", {word} the usual target of {target}"


def _compared(one: Compared) -> Iterator[str]:
    yield ""
    if not one.moved:
        yield f"{one.second} less {one.first}: they have no query and metric in common"
        return
    yield f"{one.second} less {one.first}, on the same {one.moved[0].n:,} queries [95 % interval of the difference]"
    for moved in one.moved:
        interval = "" if moved.lower is None else f" [{moved.lower:+.3f},{moved.upper:+.3f}]"
        word = {
            "noise": "noise: smaller than its interval",
            "too few": f"too few queries to tell (fewer than {FEWEST})",
        }.get(moved.word, moved.word)
        yield f"  {called(moved.metric, moved.k):<{_NAMED}}{moved.difference:+.3f}{interval}  {word}"
    if one.turned:
        yield "  queries that changed most (nDCG):"
    for query in one.turned:
        text = f": {' '.join(query.text.split())[:_TEXT]}" if query.text else ""
        yield f"    {query.id} {query.difference:+.3f}{text}"

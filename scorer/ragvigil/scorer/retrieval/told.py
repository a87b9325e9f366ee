"""An evaluation of retrieval as text for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragvigil.exporters import clean
from ragvigil.scorer.estimate import FEWEST, FEWEST_CONVERSATIONS
from ragvigil.scorer.retrieval.chosen import target_of
from ragvigil.scorer.retrieval.compare import Compared, Moved
from ragvigil.scorer.retrieval.evaluation import Evaluation, called
from ragvigil.scorer.retrieval.measure import Figure, Measured, Worst

_NAMED = 22
_CELL = 19
_CELLS_A_LINE = 5
_TEXT = 70
_NOTE = 300


def lines_of(found: Evaluation) -> Iterator[str]:
    """The lines of a report: each run, then each comparison."""
    yield from (f"note: {clean(note, limit=_NOTE)}" for note in found.notes)
    for one in found.runs:
        yield from _run(one)
    for compared in found.comparisons:
        yield from _compared(compared)


def _run(one: Measured) -> Iterator[str]:
    yield ""
    by = "query" if one.conversations == one.queries else "conversation"
    queries = _queries(one.queries, one.conversations)
    yield f"{_line(one.run)}: {queries}; mean [95 % interval by {by}]"
    yield from _whole(one)
    for kind, figures in one.kinds.items():
        told = ", ".join(f"{called(each.metric, each.k)} {_cell(each)}" for each in figures)
        n = figures[0].n if figures else 0
        yield f"  {_line(kind)} ({n:,} queries): {told or 'no query with hops'}"
    for hops in one.hops:
        missed = ", ".join(f"{kind} {count:,}" for kind, count in hops.outcomes.items() if kind != "found")
        yield f"  two hops, k={hops.k}: {hops.outcomes['found']:,} found; missed: {missed}"
    yield from (f"  note: {clean(note, limit=_NOTE)}" for note in one.notes)
    if any(each.metric == "unjudged" and each.value > 0.0 for each in one.figures):
        yield "  note: passages that nobody judged count as not relevant; better ones may be among them"
    yield from _worst(one.worst)


def _worst(queries: Sequence[Worst]) -> Iterator[str]:
    if queries:
        yield "  worst queries:"
    for query in queries:
        first = "nowhere" if query.first is None else f"first at rank {query.first:,}"
        yield f"    {_line(query.id)}: recall {query.recall:.2f} of {query.relevant}, {first}{_text(query.text)}"


def _line(text: str) -> str:
    """What somebody else wrote: on one line, without what moves the cursor."""
    return clean(text, limit=_TEXT)


def _text(text: str | None) -> str:
    return f": {_line(text)}" if text else ""


def _queries(queries: int, conversations: int) -> str:
    of = "" if conversations == queries else f" in {conversations:,} conversations"
    return f"{queries:,} queries{of}"


def _lacking(one: Figure | Moved) -> str:
    """Why it has no interval."""
    if one.n < FEWEST:
        return f"fewer than {FEWEST} queries"
    return f"too few conversations ({one.conversations:,} of at least {FEWEST_CONVERSATIONS})"


def _whole(one: Measured) -> Iterator[str]:
    """The figures of all queries, and where the usual targets are."""
    if one.figures and one.figures[0].lower is None:
        yield f"  {_lacking(one.figures[0])}: no interval, the means say nothing of other queries"
    yield from _table(one.figures, one.queries)
    held = [each for each in one.figures if each.k is not None and _against_target(each)]
    if held:
        yield f"  {'; '.join(called(each.metric, each.k) + _against_target(each) for each in held)}"


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
    less = f"{_line(one.second)} less {_line(one.first)}"
    if not one.moved:
        yield f"{less}: they have no query and metric in common"
        return
    n = one.moved[0].n
    same = _queries(n, one.moved[0].conversations)
    yield f"{less}, on the same {same} [95 % interval of the difference]"
    yield from (f"  note: {note}" for note in one.notes)
    for moved in one.moved:
        interval = "" if moved.lower is None else f" [{moved.lower:+.3f},{moved.upper:+.3f}]"
        word = {
            "noise": "noise: smaller than its interval",
            "too few": f"too few to tell: {_lacking(moved)}",
        }.get(moved.word, moved.word)
        of = "" if moved.n == n else f"  n={moved.n:,}"
        yield f"  {called(moved.metric, moved.k):<{_NAMED}}{moved.difference:+.3f}{interval}  {word}{of}"
    if one.turned:
        yield "  queries that changed most (nDCG):"
    for query in one.turned:
        yield f"    {_line(query.id)} {query.difference:+.3f}{_text(query.text)}"

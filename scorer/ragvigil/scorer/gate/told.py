"""What came of a gate, in words: lines for a terminal, and Markdown for a pull request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ragvigil.exporters import clean
from ragvigil.scorer.estimate.figure import Figure, Unit
from ragvigil.scorer.gate.compare import Compared
from ragvigil.scorer.gate.decide import State
from ragvigil.scorer.gate.run import Held, Outcome

_SHOWN = 3
_LONGEST = 160
_MARKS: Mapping[State, str] = {
    "holds": "ok  ",
    "fails": "FAIL",
    "not_shown": "FAIL",
    "not_enough_data": "FAIL",
}
_NUMBERS: Mapping[Unit, Callable[[float], str]] = {
    "share": lambda value: f"{value:.1%}",
    "number": lambda value: f"{value:,.1f}",
    "seconds": lambda value: f"{value:.2f} s",
    "usd": lambda value: f"${value:.4f}",
}
_BOUNDS: Mapping[Unit, Callable[[float], str]] = {
    "share": lambda bound: f"{100.0 * bound:.4g}%",
    "number": lambda bound: f"{bound:.6g}",
    "seconds": lambda bound: f"{bound:.4g} s",
    "usd": lambda bound: f"${bound:g}",
}


def title(one: Outcome) -> str:
    """What a limit is about."""
    place = f"p{100.0 * one.quantile:g} of " if one.quantile is not None else ""
    return clean(f"{place}{one.name}{f' in {one.segment}' if one.segment else ''}", limit=120)


def limit(one: Outcome) -> str:
    """What is wanted of it."""
    bound = one.at_least if one.at_least is not None else one.at_most or 0.0
    return f"at {'least' if one.at_least is not None else 'most'} {_BOUNDS[one.figure.unit](bound)}"


def found(figure: Figure) -> str:
    """The value with its interval and n."""
    if figure.value is None or figure.lower is None or figure.upper is None:
        return f"not enough data, n={figure.n:,}"
    said = _NUMBERS[figure.unit]
    return f"{said(figure.value)} [{said(figure.lower)}, {said(figure.upper)}] n={figure.n:,}"


def moved(one: Compared) -> str:
    """How far it moved."""
    if one.difference is None:
        return f"not enough data, n={one.n:,}"
    return (
        f"{100.0 * one.difference.value:+.1f} points [{100.0 * one.difference.lower:+.1f}, "
        f"{100.0 * one.difference.upper:+.1f}] n={one.n:,}"
    )


def why(one: Outcome) -> str:
    """Why it does not hold, and the judge's own rate where labels correct it."""
    raw = f"the judge's own rate is {found(one.raw)}" if one.raw is not None else ""
    return "; ".join(filter(None, (one.decision.said, raw)))


def unanswered(held: Held) -> str:
    """Which questions have no answer; empty where all have."""
    if not held.unanswered:
        return ""
    some = ", ".join(clean(name, limit=40) for name in held.unanswered[:_SHOWN])
    more = f" and {len(held.unanswered) - _SHOWN:,} more" if len(held.unanswered) > _SHOWN else ""
    return f"{len(held.unanswered):,} questions of the test set have no answer: {some}{more}"


def as_text(held: Held) -> Iterator[str]:
    """A line for each limit and comparison, with the worst answers below one that does not hold."""
    for one in held.outcomes:
        said = why(one)
        yield f"{_MARKS[one.decision.state]} {title(one)}: {found(one.figure)}, {limit(one)} wanted" + (
            f": {said}" if said else ""
        )
        for worst in one.worst[:_SHOWN]:
            yield f"     {clean(worst.id, limit=60)}, {worst.state}: {clean(worst.answer, limit=_LONGEST)}"
    for each in held.compared:
        yield f"{_MARKS[each.state]} {each.name} against the baseline: {moved(each)}: {each.said}"
    if held.unanswered:
        yield f"FAIL {unanswered(held)}"
    yield from (f"note {note}" for note in held.notes)


def as_markdown(held: Held) -> str:
    """A table, and the worst answers below it; what answers say can be no Markdown or HTML."""
    lines = [f"### ragvigil: the gate {'holds' if held.holds else 'does not hold'}", ""]
    lines += [f"{held.answers:,} answers, judged by {held.judge}.", ""]
    lines += ["| | figure | found | wanted | |", "|---|---|---|---|---|"]
    lines += [
        _row(one.decision.state, title(one), found(one.figure), limit(one), why(one)) for one in held.outcomes
    ]
    lines += [
        _row(one.state, f"{one.name} against the baseline", moved(one), "no worse", one.said)
        for one in held.compared
    ]
    if held.unanswered:
        lines.append(_row("fails", "answers", unanswered(held), "one for each", ""))
    worst = [(one, each) for one in held.outcomes for each in one.worst[:_SHOWN]]
    lines += ["", "Answers that pull it down:", ""] if worst else []
    lines += [
        f"- {_plain(title(one))}, {_plain(each.id)} ({each.state}): {_plain(each.answer)}"
        for one, each in worst
    ]
    lines += ["", *(_plain(note) for note in held.notes)] if held.notes else []
    return "\n".join(lines) + "\n"


def _row(state: State, *cells: str) -> str:
    mark = "holds" if state == "holds" else "**fails**"
    return f"| {mark} | {' | '.join(map(_plain, cells))} |"


def _plain(text: str) -> str:
    """The text as Markdown that shows it.

    >>> print(_plain("a|b <img> [x](y) *z*"))
    a\\|b &lt;img&gt; \\[x\\](y) \\*z\\*
    """
    line = clean(text, limit=400).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"\\{each}" if each in "\\`*_[]|#@~" else each for each in line)

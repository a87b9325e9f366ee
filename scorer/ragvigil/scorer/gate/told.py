"""What came of a gate, in words: lines for a terminal, and Markdown for a pull request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ragvigil.exporters import clean
from ragvigil.scorer.estimate.figure import Figure, Unit
from ragvigil.scorer.gate.compare import Compared
from ragvigil.scorer.gate.decide import State
from ragvigil.scorer.gate.names import WITH_VERDICT
from ragvigil.scorer.gate.outcome import Outcome
from ragvigil.scorer.gate.run import Held, some

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
    usual = " (by default)" if one.by_default else ""
    return f"at {'least' if one.at_least is not None else 'most'} {_BOUNDS[one.figure.unit](bound)}{usual}"


def found(figure: Figure, answers: int) -> str:
    """The value with its interval and n, of how many answers."""
    n = _of(figure.n, answers)
    if figure.value is None or figure.lower is None or figure.upper is None:
        return f"not enough data, {n}"
    said = _NUMBERS[figure.unit]
    return f"{said(figure.value)} [{said(figure.lower)}, {said(figure.upper)}] {n}"


def moved(one: Compared) -> str:
    """How far it moved."""
    if one.difference is None:
        return f"not enough data, {_of(one.n, one.questions)}"
    return (
        f"{100.0 * one.difference.value:+.1f} points [{100.0 * one.difference.lower:+.1f}, "
        f"{100.0 * one.difference.upper:+.1f}] {_of(one.n, one.questions)}"
    )


def _of(n: int, answers: int) -> str:
    """How many have a value.

    >>> _of(27, 60), _of(60, 60)
    ('n=27 of 60', 'n=60')
    """
    return f"n={n:,}" if n == answers else f"n={n:,} of {answers:,}"


def why(one: Outcome) -> str:
    """Why it does not hold, and the judge's own rate where labels correct it."""
    raw = f"the judge's own rate is {found(one.raw, one.answers)}" if one.raw is not None else ""
    bounds = one.figure.bounds
    lost = (
        f"were all whose verdicts never came wrong it would be {bounds[0]:.1%}"
        if bounds and one.decision.said
        else ""
    )
    own = (
        f"who refuses, claims nothing or got no verdict is in few other figures; {one.name}.at_least says how many may"
        if one.by_default and one.decision.said and one.name == WITH_VERDICT
        else ""
    )
    return "; ".join(filter(None, (one.decision.said, lost, raw, own)))


def lacking(held: Held) -> Iterator[tuple[str, str]]:
    """(what should be, which questions are not so) for each thing that a gate wants of its files themselves."""
    wanted = (
        ("every question is answered", held.unanswered, "have no answer"),
        ("the baseline answers the same questions", held.unpaired, "are answered on one side alone"),
    )
    for should, names, what in wanted:
        if names:
            yield should, f"{len(names):,} questions {what}: {some(names)}"


def as_text(held: Held) -> Iterator[str]:
    """A line for each limit and comparison, with the worst answers below one that does not hold."""
    for one in held.outcomes:
        said = why(one)
        yield (
            f"{_MARKS[one.decision.state]} {title(one)}: {found(one.figure, one.answers)}, {limit(one)} wanted"
            + (f": {said}" if said else "")
        )
        for worst in one.worst[:_SHOWN]:
            yield f"     {clean(worst.id, limit=60)}, {worst.state}: {clean(worst.answer, limit=_LONGEST)}"
    for each in held.compared:
        yield f"{_MARKS[each.state]} {each.name} against the baseline: {moved(each)}: {each.said}"
    yield from (f"FAIL {said}" for _, said in lacking(held))
    yield from (f"note {note}" for note in held.notes)


def as_markdown(held: Held) -> str:
    """A table, and the worst answers below it; what answers say can be no Markdown or HTML."""
    lines = [f"### ragvigil: the gate {'holds' if held.holds else 'does not hold'}", ""]
    lines += [f"{held.answers:,} answers, judged by {held.judge}.", ""]
    lines += ["| | figure | found | wanted | |", "|---|---|---|---|---|"]
    lines += [
        _row(one.decision.state, title(one), found(one.figure, one.answers), limit(one), why(one))
        for one in held.outcomes
    ]
    lines += [
        _row(one.state, f"{one.name} against the baseline", moved(one), "no worse", one.said)
        for one in held.compared
    ]
    lines += [_row("fails", "answers", said, should, "") for should, said in lacking(held)]
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

"""The report: from answers with scores to panels. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ragvigil.scorer.estimate.figure import Figure, mean, quantile
from ragvigil.scorer.estimate.window import Booleans, Floats, Integers
from ragvigil.scorer.failure_tags import TAGS
from ragvigil.scorer.labels.book import Book
from ragvigil.scorer.moments import DAY, day_of
from ragvigil.scorer.reporting.bands import BY_WORDS, Banded, Overall, banded, overall, red_flags
from ragvigil.scorer.reporting.caveats import read_warnings, trust_warnings
from ragvigil.scorer.reporting.level import asked, faithful, missing_warnings, pass_rate
from ragvigil.scorer.signals.telling import Telling, telling
from ragvigil.scorer.signals.turns import Turn, signals_of
from ragvigil.scorer.store.reading_report import Answer, Read, Score
from ragvigil.scorer.verdict import State
from ragvigil.scorer.watch.gold import Labels

AXES = ("factuality", "attribution", "coverage", "calibration", "conciseness", "format")
CHECKS: Mapping[str, Mapping[str, str]] = {
    "generation quality": {
        "supported claims": "supported_claims",
        "answer relevance": "judge.answer_relevance",
        "six axes": "judge.six_axes",
        "grounded answer score": "grounded_answer",
        "grounded answer score, judged": "judge.grounded_answer",
        "claims misread": "claims_misread",
        "answer structure": "answer_structure",
        "conditions kept": "conditions_kept",
        "answer first": "answer_first",
    },
    "retrieval": {
        "context relevance": "judge.context_relevant_share",
        "context relevance by words": "context_relevance",
        "context precision": "judge.context_precision",
        "context precision by words": "context_precision",
        "nothing retrieved": "empty_retrieval",
    },
    "attribution": {
        "citation correctness": "citation_correctness",
        "citations present": "citations_present",
        "citation coverage": "citation_coverage",
        "citation support": "citation_support",
        "over-broad citations": "citations_over_broad",
    },
    "abstention": {
        "abstained": "abstention",
        "answered without evidence": "missing_refusal",
        "refused in spite of evidence": "over_refusal",
        "evidence sufficient": "evidence_sufficiency",
    },
}
"""Panels of checks and judged measures: what a line is called, and whose scores it is."""
DETAILED = ("grounded_answer", "failure_tags")
NAMES = tuple(dict.fromkeys([*(one for panel in CHECKS.values() for one in panel.values()), *DETAILED]))
_JUDGED = "judge."
_Scores = Mapping[int, Score]
_LEAST_CHANCE = 1e-6
_EXAMPLES = 3
_MOST_SEGMENTS = 12


@dataclass(frozen=True, slots=True)
class Shown:
    """One answer as an example."""

    trace_id: str
    query: str | None
    faithfulness: float
    verdict: State | None
    why: str | None


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a trend or heatmap: a figure for each column."""

    name: str
    cells: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of figures over the same columns."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    left_out: int = 0
    """Values with fewer answers that have no column."""


@dataclass(frozen=True, slots=True)
class Report:
    """One service over one stretch."""

    service: str
    environment: str | None
    since: int
    until: int
    answers: int
    read: int
    """Answers that the figures are made of; fewer than `answers` where a sample was drawn."""
    panels: Mapping[str, tuple[Figure, ...]]
    bands: tuple[Banded, ...]
    overall: Overall
    red_flags: tuple[str, ...]
    best: tuple[Shown, ...]
    worst: tuple[Shown, ...]
    trend: Table
    """Axes of the grounded answer score by day, as shares of 4."""
    tags_by_day: Table
    tags_by_segment: Table
    signals: tuple[Telling, ...]
    warnings: tuple[str, ...]


def report_of(
    place: tuple[str, str | None],
    read: Read,
    scores: Mapping[str, _Scores],
    *,
    since: int,
    until: int,
    people_read: int,
    labels: Labels,
    book: Book | None = None,
    explain: Callable[[int], str | None] = lambda _: None,
) -> Report:
    """The report on the answers of [since, until), Unix nanoseconds.

    People have read `people_read` of them; what they said of this service's (`book`), else `labels` of yours, corrects
    the judge's pass rate. `explain` says by its id what is wrong with an answer of which the judge gave no reason.
    """
    answers = read.answers
    groups = _conversations(answers)
    weight = np.array([1.0 / one.upstream for one in answers], dtype=np.float64)
    judge = latest_judge(answers)
    sample = asked(answers, groups, judge, _bears_claims(answers, scores["supported_claims"]))
    faithfulness, level = pass_rate(sample), faithful(sample, labels, book)
    panels = _panels(answers, scores, groups, weight, (faithfulness, level))
    by_tag = _tag_values(answers, scores["failure_tags"])
    figures = _figures(panels, by_tag, groups, weight)
    bands = banded(_for_bands(figures) | {"faithfulness": faithfulness if level.value is None else level})
    days = np.array([one.started_at // DAY for one in answers], dtype=np.int64)
    flags = red_flags(figures)
    return Report(
        *place,
        since,
        until,
        read.total,
        len(answers),
        panels,
        bands,
        overall(bands, flags),
        flags,
        *_examples(_ranked(answers, judge), explain),
        _by_day(_axis_values(answers, scores["grounded_answer"]), days, groups, weight),
        _by_day(by_tag, days, groups, weight),
        _by_segment(by_tag, answers, groups, weight),
        _signals(answers, groups, judge, until),
        (
            *read_warnings(read, days, scores["empty_retrieval"]),
            *missing_warnings(sample, faithfulness, level),
            *trust_warnings(panels, people_read, faithfulness),
        ),
    )


def latest_judge(answers: Sequence[Answer]) -> str | None:
    """The judge (version and prompt) of the last verdict; None where none came. A report is about its verdicts."""
    return next((one.judge for one in reversed(answers) if one.judge is not None), None)


def _panels(
    answers: Sequence[Answer],
    scores: Mapping[str, _Scores],
    groups: Integers,
    weight: Floats,
    levels: tuple[Figure, ...],
) -> dict[str, tuple[Figure, ...]]:
    """Those of CHECKS, quality with its `levels` and success in front, and what answers cost."""
    judged = _drawn(answers, weight)
    panels = {
        name: tuple(
            mean(
                line,
                _values(answers, scores[check]),
                groups,
                weight=judged if check.startswith(_JUDGED) else weight,
            )
            for line, check in lines.items()
        )
        for name, lines in CHECKS.items()
    }
    quality = "generation quality"
    panels[quality] = (*levels, _success(answers, groups, judged), *panels[quality])
    panels["cost and latency"] = _cost(answers, groups)
    return panels


def _figures(
    panels: Mapping[str, tuple[Figure, ...]], by_tag: Mapping[str, Floats], groups: Integers, weight: Floats
) -> dict[str, Figure]:
    """All by name, with the share of each tag."""
    known = {one.name: one for panel in panels.values() for one in panel}
    return known | {tag: mean(tag, values, groups, weight=weight) for tag, values in by_tag.items()}


def _drawn(answers: Sequence[Answer], weight: Floats) -> Floats:
    """What judged measures weigh: they exist only where the sampler chose the answer, which it does not evenly."""
    return weight / np.array([max(one.inclusion, _LEAST_CHANCE) for one in answers], dtype=np.float64)


def _success(answers: Sequence[Answer], groups: Integers, drawn: Floats) -> Figure:
    """The share of queries that succeeded from end to end, by the newest judge that says so."""
    judge = next((one.success_by for one in reversed(answers) if one.success is not None), None)
    values = _floats([one.success if one.success_by == judge else None for one in answers])
    note = "no judge says it" if judge is None else ""
    return mean("end-to-end success", values, groups, weight=drawn, note=note)


def _bears_claims(answers: Sequence[Answer], scores: _Scores) -> Booleans:
    """Where the check found claims and evidence, or did not run."""
    return np.array([one.id not in scores or scores[one.id].value is not None for one in answers], np.bool_)


def _for_bands(figures: Mapping[str, Figure]) -> dict[str, Figure]:
    """The judged measure where there is one, else what words tell."""
    found = dict(figures)
    for name in ("context relevance", "context precision"):
        if figures[name].value is None:
            found[name] = figures[f"{name}{BY_WORDS}"]
    return found


def _cost(answers: Sequence[Answer], groups: Integers) -> tuple[Figure, ...]:
    def of(field: Callable[[Answer], float | None]) -> Floats:
        return _floats([field(one) for one in answers])

    total, retrieval = of(lambda one: one.total_seconds), of(lambda one: one.retrieval_seconds)
    return (
        mean("cost of an answer", of(lambda one: one.cost_usd), groups, unit="usd"),
        mean("output tokens", of(lambda one: one.output_tokens), groups, unit="number"),
        quantile("end to end, median", total, 0.5, unit="seconds"),
        quantile("end to end, 95 %", total, 0.95, unit="seconds"),
        quantile("retrieval, 95 %", retrieval, 0.95, unit="seconds"),
        quantile("generation, 95 %", of(lambda one: one.generation_seconds), 0.95, unit="seconds"),
    )


def _signals(
    answers: Sequence[Answer], groups: Integers, judge: str | None, until: int
) -> tuple[Telling, ...]:
    turns = [Turn(one.conversation or None, one.started_at, one.query, one.feedback) for one in answers]
    known = [place for place, one in enumerate(answers) if one.passed is not None and one.judge == judge]
    found = signals_of(turns, until=until)
    bad = _floats([1.0 - (answers[place].passed or 0.0) for place in known])
    weight = _floats([answers[place].weight or 1.0 for place in known])
    return telling([found[place] for place in known], bad, weight, groups[known])


def _ranked(answers: Sequence[Answer], judge: str | None) -> list[Answer]:
    """Judged answers: those that the passages contradict first, then the least faithful; of equals the newest."""
    known = [
        one
        for one in answers
        if one.faithfulness is not None and one.passed is not None and one.judge == judge
    ]
    known.sort(key=lambda one: (one.verdict != "contradicted", one.faithfulness or 0.0, -one.started_at))
    return known


def _shown(one: Answer, explain: Callable[[int], str | None]) -> Shown:
    why = one.why or (None if one.passed else explain(one.id))
    return Shown(one.trace_id, one.query, one.faithfulness or 0.0, one.verdict, why)


def _examples(
    ranked: Sequence[Answer], explain: Callable[[int], str | None]
) -> tuple[tuple[Shown, ...], tuple[Shown, ...]]:
    """The best, and the worst with what is wrong."""
    best = tuple(_shown(one, lambda _: None) for one in ranked[::-1][:_EXAMPLES])
    return best, tuple(_shown(one, explain) for one in ranked[:_EXAMPLES])


def _tag_values(answers: Sequence[Answer], scores: _Scores) -> dict[str, Floats]:
    found = {str(tag): np.full(len(answers), np.nan) for tag in TAGS}
    for place, one in enumerate(answers):
        score = scores.get(one.id)
        # Of an answer whose content is gone nobody knows which tags it had; passes alone would make it look well.
        if one.whole and score is not None and score.value is not None:
            for tag, values in found.items():
                values[place] = float(tag in score.details)
    return found


def _axis_values(answers: Sequence[Answer], scores: _Scores) -> dict[str, Floats]:
    found = {axis: np.full(len(answers), np.nan) for axis in AXES}
    for place, one in enumerate(answers):
        axes: dict[str, float | None] = scores[one.id].details.get("axes", {}) if one.id in scores else {}
        for axis, values in found.items():
            value = axes.get(axis)
            values[place] = np.nan if value is None else value / 4.0
    return found


def _by_day(values: Mapping[str, Floats], days: Integers, groups: Integers, weight: Floats) -> Table:
    columns = sorted(set(days.tolist()))
    codes = np.searchsorted(np.array(columns, dtype=np.int64), days) if columns else days
    return _table(values, [day_of(day) for day in columns], codes, groups, weight)


def _table(
    values: Mapping[str, Floats], labels: Sequence[str], codes: Integers, groups: Integers, weight: Floats
) -> Table:
    rows = [
        Row(
            name,
            tuple(
                mean(label, own[codes == code], groups[codes == code], weight=weight[codes == code])
                for code, label in enumerate(labels)
            ),
        )
        for name, own in values.items()
    ]
    return Table(tuple(labels), tuple(rows))


def _by_segment(
    values: Mapping[str, Floats], answers: Sequence[Answer], groups: Integers, weight: Floats
) -> Table:
    segments, codes, left_out = _segments(answers)
    return replace(_table(values, segments, codes, groups, weight), left_out=left_out)


def _segments(answers: Sequence[Answer]) -> tuple[list[str], Integers, int]:
    """The dimension that most answers carry with few values; its values, each answer's code (-1: none), the rest."""
    counts: dict[str, dict[str, int]] = {}
    for one in answers:
        for name, value in one.segment.items():
            own = counts.setdefault(name, {})
            own[value] = own.get(value, 0) + 1
    fit = {name: own for name, own in counts.items() if 2 <= len(own) <= 10 * _MOST_SEGMENTS}
    if not fit:
        return [], np.full(len(answers), -1, dtype=np.int64), 0
    name = max(sorted(fit), key=lambda one: (sum(fit[one].values()), -len(fit[one])))
    kept = sorted(fit[name], key=lambda value: (-fit[name][value], value))[:_MOST_SEGMENTS]
    place = {value: code for code, value in enumerate(kept)}
    codes = [place.get(one.segment.get(name, ""), -1) for one in answers]
    return [f"{name}={value}" for value in kept], np.array(codes, dtype=np.int64), len(fit[name]) - len(kept)


def _values(answers: Sequence[Answer], scores: _Scores) -> Floats:
    return _floats([scores[one.id].value if one.id in scores else None for one in answers])


def _conversations(answers: Sequence[Answer]) -> Integers:
    known: dict[str, int] = {}
    return np.array(
        [known.setdefault(one.conversation or f" {one.id}", len(known)) for one in answers], dtype=np.int64
    )


def _floats(values: Sequence[float | None]) -> Floats:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)

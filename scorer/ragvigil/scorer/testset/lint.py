"""What is off with a test set: its size, its composition, twins, and golden passages that are not there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ragvigil.scorer.data import read_data
from ragvigil.scorer.errors import InputError
from ragvigil.scorer.estimate import observations_for
from ragvigil.scorer.estimate.figure import CONFIDENCE
from ragvigil.scorer.listed import listed
from ragvigil.scorer.offline.synthetic import MARK
from ragvigil.scorer.testset import quarter as holdout
from ragvigil.scorer.testset.alike import Known
from ragvigil.scorer.testset.corpus import Corpus
from ragvigil.scorer.testset.read import Testset
from ragvigil.scorer.testset.row import Row

_DATA: Any = read_data("composition.json")
KINDS: Mapping[str, float] = _DATA["kinds"]
"""Share of a set that rows of each kind should be; a row says its kind as a tag."""
_LEAST: int = _DATA["least"]
_WARN_UNDER: int = _DATA["warn_under"]
_TOLERANCE: float = _DATA["tolerance"]
_FEW = 5


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that is off."""

    level: Literal["error", "warning"]
    place: str
    problem: str


def lint(
    testset: Testset,
    unread: Iterable[InputError],
    corpus: Corpus | None,
    no_answer_limit: float | None,
    *,
    apart: Iterable[Testset] = (),
    now: int,
) -> Iterator[Found]:
    """What is off: errors first. `unread` are rows that could not be read; `now` is in Unix nanoseconds.

    With none of the sets `apart` it may share a question. `no_answer_limit` is the most false claims that a gate allows
    among no-answer items; None: no such gate is used.
    """
    for error in unread:
        yield Found("error", error.place, error.problem)
    yield from _twins(testset)
    yield from _apart(testset, apart)
    yield from _holdout(testset, now)
    if corpus is not None:
        yield from _absent(testset, corpus)
    yield from _unanswered(testset)
    if not any(holdout.MARK in row.tags for row in testset.rows):
        yield from _size(testset)
    yield from _composition(testset)
    if no_answer_limit is not None:
        yield from _no_answer(testset, no_answer_limit)


def kind_of(row: Row) -> str | None:
    """The kind of a row, by its tags; None where they name none, or several.

    >>> kind_of(Row(query_id="a", query="?", tags=("synthetic", "partial")))
    'partial'
    """
    named = [tag for tag in row.tags if tag in KINDS]
    return named[0] if len(named) == 1 else None


def _at(testset: Testset, row: Row, field: str) -> str:
    return f"{testset.path}, line {testset.lines[row.query_id]}, {field}"


def _twins(testset: Testset) -> Iterator[Found]:
    """Questions that are there twice: in the same words they count twice, in others they may."""
    seen = Known()
    for row in testset.rows:
        place = _at(testset, row, "query")
        same, alike = seen.same(row.query), seen.alike(row.query)
        if same is not None:
            said = f"is asked on line {testset.lines[same]} too: it would count twice; leave one out"
            yield Found("error", place, said)
        elif alike is not None:
            said = f"asks nearly what line {testset.lines[alike]} asks: if they are one, leave one out"
            yield Found("warning", place, said)
        seen.add(row.query_id, row.query)


def _apart(testset: Testset, others: Iterable[Testset]) -> Iterator[Found]:
    """Questions of a set that is to be held apart from this one."""
    for other in others:
        held = Known((row.query_id, row.query) for row in other.rows)
        for row in testset.rows:
            same = held.same(row.query)
            name = same or held.alike(row.query)
            if name is not None:
                asked = (
                    f"is {'asked' if same else 'nearly asked'} in {other.path}, line {other.lines[name]}, too"
                )
                said = f"{asked}: what is tuned on one says nothing of the other; leave it out of one"
                yield Found("error" if same else "warning", _at(testset, row, "query"), said)


def _holdout(testset: Testset, now: int) -> Iterator[Found]:
    """A holdout among other rows, or of a quarter that is over."""
    held = [row for row in testset.rows if holdout.MARK in row.tags]
    if held and len(held) < len(testset.rows):
        lines = _some([str(testset.lines[row.query_id]) for row in held], "line")
        said = f"{len(held):,} rows are held back ({lines}), the others are not; keep a holdout in a file of its own"
        yield Found("error", str(testset.path), said)
    quarters = sorted({tag for row in held for tag in row.tags if holdout.is_quarter(tag)})
    latest, running = quarters[-1] if quarters else None, holdout.quarter_of(now)
    if latest is not None and latest < holdout.quarter_before(running):
        said = f"is the holdout of {latest}, and now is {running}: draw one of the quarter that ended last"
        yield Found("warning", str(testset.path), said)
    if len(quarters) > 1:
        yield Found(
            "warning", str(testset.path), f"holds questions of {', '.join(quarters)}; keep each apart"
        )


def _absent(testset: Testset, corpus: Corpus) -> Iterator[Found]:
    for row in testset.rows:
        held = (name for one in row.nuggets for name in one.golden_context_ids)
        named = dict.fromkeys((*row.golden_context_ids, *held))
        gone = [name for name in named if not corpus.knows(name)]
        if gone:
            said = f"{_some(gone)} not in the corpus; name passages that are, or freeze with the corpus that has them"
            yield Found("error", _at(testset, row, "golden_context_ids"), said)


def _unanswered(testset: Testset) -> Iterator[Found]:
    bare = [row for row in testset.rows if not row.expected_refusal and not row.golden_answer]
    if bare:
        lines = _some([str(testset.lines[row.query_id]) for row in bare], "line")
        yield Found(
            "warning",
            str(testset.path),
            f"{len(bare):,} rows expect an answer and have no golden_answer ({lines}): only checks can tell of them",
        )
    for row in testset.rows:
        if row.expected_refusal and row.golden_context_ids:
            said = (
                "are named although no answer is expected; take them away, or set expected_refusal to false"
            )
            yield Found("error", _at(testset, row, "golden_context_ids"), said)


def _size(testset: Testset) -> Iterator[Found]:
    count = len(testset.rows)
    if count < _LEAST:
        why = "segments cannot be told apart" if count < _WARN_UNDER else "intervals of segments stay wide"
        yield Found("warning", str(testset.path), f"{count:,} rows, at least {_LEAST} are wanted: {why}")
    made = sum(MARK in row.tags for row in testset.rows)
    if made * 2 > count:
        yield Found(
            "warning",
            str(testset.path),
            f"{made:,} of {count:,} rows are synthetic: they stand for no traffic",
        )


def _composition(testset: Testset) -> Iterator[Found]:
    kinds = Counter(map(kind_of, testset.rows))
    count = len(testset.rows)
    if not count:
        return
    if kinds[None]:
        lines = _some(
            [str(testset.lines[row.query_id]) for row in testset.rows if kind_of(row) is None], "line"
        )
        tell = f"{kinds[None]:,} rows have no kind, or several ({lines}); tag each with one of {', '.join(KINDS)}"
        yield Found("warning", str(testset.path), tell)
    for kind, wanted in KINDS.items():
        share = kinds[kind] / count
        if abs(share - wanted) > _TOLERANCE * wanted + 1e-9:
            have = f"{kind}: {kinds[kind]:,} of {count:,} rows ({share:.0%})"
            off = f"{have}, {wanted:.0%} are wanted ({wanted * count:.0f})"
            yield Found("warning", str(testset.path), off)


def _no_answer(testset: Testset, limit: float) -> Iterator[Found]:
    have = sum(row.expected_refusal for row in testset.rows)
    needed = observations_for(0.0, limit, confidence=CONFIDENCE) or 0
    if have < needed:
        said = (
            f"{have:,} rows expect a refusal, {needed:,} are needed: even with no false claim among fewer, the upper "
            f"end of the interval lies over {100.0 * limit:.4g}%"
        )
        yield Found("warning", str(testset.path), said)


def _some(names: list[str], noun: str = "") -> str:
    """The first few.

    >>> _some(["2", "5"], "line"), _some(["a"] * 7)
    ('lines 2, 5', 'a, a, a, a, a and 2 more')
    """
    head = f"{noun}{'s' if len(names) > 1 else ''} " if noun else ""
    return f"{head}{listed(names, _FEW)}"

"""One trace: question, answer and passages, each claim with what carries it, every score with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

from ragvigil.scorer.checks import CHECKS
from ragvigil.scorer.dashboard.page import Asked, NotThereError
from ragvigil.scorer.incidents.pages import trace_link
from ragvigil.scorer.store.reading_answers import Known, Scored, known
from ragvigil.scorer.trace import Document
from ragvigil.scorer.verdict import Claim

Health = Literal["good", "bad", "open"]
"""Of a score: whether it is at the good end of its range, in the worse half, or neither."""
LONGEST_ANSWER, LONGEST_PASSAGE, MOST_PASSAGES, MOST_RECORDS = 100_000, 20_000, 100, 20
"""Characters, passages and records of which no more is shown."""
_CHECKS = {check.id: check for check in CHECKS}


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text, and how it is shown."""

    text: str
    kind: str
    """Verdict of the claim that it belongs to, ``at_fault`` for words that the passages lack, or nothing."""
    claim: int | None = None
    """1-based number of that claim."""


@dataclass(frozen=True, slots=True)
class Passage:
    """One passage, with the stretches that claims rest on."""

    document: Document
    pieces: Sequence[Piece]


@dataclass(frozen=True, slots=True)
class Score:
    """One score, and whether it is good."""

    scored: Scored
    health: Health


@dataclass(frozen=True, slots=True)
class Record:
    """One question answered once."""

    known: Known
    answer: Sequence[Piece]
    passages: Sequence[Passage]
    scores: Sequence[Score]
    """What is bad first."""


@dataclass(frozen=True, slots=True)
class AnswerPage:
    """All records of one trace."""

    trace_id: str
    link: str | None
    """To the trace in the team's tracing tool."""
    records: Sequence[Record]
    more: int
    """Records of it that are not shown."""
    longest: int = LONGEST_ANSWER


def answer(asked: Asked) -> AnswerPage:
    """The trace that the address names."""
    trace_id = asked.path["trace"]
    found, in_all = known(asked.connection, trace_id, asked.query.get("span"), MOST_RECORDS)
    if not found:
        raise NotThereError(f"No answer of trace {trace_id} is kept.")
    return AnswerPage(
        trace_id,
        trace_link(trace_id, asked.settings.links),
        [_record(one) for one in found],
        in_all - len(found),
    )


def _record(one: Known) -> Record:
    claims = () if one.verdict is None else one.verdict.claims
    scores = [Score(score, _health(score)) for score in one.scores]
    return Record(
        one,
        pieces_of_answer(one.record.answer or "", claims),
        [_passage(document, claims) for document in one.record.documents[:MOST_PASSAGES]],
        sorted(scores, key=lambda score: score.health != "bad"),
    )


def _health(score: Scored) -> Health:
    check = _CHECKS.get(score.name)
    if check is None or score.value is None or check.better == "neither":
        return "open"
    short = 1.0 - score.value if check.better == "high" else score.value
    # Of what comes in degrees, such as the share of passages used, little is not bad.
    return "good" if short == 0.0 else "bad" if short > 0.5 else "open"


def pieces_of_answer(answer: str, claims: Sequence[Claim]) -> list[Piece]:
    """The answer, cut where claims and words at fault begin and end; together the pieces are the answer.

    >>> claim = Claim("It is 12.", 0, 9, (), "unsupported", 0.1, unsupported_spans=((6, 8),))
    >>> [(piece.text, piece.kind, piece.claim) for piece in pieces_of_answer("It is 12. Bye", [claim])]
    [('It is ', 'unsupported', 1), ('12', 'at_fault', 1), ('.', 'unsupported', 1), (' Bye', '', None)]
    """
    numbered = list(enumerate(claims, 1))
    marks = [_Mark(claim.start, claim.end, claim.verdict, number) for number, claim in numbered]
    faults = [
        _Mark(*span, "at_fault", number) for number, claim in numbered for span in claim.unsupported_spans
    ]
    return _cut(answer, [*marks, *faults], LONGEST_ANSWER)


def _passage(document: Document, claims: Sequence[Claim]) -> Passage:
    """A passage without an id is named by its rank, as in verdicts."""
    name = document.id or f"#{document.rank}"
    marks = [
        _Mark(claim.nearest.start, claim.nearest.end, claim.verdict, number)
        for number, claim in enumerate(claims, 1)
        if claim.nearest is not None and claim.nearest.passage == name
    ]
    return Passage(document, _cut(document.text or "", marks, LONGEST_PASSAGE))


class _Mark(NamedTuple):
    start: int
    end: int
    kind: str
    claim: int


def _cut(text: str, marks: Sequence[_Mark], limit: int) -> list[Piece]:
    """The text in pieces, `limit` characters of it at most; where marks overlap the later one of the list is shown."""
    end = min(len(text), limit)
    opening: dict[int, list[int]] = {}
    for place, one in enumerate(marks):
        if 0 <= one.start < one.end <= len(text):
            opening.setdefault(one.start, []).append(place)
    edges = sorted({0, end, *(edge for one in marks for edge in one[:2] if 0 < edge < end)})
    pieces: list[Piece] = []
    over: list[int] = []
    for start, stop in pairwise(edges):
        over = sorted([place for place in over if marks[place].end > start] + opening.get(start, []))
        shown = marks[over[-1]] if over else None
        pieces.append(Piece(text[start:stop], shown.kind if shown else "", shown.claim if shown else None))
    return pieces

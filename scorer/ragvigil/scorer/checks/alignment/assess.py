"""Assessment: every claim of a record with its probability of support, and what they add up to."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice
from math import log1p
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragvigil.scorer.checks.alignment.align import FIGURES, Alignment, Stated, align
from ragvigil.scorer.checks.alignment.model import Model, claim_figures, probability
from ragvigil.scorer.checks.alignment.reasons import AGAINST_RECORD, reason_of, unsupported_spans
from ragvigil.scorer.checks.reading.claims import Statement
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.verdict import Claim, ClaimVerdict, Source

VERSION = "39"
"""Changes whenever the code would give other figures with the same coefficients."""
MOST_CLAIMS = 500
"""Claims of one answer that are compared in production; of more, an evenly spread sample."""
_NOVEL_SHARE = FIGURES.index("novel_share")
_NOVEL_COUNT, _KINDRED, _BESIDE_RECORD = map(FIGURES.index, ("novel_count", "kindred_share", "record_novel"))
_NOVELTY_FROM, _NOVELTY_COSTS, _NOVELTY_LEAVES = 0.5, 2.0, 0.1
_WHOLLY_NOVEL, _FEWEST_NOVEL, _WHOLLY_NOVEL_LEAVES = 0.999, log1p(3), 0.49
_WORTH: dict[ClaimVerdict, float] = {
    "supported": 1.0,
    "partial": 0.5,
    "unsupported": 0.0,
    "contradicted": 0.0,
}


@dataclass(frozen=True, slots=True)
class Assessment:
    """What the evidence says of the claims of one answer."""

    claims: tuple[Claim, ...]
    support: float | None
    """Supported claims over claims, a partial one counting one half; None without claims."""
    faithfulness: float | None
    """Probability that no claim is unsupported; None without claims."""
    truncated: bool
    """Whether evidence beyond the limit was left out."""
    refuses: bool
    """Whether any sentence says that there is no answer."""
    stated: int = 0
    """How many claims the answer makes; more than `claims` holds when only a sample was compared."""

    @property
    def remark(self) -> str | None:
        """What was left out, in words fit for a page; None when all was compared."""
        remarks: list[str] = []
        if self.stated > len(self.claims):
            remarks.append(f"{len(self.claims):,} of {self.stated:,} claims were compared, evenly spread")
        if self.truncated:
            remarks.append("very much evidence: only the first passages were compared")
        return "; ".join(remarks) or None


class Answered(NamedTuple):
    """An answer, and what its claims are compared with."""

    answer: str
    statements: Sequence[Statement]
    evidence: Evidence
    question: Collection[str]
    """Stems of the query."""


class _Compared(NamedTuple):
    """The claims of one answer that were compared."""

    statements: Sequence[Statement]
    aligned: Sequence[Alignment]
    words: Sequence[list[float]]
    """Of each claim the log-odds that each of its words is unfounded."""
    figures: NDArray[np.float64]
    """A row of CLAIM_FEATURES for each; likewise the log-odds of its `support`."""
    support: Sequence[float]
    stated: int
    """How many claims the answer makes."""


def assess(
    answers: Sequence[Answered], model: Model, *, most_claims: int | None = MOST_CLAIMS
) -> list[Assessment]:
    """The assessment of each answer by its check-worthy statements: all, or `most_claims` spread over the whole of it.

    Those of several answers at once take less time than one after the other.
    """
    worthy = [[one for one in each.statements if one.checkworthy] for each in answers]
    compared = [spread(each, most_claims) for each in worthy]
    aligned = align(
        [
            Stated([(one.words, one.text) for one in each], evidence, question)
            for each, (_, _, evidence, question) in zip(compared, answers, strict=True)
        ],
        model.weights,
    )
    words = [[model.words(one) for one in each] for each in aligned]
    figures = [list(map(claim_figures, *each)) for each in zip(aligned, words, strict=True)]
    lone = [len(each) == 1 for each in worthy]
    columns = zip(
        *(compared, aligned, words, map(np.array, figures), _support(figures, lone, model), map(len, worthy)),
        strict=True,
    )
    return [_assessed(one, _Compared(*each), model) for one, each in zip(answers, columns, strict=True)]


def _support(
    figures: Sequence[Sequence[Sequence[float]]], lone: Sequence[bool], model: Model
) -> list[list[float]]:
    """The log-odds of support of each claim of each answer, given its `claim_figures`; `lone`: it makes one claim."""
    found: list[list[float]] = [[] for _ in figures]
    for alone in (False, True):
        places = [place for place, each in enumerate(figures) if each and lone[place] == alone]
        rows = [row for place in places for row in figures[place]]
        odds = iter(model.support(rows, lone=alone) if rows else ())
        for place in places:
            found[place] = list(islice(odds, len(figures[place])))
    return found


def _assessed(answered: Answered, compared: _Compared, model: Model) -> Assessment:
    answer, statements, evidence, _ = answered
    refuses = any(statement.kind == "refusal" for statement in statements)
    if not compared.statements:
        return Assessment((), None, None, False, refuses)
    lone = compared.stated == 1
    aligned, support = compared.aligned, compared.support
    found = [
        bounded(odds, one, model, lone=lone) if evidence.segments else 0.0
        for odds, one in zip(support, aligned, strict=True)
    ]
    verdicts: list[ClaimVerdict] = [
        _verdict(each, one, model) for each, one in zip(found, aligned, strict=True)
    ]
    among = model.support(compared.figures) if lone and verdicts[0] != "supported" else support
    at_fault = _at_fault(verdicts, compared.words, among, model)
    claims = tuple(
        [
            _claim(answer, evidence, model, *each)
            for each in zip(compared.statements, aligned, found, verdicts, at_fault, strict=True)
        ]
    )
    return Assessment(
        claims=claims,
        support=round(sum(_WORTH[claim.verdict] for claim in claims) / len(claims), 6),
        faithfulness=model.faithfulness(found, compared.figures, refuses=refuses),
        truncated=evidence.truncated,
        refuses=refuses,
        stated=compared.stated,
    )


def spread(statements: Sequence[Statement], most: int | None) -> Sequence[Statement]:
    """At most `most` of `statements` at even distances, always the same: padding must not push a claim out of sight."""
    count = len(statements)
    if most is None or count <= most:
        return statements
    return [statements[(2 * place + 1) * count // (2 * most)] for place in range(most)]


def _at_fault(
    verdicts: Sequence[ClaimVerdict], words: Sequence[list[float]], support: Sequence[float], model: Model
) -> list[list[float] | None]:
    """For each claim that is not supported what `Model.spans` has of its words; None for the others."""
    faulty = [place for place, verdict in enumerate(verdicts) if verdict != "supported"]
    spans = model.spans([words[place] for place in faulty], [support[place] for place in faulty])
    of_faulty = dict(zip(faulty, spans, strict=True))
    return [of_faulty.get(place) for place in range(len(verdicts))]


def _claim(
    answer: str,
    evidence: Evidence,
    model: Model,
    statement: Statement,
    alignment: Alignment,
    probability: float,
    verdict: ClaimVerdict,
    odds: Sequence[float] | None,
) -> Claim:
    """One claim; `odds`: that its words are at fault, as `Model.spans` has them, None where it is supported."""
    carried = verdict in ("supported", "partial")
    return Claim(
        text=answer[statement.start : statement.end],
        start=statement.start,
        end=statement.end,
        supported_by=tuple([evidence.names[passage] for passage in alignment.passages]) if carried else (),
        verdict=verdict,
        probability=probability,
        nearest=_nearest(alignment, evidence),
        reason=None if odds is None else reason_of(alignment),
        unsupported_spans=()
        if odds is None
        else unsupported_spans(statement, alignment, odds, model.span_from),
    )


def bounded(support: float, alignment: Alignment, model: Model, *, lone: bool) -> float:
    """The probability of log-odds `support`, at most what a contradiction, a number or much novelty leaves."""
    supported = min(probability(support), novelty_ceiling(alignment, lone=lone))
    unfounded = alignment.unfounded_number or alignment.renamed
    if unfounded or (lone and any(alignment.figures[place] for place in AGAINST_RECORD)):
        supported = min(supported, model.unfounded_number_at_most)
    return min(supported, model.contradicted_at_most) if alignment.contradiction else supported


def novelty_ceiling(alignment: Alignment, *, lone: bool) -> float:
    """The most that a claim can be supported, in [0.1, 1], given how much of it is novel.

    A lone one's falls with the share of its weight that is: nothing that a fit finds elsewhere may outweigh that most
    of it is invented. Among others, one of three meaningful words or more is not supported where prose has none of
    them, nor of their kin; the fit alone leaves that open, for people seldom marked such asides in RAGTruth.
    """
    figures = alignment.figures
    novel = figures[_NOVEL_SHARE]
    if lone:
        return round(min(1.0, max(_NOVELTY_LEAVES, 1 - _NOVELTY_COSTS * (novel - _NOVELTY_FROM))), 6)
    invented = novel >= _WHOLLY_NOVEL and figures[_NOVEL_COUNT] >= _FEWEST_NOVEL
    return _WHOLLY_NOVEL_LEAVES if invented and not (figures[_KINDRED] or figures[_BESIDE_RECORD]) else 1.0


def _nearest(alignment: Alignment, evidence: Evidence) -> Source | None:
    best = alignment.best
    place = None if best is None else best.place
    return None if best is None or place is None else Source(evidence.names[best.passage], *place)


def _verdict(supported: float, alignment: Alignment, model: Model) -> ClaimVerdict:
    if alignment.contradiction:
        return "contradicted"
    if supported >= model.supported_at:
        return "supported"
    return "partial" if supported >= model.partial_at else "unsupported"

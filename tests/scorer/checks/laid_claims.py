"""Claims laid on evidence."""

from __future__ import annotations

from collections.abc import Collection

from ragvigil.scorer.checks.alignment.align import FIGURES, Alignment, Stated, align
from ragvigil.scorer.checks.alignment.assess import bounded
from ragvigil.scorer.checks.alignment.model import claim_figures, load
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.words import words
from ragvigil.scorer.trace import Document

EVIDENCE = Evidence(
    [
        Document("a", "The Zeppelin museum opened in 1998. It does not open on Mondays."),
        Document("b", "Tickets cost 12 euros for adults and 5 euros for children."),
    ]
)


def laid(claim: str) -> tuple[Alignment, dict[str, float]]:
    """An alignment and its figures by name."""
    return laid_on(EVIDENCE, claim)


def laid_on(
    evidence: Evidence, claim: str, question: Collection[str] = ()
) -> tuple[Alignment, dict[str, float]]:
    """Likewise on other evidence."""
    stated = Stated([(words(claim), claim)], evidence, question)
    ((alignment,),) = align([stated], load("lexical-1").weights)
    return alignment, dict(zip(FIGURES, alignment.figures, strict=True))


def supported(alignment: Alignment, *, lone: bool = True) -> float:
    """The probability that the built-in judge gives an aligned claim; `lone`: it is all that the answer says."""
    model = load("lexical-1")
    (odds,) = model.support([claim_figures(alignment, model.words(alignment))], lone=lone)
    return bounded(odds, alignment, model, lone=lone)

"""How many golden answers the corpus of today no longer supports, by the built-in judge."""

from __future__ import annotations

from dataclasses import dataclass

from ragvigil.prompts import Prompt
from ragvigil.scorer.config import Judge
from ragvigil.scorer.estimate import Estimate, rate
from ragvigil.scorer.judge import rubric_of
from ragvigil.scorer.judge.builtin import Builtin
from ragvigil.scorer.monitoring import Sums
from ragvigil.scorer.offline.rows import record_of
from ragvigil.scorer.testset.corpus import Corpus
from ragvigil.scorer.testset.read import Testset
from ragvigil.scorer.testset.row import Row


@dataclass(frozen=True, slots=True)
class Stale:
    """One golden answer that does not stand any longer."""

    query_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Staleness:
    """Of all golden answers whose passages are named."""

    stale: tuple[Stale, ...]
    share: Estimate | None
    """In [0, 1], low is good; None with fewer than 20."""
    checked: int
    unchecked: int
    """Rows that expect an answer, and have no golden answer or name no passage: nothing can be said of them."""


def staleness(testset: Testset, corpus: Corpus) -> Staleness:
    """Each golden answer against its golden passages as they are now.

    A passage that is gone makes it stale; so does one that no longer supports what the answer says. The judge errs
    (docs/accuracy.md): read those that it names.
    """
    judge, rubric = Builtin(most_claims=None), rubric_of(Judge())
    asked = [row for row in testset.rows if not row.expected_refusal]
    known = [row for row in asked if row.golden_answer and row.golden_context_ids]
    found = [(row, _why(row, corpus, judge, rubric)) for row in known]
    sums = sum((Sums.of(float(why is not None)) for _, why in found), Sums())
    stale = tuple(Stale(row.query_id, why) for row, why in found if why is not None)
    return Staleness(stale, rate(sums), len(known), len(asked) - len(known))


def _why(row: Row, corpus: Corpus, judge: Builtin, rubric: Prompt) -> str | None:
    gone = [name for name in row.golden_context_ids if corpus.text(name) is None]
    if gone:
        return f"{', '.join(gone[:3])} is gone from the corpus, or is no text"
    evidence = [{"id": name, "text": corpus.text(name)} for name in row.golden_context_ids]
    told = {"id": row.query_id, "query": row.query, "evidence": evidence, "answer": row.golden_answer}
    verdict = judge.judge_now(record_of(told, 1), rubric)
    if verdict.passed is not False:
        return None
    worst = min(verdict.claims, key=lambda claim: claim.probability)
    return f"{worst.verdict}: {worst.text}"

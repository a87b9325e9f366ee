"""The figures of judged answers: each answer's value, and the mean or quantile with its interval."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.detect import GoldSet
from ragvigil.scorer.estimate.figure import Figure, mean, mean_with_lost, quantile
from ragvigil.scorer.estimate.window import Booleans, Floats, Integers
from ragvigil.scorer.evaluate import Result
from ragvigil.scorer.gate.answers import Answered
from ragvigil.scorer.gate.names import CORRECTED, GROUNDED_ANSWER, is_measured, named
from ragvigil.scorer.reporting.level import Sample, faithful, pass_rate
from ragvigil.scorer.series import faithfulness_value, success_value
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import CLAIM_BEARING
from ragvigil.scorer.watch.gold import Labels

_NEVER_CAME = ("failed", "unparseable", "not_scoreable", "partial_evidence")
"""States of which nobody knows what an answer is worth; evidence that a row leaves out is none of its merits."""
_MEDIAN = 0.5


@dataclass(frozen=True, slots=True)
class Judged:
    """One answer with what checks and judge say of it."""

    answered: Answered
    result: Result

    @property
    def lost(self) -> bool:
        """Whether its verdict never came."""
        return self.result.verdict.state in _NEVER_CAME

    @property
    def told_of(self) -> bool:
        """Whether it makes claims and has a verdict on them."""
        return self.result.verdict.state in CLAIM_BEARING


def value_of(name: str, one: Judged) -> float | None:
    """What the answer counts in the figure of that name; None: it is not in it.

    Six axes whose judge said nothing would be those of the checks alone: they have no value.
    """
    if name in _VALUES:
        return _VALUES[name](one)
    if name == GROUNDED_ANSWER and one.lost:
        return None
    check, measured = one.result.checks.get(name), one.result.measured.get(name)
    return check.value if check is not None else None if measured is None else measured.value


def _is_lost(name: str, one: Judged) -> bool:
    """Whether the answer would have a value in the figure, had its verdict come."""
    if value_of(name, one) is not None:
        return False
    measured = one.result.measured.get(name)
    if measured is not None:
        return measured.details.get("state") in _NEVER_CAME
    return one.lost and (name in (*CORRECTED, GROUNDED_ANSWER) or is_measured(name))


def figure_of(
    name: str, judged: Sequence[Judged], *, at: float = _MEDIAN, gold: GoldSet | None = None
) -> tuple[Figure, Figure | None]:
    """The figure, and the judge's rate behind it where labels correct it; without a value below 20 answers."""
    if name in CORRECTED:
        return _verdicts(name, judged, gold)
    if is_measured(name) or name == GROUNDED_ANSWER:
        return mean_with_lost(
            name, values_of(name, judged), lost_of(name, judged), conversations(judged)
        ), None
    kind, _, unit = named(name, name)
    if kind in ("median", "quantile"):
        return quantile(name, values_of(name, judged), _MEDIAN if kind == "median" else at, unit=unit), None
    return mean(name, values_of(name, judged), conversations(judged), unit=unit), None


def values_of(name: str, judged: Sequence[Judged]) -> Floats:
    """Of each answer in order, NaN where it has none."""
    values = (value_of(name, one) for one in judged)
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def lost_of(name: str, judged: Sequence[Judged]) -> Booleans:
    """Of which answers, in order, the value never came."""
    return np.array([_is_lost(name, one) for one in judged], dtype=np.bool_)


def conversations(judged: Sequence[Judged]) -> Integers:
    """Answers of one conversation have one number."""
    names: dict[str, int] = {}
    told = (one.answered.record.conversation_id or f"\0{one.answered.id}" for one in judged)
    return np.array([names.setdefault(name, len(names)) for name in told], dtype=np.int64)


def _verdicts(name: str, judged: Sequence[Judged], gold: GoldSet | None) -> tuple[Figure, Figure | None]:
    values = np.where(lost_of(name, judged), -1.0, values_of(name, judged))
    asked = np.isfinite(values)
    sample = Sample(
        values[asked].astype(np.int64),
        np.ones(int(asked.sum())),
        conversations(judged)[asked],
        len(judged),
        0,
    )
    raw = replace(pass_rate(sample), name=name)
    if gold is None:
        return raw, None
    return replace(faithful(sample, Labels(gold, "file")), name=name), raw


def _false_claim(one: Judged) -> float | None:
    """Of an answer to a question that has none: whether it claims something that it should not."""
    if not one.answered.expected_refusal or not (one.answered.record.answer or "").strip():
        return None
    return claims_falsely(one)


def claims_falsely(one: Judged) -> float:
    """1 where an answer claims something though there is none to give, else 0.

    One that does not refuse does: "Yes." claims, though a judge finds nothing in it to compare. One that refuses and
    says more has to have that from its passages. One without a verdict counts as a false claim unless it does nothing
    but refuse: no gate holds because its judge failed.
    """
    refusal, verdict = one.result.checks["abstention"], one.result.verdict
    if refusal.value != 1.0:
        return 1.0
    if verdict.state == "no_claims" or refusal.details.get("pure"):
        return float(_guesses(one.answered.record))
    return float(verdict.passed is not True)


def _guesses(record: RagTrace) -> bool:
    """Whether a refusal names a number that is neither in its passages, nor asked about, nor their count.

    "I don't know, probably 12 dollars" is one sentence, and a refusal to whoever reads sentences.
    """
    prepared = Prepared(record)
    said = [word.numbers for one in prepared.statements for word in one.words if word.numbers]
    known = {number for word in prepared.question for number in word.numbers} | {str(len(record.documents))}
    return any(known.isdisjoint(one) and prepared.evidence.numbers.isdisjoint(one) for one in said)


def _false_refusal(one: Judged) -> float | None:
    """Of an answer to a question that has one: whether it says that there is none."""
    return None if one.answered.expected_refusal else one.result.checks["abstention"].value


def _with_verdict(one: Judged) -> float | None:
    """Of an answer to a question that has one: whether it claims something and has a verdict on it.

    Where the golden answer claims nothing, as a bare "Yes." does, no claim is due.
    """
    golden = one.answered.item.get("golden_answer")
    due = not isinstance(golden, str) or Prepared(replace(one.answered.record, answer=golden)).bears_claims
    return float(one.told_of) if due and not one.answered.expected_refusal else None


def _words(one: Judged) -> float | None:
    words = one.result.checks["length_budget"].details.get("words")
    return float(words) if isinstance(words, int) else None


_VALUES: Mapping[str, Callable[[Judged], float | None]] = {
    "faithfulness": lambda one: faithfulness_value(one.result.verdict),
    "success": lambda one: success_value(one.result.verdict),
    "no_answer_false_claims": _false_claim,
    "false_refusals": _false_refusal,
    "with_verdict": _with_verdict,
    "median_words": _words,
    "total_seconds": lambda one: one.answered.record.total_seconds,
    "retrieval_seconds": lambda one: one.answered.record.retrieval_seconds,
    "generation_seconds": lambda one: one.answered.record.generation_seconds,
    "cost_usd": lambda one: one.answered.record.cost_usd,
}

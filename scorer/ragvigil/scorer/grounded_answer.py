"""Grounded Answer Score: six axes from 0 to 4, weighted to 0 to 100, from whichever evidence exists.

Anchors. Factuality: 4 all claims supported, 3 some only in part, 2 one unsupported, 1 several, 0 none
supported. Attribution: 4 times the F1 of citations and claims, at most 3 with a citation that is too broad or a
quotation that is not verbatim; 0 without citations. Coverage: 4 times the share of what the question's type and
parts demand, or of the conditions beside the facts, whichever is less. Calibration: 4, 1 where a conflict of sources is
hidden, 0 for a refusal too many or too few.
Conciseness: 4, less 1 above a budget, 1 or 2 for repetition, 2 where it breaks off; that irrelevant context is
recited only the judge sees (6 of 299 RAGTruth answers copied a fifth from passages without the question's terms, and
all 6 were to the point). Format: 4 times the mean of
answer first, citation style and language. Where the six-axis judge was asked, its points count instead, but for
attribution and format, which checks decide. An axis of which nothing is known is shown as unscored, and the score
is over the others; its weight says of how much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, cast

from ragvigil.scorer.verdict import CheckResult, Verdict

AxisName = Literal["factuality", "attribution", "coverage", "calibration", "conciseness", "format"]
WEIGHTS: Mapping[AxisName, int] = {
    "factuality": 25,
    "attribution": 20,
    "coverage": 20,
    "calibration": 15,
    "conciseness": 10,
    "format": 10,
}
"""Of 100."""
VERSION = "3"
"""Changes whenever the same checks and verdict would get another score."""
JUDGED = "judge.grounded_answer"
"""Of a judged answer, by checks, verdict and the six-axis judge together."""
_MOST = 4.0
_BROAD = 3.0
_HIDDEN_CONFLICT = 1.0
_REPEATED, _MOSTLY_REPEATED = 0.2, 0.5

_DECIDED: frozenset[AxisName] = frozenset({"attribution", "format"})
"""Axes that checks decide where they can; on the others a judge sees more."""

Known = Mapping[str, CheckResult]


class Axis(NamedTuple):
    """One axis of the score."""

    name: AxisName
    weight: int
    value: float | None
    """In [0, 4]; None: unscored."""
    why: str
    """What it is made of, or why it is unscored."""


class GroundedAnswer(NamedTuple):
    """The score of one answer."""

    axes: tuple[Axis, ...]

    @property
    def weight(self) -> int:
        """Of 100: the weight of the axes that were scored."""
        return sum(axis.weight for axis in self.axes if axis.value is not None)

    @property
    def score(self) -> float | None:
        """In [0, 100], over the axes that were scored; None where factuality was not, for nothing makes up for it."""
        if self.axes[0].value is None:
            return None
        total = sum(axis.weight * axis.value for axis in self.axes if axis.value is not None)
        return round(100 * total / (_MOST * self.weight), 1)


def grounded_answer(checks: Iterable[CheckResult], verdict: Verdict | None = None) -> GroundedAnswer:
    """The axes in the order of their weights.

    >>> found = grounded_answer([CheckResult("supported_claims", "1", 1.0, None, {"claims": 3})])
    >>> found.score, found.weight, [axis.name for axis in found.axes if axis.value is None][:2]
    (100.0, 25, ['attribution', 'coverage'])
    """
    known = {check.check: check for check in checks}
    said = _judged(verdict)
    made: Mapping[AxisName, tuple[float | None, str]] = {
        "factuality": (_factuality(known, verdict), "claims"),
        "attribution": (_attribution(known), "citations"),
        "coverage": (_coverage(known), "answer_structure, conditions_kept"),
        "calibration": (_calibration(known), "missing_refusal, over_refusal, conflict_surfaced"),
        "conciseness": (_conciseness(known), "length_budget, repetition, answer_truncated"),
        "format": (_format(known), "answer_first, citation_format, language_match"),
    }
    return GroundedAnswer(
        tuple(_axis(name, WEIGHTS[name], *_either(name, *one, said)) for name, one in made.items())
    )


def _judged(verdict: Verdict | None) -> Mapping[str, float]:
    """Points of the axes as the six-axis judge gave them; none where it was not asked."""
    measured = verdict.measured if verdict is not None else ()
    found = next((one.details.get("axes") for one in measured if one.name == "judge.six_axes"), None)
    return cast("Mapping[str, float]", found) if isinstance(found, Mapping) else {}


def _either(
    name: AxisName, value: float | None, made_of: str, said: Mapping[str, float]
) -> tuple[float | None, str]:
    """The judge's points; the checks' on what they can decide, and where no judge was asked."""
    if name not in said or (name in _DECIDED and value is not None):
        return value, made_of
    return float(said[name]), "the six-axis judge"


def as_result(checks: Sequence[CheckResult], verdict: Verdict | None = None) -> CheckResult:
    """The score as a result in [0, 1]; in the details an axis that could not be scored is null."""
    found = grounded_answer(checks, verdict)
    axes = {axis.name: axis.value for axis in found.axes}
    details: dict[str, object] = {"axes": axes, "weight": found.weight}
    score = found.score
    return CheckResult(
        "grounded_answer",
        VERSION,
        None if score is None else score / 100,
        "factuality cannot be scored" if score is None else None,
        details,
    )


def _axis(name: AxisName, weight: int, value: float | None, made_of: str) -> Axis:
    if value is None:
        return Axis(name, weight, None, f"nothing is known of {made_of}")
    return Axis(name, weight, round(min(_MOST, max(0.0, value)), 2), made_of)


def _value(known: Known, name: str, to: Callable[[float], float]) -> float | None:
    check = known.get(name)
    return None if check is None or check.value is None else to(check.value)


def _factuality(known: Known, verdict: Verdict | None) -> float | None:
    if verdict is not None and verdict.claims:
        verdicts = [claim.verdict for claim in verdict.claims]
        false = sum(one in ("unsupported", "contradicted") for one in verdicts)
        return _anchor(len(verdicts), false, verdicts.count("partial"))
    check = known.get("supported_claims")
    if check is None or check.value is None:
        return None
    if check.value == 0.0:
        return 0.0
    seen = cast("Mapping[str, int]", check.details.get("verdicts", {}))
    false = seen.get("unsupported", 0) + seen.get("contradicted", 0)
    return _anchor(false + 1, false, seen.get("partial", 0))


def _anchor(claims: int, false: int, partial: int) -> float:
    if false >= claims:
        return 0.0
    return (2.0 if false == 1 else 1.0) if false else (3.0 if partial else _MOST)


def _attribution(known: Known) -> float | None:
    if _value(known, "citations_present", float) == 0.0:
        return 0.0
    support = _value(known, "citation_support", float)
    if support is None:
        support = _value(known, "citation_correctness", float)
    if support is None:
        return None
    broad = (_value(known, "citations_over_broad", float) or 0.0) > 0.0
    verbatim = _value(known, "quotes_verbatim", float)
    loose = verbatim is not None and verbatim < 1.0
    return min(_MOST * support, _BROAD if broad or loose else _MOST)


def _coverage(known: Known) -> float | None:
    found = [_value(known, name, float) for name in ("answer_structure", "conditions_kept")]
    shares = [one for one in found if one is not None]
    return _MOST * min(shares) if shares else None


def _calibration(known: Known) -> float | None:
    refusals = [_value(known, name, float) for name in ("missing_refusal", "over_refusal")]
    if all(one is None for one in refusals):
        return None
    if any(refusals):
        return 0.0
    return _HIDDEN_CONFLICT if _value(known, "conflict_surfaced", float) == 0.0 else _MOST


def _conciseness(known: Known) -> float | None:
    length, repeated = _value(known, "length_budget", float), _value(known, "repetition", float)
    if length is None and repeated is None:
        return None
    less = (length == 0.0) + ((repeated or 0.0) >= _REPEATED) + ((repeated or 0.0) >= _MOSTLY_REPEATED)
    return _MOST - less - 2 * (_value(known, "answer_truncated", float) or 0.0)


def _format(known: Known) -> float | None:
    names = ("answer_first", "citation_format", "language_match")
    parts = [part for name in names if (part := _value(known, name, float)) is not None]
    return _MOST * sum(parts) / len(parts) if parts else None

"""Failure tags: what went wrong with an answer, in ten words, from checks and verdict.

HALLUCINATION_FACT: a claim that the evidence lacks or denies, or two names that stand nowhere.
UNSUPPORTED_QUALIFIER: one that goes too far by "all", "only" or "largest". MISATTRIBUTION: a citation of a
claim that another passage carries (one that none carries is a HALLUCINATION_FACT), or of what was not retrieved.
OVER_BROAD_CITATION: one that points at too much. MISSING_REFUSAL,
OVER_REFUSAL: claims without evidence, a refusal in spite of it. INCOMPLETE_ANSWER: it breaks off, or lacks what its
type demands, or a condition beside its fact. CONTEXT_IGNORED: nothing relevant was used.
CONFLICTING_SOURCES_UNRESOLVED: one of two sides was picked silently. FORMAT_DRIFT: another citation style or language.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args

from ragvigil.scorer.verdict import CheckResult, Claim, Verdict

Tag = Literal[
    "HALLUCINATION_FACT",
    "UNSUPPORTED_QUALIFIER",
    "MISATTRIBUTION",
    "OVER_BROAD_CITATION",
    "MISSING_REFUSAL",
    "OVER_REFUSAL",
    "INCOMPLETE_ANSWER",
    "CONTEXT_IGNORED",
    "CONFLICTING_SOURCES_UNRESOLVED",
    "FORMAT_DRIFT",
]
TAGS: tuple[Tag, ...] = get_args(Tag)
VERSION = "4"
"""Changes whenever the same checks and verdict would get other tags."""
JUDGED = "judge.failure_tags"
"""Of a judged answer, by checks and verdict together."""

_QUALIFIER = "unsupported_qualifier"
_FALSE = ("unsupported", "contradicted")
_MANY_NAMES = 2
"""Of 1,600 labelled answers 134 have as many that stand nowhere, and 119 of these are wrong; one name tells less."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One tag of an answer."""

    tag: Tag
    check: str
    """Who saw it: a check, or the judge's name."""
    reason: str


@dataclass(frozen=True, slots=True)
class Bad:
    """A value of a check that earns a tag."""

    tag: Tag
    check: str
    below: float | None = None
    above: float | None = None

    def met(self, value: float) -> bool:
        """Whether the value earns it."""
        return (self.below is not None and value < self.below) or (
            self.above is not None and value > self.above
        )


_BY_VALUE = (
    Bad("UNSUPPORTED_QUALIFIER", "qualifiers_supported", below=1.0),
    Bad("MISATTRIBUTION", "citations_dead", above=0.0),
    Bad("MISATTRIBUTION", "quotes_verbatim", below=1.0),
    Bad("OVER_BROAD_CITATION", "citations_over_broad", above=0.0),
    Bad("MISSING_REFUSAL", "missing_refusal", above=0.0),
    Bad("OVER_REFUSAL", "over_refusal", above=0.0),
    Bad("INCOMPLETE_ANSWER", "answer_truncated", above=0.0),
    Bad("INCOMPLETE_ANSWER", "answer_structure", below=1.0),
    Bad("INCOMPLETE_ANSWER", "conditions_kept", below=1.0),
    Bad("CONTEXT_IGNORED", "relevant_context_used", below=1e-9),
    Bad("CONFLICTING_SOURCES_UNRESOLVED", "conflict_surfaced", below=1.0),
    Bad("FORMAT_DRIFT", "citation_format", below=1.0),
    Bad("FORMAT_DRIFT", "language_match", below=1.0),
)


def failures_of(checks: Iterable[CheckResult], verdict: Verdict | None = None) -> tuple[Failure, ...]:
    """Each tag once, in the order of TAGS; an answer that the verdict fails has one at least.

    >>> [one.tag for one in failures_of([CheckResult("over_refusal", "1", 1.0, "refuses, yet a says: …")])]
    ['OVER_REFUSAL']
    """
    known = {check.check: check for check in checks}
    found = [*_by_claims(known, verdict), *_by_value(known)]
    if verdict is not None and verdict.passed is False and not found:
        reason = verdict.reason or "its claims are in doubt together"
        found.append(Failure("HALLUCINATION_FACT", verdict.judge, reason))
    first = {failure.tag: failure for failure in reversed(found)}
    return tuple(first[tag] for tag in TAGS if tag in first)


def tagged(checks: Sequence[CheckResult], verdict: Verdict | None = None) -> CheckResult:
    """The tags as a result: 1 when there is any, 0 when there is none; details say which check has the reason."""
    found = failures_of(checks, verdict)
    reason = ", ".join(failure.tag for failure in found) or None
    told: dict[str, object] = {failure.tag: failure.check for failure in found}
    return CheckResult("failure_tags", VERSION, float(bool(found)), reason, told)


def _by_claims(known: Mapping[str, CheckResult], verdict: Verdict | None) -> Iterable[Failure]:
    """Of the judge's claims where it has judged any, else of the deterministic ones."""
    if verdict is not None and verdict.claims:
        by, (example, reasons) = verdict.judge, _judged_claims(verdict.claims)
    else:
        by, (example, reasons) = "supported_claims", _checked_claims(known.get("supported_claims"))
    if example is not None and (not reasons or set(reasons) != {_QUALIFIER}):
        yield Failure("HALLUCINATION_FACT", by, example)
    if limited := reasons.get(_QUALIFIER):
        yield Failure("UNSUPPORTED_QUALIFIER", by, f"{limited} of the claims")


def _judged_claims(claims: Sequence[Claim]) -> tuple[str | None, Mapping[str, int]]:
    """The first claim that is false, in words, and why claims are not supported, counted."""
    false = next((claim for claim in claims if claim.verdict in _FALSE), None)
    example = None if false is None else f"{false.verdict}: {false.text[:120]}"
    return example, Counter(str(claim.reason) for claim in claims if claim.verdict != "supported")


def _checked_claims(check: CheckResult | None) -> tuple[str | None, Mapping[str, int]]:
    """The same by the check: by the verdicts that it counts, or by its value where it counts none."""
    if check is None:
        return None, {}
    reasons = cast("Mapping[str, int]", check.details.get("reasons", {}))
    verdicts = cast("Mapping[str, int]", check.details.get("verdicts", {}))
    false = any(verdicts.get(one) for one in _FALSE) if verdicts else check.value == 0.0
    return check.reason if false else None, reasons


def _by_value(known: Mapping[str, CheckResult]) -> Iterable[Failure]:
    named = known.get("no_hallucinated_entities")
    if named is not None and cast("int", named.details.get("missing_names", 0)) >= _MANY_NAMES:
        yield Failure("HALLUCINATION_FACT", "no_hallucinated_entities", named.reason or "names stand nowhere")
    support = known.get("citation_support")
    wrong = cast("int", support.details.get("misattributed", 0)) if support is not None else 0
    if support is not None and wrong:
        yield Failure(
            "MISATTRIBUTION", "citation_support", f"{wrong} of the claims: another passage carries it"
        )
    for bad in _BY_VALUE:
        check = known.get(bad.check)
        if check is not None and check.value is not None and bad.met(check.value):
            yield Failure(bad.tag, bad.check, check.reason or f"{check.value:.2f}")

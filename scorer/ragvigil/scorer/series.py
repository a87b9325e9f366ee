"""Which records enter which series, and with what value."""

from __future__ import annotations

from collections.abc import Iterable

from ragvigil.scorer.verdict import CLAIM_BEARING, CheckResult, Verdict


def citation_check(checks: Iterable[CheckResult]) -> CheckResult | None:
    """The check whose value enters the citation series; its value is None for an answer that owes no citation.

    >>> citation_check([CheckResult("abstention", "1", 0.0), CheckResult("citation_correctness", "1", 0.5)]).value
    0.5
    """
    return next((check for check in checks if check.check == "citation_correctness"), None)


def faithfulness_value(verdict: Verdict) -> float | None:
    """1 when a claim-bearing answer passed, 0 when it did not; None when it bears no claims.

    >>> faithfulness_value(Verdict("builtin", "1", "d", "no_claims", None, None))
    """
    if verdict.state not in CLAIM_BEARING or verdict.passed is None:
        return None
    return float(verdict.passed)


def success_value(verdict: Verdict) -> float | None:
    """1 where the query was a success from end to end, 0 where not; None by a judge that does not say so.

    >>> success_value(Verdict("openai", "1", "d", "supported", None, True, details={"success": True}))
    1.0
    """
    found = verdict.details.get("success")
    return float(found) if isinstance(found, bool) else None


def cheap_score(checks: Iterable[CheckResult]) -> float | None:
    """The score in [0, 1] that every answer with claims and evidence has, high for faithful; None without either.

    >>> cheap_score([CheckResult("supported_claims", "1", 1.0, None, {"faithfulness": 0.93})])
    0.93
    """
    found = next((check for check in checks if check.check == "supported_claims"), None)
    value = None if found is None else found.details.get("faithfulness")
    return float(value) if isinstance(value, int | float) and 0.0 <= value <= 1.0 else None

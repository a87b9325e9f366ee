"""What of a record decides its stratum, and what makes it worth judging more often."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import CheckResult

_LOW = 0.5


def stratum_of(record: RagTrace) -> str:
    """Service, environment and segment of a record, as one name.

    >>> stratum_of(RagTrace("0" * 32, "1" * 16, "help desk", 0, segment={"language": "de"}))
    'help desk|-|language=de'
    """
    parts = [record.service, record.environment or "-"]
    return "|".join(parts + [f"{name}={value}" for name, value in sorted(record.segment.items())])


def informative(record: RagTrace, checks: Iterable[CheckResult]) -> bool:
    """Whether a record is likely bad: it ended in an error, a user disliked it, or a check scored it below .5."""
    return (
        record.error is not None
        or any(_disliked(feedback) for feedback in record.feedback)
        or any(check.check in _TELLING and check.value is not None and check.value < _LOW for check in checks)
    )


_TELLING = frozenset({"supported_claims", "citation_correctness"})


def _disliked(feedback: Mapping[str, object]) -> bool:
    score = feedback.get("score")
    return isinstance(score, int | float) and not isinstance(score, bool) and score <= 0.0

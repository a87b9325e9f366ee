"""The claims of an answer."""

from __future__ import annotations

from ragvigil.scorer.checks.reading.claims import read_statements


def claims(answer: str) -> list[str]:
    """Texts of the check-worthy statements."""
    return [answer[one.start : one.end] for one in read_statements(answer, []) if one.checkworthy]

"""Questions that nobody asked: how they are marked, and what a report says of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

MARK = "synthetic"
"""The tag of a test set's row, and the value of `SEGMENT` on a trace."""
SEGMENT = "origin"


def is_synthetic(row: Mapping[str, object]) -> bool:
    """Whether a row of a test set is tagged as made by a machine, as `ragvigil synth` does.

    >>> is_synthetic({"tags": ["synthetic", "adversarial"]}), is_synthetic({"query": "When?"})
    (True, False)
    """
    tags = row.get("tags")
    return isinstance(tags, list) and MARK in cast("list[object]", tags)


def warning(synthetic: int, answers: int) -> str | None:
    """What to say of figures that hold so many answers to synthetic questions; None where there is none.

    >>> warning(0, 9)
    >>> warning(9, 9)
    'All 9 answers are to synthetic questions: nothing here is about real ones, so hold some against them.'
    """
    if not synthetic:
        return None
    if synthetic == answers:
        return (
            f"All {answers:,} answers are to synthetic questions: nothing here is about real ones, "
            "so hold some against them."
        )
    return f"{synthetic:,} of {answers:,} answers are to synthetic questions, which stand for no traffic."

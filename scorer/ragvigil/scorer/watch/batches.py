"""From records of a stretch to the batch that the core reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ragvigil.scorer.detect import Batch
from ragvigil.scorer.sample import fraction
from ragvigil.scorer.watch.port import Seen

_CHOSEN = frozenset({"pending", "judged", "shed", "failed", "expired"})


def planned(rows: Sequence[Seen], codes: Sequence[int], start: int, end: int) -> Batch:
    """The batch from `start` to `end` (Unix nanoseconds) before its verdicts; `codes` are the rows' segments."""
    return Batch(
        start / 1e9,
        end / 1e9,
        _floats(row.started_at / 1e9 for row in rows),
        np.array(codes, dtype=np.int64),
        _numbered(rows),
        _floats(row.cheap for row in rows),
        _floats(row.citation_ok for row in rows),
        _floats(row.documents for row in rows),
    )


def observed(rows: Sequence[Seen], start: int, end: int) -> Batch:
    """The same batch with what became of the judge's sample.

    The sample is drawn from answers that make claims and have evidence to hold them against: those with a cheap
    score. One that the judge says makes no claim after all is left out like those without, and so are verdicts of
    another version than the newest: neither is a verdict that is missing.
    """
    version = next((row.judge for row in reversed(rows) if row.judge is not None), "")
    drawn = [row.cheap is not None and not _aside(row, version) for row in rows]
    chosen = [inside and _is_chosen(row) for row, inside in zip(rows, drawn, strict=True)]
    plain = planned(rows, [-1 if row.stream is None else row.stream for row in rows], start, end)
    return replace(
        plain,
        judged=np.array(chosen, dtype=np.bool_),
        verdict=np.array(
            [
                -1 if row.passed is None or not inside else int(row.passed)
                for row, inside in zip(rows, chosen, strict=True)
            ],
            dtype=np.int64,
        ),
        inclusion_probability=_floats(
            row.inclusion if inside else 0.0 for row, inside in zip(rows, drawn, strict=True)
        ),
        judge_version=version,
    )


def _numbered(rows: Sequence[Seen]) -> npt.NDArray[np.int64]:
    """Conversations by first appearance: sums run in that order, and what they are known by is random in each store."""
    found: dict[int, int] = {}
    return np.array([found.setdefault(row.conversation, len(found)) for row in rows], dtype=np.int64)


def _is_chosen(row: Seen) -> bool:
    """Whether it is in the sample: what expired because too much waited was drawn out of it again by its hash."""
    return row.state in _CHOSEN and (row.state != "expired" or fraction(row.trace_id) < row.inclusion)


def _aside(row: Seen, version: str) -> bool:
    if row.state == "judged" and row.passed is None:
        return True
    return row.judge is not None and row.judge != version


def _floats(values: Iterable[float | None]) -> npt.NDArray[np.float64]:
    """The values, NaN for what is unknown."""
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)

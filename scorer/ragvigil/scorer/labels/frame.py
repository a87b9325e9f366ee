"""From judged traffic to the frame of a draw, and from a frame to the arrays that estimators read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from ragvigil.scorer.estimate import Window, window
from ragvigil.scorer.estimate.window import Booleans
from ragvigil.scorer.labels.port import Dimension, Frame
from ragvigil.scorer.watch.batches import observed
from ragvigil.scorer.watch.port import Seen

_COMMON = 0.02
"""Share of the records that a value has at least; a rarer one might tell whose record it is."""
_MOST_VALUES = 12
_MOST_DIMENSIONS = 8


def frame_of(rows: Sequence[Seen]) -> tuple[Frame, str]:
    """The frame of these records, and the judge whose verdicts it holds; what makes no claims is left out."""
    batch = observed(rows, 0, 0)
    assert batch.judged is not None
    assert batch.verdict is not None
    assert batch.inclusion_probability is not None
    drawn = np.flatnonzero(np.asarray(batch.inclusion_probability, dtype=np.float64) > 0.0).tolist()
    inside = [rows[place] for place in drawn]
    frame = Frame(
        tuple(row.record_id for row in inside),
        tuple(int(batch.verdict[place]) for place in drawn),
        tuple(bool(batch.judged[place]) for place in drawn),
        tuple(row.inclusion for row in inside),
        tuple(round(float(row.cheap or 0.0), 4) for row in inside),
        tuple(row.conversation for row in inside),
        _dimensions([json.loads(row.segment) for row in inside]),
    )
    return frame, batch.judge_version


def window_of(frame: Frame) -> Window:
    """The frame as arrays."""
    return window(
        verdict=frame.verdict,
        judged=frame.judged,
        inclusion=frame.inclusion,
        cheap=frame.cheap,
        conversation=frame.conversation,
    )


def segments_of(frame: Frame) -> dict[tuple[str, str], Booleans]:
    """Which records are in each segment, by dimension and value."""
    return {
        (name, value): np.asarray(dimension.codes) == code
        for name, dimension in frame.dimensions.items()
        for code, value in enumerate(dimension.values)
        if len(dimension.values) > 1
    }


def _dimensions(segments: Sequence[Mapping[str, object]]) -> dict[str, Dimension]:
    names = Counter(name for segment in segments for name in segment)
    found: dict[str, Dimension] = {}
    for name, _ in names.most_common(_MOST_DIMENSIONS):
        column = [str(segment[name]) if name in segment else None for segment in segments]
        counts = Counter(value for value in column if value is not None)
        values = tuple(
            value for value, count in counts.most_common(_MOST_VALUES) if count >= _COMMON * len(segments)
        )
        places = {value: code for code, value in enumerate(values)}
        if values:
            found[name] = Dimension(
                values, tuple(-1 if value is None else places.get(value, -1) for value in column)
            )
    return found

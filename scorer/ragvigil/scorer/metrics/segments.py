"""Levels of segments: each value of each dimension, over the newest observations of a series."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import cast

from ragvigil.scorer.metrics.bounds import Admission
from ragvigil.scorer.metrics.measures import OTHER
from ragvigil.scorer.monitoring import Sums


def by_segment(
    rows: Iterable[tuple[str, Sums]], dimensions: Collection[str], admissions: dict[str, Admission], most: int
) -> Mapping[str, Sums]:
    """``dimension=value`` → its sums; values beyond `most` of a dimension are one, ``dimension=other``.

    `rows` are (JSON object of dimensions, sums), as stored; `admissions` remember who is in, by dimension.

    >>> rows = [('{"language": "de"}', Sums.of(1.0)), ('{"language": "en"}', Sums.of(0.0)), ("{}", Sums.of(1.0))]
    >>> found = by_segment(rows, ["language"], {}, 1)
    >>> {name: (sums.n, sums.wx) for name, sums in found.items()}
    {'language=de': (1, 1.0), 'language=other': (1, 0.0)}
    """
    found: dict[tuple[str, str], Sums] = {}
    for text, sums in rows:
        for dimension, value in _pairs(text):
            if dimension in dimensions:
                found[dimension, value] = found.get((dimension, value), Sums()) + sums
    bounded: dict[str, Sums] = {}
    for (dimension, value), sums in sorted(found.items(), key=lambda pair: (-pair[1].w, pair[0])):
        admission = admissions.setdefault(dimension, Admission(f"segment {dimension}", most))
        inside = value != OTHER and admission.admits(value)
        name = f"{dimension}={value if inside else OTHER}"
        bounded[name] = bounded.get(name, Sums()) + sums
    return bounded


def _pairs(text: str) -> Iterable[tuple[str, str]]:
    try:
        told: object = json.loads(text)
    except ValueError:
        return ()
    if not isinstance(told, dict):
        return ()
    return [(str(name), str(value)) for name, value in cast("dict[str, object]", told).items()]

"""The mix of a benchmark's own test: rows repeated until its parts and labels are there in its numbers.

Whoever holds only some rows of a benchmark has other parts of it in other numbers. What the rows at hand say of the
whole is an estimate: it takes the rows of one part for those of that part elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from tests.bench.fitting.learn import Array, Places
from tests.bench.fitting.rows import Row

Parts = npt.NDArray[np.str_]

_FINE = 10
"""How many times as many rows are drawn as the benchmark has, so that each row comes nearly as often as the next."""


@dataclass(frozen=True, slots=True)
class Mix:
    """How many rows of each part a benchmark's own test has."""

    name: str
    """Of the line in the report."""
    parts: Mapping[str, tuple[int, int]]
    """Of each part, as `parts_of` names it: unsupported and supported rows."""

    def rows(self, rows: Places, part: Parts, positive: Array) -> Places:
        """`rows`, each as often as the mix asks for; `part` and `positive`: of all rows, 1 is unsupported.

        >>> part, positive = np.array(["QA", "QA", "QA", "Summary"]), np.array([1.0, 0.0, 0.0, 1.0])
        >>> mixed = Mix("", {"QA": (2, 1)}).rows(np.arange(4), part, positive)
        >>> np.bincount(mixed, minlength=4).tolist()
        [20, 5, 5, 0]
        """
        names = part[rows]
        cells = [
            (rows[(names == name) & (positive[rows] == label)], count)
            for name, (unsupported, supported) in self.parts.items()
            for label, count in ((1, unsupported), (0, supported))
        ]
        return np.concatenate([np.resize(found, _FINE * count) for found, count in cells if found.size])


_QA = {"QA": (160, 740)}
MIXES = (
    Mix(
        "attributionbench, in the mix of its own test (estimate)",
        {
            "Stanford-GenSearch": (680, 681),
            "begin": (218, 218),
            "ExpertQA": (95, 95),
            "AttributedQA": (36, 36),
            "LFQA": (26, 26),
        },
    ),
    Mix(
        "ragtruth, in the mix of its own test (estimate)",
        {**_QA, "Data2txt": (579, 321), "Summary": (204, 696)},
    ),
    Mix("ragtruth/QA, in the mix of its own test (estimate)", _QA),
)
"""GenSearch stands in for HAGRID (1,013 rows) and AttrScore (162), of which none is at hand."""


def parts_of(rows: Sequence[Row]) -> Parts:
    """Which part of a benchmark each row belongs to: a subset, a set, a task of the official test, or none ("").

    >>> parts_of([{"dataset": "ragtruth", "official_split": "train"}, {"dataset": "begin"}]).tolist()
    ['', 'begin']
    """
    return np.array([_part_of(row) for row in rows])


def _part_of(row: Row) -> str:
    dataset: str = row["dataset"]
    if dataset == "ragtruth":
        return str(row["task"]) if row.get("official_split") == "test" else ""
    if dataset == "attributionbench":
        return str(row["subset"])
    return dataset if dataset == "begin" else ""

"""The daily list of degraded segments: not for waking anybody, so that it may name more of them."""

from __future__ import annotations

import numpy as np

from ragvigil.scorer.detect.sequential.batch import Floats


def degraded(log_e: Floats, share: float = 0.1) -> list[int]:
    """Which streams to list, most evident first, with at most `share` of them falsely so on average.

    e-BH (Wang & Ramdas, arXiv 2009.02824): with e-values E sorted downwards, the first k* where k* is the largest
    k with E_(k) >= K / (share * k). Holds under any dependence. `log_e` (K,) are natural logarithms.

    >>> degraded(np.log([1.0, 25.0, 0.1, 900.0]))
    [3, 1]
    >>> degraded(np.log([1.0, 25.0, 0.1, 2.0]))
    []
    """
    order = np.argsort(-log_e, kind="stable")
    limits = np.log(log_e.size / (share * np.arange(1, log_e.size + 1)))
    listed = np.flatnonzero(log_e[order] >= limits)
    return [int(stream) for stream in order[: listed[-1] + 1]] if listed.size else []

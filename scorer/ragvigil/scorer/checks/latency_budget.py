"""latency_budget: 1 when the answer came within its budgets of time, 0 when it did not.

Range {0, 1}. Budgets are settings of the service (`budgets.NAME`): 2 s in all, 0.2 s of retrieval and 1.5 s of
generation by default. None where no budgeted time is known.
"""

from __future__ import annotations

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared

_NAMES = ("total_seconds", "retrieval_seconds", "generation_seconds")


def _measure(prepared: Prepared) -> Finding:
    known = {
        name: (seconds, limit)
        for name in _NAMES
        if (seconds := getattr(prepared.record, name)) is not None
        and (limit := getattr(prepared.budget, name)) is not None
    }
    if not known:
        return Finding(None, "no budgeted time is known")
    over = [
        f"{name.removesuffix('_seconds')} {seconds:.2f} s of {limit:g} s"
        for name, (seconds, limit) in known.items()
        if seconds > limit
    ]
    return Finding(
        float(not over), ", ".join(over) or None, {name: seconds for name, (seconds, _) in known.items()}
    )


CHECK = Check("latency_budget", "1", _measure, range="{0, 1}", cost="record")

"""cost_budget: 1 when the answer cost no more than its budget, 0 when it cost more.

Range {0, 1}. The budget is a setting of the service (`budgets.NAME.cost_usd`), 0.05 US dollars by default. None
where no cost is known.
"""

from __future__ import annotations

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared


def _measure(prepared: Prepared) -> Finding:
    cost, limit = prepared.record.cost_usd, prepared.budget.cost_usd
    if cost is None or limit is None:
        return Finding(None, "the cost is not known" if cost is None else "no budget is set")
    return Finding(float(cost <= limit), f"${cost:.4f} of ${limit:g}" if cost > limit else None)


CHECK = Check("cost_budget", "1", _measure, range="{0, 1}", cost="record")

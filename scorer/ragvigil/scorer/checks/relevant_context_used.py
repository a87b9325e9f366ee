"""relevant_context_used: share of the relevant passages that the answer uses.

Range [0, 1]; completeness of TRACe (Friel et al., 2024). Relevant as in `context_relevance`, used
as in `context_utilisation`: 0 is an answer that ignores what was found for it. None where no passage is
relevant, where the answer makes no claim, and across languages.
"""

from __future__ import annotations

from ragvigil.scorer.checks.alignment.assess import VERSION
from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.context_relevance import RELEVANT, unmeasurable
from ragvigil.scorer.checks.prepared import DEFAULT_MODEL, Prepared
from ragvigil.scorer.checks.reading.citations import live


def _measure(prepared: Prepared) -> Finding:
    why = unmeasurable(prepared)
    if why is not None:
        return Finding(None, why)
    if not prepared.bears_claims:
        return Finding(None, "the answer makes no claim")
    if prepared.incomparable:
        return Finding(None, prepared.incomparable)
    relevant = {
        name for name, share in zip(prepared.names, prepared.relevance, strict=True) if share >= RELEVANT
    }
    if not relevant:
        return Finding(None, "no passage is relevant")
    used = relevant & (prepared.used | live(prepared.citations))
    reason = (
        f"uses {len(used)} of {len(relevant)} relevant passages" if used else "ignores every relevant passage"
    )
    return Finding(
        len(used) / len(relevant),
        None if used == relevant else reason,
        {"relevant": len(relevant), "used": len(used)},
    )


CHECK = Check("relevant_context_used", f"3+{VERSION}+{DEFAULT_MODEL}", _measure, cost="claims")

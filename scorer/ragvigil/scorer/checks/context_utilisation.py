"""context_utilisation: share of the passages that the answer uses.

Range [0, 1]; utilisation of TRACe (Friel et al., 2024), by passage. Neither end is good by itself. Used is a
passage that carries a claim, wholly or partly, or that is cited. None where the answer makes no claim, without
evidence text, and across languages.
"""

from __future__ import annotations

from ragvigil.scorer.checks.alignment.assess import VERSION
from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import DEFAULT_MODEL, Prepared
from ragvigil.scorer.checks.reading.citations import live


def _measure(prepared: Prepared) -> Finding:
    if not prepared.has_evidence:
        return Finding(None, "there is no evidence text")
    if not prepared.bears_claims:
        return Finding(None, "the answer makes no claim")
    if prepared.incomparable:
        return Finding(None, prepared.incomparable)
    held = {name for name, one in zip(prepared.names, prepared.record.documents, strict=True) if one.text}
    used = held & (prepared.used | live(prepared.citations))
    return Finding(len(used) / len(held), details={"passages": len(held), "used": len(used)})


CHECK = Check(
    "context_utilisation", f"2+{VERSION}+{DEFAULT_MODEL}", _measure, better="neither", cost="claims"
)

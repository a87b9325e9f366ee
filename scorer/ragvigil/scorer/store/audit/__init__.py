"""Proof that the store's sums hold: from its rows up, and against what the receive process accepted."""

from ragvigil.scorer.store.audit.audit import Audit, audit

__all__ = ["Audit", "audit"]

"""Which filters take most of what is received, for ``ragvigil status``: what is filtered is watched by nobody."""

from __future__ import annotations

import sqlite3

from ragvigil.scorer.config.load import WITHOUT_A_RULE
from ragvigil.scorer.store import reading

_HALF = 0.5
_FEWEST = 20
"""Answers before a share of them says anything of a filter."""


def as_text(connection: sqlite3.Connection) -> list[str]:
    """One line for each filter that keeps more than half of all answers from being scored."""
    ledger = reading.ledger(connection)
    by_rule = {name: n for name, n in ledger.filtered.items() if name not in WITHOUT_A_RULE}
    answers = sum(ledger.states.values()) - sum(ledger.filtered.values()) + sum(by_rule.values())
    return [
        f"filters.{name}: keeps {count:,} of {answers:,} answers from being scored, so nothing about them can alert; "
        "ragvigil explain FILE says what it matches"
        for name, count in sorted(by_rule.items())
        if answers >= _FEWEST and count > _HALF * answers
    ]

"""length_budget: 1 when the answer keeps its budgets of words, list items and output tokens.

Range {0, 1}. Budgets are settings of the service (`budgets.NAME`), 120 words by default: a median within them
is a mean of this check of one half or more. None without an answer or a budget.
"""

from __future__ import annotations

import re

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import UNPARTED, Prepared

_ITEM = re.compile(r"^[ \t]{0,12}(?:[-*+•▪◦‣]|\d{1,3}[.)])[ \t]", re.MULTILINE)


def _measure(prepared: Prepared) -> Finding:
    if not prepared.answer.strip():
        return Finding(None, "there is no answer")
    budget = prepared.budget
    limits = {
        "words": None if prepared.unparted else budget.words,
        "bullets": budget.bullets,
        "output_tokens": budget.output_tokens,
    }
    if not any(limit is not None for limit in limits.values()):
        return Finding(None, UNPARTED if prepared.unparted and budget.words else "no budget is set")
    used = {
        "words": prepared.word_count,
        "bullets": _items(prepared.prose),
        "output_tokens": prepared.record.tokens.output,
    }
    over = [
        f"{used[name]:,} {name.replace('_', ' ')} of {limit:,}"
        for name, limit in limits.items()
        if limit is not None and (used[name] or 0) > limit
    ]
    return Finding(float(not over), ", ".join(over) or None, used)


def _items(prose: str) -> int:
    """How many lines are items of a list; most answers are one line, and begin it at most."""
    return len(_ITEM.findall(prose)) if "\n" in prose else int(_ITEM.match(prose) is not None)


CHECK = Check("length_budget", "2", _measure, range="{0, 1}")

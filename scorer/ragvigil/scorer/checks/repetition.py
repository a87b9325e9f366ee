"""repetition: share of the answer's runs of four words that stood in it before.

Range [0, 1], 0 is good; seq-rep-4 (Welleck et al., ICLR 2020). Words are compared by stem, within statements;
code and citations are left out. None for fewer than four words.
"""

from __future__ import annotations

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import UNPARTED, Prepared

_MANY = 0.2


def _measure(prepared: Prepared) -> Finding:
    if prepared.unparted:
        return Finding(None, UNPARTED)
    total = 0
    seen: set[tuple[str, str, str, str]] = set()
    for stems in prepared.stems:
        total += max(0, len(stems) - 3)
        seen.update(zip(stems, stems[1:], stems[2:], stems[3:], strict=False))
    if not total:
        return Finding(
            None, "the answer has no four words in a row" if prepared.answer.strip() else "there is no answer"
        )
    value = 1 - len(seen) / total
    return Finding(round(value, 6), f"{value:.0%} of it repeats itself" if value >= _MANY else None)


CHECK = Check("repetition", "3", _measure, better="low")

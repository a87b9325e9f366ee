"""conflict_surfaced: 1 when the answer says that passages conflict, 0 when it picks one silently.

Range {0, 1}. It says so where it tells the disputed fact, or in the statement before or after: in words of
difference (six languages), by the numbers of both sides, or by a word of contrast between the fact and its opposite; a
"however" about something else is none. An answer that does not tell the fact may say so anywhere. None where
`conflicting_passages` finds no conflict or the answer makes no claim.
"""

from __future__ import annotations

from ragvigil.scorer.checks import conflicting_passages
from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.claims import Statement
from ragvigil.scorer.checks.reading.conflicts import Conflict
from ragvigil.scorer.checks.reading.question import CONFLICT, CONTRAST
from ragvigil.scorer.checks.reading.words import things_of, values


def _measure(prepared: Prepared) -> Finding:
    found = conflicting_passages.CHECK.measure(prepared)
    conflict = prepared.conflict
    if not found.value or conflict is None:
        return Finding(None, found.reason if found.value is None else "no passages conflict")
    if not prepared.bears_claims:
        return Finding(None, "the answer makes no claim")
    if _surfaced(prepared, conflict):
        return Finding(1.0)
    return Finding(0.0, f"does not say that its sources differ: {found.reason}")


def _surfaced(prepared: Prepared, conflict: Conflict) -> bool:
    statements = prepared.statements
    telling = [place for place, one in enumerate(statements) if _tells(one, conflict)]
    if not telling:
        return CONFLICT.search(prepared.prose.lower()) is not None
    near = sorted({beside for place in telling for beside in (place - 1, place, place + 1)})
    beside = [statements[place] for place in near if 0 <= place < len(statements)]
    if _has_both(_numbers(beside), conflict):
        return True
    said = "\n".join(_around(prepared, place) for place in near if 0 <= place < len(statements))
    if CONFLICT.search(said):
        return True
    sides = {any(word.negation for word in one.words) for one in beside}
    return conflict.kind == "negation" and len(sides) > 1 and CONTRAST.search(said) is not None


def _tells(statement: Statement, conflict: Conflict) -> bool:
    """Whether a statement shares a word of meaning with what both passages say, or names the numbers of both."""
    shared = things_of(conflict.one.words) & things_of(conflict.other.words)
    return not shared.isdisjoint(things_of(statement.words)) or _has_both(_numbers([statement]), conflict)


def _has_both(said: set[str], conflict: Conflict) -> bool:
    one, other = conflict.one.numbers, conflict.other.numbers
    return conflict.kind == "number" and bool(said & (one - other) and said & (other - one))


def _numbers(statements: list[Statement]) -> set[str]:
    return {value for one in statements for readings in values([*one.words]) for value in readings}


def _around(prepared: Prepared, place: int) -> str:
    """A statement in small letters with what stands between it and its neighbours, such as its first "however"."""
    statements = prepared.statements
    start = statements[place - 1].end if place else 0
    end = statements[place + 1].start if place + 1 < len(statements) else len(prepared.prose)
    return prepared.prose[start:end].lower()


CHECK = Check("conflict_surfaced", "7", _measure, range="{0, 1}", cost="question")

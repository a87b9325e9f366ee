"""Reasons: why a claim is not supported, and which of its words are at fault."""

from __future__ import annotations

from collections.abc import Sequence

from ragvigil.scorer.checks.alignment.align import FIGURES, Alignment
from ragvigil.scorer.checks.alignment.flags import FLAGS
from ragvigil.scorer.checks.reading.claims import Statement
from ragvigil.scorer.checks.reading.words import offsets
from ragvigil.scorer.verdict import ClaimReason

_AT = {name: place for place, name in enumerate(FIGURES)}
_FLAGS = tuple(_AT[name] for name in FLAGS if name not in ("true_said", "false_denied"))
_HOURS = (_AT["shut_days"], _AT["other_times"], _AT["other_hours"])
AGAINST_RECORD = (*_FLAGS, *_HOURS)
"""Places of the figures of what a record says otherwise."""
_LITTLE_IN_COMMON = 0.35
_WORDS_BETWEEN = 2
_MOST_OF_IT = 2 / 3
"""Share of its meaningful words at fault from which a claim is at fault as a whole, its other words too."""


def reason_of(alignment: Alignment) -> ClaimReason:
    """What speaks most plainly against a claim that is not supported."""
    figures = alignment.figures
    if alignment.contradiction in ("negation", "roles"):
        return "contradicted"
    if alignment.contradiction or alignment.unfounded_number:
        return "number_mismatch"
    if alignment.renamed:
        return "novel_entity"
    if any(figures[place] for place in _FLAGS):
        return "contradicted"
    if any(figures[place] for place in _HOURS):
        return "number_mismatch"
    if figures[_AT["best_pair"]] < _LITTLE_IN_COMMON:
        return "nothing_similar"
    if figures[_AT["novel_names"]]:
        return "novel_entity"
    if figures[_AT["negation_mismatch"]]:
        return "contradicted"
    if figures[_AT["novel_qualifiers"]]:
        return "unsupported_qualifier"
    return "novel_detail"


def unsupported_spans(
    statement: Statement, alignment: Alignment, odds: Sequence[float], bound: float
) -> tuple[tuple[int, int], ...]:
    """Offsets in the answer of the stretches that the evidence does not carry; the whole statement if most of it is so.

    `odds`: that each of its meaningful words is in such a stretch; one from `bound` on is.
    """
    faulty = [token.place for token, one in zip(alignment.tokens, odds, strict=True) if one >= bound]
    if not faulty:
        return ()
    if len(faulty) >= _MOST_OF_IT * len(odds):
        return ((statement.start, statement.end),)
    where = offsets(statement.text)
    runs = [(faulty[0], faulty[0])]
    for place in faulty[1:]:
        if place - runs[-1][1] <= _WORDS_BETWEEN + 1:
            runs[-1] = (runs[-1][0], place)
        else:
            runs.append((place, place))
    return tuple((statement.start + where[one][0], statement.start + where[other][1]) for one, other in runs)

"""Which traces to show: failing ones that are typical of the cause and unlike each other, not merely the worst."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.estimate.window import Booleans, Floats, Integers

FEWEST, MOST = 3, 5
CANDIDATES = 40
_ALIKE = 0.5
_SURE_CHEAP = 0.5
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A failing record that may be shown."""

    record_id: int
    conversation: str
    query: str
    answer: str = ""


def candidates(
    *, outcome: Floats, cheap: Floats, guilty: Booleans, tagged: Booleans, time: Floats
) -> Integers:
    """Places of at most 40 failing records among the guilty ones, the most typical first.

    A measured failure comes before one that only the cheap score suspects, a carrier of the tag that grew most before
    others; then those near the middle of the failures' cheap scores: the lowest are often broken in ways of their own.
    """
    failing = guilty & (outcome < 0.5)
    if not failing.any():
        failing = guilty & (outcome < 1.0)
    suspected = guilty & ~np.isfinite(outcome) & (cheap < _SURE_CHEAP)
    chosen = np.flatnonzero(failing | suspected)
    if not len(chosen):
        return chosen.astype(np.int64)
    scores = np.where(np.isfinite(cheap[chosen]), cheap[chosen], 1.0)
    middle = float(np.median(scores))
    keys = (
        -time[chosen],
        np.abs(scores - middle) + 0.5 * (scores > _SURE_CHEAP),
        ~tagged[chosen],
        ~failing[chosen],
    )
    return chosen[np.lexsort(keys)][:CANDIDATES].astype(np.int64)


def diverse(found: Sequence[Candidate], most: int = MOST) -> list[Candidate]:
    """The first ones of different conversations whose questions share less than half of their words.

    Those whose answers differ as much come first: five times one false sentence shows one fault of several. Where they
    are fewer than three, others of different conversations fill them up, and then any.

    >>> asked = ["reset it", "Reset it?", "pay by card", "send it back", "reset it!"]
    >>> [one.record_id for one in diverse([Candidate(n, str(n), query) for n, query in enumerate(asked)])]
    [0, 2, 3]
    >>> told = ["It is free.", "It is free!", "Never."]
    >>> [one.record_id for one in diverse([Candidate(n, str(n), *one) for n, one in enumerate(zip("abc", told))])]
    [0, 2, 1]
    """
    kept: list[Candidate] = []
    for other_answer in (True, False):
        for one in found:
            if len(kept) < most and all(_unlike(one, other, other_answer) for other in kept):
                kept.append(one)
    for apart in (True, False):
        for one in found:
            known = apart and any(one.conversation == other.conversation for other in kept)
            if len(kept) < min(FEWEST, most) and one not in kept and not known:
                kept.append(one)
    return kept


def _unlike(one: Candidate, other: Candidate, other_answer: bool) -> bool:
    return (
        one.conversation != other.conversation
        and _overlap(one.query, other.query) < _ALIKE
        and not (other_answer and _overlap(one.answer, other.answer) >= _ALIKE)
    )


def _overlap(one: str, other: str) -> float:
    """Share of the words of two texts that both have; of two without a word none."""
    words, others = set(_WORD.findall(one.lower())), set(_WORD.findall(other.lower()))
    return len(words & others) / len(words | others) if words | others else 0.0

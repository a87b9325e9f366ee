"""Questions of production as rows of a test set, drawn with known probabilities."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ragvigil.scorer.sample import allocate, fraction
from ragvigil.scorer.testset.row import LANGUAGE, AnswerType, Row, answer_type_named

_DOMAIN = b"ragvigil:testset:v1\0"
"""Another hash than the one that says who is judged: judged questions are no likelier than others."""
_MARK = "production"


class Question(NamedTuple):
    """One question of the traffic, redacted as the store keeps it."""

    trace_id: str
    span_id: str
    query: str
    segment: Mapping[str, str]
    upstream: float
    """Probability in (0, 1] with which the sender kept its trace."""


def drawn(questions: Sequence[Question], size: int, by: Sequence[str]) -> list[Row]:
    """About `size` of them, in their order; from the segments that `by` tells apart by the square root of their size.

    Whether a question is drawn is a hash of its trace id: the same one is drawn each time, and those of a smaller draw
    are in a larger one of the same traffic. `inclusion` counts the sender's sampling in.

    >>> asked = [Question(f"{n:032x}", "1", "When?", {"language": "en"}, 0.5) for n in range(1000)]
    >>> rows = drawn(asked, 100, ["language"])
    >>> len(rows), rows[0].inclusion, rows[0].language
    (109, 0.05, 'en')
    """
    if not questions:
        return []
    strata = [tuple(one.segment.get(name, "") for name in by) for one in questions]
    counts = Counter(strata)
    chances = allocate(list(counts.values()), budget=min(1.0, size / len(questions)), floor=0.0)
    chance = dict(zip(counts, map(float, chances), strict=True))
    pairs = ((one, chance[stratum]) for one, stratum in zip(questions, strata, strict=True))
    return [_row(one, p) for one, p in pairs if fraction(one.trace_id, _DOMAIN) < p]


def _row(one: Question, chance: float) -> Row:
    language = one.segment.get("language", "")
    return Row(
        query_id=f"{one.trace_id}-{one.span_id}",
        query=one.query,
        answer_type=_answer_type(one.segment.get("answer_type", "")),
        language=language if re.fullmatch(LANGUAGE, language) else None,
        tags=(_MARK,),
        trace_id=one.trace_id,
        inclusion=chance * one.upstream,
    )


def _answer_type(name: str) -> AnswerType | None:
    """The type that the service names; that there is no answer is for people to say."""
    found = answer_type_named(name)
    return None if found == "no_answer" else found

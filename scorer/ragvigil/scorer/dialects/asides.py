"""What applications ask a model beside the answer: a title, tags, questions that may come next, a verdict on it."""

from __future__ import annotations

import re

from ragvigil.scorer.dialects.values import mapping_of, sequence_of

_KEYS = frozenset(
    (
        "title",
        "tags",
        "emoji",
        "queries",
        "follow_ups",
        "followups",
        "follow_up_questions",
        "followUpQuestions",
    )
)
_JUDGING = frozenset(
    ("score", "verdict", "grade", "rating", "grounded", "faithful", "faithfulness", "passed", "binary_score")
)
_REASONING = frozenset(("reason", "reasoning", "explanation", "rationale", "confidence"))
_SCORE = re.compile(r"[01][.,]\d{1,3}|\d{1,3}(?:[.,]\d)?\s?/\s?(?:5|10|100)")
_ASKING = ("?", "\uff1f", "\u061f", ";", "\u037e")
"""Ends of questions; Greek has a semicolon."""


def is_aside(reply: str | None) -> bool:
    """Whether a reply is nothing but such an aside, in JSON, and so no answer to anybody's question.

    >>> is_aside('{"follow_ups": ["How much is it?"]}'), is_aside('```json\\n["How much?", "Where?"]\\n```')
    (True, True)
    >>> is_aside('{"score": "yes", "reason": "It is said in [1]."}'), is_aside("0.9"), is_aside("4/5")
    (True, True, True)
    >>> is_aside('{"answer": "At nine."}'), is_aside('["at nine", "at ten"]'), is_aside("At nine?")
    (False, False, False)
    """
    text = _unfenced(reply or "")
    if fields := mapping_of(text):
        return fields.keys() <= _KEYS or is_grade(text)
    if _SCORE.fullmatch(text):
        return True
    items = sequence_of(text)
    return len(items) > 1 and all(isinstance(item, str) and item.strip().endswith(_ASKING) for item in items)


def is_grade(reply: str) -> bool:
    """Whether a reply is a grade or a verdict in JSON, with its reason or without.

    >>> is_grade('{"score": 4, "reason": "It is said in [1]."}'), is_grade('{"tags": ["ferry"]}')
    (True, False)
    """
    fields = mapping_of(_unfenced(reply))
    return fields.keys() <= _JUDGING | _REASONING and not _JUDGING.isdisjoint(fields)


def _unfenced(reply: str) -> str:
    return reply.strip().removeprefix("```json").strip("` \n")

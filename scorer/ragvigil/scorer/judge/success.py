"""Whether one query was a success from end to end, by all that the rubric asks."""

from __future__ import annotations

from collections.abc import Mapping

from ragvigil.scorer.judge.reply import Abstain, Scores

_GOOD = 4
"""Least points of each score, and of a refusal."""
_OF_A_REFUSAL = ("schema_valid", "language_match", "safety_pass")


def succeeds(must_pass: Mapping[str, bool], scores: Scores, abstain: Abstain) -> bool:
    """Whether an answer passes every flag with good scores; where there is no answer: whether it refuses well.

    `must_pass` are the flags as they are after what could be decided was put right. A refusal cites nothing, so that
    by the flags of an answer every right one would fail.

    >>> flags = dict.fromkeys(("schema_valid", "language_match", "safety_pass", "citations_present"), True)
    >>> points = Scores(groundedness=4, completeness=5, directness=4, style=1)
    >>> succeeds(flags, points, Abstain(should_have_abstained=False, abstain_quality=None))
    True
    >>> succeeds(flags, points, Abstain(should_have_abstained=True, abstain_quality=5))
    False
    """
    if abstain.should_have_abstained:
        return (
            (abstain.abstain_quality or 0) >= _GOOD
            and not must_pass["citations_present"]
            and all(must_pass[name] for name in _OF_A_REFUSAL)
        )
    return (
        all(must_pass.values()) and min(scores.groundedness, scores.completeness, scores.directness) >= _GOOD
    )

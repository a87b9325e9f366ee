"""Flags: how a claim speaks of what a record says to be so, not so or unknown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.flags import Flag
from ragvigil.scorer.checks.reading.words import Word, offsets

FLAGS = ("false_said", "null_said", "null_denied", "true_denied", "true_said", "false_denied")
"""How a claim may speak of a record's flag."""
_FLAG_OF = {
    ("false", False): FLAGS.index("false_said"),
    ("null", False): FLAGS.index("null_said"),
    ("null", True): FLAGS.index("null_denied"),
    ("true", True): FLAGS.index("true_denied"),
    ("true", False): FLAGS.index("true_said"),
    ("false", True): FLAGS.index("false_denied"),
}
_AGREEING = frozenset({FLAGS.index("true_said"), FLAGS.index("false_denied")})
_TURN = re.compile(
    r"[;.:](?=\s)"
    r"|,?\s(?=(?:but|while|whereas|although|though|however|yet|without|lacks?|mas|pero|aber|mais)\b)"
    r"|,\s(?=(?:not|no|it|its|they|there|the)\b)"
    r"|\s(?=and\s(?:do|does|did|is|are|has|have|no|not|all|it|its|they|there|the)\b|with\sno\b)",
    re.IGNORECASE,
)
_UNTOLD = re.compile(
    r"\b(?:unknown|unclear|unspecified|whether"
    r"|(?:not|n't|no)\s(?:\w+\s){0,2}(?:specif|mention|stat(?:e|ed)\b|indicat|listed|clear|information|details?\b))",
    re.IGNORECASE,
)
_DENIED_AFTER = 8


def flags_of(claim: Sequence[Word], text: str, evidence: Evidence) -> dict[int, int]:
    """For each word of `claim`, the words of `text`, that names one of a record's flags: how, as a place in FLAGS.

    A negation before the name, or up to eight words after it, denies it, as far as no "but" or semicolon stands
    between. What is missing and said to be so, or told in prose beside the record, is no disagreement. Where a name
    belongs to several flags, one that the claim agrees with counts.
    """
    stems = [word.stem for word in claim]
    known = frozenset(stems)
    found: dict[int, int] = {}
    turns: list[int] | None = None
    for flag in evidence.flags:
        places = [place for place in _named(flag, stems, known) if not _in_a_name(claim, place)]
        if not places:
            continue
        turns = _turns(text) if turns is None else turns
        denied = _denied(claim, places, turns)
        if flag.truth == "null" and (_UNTOLD.search(text) if denied else _in_prose(stems, places, evidence)):
            continue
        how = _FLAG_OF[flag.truth, denied]
        for place in places:
            if place not in found or how in _AGREEING:
                found[place] = how
    return found


def _in_prose(stems: Sequence[str], places: Sequence[int], evidence: Evidence) -> bool:
    """Whether a sentence of the evidence, not of its records, has one of these words."""
    segments = evidence.segments
    return any(
        segments[one].span is not None for place in places for one in evidence.places.get(stems[place], ())
    )


def _named(flag: Flag, stems: Sequence[str], known: frozenset[str]) -> list[int]:
    """The places of the words that name `flag`: each of its own words, the same side by side, or written as one."""
    if flag.joined in known:
        return [place for place, stem in enumerate(stems) if stem == flag.joined]
    if flag.content and flag.content <= known:
        return [place for place, stem in enumerate(stems) if stem in flag.content]
    size = len(flag.sequence)
    if size > 1 and flag.sequence[0] in known:
        for place in range(len(stems) - size + 1):
            if tuple(stems[place : place + size]) == flag.sequence:
                return list(range(place, place + size))
    return []


def _in_a_name(claim: Sequence[Word], place: int) -> bool:
    """Whether a word ends a name, as in State Street: then it is not about what streets there are."""
    return place > 1 and claim[place].name and claim[place - 1].name


def _turns(text: str) -> list[int]:
    """Words of `text` with which something begins that an earlier negation does not reach."""
    cuts = [match.end() for match in _TURN.finditer(text)]
    if not cuts:
        return []
    starts = [first for first, _ in offsets(text)]
    return [sum(start < cut for start in starts) for cut in cuts]


def _denied(claim: Sequence[Word], places: Sequence[int], turns: Sequence[int]) -> bool:
    first = max((turn for turn in turns if turn <= places[0]), default=0)
    last = min((turn for turn in turns if turn > places[0]), default=len(claim))
    return any(word.negation for word in claim[first : min(last, places[-1] + 1 + _DENIED_AFTER)])

"""Flags: how a claim speaks of what a record says to be so, not so or unknown."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from math import log1p

from ragvigil.scorer.checks.alignment.denials import off_places
from ragvigil.scorer.checks.alignment.own_record import told_by_its_record
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.flags import Flag
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import Word, offsets, words

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
_DISAGREEING = frozenset({FLAGS.index("false_said"), FLAGS.index("null_said"), FLAGS.index("true_denied")})
_NULL_SAID = FLAGS.index("null_said")
_AGREEING = frozenset({FLAGS.index("true_said"), FLAGS.index("false_denied")})
_TURN = re.compile(
    r"[;.](?=\s)|:(?=\s(?!(?:no|not|none|false)\b))"
    r"|,?\s(?=(?:rather\sthan|instead\sof)\b)"
    r"|,\s(?=(?:making|providing|creating|which|with)\b)"
    r"|,?\s(?=(?:but|while|whereas|although|though|however|yet|without|lacks?|mas|pero|aber|mais)\b)"
    r"|,\s(?=(?:not|no|it|its|they|there|the)\b|\w+(?:\s\w+)?\s(?:is|are)\b)"
    r"|\sand\s(?=\w+\s(?:is|are)\b)"
    r"|\s(?=and\s(?:do|does|did|is|are|has|have|no|not|all|it|its|they|there|the)\b|with\sno\b)",
    re.IGNORECASE,
)
_UNTOLD = re.compile(
    r"\b(?:unknown|unclear|unspecified|whether"
    r"|(?:not|n't|no)\s(?:\w+\s){0,2}(?:specif|mention|stat(?:e|ed)\b|indicat|listed|clear|information|details?\b))",
    re.IGNORECASE,
)
_DENIED_AFTER = 8
_OFF_AFTER = 4
_AS_A_NOUN = "at"
"""What the stem of a verb's noun has more: to reserve, reservations."""
_UNAVAILABLE = words("unavailable")[0].stem
_IN_PLACE_OF = frozenset((words(one)[0].stem, words(one)[1].stem) for one in ("rather than", "instead of"))


def flags_of(
    claim: Sequence[Word], text: str, evidence: Evidence, question: Collection[str] = ()
) -> dict[int, int]:
    """For each word of `claim`, the words of `text`, that names one of a record's flags: how, as a place in FLAGS.

    `question`: stems of what was asked, which may tell whose record is meant.

    A negation before the name, or up to eight words after it, denies it, as far as no "but" or semicolon stands
    between. What is told in prose or in another value beside the flag is no disagreement, nor is what is missing and
    said to be unknown. Where a name belongs to several flags, one that the claim agrees with counts.
    """
    stems = [word.stem for word in claim]
    known = frozenset(stems)
    found: dict[int, int] = {}
    turns: list[int] | None = None
    for flag in evidence.flags:
        if not known.isdisjoint(flag.parts):
            continue  # what is said of a part tells more
        places = [place for place in _named(flag, stems, known) if not _in_a_name(claim, place)]
        if not places:
            continue
        turns = _turns(text) if turns is None else turns
        how = _FLAG_OF[flag.truth, _denied(claim, places, turns)]
        if _excused(flag, how, {stems[place] for place in places}, text, evidence):
            continue
        if how == _NULL_SAID and told_by_its_record(flag, claim, question, evidence):
            continue
        for place in places:
            if place not in found or how in _AGREEING:
                found[place] = how
    return found


def _excused(flag: Flag, how: int, stems: Collection[str], text: str, evidence: Evidence) -> bool:
    """Whether something else speaks for what is said of `flag`, or nothing is said of it at all.

    A group of which no part is so can still be spoken of: an ambience that is of no listed kind.
    """
    if flag.truth == "null" and _UNTOLD.search(text):
        return True
    if how not in _DISAGREEING:
        return False
    return bool(flag.parts and flag.truth == "false") or _told(stems, evidence)


def _told(stems: Collection[str], evidence: Evidence) -> bool:
    """Whether a sentence of the evidence, or a text that a record has as a value, has all of these words."""
    held = [set(evidence.places.get(one, ())) for one in stems]
    return any(_in_text(evidence.segments[one], stems) for one in set[int].intersection(*held))


def _in_text(segment: Segment, stems: Collection[str]) -> bool:
    if segment.span is not None:
        return True
    if segment.absent is not None or not isinstance(segment.value, str):
        return False
    return {word.stem for word in words(segment.value)}.issuperset(stems)


def _named(flag: Flag, stems: Sequence[str], known: frozenset[str]) -> list[int]:
    """The places of the words that name `flag`: each of its own words, the same side by side, or written as one."""
    if flag.joined in known:
        return [place for place, stem in enumerate(stems) if stem == flag.joined]
    if len(flag.sequence) == 1:
        verb = flag.joined.removesuffix(_AS_A_NOUN)
        return [stems.index(verb)] if verb in known else []
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
    near = range(first, min(last, places[-1] + 1 + _DENIED_AFTER))
    off = any(place in near and 0 < place - places[-1] <= _OFF_AFTER for place in off_places(claim))
    return off != any(_denies(claim, place) for place in near)  # what is not off is on


def _denies(claim: Sequence[Word], place: int) -> bool:
    word = claim[place]
    if word.negation or word.stem == _UNAVAILABLE:
        return True
    return (word.stem, claim[place + 1].stem if place + 1 < len(claim) else "") in _IN_PLACE_OF


def flag_figures(flags: Mapping[int, int]) -> tuple[float, ...]:
    """For each of FLAGS: how many words name such a one, as a logarithm."""
    seen = list(flags.values())
    return tuple(log1p(seen.count(one)) for one in range(len(FLAGS)))

"""qualifiers_supported: share of the claims with a strong word whose evidence is as strong.

Range [0, 1]. Strong words say all, none, only, or best and most, in six languages (`data/qualifiers.json`); "not all"
is none. Looked at are claims that the evidence carries. The nearest sentence must hold the same word or one of its kind
("not without" is "only with"), or one of its two neighbours, or a sentence of the carrying passages that shares two
words with the claim, must say it of one of the claim's words or share half of them: "all dogs" is not carried by "dogs"
beside "all visitors". A claim without such a word is not counted. None where no carried claim has one.
"""

from __future__ import annotations

from collections.abc import Sequence

from ragvigil.scorer.checks.alignment.assess import VERSION
from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import DEFAULT_MODEL, Prepared
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import Word, stems_of, words
from ragvigil.scorer.data import read_data
from ragvigil.scorer.verdict import Claim

_MOST_LISTED = 10
_MOST_CHARACTERS = 120
_SHARED = 2
_AHEAD = 12
"""Words behind a strong word among which the next meaningful one is looked for."""
_NEAR = 4
"""Words between a negation and what it weakens: not present in all cases."""
_DATA = read_data("qualifiers.json")
_KINDS: dict[str, str] = {
    words(entry)[0].stem: kind for kind, entries in _DATA["kinds"].items() for entry in entries
}

_STRONG = _KINDS.keys()
_EXCEPTING = stems_of(_DATA["excepting"])
"""Words that make of "no" and "not" an "only": not without consent."""
_DENYING = stems_of(_DATA["denying"])
"""Words that make "not all" of "all"."""
_DISTRIBUTING = stems_of(_DATA["distributing"])
"""Words that say of each what "every" says: 5 per member."""

_LIMITS = stems_of(entry for entry in _DATA["limits"] if " " not in entry)
_LIMITS_IN_TWO = {tuple(word.stem for word in words(entry)) for entry in _DATA["limits"] if " " in entry}
"""Words behind "only" that tell a bound: only up to 20 are 20 at most."""
_PERSONS = frozenset(("you", "we", "they", "i", "it", "anyone", "she", "he"))
_ADVERBS = stems_of(_DATA["adverbs"])
"""Strong words between what they are about and what they say of it: fees are always paid."""


def _measure(prepared: Prepared) -> Finding:
    if not prepared.has_evidence:
        return Finding(None, "there is no evidence text")
    if prepared.bears_claims and prepared.incomparable:
        return Finding(None, prepared.incomparable)
    strong = _strong(prepared)
    claims = [one for one in prepared.assessment.claims if one.start in strong] if strong else []
    claims = [one for one in claims if one.supported_by]
    if not claims:
        return Finding(None, "no carried claim says all, none, only or most")
    said = {
        one.start: frozenset(word.stem for word in one.words if word.content and word.stem not in _KINDS)
        for one in prepared.told
    }
    weak = [one for one in claims if not _is_carried(prepared, one, said[one.start], strong[one.start])]
    told = [one.text[:_MOST_CHARACTERS] for one in weak]
    return Finding(
        1 - len(weak) / len(claims),
        f"says more than its evidence: {told[0]}" if told else None,
        {"claims": len(claims), "weaker": told[:_MOST_LISTED]},
    )


def _strong(prepared: Prepared) -> dict[int, set[str]]:
    """By where it starts, the kinds of strong words of each statement that has some."""
    return {
        one.start: found
        for one, stems in zip(prepared.statements, prepared.stems, strict=True)
        if one.checkworthy and not _STRONG.isdisjoint(stems) and (found := _claimed(one.words))
    }


def _claimed(sequence: Sequence[Word]) -> set[str]:
    """The kinds of strong words of a claim; "not all" and "not always" are weak."""
    found: set[str] = set()
    for place, word in enumerate(sequence):
        kind = _KINDS.get(word.stem)
        denied = kind == "all" and any(map(_denies, sequence[max(0, place - _NEAR) : place]))
        if kind and not denied and not _bounds(sequence, place):
            found.add(kind)
    return found


def _bounds(sequence: Sequence[Word], place: int) -> bool:
    """Whether the strong word at `place` says how much, how often or from when: only up to, the most you may, every 5.

    >>> told = (words("only up to 5"), words("only dogs"), words("the most you may take"), words("the most dogs"))
    >>> [_bounds(one, place) for one, place in zip(told, (0, 0, 1, 1))]
    [True, False, True, False]
    """
    kind = _KINDS.get(sequence[place].stem)
    before = sequence[place - 1].stem if place else ""
    behind = [word.stem for word in sequence[place + 1 : place + 3]]
    if kind == "only":
        return bool(behind) and (behind[0] in _LIMITS or tuple(behind) in _LIMITS_IN_TWO)
    if kind == "most":
        return before == "at" or (before == "the" and bool(behind) and behind[0] in _PERSONS)
    return kind == "all" and any(word.numbers for word in sequence[place + 1 : place + 3])


def _denies(word: Word) -> bool:
    return word.negation and (word.stem in _DENYING or word.stem.endswith("n't"))


def _is_carried(prepared: Prepared, claim: Claim, words_of_it: frozenset[str], wanted: set[str]) -> bool:
    """Whether the `wanted` kinds stand in the sentence nearest to a claim, beside it, or in those of its words."""
    evidence, near = prepared.evidence, claim.nearest
    if near is None:
        return True  # a record's value, which has no place in the text
    places = range(len(evidence.segments))
    nearest = next(
        (
            place
            for place in places
            if evidence.segments[place].place == (near.start, near.end)
            and evidence.names[evidence.segments[place].passage] == near.passage
        ),
        None,
    )
    if nearest is None:
        return True
    found = _kinds_of(evidence.segments[nearest], None)
    if wanted <= found:
        return True  # as mostly
    passage = evidence.segments[nearest].passage
    carriers = {place for place, name in enumerate(evidence.names) if name in claim.supported_by}
    for place in places:
        segment = evidence.segments[place]
        beside = abs(place - nearest) <= 1 and segment.passage == passage
        shared = len(words_of_it & segment.content) if segment.passage in carriers else 0
        if beside or shared >= _SHARED:
            found |= _kinds_of(segment, None if 2 * shared >= len(words_of_it) else words_of_it)
            if wanted <= found:
                return True
    return False


def _kinds_of(segment: Segment, of: frozenset[str] | None) -> set[str]:
    """The kinds of its strong words; `of`: of those alone that are said of one of these stems."""
    found: set[str] = set()
    before: str | None = None
    sequence = segment.words
    for place, word in enumerate(sequence):
        kind = _KINDS.get(word.stem) or ("all" if word.stem in _DISTRIBUTING else None)
        if kind and (of is None or _is_said_of(sequence, place, before, of)):
            found.add(kind)
        if word.content and not kind:
            before = word.stem
    if segment.negated and any(word.stem in _EXCEPTING for word in sequence):
        found.add("only")
    return found


def _is_said_of(sequence: Sequence[Word], place: int, before: str | None, of: frozenset[str]) -> bool:
    """Whether the strong word at `place` is said of one `of` these stems: the next meaningful one, or the one before.

    Of two kinds beside an adverb ("fees are always paid") that both must be; what is most is most in whatever words.
    """
    if _KINDS.get(sequence[place].stem) == "most":
        return True
    following = (
        word.stem
        for word in sequence[place + 1 : place + 1 + _AHEAD]
        if word.content and word.stem not in _KINDS
    )
    behind = next(following, None)
    if behind is None:
        return before in of
    return behind in of and (sequence[place].stem not in _ADVERBS or before is None or before in of)


CHECK = Check("qualifiers_supported", f"5+{VERSION}+{DEFAULT_MODEL}", _measure, cost="claims")

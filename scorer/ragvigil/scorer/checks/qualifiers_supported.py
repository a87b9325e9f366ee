"""qualifiers_supported: share of the claims with a strong word whose evidence is as strong (rubric A2).

Range [0, 1]. Strong words say all, none, only, or best and most, in six languages (`data/qualifiers.json`). Looked at
are claims that the evidence carries, and the nearest sentence with its two neighbours, and those of the carrying
passages that share two words with the claim: one of them must hold the same word or one of its kind ("not without" is
"only with"). A claim without such a word is not counted. None where no carried claim has one.
"""

from __future__ import annotations

import json
from importlib.resources import files

from ragvigil.scorer.checks.alignment.assess import VERSION
from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import CROSS_LINGUAL, DEFAULT_MODEL, Prepared
from ragvigil.scorer.checks.reading.evidence import Segment
from ragvigil.scorer.checks.reading.words import words
from ragvigil.scorer.verdict import Claim

_MOST_LISTED = 10
_MOST_CHARACTERS = 120
_SHARED = 2
_DATA = json.loads(files("ragvigil.scorer.data").joinpath("qualifiers.json").read_text("utf-8"))
_KINDS: dict[str, str] = {
    words(entry)[0].stem: kind for kind, entries in _DATA["kinds"].items() for entry in entries
}

_EXCEPTING = frozenset(word.stem for entry in _DATA["excepting"] for word in words(entry))
"""Words that make of "no" and "not" an "only": not without consent."""
_DISTRIBUTING = frozenset(word.stem for entry in _DATA["distributing"] for word in words(entry))
"""Words that say of each what "every" says: 5 per member."""


def _measure(prepared: Prepared) -> Finding:
    if not prepared.has_evidence:
        return Finding(None, "there is no evidence text")
    if prepared.bears_claims and prepared.cross_lingual:
        return Finding(None, CROSS_LINGUAL)
    strong = {
        one.start: found
        for one in prepared.statements
        if one.checkworthy and (found := {kind for word in one.words if (kind := _KINDS.get(word.stem))})
    }
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
    passage = evidence.segments[nearest].passage
    around = evidence.segments[max(0, nearest - 1) : nearest + 2]
    found = set[str]().union(*(_kinds_of(one) for one in around if one.passage == passage))
    if wanted <= found:
        return True  # as mostly
    carriers = {place for place, name in enumerate(evidence.names) if name in claim.supported_by}
    for place in places:
        segment = evidence.segments[place]
        if segment.passage in carriers and len(words_of_it & segment.content) >= _SHARED:
            found |= _kinds_of(segment)
            if wanted <= found:
                return True
    return False


def _kinds_of(segment: Segment) -> set[str]:
    found = {kind for word in segment.words if (kind := _KINDS.get(word.stem))}
    if segment.negated and any(word.stem in _EXCEPTING for word in segment.words):
        found.add("only")
    if any(word.stem in _DISTRIBUTING for word in segment.words):
        found.add("all")
    return found


CHECK = Check("qualifiers_supported", f"2+{VERSION}+{DEFAULT_MODEL}", _measure, cost="claims")

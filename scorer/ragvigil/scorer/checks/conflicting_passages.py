"""conflicting_passages: 1 when two passages say the same, with another number or the opposite.

Range {0, 1}, 0 is good; the failure tag CONFLICTING_SOURCES_UNRESOLVED needs it. Compared are the twelve sentences
that hold most of the question's key terms. All their words of meaning must be the same but for the value, and so
must the headings of the passages in kind: another plan, place, year, version or group ("for students") is another
thing. From or until when something holds ("since 2024", "now") is no such word, so that a superseded policy is a
conflict; one in other words is missed. None for fewer than two passages with a text, without key terms and across
languages.
"""

from __future__ import annotations

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.context_relevance import unmeasurable
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.segments import Segment

_MOST_CHARACTERS = 200


def _measure(prepared: Prepared) -> Finding:
    why = unmeasurable(prepared)
    if why is not None:
        return Finding(None, why)
    if sum(bool(one.text) for one in prepared.record.documents) < 2:
        return Finding(None, "there are fewer than two passages with a text")
    found = prepared.conflict
    if found is None:
        return Finding(0.0)
    names = prepared.evidence.names
    first, second = names[found.one.passage], names[found.other.passage]
    told = {
        "kind": found.kind,
        "passages": [first, second],
        "sentences": [_said(found.one), _said(found.other)],
    }
    return Finding(1.0, f"{first} and {second} differ: “{_said(found.one)}”, “{_said(found.other)}”", told)


def _said(segment: Segment) -> str:
    return segment.sentence[:_MOST_CHARACTERS]


CHECK = Check("conflicting_passages", "6", _measure, range="{0, 1}", better="low", cost="question")

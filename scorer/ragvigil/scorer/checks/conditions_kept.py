"""conditions_kept: share of the conditions beside the facts in the evidence that the answer tells.

Range [0, 1]. Asked of a short fact: its exceptions ("except", "unless", "does not apply to", in six languages), and
what its own sentence says it holds for ("only if", "provided that", "once the form is signed") where the claim has the
words of the rest of that sentence and the answer tells no such condition at all; of an instruction: exceptions,
preconditions and when to stop. Looked at are the sentence that carries a supported claim, the one behind it, around a
step the two before and behind, and sentences of other passages that hold most of the question's key terms. One is told
where a third of its words stand in the answer, words of question and fact aside. None where the evidence names none
there, for other types of question and longer answers, and across languages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from ragvigil.scorer.checks.alignment.assess import VERSION
from ragvigil.scorer.checks.answer_structure import kind_of
from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import DEFAULT_MODEL, Prepared
from ragvigil.scorer.checks.reading.conditions import Condition, Restriction, conditions
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.verdict import Claim

_MOST_CLAIMS_OF_A_FACT = 3
_MOST_CLAIMS_OF_STEPS = 20
_ON_THE_QUESTION = 0.5
"""Share of the question's key terms, by weight, that a fact and its claim hold together."""
_LONE_ON_IT = 0.25
"""The same of a claim that is all an answer says."""
_WHOLLY_ON_IT = 0.75
_FEWEST_TERMS = 2
_MOST_PLACES = 200
_MOST_ELSEWHERE = 8
_TOLD = 1 / 3
_MOST_LISTED = 3
_MOST_CHARACTERS = 160
_OF_A_FACT: frozenset[Restriction] = frozenset({"exception"})
_OF_ITS_SENTENCE: frozenset[Restriction] = frozenset({"exception", "proviso"})
_QUOTED = 0.8
"""Share of a claim's words that stand in what a proviso is of, from which it is that of the claim."""
_OF_STEPS: frozenset[Restriction] = frozenset({"exception", "precondition", "stop"})


def _measure(prepared: Prepared) -> Finding:
    if not prepared.has_evidence:
        return Finding(None, "there is no evidence text")
    kind = kind_of(prepared)
    if kind not in (None, "short_fact", "instruction"):
        return Finding(None, "conditions are asked of a fact or an instruction")
    if not prepared.bears_claims or not prepared.key_terms:
        return Finding(None, "nothing is asked or claimed")
    if prepared.incomparable:
        return Finding(None, prepared.incomparable)
    steps = kind == "instruction"
    claims = prepared.assessment.claims
    if not steps and len(claims) > _MOST_CLAIMS_OF_A_FACT:
        return Finding(None, "the answer is longer than a fact")
    carried = [one for one in claims[:_MOST_CLAIMS_OF_STEPS] if one.verdict == "supported" and one.nearest]
    named = {one.text: one for one in _named(prepared, carried, steps=steps)}
    if not named:
        return Finding(None, "the evidence names no condition beside what the answer says")
    said = {word.stem for statement in prepared.statements for word in statement.words}
    lacking = [one for one in named.values() if not _told(one, said)]
    told = [f"{one.kind}: {one.text[:_MOST_CHARACTERS]}" for one in lacking[:_MOST_LISTED]]
    return Finding(
        1 - len(lacking) / len(named),
        f"leaves out the {told[0]}" if told else None,
        {"conditions": len(named), "lacking": told} if told else {"conditions": len(named)},
    )


def _named(prepared: Prepared, carried: Iterable[Claim], *, steps: bool) -> Iterator[Condition]:
    """The conditions that restrict what the answer says, each with the words by which it is told."""
    looked_at: set[int] = set()
    named: set[int] = set()
    evidence, kinds = prepared.evidence, _OF_STEPS if steps else _OF_A_FACT
    own = _OF_STEPS if steps else _OF_A_FACT if _restricts(prepared) else _OF_ITS_SENTENCE
    for claim, place in _facts(prepared, carried, steps=steps):
        looked_at.add(place)
        if place not in named:  # what is none of one claim's may be of the next one on the same sentence
            stems = _stems_of(prepared, claim)
            found = [one for one in _of(prepared, place, own) if one.kind != "proviso" or _is_of(one, stems)]
            named.update([place] if found else [])
            yield from found
        first, last = (place - 2, place + 3) if steps else (place + 1, place + 2)
        for other in range(max(0, first), min(last, len(evidence.segments))):
            if other in looked_at or evidence.passage_of[other] != evidence.passage_of[place]:
                continue
            looked_at.add(other)
            found = _of(prepared, other, kinds, beside=evidence.segments[place])
            named.update([other] if found else [])
            yield from found
    if looked_at and not steps:
        for place in _elsewhere(prepared):
            if place not in looked_at:
                yield from _of(prepared, place, kinds)


def _facts(prepared: Prepared, carried: Iterable[Claim], *, steps: bool) -> Iterator[tuple[Claim, int]]:
    """Each of the claims `carried` with a sentence that is nearest to it, where that is on the question."""
    for claim in carried:
        near = claim.nearest
        for place in prepared.evidence.sentences_at(near.passage, near.start) if near else ():
            if _on_the_question(prepared, claim, prepared.evidence.segments[place], steps=steps):
                yield claim, place


def _of(
    prepared: Prepared, place: int, kinds: frozenset[Restriction], *, beside: Segment | None = None
) -> list[Condition]:
    """The conditions of a sentence, without the words of question and fact.

    An exception in a sentence beside the fact is one of that fact where the sentence speaks of nothing else.
    """
    found: list[Condition] = []
    for one in conditions(prepared.evidence.segments[place].sentence, kinds):
        known = {*prepared.key_terms, *(beside.content if beside else ())}
        stems = one.stems - known
        if one.kind == "proviso" and stems != one.stems:
            continue  # it is what was asked
        if beside and one.kind == "exception" and not one.rule <= known:
            continue
        if stems and len(stems) * 2 >= len(one.stems):
            found.append(one._replace(stems=stems))
    return found


def _elsewhere(prepared: Prepared) -> list[int]:
    """The sentences that hold most of the question's key terms, the best of them."""
    if len(prepared.key_terms) < _FEWEST_TERMS:
        return []
    scores = prepared.evidence.weighed(prepared.key_terms, _MOST_PLACES)
    enough = _WHOLLY_ON_IT * sum(prepared.key_terms.values())
    best = sorted((place for place, score in scores.items() if score >= enough), key=lambda one: -scores[one])
    return best[:_MOST_ELSEWHERE]


def _on_the_question(prepared: Prepared, claim: Claim, fact: Segment, *, steps: bool) -> bool:
    """Whether a fact is what was asked for, and no aside."""
    if steps:
        return True
    held = fact.content | {
        word.stem for one in prepared.statements if one.start == claim.start for word in one.words
    }
    weight = sum(weight for stem, weight in prepared.key_terms.items() if stem in held)
    enough = _ON_THE_QUESTION if len(prepared.assessment.claims) > 1 else _LONE_ON_IT
    return weight >= enough * sum(prepared.key_terms.values())


def _restricts(prepared: Prepared) -> bool:
    """Whether the answer says itself what something is so for: it may name the proviso in words of its own."""
    return any(conditions(one.text, _OF_ITS_SENTENCE) for one in prepared.statements)


def _stems_of(prepared: Prepared, claim: Claim) -> set[str]:
    """The meaningful words of a claim."""
    said = (one.words for one in prepared.statements if one.start == claim.start)
    return {word.stem for word in chain.from_iterable(said) if word.content}


def _is_of(one: Condition, claim: set[str]) -> bool:
    """Whether a claim says what a proviso restricts, nearly in the same words."""
    return len(claim & one.rule) >= _QUOTED * len(claim)


def _told(one: Condition, said: set[str]) -> bool:
    return len(one.stems & said) >= _TOLD * len(one.stems)


CHECK = Check("conditions_kept", f"4+{VERSION}+{DEFAULT_MODEL}", _measure, cost="claims")

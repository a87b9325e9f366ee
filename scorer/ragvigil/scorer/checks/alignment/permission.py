"""Permission: what a claim allows, in whatever words, and the best sentence forbids, or the other way round.

"You can smoke in the lobby" shares all of its words with "Smoking is prohibited in the lobby"; neither has a negation
that a word of the other one answers. So is "You may use it without consent", for "without" is a negation, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from itertools import chain
from typing import Literal

from ragvigil.scorer.checks.alignment.denials import BOUNDING, HAVING, LACKING
from ragvigil.scorer.checks.alignment.swaps import in_one_form
from ragvigil.scorer.checks.reading.answered import asks
from ragvigil.scorer.checks.reading.clauses import clauses
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.expressions import OPPOSITES
from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.negation import denies
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import NEGATION_ADVERBS, Word, stems_of, words

_DATA = OPPOSITES["permission"]


def _stems(*names: str) -> frozenset[str]:
    return stems_of(chain.from_iterable(map(_DATA.get, names)))


_ALLOWING, _MODAL, _FORBIDDING = _stems("allowing"), _stems("modal"), _stems("forbidding")
_CANNOT, _MUST, _NO = _stems("cannot"), _stems("must"), _stems("no")
_ANYWHERE = _stems("anywhere")
"""Negations that stand far from the verb that they deny."""
_NOUNS = _stems("nouns")
"""What may be a noun as well: permission."""
_PORTUGUESE = _stems("portuguese")
"""Beside one of them *no* is "in the"."""
_NEVER, _DENYING_NOTHING = _stems("never"), LACKING | _stems("first_of_two")
"""The latter are negations that deny no verb: without, the first of two."""
_DOING, _PERSONS = _stems("doing"), _stems("persons")
_PERMITTING = _ALLOWING | _MODAL
_TOLD = _PERMITTING | _FORBIDDING
_HINTS = _TOLD | _CANNOT | _MUST | LACKING
"""One of them stands in each claim that is looked at."""
_UNTOLD = _TOLD | _CANNOT | _MUST | NEGATION_ADVERBS
"""What says nothing of what it is that is allowed."""
_BOUNDS = (BOUNDING | HAVING | LACKING | stems_of(LEXICON.limiting)) - {"se", "que", "qu", "other"}
"""Of these both must have the same: what is forbidden without a leash is allowed with one."""
_ANSWERS = re.compile(r"\W*(?:no|nein|non|não)[,.:;!\u2013\u2014]", re.IGNORECASE)
_FEWEST = 2
"""Meaningful words of a clause, and how many words stand between a negation and what it denies at most."""
_MOST_WORDS = 40
_MOST_SENTENCES = 20

_Stance = Literal["allows", "forbids", "says"]


def permits_otherwise(
    claim: Sequence[Word], text: str, best: Segment, place: int, evidence: Evidence
) -> bool:
    """Whether `claim`, the words of `text`, allows what the `best` segment, at `place`, forbids, or conversely.

    All of its words must stand there, and no other sentence may say the same of all of them: it may be so for some.

    >>> from ragvigil.scorer.trace import Document
    >>> house = Evidence([Document("a", "Smoking is prohibited in the lobby. Dogs are allowed on a leash.")])
    >>> texts = ("You can smoke in the lobby.", "You can't smoke in the lobby.", "Dogs aren't allowed without a leash.")
    >>> [permits_otherwise(words(text), text, house.segments[0], 0, house) for text in texts[:2]]
    [True, False]
    >>> permits_otherwise(words(texts[2]), texts[2], house.segments[1], 1, house)
    False
    """
    if _HINTS.isdisjoint([word.stem for word in claim]) or best.span is None or len(claim) > _MOST_WORDS:
        return False
    mine = _matter(claim)
    if not mine or len(mine - in_one_form(best.content)) > 1:
        return False  # as mostly
    stance = _stance(claim, text)
    return (
        stance is not None
        and _tells_otherwise(claim, mine, stance, best)
        and not _stands_elsewhere(claim, mine, stance, place, evidence)
    )


def _tells_otherwise(claim: Sequence[Word], mine: Set[str], stance: _Stance, segment: Segment) -> bool:
    """Whether all of a sentence, or a clause of it, forbids what is allowed, or the other way round."""
    if segment.span is None or asks(segment.sentence):
        return False
    first, last = segment.span
    if _are_opposed(claim, mine, stance, segment.words, segment.text[first:last]):
        return True
    spans = clauses(segment.text, first, last, _FEWEST)
    parts = [segment.text[one:other] for one, other in spans] if len(spans) > 1 else []
    return any(_are_opposed(claim, mine, stance, words(part), part) for part in parts)


def _are_opposed(
    claim: Sequence[Word], mine: Set[str], stance: _Stance, part: Sequence[Word], text: str
) -> bool:
    """Whether `part` has the words `mine` of `claim`, and their bounds, but not its `stance`."""
    theirs = _matter(part)
    more, less = mine - theirs, theirs - mine
    if len(more) + len(less) > 1 or mine.isdisjoint(theirs) or _bounds(claim) != _bounds(part):
        return False
    other = _stance(part, text)
    if other is None or other == stance:
        return False
    if "says" in (stance, other):
        return "forbids" in (stance, other) and not more | less and not LACKING.isdisjoint(_bounds(claim))
    return more <= _DOING and less <= _DOING | _PERSONS


def _matter(sequence: Sequence[Word]) -> set[str]:
    """The stems, in one form, of what is allowed or forbidden."""
    return in_one_form(
        [word.stem for word in sequence if (word.content or word.numbers) and word.stem not in _UNTOLD]
    )


def _bounds(sequence: Sequence[Word]) -> set[str]:
    return {word.stem for word in sequence if word.stem in _BOUNDS}


def _stance(sequence: Sequence[Word], text: str) -> _Stance | None:
    """What a sentence or a clause, the words of `text`, does; None where that is not plain.

    >>> texts = ("Dogs may not enter.", "It isn't forbidden.", "No, dogs can enter.", "It is so.")
    >>> [_stance(words(text), text) for text in texts]
    ['forbids', 'allows', 'allows', 'says']
    >>> [_stance(words(text), text) for text in ("It may be that it is not so.", "You may, but others may not.")]
    [None, None]
    """
    if _ANSWERS.match(text):
        sequence = sequence[1:]
    stems = [word.stem for word in sequence]
    forbidding = _where(stems, _FORBIDDING)
    allowing = _where(stems, _PERMITTING)
    if len(allowing) > 1:
        allowing = [place for place in allowing if stems[place] not in _NOUNS] or allowing
    if len(forbidding) + len(allowing) > 1:
        return None
    none = _DENYING_NOTHING if _PORTUGUESE.isdisjoint(stems) else _DENYING_NOTHING | {"no"}
    denials = [place for place, word in enumerate(sequence) if word.negation and word.stem not in none]
    if not denials or not denies(sequence):
        return "forbids" if forbidding else "allows" if allowing else "says"
    if len(denials) > 1:
        return None
    if forbidding:
        return "allows" if _is_near(denials[0], forbidding) else None
    return "forbids" if _is_denied(stems, denials[0], allowing) else None


def _is_denied(stems: Sequence[str], denial: int, allowing: Sequence[int]) -> bool:
    """Whether the negation at `denial` forbids."""
    one = stems[denial]
    if one in _CANNOT:
        return not allowing
    if allowing and (one in _NO or (one in _ANYWHERE and stems[allowing[0]] in _MODAL)):
        return True
    if not allowing and denial < _FEWEST and one in _NEVER:
        return True
    return _is_near(denial, [*allowing, *_where(stems, _MUST)])


def _where(stems: Sequence[str], wanted: Set[str]) -> list[int]:
    """The places of the `wanted` among `stems`."""
    return [place for place, stem in enumerate(stems) if stem in wanted]


def _is_near(denial: int, places: Sequence[int]) -> bool:
    """Whether a denial stands right behind one of them, or before it with hardly a word between."""
    return any(place - _FEWEST <= denial <= place + 1 for place in places)


def _stands_elsewhere(
    claim: Sequence[Word], mine: Set[str], stance: _Stance, place: int, evidence: Evidence
) -> bool:
    """Whether another sentence has all words of a claim, and does not tell otherwise or ask."""
    stems = [word.stem for word in claim if word.content and word.stem not in _UNTOLD | _DOING]
    common = evidence.with_all([one for one in stems if one in evidence.places], _MOST_SENTENCES)
    others = [evidence.segments[one] for one in common if one != place]
    return any(
        not (one.span and asks(one.sentence)) and not _tells_otherwise(claim, mine, stance, one)
        for one in others
    )

"""Denied clauses: what a claim says beside other things, and a clause of the evidence denies.

"The SIM works in tablets and can receive calls" is carried by all words of "The SIM works in tablets. It cannot receive
calls", and is no sentence that is nearly the same as either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from ragvigil.scorer.checks.alignment.denials import is_open, leaves_it_so
from ragvigil.scorer.checks.alignment.entries import entries_of
from ragvigil.scorer.checks.alignment.swaps import form_of, in_one_form
from ragvigil.scorer.checks.reading.answered import asks
from ragvigil.scorer.checks.reading.clauses import clauses
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.expressions import OPPOSITES
from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import NEGATION_ADVERBS, Word, stems_of, words

_FEWEST, _MOST = 2, 8
"""Meaningful words of a clause."""
_BETWEEN = 1
"""Other meaningful words that may stand between two of them in a claim."""
_KNOWN = 0.8
"""Share of a claim's meaningful words that a sentence and the one before must have: it may be of something else."""
_MOST_SENTENCES = 200
_JOINT = re.compile(
    r"\s(?:and|but|or|und|aber|oder|sondern|y|pero|sino|et|mais|ou|e|mas|ma)\s(?=(?:\w+\W+){2})",
    re.IGNORECASE,
)
"""Between what a sentence says of one thing and of the next, or of the same one."""
_UNTOLD = NEGATION_ADVERBS | stems_of(("one", "ones"))
"""What says nothing of its own, or stands for what does."""
_FAILING = frozenset(form_of(word.stem) for entry in OPPOSITES["failing"] for word in words(entry))
"""By which a claim denies without a denial."""
_LIMITING = frozenset(
    word.stem
    for entry in (*LEXICON.limiting, *OPPOSITES["only"], *OPPOSITES["unlike"], *OPPOSITES["more"])
    for word in words(entry)
    if not word.negation
)
"""What could not be *more* so is very much so."""


def is_denied(claim: Sequence[Word], best: int, second: int | None, evidence: Evidence) -> bool:
    """Whether `claim`, which denies nothing, has all words of a clause that denies them.

    It is looked for in the `best` and `second` segment and beside the best one. The words must stand together in the
    claim, in their order, and no other sentence may have them without denying them.

    >>> from ragvigil.scorer.trace import Document
    >>> sim = Evidence([Document("a", "The second SIM works in tablets. It cannot receive calls.")])
    >>> texts = ("The second SIM works in tablets and can receive calls.", "The first SIM can receive calls.")
    >>> [is_denied(words(text), 0, None, sim) for text in texts]
    [True, False]
    """
    near = {place for place in (best - 1, best, best + 1, second) if place is not None}
    denying = [place for place in sorted(near) if place >= 0 and evidence.segments.negated(place)]
    if not denying:
        return False  # as mostly
    told = _told(claim)
    if not _FAILING.isdisjoint(told):
        return False
    return any(
        _FEWEST <= len(stems := _told(clause)) <= _MOST
        and _stand_together(stems, told)
        and not leaves_it_so(clause, claim)
        and not _stands_elsewhere(clause, place, evidence)
        for place in denying
        if _is_known(told, place, evidence)
        for clause in _denying(evidence.segments[place])
    )


def _told(sequence: Sequence[Word]) -> list[str]:
    return [
        form_of(word.stem) for word in sequence if (word.content or word.numbers) and word.stem not in _UNTOLD
    ]


def _is_known(told: Sequence[str], place: int, evidence: Evidence) -> bool:
    """Whether nearly all of a claim stands in a sentence and the one before it."""
    with_before = bool(place) and evidence.passage_of[place - 1] == evidence.passage_of[place]
    near = evidence.segments[place - with_before : place + 1]
    there = in_one_form(chain.from_iterable([one.content for one in near]))
    return sum([stem in there for stem in told]) >= _KNOWN * len(told)


def _denying(segment: Segment) -> Iterator[Sequence[Word]]:
    """The clauses of a sentence that deny once, all of what they say, and limit nothing."""
    if segment.span is None or asks(segment.sentence) or entries_of(segment):
        return
    spans = clauses(segment.text, *segment.span, _FEWEST)
    said = chain.from_iterable(_JOINT.split(segment.text[first:last]) for first, last in spans)
    for text in said:
        part = words(text)
        if is_open(part, text, ""):
            continue
        if sum(word.negation for word in part) == 1 and _LIMITING.isdisjoint([word.stem for word in part]):
            yield part


def _stand_together(stems: Sequence[str], told: Sequence[str]) -> bool:
    """Whether `told` has `stems` in their order, with hardly another one between two of them."""
    for first in (place for place, stem in enumerate(told) if stem == stems[0]):
        at = first
        for stem in stems[1:]:
            near = told[at + 1 : at + 2 + _BETWEEN]
            if stem not in near:
                break
            at += 1 + near.index(stem)
        else:
            return True
    return False


def _stands_elsewhere(clause: Sequence[Word], place: int, evidence: Evidence) -> bool:
    """Whether a sentence that denies nothing has all its words."""
    stems = [word.stem for word in clause if word.content and word.stem not in _UNTOLD]
    return any(
        other != place and not evidence.segments.negated(other)
        for other in evidence.with_all(stems, _MOST_SENTENCES)
    )

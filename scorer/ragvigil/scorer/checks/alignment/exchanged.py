"""Roles exchanged: a claim in which two things stand where a sentence has the other one of them.

"The buyer pays the seller" has all its words in "the seller pays the buyer", and so has "from the savings account to
the current account" in the opposite way. Of 33,600 labelled claims of twelve sets 11 are found; ten are labelled
unsupported.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import chain, combinations
from typing import NamedTuple

from ragvigil.scorer.checks.alignment.swaps import form_of
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import Word, offsets, words

_DATA = json.loads(files("ragvigil.scorer.data").joinpath("roles.json").read_text("utf-8"))


_ARTICLES, _OBJECTS, _WAYS, _BEFORE_THINGS, _JOINTS, _MUTUAL = (
    frozenset[str](_DATA[kind]["words"])
    for kind in ("articles", "objects", "ways", "before things", "joints", "mutual")
)
_CUT = ","
"""Stands for signs between two words, and for the ends of a text."""
_CUTTING = frozenset(",;:.!?()[]|/\u2013\u2014\u2026\u3001\u3002\uff0c\uff1b\n")
_FEWEST, _MOST = 3, 40
"""Words of a claim that are compared."""
_LONGEST = 120
"""Words of a sentence that are."""
_MOST_SENTENCES = 20
_THING_STEMS = frozenset(word.stem for name in _ARTICLES | _BEFORE_THINGS for word in words(name))
"""Of the words behind which a thing stands."""


class _Told(NamedTuple):
    """A text as it is compared."""

    tokens: list[str]
    """Its stems in order, without articles, with a mark wherever signs stand between two."""
    said: list[str]
    """The same as they are written, in small letters."""
    telling: list[bool]
    """Which of them carry meaning, or lead one way."""
    articles: list[str]
    """What stands before each, where that is an article."""
    names: list[bool]
    """Which of them begin with a capital letter though they do not begin the text."""


_END = (_CUT, _CUT, False, "", False)
"""The mark, as one of all five."""


class _Term(NamedTuple):
    """A stretch of tokens."""

    first: int
    last: int
    """After its last token."""


def is_exchanged(text: str, best: Segment, evidence: Evidence) -> bool:
    """Whether two things in the claim `text`, numbers aside, have each other's place of the `best` sentence.

    Each must stand beside a word beside which the sentence has the other one, and beside none of its own; what is
    mutual, or only listed, has no such places. No other sentence may have either of them where the claim has it.

    >>> from ragvigil.scorer.trace import Document
    >>> deal = Evidence([Document("a", "In 2023 Norrland Savings acquired Fjord Bank for 410 million.")])
    >>> told = ("Fjord Bank acquired Norrland Savings.", "Fjord Bank was acquired by Norrland Savings in 2023.")
    >>> [is_exchanged(text, deal.segments[0], deal) for text in told]
    [True, False]
    """
    claim = words(text)  # as it says it: not what restates it, whose words have another order
    if best.span is None or not _FEWEST <= len(claim) <= _MOST or not _may_have_things(claim, text, best):
        return False
    mine, theirs = _told(claim, text), _sentence(best)
    if theirs is None:
        return False
    terms = [
        term
        for term in _blocks(mine.tokens, theirs.tokens)
        if any(mine.telling[place] and not mine.said[place][0].isdecimal() for place in range(*term))
    ]
    return any(
        _exchanged(mine, theirs, one, other) and not _stands_so_elsewhere(mine, one, other, best, evidence)
        for one, other in combinations(terms, 2)
    )


def _may_have_things(claim: Sequence[Word], text: str, best: Segment) -> bool:
    """Whether a word of either text may stand where only things do: a quick first look."""
    if not _THING_STEMS.isdisjoint([word.stem for word in claim]) or text[1:] != text[1:].lower():
        return True
    sentence = best.text[slice(*best.span)] if best.span else ""
    return not _THING_STEMS.isdisjoint([word.stem for word in best.words]) or (
        sentence[1:] != sentence[1:].lower()
    )


def _told(sequence: Sequence[Word], text: str) -> _Told:
    rows: list[tuple[str, str, bool, str, bool]] = [_END]
    end, article = 0, ""
    for word, (first, last) in zip(sequence, offsets(text), strict=False):
        if end and not _CUTTING.isdisjoint(text[end:first]):
            rows.append(_END)
        end, said = last, text[first:last].casefold()
        if said in _ARTICLES:
            article = said
            continue
        telling = word.content or said in _WAYS
        rows.append((form_of(word.stem), said, telling, article, word.name and first > 0))
        article = ""
    rows.append(_END)
    tokens, written, telling_ones, articles, names = map(list, zip(*rows, strict=True))
    return _Told(tokens, written, telling_ones, articles, names)


def _sentence(segment: Segment) -> _Told | None:
    if segment.span is None or len(segment.words) > _LONGEST:
        return None
    text = segment.text[slice(*segment.span)]
    return _told(words(text), text)


def _blocks(mine: Sequence[str], theirs: Sequence[str]) -> Iterator[_Term]:
    """The longest stretches of `mine` that stand in `theirs`, one after the other."""
    where: dict[str, list[int]] = {}
    for place, token in enumerate(theirs):
        where.setdefault(token, []).append(place)
    first = 0
    while first < len(mine):
        size = 0
        if mine[first] != _CUT:
            size = max(
                [_common(mine, first, theirs, place) for place in where.get(mine[first], ())], default=0
            )
        if size:
            yield _Term(first, first + size)
        first += max(1, size)


def _common(mine: Sequence[str], first: int, theirs: Sequence[str], place: int) -> int:
    """How many tokens from `first` on are those from `place` on; a mark, with which both end, is none of them."""
    size = 0
    while mine[first + size] == theirs[place + size] != _CUT:
        size += 1
    return size


def _places(tokens: Sequence[str], sought: Sequence[str]) -> list[_Term]:
    size = len(sought)
    return [
        _Term(place, place + size)
        for place in range(len(tokens) - size + 1)
        if tokens[place] == sought[0] and tokens[place : place + size] == sought
    ]


def _exchanged(mine: _Told, theirs: _Told, one: _Term, other: _Term) -> bool:
    """Whether two stretches of the claim are exchanged."""
    ones, others = (_places(theirs.tokens, mine.tokens[slice(*term)]) for term in (one, other))
    return any(
        _in_each_others_place(mine, theirs, wide)
        for one_there in ones
        for other_there in others
        if _is_a_thing(mine, theirs, one, one_there)
        and _is_a_thing(mine, theirs, other, other_there)
        and (wide := _widened(mine.tokens, theirs.tokens, one, other, one_there, other_there))
    )


def _widened(
    mine: Sequence[str], theirs: Sequence[str], *terms: _Term
) -> tuple[_Term, _Term, _Term, _Term] | None:
    """The terms, two of `mine` and the same two of `theirs`, with words that follow all four, or stand before them."""
    one, other, one_there, other_there = terms
    before = behind = 0
    while (
        mine[one.last + behind]
        == mine[other.last + behind]
        == theirs[one_there.last + behind]
        == theirs[other_there.last + behind]
        != _CUT
    ):
        behind += 1
    while (
        mine[one.first - before - 1]
        == mine[other.first - before - 1]
        == theirs[one_there.first - before - 1]
        == theirs[other_there.first - before - 1]
        != _CUT
    ):
        before += 1
    wide = [_Term(term.first - before, term.last + behind) for term in terms]
    if _overlap(wide[0], wide[1]) or _overlap(wide[2], wide[3]):
        return None
    return wide[0], wide[1], wide[2], wide[3]


def _overlap(one: _Term, other: _Term) -> bool:
    return one.first < other.last and other.first < one.last


def _in_each_others_place(mine: _Told, theirs: _Told, terms: tuple[_Term, _Term, _Term, _Term]) -> bool:
    one, other, one_there, other_there = terms
    if mine.articles[min(one, other).first] in _OBJECTS:
        return False
    between = _between(mine, one, other) & _between(theirs, one_there, other_there)
    first, last = min(one.last, other.last), max(one.first, other.first)
    if not between or not _MUTUAL.isdisjoint(mine.said[first:last]):
        return False
    beside = [_beside(mine, one, theirs, other_there), _beside(mine, other, theirs, one_there)]
    if not all(beside) or between.isdisjoint(beside[0] | beside[1]):
        return False
    return not any(
        _touch(mine.tokens, term, theirs.tokens, place)
        for term in (one, other)
        for place in _places(theirs.tokens, mine.tokens[slice(*term)])
    )


def _between(told: _Told, one: _Term, other: _Term) -> set[str]:
    """The telling tokens between two stretches."""
    places = range(min(one.last, other.last), max(one.first, other.first))
    return {told.tokens[place] for place in places if told.telling[place]}


def _is_a_thing(mine: _Told, theirs: _Told, term: _Term, place: _Term) -> bool:
    """Whether a stretch stands behind an article or such a preposition, or begins with a name: it is no verb."""
    return any(
        told.articles[one.first] or told.names[one.first] or told.said[one.first - 1] in _BEFORE_THINGS
        for told, one in ((mine, term), (theirs, place))
    )


def _beside(mine: _Told, term: _Term, theirs: _Told, place: _Term) -> set[str]:
    """The telling words before which, or behind which, both stretches stand, with but the same words between."""
    found = set[str]()
    for step, at, there in ((-1, term.first - 1, place.first - 1), (1, term.last, place.last)):
        while mine.tokens[at] == theirs.tokens[there] != _CUT and mine.said[at] not in _JOINTS:
            if mine.telling[at]:
                found.add(mine.tokens[at])
                break
            at, there = at + step, there + step
    return found


def _touch(mine: Sequence[str], term: _Term, theirs: Sequence[str], place: _Term) -> bool:
    """Whether the same word stands right before both, or right behind both."""
    before, behind = mine[term.first - 1], mine[term.last]
    return (before == theirs[place.first - 1] != _CUT) or (behind == theirs[place.last] != _CUT)


def _stands_so_elsewhere(mine: _Told, one: _Term, other: _Term, best: Segment, evidence: Evidence) -> bool:
    """Whether another sentence has both stretches, and one of them beside the same word as the claim."""
    sought = [mine.tokens[slice(*term)] for term in (one, other)]
    held = [evidence.places.get(token, ()) for token in chain(*sought) if token in evidence.places]
    common = set(held[0]).intersection(*held[1:]) if held else set[int]()
    for place in sorted(common)[:_MOST_SENTENCES]:
        segment = evidence.segments[place]
        told = None if segment is best else _sentence(segment)
        if told and any(
            _touch(mine.tokens, term, told.tokens, there)
            for term, stretch in zip((one, other), sought, strict=True)
            for there in _places(told.tokens, stretch)
        ):
            return True
    return False

"""Roles exchanged: a claim in which two things stand where a sentence has the other one of them.

"The buyer pays the seller" has all its words in "the seller pays the buyer", and so has "from the savings account to
the current account" in the opposite way. Order tells roles in English and French; in other languages only a case or a
preposition does: "Die Kosten trägt der Käufer" is "der Käufer trägt die Kosten". Of 33,600 labelled claims of twelve
sets, which hardly hold such wordings, 11 were found before that was asked for; ten are labelled unsupported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations, product
from typing import NamedTuple

from ragvigil.scorer.checks.alignment import roles
from ragvigil.scorer.checks.alignment.swaps import form_of
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.language import language_of
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import Word, known_words, offsets, stems_of, words

_MOST_PLACES = 3
"""Of a stretch in a text: what stands there more often is not compared, as each place is with each of the other's."""
_CUT = ","
"""Stands for signs between two words, and for the ends of a text."""
_CUTTING = frozenset(",;:.!?()[]|/\u2013\u2014\u2026\u3001\u3002\uff0c\uff1b\n")
_FEWEST, _MOST = 3, 40
"""Words of a claim that are compared."""
_LONGEST = 120
"""Words of a sentence that are."""
_MOST_SENTENCES = 20
_THING_STEMS = stems_of(roles.ARTICLES | roles.BEFORE_THINGS)
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


_Thing = tuple[_Term, list[_Term]]
"""A stretch of the claim, and where the sentence has it as a thing."""
_Four = tuple[_Term, _Term, _Term, _Term]
"""Two stretches of the claim, and the same two of the sentence."""


def is_exchanged(text: str, best: Segment, evidence: Evidence) -> bool:
    """Whether two things in the claim `text`, numbers aside, have each other's place of the `best` sentence.

    Each must stand beside a word beside which the sentence has the other one, and beside none of its own; what is
    mutual, or only listed, has no such places. No other sentence may have either of them where the claim has it.

    >>> from ragvigil.scorer.trace import Document
    >>> deal = Evidence([Document("a", "In 2023 Norrland Savings acquired Fjord Bank for all of the 410 million.")])
    >>> told = ("Fjord Bank acquired Norrland Savings.", "Fjord Bank was acquired by Norrland Savings in 2023.")
    >>> [is_exchanged(text, deal.segments[0], deal) for text in told]
    [True, False]
    """
    claim = known_words(text)  # as it says it: not what restates it, whose words have another order
    if best.span is None or not _FEWEST <= len(claim) <= _MOST or not _may_have_things(claim, text, best):
        return False
    mine = _told(claim, text)
    theirs = _sentence(best) if roles.EITHER_WAY.isdisjoint(mine.said) else None
    if theirs is None or not roles.EITHER_WAY.isdisjoint(theirs.said):
        return False
    blocks = _blocks(mine.tokens, theirs.tokens)
    things = [(term, there) for term in blocks if (there := _things(mine, theirs, term))]
    return any(
        _order_or_form_tells(mine, theirs, wide, (text, best.text))
        and not _stands_so_elsewhere(mine, one[0], other[0], best, evidence)
        for one, other in combinations(things, 2)
        for wide in _exchanged(mine, theirs, one, other)
    )


def _things(mine: _Told, theirs: _Told, term: _Term) -> list[_Term]:
    """Where the sentence has a stretch of the claim as a thing; none of what means nothing or comes again and again."""
    if not any(mine.telling[place] and not mine.said[place][0].isdecimal() for place in range(*term)):
        return []
    sought = mine.tokens[slice(*term)]
    there = _places(theirs.tokens, sought)
    often = len(there) > _MOST_PLACES or len(_places(mine.tokens, sought)) > _MOST_PLACES
    return [] if often else [place for place in there if _is_a_thing(mine, theirs, term, place)]


def _may_have_things(claim: Sequence[Word], text: str, best: Segment) -> bool:
    """Whether a word of either text may stand where only things do: a quick first look."""
    if not _THING_STEMS.isdisjoint([word.stem for word in claim]) or text[1:] != text[1:].lower():
        return True
    sentence = best.sentence
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
        if said in roles.ARTICLES:
            article = said
            continue
        telling = word.content or said in roles.WAYS
        rows.append((form_of(word.stem), said, telling, article, word.name and first > 0))
        article = ""
    rows.append(_END)
    tokens, written, telling_ones, articles, names = map(list, zip(*rows, strict=True))
    return _Told(tokens, written, telling_ones, articles, names)


def _sentence(segment: Segment) -> _Told | None:
    if segment.span is None or len(segment.words) > _LONGEST:
        return None
    return _told(words(text := segment.sentence), text)


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
    size, first = len(sought), sought[0]
    return [
        _Term(place, place + size)
        for place, token in enumerate(tokens)
        if token == first and tokens[place : place + size] == sought
    ]


def _exchanged(mine: _Told, theirs: _Told, one: _Thing, other: _Thing) -> Iterator[_Four]:
    """Where two stretches of the claim are exchanged, by their order."""
    for one_there, other_there in product(one[1], other[1]):
        wide = _widened(mine.tokens, theirs.tokens, one[0], other[0], one_there, other_there)
        if wide and _in_each_others_place(mine, theirs, wide):
            yield wide


def _order_or_form_tells(mine: _Told, theirs: _Told, terms: _Four, texts: tuple[str, str]) -> bool:
    """Whether what was exchanged is who does it to whom, and not only what is named first."""
    one, other, one_there, other_there = terms
    ways = [
        _behind_the_same_way(mine, term, theirs, place)
        for term, place in ((one, other_there), (other, one_there))
    ]
    if all(ways):
        if not roles.JOURNEYS.isdisjoint([*mine.said, *theirs.said]):
            return False
    elif _is_loose(mine, one, other):
        return False
    of_claim, of_passage = map(language_of, texts)
    if of_passage in roles.ORDERED and of_claim in (of_passage, None):
        if not (any(ways) or _is_directed(mine, one, other)):
            return False
        return of_passage == "en" or not (
            _has_clitic(mine, one, other) or _has_clitic(theirs, one_there, other_there)
        )
    return any(ways) or any(
        _is_of_another_case(mine.articles[term.first], theirs.articles[place.first])
        for term, place in ((one, one_there), (other, other_there))
    )


def _is_directed(told: _Told, one: _Term, other: _Term) -> bool:
    """Whether a verb or preposition whose two sides differ stands between two things, or each has a clause."""
    return (
        not roles.DIRECTED.isdisjoint(_between(told, one, other))
        or not (roles.WAYS - roles.LOOSE).isdisjoint(told.said[_gap(one, other)])
        or _sides(told, one, other) is not None
    )


def _is_loose(told: _Told, one: _Term, other: _Term) -> bool:
    """Whether but "is", or nothing that is done, stands between two things, and "to" or "from" before the second.

    "Attach the strap to the frame", "the bar is ten steps from the church": which is named first says little.
    """
    gap = _gap(one, other)
    said = told.said[gap]
    does = any(
        telling and word not in roles.WAYS for telling, word in zip(told.telling[gap], said, strict=True)
    )
    return bool(said) and said[-1] in roles.LOOSE and (not does or not roles.BEING.isdisjoint(said))


def _has_clitic(told: _Told, one: _Term, other: _Term) -> bool:
    """Whether right behind the first of two things stands what may be an object before its verb."""
    return told.articles[min(one.last, other.last)] in roles.CLITICS


def _is_of_another_case(one: str, other: str) -> bool:
    """Whether one of two articles is a subject's and the other an object's."""
    return (one in roles.SUBJECTS and other in roles.OBJECTS) or (
        one in roles.OBJECTS and other in roles.SUBJECTS
    )


def _behind_the_same_way(mine: _Told, term: _Term, theirs: _Told, place: _Term) -> bool:
    """Whether a preposition that leads one way stands right before both."""
    before = mine.said[term.first - 1]
    return before == theirs.said[place.first - 1] and before in roles.WAYS - roles.LINKING


def _widened(mine: Sequence[str], theirs: Sequence[str], *terms: _Term) -> _Four | None:
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


def _in_each_others_place(mine: _Told, theirs: _Told, terms: _Four) -> bool:
    one, other, one_there, other_there = terms
    if mine.articles[min(one, other).first] in roles.OBJECTS:
        return False
    between = _between(mine, one, other) & _between(theirs, one_there, other_there)
    said, said_there = set(mine.said[_gap(one, other)]), set(theirs.said[_gap(one_there, other_there)])
    if "than" in said and said != said_there:
        return False  # "costs less than" beside "costs more than" says the same
    if not between or _is_mutual(mine, one, other, before=True) or _is_mutual(theirs, one_there, other_there):
        return False
    if not _have_clauses_of_their_own(mine, theirs, terms):
        return False
    beside = [_beside(mine, one, theirs, other_there), _beside(mine, other, theirs, one_there)]
    if not all(beside) or between.isdisjoint(beside[0] | beside[1]):
        return False
    return not any(
        _touch(mine.tokens, term, theirs.tokens, place)
        for term in (one, other)
        for place in _places(theirs.tokens, mine.tokens[slice(*term)])
    )


def _is_mutual(told: _Told, one: _Term, other: _Term, *, before: bool = False) -> bool:
    """Whether what is so of both stands between them, or `before` them as far as no sign cuts it off."""
    part = _gap(one, other)
    if before:
        part = slice(_cut_before(told, min(one.first, other.first)), part.stop)
    return not roles.MUTUAL.isdisjoint([*told.said[part], *told.articles[part]])  # "as" is both


def _cut_before(told: _Told, place: int) -> int:
    """Where the stretch without signs begins in which a token stands."""
    while told.tokens[place - 1] != _CUT:
        place -= 1
    return place


def _have_clauses_of_their_own(mine: _Told, theirs: _Told, terms: _Four) -> bool:
    """Whether, where a joint or a sign stands between the things, what is told of each was told of the other one.

    "Anna leads the sales team and Omar the support team" named in the other order leaves each its team.
    """
    one, other, one_there, other_there = terms
    here, there = _sides(mine, one, other), _sides(theirs, one_there, other_there)
    if here is None or there is None:
        return here is there
    return all(mine_said.isdisjoint(said) for mine_said, said in zip(here, there, strict=True))


def _sides(told: _Told, one: _Term, other: _Term) -> tuple[set[str], set[str]] | None:
    """What is told beside each of two things, and not of both; None where nothing parts them."""
    first, last = min(one, other), max(one, other)
    parted = [
        place
        for place in range(first.last, last.first)
        if told.tokens[place] == _CUT or told.said[place] in roles.JOINTS
    ]
    if not parted:
        return None
    begin, end = _cut_before(told, first.first), told.tokens.index(_CUT, last.last)
    sides = [
        {told.tokens[place] for place in range(*side) if told.telling[place] and place not in range(*term)}
        for side, term in (((begin, parted[0]), first), ((parted[-1], end), last))
    ]
    both = sides[0] & sides[1]
    left, right = (side - both for side in sides)
    return (left, right) if one < other else (right, left)


def _gap(one: _Term, other: _Term) -> slice:
    """Where what stands between two stretches is."""
    return slice(min(one.last, other.last), max(one.first, other.first))


def _between(told: _Told, one: _Term, other: _Term) -> set[str]:
    """The telling tokens between two stretches."""
    gap = _gap(one, other)
    return {token for token, telling in zip(told.tokens[gap], told.telling[gap], strict=True) if telling}


def _is_a_thing(mine: _Told, theirs: _Told, term: _Term, place: _Term) -> bool:
    """Whether a stretch stands behind an article or such a preposition, or begins with a name: it is no verb."""
    return any(
        told.articles[one.first] or told.names[one.first] or told.said[one.first - 1] in roles.BEFORE_THINGS
        for told, one in ((mine, term), (theirs, place))
    )


def _beside(mine: _Told, term: _Term, theirs: _Told, place: _Term) -> set[str]:
    """The telling words before which, or behind which, both stretches stand, with but the same words between."""
    found = set[str]()
    for step, at, there in ((-1, term.first - 1, place.first - 1), (1, term.last, place.last)):
        while mine.tokens[at] == theirs.tokens[there] != _CUT and mine.said[at] not in roles.JOINTS:
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

"""Parts of a sentence: a claim that gives one thing the number that the sentence gives another one.

"A couchette costs €29" has all its words in "a seat costs €29, a couchette €59".
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain, pairwise

from ragvigil.scorer.checks.alignment.reckoning import one_of
from ragvigil.scorer.checks.alignment.swaps import UNIT_STEMS
from ragvigil.scorer.checks.alignment.told_parts import (
    KINDS,
    MOST_PARTS,
    SHARE,
    SIGNED,
    UNIT_KINDS,
    Part,
    told_parts,
)
from ragvigil.scorer.checks.alignment.values import has_a_sign
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.expressions import OPPOSITES
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import Word, known_words, stems_of, things_of, words

_GOES_ON = re.compile(
    r"\W*(?:of which|of these|of them|which|thereof|including|davon|dont|de los cuales|das quais|di cui)\b",
    re.IGNORECASE,
)
"""What begins a part that says more of the one before it."""
_UNLIKE = stems_of(OPPOSITES["unlike"])
"""Words by which a claim tells of one thing what is not so of the other: 25 days until the fifth year."""
_BUT = _UNLIKE | stems_of(OPPOSITES["except"]["words"])
"""Those, and words for an exception, before a thing of which something is not told: except Silver, after the trial."""
_BEFORE = 2
_AROUND = stems_of(OPPOSITES["aside"]["around"])
_ASIDE = _AROUND | stems_of(OPPOSITES["aside"]["ahead"])
"""Words near a thing that is named only to tell of another one: the level above Silver, Lisbon's sister office."""
_AHEAD, _BEHIND = 4, 3
"""How many words before it they may stand, and those of `around` behind it."""
_FEWEST = 2
_AGAINST = re.compile(rf"\s{one_of('against')}\s", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d")


def is_of_another_part(
    claim: Sequence[Word], text: str, best: Segment, place: int, evidence: Evidence
) -> bool:
    """Whether a part of `claim`, the words of `text`, has the words of one part of the evidence and another's number.

    Parts are looked for in `best`, segment `place`, and the sentences beside it. The words must stand in one part
    alone, and none of the claim's in that with the number alone; both parts must be alike or short, and no other
    sentence may have both.

    >>> from ragvigil.scorer.trace import Document
    >>> train = Evidence([Document("a", "A seat starts at €29.90, a couchette at €59.90 and a cabin at €159.90.")])
    >>> texts = ("A couchette costs €29.90.", "A couchette costs €59.90, a cabin €159.90.", "It starts at €29.90.")
    >>> [is_of_another_part(words(text), text, train.segments[0], 0, train) for text in texts]
    [True, False, False]
    """
    if best.span is None or not [word for word in claim if word.numbers]:
        return False  # as mostly
    counted = {kind for kind in _counted_in(text) if _is_told_near(kind, place, evidence)}
    if not counted:
        return False
    near = evidence.segments[max(0, place - 1) : place + 2]
    told = [one for one in near if one.passage == best.passage and one.span]
    if not _count_twice(told, counted) or _AGAINST.search(text):
        return False  # as mostly, too; or it sets one against the other itself
    mine = told_parts(text)
    there = frozenset(chain.from_iterable(one.numbers for one in told))
    found = [part for part in mine if not there.isdisjoint(part.numbers)]
    theirs = _parts_of(told) if found else []  # as often
    if not _FEWEST <= len(theirs) <= MOST_PARTS:
        return False
    said = {word.stem for word in claim}
    return any(
        _belongs_to_another(one, said, said - _numbered_elsewhere(one, mine), theirs, evidence)
        or _is_told_of_another(one, claim, theirs, told, evidence)
        for one in found
    )


def _parts_of(told: Sequence[Segment]) -> list[Part]:
    """What the parts of several sentences tell."""
    return [
        part._replace(place=(at, part.place[1]))
        for at, one in enumerate(told)
        for part in told_parts(one.sentence)
    ]


def _counted_in(text: str) -> set[str]:
    """The kinds of what `text` may count: a quick first look."""
    kinds = set(_counted(known_words(text)))
    if SHARE in text or has_a_sign(text):
        kinds.update(SIGNED)
    return kinds


def _is_told_near(kind: str, place: int, evidence: Evidence) -> bool:
    """Whether the sentence `place` or one beside it may count a `kind`: a word that is no unit must stand there."""
    if kind in UNIT_KINDS:
        return True
    there = evidence.places.get(kind, ())
    first = bisect_left(there, place - 1)
    return first < len(there) and there[first] <= place + 1


def _count_twice(sentences: Sequence[Segment], kinds: set[str]) -> bool:
    """Whether `sentences` may tell two numbers of one of these `kinds`: a quick first look."""
    if not kinds.isdisjoint(SIGNED):
        return sum(len(one.numbers) for one in sentences) >= _FEWEST
    told = list(chain.from_iterable(_counted(one.words) for one in sentences if one.numeric))
    return any(told.count(kind) >= _FEWEST for kind in kinds)


def _counted(sequence: Sequence[Word]) -> list[str]:
    """The kind of each number of `sequence` behind which a word tells it."""
    return [
        KINDS.get(following.stem, following.stem)
        for one, following in pairwise(sequence)
        if one.numbers and not following.numbers and (following.content or following.stem in UNIT_STEMS)
    ]


def _numbered_elsewhere(one: Part, mine: Sequence[Part]) -> set[str]:
    """The stems to which other parts of the claim give a number of that kind."""
    others = [part.stems for part in mine if part.said != one.said and part.kind == one.kind]
    return set(chain.from_iterable(others)) - one.stems


def _belongs_to_another(
    mine: Part, said: set[str], free: set[str], theirs: Sequence[Part], evidence: Evidence
) -> bool:
    """Whether the number of one part of a claim with the stems `said` is that of another part than its words.

    `free` are the stems to which no other part of the claim gives a number.
    """
    alike = [part for part in theirs if part.kind == mine.kind]
    beside = [part for part in alike if not set(part.numbers).isdisjoint(mine.numbers)]
    if len(beside) != 1:
        return False
    counts = Counter(chain.from_iterable({part.said: part.stems for part in theirs}.values()))
    own = {stem for stem in mine.stems if counts[stem] == 1}
    if not own:
        return False
    named = any(counts[stem] == 1 for stem in beside[0].stems & free)
    others = [part for part in alike if part is not beside[0] and not own.isdisjoint(part.stems)]
    if len(others) > 1 or named:
        others = [part for part in others if said.issuperset(_own_words(part, counts))]
    if len(others) != 1 or not _are_parallel(others[0], beside[0]):
        return False
    if named and not _leaves_out(others[0], beside[0], said):
        return False  # the claim names what has the number, too
    own &= others[0].stems
    if _may_be_of_both(own, said, others[0], beside[0], counts):
        return False
    return not (_is_named_aside(own, mine, theirs) or _is_so_elsewhere(own, mine, others[0], evidence))


def _may_be_of_both(own: set[str], said: set[str], one: Part, other: Part, counts: Mapping[str, int]) -> bool:
    """Whether a claim with the stems `said`, some of them the part's `own`, may have the number of the `other` part."""
    if _goes_on(one, other, said, counts) or _years_in(other, said) - _years_in(one, said):
        return True  # the latter by its year
    return not _tells_it_apart(own, said, one, other, counts)


def _is_told_of_another(
    mine: Part, claim: Sequence[Word], theirs: Sequence[Part], told: Sequence[Segment], evidence: Evidence
) -> bool:
    """Whether a sentence tells the number of one part of `claim` of its thing, and the one beside it of the claim's.

    "Silver is closed after 30 days" beside those of `_goes_on`. Both sentences share half of their words and have such
    a part at the same place; the claim has a word of it, one that its sentence has alone, and none of the other's.
    """
    beside = [
        part for part in theirs if part.kind == mine.kind and not set(part.numbers).isdisjoint(mine.numbers)
    ]
    said = {word.stem for word in claim}
    if len(beside) != 1 or any(word.negation for word in claim):
        return False
    at, its_part = beside[0].place
    its = _things(told[at])
    for place, one in enumerate(told):
        things = _things(one)
        own = (things - its) & mine.stems
        if not own or not said.isdisjoint(its - things) or 2 * len(its & things) < max(len(its), len(things)):
            continue
        like = [part for part in theirs if part.place == (place, its_part) and part.kind == mine.kind]
        shared = [part for part in like if part.stems & beside[0].stems & mine.stems]
        if not shared or not one.numbers.isdisjoint(mine.numbers):
            continue
        aside = _is_left_out(own, claim) or _is_named_aside(own, mine, theirs)
        if not aside and not _is_so_elsewhere(own, mine, shared[0], evidence):
            return True
    return False


def _is_left_out(own: Collection[str], claim: Sequence[Word]) -> bool:
    """Whether `claim` tells of what is not the thing of one of the stems `own`: except Silver, after the trial."""
    stems = [word.stem for word in claim]
    return any(
        stem in _BUT and not set(stems[place + 1 : place + 1 + _BEFORE]).isdisjoint(own)
        for place, stem in enumerate(stems)
    )


def _is_named_aside(own: Collection[str], mine: Part, theirs: Sequence[Part]) -> bool:
    """Whether a part of a claim has one of the stems `own` only to tell of another thing: the level above Silver.

    Not where the evidence has that word, too: "Replacing a tyre costs 20 euros, replacing a battery 50".
    """
    stems = [word.stem for word in words(mine.said)]
    aside = _ASIDE.intersection(stems)
    if not aside:
        return False  # as mostly
    aside = aside.difference(word.stem for part in theirs for word in words(part.said))
    return any(
        not aside.isdisjoint(stems[max(0, place - _AHEAD) : place])
        or not (_AROUND & aside).isdisjoint(stems[place + 1 : place + 1 + _BEHIND])
        for place, stem in enumerate(stems)
        if stem in own
    )


def _things(sentence: Segment) -> set[str]:
    """Its meaningful words, without numbers and units."""
    return things_of(sentence.words) - UNIT_STEMS


def _is_so_elsewhere(own: Collection[str], mine: Part, other: Part, evidence: Evidence) -> bool:
    """Whether a sentence tells the number of a part of a claim with one of its `own` words, and not that of `other`."""
    return any(
        not segment.content.isdisjoint(own)
        and not segment.numbers.isdisjoint(mine.numbers)
        and segment.numbers.isdisjoint(other.numbers)
        for segment in (evidence.segments[place] for stem in own for place in evidence.places.get(stem, ()))
    )


def _years_in(part: Part, said: set[str]) -> set[str]:
    """The years of a part that a claim with the stems `said` tells."""
    return {word.stem for word in words(part.said) if word.numbers and _YEAR.fullmatch(word.stem)} & said


def _own_words(part: Part, counts: Mapping[str, int]) -> set[str]:
    """What one of the parts has alone, numbers aside."""
    return {stem for stem in part.stems if counts[stem] == 1 and not stem.startswith("#")}


def _leaves_out(one: Part, other: Part, said: set[str]) -> bool:
    """Whether the part `one` leaves out what the `other` one before it says: "by day 31 cents, by night 22".

    What a claim has of such another one may be that of both, unless it has all of it.
    """
    after = one.place[0] == other.place[0] and one.place > other.place
    return (
        after and len(one.stems) < len(other.stems) and not other.apart <= said and said.isdisjoint(_UNLIKE)
    )


def _goes_on(one: Part, other: Part, said: set[str], counts: Mapping[str, int]) -> bool:
    """Whether the part `other` tells more of what is named in the part `one` before it, as another sentence does, too.

    "Silver is answered within an hour and closed after 10 days. Gold is answered at once and closed after 30 days": a
    claim has all of such a part, or of the one before it only what names its thing.
    """
    behind = one.place[0] == other.place[0] and one.place < other.place
    if not behind or not other.stems or any(counts[stem] == 1 for stem in other.stems):
        return False
    return other.stems <= said or one.stems & said - other.stems <= _own_words(one, counts)


def _tells_it_apart(own: set[str], said: set[str], one: Part, other: Part, counts: Mapping[str, int]) -> bool:
    """Whether `own`, words of the part `one` alone, are no words that `other`, behind it in the sentence, leaves out.

    "Gestation of cows is nine months, of mares eleven": it is that of both, but cows are one's own.
    """
    if one.place[0] != other.place[0] or one.place > other.place:
        return True
    return _own_words(one, counts) <= said or any(stem.startswith("#") for stem in own)


def _are_parallel(one: Part, other: Part) -> bool:
    """Whether two parts tell the same of two things: side by side, or in sentences that share half of their words."""
    if _GOES_ON.match(one.said) or _GOES_ON.match(other.said) or not other.stems - one.stems:
        return False
    if one.place[0] == other.place[0]:
        return True
    return 2 * len(one.stems & other.stems) >= max(len(one.stems), len(other.stems))

"""Denials: what a sentence that denies something says of a sentence that does not.

"Not after 14 days" does not deny "for 14 days", nor does "no longer supported" deny "support ended". The words are
those of `data/opposites.json`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from itertools import chain, pairwise

from ragvigil.scorer.checks.alignment.days import MONTH_STEMS
from ragvigil.scorer.checks.alignment.excepted import DENYING, is_excepted
from ragvigil.scorer.checks.reading.clock import TIME_WORDS
from ragvigil.scorer.checks.reading.denying import leaves_open
from ragvigil.scorer.checks.reading.expressions import OPPOSITES
from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.words import NEGATION_ADVERBS, Word, stems_of, words

_SIDES = {stem: side for side, names in OPPOSITES["beyond"].items() for stem in stems_of(names)}
"""For the stem of a word before a bound on which side of it that is: *up* or *down*."""
_DAYS = {
    **{word.stem: day for name, day in LEXICON.days.items() for word in words(name)[:1]},
    **dict.fromkeys(stems_of(("weekend", "weekends", "wochenende", "wochenenden")), -1),
}
_TIMES = MONTH_STEMS | _DAYS.keys() | stems_of(TIME_WORDS)
HAVING, LACKING = stems_of(LEXICON.having), stems_of(LEXICON.lacking)
"""Stems of words for "with" and "without"."""
_WITH = HAVING | stems_of(OPPOSITES["only"])
_BUT_FOR = stems_of(OPPOSITES["but_for"])
"""Stems of what names, in a denial, that for which it does not hold."""
_NOT_OTHER = [
    (stems_of(one), stems_of(other)) for one, other in (OPPOSITES["not_on"], *OPPOSITES["not_other"])
]
"""Words that say without a negation what the others say with one: disabled, not enabled."""
_GONE = {where: tuple(map(stems_of, sides)) for where, sides in OPPOSITES["gone"].items()}
"""Words by which there is nothing more of what the others name, and whether these stand behind or on either side."""
_OFF = frozenset((word.stem, word.content) for name in OPPOSITES["off"]["words"] for word in words(name))
"""What says without a negation that a thing is not on; "offer" has the stem of "off", and a meaning."""
_OFF_BEHIND, _OFF_BEFORE = (stems_of(OPPOSITES["off"][one]) for one in ("behind", "before"))
"""Behind which words it does, and before which ones it tells a place: off the road."""
ON = stems_of(OPPOSITES["not_on"][1])
"""Stems of what says that a thing is on: enabled, active."""
_UNLESS = stems_of((*OPPOSITES["except"]["words"], *OPPOSITES["unless"]["words"]))
_FROM = stems_of(("aus",))
"""German "from", which has the stem of *außer*, but carries no meaning."""
_UNLESS_PHRASES = [tuple(word.stem for word in words(one)) for one in OPPOSITES["unless"]["phrases"]]
"""What names, behind a denial, that with which it does not hold."""
_ONLY = stems_of(OPPOSITES["only"])
_ONCE = _ONLY.union(
    stems_of(OPPOSITES["once"]), stems_of(one for one in OPPOSITES["requiring"] if " " not in one)
)
"""What says of one thing that it comes first."""
_REQUIRING_IN_TWO = {tuple(word.stem for word in words(one)) for one in OPPOSITES["requiring"] if " " in one}
_EVEN_SO, _OTHERS = stems_of(OPPOSITES["even_so"]), stems_of(OPPOSITES["the_others"])
_IF = HAVING | stems_of(OPPOSITES["if"])
BOUNDING = frozenset(_SIDES).union(
    _ONLY, _IF, _UNLESS, stems_of(OPPOSITES["once"]), stems_of(OPPOSITES["even_so"])
)
"""Stems of what tells within which bounds, or on which condition, something is so."""
_BESIDE = frozenset(("on", "by", "in", "an", "am", "en", "em"))
"""What says "with" of some things: on a leash."""
_NEAR, _BEGINNING = 2, 5
_WELL_KNOWN = stems_of(LEXICON.negations_well_known)
_FURTHEST = 3
"""Words from one that bounds to what it bounds: older than 12."""


def leaves_it_so(denial: Sequence[Word], other: Sequence[Word]) -> bool:
    """Whether `other`, which has no negation, may be so beside `denial`, which has one.

    So it is where only the denial is of what lies beyond a bound, or of other days of the week, and where the other
    one denies in another way, or says "with" or "only with" of what is not so "without", or but for which it is not so.

    >>> said = [words(text) for text in ("It is not open after 8.", "It is open until 8.", "It is not open.")]
    >>> leaves_it_so(said[0], said[1]), leaves_it_so(said[2], said[1])
    (True, False)
    >>> leaves_it_so(words("Dogs are not allowed."), words("Dogs are banned."))
    True
    """
    there = {word.stem for word in other}
    if not there.isdisjoint(_WITH) and _denies_without(denial):
        return True  # not without consent is with it, and only with it
    if not {word.stem for word in denial}.issuperset(there & DENYING) and _denies_all(denial):
        return True
    if not _BUT_FOR.isdisjoint([word.stem for word in denial]) and _BUT_FOR.isdisjoint(there):
        return True
    if (days := _days(denial)) and days.isdisjoint(_days(other)):
        return True
    if _on_condition(denial, other) or _of_the_others(denial, there) or is_excepted(denial, other):
        return True
    if _says_it_in_other_words(denial, other, there):
        return True
    sides = _sides(denial)
    return bool(sides) and not sides <= _sides(other)


def off_places(sequence: Sequence[Word]) -> list[int]:
    """Where it says of a thing that it is off; not of a lot off the road, or of disabled guests.

    >>> texts = ("WPS is off.", "It is turned off by default.", "The lot is off the road.", "They do not offer it.")
    >>> [off_places(words(text)) for text in texts]
    [[2], [3], [], []]
    """
    stems = [word.stem for word in sequence]
    return [
        place
        for place, word in enumerate(sequence)
        if (word.stem, word.content) in _OFF
        and place
        and (stems[place - 1] in _OFF_BEHIND or sequence[place - 1].negation)
        and _OFF_BEFORE.isdisjoint(stems[place + 1 : place + 2])
    ]


def _on_condition(denial: Sequence[Word], other: Sequence[Word]) -> bool:
    """Whether `other` requires, or says of what there is, but without which, or until when, `denial` denies it.

    >>> denial = words("You may not enter without a badge.")
    >>> said = ("You need a badge to enter.", "You can enter.", "You may enter even if you have no badge.")
    >>> [_on_condition(denial, words(text)) for text in said]
    [True, False, False]
    """
    place = _unless(denial)
    if place is None or not _denies_all(denial):
        return False
    stems = [word.stem for word in other]
    if not _EVEN_SO.isdisjoint(stems):
        return False
    begins = tuple(
        {word.stem[:_BEGINNING] for word in denial[place + 1 :] if word.content and not word.negation}
    )
    told = [at for at, word in enumerate(other) if word.content and word.stem.startswith(begins)]
    if not told:
        return False
    if not _REQUIRING_IN_TWO.isdisjoint(pairwise(stems)):
        return True
    if "within" in [word.stem for word in denial[place + 1 :]] and "after" in stems:
        return False
    if not _IF.isdisjoint(stems) and 2 * len({stems[at][:_BEGINNING] for at in told}) > len(begins):
        return True
    return _comes_first(denial, place, stems, told)


def _comes_first(denial: Sequence[Word], place: int, stems: Sequence[str], told: Iterable[int]) -> bool:
    """Whether `stems` say at `told` that it comes first, or with what it is so, what the word at `place` names."""
    lacking = denial[place].stem in LACKING
    last = next(word.stem[:_BEGINNING] for word in reversed(denial) if word.content and not word.negation)
    if not _ONCE.isdisjoint(stems) and (lacking or any(stems[at].startswith(last) for at in told)):
        return True
    return lacking and any(not _BESIDE.isdisjoint(stems[max(0, at - _NEAR) : at]) for at in told)


def _unless(denial: Sequence[Word]) -> int | None:
    """Where the last word of "without", "unless" or "until" stands; None where none does."""
    for place, word in enumerate(denial):
        if word.stem in LACKING or (word.stem in _UNLESS and (word.content or word.stem not in _FROM)):
            return place
    stems = tuple(word.stem for word in denial)
    for phrase in _UNLESS_PHRASES:
        if phrase[0] in stems:
            first = stems.index(phrase[0])
            if stems[first : first + len(phrase)] == phrase:
                return first + len(phrase) - 1
    return None


def _of_the_others(denial: Sequence[Word], there: Set[str]) -> bool:
    """Whether it denies of the others what is so of one only."""
    return (
        not _ONLY.isdisjoint(there)
        and _OTHERS.isdisjoint(there)
        and any(word.stem in _OTHERS for word in denial)
    )


def _says_it_otherwise(
    denial: Sequence[Word], other: Sequence[Word], one: frozenset[str], denied: frozenset[str]
) -> bool:
    """Whether `denial` denies what is `denied` where `other` has a word `one`: not enabled, disabled.

    All of the denial must stand there, on that word's side where the other one has both.

    >>> texts = ("It isn't enabled by default.", "It isn't enabled by hand.", "It isn't disabled.")
    >>> said, sides = "It is disabled by default and enabled by hand.", (stems_of(["disabled"]), stems_of(["enabled"]))
    >>> [_says_it_otherwise(words(text), words(said), *sides) for text in texts]
    [True, False, False]
    """
    if not one.isdisjoint([word.stem for word in denial]) or not _is_denied(denial, denied):
        return False
    stems = [word.stem for word in other]
    at = next(place for place, stem in enumerate(stems) if stem in one)
    also = next(
        (place for place, stem in enumerate(stems) if stem in denied and abs(place - at) > _NEAR), None
    )
    near = stems if also is None else stems[:also] if at < also else stems[also + 1 :]
    return {word.stem for word in denial if word.content} - denied <= set(near)


def _says_it_in_other_words(denial: Sequence[Word], other: Sequence[Word], there: set[str]) -> bool:
    """Whether `other`, of the stems `there`, says what is denied by a word that means "not", or that it is gone."""
    return any(_says_it_otherwise(denial, other, *sides) for sides in _NOT_OTHER if sides[0] & there) or any(
        _is_gone(denial, other, where) for where, sides in _GONE.items() if sides[0] & there
    )


def _is_gone(denial: Sequence[Word], other: Sequence[Word], where: str) -> bool:
    """Whether `denial` says that there is none of what `other` says is gone, and nothing else.

    >>> denial, where = words("Windows 8 is no longer supported."), "around"
    >>> texts = ("Removed: support for Windows 8.", "Removed: a limit. Windows 8 is supported.")
    >>> [_is_gone(denial, words(text), where) for text in texts]
    [True, False]
    >>> texts = ("Delivery is free of charge.", "Returns are free, the charge for delivery is 5 euros.")
    >>> [_is_gone(words("There is no charge for delivery."), words(text), "behind") for text in texts]
    [True, False]
    """
    gone, named = _GONE[where]
    if not gone.isdisjoint([word.stem for word in denial]) or not _is_denied(denial, named, _FURTHEST):
        return False
    said = _said_gone(denial, other, where)
    own = {word.stem for word in denial if word.content} - named - NEGATION_ADVERBS
    return bool(own) and own <= {word.stem for word in said}


def _said_gone(denial: Sequence[Word], other: Sequence[Word], where: str) -> Sequence[Word]:
    """The words of `other` that tell what it says is gone; none where it names that twice, or more with it."""
    gone, named = _GONE[where]
    at = next(place for place, word in enumerate(other) if word.stem in gone)
    told = [place for place, word in enumerate(other) if word.stem in named]
    if len(told) > 1 or any(word.content for place in told for word in other[at + 1 : place]):
        return ()
    before = [place for place in told if place < at]
    if before and where == "behind":
        return ()
    if where == "behind" and told and _counts(other[told[0] + 1 :], denial):
        return other[:at]  # children travel free, the fee for dogs is 10
    return other[before[0] if before else 0 :]


def _counts(sequence: Sequence[Word], denial: Sequence[Word]) -> bool:
    """Whether `sequence` has a number that `denial` has not."""
    known = set(chain.from_iterable(word.numbers for word in denial))
    return any(word.numbers and known.isdisjoint(word.numbers) for word in sequence)


def _is_denied(denial: Sequence[Word], denied: frozenset[str], near: int = _NEAR) -> bool:
    """Whether one of the stems `denied` stands right behind a negation, as one of the next `near` words."""
    return any(
        word.negation and any(one.stem in denied for one in denial[place + 1 : place + 1 + near])
        for place, word in enumerate(denial)
    )


def _is_elsewhere(word: Word) -> bool:
    """Whether a negation is of a language in which little is known of what stands beside it."""
    return word.stem not in _WELL_KNOWN and not word.stem.endswith("n't")


def is_open(denial: Sequence[Word], text: str, other: str) -> bool:
    """Whether `denial`, the words of `text`, need not deny what `other` says, in a language of which little is known.

    >>> [is_open(words(text), text, "") for text in ("Tidak lebih dari 5", "Tidak ada", "Not before 5")]
    [True, False, False]
    """
    negations = [word for word in denial if word.negation]
    if not negations or not all(map(_is_elsewhere, negations)):
        return False
    return _denies_without(denial) or leaves_open(text, other)


def _denies_without(denial: Sequence[Word]) -> bool:
    """Whether it denies that something is so without another thing."""
    return any(word.stem in LACKING for word in denial) and _denies_all(denial)


def _denies_all(denial: Sequence[Word]) -> bool:
    """Whether it denies more than that there is a thing, as "without" does."""
    return any(word.negation and word.stem not in LACKING for word in denial)


def _days(sequence: Sequence[Word]) -> set[int]:
    return {_DAYS[word.stem] for word in sequence if word.stem in _DAYS}


def _sides(sequence: Sequence[Word]) -> set[str]:
    """On which sides of a number or a time what is told lies."""
    return {
        _SIDES[word.stem]
        for place, word in enumerate(sequence)
        if word.stem in _SIDES
        and any(one.numbers or one.stem in _TIMES for one in sequence[place + 1 : place + 1 + _FURTHEST])
    }

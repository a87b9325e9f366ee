"""Negation: whether a sentence denies something, by its words together; `Word.negation` tells of each alone."""

from __future__ import annotations

from collections.abc import Sequence

from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.words import Word, stem, words

_PORTUGUESE_NOUNS = frozenset(stem(word) for word in LEXICON.portuguese_nouns)
_BOUNDS = frozenset(
    (stem(one), stem(than))
    for one, than in (
        *(
            (one, "than")
            for one in ("more", "less", "fewer", "later", "earlier", "greater", "higher", "lower", "longer")
        ),
        *((one, "de") for one in ("más", "mas", "menos")),
    )
)
"""What makes of *no* a bound instead of a denial."""


_NE, _QUE = {"ne"}, frozenset(("que", "qu"))
"""French *ne*, with which *que* says "only"."""
_NU = {"nu"}
_ROMANIAN = frozenset(one.stem for word in LEXICON.romanian_words for one in words(word))
"""Beside one of them *nu* is no Dutch, Swedish or Danish "now"."""
ONLY_MAY_DENY = ({"no"}, _NE)
"""Negations that may be none where no other one stands beside them."""


_GAP, _WIDEST_GAP = "\u2026", 20
"""In a phrase, and how many words may stand there."""
_PHRASES = [
    tuple(tuple(word.stem for word in words(part)) for part in phrase.split(_GAP))
    for phrase in sorted(LEXICON.undenying, key=len, reverse=True)
]
_BY_FIRST = {
    first: [one for one in _PHRASES if one[0][0] == first] for first in {one[0][0] for one in _PHRASES}
}
OF_PHRASES = frozenset(word.stem for phrase in LEXICON.undenying for word in words(phrase) if word.negation)
"""Negations that deny nothing in some phrases."""
_BUT_FOR = "\u1107\u1161\u11a9\u110b\u1166"
"""Korean *bakke* behind a word, which makes "only" of "not", as `words` has it."""


def _without_phrases(sequence: Sequence[Word]) -> list[Word]:
    """`sequence` without what has a negation and denies nothing: Russian "not only", "not later than".

    >>> [denies(words(text)) for text in ("Tidak lebih dari 5 hari", "Tidak ada sarapan")]
    [False, True]
    """
    stems = [word.stem for word in sequence]
    left_out: set[int] = set()
    for place, word in enumerate(sequence):
        for phrase in _BY_FIRST.get(word.stem, ()):
            left_out |= _places_of(phrase, stems, place)
        if word.negation and place and stems[place - 1].endswith(_BUT_FOR):
            left_out.add(place)
    return [word for place, word in enumerate(sequence) if place not in left_out]


def _places_of(phrase: tuple[tuple[str, ...], ...], stems: list[str], place: int) -> set[int]:
    """Where the words of `phrase`, which may have a gap, stand from `place` on; none where it does not stand there."""
    head, tail = phrase[0], phrase[1] if len(phrase) > 1 else ()
    if (*stems[place : place + len(head)],) != head:
        return set()
    found = set(range(place, place + len(head)))
    if not tail:
        return found
    first = place + len(head)
    starts = range(first, min(first + _WIDEST_GAP, len(stems) - len(tail) + 1))
    at = next((one for one in starts if (*stems[one : one + len(tail)],) == tail), None)
    return set[int]() if at is None else found | set(range(at, at + len(tail)))


def denies(sequence: Sequence[Word]) -> bool:
    """Whether a sentence denies something; Portuguese *no*, "in the", does not, nor does "no more than".

    >>> denies(words("No dogs")), denies(words("O museu fica no centro")), denies(words("No later than May"))
    (True, False, False)
    >>> denies(words("No domingo temos aula")), denies(words("No documents are needed"))
    (False, True)
    >>> denies(words("Elles ne sont garanties que six mois")), denies(words("Elles ne sont pas garanties"))
    (False, True)
    """
    negations = {word.stem for word in sequence if word.negation}
    if not negations.isdisjoint(OF_PHRASES):
        sequence = _without_phrases(sequence)
        negations = {word.stem for word in sequence if word.negation}
    if not negations.isdisjoint(_NU) and _ROMANIAN.isdisjoint(word.stem for word in sequence):
        negations -= _NU
    if negations not in ONLY_MAY_DENY:
        return bool(negations)
    stems = [word.stem for word in sequence]
    if negations == _NE:
        return _QUE.isdisjoint(stems[stems.index("ne") + 1 :])
    if all(_bounds(stems, place) or _in_the(stems, place) for place, one in enumerate(stems) if one == "no"):
        return False
    return LEXICON.portuguese_words.isdisjoint(stems) or not LEXICON.not_portuguese_words.isdisjoint(stems)


def _bounds(stems: Sequence[str], place: int) -> bool:
    """Whether *no* at `place` only says how much there is at most or least: no more than."""
    return (*stems[place + 1 : place + 3],) in _BOUNDS


def _in_the(stems: Sequence[str], place: int) -> bool:
    """Whether *no* at `place` is Portuguese by the noun behind it: *no domingo*."""
    return place + 1 < len(stems) and stems[place + 1] in _PORTUGUESE_NOUNS

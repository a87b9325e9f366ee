"""Prose: the words of a text by sentence, read in one go and kept, for a service retrieves the same passages again.

A record has a hundred sentences and more, of which a dozen are looked at. So nothing is made for each of them: the
words of all stand in one list, in which a break ends each sentence.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, compress, count
from operator import itemgetter

from ragvigil.scorer.checks.reading.markup import Span
from ragvigil.scorer.checks.reading.numerals import may_be_grouped, plain_digits
from ragvigil.scorer.checks.reading.sentences import sentences
from ragvigil.scorer.checks.reading.words import KNOWN, RUN, Chunk, Word, chunks, denies, values

BREAK = ""
"""Ends each sentence in a list of stems; no word has it for a stem."""
_LONGEST_KEPT = 4_000
"""Characters of a text whose words are kept for the next record that holds it: at most 35 MB in all."""
_END = Chunk((), (BREAK,), (), scaling=False, negations=())
_ONLY_NO = {"no"}
"""Which denies nothing in Portuguese; any other negation does."""
_IN_WORDS = string.ascii_letters + string.digits + "'.,:/"
_PLAINER = str.maketrans(
    {place: chr(place).lower() if chr(place) in _IN_WORDS else " " for place in range(128)}
)
_words_of, _stems_of, _values_of, _is_scaling, _negations_of = (
    itemgetter(Chunk._fields.index(name)) for name in ("words", "stems", "values", "scaling", "negations")
)


class Reading:
    """The words of some sentences, in order; records share them, so nobody changes them."""

    __slots__ = ("_chunks", "_denies", "_ends", "_numbers", "spans", "stems")

    def __init__(self, sequence: list[Chunk], ends: list[int], spans: Sequence[Span | None]) -> None:
        """Of `sequence`, in which a break ends each sentence; `ends`: the places of the breaks."""
        self._chunks, self._ends = sequence, ends
        self._numbers: frozenset[str] | None = None
        self._denies: dict[int, bool] = {}
        self.spans = spans
        """Where each sentence stands in the text; None for one that stands in none."""
        self.stems: list[str] = list(chain.from_iterable(map(_stems_of, sequence)))
        """The meaningful stems of all sentences, and BREAK after each."""

    def __len__(self) -> int:
        return len(self.spans)

    def first(self, most: int) -> Reading:
        """The same of the first sentences only."""
        return Reading(self._chunks[: self._ends[most - 1] + 1], self._ends[:most], self.spans[:most])

    @property
    def numbers(self) -> frozenset[str]:
        """Every value that a number in any sentence may stand for."""
        if self._numbers is None:
            found = set(chain.from_iterable(map(_values_of, self._chunks)))
            for place in compress(count(), map(_is_scaling, self._chunks)):
                scaled = [*self._before(place).words[-1:], self._chunks[place].words[0]]
                found.update(*values(scaled))
            self._numbers = frozenset(found)
        return self._numbers

    def denies(self, sentence: int) -> bool:
        """Whether a sentence denies something, by its place."""
        found = self._denies.get(sentence)
        if found is None:
            negations = {*chain.from_iterable(map(_negations_of, self._part(sentence)))}
            found = bool(negations) and (negations != _ONLY_NO or denies(self.words(sentence)))
            self._denies[sentence] = found
        return found

    def words(self, sentence: int) -> list[Word]:
        """Those of a sentence, by its place; of one in ASCII as if it were in small letters."""
        return list(chain.from_iterable(map(_words_of, self._part(sentence))))

    def _part(self, sentence: int) -> list[Chunk]:
        return self._chunks[self._ends[sentence - 1] if sentence else 0 : self._ends[sentence]]

    def _before(self, place: int) -> Chunk:
        """The last chunk with a word before a place, or a break."""
        while place:
            place -= 1
            if self._chunks[place].words or self._chunks[place] is _END:
                return self._chunks[place]
        return _END


def read(text: str, most: int) -> Reading:
    """The sentences of `text`, or of a longer one than is kept the first, `most` and one more."""
    return _read(text, most + 1) if len(text) > _LONGEST_KEPT else _kept(text)


def read_value(said: str) -> Reading:
    """The words of `said` as one sentence that stands in no text."""
    sequence = chunks(said)
    return Reading([*sequence, _END], [len(sequence)], [None])


def _read(text: str, most: int | None = None) -> Reading:
    known = KNOWN.__getitem__
    plain = _plainer(text) if text.isascii() and not may_be_grouped(text) else None
    sequence: list[Chunk] = []
    spans, ends = list[Span](), list[int]()
    for start, end in sentences(text):
        first = len(sequence)
        sequence += map(known, _parted(text[start:end]) if plain is None else plain[start:end].split())
        if len(sequence) > first and (sequence[first].words or any(one.words for one in sequence[first:])):
            ends.append(len(sequence))
            sequence.append(_END)
            spans.append((start, end))
            if len(spans) == most:
                break
        else:
            del sequence[first:]
    return Reading(sequence, ends, spans)


def _parted(sentence: str) -> list[str]:
    sentence = plain_digits(sentence)
    return _plainer(sentence).split() if sentence.isascii() else RUN.findall(sentence)


def _plainer(text: str) -> str:
    """`text`, in ASCII, in small letters and with a space for what is in no word: fewer chunks are to be known."""
    return text.translate(_PLAINER).replace(". ", "  ").replace(", ", "  ")


@lru_cache(maxsize=1024)
def _kept(text: str) -> Reading:
    return _read(text)

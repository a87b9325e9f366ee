"""Prose: the words of texts by sentence, read as arrays and kept, for a service retrieves the same passages again.

A record has a hundred sentences and more, of which a dozen are looked at. So nothing is made for each of them, nor for
each word: a chunk of text is a number in the process's vocabulary, and all passages of a record are parted at once.
"""

from __future__ import annotations

import string
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Collection, Sequence
from itertools import accumulate, chain, pairwise
from operator import itemgetter, sub
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ragvigil.scorer.checks.reading.markup import Span
from ragvigil.scorer.checks.reading.negation import OF_PHRASES, ONLY_MAY_DENY, denies
from ragvigil.scorer.checks.reading.numerals import plain_digits
from ragvigil.scorer.checks.reading.sentences import sentences
from ragvigil.scorer.checks.reading.vocabulary import (
    LONGEST_KEY,
    NEGATING,
    NUMERIC,
    WORDY,
    Bytes,
    Numbers,
    Vocabulary,
)
from ragvigil.scorer.checks.reading.words import RUN, Chunk, Word, chunked, values

_LONGEST_KEPT = 4_000
"""Characters of a text whose words are kept for the next record that holds it."""
_MOST_KEPT = 1024
_MARKS = "'.,:/"
_PLAIN = np.zeros(256, np.uint8)
"""For a byte: itself in small letters, where a word may hold it, else 0."""
for _one in map(ord, string.ascii_letters + string.digits + _MARKS):
    _PLAIN[_one] = ord(chr(_one).lower())
_AS_PLAIN = _PLAIN.tobytes()
"""The same for `translate`, which takes half of the time of `take`."""
_PLAINER = str.maketrans({place: chr(place).lower() if _PLAIN[place] else " " for place in range(128)})
_words_of, _negations_of = (itemgetter(Chunk._fields.index(name)) for name in ("words", "negations"))


class Reading:
    """The words of some sentences, in order; records share them, so nobody changes them."""

    __slots__ = (
        *("_denies", "_numeric", "_told", "_vocabulary"),
        *("chunks", "ends", "negating", "spans", "stem_ends", "stems"),
    )

    def __init__(
        self,
        vocabulary: Vocabulary,
        chunks: Numbers,
        ends: list[int],
        stems: Numbers,
        stem_ends: list[int],
        spans: Sequence[Span | None],
        numeric: list[int],
        negating: Collection[int],
        told: list[int] | None = None,
    ) -> None:
        """`numeric`: places of the chunks that are so, ascending; `negating`: sentences with a negation.

        `told`: the numbers of those chunks, where they are known.
        """
        self._vocabulary = vocabulary
        self.chunks, self.ends = chunks, ends
        """The chunks of all sentences that have words, by number, and the place after the last one of each sentence."""
        self._told = told
        self._denies: dict[int, bool] = {}
        self._numeric = numeric
        self.negating = negating
        """Sentences with a negation, by place."""
        self.stems, self.stem_ends = stems, stem_ends
        """The meaningful stems of all sentences by number, and the place after the last one of each sentence."""
        self.spans = spans
        """Where each sentence stands in the text; None for one that stands in none."""

    def __len__(self) -> int:
        return len(self.spans)

    def first(self, most: int) -> Reading:
        """The same of the first sentences only."""
        ends, stem_ends = self.ends[:most], self.stem_ends[:most]
        chunks, stems = self.chunks[: sum(ends[-1:])], self.stems[: sum(stem_ends[-1:])]
        numeric = [place for place in self._numeric if place < chunks.size]
        return Reading(
            self._vocabulary, chunks, ends, stems, stem_ends, self.spans[:most], numeric, self.negating
        )

    def apart(self) -> list[Reading]:
        """The same of each sentence alone."""
        ends, stem_ends = pairwise([0, *self.ends]), pairwise([0, *self.stem_ends])
        return [
            Reading(
                self._vocabulary,
                self.chunks[first:last],
                [last - first],
                self.stems[stem:stem_end],
                [stem_end - stem],
                [span],
                _between(self._numeric, first, last),
                {0} if sentence in self.negating else frozenset[int](),
            )
            for sentence, (span, (first, last), (stem, stem_end)) in enumerate(
                zip(self.spans, ends, stem_ends, strict=True)
            )
        ]

    @property
    def numeric(self) -> list[int]:
        """The chunks, by number, that are a number or may scale one."""
        if self._told is None:
            told: list[int] = self.chunks.take(self._numeric).tolist()
            self._told = told
        return self._told

    def scaled(self) -> list[tuple[str, ...]]:
        """What the numbers may stand for that a chunk behind them scales, or tells the half of the day of."""
        found: list[tuple[str, ...]] = []
        for place, one in zip(self._numeric, self.numeric, strict=True):
            chunk = self._vocabulary.chunks[one]
            if chunk.scaling and place and self._follows(place):
                found += values([self._chunk(place - 1).words[-1], chunk.words[0]])
        return found

    def has_numbers(self, sentence: int) -> bool:
        """Whether a number may stand in a sentence, by its place."""
        first = self.ends[sentence - 1] if sentence else 0
        place = bisect_left(self._numeric, first)
        return place < len(self._numeric) and self._numeric[place] < self.ends[sentence]

    def denies(self, sentence: int) -> bool:
        """Whether a sentence denies something, by its place."""
        if sentence not in self.negating:
            return False  # as nearly always
        found = self._denies.get(sentence)
        if found is None:
            negations = {*chain.from_iterable(map(_negations_of, self._part(sentence)))}
            settled = negations not in ONLY_MAY_DENY and negations.isdisjoint(OF_PHRASES)
            found = settled or denies(self.words(sentence))
            self._denies[sentence] = found
        return found

    def words(self, sentence: int) -> list[Word]:
        """Those of a sentence, by its place; of one in ASCII as if it were in small letters."""
        return list(chain.from_iterable(map(_words_of, self._part(sentence))))

    def _part(self, sentence: int) -> list[Chunk]:
        part = self.chunks[self.ends[sentence - 1] if sentence else 0 : self.ends[sentence]]
        return list(map(self._vocabulary.chunks.__getitem__, part.tolist()))

    def _chunk(self, place: int) -> Chunk:
        return self._vocabulary.chunks[int(self.chunks[place])]

    def _follows(self, place: int) -> bool:
        """Whether a chunk stands in the same sentence as the one before it."""
        return bisect_right(self.ends, place - 1) == bisect_right(self.ends, place)


def numbers_told(readings: Sequence[Reading], vocabulary: Vocabulary) -> frozenset[str]:
    """Every value that a number in any sentence of `readings` may stand for; of all at once, for few numbers differ."""
    numeric = {*chain.from_iterable([reading.numeric for reading in readings])}
    told = {one: vocabulary.chunks[one] for one in numeric}
    found = [chunk.values for chunk in told.values()]
    scaling = {one for one, chunk in told.items() if chunk.scaling}
    for reading in readings if scaling else ():
        if not scaling.isdisjoint(reading.numeric):
            found += reading.scaled()
    return frozenset(chain.from_iterable(found))


def read(texts: Sequence[str], most: int, vocabulary: Vocabulary) -> list[Reading]:
    """The sentences of each text, or of a longer one than is kept the first, `most` and one more."""
    found = _KEPT.recall(vocabulary, texts)
    plain = [
        place
        for place, (text, one) in enumerate(zip(texts, found, strict=True))
        if one is None and len(text) <= _LONGEST_KEPT and text.isascii()
    ]
    together = _read_together([texts[place] for place in plain], vocabulary) if plain else []
    for place, reading in zip(plain, together, strict=True):
        found[place] = reading
    readings = [
        _read(text, vocabulary, None if len(text) <= _LONGEST_KEPT else most + 1) if one is None else one
        for text, one in zip(texts, found, strict=True)
    ]
    kept = [pair for pair in zip(texts, readings, strict=True) if len(pair[0]) <= _LONGEST_KEPT]
    _KEPT.keep(vocabulary, kept)
    return readings


def read_values(said: Sequence[str], vocabulary: Vocabulary) -> list[Reading]:
    """The words of each of `said` as one sentence that stands in no text; all at once, for most are short."""
    numbers = [vocabulary.numbers(chunked(one)) for one in said]
    return _of_sentences(numbers, [None] * len(said), vocabulary).apart()


def _read(text: str, vocabulary: Vocabulary, most: int | None = None) -> Reading:
    """The first `most` sentences of a text that have words."""
    parts: list[list[int]] = []
    kept: list[Span] = []
    for start, end in sentences(text):
        part = vocabulary.numbers(_parted(text[start:end]))
        if any(vocabulary.chunks[one].words for one in part):
            parts.append(part)
            kept.append((start, end))
            if len(kept) == most:
                break
    return _of_sentences(parts, kept, vocabulary)


def _of_sentences(
    parts: Sequence[list[int]], spans: Sequence[Span | None], vocabulary: Vocabulary
) -> Reading:
    """What is read of sentences, each given as the numbers of its chunks."""
    known = vocabulary.chunks
    parts = [[one for one in part if known[one].words] for part in parts]
    chunks = np.array([*chain.from_iterable(parts)], np.int32)
    stems, counts = vocabulary.stems_of(chunks)
    ends = [*accumulate(map(len, parts))]
    before = [0, *counts.cumsum().tolist()]
    numeric = [place for place, one in enumerate(chain.from_iterable(parts)) if known[one].numeric]
    negating = {place for place, part in enumerate(parts) if any(known[one].negations for one in part)}
    return Reading(vocabulary, chunks, ends, stems, [before[end] for end in ends], spans, numeric, negating)


def _read_together(texts: Sequence[str], vocabulary: Vocabulary) -> list[Reading]:
    """What is read of texts in ASCII."""
    chunks, starts, told = _chunks(_joined(texts), vocabulary)
    begins: list[int] = []
    parted: list[list[Span]] = []
    offset = 0
    for text in texts:
        spans = sentences(text)
        parted.append(spans)
        begins += [offset + start for start, _ in spans]
        offset += len(text) + 1
    cuts: list[int] = starts.searchsorted(begins).tolist()
    cuts.append(chunks.size)
    if min(map(sub, cuts[1:], cuts), default=1) == 0:  # a sentence without words
        parted, cuts = _with_words(parted, cuts)
    stems, counts = vocabulary.stems_of(chunks)
    stem_cuts: list[int] = np.concatenate(([0], counts.cumsum()))[cuts].tolist()
    counting = (told & NUMERIC).nonzero()[0]
    numeric: list[int] = counting.tolist()
    numbers: list[int] = chunks.take(counting).tolist()
    negations = (told & NEGATING).nonzero()[0]
    negating: list[int] = (np.array(cuts).searchsorted(negations, side="right") - 1).tolist()
    found: list[Reading] = []
    first = 0
    for spans in parted:
        last = first + len(spans)
        begin, stem_begin, end, stem_end = cuts[first], stem_cuts[first], cuts[last], stem_cuts[last]
        found.append(
            Reading(
                vocabulary,
                chunks[begin:end].copy(),
                [one - begin for one in cuts[first + 1 : last + 1]],
                stems[stem_begin:stem_end].copy(),
                [one - stem_begin for one in stem_cuts[first + 1 : last + 1]],
                spans,
                _between(numeric, begin, end),
                frozenset(_between(negating, first, last)),
                numbers[bisect_left(numeric, begin) : bisect_left(numeric, end)],
            )
        )
        first = last
    return found


def _between(places: list[int], first: int, last: int) -> list[int]:
    """Those of `places`, ascending, from `first` to before `last`, counted from there."""
    return [one - first for one in places[bisect_left(places, first) : bisect_left(places, last)]]


def _with_words(parted: Sequence[list[Span]], cuts: Sequence[int]) -> tuple[list[list[Span]], list[int]]:
    """The sentences of each text, and the first chunk of each and the last one's end, without those of no chunks."""
    held = iter([before < after for before, after in pairwise(cuts)])
    kept = [[span for span in spans if next(held)] for spans in parted]
    return kept, [*dict.fromkeys(cuts)]


def _joined(texts: Sequence[str]) -> Bytes:
    """The texts, in ASCII, one after the other, a line break between them and room for one more chunk at the end."""
    raw = _bytes(texts)
    digits: NDArray[np.bool_] = raw - np.uint8(ord("0")) < 10
    gaps: NDArray[np.intp] = (digits[:-2] & digits[2:] & ~digits[1:-1]).nonzero()[0] + 1
    between = raw.take(gaps)
    grouped = digits.take(gaps + 2) & digits.take(gaps + 3) & ~digits.take(gaps + 4)
    spaced = (between == ord(" ")) & (grouped | (raw.take(gaps + 2) == ord("/")))
    columns = (between == ord(",")) | (between == ord("_"))
    joined = gaps[spaced | columns | ((between == ord("T")) & (raw.take(gaps + 3) == ord(":")))]
    if not joined.size:
        return raw
    ends = [*accumulate(len(text) + 1 for text in texts)]
    where = {bisect_right(ends, place) for place in joined.tolist()}
    return _bytes([plain_digits(text) if place in where else text for place, text in enumerate(texts)])


def _bytes(texts: Sequence[str]) -> Bytes:
    return np.frombuffer("\n".join(texts).encode("ascii") + bytes(LONGEST_KEY + 1), np.uint8)


def _chunks(raw: Bytes, vocabulary: Vocabulary) -> tuple[Numbers, NDArray[np.intp], Bytes]:
    """The chunks with words of a text in ASCII, by number, where each begins, and what is known of it."""
    letters: Bytes = np.frombuffer(bytearray(raw).translate(_AS_PLAIN), np.uint8)
    word = letters != 0
    no_mark = (letters >= ord("a")) | (letters - np.uint8(ord("0")) < 10)
    word[:-1] &= word[1:] | no_mark[:-1]
    plain: Bytes = letters * word
    edges: NDArray[np.intp] = (word[1:] != word[:-1]).nonzero()[0] + 1
    if word[0]:
        edges = np.concatenate((np.zeros(1, edges.dtype), edges))
    starts = edges[::2]
    chunks = vocabulary.numbers_in(plain, starts, edges[1::2])
    told = vocabulary.told(chunks)
    wordy = (told & WORDY) != 0
    return (chunks, starts, told) if wordy.all() else (chunks[wordy], starts[wordy], told[wordy])


def _parted(sentence: str) -> list[str]:
    sentence = plain_digits(sentence)
    return _plainer(sentence).split() if sentence.isascii() else RUN.findall(sentence)


def _plainer(text: str) -> str:
    """`text`, in ASCII, in small letters and with a space for what is in no word: fewer chunks are to be known."""
    return text.translate(_PLAINER).replace(". ", "  ").replace(", ", "  ")


class _Kept:
    """The readings of the latest texts; the one that nobody asked for the longest goes first."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._readings: OrderedDict[str, Reading] = OrderedDict()
        self._vocabulary: Vocabulary | None = None

    def recall(self, vocabulary: Vocabulary, texts: Sequence[str]) -> list[Reading | None]:
        """The reading of each of `texts`, None where it is forgotten."""
        with self._lock:
            if self._vocabulary is not vocabulary:
                return [None] * len(texts)
            found = [self._readings.get(text) for text in texts]
            for text, one in zip(texts, found, strict=True):
                if one is not None:
                    self._readings.move_to_end(text)
        return found

    def keep(self, vocabulary: Vocabulary, readings: Sequence[tuple[str, Reading]]) -> None:
        """Remember what was just read; what was read in another vocabulary is forgotten."""
        with self._lock:
            if self._vocabulary is not vocabulary:
                self._readings.clear()
                self._vocabulary = vocabulary
            self._readings.update(readings)
            while len(self._readings) > _MOST_KEPT:
                self._readings.popitem(last=False)


_KEPT = _Kept()

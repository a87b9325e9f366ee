"""Vocabulary: a number for every chunk of text and every stem, so that passages are read as arrays, not word by word.

A chunk of up to sixteen characters in ASCII is its own key: two words of eight bytes. So a table finds the numbers of
two thousand chunks at once, without making a string for any; no two chunks share a key, and what the table has no
room for, or is longer, is looked up one by one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import accumulate, chain, repeat
from threading import Lock
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ragvigil.scorer.checks.reading.words import KNOWN, Chunk

Numbers = NDArray[np.int32]
Bytes = NDArray[np.uint8]
_Keys = NDArray[np.uint64]

WORDY, NUMERIC, NEGATING = 1, 2, 4
"""What is known of a chunk: that it has words, a number or what scales one, a negation."""
BEGINNING = 4
"""Letters by which stems of one origin are told."""
_MOST_CHUNKS, _MOST_CHARACTERS = 1 << 15, 1 << 20
_BITS = 16
_WIDTH = 8
LONGEST_KEY = 2 * _WIDTH
_ONE, _OTHER = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_FIRST_SHIFT, _SECOND_SHIFT, _MASK = (
    np.uint64(64 - _BITS),
    np.uint64(64 - 2 * _BITS),
    np.uint64((1 << _BITS) - 1),
)
_LOW = (1 << _BITS) - 1
_WITHIN = np.array([(1 << 8 * size) - 1 for size in range(_WIDTH + 1)], dtype=np.uint64)
_BEYOND = np.concatenate((np.zeros(_WIDTH, np.uint64), _WITHIN))
"""By the size of a chunk: the bits of the first and of the second half of its key that count."""


class Vocabulary:
    """The numbers of chunks and stems, in the order in which they were met; shared by threads."""

    def __init__(self) -> None:
        self.chunks: list[Chunk] = []
        """By number."""
        self.stems: list[str] = []
        """By number."""
        self._numbers: dict[str, int] = {}
        self._stem_numbers: dict[str, int] = {}
        self._beginnings: dict[str, int] = {}
        self._begins: Numbers = np.zeros(1 << 12, np.int32)
        """For each stem the number of what it begins with."""
        self._characters = 0
        self._lock = Lock()
        self._keys: tuple[_Keys, _Keys] = (np.zeros(1 << _BITS, np.uint64), np.zeros(1 << _BITS, np.uint64))
        self._held: Numbers = np.zeros(1 << _BITS, np.int32)
        self._told: Bytes = np.zeros(1 << 12, np.uint8)
        self._stems_of = _Rows()
        self._words_of = _Rows()

    @property
    def full(self) -> bool:
        """Whether it is time for a new one."""
        return len(self.chunks) >= _MOST_CHUNKS or self._characters >= _MOST_CHARACTERS

    def numbers(self, chunks: Iterable[str]) -> list[int]:
        """The number of each chunk.

        >>> vocabulary = Vocabulary()
        >>> [vocabulary.numbers(chunks) for chunks in (("the", "cats"), ("cats", "sat"))]
        [[0, 1], [1, 2]]
        """
        chunks = list(chunks)
        found = list(map(self._numbers.get, chunks))
        if None in found:
            self._add([chunk for chunk, one in zip(chunks, found, strict=True) if one is None])
            return [self._numbers[chunk] for chunk in chunks]
        return cast("list[int]", found)

    def numbers_in(self, text: Bytes, starts: NDArray[np.intp], ends: NDArray[np.intp]) -> Numbers:
        """The numbers of the chunks in ASCII that stand from each of `starts` to each of `ends`.

        `text` must go on for `LONGEST_KEY` bytes behind the last.
        """
        sizes = ends - starts
        bytes_from: _Keys = np.ndarray((text.size - _WIDTH + 1,), "<u8", text.data, 0, (1,))
        low = bytes_from.take(starts) & _WITHIN.take(np.minimum(sizes, _WIDTH))
        high = bytes_from.take(starts + _WIDTH) & _BEYOND.take(np.minimum(sizes, LONGEST_KEY))
        mixed = (low * _ONE ^ high * _OTHER) * _ONE
        places = (mixed >> _FIRST_SHIFT).astype(np.intp)
        lows, highs = self._keys
        strange = (lows.take(places) != low) | (highs.take(places) != high) | (sizes > LONGEST_KEY)
        numbers: Numbers = self._held.take(places)  # only now: another thread may just have set a key
        lost = strange.nonzero()[0]
        if lost.size:
            places = (mixed[lost] >> _SECOND_SHIFT & _MASK).astype(np.intp)
            strange = (
                (lows[places] != low[lost]) | (highs[places] != high[lost]) | (sizes[lost] > LONGEST_KEY)
            )
            numbers[lost] = self._held[places]
            lost = lost[strange]
            if lost.size:
                numbers[lost] = self._met(text, starts[lost], ends[lost], mixed[lost], low[lost], high[lost])
        return numbers

    def told(self, numbers: Numbers) -> Bytes:
        """What is known of each chunk: WORDY, NUMERIC and NEGATING added up."""
        return self._told.take(numbers)

    def stems_of(self, numbers: Numbers) -> tuple[Numbers, Numbers]:
        """The numbers of the meaningful stems of these chunks, one after the other, and how many each chunk has."""
        return self._stems_of.joined(numbers)

    def words_of(self, numbers: Numbers) -> tuple[Numbers, Numbers]:
        """The same of the stems of all their words.

        >>> vocabulary = Vocabulary()
        >>> cats = np.array(vocabulary.numbers(("the", "dog-eared", "cats")), np.int32)
        >>> [one.tolist() for one in vocabulary.words_of(cats)], [one.tolist() for one in vocabulary.stems_of(cats)]
        ([[0, 1, 2, 3], [1, 2, 1]], [[1, 2, 3], [0, 2, 1]])
        """
        return self._words_of.joined(numbers)

    def stems_at(self, numbers: Numbers) -> list[str]:
        """The stems of these numbers."""
        return list(map(self.stems.__getitem__, numbers.tolist()))

    def stem_numbers(self, stems: Iterable[str]) -> list[int]:
        """The number of each stem; -1 for one that nobody met."""
        return list(map(self._stem_numbers.get, stems, repeat(-1)))

    def marked(self, stems: Collection[str]) -> NDArray[np.bool_]:
        """For the number of every stem whether it is one of `stems`."""
        numbers = self.stem_numbers(stems)
        # Only now: another thread may add stems. One place more is for those that nobody met.
        marks = np.zeros(len(self.stems) + 1, np.bool_)
        marks[numbers] = True
        return marks[:-1]

    def beginning_as(self, asked: Iterable[str], stems: Numbers) -> list[str]:
        """Those of `stems`, by number, that begin with the same four letters as one that is asked about, each once.

        >>> vocabulary = Vocabulary()
        >>> said, _ = vocabulary.stems_of(np.array(vocabulary.numbers(("expecting", "cats")), np.int32))
        >>> vocabulary.beginning_as(("experience", "dog"), said)
        ['expect']
        """
        begins = [number for one in asked if (number := self._beginnings.get(one[:BEGINNING])) is not None]
        marks = np.zeros(len(self._beginnings), np.bool_)
        marks[begins] = True
        found: list[int] = stems[marks.take(self._begins.take(stems))].tolist()
        return [self.stems[one] for one in dict.fromkeys(found)]

    def _met(
        self,
        text: Bytes,
        starts: NDArray[np.intp],
        ends: NDArray[np.intp],
        mixed: _Keys,
        low: _Keys,
        high: _Keys,
    ) -> list[int]:
        """The numbers of chunks that the table lacks; it holds them from now on, each in a place that is free."""
        said = text.tobytes()
        bounds = zip(starts.tolist(), ends.tolist(), strict=True)
        numbers = self.numbers(said[start:end].decode("ascii") for start, end in bounds)
        short = (ends - starts <= LONGEST_KEY).tolist()
        places = (mixed >> _FIRST_SHIFT).tolist(), (mixed >> _SECOND_SHIFT & _MASK).tolist()
        lows, highs = self._keys
        with self._lock:
            for number, fits, one, other, *key in zip(
                numbers, short, *places, low.tolist(), high.tolist(), strict=True
            ):
                place = one if not lows[one] else other
                if fits and not lows[place]:
                    self._held[place] = number
                    highs[place], lows[place] = key[1], key[0]
        return numbers

    def _add(self, texts: Sequence[str]) -> None:
        """Give numbers to chunks that have none, as far as no other thread has done so meanwhile."""
        met = [(text, KNOWN[text]) for text in dict.fromkeys(texts)]
        with self._lock:
            fresh = [(text, chunk) for text, chunk in met if text not in self._numbers]
            number = len(self.chunks)
            self._told = _set(self._told, number, [_told(chunk) for _, chunk in fresh])
            self._words_of.add([[self._stem(word.stem) for word in chunk.words] for _, chunk in fresh])
            self._stems_of.add([[self._stem(stem) for stem in chunk.stems] for _, chunk in fresh])
            self._characters += sum(len(text) for text, _ in fresh)
            self.chunks += [chunk for _, chunk in fresh]
            self._numbers.update((text, number + place) for place, (text, _) in enumerate(fresh))

    def _stem(self, stem: str) -> int:
        found = self._stem_numbers.get(stem)
        if found is None:
            found = len(self.stems)
            self.stems.append(stem)
            self._stem_numbers[stem] = found
            begins = self._beginnings.setdefault(stem[:BEGINNING], len(self._beginnings))
            self._begins = _set(self._begins, found, [begins])
        return found


class _Rows:
    """Rows of numbers, of any length each, that are only added to; a reader needs no lock for rows that he knows of."""

    def __init__(self) -> None:
        self._first: Numbers = np.zeros(1 << 12, np.int32)
        """Where in the values each row begins."""
        self._count: Numbers = np.zeros(1 << 12, np.int32)
        self._values: Numbers = np.zeros(1 << 12, np.int32)
        self._rows = self._size = 0

    def add(self, rows: Sequence[Sequence[int]]) -> None:
        """These rows behind those that there are."""
        sizes = list(map(len, rows))
        self._first = _set(self._first, self._rows, list(accumulate(sizes[:-1], initial=self._size)))
        self._count = _set(self._count, self._rows, sizes)
        self._values = _set(self._values, self._size, list(chain.from_iterable(rows)))
        self._rows += len(rows)
        self._size += sum(sizes)

    def joined(self, numbers: Numbers) -> tuple[Numbers, Numbers]:
        """The values of these rows, one row after the other, and how many each has."""
        counts = self._count.take(numbers)
        if not counts.size or counts.max() <= 1:
            return self._values.take(self._first.take(numbers[counts != 0])), counts
        ends = counts.cumsum()
        shifts = (self._first[numbers] - ends + counts).repeat(counts)
        return self._values[shifts + np.arange(shifts.size)], counts


def among(asked: Sequence[Sequence[int]], there: NDArray[np.int64]) -> frozenset[int]:
    """Those numbers of `there` that are asked for, and maybe a few more: so no object is made for most.

    >>> among([[3, 5], [7]], np.array([2, 3, 7, 9])) & {2, 3, 5, 7, 9} == {3, 7}
    True
    """
    marks = np.zeros(1 << _BITS, np.bool_)
    marks[np.array([*chain.from_iterable(asked)], np.int64) & _LOW] = True
    return frozenset(there[marks.take(there & _LOW)].tolist())


def _told(chunk: Chunk) -> int:
    return WORDY * bool(chunk.words) + NUMERIC * chunk.numeric + NEGATING * bool(chunk.negations)


T = TypeVar("T", bound=np.generic)


def _set(held: NDArray[T], place: int, values: list[int]) -> NDArray[T]:
    """`held` with `values` from `place` on, made larger where they have no room."""
    end = place + len(values)
    if end > held.size:
        larger = np.zeros(max(end, 2 * held.size), held.dtype)
        larger[: held.size] = held
        held = larger
    held[place:end] = values
    return held


class _Current:
    """The process's vocabulary; a full one makes room for a new one when the next record is read."""

    def __init__(self) -> None:
        self._vocabulary = Vocabulary()
        self._lock = Lock()

    def __call__(self) -> Vocabulary:
        with self._lock:
            if self._vocabulary.full:
                self._vocabulary = Vocabulary()
            return self._vocabulary


current = _Current()

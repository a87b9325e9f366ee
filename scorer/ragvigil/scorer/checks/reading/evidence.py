"""Evidence: the passages as segments (sentences, or one value of a record), indexed by their words."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import pairwise, repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragvigil.scorer.checks.reading import records
from ragvigil.scorer.checks.reading.dialled import ways_to_dial
from ragvigil.scorer.checks.reading.flags import Flag, Truth, read_flags, read_groups
from ragvigil.scorer.checks.reading.kin import Kin
from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.markup import Span
from ragvigil.scorer.checks.reading.numerals import likely, over_columns
from ragvigil.scorer.checks.reading.passages import name_of
from ragvigil.scorer.checks.reading.prose import numbers_told
from ragvigil.scorer.checks.reading.rows import Row, tables_of
from ragvigil.scorer.checks.reading.segments import Segments
from ragvigil.scorer.checks.reading.stretches import Stretch, read_all
from ragvigil.scorer.checks.reading.threes import threes
from ragvigil.scorer.checks.reading.timetable import Hours, keyed, tells_days, timetable
from ragvigil.scorer.checks.reading.vocabulary import Numbers, among, current
from ragvigil.scorer.checks.reading.words import words
from ragvigil.scorer.choices import longest_first
from ragvigil.scorer.data import read_data
from ragvigil.scorer.lazily import made_once
from ragvigil.scorer.trace import Document

_MOST_WORDS_OF_A_FLAG = 8
_MOST_SHORT = 1 << 16
_LONGEST_SEARCHED = 200_000
_POINTS_OF_A_DATE = 2
_IN_THOUSANDS: Any = read_data("measures.json")["in_thousands"]
_THOUSAND = longest_first(
    (*(name for name, power in LEXICON.scales.items() if power == 3), *_IN_THOUSANDS["words"])
)
_THOUSANDS = re.compile(
    rf"(?<![^\W\d_])(?:{_THOUSAND})(?![^\W_])|{longest_first(_IN_THOUSANDS['anywhere'])}"
    r"|(?<=[ $€£(])000s?(?![\w.,])|(?<!\d)['\u2019]000s?(?![\w.,])|(?<!\d )\bx ?1[.,]?000(?![\w.,])"
)
_NAMES = frozenset(("name", "title", "model", "product", "plan", "label"))
"""Keys of what a record is called."""
_TELLS_WHICH = re.compile(rf"(?:{'|'.join(sorted(_NAMES))}|sku|(?:^|[_-])(?:id|number|no|nr|ref)|Id|Number)$")
"""Keys of what tells one record from another."""


class Evidence:
    """All segments of a record, and where each stem occurs."""

    def __init__(self, documents: Sequence[Document], wanted: Set[str] | None = None) -> None:
        """Index `documents` by those stems in `wanted` only, or by all of them."""
        vocabulary = current()
        self._wanted = wanted
        self.names = tuple(name_of(document) for document in documents)
        self._vocabulary = vocabulary
        self._stretches, self.truncated = read_all(documents, vocabulary)
        readings = self._readings = [stretch.reading for stretch in self._stretches]
        stems = np.concatenate([one.stems for one in readings]) if readings else np.zeros(0, np.int32)
        ends: list[int] = []
        for one in readings:
            before = ends[-1] if ends else 0
            ends += [before + end for end in one.stem_ends] if before else one.stem_ends
        self.segments = Segments(self._stretches, vocabulary, stems, ends)
        self.passage_at = np.array([one.passage for one in self._stretches], np.intp).repeat(
            [*map(len, readings)]
        )
        """For each segment the place of its passage."""
        self.passage_of: list[int] = self.passage_at.tolist()
        """The same as a list."""
        self._passages: dict[str, tuple[int, ...]] = {}
        at = vocabulary.marked(wanted)[stems].nonzero()[0] if wanted is not None else np.arange(stems.size)
        ended = np.array(ends, np.intp)
        sizes = ended.copy()
        sizes[1:] -= ended[:-1]
        which, segment = stems[at], np.arange(sizes.size).repeat(sizes).take(at)
        self._unknown = len(vocabulary.stems)
        self._held = _held(which, segment, self._unknown)
        self.places, self._numbers = _places(self._held, vocabulary.stems)
        """Segments in which a wanted stem occurs, ascending."""
        self._pairs = _pairs(which, segment, at, self._unknown + 1)

    @made_once
    def kin(self) -> Kin:
        """What tells whether a wanted word that does not occur has the origin of one that does."""
        if self._wanted is None:
            return Kin(self.segments.distinct())
        return Kin(self.segments.beginning_as(self._wanted - self.places.keys()))

    @made_once
    def numbers(self) -> frozenset[str]:
        """Every value that a number may stand for."""
        return numbers_told(self._readings, self._vocabulary).union(over_columns(self.in_small_letters))

    @made_once
    def years_of_dates(self) -> frozenset[str]:
        """What stands behind the second point of a number with two, as 2026 does in 31.12.2026."""
        return frozenset(
            one.rpartition(".")[2] for one in self.numbers if one.count(".") == _POINTS_OF_A_DATE
        )

    def meant(self, values: tuple[str, ...]) -> tuple[str, ...]:
        """What a numeral of a claim may stand for beside it: 7,000 is 7 only where it tells something in thousands."""
        told = likely(values)
        return values if told is not values and self._in_thousands else told

    @made_once
    def _in_thousands(self) -> bool:
        return _THOUSANDS.search(self.in_small_letters) is not None

    @made_once
    def telephones(self) -> frozenset[str]:
        """The digits of its telephone numbers, however they are dialled."""
        return ways_to_dial(self.in_small_letters)

    @made_once
    def values(self) -> list[Stretch]:
        """The short values of records."""
        return [stretch for stretch in self._stretches if stretch.path]

    @made_once
    def tables(self) -> dict[int, list[Row]]:
        """By segment the table of which it is a row."""
        return tables_of(self.segments)

    @made_once
    def record_names(self) -> dict[int, frozenset[str]]:
        """For each passage that is a record with one name: the stems of that."""
        found: defaultdict[int, list[frozenset[str]]] = defaultdict(list)
        for one in self.values:
            if one.path[-1].lower() in _NAMES and isinstance(one.value, str):
                found[one.passage].append(frozenset(word.stem for word in words(one.value)))
        return {passage: names[0] for passage, names in found.items() if len(names) == 1 and names[0]}

    @made_once
    def records_of(self) -> dict[str, frozenset[int]]:
        """For each stem of the short values of records, or of their names, the passages that are these records."""
        return _passages((one.passage, one.said) for one in self.values)

    @made_once
    def called(self) -> dict[str, frozenset[int]]:
        """Likewise of what tells which record it is: names, and numbers of an order or an article."""
        return _passages(
            (one.passage, str(one.value))
            for one in self.values
            if one.absent is None and _TELLS_WHICH.search(one.path[-1])
        )

    @made_once
    def told_once(self) -> dict[str, dict[int, Stretch]]:
        """By its last name, and by passage, each short value that is the only one of that name in its record."""
        found: defaultdict[str, dict[int, list[Stretch]]] = defaultdict(dict)
        for one in self.values:
            found[one.path[-1]].setdefault(one.passage, []).append(one)
        return {
            name: {passage: told[0] for passage, told in passages.items() if len(told) == 1}
            for name, passages in found.items()
        }

    @made_once
    def flags(self) -> list[Flag]:
        """What a record says to be so, not so or missing."""
        told: list[tuple[records.Path, Truth | None]] = [(one.path, _truth(one)) for one in self.values]
        return [*read_flags([(path[-1], truth) for path, truth in told]), *read_groups(told)]

    @made_once
    def hours(self) -> Hours:
        """The opening hours of the one record that has any; empty when there is none, or more than one.

        A day from 0:00 to 0:00 is how such records write that it is closed, unless all are.
        """
        found: Hours = {}
        for one in self.values:
            span = records.opening(one.value)
            day = LEXICON.days.get(one.path[-1].lower())
            if span is None or day is None:
                continue
            if day in found:
                return {}
            found[day] = span
        return {day: span for day, span in found.items() if any(span)} or found

    @made_once
    def timetable(self) -> Hours:
        """The opening hours of the one line of prose, or record with days in short, that tells them; else empty."""
        if self.hours:
            return {}
        prose = [one.text for one in self._stretches if not one.path]
        told = [(one.path[-1], records.opening(one.value)) for one in self.values if _may_be_hours(one)]
        return timetable(prose) if not told else {} if tells_days(prose) else keyed(told)

    def linked(self, claims: Sequence[Sequence[str]]) -> list[list[bool]]:
        """Of each claim whether each of its stems, all of them wanted, stands right before the next one somewhere."""
        size = self._unknown + 1
        numbered = [map(self._numbers.get, stems, repeat(self._unknown)) for stems in claims]
        asked = [[one * size + other for one, other in pairwise(numbers)] for numbers in numbered]
        there = among(asked, self._pairs)
        return [[pair in there for pair in each] for each in asked]

    def segments_of(self, stems: Sequence[str]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """In how many segments each of `stems`, all of them wanted, occurs, and in which: one stem after the other."""
        which, segments, firsts = self._held
        numbers = np.fromiter(map(self._numbers.get, stems, repeat(self._unknown)), np.intp, len(stems))
        rows = which.searchsorted(numbers)
        first = firsts.take(rows)
        sizes = firsts.take(np.minimum(rows + 1, which.size)) - first
        shifts = (first - sizes.cumsum() + sizes).repeat(sizes)
        return sizes, segments.take(shifts + np.arange(shifts.size))

    def threes(self, claims: Sequence[Sequence[str]]) -> list[list[bool]]:
        """Of each claim, the stems of all its words in order, whether each three in a row stand so in one sentence."""
        return threes(claims, self._readings, self._vocabulary)

    def passages_of(self, stem: str) -> tuple[int, ...]:
        """The passages in which a wanted stem occurs, ascending."""
        found = self._passages.get(stem)
        if found is None:
            held = map(self.passage_of.__getitem__, self.places.get(stem, ()))
            found = self._passages[stem] = tuple(dict.fromkeys(held))
        return found

    def with_all(self, stems: Iterable[str], most: int) -> list[int]:
        """The first segments, so many at `most`, that have all of these wanted stems; none where there are no stems."""
        held = [self.places.get(stem, ()) for stem in stems]
        return sorted(set(held[0]).intersection(*held[1:]))[:most] if held else []

    def weighed(self, weights: Mapping[str, float], most: int) -> dict[int, float]:
        """What the wanted stems of a segment weigh together, each of the first segments, so many at `most`."""
        found: defaultdict[int, float] = defaultdict(float)
        for stem, weight in weights.items():
            for place in self.places.get(stem, ())[:most]:
                found[place] += weight
        return found

    @made_once
    def said(self) -> Sequence[str]:
        """The text of each segment, or a record's value with its path."""
        texts: list[str] = []
        for one in self._stretches:
            if one.path:
                texts.append(f"{one.path} {one.value}")
            else:
                text = one.text
                texts += [text[span[0] : span[1]] for span in one.reading.spans if span]
        return texts

    @made_once
    def in_small_letters(self) -> str:
        """Its segments as `said` has them, in small letters, a line each; only the first 200,000 characters."""
        return "\n".join(self.said)[:_LONGEST_SEARCHED].lower()

    def sentences_at(self, name: str, start: int) -> list[int]:
        """The segments that are sentences and begin at character `start` of a passage of that name, ascending."""
        found: list[int] = []
        for first, stretch in self._named.get(name, ()):
            spans, offset = stretch.reading.spans, stretch.offset or 0
            place = bisect_left(spans, start - offset, key=_start)
            if place < len(spans) and _start(spans[place]) == start - offset:
                found.append(first + place)
        return found

    @made_once
    def _named(self) -> dict[str, list[tuple[int, Stretch]]]:
        """By the name of the passage its texts of sentences whose place is known, each after its first segment."""
        found: dict[str, list[tuple[int, Stretch]]] = defaultdict(list)
        first = 0
        for stretch in self._stretches:
            if stretch.offset is not None and not stretch.path:
                found[self.names[stretch.passage]].append((first, stretch))
            first += len(stretch.reading)
        return found


def _may_be_hours(value: Stretch) -> bool:
    return value.value is None or records.opening(value.value) is not None


def _passages(said: Iterable[tuple[int, str]]) -> dict[str, frozenset[int]]:
    """For each stem the passages of what is `said`, each with its passage."""
    found: defaultdict[str, set[int]] = defaultdict(set)
    for passage, text in said:
        for word in words(text):
            found[word.stem].add(passage)
    return {stem: frozenset(passages) for stem, passages in found.items()}


class _Held(NamedTuple):
    """Where stems occur."""

    which: Numbers
    """The stems by number, ascending."""
    segments: NDArray[np.intp]
    """Those of each stem, ascending, one stem after the other."""
    firsts: NDArray[np.intp]
    """Where among these the ones of each stem begin, and where the last ones end."""


def _held(which: Numbers, segment: NDArray[np.intp], size: int) -> _Held:
    """The segments that hold each stem, given `which` stems, of so many, stand where in which `segment`."""
    short = which.astype(np.uint16) if size <= _MOST_SHORT else which
    order = short.argsort(kind="stable")  # a tenth of the time for numbers of two bytes
    which, segment = which[order], segment[order]
    other = np.concatenate(([True], which[1:] != which[:-1]))[: which.size]
    new = other.copy()
    new[1:] |= segment[1:] != segment[:-1]
    held = segment[new]
    return _Held(which[other], held, np.concatenate((other[new].nonzero()[0], [held.size])))


def _places(held: _Held, names: Sequence[str]) -> tuple[dict[str, list[int]], dict[str, int]]:
    """For each stem the segments that hold it, and its number."""
    found: list[int] = held.which.tolist()
    segments: list[int] = held.segments.tolist()
    said = [names[stem] for stem in found]
    stretches = zip(said, pairwise(held.firsts.tolist()), strict=True)
    return {stem: segments[first:last] for stem, (first, last) in stretches}, dict(
        zip(said, found, strict=True)
    )


def _pairs(which: Numbers, segment: NDArray[np.intp], at: NDArray[np.intp], size: int) -> NDArray[np.int64]:
    """The stems side by side in one segment, each pair as a number: `size` times the first's, and the other's.

    `which` stems stand where `at`, in which `segment`; `size` is more than any number.

    A stem twice in a row counts beside another one only: so the models were fitted.
    """
    together = segment[1:] == segment[:-1]
    beside = ((at[1:] == at[:-1] + 1) & together).nonzero()[0]
    one, other = which[beside].astype(np.int64), which[beside + 1]
    keys: NDArray[np.int64] = one * size + other
    twice = one == other
    if not twice.any():
        return keys
    mixed: list[int] = segment[1:][together & (which[1:] != which[:-1])].tolist()
    others = {*mixed}
    alike: list[tuple[int, int]] = list(
        zip(keys[twice].tolist(), segment[beside[twice]].tolist(), strict=True)
    )
    return np.concatenate(
        (keys[~twice], np.array([key for key, where in alike if where in others], np.int64))
    )


def _start(span: Span | None) -> int:
    """Where a sentence begins; -1 for what stands in no text."""
    return span[0] if span else -1


def _truth(value: Stretch) -> Truth | None:
    if value.absent is not None:
        return value.absent
    return "true" if value.value is True and len(words(value.said)) <= _MOST_WORDS_OF_A_FLAG else None

"""Evidence: the passages as segments (sentences, or one value of a record), indexed by their words."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from itertools import accumulate, chain, pairwise, repeat
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from ragvigil.scorer.checks.reading import records
from ragvigil.scorer.checks.reading.clauses import clauses
from ragvigil.scorer.checks.reading.flags import Flag, Truth, read_flags, read_groups
from ragvigil.scorer.checks.reading.kin import Kin
from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.markup import Span
from ragvigil.scorer.checks.reading.passages import name_of
from ragvigil.scorer.checks.reading.prose import Reading, read, read_value
from ragvigil.scorer.checks.reading.vocabulary import Numbers, Vocabulary, current
from ragvigil.scorer.checks.reading.words import Word, denies, values, words
from ragvigil.scorer.lazily import made_once
from ragvigil.scorer.trace import Document

_MOST_SEGMENTS = 4000
_CHARACTERS_AT_ONCE = 32_000
_LONGEST_TEXT_VALUE = 80
_MOST_WORDS_OF_A_FLAG = 8

Hours = dict[int, tuple[int, int]]
"""For each day from Monday, 0: minutes after midnight at which it opens and closes; no entry: closed."""


class _Stretch(NamedTuple):
    """The segments of one text: the sentences of a passage or of a long value in a record, or one short value."""

    passage: int
    """Place of its passage in the record, from 0."""
    text: str
    """What its sentences are a part of: the passage, or a long text in a record."""
    reading: Reading
    offset: int | None = 0
    """Where `text` stands in the passage; None where that is unknown."""
    path: records.Path = ()
    """For a record's short value: the names that lead to it."""
    value: object = None
    """For a record's short value."""
    said: str = ""
    """For a record's short value: its names and itself in words."""

    @property
    def absent(self) -> records.Absence | None:
        """Whether a record's short value is denied or missing."""
        return records.absence(self.value) if self.path else None


class Segment:
    """One sentence of a passage, or one value of a record with the path that leads to it; see `_Stretch`.

    What is told of it is kept in plain attributes, not in cached properties, which lock.
    """

    _words: list[Word] | None = None
    _content: frozenset[str] | None = None
    _pairs: frozenset[tuple[str, str]] | None = None
    _numbers: frozenset[str] | None = None

    def __init__(self, stretch: _Stretch, sentence: int, stems: list[str]) -> None:
        self.passage, self.text, self._reading, self.offset, self.path, self.value, _ = stretch
        self.absent = stretch.absent
        """For a record's value: whether it is denied or missing."""
        self._sentence = sentence
        self.span = self._reading.spans[sentence]
        """Where it stands in `text`; None for a record's value."""
        self.stems = stems
        """Its meaningful stems, in order."""

    @property
    def negated(self) -> bool:
        """Whether it denies something."""
        return self.absent is not None or self._reading.denies(self._sentence)

    @property
    def words(self) -> list[Word]:
        """Its words, as `Reading` has them; nobody changes them."""
        if self._words is None:
            self._words = self._reading.words(self._sentence)
        return self._words

    @property
    def content(self) -> frozenset[str]:
        """Its meaningful stems."""
        if self._content is None:
            self._content = frozenset(self.stems)
        return self._content

    @property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Neighbouring meaningful stems."""
        if self._pairs is None:
            self._pairs = frozenset(pairwise(self.stems))
        return self._pairs

    @property
    def numbers(self) -> frozenset[str]:
        """Every value that a number in it may stand for."""
        if self._numbers is None:
            numeric = self._reading.has_numbers(self._sentence)
            self._numbers = frozenset(chain.from_iterable(values(self.words)) if numeric else ())
        return self._numbers

    @property
    def place(self) -> tuple[int, int] | None:
        """Where it stands in the passage, from the first character to after the last; None where that is unknown."""
        if self.span is None:
            return records.place_of(self.text, self.path, self.value)
        return None if self.offset is None else (self.offset + self.span[0], self.offset + self.span[1])

    def denies_of(self, stems: Collection[str]) -> bool:
        """Whether it denies in the clause that holds most of `stems`; another clause may deny something else."""
        if self.span is None or not self.negated:
            return self.negated
        spans = clauses(self.text, *self.span, 2)
        parts = [words(self.text[first:last]) for first, last in spans]
        sizes = [(sum(word.stem in stems for word in part if word.content), denies(part)) for part in parts]
        return max(sizes)[1] if len(sizes) > 1 else self.negated


class _Segments(Sequence[Segment]):
    """All segments of a record; each is made when it is first looked at, for most never are."""

    def __init__(
        self, stretches: Sequence[_Stretch], vocabulary: Vocabulary, stems: Numbers, ends: list[int]
    ) -> None:
        """`stems`: those of all stretches, by number; `ends`: where in them each segment ends."""
        self._stretches = stretches
        self._vocabulary = vocabulary
        self._stems = stems
        self._ends = ends
        self._firsts = [0, *accumulate(len(stretch.reading) for stretch in stretches)]
        self._made: dict[int, Segment] = {}

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, place: int) -> Segment: ...
    @overload
    def __getitem__(self, place: slice) -> list[Segment]: ...
    def __getitem__(self, place: int | slice) -> Segment | list[Segment]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        found = self._made.get(place)
        if found is None:
            place = range(len(self))[place]
            number = bisect_right(self._firsts, place) - 1
            stems = self.stems(place, place)
            found = self._made[place] = Segment(self._stretches[number], place - self._firsts[number], stems)
        return found

    def stems(self, first: int, last: int) -> list[str]:
        """The meaningful stems from segment `first` to the end of `last`."""
        part = self._stems[self._ends[first - 1] if first else 0 : self._ends[last]]
        return list(map(self._vocabulary.stems.__getitem__, part.tolist()))

    def distinct(self) -> list[str]:
        """Every meaningful stem once."""
        return list(map(self._vocabulary.stems.__getitem__, np.unique(self._stems).tolist()))

    def beginning_as(self, asked: Iterable[str]) -> list[str]:
        """The meaningful stems that begin as one that is asked about."""
        return self._vocabulary.beginning_as(asked, self._stems)

    def negated(self, place: int) -> bool:
        """Whether a segment denies something, told without making it."""
        if place not in self._may_deny:
            return False  # as nearly always
        number = bisect_right(self._firsts, place) - 1
        stretch, sentence = self._stretches[number], place - self._firsts[number]
        return stretch.absent is not None or stretch.reading.denies(sentence)

    @made_once
    def _may_deny(self) -> frozenset[int]:
        """Segments with a negation, or of a record's value that is denied or missing."""
        found: list[int] = []
        for first, stretch in zip(self._firsts, self._stretches, strict=False):
            if stretch.path and stretch.absent is not None:
                found.append(first)
            elif stretch.reading.negating:
                found += [first + sentence for sentence in stretch.reading.negating]
        return frozenset(found)


class Evidence:
    """All segments of a record, and where each stem occurs."""

    def __init__(self, documents: Sequence[Document], wanted: Set[str] | None = None) -> None:
        """Index `documents` by those stems in `wanted` only, or by all of them."""
        vocabulary = current()
        self._wanted = wanted
        self.names = tuple(name_of(document) for document in documents)
        self._stretches, self.truncated = _read_all(documents, vocabulary)
        readings = [stretch.reading for stretch in self._stretches]
        stems = np.concatenate([one.stems for one in readings]) if readings else np.zeros(0, np.int32)
        ends: list[int] = []
        for one in readings:
            before = ends[-1] if ends else 0
            ends += [before + end for end in one.stem_ends] if before else one.stem_ends
        self.segments = _Segments(self._stretches, vocabulary, stems, ends)
        self.passage_at = np.repeat(
            np.array([one.passage for one in self._stretches], np.intp), [*map(len, readings)]
        )
        """For each segment the place of its passage."""
        self.passage_of: list[int] = self.passage_at.tolist()
        """The same as a list."""
        self._passages: dict[str, tuple[int, ...]] = {}
        at = vocabulary.marked(wanted)[stems].nonzero()[0] if wanted is not None else np.arange(stems.size)
        which, segment = stems[at], np.array(ends, np.intp).searchsorted(at, side="right")
        self.places, self._numbers = _places(which, segment, vocabulary.stems)
        """Segments in which a wanted stem occurs, ascending."""
        self._unknown = len(vocabulary.stems)
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
        return frozenset[str]().union(*[stretch.reading.numbers for stretch in self._stretches])

    @made_once
    def _values(self) -> list[_Stretch]:
        return [stretch for stretch in self._stretches if stretch.path]

    @made_once
    def flags(self) -> list[Flag]:
        """What a record says to be so, not so or missing."""
        told: list[tuple[records.Path, Truth | None]] = [(one.path, _truth(one)) for one in self._values]
        return [*read_flags([(path[-1], truth) for path, truth in told]), *read_groups(told)]

    @made_once
    def hours(self) -> Hours:
        """The opening hours of the one record that has any; empty when there is none, or more than one.

        A day from 0:00 to 0:00 is how such records write that it is closed, unless all are.
        """
        found: Hours = {}
        for one in self._values:
            span = records.opening(one.value)
            day = LEXICON.days.get(one.path[-1].lower())
            if span is None or day is None:
                continue
            if day in found:
                return {}
            found[day] = span
        return {day: span for day, span in found.items() if any(span)} or found

    def linked(self, stems: Sequence[str]) -> list[bool]:
        """Whether each of `stems`, all of them wanted, stands right before the next one somewhere."""
        pairs, size = self._pairs, self._unknown + 1
        numbers = map(self._numbers.get, stems, repeat(self._unknown))
        return [one * size + other in pairs for one, other in pairwise(numbers)]

    def passages_of(self, stem: str) -> tuple[int, ...]:
        """The passages in which a wanted stem occurs, ascending."""
        found = self._passages.get(stem)
        if found is None:
            held = map(self.passage_of.__getitem__, self.places.get(stem, ()))
            found = self._passages[stem] = tuple(dict.fromkeys(held))
        return found

    def said(self) -> tuple[list[int], list[str]]:
        """Of each segment the place of its passage, and its text, or a record's value with its path."""
        texts: list[str] = []
        for one in self._stretches:
            if one.path:
                texts.append(f"{one.path} {one.value}")
            else:
                text = one.text
                texts += [text[span[0] : span[1]] for span in one.reading.spans if span]
        return self.passage_of, texts

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
    def _named(self) -> dict[str, list[tuple[int, _Stretch]]]:
        """By the name of the passage its texts of sentences whose place is known, each after its first segment."""
        found: dict[str, list[tuple[int, _Stretch]]] = defaultdict(list)
        first = 0
        for stretch in self._stretches:
            if stretch.offset is not None and not stretch.path:
                found[self.names[stretch.passage]].append((first, stretch))
            first += len(stretch.reading)
        return found


def _places(
    which: Numbers, segment: NDArray[np.intp], names: Sequence[str]
) -> tuple[dict[str, list[int]], dict[str, int]]:
    """For each stem the segments that hold it, and its number: `which` stems stand where, in which `segment`."""
    order = which.argsort(kind="stable")
    which, segment = which[order], segment[order]
    other = np.concatenate(([True], which[1:] != which[:-1]))[: which.size]
    new = other.copy()
    new[1:] |= segment[1:] != segment[:-1]
    begins = other[new].nonzero()[0]
    found: list[int] = which[other].tolist()
    held: list[int] = segment[new].tolist()
    said = [names[stem] for stem in found]
    stretches = zip(said, pairwise([*begins.tolist(), len(held)]), strict=True)
    return {stem: held[first:last] for stem, (first, last) in stretches}, dict(zip(said, found, strict=True))


def _pairs(which: Numbers, segment: NDArray[np.intp], at: NDArray[np.intp], size: int) -> frozenset[int]:
    """The stems side by side in one segment, each pair as a number: `size` times the first's, and the other's.

    `which` stems stand where `at`, in which `segment`; `size` is more than any number.

    A stem twice in a row counts beside another one only: so the models were fitted.
    """
    together = segment[1:] == segment[:-1]
    beside = ((at[1:] == at[:-1] + 1) & together).nonzero()[0]
    one, other = which[beside].astype(np.int64), which[beside + 1]
    keys, twice = one * size + other, one == other
    if not twice.any():
        return frozenset(keys.tolist())
    mixed: list[int] = segment[1:][together & (which[1:] != which[:-1])].tolist()
    others = {*mixed}
    alike: list[tuple[int, int]] = list(
        zip(keys[twice].tolist(), segment[beside[twice]].tolist(), strict=True)
    )
    return frozenset(keys[~twice].tolist()).union([key for key, where in alike if where in others])


def _start(span: Span | None) -> int:
    """Where a sentence begins; -1 for what stands in no text."""
    return span[0] if span else -1


def _truth(value: _Stretch) -> Truth | None:
    if value.absent is not None:
        return value.absent
    return "true" if value.value is True and len(words(value.said)) <= _MOST_WORDS_OF_A_FLAG else None


def _read_all(documents: Sequence[Document], vocabulary: Vocabulary) -> tuple[list[_Stretch], bool]:
    """What is read of the passages, and whether that is not all."""
    found: list[_Stretch] = []
    room = _MOST_SEGMENTS
    for stretch in _stretches(documents, vocabulary):
        size = len(stretch.reading)
        if size > room:
            return [*found, stretch._replace(reading=stretch.reading.first(room))], True
        room -= size
        found.append(stretch)
    return found, False


def _stretches(documents: Sequence[Document], vocabulary: Vocabulary) -> Iterator[_Stretch]:
    """What the passages hold; of a long text as many sentences as are read in all, and one more if there is."""
    place = 0
    for group in _together(documents):
        kept = [records.parse(text) for text in group]
        prose = [text for text, record in zip(group, kept, strict=True) if record is None]
        readings = iter(read(prose, _MOST_SEGMENTS, vocabulary))
        for text, record in zip(group, kept, strict=True):
            if record is None:
                yield _Stretch(place, text, next(readings))
            else:
                yield from _of_record(place, text, record, vocabulary)
            place += 1


def read_ahead(texts: Iterable[str]) -> None:
    """Read passages of several records at once, which is quicker, but for what may be data; it is kept for a while."""
    prose = [text for text in dict.fromkeys(texts) if text[:1] not in "{["]
    if prose:
        read(prose, _MOST_SEGMENTS, current())


def _together(documents: Sequence[Document]) -> Iterator[list[str]]:
    """The texts of the passages, in groups that are read at once: not all, for very many are not read at all."""
    group: list[str] = []
    size = 0
    for document in documents:
        group.append(document.text or "")
        size += len(group[-1])
        if size > _CHARACTERS_AT_ONCE:
            yield group
            group, size = [], 0
    if group:
        yield group


def _of_record(place: int, text: str, record: object, vocabulary: Vocabulary) -> Iterator[_Stretch]:
    for path, value in records.leaves(record):
        if isinstance(value, str) and len(value) > _LONGEST_TEXT_VALUE:
            offset = text.find(value)
            reading = read([value], _MOST_SEGMENTS, vocabulary)[0]
            yield _Stretch(place, value, reading, offset if offset >= 0 else None)
        else:
            known = "" if value is True or records.absence(value) else str(value)
            said = f"{records.naming(path)}\n{known}"  # no space: it may part groups of digits
            yield _Stretch(place, text, read_value(said, vocabulary), 0, path, value, said)

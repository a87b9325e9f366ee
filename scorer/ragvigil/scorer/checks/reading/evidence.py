"""Evidence: the passages as segments (sentences, or one value of a record), indexed by their words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import compress, islice, pairwise
from operator import itemgetter

from ragvigil.scorer.checks.reading import records
from ragvigil.scorer.checks.reading.clauses import clauses
from ragvigil.scorer.checks.reading.flags import Flag, Truth, read_flags
from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.passages import name_of
from ragvigil.scorer.checks.reading.sentences import sentences
from ragvigil.scorer.checks.reading.words import Word, denies, values, words
from ragvigil.scorer.trace import Document

_MOST_SEGMENTS = 4000
_NONE = frozenset[str]()
_LONGEST_TEXT_VALUE = 80
_MOST_WORDS_OF_A_FLAG = 8
_LONGEST_KEPT = 4_000
"""Characters of a passage whose words are kept for the next record that holds it: at most 35 MB in all."""

_stem, _content, _numbers = (itemgetter(Word._fields.index(name)) for name in ("stem", "content", "numbers"))

Hours = dict[int, tuple[int, int]]
"""For each day from Monday, 0: minutes after midnight at which it opens and closes; no entry: closed."""


class Sentence:
    """The words of one sentence and what takes longest to tell of them; one for all records that hold its passage.

    What is told is kept in plain attributes, not in cached properties, which lock: there are many sentences, and few
    are looked at.
    """

    __slots__ = ("_denies", "_numbers", "stems", "words")

    def __init__(self, sequence: list[Word]) -> None:
        self._numbers: frozenset[str] | None = None
        self._denies: bool | None = None
        self.words = sequence
        self.stems = list(compress(map(_stem, sequence), map(_content, sequence)))
        """Its meaningful stems, in order."""

    @property
    def numbers(self) -> frozenset[str]:
        """Every value that a number in it may stand for."""
        if self._numbers is None:
            told = values(self.words) if any(map(_numbers, self.words)) else ()
            self._numbers = frozenset([value for readings in told for value in readings]) if told else _NONE
        return self._numbers

    @property
    def denies(self) -> bool:
        """Whether it denies something."""
        if self._denies is None:
            self._denies = denies(self.words)
        return self._denies


class Segment:
    """One sentence of a passage, or one value of a record with the path that leads to it."""

    path: records.Path = ()
    """For a record's value: the names that lead to it."""
    value: object = None
    """For a record's value."""
    offset: int | None = 0
    """Where `text` stands in the passage; None where that is unknown."""
    _content: frozenset[str] | None = None
    _pairs: frozenset[tuple[str, str]] | None = None

    def __init__(
        self, passage: int, sentence: Sentence, text: str, span: tuple[int, int] | None = None
    ) -> None:
        self.passage = passage
        """Place of its passage in the record, from 0."""
        self.sentence = sentence
        self.text = text
        """What it is a part of: the passage, or a long text in a record."""
        self.span = span
        """Where it stands in `text`; None for a record's value."""

    @cached_property
    def absent(self) -> records.Absence | None:
        """For a record's value: whether it is denied or missing."""
        return records.absence(self.value) if self.span is None and self.path else None

    @property
    def negated(self) -> bool:
        """Whether it denies something."""
        return (self.span is None and self.absent is not None) or self.sentence.denies

    @property
    def words(self) -> list[Word]:
        """Its words; nobody changes them."""
        return self.sentence.words

    @property
    def content(self) -> frozenset[str]:
        """Its meaningful stems."""
        if self._content is None:
            self._content = frozenset(self.sentence.stems)
        return self._content

    @property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Neighbouring meaningful stems."""
        if self._pairs is None:
            self._pairs = frozenset(pairwise(self.sentence.stems))
        return self._pairs

    @property
    def numbers(self) -> frozenset[str]:
        """Every value that a number in it may stand for."""
        return self.sentence.numbers

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


class Evidence:
    """All segments of a record, and where each stem occurs."""

    def __init__(self, documents: Sequence[Document], wanted: Collection[str] | None = None) -> None:
        """Index `documents` by those stems in `wanted` only, or by all of them."""
        self.names = tuple(name_of(document) for document in documents)
        self.segments: list[Segment] = list(islice(_all_segments(documents), _MOST_SEGMENTS + 1))
        self.truncated = len(self.segments) > _MOST_SEGMENTS
        """Whether there was more than is read; the rest was left out."""
        del self.segments[_MOST_SEGMENTS:]
        self.places: dict[str, list[int]] = defaultdict(list)
        """Segments in which a wanted stem occurs, ascending."""
        self.pairs: set[tuple[str, str]] = set()
        """Neighbouring meaningful stems, of which at least the wanted."""
        self._passages: dict[str, tuple[int, ...]] = {}
        self._passage_of = [segment.passage for segment in self.segments]
        chosen = None if wanted is None else frozenset(wanted)
        for place, segment in enumerate(self.segments):
            stems = segment.sentence.stems
            found = set(stems) if chosen is None else chosen.intersection(stems)
            for one in found:
                self.places[one].append(place)
            if len(found) > 1:
                self.pairs.update(pairwise(stems))

    @cached_property
    def density(self) -> float:
        """The mean share of the segments that hold one wanted stem, in [0, 1]; 0 where none is held."""
        held = sum(map(len, self.places.values()))
        return held / (len(self.places) * len(self.segments)) if held else 0.0

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Every value that a number may stand for."""
        return frozenset[str]().union(*[segment.numbers for segment in self.segments])

    @cached_property
    def _values(self) -> list[Segment]:
        return [segment for segment in self.segments if segment.path and segment.span is None]

    @cached_property
    def flags(self) -> list[Flag]:
        """What a record says to be so, not so or missing."""
        return read_flags([(segment.path[-1], _truth(segment)) for segment in self._values])

    @cached_property
    def hours(self) -> Hours:
        """The opening hours of the one record that has any; empty when there is none, or more than one.

        A day from 0:00 to 0:00 is how such records write that it is closed, unless all are.
        """
        found: Hours = {}
        for segment in self._values:
            span = records.opening(segment.value)
            day = LEXICON.days.get(segment.path[-1].lower())
            if span is None or day is None:
                continue
            if day in found:
                return {}
            found[day] = span
        return {day: span for day, span in found.items() if any(span)} or found

    def passages_of(self, stem: str) -> tuple[int, ...]:
        """The passages in which a wanted stem occurs, ascending."""
        found = self._passages.get(stem)
        if found is None:
            held = map(self._passage_of.__getitem__, self.places.get(stem, ()))
            found = self._passages[stem] = tuple(dict.fromkeys(held))
        return found

    def around(self, place: int) -> frozenset[str]:
        """The meaningful stems of a segment and its two neighbours in the same passage."""
        passage = self.segments[place].passage
        near = self.segments[max(0, place - 1) : place + 2]
        return frozenset[str]().union(*(segment.content for segment in near if segment.passage == passage))


def _truth(segment: Segment) -> Truth | None:
    if segment.absent is not None:
        return segment.absent
    return "true" if segment.value is True and len(segment.words) <= _MOST_WORDS_OF_A_FLAG else None


def _all_segments(documents: Sequence[Document]) -> Iterator[Segment]:
    for place, document in enumerate(documents):
        text = document.text or ""
        record = records.parse(text)
        if record is None:
            yield from _prose(place, text)
        else:
            for path, value in records.leaves(record):
                yield from _value(place, text, path, value)


def _prose(place: int, text: str) -> Iterable[Segment]:
    if len(text) > _LONGEST_KEPT:
        return (Segment(place, sentence, text, span) for sentence, span in _reading(text))
    return [Segment(place, sentence, text, span) for sentence, span in _read(text)]


def _reading(text: str) -> Iterator[tuple[Sentence, tuple[int, int]]]:
    """The sentences of a passage that have words, and where each stands."""
    for start, end in sentences(text):
        sequence = words(text[start:end])
        if sequence:
            yield Sentence(sequence), (start, end)


@lru_cache(maxsize=1024)
def _read(text: str) -> tuple[tuple[Sentence, tuple[int, int]], ...]:
    """The same, kept: a service retrieves the same passages again and again."""
    return tuple(_reading(text))


def _value(place: int, text: str, path: records.Path, value: object) -> Iterator[Segment]:
    if isinstance(value, str) and len(value) > _LONGEST_TEXT_VALUE:
        offset = text.find(value)
        for segment in _prose(place, value):
            segment.offset = offset if offset >= 0 else None
            yield segment
        return
    said = [] if value is True or records.absence(value) else words(str(value))
    segment = Segment(place, Sentence(words(records.naming(path)) + said), text)
    segment.path, segment.value = path, value
    yield segment

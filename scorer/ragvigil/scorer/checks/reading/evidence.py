"""Evidence: the passages as segments (sentences, or one value of a record), indexed by their words."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import islice, pairwise
from typing import Literal, NamedTuple, cast

from ragvigil.scorer.checks.reading.clauses import clauses
from ragvigil.scorer.checks.reading.passages import name_of
from ragvigil.scorer.checks.reading.sentences import sentences
from ragvigil.scorer.checks.reading.words import Word, denies, values, words
from ragvigil.scorer.trace import Document

_MOST_SEGMENTS = 4000
_LONGEST_TEXT_VALUE = 80
_LONGEST_RECORD = 400_000
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|_")
_DENIALS = frozenset({"false", "no", "none"})
_MISSING = frozenset({"null", "n/a", ""})


class Segment(NamedTuple):
    """One sentence of a passage, or one value of a record with the path that leads to it."""

    passage: int
    """Place of its passage in the record, from 0."""
    words: list[Word]
    key: frozenset[str] = frozenset()
    """For a record's value: the words that name it."""
    absent: Literal["false", "null"] | None = None
    """For a record's value: whether it is denied or missing."""
    text: str = ""
    """As it stands, for prose."""

    @property
    def negated(self) -> bool:
        """Whether it denies something."""
        return self.absent is not None or denies(self.words)

    def denies_of(self, stems: Collection[str]) -> bool:
        """Whether it denies in the clause that holds most of `stems`; another clause may deny something else."""
        if self.absent is not None or not self.negated:
            return self.negated
        parts = [words(self.text[first:last]) for first, last in clauses(self.text, 0, len(self.text), 2)]
        sizes = [(sum(word.stem in stems for word in part if word.content), denies(part)) for part in parts]
        return max(sizes)[1] if len(sizes) > 1 else self.negated

    @property
    def content(self) -> frozenset[str]:
        """Its meaningful stems."""
        return frozenset(word.stem for word in self.words if word.content)

    @property
    def numbers(self) -> frozenset[str]:
        """Every value that a number in it may stand for."""
        return frozenset(value for readings in values(self.words) for value in readings)


class Evidence:
    """All segments of a record, and where each stem occurs."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.names = tuple(name_of(document) for document in documents)
        self.segments: list[Segment] = list(islice(_all_segments(documents), _MOST_SEGMENTS + 1))
        self.truncated = len(self.segments) > _MOST_SEGMENTS
        """Whether there was more than is read; the rest was left out."""
        del self.segments[_MOST_SEGMENTS:]
        self.places: dict[str, list[int]] = defaultdict(list)
        """Segments in which a meaningful stem occurs, ascending."""
        self.pairs: set[tuple[str, str]] = set()
        """Neighbouring meaningful stems."""
        self.numbers: set[str] = set()
        """Every value that a number may stand for."""
        for place, segment in enumerate(self.segments):
            self._index(place, segment)
        self.absences = self._absences()
        """Names of a record's values that are false or missing, without the words that many names share."""

    def _index(self, place: int, segment: Segment) -> None:
        content = [word.stem for word in segment.words if word.content]
        for stem in set(content):
            self.places[stem].append(place)
        self.pairs.update(pairwise(content))
        if [word for word in segment.words if word.numbers]:
            self.numbers.update(segment.numbers)

    def _absences(self) -> list[tuple[frozenset[str], str]]:
        absent = [segment for segment in self.segments if segment.absent]
        if not absent:
            return []
        uses = Counter(stem for segment in self.segments for stem in segment.key)
        names = [
            (frozenset(stem for stem in segment.key if uses[stem] < 3), segment.absent) for segment in absent
        ]
        return [(name, str(kind)) for name, kind in names if name]


def _all_segments(documents: Sequence[Document]) -> Iterator[Segment]:
    for place, document in enumerate(documents):
        yield from _segments(place, document.text or "")


def _segments(place: int, text: str) -> Iterator[Segment]:
    record = _record(text)
    if record is None:
        yield from _prose(place, text)
        return
    for path, value in _leaves(record, ()):
        yield from _value(place, path, value)


def _prose(place: int, text: str) -> Iterator[Segment]:
    for start, end in sentences(text):
        sentence = text[start:end]
        sequence = words(sentence)
        if sequence:
            yield Segment(place, sequence, text=sentence)


def _record(text: str) -> object | None:
    """The JSON object or array that a passage may be."""
    if text[:1] not in "{[" or len(text) > _LONGEST_RECORD:
        return None
    try:
        loaded: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return loaded


def _leaves(node: object, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], object]]:
    """Every value with its path; iterative, for nesting may be as deep as the parser allows."""
    stack: list[tuple[tuple[str, ...], object]] = [(path, node)]
    while stack:
        path, node = stack.pop()
        if isinstance(node, dict):
            members = cast("dict[str, object]", node)
            stack += [((*path, key), members[key]) for key in reversed(members)]
        elif isinstance(node, list):
            stack += [(path, item) for item in reversed(cast("list[object]", node))]
        else:
            yield path, node


def _value(place: int, path: tuple[str, ...], value: object) -> Iterator[Segment]:
    if isinstance(value, str) and len(value) > _LONGEST_TEXT_VALUE:
        yield from _prose(place, value)
        return
    absent = _absence(value)
    path_words = words(_CAMEL.sub(" ", " ".join(path[-3:])))
    key = frozenset(word.stem for word in words(_CAMEL.sub(" ", "".join(path[-1:]))) if word.content)
    said = [] if absent or value is True else words(str(value))
    yield Segment(place, path_words + said, key, absent)


def _absence(value: object) -> Literal["false", "null"] | None:
    lowered = value.strip().lower() if isinstance(value, str) else value
    if lowered is False or lowered in _DENIALS:
        return "false"
    return "null" if lowered is None or lowered in _MISSING else None

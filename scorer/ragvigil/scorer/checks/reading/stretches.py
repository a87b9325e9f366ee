"""Stretches: the passages as they are read, each text or each short value of a record by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from ragvigil.scorer.checks.reading import records
from ragvigil.scorer.checks.reading.prose import Reading, read, read_values
from ragvigil.scorer.checks.reading.vocabulary import Vocabulary, current
from ragvigil.scorer.trace import Document

_MOST_SEGMENTS = 4000
_CHARACTERS_AT_ONCE = 32_000
_LONGEST_TEXT_VALUE = 80
_VALUES_AT_ONCE = 256
"""Of a record, of which not all may be read."""


class Stretch(NamedTuple):
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


def read_all(documents: Sequence[Document], vocabulary: Vocabulary) -> tuple[list[Stretch], bool]:
    """What is read of the passages, and whether that is not all."""
    found: list[Stretch] = []
    room = _MOST_SEGMENTS
    for stretch in _stretches(documents, vocabulary):
        size = len(stretch.reading)
        if size > room:
            return [*found, stretch._replace(reading=stretch.reading.first(room))], True
        room -= size
        found.append(stretch)
    return found, False


def _stretches(documents: Sequence[Document], vocabulary: Vocabulary) -> Iterator[Stretch]:
    """What the passages hold; of a long text as many sentences as are read in all, and one more if there is."""
    place = 0
    for group in _together(documents):
        kept = [records.parse(text) for text in group]
        prose = [text for text, record in zip(group, kept, strict=True) if record is None]
        readings = iter(read(prose, _MOST_SEGMENTS, vocabulary))
        for text, record in zip(group, kept, strict=True):
            if record is None:
                yield Stretch(place, text, next(readings))
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


def _of_record(place: int, text: str, record: object, vocabulary: Vocabulary) -> Iterator[Stretch]:
    leaves = records.leaves(record)
    while some := list(islice(leaves, _VALUES_AT_ONCE)):
        said = [None if _is_text(value) else _in_words(path, value) for path, value in some]
        short = iter(read_values([one for one in said if one is not None], vocabulary))
        for (path, value), one in zip(some, said, strict=True):
            if one is None:
                yield _of_text(place, text, str(value), vocabulary)
            else:
                yield Stretch(place, text, next(short), 0, path, value, one)


def _of_text(place: int, text: str, value: str, vocabulary: Vocabulary) -> Stretch:
    """The sentences of a long text in the record `text`."""
    offset = text.find(value)
    reading = read([value], _MOST_SEGMENTS, vocabulary)[0]
    return Stretch(place, value, reading, offset if offset >= 0 else None)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) > _LONGEST_TEXT_VALUE


def _in_words(path: records.Path, value: object) -> str:
    """A short value behind its names."""
    known = "" if value is True or records.absence(value) else str(value)
    return f"{records.naming(path)}\n{known}"  # no space: it may part groups of digits

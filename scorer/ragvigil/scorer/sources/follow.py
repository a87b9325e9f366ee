"""Files that grow, followed: what a Collector's file exporter writes, rotates and compresses.

A torn last line waits for its rest. A file is known by its number, so a renamed one is gone on with; one that
was cut or written anew is read from its beginning: its first bytes or the last that were there have changed. Between
two looks no file is kept open; of a few compressed ones the decompressor is, so that a file that grows is undone once
and not at every look.
"""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from ragvigil.scorer.sources.cut import Record
from ragvigil.scorer.sources.files import OtlpFile, encoding_of, place_of, signal_of
from ragvigil.scorer.sources.positions import Position, Positions
from ragvigil.scorer.sources.source import Batch

_RECORDS = 64
_BYTES = 8 * 2**20
_HEAD = 256
_TAIL = 4096
"""Every export of one service may begin with the same resource: only what stands further on tells two of them apart."""
_UNSETTLED = -1
_MOST_PAUSED = 8
"""Compressed files that are gone on with in memory; a zstd window may be some megabytes."""


class FollowedFiles:
    """Yields what is new in files, folders and patterns; of a single file also what it was rotated to."""

    name = "files"

    def __init__(self, places: Sequence[str], positions: Positions, *, max_bytes: int) -> None:
        self._places = tuple(places)
        self._positions = positions
        self._max_bytes = max_bytes
        self._reading: Iterator[Batch] | None = None
        self._changed = False
        self._paused: dict[str, tuple[OtlpFile, int]] = {}

    def batches(self) -> Sequence[Batch]:
        """The next records; [] when every file is read to its end."""
        self._reading = self._reading or self._all()
        found, size = list[Batch](), 0
        for batch in islice(self._reading, _RECORDS):
            found.append(batch)
            size += len(batch.body)
            if size >= _BYTES:
                return found
        if len(found) < _RECORDS:
            self._reading = None
        return found

    def ack(self) -> None:
        """What was yielded is durable."""
        if self._changed:
            self._positions.save()
            self._changed = False

    def _all(self) -> Iterator[Batch]:
        for path in sorted(self._paths(), key=_age):
            try:
                yield from self._new_in(path)
            except FileNotFoundError:
                continue  # rotated away under our eyes: the next look finds it under its new name
            except OSError as error:
                yield Batch(str(path), b"", problem=error.strerror or "cannot be read")

    def _paths(self) -> set[Path]:
        found: set[Path] = set()
        for place in self._places:
            path = Path(place)
            if path.is_dir():
                found.update(path.iterdir())
            elif glob.has_magic(place):
                found.update(map(Path, glob.iglob(place, recursive=True)))  # noqa: PTH207 - Path.glob takes no absolute pattern
            else:
                found.add(path)
                found.update(self._rotated(path))
        return {path for path in found if path.is_file() and not path.name.startswith(".")}

    def _rotated(self, path: Path) -> Iterator[Path]:
        """Files that were `path` before: named for it, and known."""
        for other in path.parent.glob(f"{glob.escape(path.stem)}-*{glob.escape(path.suffix)}"):
            status = _status(other)
            if status is not None and self._positions.get(_identity(status)) is not None:
                yield other

    def _new_in(self, path: Path) -> Iterator[Batch]:
        status = path.stat()
        identity = _identity(status)
        known = self._positions.get(identity)
        if known is not None and (known.size, known.changed) == (status.st_size, status.st_mtime_ns):
            return
        file, read = self._paused.pop(identity, (None, 0))
        if known is None or not _same(path, known, status.st_size) or read > status.st_size:
            known = file = None
        settled = known is not None and known.size == status.st_size and known.changed == _UNSETTLED
        base = _looked_at(path, status.st_size)
        if file is None:
            file = OtlpFile(path, max_bytes=self._max_bytes, after=known.place if known else None)
        else:
            file.resume(path, read)
        with file:
            for record in file.rest() if settled and _is_whole(file, known) else file.records():
                batch = _batch(path, file, record)
                self._remember(identity, file, base)
                yield batch
            whole = _is_whole(file, known) and file.waiting
            done = replace(base, size=status.st_size, changed=_UNSETTLED if whole else status.st_mtime_ns)
            self._remember(identity, file, done)
            if file.resumable:
                self._paused[identity] = file, file.pause()
                while len(self._paused) > _MOST_PAUSED:
                    del self._paused[next(iter(self._paused))]

    def _remember(self, identity: str, file: OtlpFile, base: Position) -> None:
        place = file.place
        if place is not None:
            base = replace(base, framing=place.framing, number=place.number, end=place.end)
        if self._positions.get(identity) != base:
            self._positions.put(identity, base)
            self._changed = True


def _batch(path: Path, file: OtlpFile, record: Record) -> Batch:
    framing = file.place.framing if file.place else None
    where = place_of(path, record, framing)
    if record.problem is not None:
        return Batch(where, b"", problem=record.problem)
    return Batch(where, record.body, signal_of(path, record.body), encoding_of(record.body, framing))


def _is_whole(file: OtlpFile, known: Position | None) -> bool:
    """One message over the whole file: complete when the file has not changed between two looks."""
    place = file.place
    framing = place.framing if place else known.framing if known else None
    return framing == "whole"


def _looked_at(path: Path, size: int) -> Position:
    """The beginning of a file that has so many bytes, and what it is known by."""
    head_size = min(_HEAD, size)
    head, tail = _digest(path, 0, head_size), _tail(path, size)
    return Position(None, 0, 0, 0, _UNSETTLED, head, head_size, tail, size)


def _same(path: Path, known: Position, size: int) -> bool:
    """Whether the file has only grown since."""
    if size < max(known.size, known.head_size, known.tail_end):
        return False
    if _digest(path, 0, known.head_size) != known.head:
        return False
    return not known.tail or _tail(path, known.tail_end) == known.tail


def _tail(path: Path, end: int) -> str:
    return _digest(path, max(0, end - _TAIL), end)


def _digest(path: Path, start: int, end: int) -> str:
    with path.open("rb") as file:
        file.seek(start)
        return hashlib.sha256(file.read(end - start)).hexdigest()[:16]


def _identity(status: os.stat_result) -> str:
    return f"{status.st_dev}:{status.st_ino}"


def _status(path: Path) -> os.stat_result | None:
    """None for a file that was deleted since the folder was listed."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _age(path: Path) -> tuple[int, str]:
    try:
        return path.stat().st_mtime_ns, str(path)
    except FileNotFoundError:
        return 0, str(path)

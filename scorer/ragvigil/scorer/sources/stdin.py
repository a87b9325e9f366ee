"""Standard input as a source: whatever another program writes to it, until it ends."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import IO

from ragvigil.scorer.sources.cut import Record
from ragvigil.scorer.sources.files import OtlpFile, encoding_of, place_of, signal_of
from ragvigil.scorer.sources.source import Batch

_RECORDS = 64


class StandardInput:
    """Yields what has come by now. Nobody can ask for it again: what was not acked before a crash is gone."""

    name = "stdin"

    def __init__(self, stream: IO[bytes] | None = None, *, max_bytes: int) -> None:
        self._stream = stream or os.fdopen(os.dup(sys.stdin.fileno()), "rb", buffering=0)
        self._file = OtlpFile(self._stream, max_bytes=max_bytes)
        self._reading: Iterator[Record] = iter(())
        self._ended = False

    def batches(self) -> Sequence[Batch]:
        """The next records; [] when nothing has come."""
        found = list(islice(self._reading, _RECORDS))
        if not found and not self._ended and select.select([self._stream], [], [], 0)[0]:
            self._reading = self._file.once()
            found = list(islice(self._reading, _RECORDS))
            if not found and self._file.ended:
                self._ended = True
                found = list(self._file.rest())
        return [self._batch(record) for record in found]

    def ack(self) -> None:
        """There is no position to keep."""

    def _batch(self, record: Record) -> Batch:
        path = Path("standard input")
        framing = self._file.place.framing if self._file.place else None
        where = place_of(path, record, framing)
        if record.problem is not None:
            return Batch(where, b"", problem=record.problem)
        return Batch(where, record.body, signal_of(path, record.body), encoding_of(record.body, framing))

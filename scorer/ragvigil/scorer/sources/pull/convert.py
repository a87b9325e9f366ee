"""Export files of a backend as OTLP/JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.sources.cut import Record
from ragvigil.scorer.sources.files import OtlpFile, place_of
from ragvigil.scorer.sources.pull.history import History, Wanted
from ragvigil.scorer.sources.pull.lines import Pulled, is_stream, refuse_to_overwrite, write, written_to

_LARGEST = 2**30


def convert(history: History, paths: Sequence[Path], wanted: Wanted, out: IO[bytes]) -> Pulled:
    """Write the traces of export files as OTLP/JSON lines. Raises InputError that names file and line."""
    pulled = Pulled()
    for path in paths:
        for place, content in _values(path):
            requests = history.exported(content, wanted)
            if not requests:
                raise InputError(place, f"holds no trace; is it an export of {history.name}?")
            write(requests, out, pulled)
    return pulled


def convert_to_file(history: History, paths: Sequence[Path], wanted: Wanted, out: Path) -> Pulled:
    """Write the traces of export files into a file, whole or not at all; into a pipe or device as they come.

    Raises InputError.
    """
    if is_stream(out):
        with written_to(out), out.open("wb") as lines:
            return convert(history, paths, wanted, lines)
    refuse_to_overwrite(out)
    out = out.resolve()  # where a link leads to
    with written_to(out), NamedTemporaryFile(dir=out.parent, prefix=f"{out.name}.", delete=False) as made:
        draft = Path(made.name)
    try:
        with written_to(out), draft.open("wb") as lines:
            pulled = convert(history, paths, wanted, lines)
        draft.replace(out)
    finally:
        draft.unlink(missing_ok=True)
    return pulled


def _values(path: Path) -> Iterator[tuple[str, object]]:
    """Every JSON value of a file: one a line, or one over all lines, compressed or not."""
    try:
        with OtlpFile(path, max_bytes=_LARGEST) as file:
            for record in file.rest():
                place = place_of(path, record, file.place.framing if file.place else None)
                yield place, _value(place, record)
    except OSError as error:
        raise InputError(str(path), error.strerror or "cannot be read") from None


def _value(place: str, record: Record) -> object:
    try:
        value: object = json.loads(record.body) if record.problem is None else None
    except (ValueError, RecursionError) as error:
        raise InputError(place, f"not JSON: {error}") from None
    if record.problem is not None:
        raise InputError(place, record.problem)
    return value

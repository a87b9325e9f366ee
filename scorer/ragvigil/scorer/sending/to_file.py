"""Rows of scores as JSON lines or Parquet, in one pass and in bounded memory."""

from __future__ import annotations

import json
import sys
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.store.reading_export import ScoreRow

INSTALL = "pyarrow is not installed; run: pip install 'ragvigil[parquet]'"
_GROUP = 50_000
"""Rows of one Parquet row group, which is what is held in memory."""
_MOMENTS = ("started_at", "scored_at")
_FIRST_OF_SCORE = ScoreRow._fields.index("score")
_OF_SCORE = ScoreRow._fields[_FIRST_OF_SCORE:]
"""Columns that tell of a score; those before them tell of its record."""
_encoded = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_TYPES = {
    "record_id": "int64",
    "record_version": "int64",
    "inclusion": "float64",
    "upstream_probability": "float64",
    "value": "float64",
    "current": "bool_",
}
"""Arrow types by column; moments are UTC timestamps, everything else is text."""


@contextmanager
def writing(place: str) -> Generator[BinaryIO]:
    """The file, put in place only when it is whole; ``-`` is standard output."""
    if place == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(place)
    draft = path.with_name(f"{path.name}.part")
    try:
        with draft.open("wb") as file:
            yield file
        draft.replace(path)
    except OSError as error:
        raise ConfigError("--out", f"{path} cannot be written: {error.strerror}") from None
    finally:
        draft.unlink(missing_ok=True)


def write_lines(rows: Iterable[ScoreRow], file: BinaryIO) -> int:
    """One JSON object a line, moments in RFC 3339, the segment as an object; how many there were."""
    count, record, begin = 0, -1, ""
    for row in rows:
        count += 1
        if row.record_id != record:  # dozens of scores are of one, and say the same of it
            record, begin = row.record_id, _of_record(row)
        told = dict(zip(_OF_SCORE, row[_FIRST_OF_SCORE:], strict=True))
        told["scored_at"] = _rfc3339(row.scored_at)
        file.write(f"{begin}, {_encoded(told)[1:]}\n".encode())
    return count


def _of_record(row: ScoreRow) -> str:
    """The begin of the line of each score of its record, without what ends it."""
    told: dict[str, Any] = dict(zip(ScoreRow._fields, row[:_FIRST_OF_SCORE], strict=False))
    told |= {"segment": json.loads(row.segment), "started_at": _rfc3339(row.started_at)}
    return _encoded(told)[:-1]


def write_parquet(rows: Iterable[ScoreRow], file: BinaryIO) -> int:
    """One row group for each 50,000 rows; how many rows there were. Raises ImportError without pyarrow."""
    arrow, parquet = arrow_modules()
    moment = arrow.timestamp("ns", tz="UTC")
    schema = arrow.schema(
        [
            (name, moment if name in _MOMENTS else getattr(arrow, _TYPES.get(name, "string"))())
            for name in ScoreRow._fields
        ]
    )
    count = 0
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for group in _groups(rows):
            columns = [
                arrow.array(column, field.type)
                for column, field in zip(zip(*group, strict=True), schema, strict=True)
            ]
            writer.write_table(arrow.table(columns, schema=schema))
            count += len(group)
    return count


def arrow_modules() -> tuple[Any, Any]:
    """pyarrow and pyarrow.parquet. Raises ImportError that says how to install them."""
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise ImportError(INSTALL) from None


def _groups(rows: Iterable[ScoreRow]) -> Iterator[list[ScoreRow]]:
    group: list[ScoreRow] = []
    for row in rows:
        group.append(row)
        if len(group) == _GROUP:
            yield group
            group = []
    if group:
        yield group


def _rfc3339(nanoseconds: int) -> str:
    seconds, rest = divmod(nanoseconds, 10**9)
    return f"{_second(seconds)}.{rest:09d}Z"


@lru_cache
def _second(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"

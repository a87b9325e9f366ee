"""What is pulled or converted, as OTLP/JSON lines in a file or a stream."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.sources.pull.otlp import span_count


@dataclass(slots=True)
class Pulled:
    """What a pull brought, over all its interruptions."""

    requests: int = 0
    spans: int = 0
    window: tuple[int, int] | None = None
    """Of a pull that went on: the stretch that was asked for at first, Unix nanoseconds."""
    without_spans: int = 0
    """Traces that the backend lists and of which no span could be had."""


def write(requests: Iterable[dict[str, object]], out: IO[bytes], pulled: Pulled) -> None:
    """Write the requests, a line each, and count them."""
    for request in requests:
        out.write(_json(request).encode("utf-8", "replace") + b"\n")
        pulled.requests += 1
        pulled.spans += span_count(request)


def is_stream(path: Path) -> bool:
    """Whether it is a pipe or device, which takes what comes and keeps no position. Raises InputError for a folder."""
    if path.is_dir():
        raise InputError(str(path), "is a folder; name a file in it")
    return path.exists() and not path.is_file()


def refuse_to_overwrite(path: Path) -> None:
    """It may be the export itself. Raises InputError."""
    if path.exists() and path.stat().st_size:
        raise InputError(str(path), "exists already; name another file")


@contextmanager
def written_to(path: Path) -> Generator[None]:
    """A disk that takes no more is said of the file. Raises InputError."""
    try:
        yield
    except OSError as error:
        raise InputError(str(path), f"cannot be written: {(error.strerror or str(error)).lower()}") from None


def _json(value: object) -> str:
    """As JSON, which knows no NaN and no infinity: those become texts, as OTLP has them."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=False)


def _finite(value: object) -> object:
    """The value with a text for every number that is none.

    >>> _finite({"a": [float("nan"), 1.5]})
    {'a': ['nan', 1.5]}
    """
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in cast("dict[str, object]", value).items()}
    if isinstance(value, list):
        return [_finite(one) for one in cast("list[object]", value)]
    if isinstance(value, float) and not abs(value) < float("inf"):
        return str(value)
    return value

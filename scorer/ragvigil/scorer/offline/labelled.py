"""Labelled sets: folders of JSON lines, plain or gzip, one labelled answer a line."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.offline.rows import parse_row, record_of
from ragvigil.scorer.trace import RagTrace

_ENDINGS = (".jsonl", ".jsonl.gz")
_TUNED_ON = frozenset({"dev", "train", "validation"})
_MOST_BYTES = 2**30


@dataclass(frozen=True, slots=True)
class Labelled:
    """One answer with what people said of it."""

    record: RagTrace
    names: tuple[str, ...]
    """Of the lines of the report that it enters: its set, set/task, set/subset."""
    group: str
    """Its source; rows of one source are drawn together."""
    tuning: bool
    """Whether thresholds may be chosen on it."""
    supported: bool | None
    """Whether people found it fully supported; None where nobody said, or there is no evidence."""
    spans: tuple[tuple[int, int], ...] | None
    """Offsets in the answer that the evidence does not carry; None where nobody marked any in the set."""
    refusal: bool | None
    """Whether people took it for a refusal; None where nobody said."""


def sets_in(folder: Path) -> list[Path]:
    """The files of a folder, by name; InputError where there is none."""
    try:
        found = sorted(path for path in folder.iterdir() if path.name.endswith(_ENDINGS))
    except OSError as error:
        raise InputError(str(folder), error.strerror or "cannot be read") from error
    if not found:
        raise InputError(str(folder), "holds no .jsonl or .jsonl.gz")
    return found


def labelled(path: Path) -> Iterator[Labelled]:
    """The rows of one file; InputError names the file and the line.

    A row has id, query, evidence, answer and label (1: fully supported), and may have dataset, task, subset, group,
    split, unsupported_spans and refusal. Without group each query is a source; without split all rows are tuned on.
    """
    name = path.name.partition(".")[0]
    rows = [*_rows(path)]
    marked = any(row.get("unsupported_spans") for _, row in rows)
    for number, row in rows:
        if isinstance(row.get("answer"), str) and row["answer"]:
            yield _labelled(row, number, name, path, marked=marked)


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, object]]]:
    read = gzip.open if path.suffix == ".gz" else open
    try:
        with read(path, "rt", encoding="utf-8") as lines:
            size = 0
            for number, line in enumerate(lines, 1):
                size += len(line)
                if size > _MOST_BYTES:
                    raise InputError(str(path), "is larger than 1 GiB; split it")
                if line.strip():
                    yield number, parse_row(line, number)
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(str(path), str(error)) from error


def _labelled(row: Mapping[str, object], number: int, name: str, path: Path, *, marked: bool) -> Labelled:
    try:
        record = record_of(row, number)
    except InputError as error:
        raise InputError(f"{path}, {error}", "cannot be read") from None
    label, refusal, spans = row.get("label"), row.get("refusal"), row.get("unsupported_spans")
    known = label in (0, 1) and any(document.text for document in record.documents)
    dataset = str(row.get("dataset") or name)
    parts = dict.fromkeys(str(row[key]) for key in ("task", "subset") if row.get(key))
    return Labelled(
        record,
        (dataset, *(f"{dataset}/{part}" for part in parts)),
        f"{dataset}/{row.get('group') or row.get('query') or row.get('id') or number}",
        row.get("split") in _TUNED_ON or row.get("split") is None,
        bool(label) if known else None,
        _spans(spans) if marked and known else None,
        refusal if isinstance(refusal, bool) else None,
    )


def _spans(value: object) -> tuple[tuple[int, int], ...]:
    pairs = cast("list[list[int]]", value) if isinstance(value, list) else []
    return tuple((int(pair[0]), int(pair[1])) for pair in pairs if len(pair) == 2)

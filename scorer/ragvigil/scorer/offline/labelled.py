"""Labelled sets: folders of JSON lines, plain or gzip, one labelled answer a line."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.offline.rows import naming, parse_row, record_of
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
    """Whether people found it fully supported; None where nobody said, or there is no answer or no evidence."""
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
    """The rows of one file; InputError names the file, the line, the field, what is wrong, and the fix.

    A row has id, query, evidence, answer and label (1: fully supported, 0: not), and may have dataset, task, subset,
    group, split, unsupported_spans and refusal. Without group each query is a source; without split all rows are
    tuned on. Spans are cut to the answer. Rows without an answer, evidence or label come, too, and measure nothing.
    """
    name = name_of(path)
    rows = [*_rows(path)]
    if not rows:
        raise InputError(str(path), "holds no row; put one JSON object on each line, or take the file away")
    marked = any(row.get("unsupported_spans") for _, row in rows)
    for number, row in rows:
        try:
            yield _labelled(row, number, name, marked=marked)
        except InputError as error:
            raise InputError(f"{path}, {error.place}", error.problem) from None


def name_of(path: Path) -> str:
    """The name of a set, as its file has it.

    >>> name_of(Path("sets/mine.jsonl.gz"))
    'mine'
    """
    return path.name.partition(".")[0]


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, object]]]:
    read = gzip.open if path.suffix == ".gz" else open
    try:
        with read(path, "rt", encoding="utf-8-sig") as lines:
            size = 0
            for number, line in enumerate(lines, 1):
                size += len(line)
                if size > _MOST_BYTES:
                    raise InputError(str(path), "is larger than 1 GiB; split it")
                if line.strip():
                    with naming(path):
                        row = parse_row(line, number)
                    yield number, row
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise InputError(str(path), f"cannot be read: {error}; save it as UTF-8 or gzip") from error


def _labelled(row: Mapping[str, object], number: int, name: str, *, marked: bool) -> Labelled:
    record = record_of(row, number)
    label, refusal, spans = _label(row, number), _refusal(row, number), row.get("unsupported_spans")
    for key in ("dataset", "task", "subset", "group", "split"):
        if isinstance(row.get(key), (list, dict)):
            raise InputError(f"line {number}, {key}", "must be text; put it in quotes")
    answer = record.answer or ""
    told = [*_spans(spans, answer, f"line {number}, unsupported_spans")]
    known = label is not None and bool(answer) and any(document.text for document in record.documents)
    dataset = str(row.get("dataset") or name)
    parts = dict.fromkeys(str(row[key]) for key in ("task", "subset") if row.get(key))
    return Labelled(
        record,
        (dataset, *(f"{dataset}/{part}" for part in parts)),
        f"{dataset}/{row.get('group') or row.get('query') or row.get('id') or number}",
        row.get("split") in _TUNED_ON or row.get("split") is None,
        bool(label) if known else None,
        tuple(told) if marked and known else None,
        refusal,
    )


def _label(row: Mapping[str, object], number: int) -> object:
    label = row.get("label")
    if label is not None and label not in (0, 1):
        raise InputError(
            f"line {number}, label", "must be 1 (fully supported) or 0 (not), or null: nobody said"
        )
    return label


def _refusal(row: Mapping[str, object], number: int) -> bool | None:
    refusal = row.get("refusal")
    if refusal is not None and not isinstance(refusal, bool):
        raise InputError(f"line {number}, refusal", "must be true or false, or null: nobody said")
    return refusal


def _spans(value: object, answer: str, place: str) -> Iterator[tuple[int, int]]:
    """What of each stretch lies within the answer."""
    wanted = "must be a list of [start, end), two whole numbers from 0 in ascending order"
    if value is not None and not isinstance(value, list):
        raise InputError(place, wanted)
    for number, pair in enumerate(cast("list[object]", value or [])):
        ends = cast("list[object]", pair) if isinstance(pair, list) else []
        match ends:
            case [int(start), int(end)] if 0 <= start <= end and not {type(start), type(end)} & {bool}:
                if start < min(end, len(answer)):
                    yield start, min(end, len(answer))
            case _:
                raise InputError(f"{place}[{number}]", wanted)

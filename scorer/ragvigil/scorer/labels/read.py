"""Labels from files: JSON lines or CSV, as `ragvigil calibrate draw --out` writes them, filled in."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from ragvigil.exporters import clean
from ragvigil.scorer.errors import InputError
from ragvigil.scorer.labels.port import Label, labels_for
from ragvigil.scorer.offline.rows import rows_in, text_of

_SYNONYMS: dict[str, Label] = {
    **{name: name for name in labels_for("")},
    "1": "faithful",
    "true": "faithful",
    "yes": "faithful",
    "supported": "faithful",
    "0": "unfaithful",
    "false": "unfaithful",
    "no": "unfaithful",
    "unsupported": "unfaithful",
}
_OF_CRITERION: dict[str, Label] = {
    **{name: name for name in labels_for("any")},
    "1": "pass",
    "true": "pass",
    "yes": "pass",
    "0": "fail",
    "false": "fail",
    "no": "fail",
}
_LONGEST_NAME = 100
_LONGEST_NOTE = 500


@dataclass(frozen=True, slots=True)
class Told:
    """One row of a file."""

    line: int
    trace_id: str
    span_id: str | None
    """None where the trace has one record only."""
    annotator: str
    label: Label
    note: str
    final: bool


def read_labels(path: Path, *, annotator: str | None = None, criterion: str = "") -> tuple[list[Told], int]:
    """The labelled rows of a file, and how many rows have no label yet.

    A file that ends in .csv is CSV with a header (commas, semicolons or tabs), any other is JSON lines. Columns:
    trace_id, span_id (needed where a trace has several records), label, annotator (default: `annotator`), note, final
    (1 where an adjudicator says it); others are ignored. InputError names file, line, column and fix.
    """
    told: list[Told] = []
    empty, labelled = 0, False
    for number, row in _csv(path) if path.suffix.lower() == ".csv" else rows_in(path):
        labelled = labelled or "label" in row
        if not _text(row, "label"):
            empty += 1
            continue
        told.append(_told(f"{path} line {number}", number, row, annotator, criterion))
    if empty and not labelled:
        raise InputError(str(path), "no row has a 'label'; is it what ragvigil calibrate draw --out wrote?")
    return told, empty


def _csv(path: Path) -> Iterator[tuple[int, Mapping[str, object]]]:
    """Spreadsheets of half the world save with semicolons, for their numbers have commas."""
    text = text_of(path)
    header = text.partition("\n")[0]
    delimiter = max(",;\t", key=header.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter)
    try:
        missing = {"trace_id", "label"} - set(reader.fieldnames or ())
        if missing:
            raise InputError(
                f"{path} line 1",
                f"the header lacks {' and '.join(sorted(missing))}; it has {reader.fieldnames}",
            )
        for row in reader:
            yield reader.line_num, cast("dict[str, object]", row)
    except csv.Error as error:
        raise InputError(
            f"{path} line {reader.line_num + 1}", f"is no CSV: {error}; quote it as CSV does"
        ) from None


def _told(place: str, number: int, row: Mapping[str, object], annotator: str | None, criterion: str) -> Told:
    trace_id = _text(row, "trace_id")
    if len(trace_id) != 32 or not set(trace_id) <= set("0123456789abcdef"):
        raise InputError(
            place, f"trace_id {trace_id[:40]!r} is not 32 lower-case hex characters; leave it as drawn"
        )
    said = _text(row, "label").lower()
    known = _OF_CRITERION if criterion else _SYNONYMS
    if said not in known:
        raise InputError(place, f"label {said[:40]!r} is not known; write {', '.join(labels_for(criterion))}")
    name = _text(row, "annotator") or annotator or ""
    if not name or len(name) > _LONGEST_NAME:
        raise InputError(place, "annotator is missing or too long; name who labelled, or give --by NAME")
    final = _text(row, "final").lower()
    if final not in ("", "0", "1", "true", "false"):
        raise InputError(
            place, f"final is {final[:20]!r}; write 1 where an adjudicator says it, else nothing"
        )
    note = clean(_text(row, "note"), limit=_LONGEST_NOTE)
    return Told(
        number, trace_id, _text(row, "span_id") or None, clean(name, limit=_LONGEST_NAME), known[said],
        note, final in ("1", "true"),
    )  # fmt: skip


def _text(row: Mapping[str, object], name: str) -> str:
    value = row.get(name)
    return "" if value is None else str(value).strip()

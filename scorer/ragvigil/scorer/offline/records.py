"""Records from any file that ragvigil reads: recorded traces (OTLP), or rows of an evaluation set."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from ragvigil.scorer.dialects import DIALECTS, Dialect
from ragvigil.scorer.errors import InputError
from ragvigil.scorer.offline.read import read_files
from ragvigil.scorer.offline.rows import naming, parse_row, record_of, row_id
from ragvigil.scorer.trace import RagTrace

_OTLP = frozenset({"resourceSpans", "resource_spans", "resourceLogs", "resource_logs", "scopeSpans", "spans"})
_LOOKED_AT = 64 * 2**20


def records_in(path: Path, dialects: Sequence[Dialect] = DIALECTS) -> list[tuple[str, RagTrace]]:
    """The records of a file with what to call each: its row's id, or its trace id. InputError names the place.

    A file whose first line is a JSON object without anything of OTLP in it holds rows: {id, query, evidence, answer}
    or {question, contexts, answer}.
    """
    lines = _rows(path)
    if lines is None:
        return [(record.trace_id, record) for record in read_files([path], dialects)]
    found: list[tuple[str, RagTrace]] = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            with naming(path):
                row = parse_row(line, number)
                found.append((str(row_id(row, number)), record_of(row, number)))
    return found


def _rows(path: Path) -> list[str] | None:
    """The lines of a file of rows; None for a file of traces."""
    try:
        with path.open("rb") as file:
            start = file.read(_LOOKED_AT)
        first = next((line for line in start.decode("utf-8-sig").splitlines() if line.strip()), "")
        row: object = json.loads(first)
        if not isinstance(row, dict) or not _OTLP.isdisjoint(cast("dict[str, object]", row)):
            return None
        return path.read_text("utf-8-sig").splitlines()
    except OSError as error:
        raise InputError(str(path), error.strerror or "cannot be read") from None
    except ValueError:
        return None

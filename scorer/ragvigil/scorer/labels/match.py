"""From the rows of a file of labels to answers of the store."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.labels.port import Given
from ragvigil.scorer.labels.read import Told
from ragvigil.scorer.store import reading_labels


def matched(
    connection: sqlite3.Connection, path: Path, told: Sequence[Told], criterion: str = ""
) -> list[Given]:
    """The labels with the records that they are about. InputError names file, line and what is wrong.

    A file cannot say what was read, so the label is taken to be of the answer as it stands.
    """
    given: list[Given] = []
    lines: dict[tuple[int, str], int] = {}
    for row in told:
        place = f"{path} line {row.line}"
        found = reading_labels.find(connection, row.trace_id, row.span_id)
        if not found:
            raise InputError(
                place, f"trace_id {row.trace_id} is not in the store; was it drawn from another one?"
            )
        if len(found) > 1:
            spans = ", ".join(span_id for _, span_id, _ in found[:5])
            raise InputError(place, f"span_id is missing, and the trace has several answers: {spans}")
        record_id, _, digest = found[0]
        first = lines.setdefault((record_id, row.annotator), row.line)
        if first != row.line:
            raise InputError(
                place, f"{row.annotator} labels the same answer as in line {first}; leave one out"
            )
        given.append(
            Given(
                record_id,
                digest,
                row.annotator,
                row.label,
                row.note,
                final=row.final,
                source="file",
                criterion=criterion,
            )
        )
    return given

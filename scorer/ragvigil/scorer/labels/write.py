"""Answers to be labelled elsewhere, as JSON lines or CSV: content and empty columns, nothing of the judge."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.labels.desk import Task

_COLUMNS: tuple[str, ...] = (
    "trace_id",
    "span_id",
    "question",
    "passages",
    "answer",
    "label",
    "annotator",
    "note",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_tasks(path: Path, tasks: Sequence[Task]) -> None:
    """Write them: CSV where the name ends in .csv, else JSON lines. Raises InputError."""
    try:
        path.touch(mode=0o600)  # it holds what people asked and were told
        with path.open("w", encoding="utf-8", newline="") as file:
            if path.suffix.lower() != ".csv":
                file.writelines(json.dumps(_row(task), ensure_ascii=False) + "\n" for task in tasks)
                return
            writer = csv.DictWriter(file, _COLUMNS)
            writer.writeheader()
            writer.writerows({name: _cell(value) for name, value in _row(task).items()} for task in tasks)
    except OSError as error:
        raise InputError(str(path), error.strerror or "cannot be written") from None


def _row(task: Task) -> dict[str, object]:
    record = task.record
    passages = [
        {"id": document.id or f"#{rank}", "text": document.text or ""}
        for rank, document in enumerate(record.documents, start=1)
    ]
    values = (record.trace_id, record.span_id, record.query or "", passages, record.answer or "", "", "", "")
    return dict(zip(_COLUMNS, values, strict=True))


def _cell(value: object) -> str:
    """Text that no spreadsheet takes for a formula."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"'{text}" if text.startswith(_FORMULA) else text

"""The file through which the score process tells the receive process what to answer a scrape with."""

from __future__ import annotations

import logging
import os
from pathlib import Path

from ragvigil.scorer.metrics.measures import Measures

_log = logging.getLogger(__name__)

_FILE = "metrics.json"
_MOST_BYTES = 32 * 2**20


def write(folder: Path, measures: Measures) -> None:
    """Put a snapshot in place of the last one, in one step: a reader sees the old or the new. Raises OSError."""
    path = folder / _FILE
    draft = path.with_suffix(".new")
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(measures.to_json())
    draft.replace(path)


def remove(folder: Path) -> None:
    """Take the snapshot away: a scorer that ends in order leaves no trace ids behind."""
    (folder / _FILE).unlink(missing_ok=True)


def read(folder: Path) -> Measures | None:
    """The last snapshot; None when there is none that can be read."""
    path = folder / _FILE
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ValueError("larger than any snapshot")
        return Measures.from_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        _log.warning("%s cannot be read: %s", path.name, error)
        return None

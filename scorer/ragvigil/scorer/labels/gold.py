"""The gold set that `monitor.gold` reads, from labels of production answers."""

from __future__ import annotations

import json
from pathlib import Path

from ragvigil.scorer.labels.book import Book
from ragvigil.scorer.offline.writing import write


def write_gold(path: Path, book: Book) -> int:
    """Write truth, verdict, cheap score and inclusion probability of each labelled item; how many. InputError."""
    frame, truth = book.drawn.frame, book.truth
    rows = [
        {
            "truth": truth[item.record_id],
            "verdict": frame.verdict[item.place],
            "cheap": frame.cheap[item.place],
            "inclusion": item.inclusion * frame.inclusion[item.place],
        }
        for item in book.drawn.items
        if item.record_id in truth and frame.verdict[item.place] >= 0
    ]
    write(path, "".join(json.dumps(row) + "\n" for row in rows))
    return len(rows)

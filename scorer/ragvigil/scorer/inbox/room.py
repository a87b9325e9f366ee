"""How much more fits into an inbox folder, so that its files never outgrow the limit, whatever is on its way."""

from __future__ import annotations

from pathlib import Path

from ragvigil.scorer.inbox.segments import most_bytes

_ROW = 64
"""Bytes of a row beside its payload: trace id, times, lengths."""
_PAGE = 8216
"""A page with its frame in the write-ahead log."""
_PAGES = 4
"""Pages that a commit writes again, however little it adds: the leaf that is being filled and those above it."""
_LOG_AND_TABLE = 2
"""A committed byte may stand both in the write-ahead log and in the table."""
_COMMITS = 2
"""The one that is being written and the one that takes all that waits."""
_NEW_SEGMENT = 96 * 1024
"""A new segment's empty table with its log's index, beside those of the one before."""


class Room:
    """Counts upper bounds; only where they reach the limit is the folder measured, which the reader frees meanwhile."""

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._most = most_bytes(folder)

    def has(self, rows: int, size: int) -> bool:
        """Whether the folder stays within its limit when so many rows that are not committed yet have been."""
        coming = grown(rows, size, _COMMITS) + _NEW_SEGMENT
        if self._most + coming <= self._max_bytes:
            return True
        self._most = most_bytes(self._folder)
        return self._most + coming <= self._max_bytes

    def needed(self, rows: int, size: int) -> int:
        """Bytes of the limit at which these rows fit into an inbox that holds nothing else."""
        return grown(rows, size, _COMMITS) + 2 * _NEW_SEGMENT

    def took(self, rows: int, size: int) -> None:
        """A commit was tried; one that failed may have written as well."""
        self._most += grown(rows, size, 1)

    def began(self) -> None:
        """A new segment was begun."""
        self._most += _NEW_SEGMENT


def grown(rows: int, size: int, commits: int) -> int:
    """Bytes by which the files grow at most for rows with payloads of `size` bytes together.

    >>> grown(1, 0, 1), grown(1000, 14_700_000, 1)
    (65984, 59121728)
    """
    stored = size + _ROW * rows
    air = min(
        stored, 2 * _PAGE * rows
    )  # two rows that share no page fill one together; a long one has two ends
    return _LOG_AND_TABLE * (stored + air + commits * _PAGES * _PAGE)

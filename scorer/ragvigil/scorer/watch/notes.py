"""What the watcher remembers of one service beside the core's state, and how it is saved."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from ragvigil.scorer.watch.segments import Book


@dataclass(slots=True)
class Notes:
    """What is remembered of one service beside the core's state."""

    start: int
    """Start of the batch that comes next or waits for its verdicts, Unix nanoseconds."""
    book: Book
    planned_at: int | None = None
    """When its plan was made; None while it is not over."""
    too_late: int = 0
    """Records that came too late for any batch."""
    labels: str = "none"
    """Where the gold set is from."""
    began: int = 0
    """Start of the first batch: it learns for detect.learning_days from here."""
    canaried_at: int = 0
    """When the frozen verdicts were last judged again."""

    def pull_back(self, start: int, now: int) -> None:
        """Go on at `start`, where a clock that has been set right left this ahead of `now`."""
        self.start, self.planned_at = start, None
        self.began = min(self.began, start)
        self.canaried_at = min(self.canaried_at, now)


_NOTES = TypeAdapter(Notes)


def saved_notes(notes: Notes) -> str:
    """The notes as they are kept."""
    return _NOTES.dump_json(notes).decode()


def restored_notes(saved: str) -> Notes:
    """What was saved; raises ValidationError where this version cannot read it."""
    return _NOTES.validate_json(saved)


def notes_of(saved: str) -> Notes | None:
    """What was saved; None where this version cannot read it."""
    try:
        return restored_notes(saved)
    except ValidationError:
        return None

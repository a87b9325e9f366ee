"""An inbox never outgrows its limit, and takes again once there is room."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scorer.inbox.rows import arrival, numbers, wait_for

from ragvigil.scorer.errors import InboxFull, InboxTooSmall
from ragvigil.scorer.inbox import InboxReader, InboxWriter, Position
from ragvigil.scorer.inbox.segments import bytes_on_disk


def test_a_full_inbox_refuses_and_takes_again_once_there_is_room(tmp_path: Path, reader: InboxReader) -> None:
    """InboxFull names the setting; what was refused leaves no trace; discarding makes room."""
    writer = InboxWriter(tmp_path, max_bytes=1_000_000, segment_bytes=50_000, commit_seconds=0.0001)
    sent, message = fill(writer)
    assert "inbox.max_bytes" in message
    rows = reader.read(limit=10_000)
    assert numbers(rows) == list(range(sent))
    reader.discard(rows[-1].position)

    def takes_again() -> bool:
        try:
            writer.append([arrival(5_000, 5_000)]).result(5)
        except InboxFull:
            return False
        return True

    wait_for(takes_again)
    writer.close()


@pytest.mark.parametrize("size", [10, 500, 4_200, 9_000, 60_000])
def test_the_files_never_outgrow_the_limit(tmp_path: Path, size: int) -> None:
    """Lone small rows fill pages of the log, big ones stand in log and table, a new segment comes beside the old."""
    limit = 2_000_000
    writer = InboxWriter(tmp_path, max_bytes=limit, segment_bytes=300_000, commit_seconds=0.0001)
    measured = [0]
    with pytest.raises(InboxFull):  # noqa: PT012 - which row fills it is not known
        for number in range(4_000):
            crowd = [writer.append([arrival(number, size)]) for _ in range(1 + number % 5)]
            measured.append(bytes_on_disk(tmp_path))
            for each in crowd:
                each.result(5)
            measured.append(bytes_on_disk(tmp_path))
    writer.close()
    assert max(*measured, bytes_on_disk(tmp_path)) <= limit
    assert max(measured) > 0.3 * limit


def test_an_inbox_filled_by_its_open_segment_lets_go_of_it(tmp_path: Path, reader: InboxReader) -> None:
    """The segment would be ended after minutes; what fills the folder ends it as soon as it is full."""
    writer = InboxWriter(tmp_path, max_bytes=1_000_000, commit_seconds=0.0001)
    fill(writer)
    wait_for(lambda: takes_after_discarding(writer, reader, 5_000))
    writer.close()


def test_rows_that_never_fit_are_told_so_and_what_just_fits_is_taken_once_the_inbox_is_empty(
    tmp_path: Path, reader: InboxReader
) -> None:
    """A sender of the first must not come back for ever; one of the second may, and is served in the end."""
    writer = InboxWriter(tmp_path, max_bytes=1_000_000, segment_bytes=50_000, commit_seconds=0.0001)
    with pytest.raises(InboxTooSmall, match=r"may hold 1000000: .*inbox\.max_bytes"):
        writer.append([arrival(1, 400_000)])
    fill(writer)
    with pytest.raises(InboxTooSmall):
        writer.append([arrival(1, 400_000)])
    with pytest.raises(InboxFull):
        writer.append([arrival(1, 310_000)])
    wait_for(lambda: takes_after_discarding(writer, reader, 310_000))
    writer.close()


def takes_after_discarding(writer: InboxWriter, reader: InboxReader, size: int) -> bool:
    """Whether a row of `size` bytes goes in once everything that can be read is discarded."""
    last = reader.read(limit=10_000)[-1].position
    reader.discard(Position(last.segment, last.row + 1))
    try:
        writer.append([arrival(1, size)]).result(5)
    except InboxFull:
        return False
    return True


def fill(writer: InboxWriter) -> tuple[int, str]:
    """How many rows went in before the inbox was full, and what it said then."""
    for number in range(1_000):
        try:
            writer.append([arrival(number, 5_000)]).result(5)
        except InboxFull as full:
            return number, str(full)
    raise AssertionError("it never filled up")

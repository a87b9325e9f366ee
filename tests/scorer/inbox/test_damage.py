"""Segments that are damaged, gone or half made are moved aside and named; what is whole is read."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.scorer.inbox.rows import TRACE, arrival, files, numbers, wait_for

from ragvigil.scorer.errors import DamagedSegmentError, StoreError
from ragvigil.scorer.inbox import Arrival, InboxReader, InboxRow, InboxWriter, Position
from ragvigil.scorer.inbox.segment_log import SegmentLog
from ragvigil.scorer.inbox.segments import create, next_number


def test_a_segment_deleted_under_the_writer_is_not_acked_as_durable(
    tmp_path: Path, reader: InboxReader
) -> None:
    """The sender is told to come back, and the next commit goes to a new segment."""
    writer = InboxWriter(tmp_path, commit_seconds=0.0001)
    writer.append([arrival(1)]).result(5)
    for path in tmp_path.glob("*.db*"):
        path.unlink()
    with pytest.raises(StoreError, match="deleted while in use"):
        writer.append([arrival(2)]).result(5)
    writer.append([arrival(3)]).result(5)
    assert numbers(reader.read()) == [3]
    writer.close()


def test_failures_that_come_and_go_are_told_once_in_a_while(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A full disk, on which small commits succeed between large ones, was two lines every six seconds."""
    with closing(InboxWriter(tmp_path, commit_seconds=0.0001)) as writer:
        for number in range(5):
            writer.append([arrival(number)]).result(5)
            for path in tmp_path.glob("*.db*"):
                path.unlink()
            with pytest.raises(StoreError, match="deleted while in use"):
                writer.append([arrival(number)]).result(5)
        writer.append([arrival(9)]).result(5)
    told = [record.getMessage() for record in caplog.records if "written" in record.getMessage()]
    assert ["again" in one for one in told] == [False, True]


def three_segments(folder: Path) -> list[InboxRow]:
    """The rows of a folder with three finished segments of many rows, and a newest one that is empty."""
    writer = InboxWriter(folder, segment_bytes=200_000, commit_seconds=0.0001)
    for number in range(60):
        writer.append([arrival(number, 10_000)]).result(5)
    wait_for(lambda: len(list(folder.glob("*.db"))) == 4)
    writer.close()
    with closing(InboxReader(folder)) as reader:
        return reader.read(limit=1_000)


def test_a_damaged_segment_is_moved_aside_named_and_counted(
    tmp_path: Path, reader: InboxReader, caplog: pytest.LogCaptureFixture
) -> None:
    """The next ones are read, what could be read of it too, and its number does not come back."""
    rows = three_segments(tmp_path)
    second = files(tmp_path)[1]
    number = int(second.stem)
    content = bytearray(second.read_bytes())
    content[len(content) // 2 :] = b"\xff" * (len(content) - len(content) // 2)
    second.write_bytes(content)
    found = reader.read(limit=1_000)
    sound = [row for row in rows if row.position.segment != number]
    assert [row for row in found if row.position.segment != number] == sound
    assert set(found) < set(rows)
    assert reader.damaged == 1
    assert (tmp_path / f"{number}.db.damaged").exists()
    assert not second.exists()
    assert f"{number}.db is damaged" in caplog.text
    caplog.clear()
    assert reader.read(limit=1_000) == sound
    assert caplog.text == ""


def test_what_is_no_database_at_all_is_moved_aside(tmp_path: Path, reader: InboxReader) -> None:
    """Neither garbage nor an empty file stops the reader."""
    (tmp_path / "0001.db").write_bytes(b"this is not a database, it is a pipe" * 100)
    (tmp_path / "0002.db").write_bytes(b"")
    assert reader.read() == []
    assert reader.damaged == 2


@pytest.mark.parametrize(
    "change", ["kind = CAST(X'ff' AS TEXT)", "trace_id = 'text'", "payload = 5", "payload = NULL"]
)
def test_a_segment_with_a_row_of_wrong_types_is_moved_aside(
    tmp_path: Path, reader: InboxReader, change: str
) -> None:
    """SQLite itself sees nothing wrong with it; what stands before that row is read."""
    three_segments(tmp_path)
    with closing(sqlite3.connect(files(tmp_path)[0])) as segment, segment:
        segment.execute(
            "CREATE TABLE loose (id INTEGER PRIMARY KEY, kind, trace_id, payload, received_at, items)"
        )
        segment.execute("INSERT INTO loose SELECT * FROM rows")
        segment.execute(f"UPDATE loose SET {change} WHERE id = 4")
        segment.execute("DROP TABLE rows")
        segment.execute("ALTER TABLE loose RENAME TO rows")
    found = numbers(reader.read(limit=1_000))
    assert found[:3] == [0, 1, 2]
    assert 3 not in found
    assert found[-1] == 59
    assert reader.damaged == 1


def test_the_number_of_a_damaged_newest_segment_does_not_come_back(
    tmp_path: Path, reader: InboxReader
) -> None:
    """A reader that was past its rows must not take the next segment's rows for those."""
    writer = InboxWriter(tmp_path)
    writer.append([arrival(number) for number in range(5)]).result(5)
    writer.close()
    seen = reader.read()[-1].position
    reader.close()
    files(tmp_path)[0].write_bytes(b"garbage" * 1_000)
    assert reader.read(after=seen) == []
    writer = InboxWriter(tmp_path)
    writer.append([arrival(7)]).result(5)
    assert numbers(reader.read(after=seen)) == [7]
    writer.close()


def test_a_writer_whose_segment_is_moved_aside_takes_another(tmp_path: Path, reader: InboxReader) -> None:
    """The request at hand is refused, the next one is stored where the reader finds it."""
    writer = InboxWriter(tmp_path, commit_seconds=0.0001)
    writer.append([arrival(1)]).result(5)
    (segment,) = files(tmp_path)
    with segment.open("r+b") as file, segment.with_name(f"{segment.name}-wal").open("r+b") as log:
        file.write(b"garbage" * 3_000)
        log.truncate(0)
    assert numbers(reader.read()) == []
    assert reader.damaged == 1

    def stored() -> bool:
        try:
            writer.append([arrival(2)]).result(5)
        except StoreError:
            return False
        return True

    wait_for(stored)
    assert numbers(reader.read()) == [2]
    writer.close()


def test_a_segment_that_cannot_be_opened_now_is_left_where_it_is(tmp_path: Path, reader: InboxReader) -> None:
    """Only damage is moved aside, not what the next attempt may read."""
    writer = InboxWriter(tmp_path)
    writer.append([arrival(1)]).result(5)
    writer.close()
    place = files(tmp_path)[0]
    segment = place.rename(tmp_path / "elsewhere")
    place.mkdir()
    with pytest.raises(StoreError, match=rf"{place.stem}\.db cannot be read: "):
        reader.read()
    place.rmdir()
    segment.rename(place)
    assert numbers(reader.read()) == [1]


def test_a_damaged_segment_that_cannot_be_moved_is_named(
    tmp_path: Path, reader: InboxReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error says which file, and what to do with it."""

    def refuse(path: Path, target: Path) -> Path:
        raise PermissionError

    (tmp_path / "0001.db").write_bytes(b"garbage" * 1_000)
    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(DamagedSegmentError, match=r"0001\.db is damaged.*move it out") as caught:
        reader.read()
    assert caught.value.segment == tmp_path / "0001.db"


def test_a_segment_whose_writing_failed_still_ends_by_age(tmp_path: Path, reader: InboxReader) -> None:
    """Its rows must be deletable in time although nobody sends any more."""
    writer = InboxWriter(tmp_path, segment_seconds=0.2, commit_seconds=0.0001)
    writer.append([arrival(1)]).result(5)
    (row,) = reader.read()
    broken = Arrival("spans", TRACE, b"", 2**70)
    with pytest.raises(StoreError, match="cannot be written"):
        writer.append([broken]).result(5)
    wait_for(lambda: reader.discard(Position(row.position.segment, row.position.row + 1)) == 1)
    writer.close()


def test_discarding_opens_no_file_when_there_is_only_one(
    tmp_path: Path, reader: InboxReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An idle scorer asks every second."""
    writer = InboxWriter(tmp_path)
    writer.append([arrival(1)]).result(5)

    def refuse(*arguments: object, **options: object) -> None:
        raise AssertionError("opened a database")

    with monkeypatch.context() as watched:
        watched.setattr(sqlite3, "connect", refuse)
        assert reader.discard(Position(int(files(tmp_path)[0].stem), 2)) == 0
    writer.close()


def test_a_half_made_segment_does_not_stop_the_reader(
    tmp_path: Path, reader: InboxReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash between making a file and its table leaves only a draft, which the next writer replaces."""
    monkeypatch.setattr("time.time_ns", lambda: 17 * 10**9)
    (tmp_path / "segment.new").write_bytes(b"half")
    writer = InboxWriter(tmp_path)
    writer.append([arrival(1)]).result(5)
    assert [path.name for path in files(tmp_path)] == ["17000.db"]
    assert not list(tmp_path.glob("*.new"))
    assert numbers(reader.read()) == [1]
    writer.close()


def test_a_writer_whose_newest_segment_is_gone_takes_up_no_older_one(
    tmp_path: Path, reader: InboxReader
) -> None:
    """The reader is past that one: what was appended to it would be acknowledged and never read."""
    for number in (1, 2):
        writer = InboxWriter(tmp_path, commit_seconds=0.0001)
        writer.append([arrival(number)]).result(5)
        if number == 1:
            writer.close()
    seen = reader.read()[-1].position
    newest = files(tmp_path)[-1]
    for path in tmp_path.glob(f"{newest.name}*"):
        path.unlink()
    with pytest.raises(StoreError, match="deleted while in use"):
        writer.append([arrival(3)]).result(5)
    writer.append([arrival(4)]).result(5)
    assert numbers(reader.read(after=seen)) == [4]
    writer.close()


def test_the_number_of_a_new_segment_is_above_all_that_are_there(tmp_path: Path) -> None:
    """Also where the clock was set back, and for those that an earlier version numbered from 1."""
    assert next_number(tmp_path, now=17_000) == 17_000
    (tmp_path / "0003.db").touch()
    assert next_number(tmp_path, now=17_000) == 17_000
    (tmp_path / "18000.db.damaged").touch()
    assert next_number(tmp_path, now=17_000) == 18_001


def test_a_number_that_was_given_does_not_come_back_where_segments_were_deleted_and_the_clock_set_back(
    tmp_path: Path,
) -> None:
    """A store may have a position in what is gone; what cannot be read of the highest number says nothing."""
    create(tmp_path, 17_000).unlink()
    assert next_number(tmp_path, now=16_000) == 17_001
    assert next_number(tmp_path, now=18_000) == 18_000
    (tmp_path / "highest").write_bytes(b"\xff")
    assert next_number(tmp_path, now=16_000) == 16_000


@pytest.mark.parametrize("step", ["an answer", "a new segment"])
def test_segments_that_cannot_be_opened_are_not_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """One came with each try while file handles lacked, and a reader takes the one before a new one for finished."""

    def lacking(path: Path) -> sqlite3.Connection:
        raise sqlite3.OperationalError("unable to open database file")

    log = SegmentLog(tmp_path, segment_bytes=1, segment_seconds=60.0)
    log.append([arrival(1)], 10)
    before = files(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr("ragvigil.scorer.inbox.segment_log.open_for_writing", lacking)
        if step == "an answer":
            with pytest.raises(OverflowError):
                log.append([Arrival("spans", TRACE, b"", 2**70)], 10)
        for _ in range(5):
            if step == "an answer":
                with pytest.raises(sqlite3.Error):
                    log.append([arrival(2)], 10)
            else:
                assert log.roll_if_due(full=False)
        assert files(tmp_path) == before
    log.append([arrival(3)], 10)
    log.close()
    with closing(InboxReader(tmp_path)) as reader:
        assert numbers(reader.read()) == [1, 3]

"""The inbox: what was acknowledged is read back, in order, whatever happens in between."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ragvigil.scorer.errors import DamagedSegmentError, InboxFull, InboxTooSmall, StoreError
from ragvigil.scorer.inbox import Arrival, InboxReader, InboxRow, InboxWriter, Position
from ragvigil.scorer.inbox.segments import bytes_on_disk

TRACE = bytes(range(16))

WRITE_UNTIL_KILLED = """
import sys, threading
from pathlib import Path
from ragvigil.scorer.inbox import Arrival, InboxWriter

writer = InboxWriter(Path(sys.argv[1]), segment_bytes=200_000, commit_seconds=0.002)
print("ready", flush=True)

def send(sender):
    for number in range(1_000_000):
        key = f"{sys.argv[2]}-{sender}-{number}"
        rows = [Arrival("spans", bytes(16), (key + "." * 3_000).encode(), number)]
        writer.append(rows).result()
        sys.stdout.write(key + "\\n")
        sys.stdout.flush()

threads = [threading.Thread(target=send, args=(n,)) for n in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""

WRITE_ON_A_FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.inbox import Arrival, InboxReader, InboxWriter

def row(number):
    return Arrival("spans", bytes(16), bytes(50_000), number)

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
folder = Path(sys.argv[1])
writer = InboxWriter(folder, commit_seconds=0.001)
_, ceiling = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, ceiling))
acked, refused = [], 0
for number in range(40):
    try:
        writer.append([row(number)]).result(10)
        acked.append(number)
    except StoreError as error:
        assert "cannot be written" in str(error), error
        refused += 1
assert refused and writer.failing
resource.setrlimit(resource.RLIMIT_FSIZE, (ceiling, ceiling))
for number in range(40, 45):
    writer.append([row(number)]).result(10)
    acked.append(number)
assert writer.failing is None
writer.close()
reader = InboxReader(folder)
read = [found.received_at for found in reader.read(limit=1000, max_bytes=10**9)]
reader.close()
assert set(acked) <= set(read), (acked, read)
print("recovered", len(acked), refused)
"""


def arrival(number: int, size: int = 10) -> Arrival:
    """A row that can be told from its neighbours."""
    return Arrival("spans", TRACE, b"%d." % number + bytes(size), number)


def numbers(rows: list[InboxRow]) -> list[int]:
    """What tells the rows apart."""
    return [row.received_at for row in rows]


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[InboxReader]:
    """A reader of the test's folder."""
    reader = InboxReader(tmp_path)
    yield reader
    reader.close()


def test_rows_come_back_as_they_were_and_in_order(tmp_path: Path, reader: InboxReader) -> None:
    """Kind, trace id, payload and time survive, and the order is the order of the commits."""
    writer = InboxWriter(tmp_path)
    writer.append([arrival(1), Arrival("logs", TRACE, b"log", 2)]).result(5)
    writer.append([arrival(3)]).result(5)
    first, second, third = reader.read()
    assert first == InboxRow(Position(1, 1), "spans", TRACE.hex(), b"1." + bytes(10), 1)
    assert (second.kind, second.payload) == ("logs", b"log")
    assert first.position < second.position < third.position
    assert reader.read(after=second.position) == [third]
    assert reader.read(after=third.position) == []
    writer.close()


def test_a_row_is_readable_at_the_moment_of_its_ack(tmp_path: Path, reader: InboxReader) -> None:
    """The future resolves after the commit, never before it."""
    writer = InboxWriter(tmp_path)
    seen: Position | None = None
    for number in range(50):
        writer.append([arrival(number)]).result(5)
        (row,) = reader.read(after=seen)
        assert row.received_at == number
        seen = row.position
    writer.close()


def test_a_reader_follows_over_many_segments(tmp_path: Path, reader: InboxReader) -> None:
    """Small pages over rolled segments give every row once, in order."""
    writer = InboxWriter(tmp_path, segment_bytes=5_000, commit_seconds=0.0001)
    for number in range(100):
        writer.append([arrival(number, 400)]).result(5)
    writer.close()
    assert len(list(tmp_path.glob("*.db"))) > 3
    read: list[InboxRow] = []
    while page := reader.read(after=read[-1].position if read else None, limit=7):
        read += page
    assert numbers(read) == list(range(100))


def test_a_page_ends_at_its_byte_limit_too(tmp_path: Path, reader: InboxReader) -> None:
    """Two hundred rows of 60 MB each must not be read at once."""
    writer = InboxWriter(tmp_path)
    writer.append([arrival(number, 1_000) for number in range(10)]).result(5)
    writer.close()
    assert numbers(reader.read(max_bytes=2_500)) == [0, 1, 2]


def test_discard_deletes_what_is_passed_and_keeps_the_newest(tmp_path: Path, reader: InboxReader) -> None:
    """Files go as wholes; the newest stays even when all of it is read, for it may still grow."""
    writer = InboxWriter(tmp_path, segment_bytes=1_000, commit_seconds=0.0001)
    for number in range(6):
        writer.append([arrival(number, 600)]).result(5)
    writer.close()
    rows = reader.read()
    middle = rows[3].position
    before = sorted(path.name for path in tmp_path.glob("*.db"))
    assert reader.discard(middle) == middle.segment - 1
    kept = [row for row in rows if row.position.segment >= middle.segment]
    assert reader.read() == kept
    last = rows[-1].position
    reader.discard(Position(last.segment, last.row + 1))
    assert [path.name for path in tmp_path.glob("*.db")] == [before[-1]]
    assert not [path for path in tmp_path.iterdir() if path.stem not in (Path(before[-1]).stem, "lock")]


def test_a_segment_also_ends_by_age(tmp_path: Path, reader: InboxReader) -> None:
    """What a quiet service sent can be deleted in time, without waiting for 64 MB."""
    writer = InboxWriter(tmp_path, segment_seconds=0.05)
    writer.append([arrival(1)]).result(5)
    (row,) = reader.read()
    wait_for(lambda: len(list(tmp_path.glob("*.db"))) > 1)
    assert reader.discard(Position(row.position.segment, row.position.row + 1)) == 1
    assert reader.read(after=row.position) == []
    writer.close()


def test_what_a_writer_leaves_behind_can_be_deleted_without_another(
    tmp_path: Path, reader: InboxReader
) -> None:
    """Unredacted bytes do not wait on disk for the next start of a receiver that was stopped."""
    writer = InboxWriter(tmp_path)
    writer.append([arrival(1), arrival(2)]).result(5)
    writer.close()
    last = reader.read()[-1].position
    assert reader.discard(Position(last.segment, last.row + 1)) == 1
    assert reader.backlog()[0] == 0
    assert not [path for path in tmp_path.glob("*.db*") if b"2." + bytes(10) in path.read_bytes()]
    InboxWriter(tmp_path).close()
    assert len(list(tmp_path.glob("*.db"))) == 2


def test_numbers_go_on_after_a_restart(tmp_path: Path, reader: InboxReader) -> None:
    """A reader that had passed everything finds what a later writer adds."""
    for number in range(3):
        writer = InboxWriter(tmp_path)
        writer.append([arrival(number)]).result(5)
        writer.close()
    rows = reader.read()
    assert [row.position.segment for row in rows] == [1, 3, 5]
    reader.discard(Position(rows[-1].position.segment, rows[-1].position.row + 1))
    writer = InboxWriter(tmp_path)
    writer.append([arrival(9)]).result(5)
    assert numbers(reader.read(after=rows[-1].position)) == [9]
    writer.close()


def test_an_emptied_folder_is_read_from_its_start(tmp_path: Path, reader: InboxReader) -> None:
    """A watermark from before somebody deleted the folder's files must not hide what comes after."""
    writer = InboxWriter(tmp_path)
    writer.append([arrival(1)]).result(5)
    assert numbers(reader.read(after=Position(40, 7))) == [1]
    writer.close()


def test_the_backlog_counts_what_waits(tmp_path: Path, reader: InboxReader) -> None:
    """Rows by id and bytes by file size, over all segments."""
    assert reader.backlog() == (0, 0)
    writer = InboxWriter(tmp_path, segment_bytes=2_000, commit_seconds=0.0001)
    for number in range(8):
        writer.append([arrival(number, 900)]).result(5)
    writer.close()
    rows, size = reader.backlog()
    assert rows == 8
    assert size > 8 * 900
    assert reader.backlog(after=reader.read(limit=3)[-1].position)[0] == 5


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


def test_two_receivers_never_share_an_inbox(tmp_path: Path) -> None:
    """The second is told who holds it and which setting to change; the lock ends with its holder."""
    writer = InboxWriter(tmp_path)
    with pytest.raises(StoreError, match=r"in use by process \d+.*inbox\.path"):
        InboxWriter(tmp_path)
    writer.close()
    InboxWriter(tmp_path).close()


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    """A file stands where the folder should be."""
    (tmp_path / "inbox").write_text("")
    with pytest.raises(StoreError, match=r"set inbox\.path"):
        InboxWriter(tmp_path / "inbox")


def test_closing_commits_and_answers_what_is_queued(tmp_path: Path, reader: InboxReader) -> None:
    """Nothing waits for a commit period that never ends; afterwards nothing more is taken."""
    writer = InboxWriter(tmp_path, commit_seconds=60)
    futures = [writer.append([arrival(number)]) for number in range(20)]
    writer.close()
    assert all(future.done() and future.exception() is None for future in futures)
    assert numbers(reader.read()) == list(range(20))
    with pytest.raises(StoreError, match="closed"):
        writer.append([arrival(99)])


def test_many_threads_append_at_once(tmp_path: Path, reader: InboxReader) -> None:
    """Every acked row is there once."""
    writer = InboxWriter(tmp_path, segment_bytes=50_000, commit_bytes=5_000)

    def send(first: int) -> None:
        for number in range(first, first + 100):
            writer.append([arrival(number, 200)]).result(5)

    threads = [threading.Thread(target=send, args=(100 * thread,)) for thread in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    assert sorted(numbers(reader.read(limit=10_000))) == list(range(600))


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
    second = tmp_path / "0002.db"
    content = bytearray(second.read_bytes())
    content[len(content) // 2 :] = b"\xff" * (len(content) - len(content) // 2)
    second.write_bytes(content)
    found = reader.read(limit=1_000)
    sound = [row for row in rows if row.position.segment != 2]
    assert [row for row in found if row.position.segment != 2] == sound
    assert set(found) < set(rows)
    assert reader.damaged == 1
    assert (tmp_path / "0002.db.damaged").exists()
    assert not second.exists()
    assert "0002.db is damaged" in caplog.text
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
    with closing(sqlite3.connect(tmp_path / "0001.db")) as segment, segment:
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
    (tmp_path / "0001.db").write_bytes(b"garbage" * 1_000)
    assert reader.read(after=seen) == []
    writer = InboxWriter(tmp_path)
    writer.append([arrival(7)]).result(5)
    assert numbers(reader.read(after=seen)) == [7]
    writer.close()


def test_a_writer_whose_segment_is_moved_aside_takes_another(tmp_path: Path, reader: InboxReader) -> None:
    """The request at hand is refused, the next one is stored where the reader finds it."""
    writer = InboxWriter(tmp_path, commit_seconds=0.0001)
    writer.append([arrival(1)]).result(5)
    with (tmp_path / "0001.db").open("r+b") as file, (tmp_path / "0001.db-wal").open("r+b") as log:
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
    segment = (tmp_path / "0001.db").rename(tmp_path / "elsewhere")
    (tmp_path / "0001.db").mkdir()
    with pytest.raises(StoreError, match=r"0001\.db cannot be read: "):
        reader.read()
    (tmp_path / "0001.db").rmdir()
    segment.rename(tmp_path / "0001.db")
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
        assert reader.discard(Position(1, 2)) == 0
    writer.close()


def test_a_half_made_segment_does_not_stop_the_reader(tmp_path: Path, reader: InboxReader) -> None:
    """A crash between making a file and its table leaves only a draft, which the next writer replaces."""
    (tmp_path / "0001.new").write_bytes(b"half")
    writer = InboxWriter(tmp_path)
    writer.append([arrival(1)]).result(5)
    assert numbers(reader.read()) == [1]
    writer.close()


def test_kill_9_loses_nothing_that_was_acked(tmp_path: Path, reader: InboxReader) -> None:
    """Six processes in turn are killed while writing; every acked row is read back, in every segment."""
    dice = random.Random(7)
    acked: set[str] = set()
    for life in range(10):
        acked |= write_and_kill(tmp_path, str(life), after=dice.uniform(0.02, 0.4))
    rows: list[InboxRow] = []
    while page := reader.read(after=rows[-1].position if rows else None, limit=5_000):
        rows += page
    found = [row.payload.rstrip(b".").decode() for row in rows]
    assert len(acked) > 20
    assert acked <= set(found)
    assert len(found) == len(set(found))


def write_and_kill(folder: Path, life: str, *, after: float) -> set[str]:
    """Keys that a writing process had acknowledged when SIGKILL met it."""
    command = [sys.executable, "-c", WRITE_UNTIL_KILLED, str(folder), life]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        killer = threading.Timer(after, process.kill)
        killer.start()
        lines = process.stdout.read().splitlines(keepends=True)
        killer.join()
    return {line.strip() for line in lines if line.endswith("\n")}


def test_a_full_disk_is_answered_and_survived(tmp_path: Path) -> None:
    """A file-size limit stands for the full disk: waiting requests fail, and all works again afterwards."""
    command = [sys.executable, "-c", WRITE_ON_A_FULL_DISK, str(tmp_path / "inbox")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("recovered")


def wait_for(condition: Callable[[], bool], *, seconds: float = 10.0) -> None:
    """Poll until true, or fail."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.01)

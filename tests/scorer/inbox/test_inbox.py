"""The inbox: what was acknowledged is read back, in order, whatever happens in between."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.scorer.inbox.rows import TRACE, arrival, files, numbers, wait_for

from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.inbox import Arrival, InboxReader, InboxRow, InboxWriter, Position

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


def test_rows_come_back_as_they_were_and_in_order(tmp_path: Path, reader: InboxReader) -> None:
    """Kind, trace id, payload and time survive, and the order is the order of the commits."""
    writer = InboxWriter(tmp_path)
    writer.append([arrival(1), Arrival("logs", TRACE, b"log", 2)]).result(5)
    writer.append([arrival(3)]).result(5)
    first, second, third = reader.read()
    assert first == InboxRow(first.position, "spans", TRACE.hex(), b"1." + bytes(10), 1)
    assert (second.kind, second.payload) == ("logs", b"log")
    assert [row.position.row for row in (first, second, third)] == [1, 2, 3]
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
    assert reader.discard(middle) == before.index(f"{middle.segment}.db")
    kept = [row for row in rows if row.position.segment >= middle.segment]
    assert reader.read() == kept
    last = rows[-1].position
    reader.discard(Position(last.segment, last.row + 1))
    assert [path.name for path in tmp_path.glob("*.db")] == [before[-1]]
    assert not [
        path for path in tmp_path.iterdir() if path.stem not in (Path(before[-1]).stem, "lock", "highest")
    ]


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
    began = [int(path.stem) for path in files(tmp_path)]
    assert [row.position.segment for row in rows] == began[::2]
    reader.discard(Position(rows[-1].position.segment, rows[-1].position.row + 1))
    writer = InboxWriter(tmp_path)
    writer.append([arrival(9)]).result(5)
    assert numbers(reader.read(after=rows[-1].position)) == [9]
    writer.close()


def test_an_emptied_folder_is_read_from_its_start(tmp_path: Path, reader: InboxReader) -> None:
    """A watermark from before somebody deleted the folder's files, and the clock was set back, hides nothing."""
    writer = InboxWriter(tmp_path)
    writer.append([arrival(1)]).result(5)
    assert numbers(reader.read(after=Position(10**15, 7))) == [1]
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
    with pytest.raises(StoreError, match=r"can be written by inbox\.path, or by store\.url"):
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

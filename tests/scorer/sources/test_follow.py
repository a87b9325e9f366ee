"""Followed files into a real receiver: growing, rotated, torn, damaged, over restarts and a full inbox."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from backports import zstd
from tests.scorer.receive.conftest import Receiver, running
from tests.scorer.replay.conftest import day
from tests.scorer.sources.conftest import FORMS, otlp_json, with_length

from ragvigil.scorer.receive.counters import counters
from ragvigil.scorer.sources.follow import FollowedFiles
from ragvigil.scorer.sources.inflate import GZIP, INFLATES, Gunzip
from ragvigil.scorer.sources.positions import Positions

QUICK = {"poll_seconds": 0.02}


async def until(probe: Callable[[], bool]) -> None:
    """Wait until it is so."""
    async with asyncio.timeout(30):
        while not probe():  # noqa: ASYNC110 - another process's work has no event
            await asyncio.sleep(0.02)


def seen(receiver: Receiver) -> Counter[bytes]:
    """How often each span is in the inbox."""
    return Counter(span.span_id for span in receiver.spans())


def once(receiver: Receiver, questions: int) -> bool:
    """Whether the spans of so many questions are there, each once."""
    found = seen(receiver)
    assert set(found.values()) <= {1}, found
    return len(found) == 3 * questions


LINES = [otlp_json(message) + b"\n" for message in day(12)]


async def test_a_growing_file_is_followed_over_torn_lines_rotation_and_restarts(tmp_path: Path) -> None:
    """Each span once, whatever happens in between."""
    path, inbox = tmp_path / "out" / "traces.json", tmp_path / "inbox"
    path.parent.mkdir()
    path.write_bytes(LINES[0] + LINES[1][:100])
    sources: dict[str, object] = {"files": [str(path)], **QUICK}
    async with running(inbox, sources=sources) as receiver:
        await until(lambda: once(receiver, 1))
        with path.open("ab") as file:
            file.write(LINES[1][100:] + LINES[2])
        await until(lambda: once(receiver, 3))
    with path.open("ab") as file:
        file.write(LINES[3])
    path.rename(path.with_name("traces-2026-11-21T10-00-00.000.json"))
    path.write_bytes(LINES[4])
    path.with_name("traces-2026-11-20T10-00-00.000.json").write_bytes(LINES[11])
    async with running(inbox, sources=sources) as receiver:
        await until(lambda: once(receiver, 5))
        path.write_bytes(LINES[5])
        await until(lambda: once(receiver, 6))
    async with running(inbox, sources=sources) as receiver:
        await asyncio.sleep(0.2)
        assert once(receiver, 6)


@pytest.mark.parametrize("form", [form for form in FORMS if "last" not in form])
async def test_a_folder_of_any_form_is_read_once(form: str, tmp_path: Path) -> None:
    """Written in two steps, the first of which tears a record."""
    content, folder = FORMS[form](list(day(6))), tmp_path / "out"
    folder.mkdir()
    path = folder / "traces"
    path.write_bytes(content[: len(content) // 2])
    async with running(tmp_path / "inbox", sources={"files": [str(folder)], **QUICK}) as receiver:
        await asyncio.sleep(0.1)
        with path.open("ab") as file:
            file.write(content[len(content) // 2 :])
        await until(lambda: once(receiver, 6))


async def test_single_requests_dropped_into_a_folder_are_taken(tmp_path: Path) -> None:
    """Protobuf without a length, once it does not change any more."""
    folder = tmp_path / "out"
    folder.mkdir()
    async with running(tmp_path / "inbox", sources={"files": [f"{folder}/*.pb"], **QUICK}) as receiver:
        for number, message in enumerate(day(3)):
            (folder / f"{number}.pb").write_bytes(message.SerializeToString())
        (folder / "ignored.txt").write_text("nothing")
        await until(lambda: once(receiver, 3))


async def test_a_bad_line_is_named_and_counted_and_costs_only_itself(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The same for a damaged compressed record, and for metrics, which are only counted."""
    lines, packed, inbox = tmp_path / "a.json", tmp_path / "b.bin", tmp_path / "inbox"
    lines.write_bytes(LINES[0] + b"{broken}\n" + b'{"resourceMetrics": []}\n' + LINES[1])
    good = with_length(zstd.compress(LINES[2]))
    packed.write_bytes(good + with_length(b"\x28\xb5\x2f\xfd nonsense") + with_length(LINES[3]))
    with caplog.at_level(logging.WARNING):
        async with running(inbox, sources={"files": [str(lines), str(packed)], **QUICK}) as receiver:
            await until(lambda: once(receiver, 4))
    assert "a.json line 2: not JSON" in caplog.text
    assert "b.bin message 2: not zstd" in caplog.text
    counted = counters(inbox)
    assert (counted["refused.malformed"], counted["ignored.metrics_requests"], counted["spans"]) == (2, 1, 12)


async def test_a_full_inbox_holds_the_reading_up_and_loses_nothing(tmp_path: Path) -> None:
    """Back-pressure: the file waits where it is, and a later process with room reads on."""
    path, inbox = tmp_path / "traces.json", tmp_path / "inbox"
    path.write_bytes(b"".join(LINES))
    sources: dict[str, object] = {"files": [str(path)], **QUICK}
    inbox.mkdir()
    ballast = inbox / "ballast"
    ballast.write_bytes(bytes(10**6))
    async with running(inbox, sources=sources, inbox={"max_bytes": 10**6}):
        await until(lambda: counters(inbox).get("requests.files spans", 0) > 0)
    ballast.unlink()
    async with running(inbox, sources=sources) as receiver:
        await until(lambda: once(receiver, 12))


def test_a_rotated_file_that_is_gone_when_it_is_looked_at_hides_no_other(tmp_path: Path) -> None:
    """The Collector deletes its oldest: the folder still names it, as it names a link to nothing."""
    path = tmp_path / "traces.json"
    path.write_bytes(LINES[0])
    path.with_name("traces-2026-11-20T10-00-00.000.json").symlink_to(tmp_path / "gone")
    followed = FollowedFiles([str(path)], Positions(tmp_path), max_bytes=2**20)
    assert [batch.body for batch in followed.batches()] == [LINES[0].rstrip()]


def test_what_was_not_acked_is_yielded_again(tmp_path: Path) -> None:
    """By the next process; what was is not."""
    path = tmp_path / "traces.json"
    path.write_bytes(b"".join(LINES[:2]))

    def follower() -> FollowedFiles:
        return FollowedFiles([str(path)], Positions(tmp_path), max_bytes=2**20)

    assert [batch.place for batch in follower().batches()] == [f"{path} line 1", f"{path} line 2"]
    source = follower()
    assert len(source.batches()) == 2
    source.ack()
    assert source.batches() == []
    source.ack()
    assert follower().batches() == []
    path.write_bytes(LINES[5] * 3)
    assert len(follower().batches()) == 3


BLANK = bytes(Random(1).choices(b" \t", k=4000))  # 500 bytes compressed


@pytest.mark.parametrize("first", [BLANK, gzip.compress(BLANK, mtime=0)], ids=["plain", "gzip"])
@pytest.mark.parametrize("restarted", [False, True], ids=["running", "restarted"])
def test_a_longer_file_written_over_another_that_began_alike_is_read_from_its_beginning(
    tmp_path: Path, first: bytes, restarted: bool
) -> None:
    """A job that writes its export over the last one: the resource of the service fills the first bytes of all."""
    path, packed = tmp_path / "export.json", bytes if first is BLANK else gzip.compress
    path.write_bytes(first + packed(b"".join(LINES[:2])))
    source = FollowedFiles([str(path)], Positions(tmp_path), max_bytes=2**20)
    assert len(source.batches()) == 2
    source.ack()
    path.write_bytes(first + packed(b"".join(LINES[2:7])))
    if restarted:
        source = FollowedFiles([str(path)], Positions(tmp_path), max_bytes=2**20)
    batches = source.batches()
    assert [batch.body.strip() for batch in batches] == [line.strip() for line in LINES[2:7]]


def test_a_position_of_an_earlier_version_is_gone_on_from(tmp_path: Path) -> None:
    """It has no digest of the last bytes: an update must not read every file again."""
    path, saved = tmp_path / "traces.json", tmp_path / "sources.json"
    path.write_bytes(LINES[0])
    source = FollowedFiles([str(path)], Positions(tmp_path), max_bytes=2**20)
    assert len(source.batches()) == 1
    source.ack()
    kept = json.loads(saved.read_text())
    for position in kept.values():
        del position["tail"], position["tail_end"]
    saved.write_text(json.dumps(kept))
    path.write_bytes(LINES[0] + LINES[1])
    batches = FollowedFiles([str(path)], Positions(tmp_path), max_bytes=2**20).batches()
    assert [batch.body for batch in batches] == [LINES[1].rstrip()]


class Counting(Gunzip):
    """Counts what it undoes."""

    fed = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """As it is."""
        Counting.fed += len(data)
        return super().feed(data)


@pytest.mark.parametrize("members", [True, False], ids=["a member a line", "one member"])
def test_a_compressed_file_that_grows_is_undone_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, members: bool
) -> None:
    """However often it is looked at, also when it is renamed; a new process yields nothing twice."""
    path, stream, fed = tmp_path / "traces.json.gz", zlib.compressobj(wbits=31), 0
    monkeypatch.setattr(Counting, "fed", 0)
    monkeypatch.setitem(INFLATES, GZIP, Counting)
    places = [str(tmp_path / "traces*.gz")]
    source = FollowedFiles(places, Positions(tmp_path), max_bytes=2**20)
    found = list[str]()
    for number in range(60):
        line = LINES[number % len(LINES)]
        packed = gzip.compress(line) if members else stream.compress(line) + stream.flush(zlib.Z_SYNC_FLUSH)
        for part in (packed[: len(packed) // 2], packed[len(packed) // 2 :]):
            with path.open("ab") as file:
                file.write(part)
            fed += len(part)
            found += [batch.place.partition(" ")[2] for batch in source.batches()]
            source.ack()
        if number == 30:
            path = path.rename(path.with_name("traces-1.json.gz"))
    assert found == [f"line {number}" for number in range(1, 61)]
    assert Counting.fed == fed == path.stat().st_size
    again = FollowedFiles(places, Positions(tmp_path), max_bytes=2**20)
    assert again.batches() == []
    with path.open("ab") as file:
        file.write(gzip.compress(LINES[0]) if members else stream.compress(LINES[0]) + stream.flush())
    assert [batch.problem for batch in again.batches()] == [None]


def test_positions_that_cannot_be_read_cost_a_second_reading(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Never a start: what is read twice counts once."""
    (tmp_path / "sources.json").write_text('{"1:2": {"framing": 5}}')
    assert Positions(tmp_path).get("1:2") is None
    assert "sources.json" in caplog.text

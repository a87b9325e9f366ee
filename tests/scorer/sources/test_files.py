"""Every form of an OTLP file gives the same records, from any position, however it is cut."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest
from backports import zstd
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.scorer.sources.conftest import FORMS, TRACES, messages, otlp_json, with_length

from ragvigil.scorer.offline.read import as_json, read_files
from ragvigil.scorer.sources.cut import Record, framing_of, is_json
from ragvigil.scorer.sources.files import OtlpFile, Place

NAMES = ("langchain_session", "haystack_error", "llama_index_stream")
LARGEST = 2**26


def bodies(records: Iterator[Record]) -> list[bytes]:
    """The messages of sound records."""
    found = list(records)
    assert [one.problem for one in found] == [None] * len(found)
    return [one.body for one in found]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_reads_like_the_plain_files(form: str, tmp_path: Path) -> None:
    """Names do not matter: the content says what it is."""
    path = tmp_path / "export"
    path.write_bytes(FORMS[form](messages(*NAMES)))
    plain = read_files([TRACES / f"{name}.pb" for name in NAMES])
    assert [as_json(one) for one in read_files([path])] == [as_json(one) for one in plain]


@pytest.mark.parametrize("compress", [gzip.compress, zstd.compress])
def test_a_single_request_may_be_compressed(compress: type, tmp_path: Path) -> None:
    """Protobuf, or JSON over many lines."""
    (message,) = messages("langchain_session")
    packed, pretty = tmp_path / "one.pb.z", tmp_path / "one.json"
    packed.write_bytes(compress(message.SerializeToString()))
    pretty.write_text(json.dumps(json.loads(otlp_json(message)), indent=2))
    plain = [as_json(one) for one in read_files([TRACES / "langchain_session.pb"])]
    for path in (packed, pretty):
        assert [as_json(one) for one in read_files([path])] == plain


class Slow(io.BytesIO):
    """A file that gives a few bytes at a time."""

    def read(self, size: int | None = -1, /) -> bytes:
        """At most seven bytes."""
        return super().read(7)


@pytest.mark.parametrize("form", FORMS)
def test_records_do_not_depend_on_how_the_bytes_come(form: str) -> None:
    """Seven at a time, or all at once."""
    content = FORMS[form](messages(*NAMES))
    slow = OtlpFile(Slow(content), max_bytes=LARGEST)
    whole = OtlpFile(io.BytesIO(content), max_bytes=LARGEST)
    assert bodies(slow.rest()) == bodies(whole.rest())


def growing(path: Path, content: bytes, step: int) -> Iterator[IO[bytes]]:
    """The file, after each piece was appended."""
    with path.open("wb", buffering=0) as file:
        for start in range(0, len(content), step):
            file.write(content[start : start + step])
            yield file


@pytest.mark.parametrize("form", [form for form in FORMS if "last" not in form])
def test_a_growing_file_reopened_at_every_step_gives_each_record_once(form: str, tmp_path: Path) -> None:
    """A torn record waits; a restart goes on where the last one ended."""
    found = messages(*NAMES)
    content = FORMS[form](found)
    path, place, read = tmp_path / "export", None, list[bytes]()
    for _ in growing(path, content, step=1 + len(content) // 40):
        with OtlpFile(path, max_bytes=LARGEST, after=place) as file:
            read += bodies(file.records())
            place = file.place
    with path.open("rb") as whole:
        assert read == bodies(OtlpFile(whole, max_bytes=LARGEST).rest())
    assert place is not None
    assert place.number == len(found)


def test_a_torn_end_is_said() -> None:
    """In all three ways in which a file can be cut off."""
    (message,) = messages("langchain_session")
    for content, problem in (
        (with_length(message.SerializeToString())[:-9], "cut short"),
        (gzip.compress(otlp_json(message) + b"\n" * 2**16)[:-20], "cut short"),
        (with_length(zstd.compress(otlp_json(message))[:-9]), "cut short"),
        (gzip.compress(b"x")[:-3] + b"yyyyyyyyyyyyyyyyy", "not gzip"),
        (b"\x28\xb5\x2f\xfd" + b"\xff" * 40, "not zstd"),
    ):
        problems = [
            one.problem or ""
            for one in OtlpFile(io.BytesIO(content), max_bytes=LARGEST).rest()
            if one.problem
        ]
        assert [problem in said for said in problems] == [True], (content[:20], problems)


@pytest.mark.parametrize(
    "content",
    [
        b'{"a": 1}\n{"long": "' + b"x" * 300 + b'"}\n{"b": 2}\n',
        with_length(b'{"a": 1}') + with_length(b"x" * 300) + with_length(b'{"b": 2}'),
        with_length(b'{"a": 1}') + with_length(zstd.compress(b"x" * 300)) + with_length(b'{"b": 2}'),
    ],
)
def test_what_is_too_long_is_left_out_alone(content: bytes) -> None:
    """Named, with its neighbours read; however small the pieces."""
    for file in (io.BytesIO(content), Slow(content)):
        records = list(OtlpFile(file, max_bytes=200).rest())
        assert [one.body for one in records] == [b'{"a": 1}', b"", b'{"b": 2}']
        assert [one.number for one in records] == [1, 2, 3]
        assert "200 bytes" in (records[1].problem or "")


def test_protobuf_that_looks_like_json_is_protobuf() -> None:
    """A request of 123 bytes begins with a line feed and a brace."""
    message = messages("langchain_session")[0]
    del message.resource_spans[0].scope_spans[0].spans[1:]
    for size in range(200):
        message.resource_spans[0].scope_spans[0].spans[0].CopyFrom(Span(name="x" * size))
        message.resource_spans[0].resource.Clear()
        encoded = message.SerializeToString()
        assert not is_json(encoded[:4])
        assert framing_of(encoded[:4]) == "whole"


def test_reading_goes_on_at_a_place(tmp_path: Path) -> None:
    """Line numbers, too."""
    path = tmp_path / "day.jsonl"
    path.write_bytes(b'{"a": 1}\n\n{"b": 2}\n')
    with OtlpFile(path, max_bytes=100, after=Place("lines", 2, 10)) as file:
        (record,) = file.rest()
    assert (record.number, record.end, record.body) == (3, 19, b'{"b": 2}')


FRAGMENT = otlp_json(messages("langchain_session")[0])
TORN = {
    "the head is gone": FRAGMENT[-200:],
    "the tail is gone": FRAGMENT[:200],
    "the tail is gone within a character": FRAGMENT[:200] + "ß".encode()[:1],
    "another program's words": b"2026-11-22T10:00:00Z info collector starting [1] {},",
    "words of other scripts": "запуск сборщика".encode(),
    "a list": b"[1, 2]}",
    "an empty line, then the rest of one": b"\n" + FRAGMENT[-200:],
}


@pytest.mark.parametrize("torn", TORN.values(), ids=TORN)
def test_a_torn_first_line_is_named_and_the_rest_is_read(torn: bytes, tmp_path: Path) -> None:
    """A rotation cuts within a line; the reader may also see the lines one by one as they are written."""
    lines = [otlp_json(message) for message in messages(*NAMES)]
    content = b"\n".join([torn, *lines])
    path = tmp_path / "export"
    path.write_bytes(content)
    problems: list[str] = []
    found = read_files([path], problem=lambda error: problems.append(str(error)))
    assert [as_json(one) for one in found] == [
        as_json(one) for one in read_files([TRACES / f"{name}.pb" for name in NAMES])
    ]
    number = 1 + torn.startswith(b"\n")
    assert len(problems) == 1
    assert f"export line {number}: not JSON" in problems[0]
    slow = list(OtlpFile(Slow(content), max_bytes=LARGEST).rest())
    assert [(one.number, one.body) for one in slow[1:]] == list(enumerate(lines, number + 1))


def test_a_torn_first_line_that_was_already_followed_costs_only_itself(tmp_path: Path) -> None:
    """When it was looked at, it was all that there was."""
    lines = [otlp_json(message) for message in messages(*NAMES)]
    path, place, read = tmp_path / "export", None, list[bytes]()
    content = b"\n".join([lines[0][:300], *lines, b""])
    for _ in growing(path, content, step=97):
        with OtlpFile(path, max_bytes=LARGEST, after=place) as file:
            read += [one.body for one in file.records()]
            place = file.place
    assert read == [lines[0][:300], *lines]


def test_a_list_of_exports_is_told_what_to_do(tmp_path: Path) -> None:
    """Once, not for each of its lines."""
    path = tmp_path / "list.json"
    path.write_text(json.dumps([json.loads(FRAGMENT)], indent=1))
    problems: list[str] = []
    assert read_files([path], problem=lambda error: problems.append(str(error))) == []
    assert len(problems) == 1
    assert "the JSON is a list" in problems[0]
    assert "in a file, one a line" in problems[0]

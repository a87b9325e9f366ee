"""Evidence that points into the spans that it was read from."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from ragvigil.scorer.store._packing import pack, pack_quoting, unpack, unpack_quoting

WATER = "Water boils at 100 degrees Celsius at the level of the sea."
SNOW = "Snow falls where the air is colder than the ground; it melts on what is warm."


def test_texts_that_stand_in_the_source_are_not_stored_again() -> None:
    """Whatever their order, also where one comes twice."""
    source = f"\n\x07{WATER}\x12\x05{SNOW}\x01".encode()
    texts = [SNOW, WATER, SNOW]
    packed = pack_quoting({"a": 1}, texts, source)
    assert unpack_quoting(packed, source) == ({"a": 1}, texts)
    assert len(packed) < len(WATER)


def test_a_passage_that_begins_like_another_is_found() -> None:
    """Chunks of one document share their heading."""
    heading = "Handbook of the house, chapter four: "
    first, second = heading + WATER, heading + SNOW
    source = f"..{first}..{second}..".encode()
    packed = pack_quoting(None, [second, first], source)
    assert unpack_quoting(packed, source) == (None, [second, first])
    assert len(packed) < len(WATER)


@pytest.mark.parametrize("like", [b"", b"short", WATER.encode() * 9])
@pytest.mark.parametrize("data", [b"", b"short", bytes(range(256)) * 3000])
def test_what_was_packed_comes_back(data: bytes, like: bytes) -> None:
    """Whatever its length, and that of what it is compared with."""
    assert unpack(pack(data, like), like) == data


def test_threads_pack_beside_each_other() -> None:
    """They share one compressor."""
    texts = [str(number).encode() * 3000 for number in range(400)]
    with ThreadPoolExecutor(8) as threads:
        assert [unpack(each) for each in threads.map(pack, texts)] == texts


@pytest.mark.parametrize("text", ["", "short", "é" * 40, "line\n" * 300, "half a pair: \ud83d", "x" * 5000])
def test_texts_that_do_not_stand_in_the_source_stay_whole(text: str) -> None:
    """Escaped in JSON, too short to look for, or not there at all; half a surrogate pair becomes a mark."""
    for source in (b"", b'{"text": "line\\nline\\n"}', WATER.encode()):
        _, found = unpack_quoting(pack_quoting([], [text, WATER], source), source)
        assert found == [text.encode("utf-8", "replace").decode(), WATER]

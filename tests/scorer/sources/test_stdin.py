"""`sources.stdin`: what is piped into a scorer is scored by it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tests.scorer.replay.conftest import day
from tests.scorer.sources.conftest import otlp_json

from ragvigil.scorer.sources.source import Batch
from ragvigil.scorer.sources.stdin import StandardInput


def drained(source: StandardInput) -> Sequence[Batch]:
    """All that is there now."""
    found: list[Batch] = []
    while batches := source.batches():
        found += batches
        source.ack()
    return found


def test_what_is_piped_in_is_yielded_as_it_comes_and_the_last_line_at_the_end() -> None:
    """A pipe that is silent holds nobody up."""
    reading, writing = os.pipe()
    lines = [otlp_json(message) for message in day(3)]
    with os.fdopen(reading, "rb", buffering=0) as stream:
        source = StandardInput(stream, max_bytes=2**20)
        assert drained(source) == []
        os.write(writing, lines[0] + b"\n" + lines[1][:50])
        assert [batch.body for batch in drained(source)] == [lines[0]]
        os.write(writing, lines[1][50:] + b"\n" + lines[2])
        os.close(writing)
        found = drained(source)
        assert [batch.body for batch in found] == lines[1:]
        assert [batch.place for batch in found] == ["standard input line 2", "standard input line 3"]
        assert drained(source) == []

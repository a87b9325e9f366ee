"""Every Python block of docs/tracer.md runs, in a process of its own, without a word on standard error."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

import ragvigil.tracer
from ragvigil.tracer import Limits
from ragvigil.tracer import _delivery as delivery

from .conftest import Receiver
from .test_delivery import run

PAGE = (Path(__file__).parents[2] / "docs" / "tracer.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("index", range(len(BLOCKS)))
def test_a_block_runs_as_it_is_shown(receiver: Receiver, index: int) -> None:
    """Against a real receiver, where the block sends anything."""
    done = run(BLOCKS[index], OTEL_EXPORTER_OTLP_ENDPOINT=receiver.endpoint)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_page_names_every_public_function() -> None:
    """What is not on the page is not found."""
    offered = {name for name in ragvigil.tracer.__all__ if name[0].islower()}
    assert {name for name in offered if name not in PAGE} == set()


def test_the_limits_on_the_page_are_the_limits() -> None:
    """A table that nothing holds goes stale."""
    for limit in fields(Limits):
        assert f"{limit.default:,}" in PAGE, limit.name
    assert f"{delivery.MAX_QUEUED_SPANS:,} spans, {delivery.MAX_QUEUED_BYTES >> 20} MiB" in PAGE
    assert f"{delivery.MAX_BATCH_BYTES >> 20} MiB |" in PAGE

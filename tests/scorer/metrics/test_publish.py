"""Snapshots that cannot be told: tried again, and said a line a minute."""

from __future__ import annotations

import asyncio
import logging

import pytest
from tests.scorer.metrics.filled import NOW

from ragvigil.scorer.metrics.measures import Measures
from ragvigil.scorer.metrics.publish import keep_publishing


@pytest.mark.parametrize("error", [ConnectionError("export to otlp: unreachable"), RuntimeError("a bug")])
async def test_an_outage_is_said_once_a_minute_while_it_lasts(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    """Not once and never again, and not at every snapshot; also where single ones get through between."""
    caplog.set_level(logging.WARNING)
    stop, tries = asyncio.Event(), [0]

    async def tell(measures: Measures) -> None:
        tries[0] += 1
        if tries[0] == 100:
            stop.set()
        if tries[0] % 7:
            raise error

    await keep_publishing(
        lambda: Measures.empty(NOW),
        tell,
        every_seconds=0.0,
        stop=stop,
        clock=lambda: tries[0] * 2.0,
    )
    assert len(caplog.records) == 4
    assert str(error) in caplog.text
    assert ("Traceback" in caplog.text) is isinstance(error, RuntimeError)

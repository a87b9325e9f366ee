"""What a running scorer gives back of the disk."""

from __future__ import annotations

import json
import os

import httpx
from tests.command_line import ragvigil
from tests.conftest import Serve, eventually
from tests.scorer.scoring.bench import span

LETTERS = bytes(ord("a") + number % 26 for number in range(256))
"""For each byte a letter: what has no digit is soon looked through for what to redact."""


def test_a_running_scorer_gives_space_back(serve: Serve) -> None:
    """A ceiling that is lowered shrinks the file while the scorer runs; every answer stays counted."""
    scorer = serve()
    for number in range(1, 111):
        answer = os.urandom(170_000).translate(LETTERS).decode()
        body = span(number, "root", parent=False, input__value="Why?", output__value=answer)
        url = f"http://{scorer.http}/v1/traces"
        headers = {"Content-Type": "application/x-protobuf"}
        httpx.post(url, content=body.payload, headers=headers, timeout=30).raise_for_status()
    eventually(lambda: scorer.ledger().ingested == 110, seconds=120)
    scorer.stop()
    assert scorer.store.stat().st_size > 10_500_000
    scorer = serve(
        environment={"RAGVIGIL_RETENTION__MAX_DISK_BYTES": "1048576", "RAGVIGIL_MONITOR__TICK_SECONDS": "1"}
    )
    eventually(lambda: scorer.store.stat().st_size < 9_500_000, seconds=120)
    ledger = scorer.ledger()
    assert (ledger.ingested, ledger.balanced) == (110, True)
    shown = json.loads(ragvigil("status", "--json", "--store", str(scorer.store)).stdout)
    assert shown["disk"]["expired_early"] > 40
    assert shown["disk"]["used_bytes"] < 2_000_000

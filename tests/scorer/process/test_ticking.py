"""The clock of the score process, whatever is done to the clock of the machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

COMPILER = shutil.which("cc")
TICKS = """
import asyncio, os, pathlib, sys, time
from concurrent.futures import Future
from ragvigil.scorer.process.ticking import ticking

async def main():
    asked = asyncio.Queue()
    def tick():
        done = Future()
        done.set_result(None)
        asked.put_nowait(done)
        return done
    with ticking(tick, 0.01):
        await asyncio.wait_for(asked.get(), 20)
        began = time.time()
        pathlib.Path(os.environ["CLOCK_AHEAD"]).write_text(sys.argv[1])
        for _ in range(5):
            await asyncio.wait_for(asked.get(), 20)
        assert abs(time.time() - began) > 3_000, "the clock was not set"

asyncio.run(main())
"""


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
@pytest.mark.parametrize("seconds", [157_680_000, -3_600], ids=["five years ahead", "an hour back"])
def test_ticks_go_on_when_the_wall_clock_is_set(tmp_path: Path, seconds: int) -> None:
    """Set back, none began until it was that late again; set ahead, the process counted those of five years."""
    assert COMPILER is not None
    library, ahead = tmp_path / "set_clock.so", tmp_path / "ahead"
    source = Path(__file__).with_name("set_clock.c")
    subprocess.run([COMPILER, "-shared", "-fPIC", "-o", library, source], check=True)
    environment = {**os.environ, "LD_PRELOAD": str(library), "CLOCK_AHEAD": str(ahead)}
    ahead.write_text("0")
    subprocess.run([sys.executable, "-c", TICKS, str(seconds)], env=environment, timeout=60, check=True)

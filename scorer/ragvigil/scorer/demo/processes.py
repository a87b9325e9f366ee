"""The demo's child processes: started with a clean environment, known by their first line, ended for sure."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ragvigil.scorer.errors import StoreError

_START_SECONDS = 120.0
_END_SECONDS = 15.0
_SHOWN_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class Child:
    """A child process that is ready."""

    name: str
    ready: Mapping[str, Any]
    """Its first line of output."""
    process: asyncio.subprocess.Process
    log: Path

    async def stop(self) -> None:
        """End it as an operator does, and by force when that takes too long."""
        if self.process.returncode is None:
            with suppress(ProcessLookupError):
                self.process.terminate()
        try:
            async with asyncio.timeout(_END_SECONDS):
                await self.process.wait()
        except TimeoutError:
            self.process.kill()
            await self.process.wait()


def clean_environment(source: Mapping[str, str] = os.environ) -> dict[str, str]:
    """`source` without what would redirect or change the demo: OpenTelemetry's, ours, and proxies for loopback.

    >>> clean_environment({"OTEL_SDK_DISABLED": "true", "RAGVIGIL_DEMO_LLM_URL": "u", "LANG": "C"})["LANG"]
    'C'
    """
    kept = {
        name: value
        for name, value in source.items()
        if not name.startswith("OTEL_")
        and (not name.startswith("RAGVIGIL_") or name.startswith("RAGVIGIL_DEMO_"))
    }
    exempt = ",".join(filter(None, [source.get("NO_PROXY") or source.get("no_proxy"), "127.0.0.1,localhost"]))
    return {**kept, "NO_PROXY": exempt, "no_proxy": exempt}


@asynccontextmanager
async def running(
    name: str, module: str, arguments: Sequence[str], *, environment: Mapping[str, str], folder: Path
) -> AsyncGenerator[Child]:
    """``python -m module``, ready; ended when the block ends. Raises StoreError when it does not get ready."""
    log = folder / f"{name}.log"
    with log.open("wb") as errors:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", module, *arguments,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=errors,
            env=dict(environment), start_new_session=True,
        )  # fmt: skip
    child = Child(name, {}, process, log)
    try:
        yield Child(name, await _first_line(child), process, log)
    finally:
        await child.stop()


async def _first_line(child: Child) -> Mapping[str, Any]:
    assert child.process.stdout is not None
    try:
        async with asyncio.timeout(_START_SECONDS):
            line = await child.process.stdout.readline()
        ready: object = json.loads(line)
    except (TimeoutError, ValueError):
        ready = None
    if not isinstance(ready, dict):
        said = child.log.read_text(encoding="utf-8", errors="replace")[-_SHOWN_CHARACTERS:].strip()
        raise StoreError(f"the demo's {child.name} did not start: {said or 'it said nothing'}")
    return cast("dict[str, Any]", ready)

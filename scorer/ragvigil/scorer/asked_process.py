"""A process that runs what the operator wrote, and answers in lines: it may fail, hang or leak without harm to us."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from contextlib import suppress

_READ_BYTES = 2**16


class AskedProcess:
    """A module of ours in a process of its own; bytes go in, lines come out, and nobody waits past a deadline."""

    def __init__(self, module: str, argument: str) -> None:
        """Start it. Raises OSError."""
        self._read = b""
        self._process = subprocess.Popen(  # noqa: S603 - our own module, with names from the configuration
            [sys.executable, "-m", module, argument],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )

    def send(self, data: bytes, deadline: float) -> None:
        """Write all of it. Raises TimeoutError at `deadline` (as `time.monotonic` counts), OSError when it ended."""
        assert self._process.stdin is not None
        pipe = self._process.stdin.fileno()
        view = memoryview(data)
        while view:
            if not select.select([], [pipe], [], max(0.0, deadline - time.monotonic()))[1]:
                raise TimeoutError("no answer in time")
            view = view[os.write(pipe, view[: select.PIPE_BUF]) :]

    def line(self, deadline: float) -> bytes:
        """The next line, without its end. Raises as `send` does."""
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        while b"\n" not in self._read:
            if not select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise TimeoutError("no answer in time")
            part = os.read(pipe, _READ_BYTES)
            if not part:
                raise OSError("it ended")
            self._read += part
        line, _, self._read = self._read.partition(b"\n")
        return line

    def end(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self._process.wait()

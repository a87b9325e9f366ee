"""A redactor of the operator's own, in a process of its own: it may fail, hang or leak without harm to scoring."""

from __future__ import annotations

import json
import logging
import os
import select
import subprocess
import sys
import time
from contextlib import suppress

_log = logging.getLogger(__name__)

_FAILURES = 3
_PAUSE_SECONDS = 60.0
_START_SECONDS = 20.0
"""A hook that loads a model with its first import may take this long to be ready."""


class Hook:
    """Asks `module:function` for a text without what must not stay; no answer in time is a failure.

    After three failures in a row it is left alone for a minute, and everything it would have seen is withheld.
    """

    def __init__(self, name: str, *, seconds: float) -> None:
        self._name = name
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._failures = 0
        self._rests_until = 0.0
        self.withheld = 0

    def __call__(self, text: str) -> str | None:
        """The text as the hook wants it; None when it gave no usable answer."""
        if time.monotonic() < self._rests_until:
            self.withheld += 1
            return None
        try:
            answer = self._ask(text)
        except (OSError, ValueError) as error:
            self._fail(error)
            return None
        self._failures = 0
        return answer

    def close(self) -> None:
        """End its process."""
        if self._process is not None:
            process, self._process = self._process, None
            process.kill()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            process.wait()

    def _fail(self, error: Exception) -> None:
        self.close()
        self.withheld += 1
        self._failures += 1
        if self._failures >= _FAILURES:
            self._failures = 0
            self._rests_until = time.monotonic() + _PAUSE_SECONDS
        _log.error("content.hook %s: %s; the text is withheld (%d so far)", self._name, error, self.withheld)

    def _ask(self, text: str) -> str:
        if self._process is None:
            command = [sys.executable, "-m", "ragvigil.scorer.redact.hook_process", self._name]
            self._process = subprocess.Popen(  # noqa: S603 - our own module, with a name from the configuration
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
            )
            self._receive(time.monotonic() + _START_SECONDS)
        deadline = time.monotonic() + self._seconds
        self._send(json.dumps(text).encode("ascii") + b"\n", deadline)
        answer = json.loads(self._receive(deadline))
        if not isinstance(answer, str):
            raise ValueError("it failed or did not return a text")
        return answer

    def _send(self, data: bytes, deadline: float) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        pipe = self._process.stdin.fileno()
        view = memoryview(data)
        while view:
            if not select.select([], [pipe], [], max(0.0, deadline - time.monotonic()))[1]:
                raise TimeoutError("no answer in time")
            view = view[os.write(pipe, view[: select.PIPE_BUF]) :]

    def _receive(self, deadline: float) -> bytes:
        assert self._process is not None
        assert self._process.stdout is not None
        pipe, line = self._process.stdout, bytearray()
        while not line.endswith(b"\n"):
            if not select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise TimeoutError("no answer in time")
            part = os.read(pipe.fileno(), 2**16)
            if not part:
                raise OSError("it ended")
            line += part
        return bytes(line)

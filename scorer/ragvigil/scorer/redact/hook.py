"""A redactor of the operator's own, in a process of its own."""

from __future__ import annotations

import json
import logging
import time
from contextlib import closing
from pathlib import Path

from ragvigil.scorer.asked_process import AskedProcess
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.redact.hook_process import READY

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
        self._process: AskedProcess | None = None
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

    def start(self) -> None:
        """Start its process. Raises OSError that says why the function cannot be had."""
        self._process = AskedProcess("ragvigil.scorer.redact.hook_process", self._name)
        said = self._process.line(time.monotonic() + _START_SECONDS).decode("ascii", "replace")
        if said != READY:
            raise OSError(said)

    def close(self) -> None:
        """End its process."""
        if self._process is not None:
            process, self._process = self._process, None
            process.end()

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
            self.start()
        assert self._process is not None
        deadline = time.monotonic() + self._seconds
        self._process.send(json.dumps(text).encode("ascii") + b"\n", deadline)
        answer = json.loads(self._process.line(deadline))
        if not isinstance(answer, str):
            raise ValueError("it failed or did not return a text")
        return answer


def refuse_missing(name: str) -> None:
    """ConfigError for a hook that cannot be started: it would withhold every text for good."""
    with closing(Hook(name, seconds=_START_SECONDS)) as hook:
        try:
            hook.start()
        except OSError as error:
            raise ConfigError(
                "content.hook", f"{name}: {error}", f"looked for on the Python path and in {Path.cwd()}"
            ) from None

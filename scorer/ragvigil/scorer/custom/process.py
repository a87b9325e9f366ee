"""The process in which custom functions run."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping, Sequence
from typing import cast

from ragvigil.scorer.asked_process import AskedProcess
from ragvigil.scorer.custom.request import packed
from ragvigil.scorer.trace import RagTrace

_log = logging.getLogger(__name__)

_START_SECONDS = 20.0
"""A function that loads a model with its import may take this long to be ready."""
_FAILURES = 3
_PAUSE_SECONDS = 60.0
_MOST_TOLD = 100
"""Causes that are told in a process's life."""
FAILED = "the check failed: "

Answer = tuple[float | None, str | None]


class Functions:
    """Functions by name, asked one record after another; one that takes too long is ended, and in the end rests."""

    def __init__(self, places: Mapping[str, str], seconds: Mapping[str, float]) -> None:
        self._places = dict(places)
        self._seconds = dict(seconds)
        self._names = [*self._places]
        self._versions: dict[str, str] = {}
        self._process: AskedProcess | None = None
        self._late: dict[str, int] = dict.fromkeys(self._names, 0)
        self._rests_until: dict[str, float] = dict.fromkeys(self._names, 0.0)
        self._told: set[tuple[str, str]] = set()

    def start(self) -> Mapping[str, Mapping[str, str]]:
        """Start the process; for each function its version, or the error that kept it from being loaded.

        OSError or ValueError where the process does not say so within 20 seconds.
        """
        self._process = AskedProcess("ragvigil.scorer.custom.worker", json.dumps(self._places))
        line = self._process.line(time.monotonic() + _START_SECONDS)
        told = cast("Mapping[str, Mapping[str, str]]", json.loads(line))
        for name, one in told.items():
            if "version" in one:
                self._versions[name] = one["version"]
        return told

    def version(self, name: str) -> str:
        """That of the function as it was loaded last; KeyError where it never could be."""
        return self._versions[name]

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            process, self._process = self._process, None
            process.end()

    def ask(self, record: RagTrace, names: Sequence[str]) -> dict[str, Answer]:
        """Value and reason of each of the named functions."""
        now = time.monotonic()
        found: dict[str, Answer] = {
            name: (
                None,
                f"the check rests: it took too long, or ended its process, {_FAILURES} times in a row",
            )
            for name in names
            if self._rests_until[name] > now
        }
        waiting = [name for name in self._names if name in names and name not in found]
        while waiting:
            late = self._round(record, waiting, found)
            waiting = waiting[waiting.index(late) + 1 :] if late else []
        return found

    def _round(self, record: RagTrace, waiting: Sequence[str], found: dict[str, Answer]) -> str | None:
        """Ask for what is waiting; the name of the one that took too long or ended the process."""
        if self._process is None and not self._restarted(waiting, found):
            return None
        assert self._process is not None
        current = waiting[0]
        try:
            mask = sum(1 << self._names.index(name) for name in waiting)
            self._process.send(packed(mask, record), time.monotonic() + self._seconds[current])
            for name in waiting:
                current = name
                found[name] = _answer(self._process.line(time.monotonic() + self._seconds[name]))
                self._late[name] = 0
                self._tell_once(name, found[name])
        except Exception as error:  # a record may be of a kind that cannot be sent
            self.close()
            why = (
                f"more than {self._seconds[current]:g} s"
                if isinstance(error, TimeoutError)
                else "its process ended"
            )
            found[current] = (None, f"the check failed: {why}")
            self._count(current, why)
            return current
        return None

    def _restarted(self, waiting: Sequence[str], found: dict[str, Answer]) -> bool:
        """Start the process anew; where it does not start, nobody has an answer, and each counts as late."""
        try:
            told = self.start()
        except (OSError, ValueError) as error:
            self.close()
            why = f"their process did not start: {type(error).__name__}"
            for name in waiting:
                found[name] = (None, f"the check failed: {why}")
                self._count(name, why)
            return False
        for name, one in told.items():
            if "error" in one:
                _log.error("custom check %s cannot be loaded: %s", name, one["error"])
        return True

    def _tell_once(self, name: str, answer: Answer) -> None:
        """A failing function is told once for each cause: where it failed is no content."""
        reason = answer[1] or ""
        new = (name, reason) not in self._told and len(self._told) < _MOST_TOLD
        if new and answer[0] is None and reason.startswith(FAILED):
            self._told.add((name, reason))
            _log.error("custom check %s: %s", name, reason.removeprefix(FAILED))

    def _count(self, name: str, why: str) -> None:
        self._late[name] += 1
        _log.error("custom check %s: %s", name, why)
        if self._late[name] >= _FAILURES:
            self._late[name] = 0
            self._rests_until[name] = time.monotonic() + _PAUSE_SECONDS


def _answer(line: bytes) -> Answer:
    told = cast("dict[str, object]", json.loads(line))
    if "error" in told:
        return None, f"{FAILED}{told['error']}"
    value, reason = told.get("value"), told.get("reason")
    said = None if reason is None else str(reason)
    if value is None:
        return None, said or "the check has nothing to say"
    return float(cast("float", value)), said

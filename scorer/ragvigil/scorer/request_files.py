"""Requests between two processes: a file asks, the scorer that writes the store answers with another."""

from __future__ import annotations

import logging
import math
import os
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Generic, Protocol, TypeVar

logger = logging.getLogger(__name__)

Q = TypeVar("Q")
A = TypeVar("A")
T = TypeVar("T")


class Codec(Protocol[T]):
    """How a request or an answer stands in a file; pydantic's TypeAdapter is one."""

    def dump_json(self, value: T, /) -> bytes:
        """The value as JSON."""
        ...

    def validate_json(self, text: bytes, /) -> T:
        """What `dump_json` was given. Raises ValueError."""
        ...


class RequestFiles(Generic[Q, A]):
    """A folder of requests of one kind, in an inbox. A request may hold an id, so it goes when it has been answered."""

    def __init__(self, folder: Path, request: Codec[Q], answer: Codec[A]) -> None:
        self._folder = folder
        self._request = request
        self._answer = answer
        self._told: set[str] = set()

    def ask(self, wanted: Q) -> str:
        """Leave a request; its name, under which the answer will stand. Raises OSError."""
        name = secrets.token_hex(8)
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._write(f"{name}.request", self._request.dump_json(wanted))
        return name

    def next(self) -> tuple[str, Q] | None:
        """A request that waits, oldest first; what is none is deleted, and stays unanswered.

        A file that this user may not read, as of who asked as root, keeps no other waiting.
        """
        for path in sorted(self._folder.glob("*.request"), key=_age):
            try:
                return path.stem, self._request.validate_json(path.read_bytes())
            except FileNotFoundError:
                continue  # whoever asked withdraws it at this moment
            except OSError as error:
                if path.name not in self._told:
                    logger.error(
                        "%s cannot be read (%s): the request waits until it can", path, error.strerror
                    )
                self._told.add(path.name)
            except ValueError:
                path.unlink(missing_ok=True)
        return None

    def answer(self, name: str, answer: A) -> None:
        """Say what was done, and let the request go; nobody is told where it was withdrawn meanwhile."""
        self._write(f"{name}.answer", self._answer.dump_json(answer))
        try:
            (self._folder / f"{name}.request").unlink()
        except FileNotFoundError:
            self._drop_answer(name)

    def withdraw(self, name: str) -> None:
        """Let a request go, and whatever answer it has by now."""
        (self._folder / f"{name}.request").unlink(missing_ok=True)
        self._drop_answer(name)

    def _drop_answer(self, name: str) -> None:
        (self._folder / f"{name}.answer").unlink(missing_ok=True)

    def answered(self, name: str) -> A | None:
        """The answer, once: None while there is none."""
        path = self._folder / f"{name}.answer"
        try:
            found = self._answer.validate_json(path.read_bytes())
        except FileNotFoundError:
            return None
        path.unlink(missing_ok=True)
        return found

    def _write(self, name: str, text: bytes) -> None:
        """Whole or not at all, and for this user's eyes only."""
        draft = self._folder / f"{name}.new"
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(text)
        draft.rename(self._folder / name)


def _age(path: Path) -> int:
    """When it was asked; whoever asked may withdraw it meanwhile."""
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


class Answering(Generic[Q, A]):
    """Answers the requests that wait, with a look now and then. Used by the writing thread."""

    def __init__(
        self, requests: RequestFiles[Q, A], answer: Callable[[Q], A], *, look_seconds: float
    ) -> None:
        self._requests = requests
        self._answer = answer
        self._look_seconds = look_seconds
        self._looked_at = -math.inf

    def step(self) -> bool:
        """Answer what waits, looking once in `look_seconds`; whether there was anything."""
        if time.monotonic() - self._looked_at < self._look_seconds:
            return False
        self._looked_at = time.monotonic()
        return self.clear()

    def clear(self) -> bool:
        """Answer all that waits now; whether there was anything."""
        waiting = self._requests.next()
        if waiting is None:
            return False
        while waiting is not None:
            name, wanted = waiting
            self._requests.answer(name, self._answer(wanted))
            waiting = self._requests.next()
        return True

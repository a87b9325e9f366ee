"""Requests between two processes: a file asks, the scorer that writes the store answers with another."""

from __future__ import annotations

import logging
import math
import os
import secrets
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Generic, Protocol, TypeVar

logger = logging.getLogger(__name__)

_KEPT_SECONDS = 86_400.0
"""How long an answer waits for somebody to read it; whoever asked may have gone."""
_NOT_UNDERSTOOD = "the scorer does not understand it: are command and scorer of one version?"

_ANSWER_NOT_UNDERSTOOD = (
    "what was done is not known, its answer is not understood: are command and scorer of one version?"
)

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


class RefusedError(Exception):
    """A request that nobody will carry out as it is; says why and what to do."""


class RequestFiles(Generic[Q, A]):
    """A folder of requests of one kind, in an inbox. A request may hold an id, so it goes when it has been answered."""

    def __init__(self, folder: Path, request: Codec[Q], answer: Codec[A]) -> None:
        self._folder = folder
        self._request = request
        self._answer = answer
        self._told: set[str] = set()

    def ask(self, wanted: Q) -> str:
        """Leave a request; its name, under which the answer will stand. Raises OSError.

        It belongs to whom the inbox belongs, who answers: root may ask as well.
        """
        name = secrets.token_hex(8)
        owner = _made(self._folder)
        self._write(f"{name}.request", self._request.dump_json(wanted), owner)
        return name

    def next(self, later: Collection[str] = ()) -> tuple[str, Q] | None:
        """A request that waits, oldest first, those called `later` left out.

        What is no request is deleted and refused. A file that this user may not read is refused and keeps no other
        waiting. What nobody fetched in a day goes.
        """
        self._sweep()
        for path in sorted(self._folder.glob("*.request"), key=_age):
            if path.stem in later:
                continue
            try:
                return path.stem, self._request.validate_json(path.read_bytes())
            except FileNotFoundError:
                continue  # whoever asked withdraws it at this moment
            except OSError as error:
                if path.name not in self._told:
                    self._told.add(path.name)
                    self._cannot_read(path, error)
            except ValueError:
                self._refuse(path.stem, _NOT_UNDERSTOOD)
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
        for kind in ("answer", "refused"):
            (self._folder / f"{name}.{kind}").unlink(missing_ok=True)

    def answered(self, name: str) -> A | None:
        """The answer, once: None while there is none. Raises RefusedError, and the request is withdrawn."""
        path = self._folder / f"{name}.answer"
        try:
            found = self._answer.validate_json(path.read_bytes())
        except FileNotFoundError:
            self._raise_if_refused(name)
            return None
        except ValueError:
            path.unlink(missing_ok=True)
            raise RefusedError(_ANSWER_NOT_UNDERSTOOD) from None
        path.unlink(missing_ok=True)
        return found

    def _raise_if_refused(self, name: str) -> None:
        try:
            reason = (self._folder / f"{name}.refused").read_text(encoding="utf-8")
        except FileNotFoundError:
            return
        self.withdraw(name)
        raise RefusedError(f"nothing was done, it was refused: {reason}")

    def _cannot_read(self, path: Path, error: OSError) -> None:
        logger.error("%s cannot be read (%s): the request waits until it can", path, error.strerror)
        if isinstance(error, PermissionError):
            with suppress(OSError):  # it is said above already
                self._refuse(path.stem, f"the scorer may not read it: ask as its user, uid {os.geteuid()}")

    def _refuse(self, name: str, reason: str) -> None:
        self._write(f"{name}.refused", reason.encode())

    def _sweep(self) -> None:
        """What was left for somebody who has gone, and the draft of somebody who died while writing it."""
        oldest = (time.time() - _KEPT_SECONDS) * 1e9
        for path in [
            found for kind in ("answer", "refused", "new") for found in self._folder.glob(f"*.{kind}")
        ]:
            if 0 < _age(path) < oldest:
                with suppress(OSError):
                    path.unlink(missing_ok=True)

    def _write(self, name: str, text: bytes, owner: tuple[int, int] | None = None) -> None:
        """Whole or not at all, and for the eyes of this user, or of `owner` (uid, gid), only."""
        folder = _opened(self._folder)
        draft = f"{name}.{secrets.token_hex(4)}.new"
        try:
            new = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder)
            with os.fdopen(new, "wb") as file:
                file.write(text)
                if owner is not None:
                    with suppress(OSError):  # only root may give files away
                        os.fchown(file.fileno(), *owner)
            os.rename(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
        finally:
            os.close(folder)


def _opened(folder: Path) -> int:
    """A descriptor of the folder itself, never of what a link in its place points at: it may be another user's."""
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)


def _made(folder: Path) -> tuple[int, int]:
    """Make the folder where it is missing; whom the one that holds it belongs to (uid, gid), and so it does."""
    if folder.parent.is_dir():
        holder = folder.parent.stat()
        owner = holder.st_uid, holder.st_gid
    else:
        owner = _made(folder.parent)
    folder.mkdir(exist_ok=True, mode=0o700)
    made = _opened(folder)
    try:
        if os.fstat(made).st_uid != owner[0]:
            with suppress(OSError):
                os.fchown(made, *owner)
    finally:
        os.close(made)
    return owner


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

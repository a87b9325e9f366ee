"""Requests for erasure between two processes: a file asks, the scorer that writes the store answers with another."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import asdict
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from ragvigil.scorer.forgetting import Forgotten, Wanted

_FOLDER = "forget"
_WANTED = TypeAdapter(Wanted)
_FORGOTTEN = TypeAdapter(Forgotten)


class ForgetRequests:
    """The folder of requests in an inbox. A request holds the id, so it goes when it has been answered."""

    def __init__(self, inbox: Path) -> None:
        self._folder = inbox / _FOLDER

    def ask(self, wanted: Wanted) -> str:
        """Leave a request; its name, under which the answer will stand. Raises OSError."""
        name = secrets.token_hex(8)
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._write(f"{name}.request", json.dumps(wanted._asdict()))
        return name

    def next(self) -> tuple[str, Wanted] | None:
        """A request that waits, oldest first; one that cannot be read is deleted, and stays unanswered."""
        for path in sorted(self._folder.glob("*.request"), key=lambda path: path.stat().st_mtime_ns):
            try:
                return path.stem, _WANTED.validate_python(json.loads(path.read_bytes()))
            except (ValueError, ValidationError):
                path.unlink(missing_ok=True)
        return None

    def answer(self, name: str, forgotten: Forgotten) -> None:
        """Say what was removed, and let the request go."""
        self._write(f"{name}.answer", json.dumps(asdict(forgotten)))
        self.withdraw(name)

    def withdraw(self, name: str) -> None:
        """Let a request go."""
        (self._folder / f"{name}.request").unlink(missing_ok=True)

    def answered(self, name: str) -> Forgotten | None:
        """The answer, once: None while there is none."""
        path = self._folder / f"{name}.answer"
        try:
            found = _FORGOTTEN.validate_json(path.read_bytes())
        except FileNotFoundError:
            return None
        path.unlink(missing_ok=True)
        return found

    def _write(self, name: str, text: str) -> None:
        """Whole or not at all, and for this user's eyes only."""
        draft = self._folder / f"{name}.new"
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(text)
        draft.rename(self._folder / name)

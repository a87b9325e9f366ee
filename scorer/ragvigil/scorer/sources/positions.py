"""How far each file was read, kept over restarts in a small file beside the inbox segments."""

from __future__ import annotations

import json
import logging
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter

from ragvigil.scorer.sources.cut import Framing
from ragvigil.scorer.sources.files import Place

logger = logging.getLogger(__name__)

_FILE = "sources.json"
_MOST = 10_000
"""Files that are remembered; those read longest ago are forgotten first."""


@dataclass(frozen=True, slots=True)
class Position:
    """How far one file was read, and how to know that it is still that file."""

    framing: Framing | None
    number: int
    end: int
    size: int
    """Bytes of the file as of then."""
    changed: int
    """Moment of its last change as of then, Unix nanoseconds."""
    head: str
    """Digest of its first bytes."""
    head_size: int
    tail: str = ""
    """Digest of the last bytes before `tail_end`; "" where an earlier version wrote this."""
    tail_end: int = 0
    """Bytes of the file when it was looked at, which stay as they are while it only grows."""

    @property
    def place(self) -> Place | None:
        """Where to go on; None at the beginning."""
        return None if self.framing is None else Place(self.framing, self.number, self.end)


_SAVED = TypeAdapter(dict[str, Position])


class Positions:
    """Positions by file identity (device and number, which a renamed file keeps)."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / _FILE
        self._known = self._loaded()

    def get(self, identity: str) -> Position | None:
        """How far that file was read."""
        return self._known.get(identity)

    def put(self, identity: str, position: Position) -> None:
        """Remember, from the next `save` on."""
        self._known.pop(identity, None)
        self._known[identity] = position
        while len(self._known) > _MOST:
            del self._known[next(iter(self._known))]

    def save(self) -> None:
        """Durable when it returns: the old positions or the new, never a mixture. Raises OSError."""
        draft = self._path.with_suffix(".new")
        with draft.open("w", encoding="utf-8") as file:
            json.dump({identity: asdict(position) for identity, position in self._known.items()}, file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._path)

    def _loaded(self) -> dict[str, Position]:
        try:
            return _SAVED.validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            logger.warning(
                "%s cannot be read (%s): files are read from their beginning again", self._path, error
            )
            return {}

"""Files into a recording: what can be read is recorded, what cannot is named."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.offline.read import rows_in
from ragvigil.scorer.replay.recording import Recording

_log = logging.getLogger(__name__)

_NAMED = 20
"""Problems that are told one by one."""
_ROWS = 1_000


@dataclass(slots=True)
class Loaded:
    """What the files held."""

    events: int = 0
    """Spans and log records."""
    unreadable: int = 0
    """Messages (lines) that could not be read."""


def load(paths: Iterable[Path], recording: Recording) -> Loaded:
    """Record the files. Raises InputError for one that cannot be opened."""
    loaded = Loaded()

    def problem(error: InputError) -> None:
        loaded.unreadable += 1
        if loaded.unreadable <= _NAMED:
            _log.warning("left out: %s", error)
        elif loaded.unreadable == _NAMED + 1:
            _log.warning("left out: more, which are only counted")

    for path in paths:
        rows = rows_in(path, problem)
        while some := list(islice(rows, _ROWS)):
            loaded.events += recording.add(some)
    return loaded

"""What was received and what was not, counted over restarts in a small file beside the inbox segments."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self, cast

logger = logging.getLogger(__name__)

_FILE = "counters.json"
_EVERY_SECONDS = 1.0


@dataclass(slots=True)
class Counters:
    """What was received, rejected and refused. Changed by the event loop's thread only."""

    requests: Counter[str] = field(default_factory=Counter[str])
    """By protocol and signal, such as ``http spans``."""
    bytes: int = 0
    """Bytes of request bodies, decompressed."""
    spans: int = 0
    """Spans committed."""
    logs: int = 0
    """Log records committed."""
    told: Counter[str] = field(default_factory=Counter[str])
    """Items posted as JSON and committed: ``feedback``, ``changes``."""
    ignored: Counter[str] = field(default_factory=Counter[str])
    """Accepted and put aside: log records without a trace id, metrics requests, JSON whose lists OTLP does not know."""
    rejected: Counter[str] = field(default_factory=Counter[str])
    """Spans and log records that can never be accepted, by reason."""
    refused: Counter[str] = field(default_factory=Counter[str])
    """Whole requests that were not accepted, by reason."""

    forwarded: Counter[str] = field(default_factory=Counter[str])
    """Requests by backend and what became of them: ``NAME.offered``, ``NAME.delivered``, ``NAME.dropped.full``."""

    def snapshot(self) -> dict[str, object]:
        """The counts as plain JSON values.

        >>> Counters(spans=3).snapshot()["spans"]
        3
        """
        return {
            "requests": dict(self.requests),
            "bytes": self.bytes,
            "spans": self.spans,
            "logs": self.logs,
            "told": dict(self.told),
            "ignored": dict(self.ignored),
            "rejected": dict(self.rejected),
            "refused": dict(self.refused),
            "forwarded": dict(self.forwarded),
        }

    def flat(self) -> dict[str, int]:
        """Every count under one name; a reason follows a dot.

        >>> Counters(spans=3, rejected=Counter(trace_id=1)).flat()
        {'bytes': 0, 'spans': 3, 'logs': 0, 'rejected.trace_id': 1}
        """
        found: dict[str, int] = {}
        for name, value in self.snapshot().items():
            if isinstance(value, int):
                found[name] = value
            else:
                found |= {f"{name}.{key}": one for key, one in cast("dict[str, int]", value).items()}
        return found

    @classmethod
    def loaded(cls, folder: Path) -> Self:
        """The counts as they were last saved for an inbox; all 0 when there are none."""
        found = cls()
        for name, value in counters(folder).items():
            group, _, key = name.partition(".")
            if key and group in ("requests", "told", "ignored", "rejected", "refused", "forwarded"):
                getattr(found, group)[key] = value
            elif name in ("bytes", "spans", "logs"):
                setattr(found, name, value)
        return found


def counters(folder: Path) -> dict[str, int]:
    """The totals of an inbox over all its receivers, at most a second old; {} when there never was one.

    Names are those of `Counters.flat`: ``spans``, ``rejected.trace_id``, ``refused.too_large``. A receiver that
    was killed has lost the counts of its last second, never spans.
    """
    path = folder / _FILE
    try:
        found: object = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        logger.warning("counters in %s cannot be read: %s", path, error)
        return {}
    if not isinstance(found, dict):
        logger.warning("counters in %s cannot be read: not a JSON object", path)
        return {}
    pairs = cast("dict[str, object]", found).items()
    return {name: value for name, value in pairs if isinstance(value, int) and value >= 0}


def waiting_for(backend: str, received: Mapping[str, int]) -> int:
    """Requests that wait in memory to be forwarded to that backend, by the totals of an inbox.

    >>> told = {"offered": 9, "delivered": 5, "dropped.full": 1}
    >>> waiting_for("tempo", {f"forwarded.tempo.{name}": count for name, count in told.items()})
    3
    """
    prefix = f"forwarded.{backend}."
    ended = sum(
        count
        for name, count in received.items()
        if name == f"{prefix}delivered" or name.startswith(f"{prefix}dropped.")
    )
    return max(0, received.get(f"{prefix}offered", 0) - ended)


class CountersFile:
    """Writes counters to the inbox folder whenever they have changed."""

    def __init__(self, folder: Path, counted: Counters) -> None:
        self._path = folder / _FILE
        self._counted = counted
        self._saved = counted.flat()
        self._failing = False

    async def keep(self) -> None:
        """Save once a second, for ever."""
        while True:
            await asyncio.sleep(_EVERY_SECONDS)
            await asyncio.to_thread(self.save, self._counted.flat())

    def save(self, now: dict[str, int]) -> None:
        """Save these counts in one step, so that a reader sees the old or the new; a failure is told once."""
        if now == self._saved:
            return
        draft = self._path.with_suffix(".new")
        try:
            draft.write_text(json.dumps(now), encoding="utf-8")
            draft.replace(self._path)
        except OSError as error:
            if not self._failing:
                logger.warning("counters cannot be saved: %s; trying again", error)
            self._failing = True
        else:
            self._saved, self._failing = now, False

"""Moments and lengths of time as people write them."""

from __future__ import annotations

import re
import time

from ragvigil.scorer.errors import ConfigError

_LENGTH = re.compile(r"(\d{1,9})([mhdw])")
_UNIT_SECONDS = {"m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}
_SECOND = 10**9


def length_in(said: str) -> int | None:
    """Nanoseconds of a length such as 90m, 24h, 7d or 2w; None when it is none.

    >>> length_in("90m") == 5400 * 10**9, length_in("soon")
    (True, None)
    """
    found = _LENGTH.fullmatch(said)
    return int(found[1]) * _UNIT_SECONDS[found[2]] * _SECOND if found else None


def ago(option: str, said: str, now: int) -> int:
    """Unix nanoseconds of so long ago, or of an ISO 8601 moment. Raises ConfigError."""
    length = length_in(said)
    moment = _iso(said) if length is None else now - length
    if moment is None or moment < 0:
        raise ConfigError(option, f"cannot be {said!r}", "say 90m, 24h, 7d, 2w, or 2026-11-01T00:00Z")
    return moment


def stretch(since: str, until: str | None) -> tuple[int, int]:
    """From --since to --until or now, Unix nanoseconds. Raises ConfigError."""
    now = time.time_ns()
    begin, end = open_stretch(since, until, now=now)
    if end is None and begin is not None and begin >= now:
        raise ConfigError("--since", f"{utc(begin)} is still to come", "without --until the end is now")
    return begin or 0, now if end is None else end


def open_stretch(since: str | None, until: str | None, *, now: int) -> tuple[int | None, int | None]:
    """The same where either may be left open, and is None then. Raises ConfigError where no time is left.

    >>> open_stretch(None, "1d", now=2 * 86_400 * 10**9)
    (None, 86400000000000)
    """
    begin = None if since is None else ago("--since", since, now)
    end = None if until is None else ago("--until", until, now)
    if begin is not None and end is not None and begin >= end:
        raise ConfigError(
            "--since, --until",
            f"run backwards: from {utc(begin)} to {utc(end)} there is no time",
            "--since is the earlier one",
        )
    return begin, end


def length(option: str, said: str) -> int:
    """Nanoseconds of a length that is not nothing. Raises ConfigError."""
    found = length_in(said)
    if not found:
        raise ConfigError(option, f"cannot be {said!r}", "say 90m, 24h, 7d or 2w")
    return found


def moment(option: str, said: str) -> int:
    """Unix nanoseconds of an ISO 8601 moment, UTC if it names no zone. Raises ConfigError."""
    found = _iso(said)
    if found is None or found < 0:
        raise ConfigError(option, f"cannot be {said!r}", "say a moment as 2026-11-01T00:00Z")
    return found


def utc(nanoseconds: int) -> str:
    """A Unix moment to the minute, as the other commands take it.

    >>> utc(1_772_334_000 * 10**9)
    '2026-03-01 03:00Z'
    """
    return time.strftime("%Y-%m-%d %H:%MZ", time.gmtime(nanoseconds / 1e9))


def _iso(said: str) -> int | None:
    from ragvigil.scorer.sources.pull.otlp import nanoseconds

    return nanoseconds(said)

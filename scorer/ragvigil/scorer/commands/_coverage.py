"""What ``ragvigil status`` shows of coverage."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict

from ragvigil.exporters import Measurement, percent, shown
from ragvigil.scorer import config
from ragvigil.scorer.commands._places import Key, places
from ragvigil.scorer.monitor.coverage import least_of
from ragvigil.scorer.monitor.shares import Coverage
from ragvigil.scorer.monitoring import CoverageName
from ragvigil.scorer.store import reading
from ragvigil.scorer.trace import WITHHELD

_HALF = 0.5
_UNASKED = (
    "  the others may be other traffic, or spans that no dialect reads: ragvigil explain FILE says which"
)


def as_json(connection: sqlite3.Connection, settings: config.Coverage) -> list[dict[str, object]]:
    """Each share of each service, with its threshold; beside `coverage_scored`, how many are not judged."""
    return [
        {
            "share": name,
            "service": found.service,
            "environment": found.environment,
            "least": least_of(name, settings),
            **asdict(share),
            **(_counts(found) if name == "coverage_scored" else {}),
        }
        for found in _found(connection, settings)
        for name, share in found.shares()
    ]


def _counts(found: Coverage) -> dict[str, int]:
    return {"not_scoreable": found.not_scoreable, "withheld": found.withheld}


def as_text(
    connection: sqlite3.Connection, settings: config.Coverage, without: Collection[Key] = ()
) -> list[str]:
    """The same as lines, but for those `without`; those under their threshold are told, and say so."""
    found = [
        one
        for one in _found(connection, settings)
        if (one.service, one.environment) not in without or _is_short(one, settings)
    ]
    named = places([(one.service, one.environment) for one in found])
    lines = [line for one in found for line in _of_one(one, named[one.service, one.environment], settings)]
    return [f"coverage of the last {settings.window_seconds / 60:g} minutes:", *lines] if lines else []


def _is_short(found: Coverage, settings: config.Coverage) -> bool:
    return any(share.value < least_of(name, settings) for name, share in found.shares())


def _of_one(found: Coverage, place: str, settings: config.Coverage) -> Iterator[str]:
    """What is whole in one line, for most of most services is; every other share in one of its own."""
    shares: dict[CoverageName, Measurement] = dict(found.shares())
    shares.pop("coverage_texts", None)  # beside those scored it is told how many texts were withheld
    whole: list[CoverageName] = [
        name
        for name, share in shares.items()
        if share.value == 1.0 and not (name == "coverage_scored" and found.not_scoreable + found.withheld)
    ]
    if whole:
        told = ", ".join(f"{name.removeprefix('coverage_')} of {shares[name].n:,}" for name in whole)
        yield f"  {'100 %':<11} {place:<20} {told}"
    for name, share in shares.items():
        if name not in whole:
            yield from _lines(found, place, name, share, settings)


def _lines(
    found: Coverage, place: str, name: CoverageName, share: Measurement, settings: config.Coverage
) -> Iterator[str]:
    line = f"  {name.removeprefix('coverage_'):<11} {place:<20} {shown(share)} of {share.n:,}"
    if name == "coverage_scored" and found.not_scoreable == share.n:
        line = f"  {'scored':<11} {place:<20} none of {share.n:,} could be judged: content or passages are missing"
    elif name == "coverage_scored" and found.withheld == share.n:
        line = f"  {'scored':<11} {place:<20} none of {share.n:,} is judged: {WITHHELD}"
    elif name == "coverage_scored":
        line += _unjudged(found)
    least = least_of(name, settings)
    yield line + (f"  UNDER {percent(least)}" if share.value < least else "")
    if name == "coverage_asked" and share.value < _HALF:
        yield _UNASKED


def _unjudged(found: Coverage) -> str:
    """How many were scored and have no verdict, by why."""
    kinds = ((found.not_scoreable, "content or passages are missing"), (found.withheld, WITHHELD))
    return "".join(f", but {count:,} of them not judged: {why}" for count, why in kinds if count)


def _found(connection: sqlite3.Connection, settings: config.Coverage) -> Sequence[Coverage]:
    return reading.coverage(connection, time.time_ns() - int(settings.window_seconds * 1e9))

"""What a stretch of traffic was long enough for: which falls could page in it, and what others would have taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from ragvigil.exporters import clean, lasting
from ragvigil.scorer.commands._moments import utc
from ragvigil.scorer.config import Settings
from ragvigil.scorer.moments import DAY
from ragvigil.scorer.monitoring import SeriesKey
from ragvigil.scorer.replay.learning import Learning

_SECOND = 10**9
_SECTIONS = {"faithfulness": "faithfulness", "citation": "citation", "retrieval": "citation"}
"""Where the rule of a series is set."""
_SHORTER = (
    'to see pages sooner, set warmup_seconds and baseline_seconds lower: docs/detection.md, "A page today"'
)


def learned(first: Mapping[SeriesKey, int], learning: Learning, ended: int | None) -> list[str]:
    """A line for each service, what was learned in less time than usual, and what to set for pages sooner or later.

    `first` is when each series began, `ended` the last moment; Unix nanoseconds, None where nothing came.
    """
    if ended is None:
        return []
    settings = learning.settings
    places = groupby(sorted(first, key=_place), key=_place)
    lines: list[str] = []
    waiting = False
    for (service, environment), keys in places:
        where = clean(service, limit=40) + (f", {clean(environment, limit=40)}" if environment else "")
        series = [*keys]
        if not series[0].is_told(settings.monitor.page_environments):
            lines.append(f"{where}: nothing pages there: monitor.page_environments does not name it")
            continue
        late = [*_late(series, first, settings, ended)]
        waiting |= bool(late)
        history = (ended - min(first[key] for key in series)) / _SECOND
        early = ", ".join(_early(series, first, settings, ended)) or "nothing"
        not_yet = f"; not yet: {', '.join(late)}" if late else ""
        lines.append(f"{where}: {lasting(history)} of history; could page: {early}{not_yet}")
    if learning.seconds is not None:
        which = ", ".join(learning.shortened)
        lines.append(
            f"learned from the first {lasting(learning.seconds)} of so short a recording; to change it, set {which}"
        )
    return [*lines, _SHORTER] if waiting else lines


def _place(key: SeriesKey) -> tuple[str, str]:
    return key.service, key.environment or ""


def _ready(key: SeriesKey, first: Mapping[SeriesKey, int], settings: Settings) -> int:
    return first[key] + round(settings.monitor.rule(key.name).warmup_seconds * _SECOND)


def _early(
    series: Sequence[SeriesKey], first: Mapping[SeriesKey, int], settings: Settings, ended: int
) -> Iterator[str]:
    for key in series:
        ready = _ready(key, first, settings)
        if ready <= ended:
            yield f"{key.name} from {utc(ready)} on"


def _late(
    series: Sequence[SeriesKey], first: Mapping[SeriesKey, int], settings: Settings, ended: int
) -> Iterator[str]:
    for key in series:
        if _ready(key, first, settings) > ended:
            section = _SECTIONS.get(key.name, "measures")
            seconds = settings.monitor.rule(key.name).warmup_seconds
            yield f"{key.name} (needs {lasting(seconds)}: monitor.{section}.warmup_seconds)"
    days = settings.detect.learning_days
    if settings.detect.enabled and ended - min(first[key] for key in series) < days * DAY:
        yield f"slow and local falls (need {days:g} days: detect.learning_days)"

"""Settings of one route: which incidents it takes, and to which channels."""

from __future__ import annotations

import re
import zoneinfo
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from ragvigil.exporters import Severity
from ragvigil.scorer.config.fields import Seconds, Section, Words, several

_HOURS = re.compile(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)")


def hours_of(text: str) -> tuple[int, int]:
    """Minutes of the day at which it begins and ends.

    >>> hours_of("22:00-06:30")
    (1320, 390)
    """
    found = _HOURS.fullmatch(text)
    if found is None or text[:5] == text[6:]:
        raise ValueError('must be two different times of the day, such as "22:00-06:00"')
    begin, begin_minute, end, end_minute = map(int, found.groups())
    return begin * 60 + begin_minute, end * 60 + end_minute


def _are_hours(text: str) -> str:
    hours_of(text)
    return text


def _is_zone(name: str) -> str:
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(
            f'no time zone is called {name!r}; give a name such as "Europe/Berlin" '
            "(where the system has none at all: pip install tzdata)"
        ) from None
    return name


def _are_segments(words: tuple[str, ...]) -> tuple[str, ...]:
    for word in words:
        name, equals, value = word.partition("=")
        if not (name and equals and value):
            raise ValueError(f'{word!r} is no segment; say it as "language=de"')
    return words


class Route(Section):
    """Which incidents go where. Routes are asked in the order of the file; what no route takes goes to all channels.

    Every condition that is given must hold; of a list, one of the values.
    """

    channels: Annotated[Words, Field(min_length=1)] = Field(description="names of sections [channels.NAME]")
    series: Words = Field(default=(), description="faithfulness, citation, coverage_scored, …; none: all")
    service: Words = Field(default=(), description="values of service.name; none: all")
    environment: Words = Field(
        default=(), description='environments, "" for services that name none; none: all'
    )
    severity: Annotated[tuple[Severity, ...], BeforeValidator(several)] = Field(
        default=(), description="critical, error (a page), warning (a ticket), info; none: all"
    )
    segment: Annotated[Words, AfterValidator(_are_segments)] = Field(
        default=(), description='segments at fault, such as "language=de"; none: all, and no segment'
    )
    hours: Annotated[str, AfterValidator(_are_hours)] | None = Field(
        default=None, description='times of the day in `zone`, such as "22:00-06:00"; none: always'
    )
    zone: Annotated[str, AfterValidator(_is_zone)] = Field(
        default="UTC", description='time zone of hours, such as "Europe/Berlin"'
    )
    go_on: bool = Field(default=False, description="whether later routes are asked, too")
    renotify_seconds: Seconds | None = Field(
        default=None, description="a page that nobody acknowledged is told again after this long; none: once"
    )
    escalate_to: Words = Field(
        default=(),
        description="channels that are told as well when nobody acknowledged a page, or a channel does not take it",
    )
    escalate_seconds: Seconds = Field(
        default=900.0, description="how long escalate_to waits for an acknowledgement"
    )

    @property
    def conditions(self) -> tuple[object, ...]:
        """What it asks; two routes with the same take the same incidents."""
        words = (self.series, self.service, self.environment, self.severity, self.segment)
        return (*map(frozenset[str], words), self.hours, self.zone if self.hours else None)

"""Templates: every text in them is escaped, and no character of it hides or reorders others."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ragvigil.exporters import Measurement, clean, percent, visible
from ragvigil.scorer.dashboard.naming import name
from ragvigil.scorer.moments import in_utc, to_the_second

TEMPLATES = Path(__file__).parent / "templates"
_LINE = 160
_UNKNOWN = "-"


def rendered(template: str, page: object, path: str) -> str:
    """The page as HTML; its links are relative to `path`, so that it may stand below any address of a proxy."""
    return _environment().get_template(f"{template}.html").render(page=page, root=_root(path))


def _root(path: str) -> str:
    """From a page to the first one.

    >>> _root("/"), _root("/incidents"), _root("/incidents/inc-1")
    ('./', './', '../')
    """
    return "../" * (path.count("/") - 1) or "./"


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "calendar": _calendar,
        "line": _line,
        "measured": measured,
        "minute": in_utc,
        "name": name,
        "part": lambda text: quote(str(text), safe=""),
        "rate": percent_of,
        "second": to_the_second,
        "visible": lambda text: visible(str(text)),
    }
    return made


def _calendar(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _line(text: object, limit: int = _LINE) -> str:
    return _UNKNOWN if text is None or text == "" else clean(str(text), limit=limit)


def measured(measurement: Measurement | None) -> str:
    """A level with its interval and n; a threshold, which nobody measured, alone.

    >>> measured(Measurement(0.5, 0.4, 0.6, n=100)), measured(None)
    ('50.0 % [40.0, 60.0] n=100', 'not enough data')
    """
    if measurement is None:
        return "not enough data"
    return percent_of(measurement) if measurement.n else percent(measurement.value)


class _Rate(Protocol):
    @property
    def value(self) -> float: ...
    @property
    def lower(self) -> float: ...
    @property
    def upper(self) -> float: ...
    @property
    def n(self) -> int: ...


def percent_of(rate: _Rate) -> str:
    """A rate with its interval and n."""
    return f"{percent(rate.value)} [{100.0 * rate.lower:.1f}, {100.0 * rate.upper:.1f}] n={rate.n:,}"

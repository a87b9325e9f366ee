"""An alert as plain text, and text made fit to show."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from ragvigil.exporters._alert import Acknowledgement, Action, Alert, Example, Measurement
from ragvigil.exporters._trend import trend

STATUS: dict[Action, str] = {
    "trigger": "triggered",
    "update": "updated",
    "resolve": "resolved",
    "acknowledge": "acknowledged",
    "unacknowledge": "not acknowledged any more",
}
"""What an action makes of an incident, as people say it."""

_MOST_CHARACTERS = 4_000

# Control characters (but not tab and newline), characters that reorder or hide text, halves of surrogate pairs.
_UNSHOWABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


def clean(text: str, *, limit: int) -> str:
    """The text on one line, at most `limit` characters, without control, bidi and invisible characters.

    >>> clean("drop\\x1b[31m me\\n  now", limit=10)
    'drop[31m …'
    """
    # A page has no use for the end of a text of megabytes, so only its beginning is looked at.
    line = " ".join(_UNSHOWABLE.sub("", text[: 4 * limit]).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def visible(text: str) -> str:
    """The text with each of those characters seen as what it is, one for one, so that places in it stay theirs.

    >>> visible("pay\\u202e up\\x1b[31m")
    'pay� up�[31m'
    """
    return _UNSHOWABLE.sub("\ufffd", text)


def escaped(text: str) -> str:
    r"""The text with each of those characters as Python writes it.

    >>> print(escaped("pay\u202e up\x1b[31m"))
    pay\u202e up\x1b[31m
    """
    return _UNSHOWABLE.sub(lambda found: ascii(found[0])[1:-1], text)


def showable(value: Any) -> Any:
    """JSON values with the same characters removed from every text, and no text beyond 4,000 characters.

    >>> showable({"a\\x00": ["x\\u202ey", 1, None]})
    {'a': ['xy', 1, None]}
    """
    if isinstance(value, str):
        return _UNSHOWABLE.sub("", value[:_MOST_CHARACTERS])
    if isinstance(value, Mapping):
        entries = cast("Mapping[str, Any]", value)
        return {showable(name): showable(part) for name, part in entries.items()}
    if isinstance(value, (list, tuple)):
        parts = cast("Sequence[Any]", value)
        return [showable(part) for part in parts]
    return value


def percent(value: float) -> str:
    """A share as people read it.

    >>> percent(0.9512)
    '95.1 %'
    """
    return f"{100.0 * value:.1f} %"


def lasting(seconds: float) -> str:
    """A length of time as people say it: one unit, rounded; days to a tenth.

    >>> [lasting(seconds) for seconds in (12.4, 430.0, 5_400.0, 100_000.0, 200_000.0, 604_800.0)]
    ['12 s', '7 min', '90 min', '28 hours', '2.3 days', '7 days']
    """
    if seconds >= 2.0 * 86_400.0:
        return f"{round(seconds / 86_400.0, 1):,g} days"
    for unit, length in (("hours", 3_600.0), ("min", 60.0)):
        if seconds >= 2.0 * length:
            return f"{seconds / length:,.0f} {unit}"
    return f"{seconds:,.0f} s"


def shown(measurement: Measurement) -> str:
    """A rate with its interval; a level that was set has none.

    >>> shown(Measurement(0.62, 0.512, 0.718, 80)), shown(Measurement(0.9, 0.9, 0.9, 0))
    ('62.0 % (95 % interval 51.2 to 71.8 %)', '90.0 %')
    """
    if not measurement.estimated:
        return percent(measurement.value)
    return (
        f"{percent(measurement.value)} "
        f"(95 % interval {100.0 * measurement.lower:.1f} to {100.0 * measurement.upper:.1f} %)"
    )


def reference_word(alert: Alert) -> str:
    """What the level is that the rate is held against: it was ``before``, or it is ``wanted``, for somebody set it."""
    return "before" if alert.before.estimated else "wanted"


def as_text(alert: Alert) -> str:
    """The whole page as plain text, for a terminal, an e-mail or a log; it ends without a newline.

    >>> moment = datetime(2026, 3, 1, 3, 4, tzinfo=UTC)
    >>> rate = Measurement(0.6, 0.5, 0.7, 80)
    >>> print(as_text(Alert("i", "key", "trigger", "error", "citation", "shop", None, "It fell",
    ...                     "By much.", rate, rate, since=moment, at=moment)))
    It fell
    By much.
    <BLANKLINE>
    status    triggered
    severity  error
    service   shop
    since     2026-03-01 03:04:00 UTC
    sent      2026-03-01 03:04:00 UTC
    incident  i
    """
    lines = [clean(alert.title, limit=200)]
    lines += summary_lines(alert)
    page = [("page", clean(alert.link, limit=2_000))] if alert.link else []
    lines += ["", *(f"{name:<9} {value}" for name, value in [*facts(alert), *page])]
    for number, example in enumerate(alert.examples, start=1):
        lines += ["", *_example(number, example)]
    return "\n".join(lines)


def title_of(alert: Alert) -> str:
    """The title, for services that take none without a letter."""
    return alert.title if clean(alert.title, limit=100) else "An alert without a title"


def summary_lines(alert: Alert) -> list[str]:
    """The lines of the summary, each fit to show."""
    return [clean(line, limit=2_000) for line in alert.summary[:_MOST_CHARACTERS].splitlines()]


def facts(alert: Alert) -> list[tuple[str, str]]:
    """What stands under the summary as name and value, each fit to show."""
    place = f" ({clean(alert.environment, limit=200)})" if alert.environment else ""
    told = [
        ("status", STATUS[alert.action]),
        ("severity", alert.severity),
        ("service", clean(alert.service, limit=200) + place),
        ("since", _moment(alert.since)),
        ("sent", _moment(alert.at)),
        ("incident", clean(alert.incident_id, limit=200)),
    ]
    parts = [f"{name}={value}" for name, value in sorted(alert.segment.items()) if name != "service"]
    if parts:
        told.insert(3, ("segment", clean(", ".join(parts), limit=500)))
    if alert.acknowledged:
        told.append(("in hand", clean(in_hand(alert.acknowledged), limit=500)))
    shape = trend(alert.history)
    return told + ([("trend", shape)] if shape else [])


def in_hand(said: Acknowledgement) -> str:
    """Who has it in hand, in words.

    >>> in_hand(Acknowledgement("ana", datetime(2026, 3, 1, 3, 5, tzinfo=UTC), "rolling back"))
    'ana, since 03:05 UTC: rolling back'
    """
    note = f": {clean(said.note, limit=500)}" if said.note else ""
    return f"{clean(said.by, limit=100)}, since {said.at.astimezone(UTC):%H:%M} UTC{note}"


def _example(number: int, example: Example) -> list[str]:
    lines = [f"example {number}: {clean(example.reason, limit=300)}"]
    lines += [f"  asked     {clean(example.query, limit=300)}"] if example.query else []
    lines += [f"  answered  {clean(example.answer, limit=300)}"] if example.answer else []
    return [*lines, f"  trace     {clean(example.url or example.trace_id, limit=2_000)}"]


def _moment(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"

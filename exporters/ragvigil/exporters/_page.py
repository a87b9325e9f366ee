"""An alert as the pieces that chat and mail lay out: plain words, cleaned and bounded, in no markup yet."""

from __future__ import annotations

from dataclasses import dataclass

from ragvigil.exporters._addresses import shareable
from ragvigil.exporters._alert import Action, Alert, Example, Severity
from ragvigil.exporters._text import clean, facts, summary_lines, title_of
from ragvigil.exporters._trend import trend

_MARKS: dict[Severity, str] = {"critical": "🔴", "error": "🟠", "warning": "🟡", "info": "🔵"}
_RESOLVED = "🟢"
_COLOURS: dict[str, str] = {"🔴": "c62828", "🟠": "bf4400", "🟡": "8a6900", "🔵": "1565c0", "🟢": "2e7d32"}

_TITLE_CHARACTERS = 140
_SUMMARY_LINES = 16
"""What fell, why, and what to do about it come to 15 lines at most."""
_SUMMARY_CHARACTERS = 300
_FACT_CHARACTERS = 200
_EXAMPLES = 5
_EXAMPLE_CHARACTERS = 280
_URL_CHARACTERS = 1_000

QUIET: frozenset[Action] = frozenset({"acknowledge", "unacknowledge"})
"""What is shown where a message can be edited, and told to nobody."""

_SHOWN_OTHERWISE = frozenset({"status", "sent", "trend"})
"""Facts that title, time of the message and drawing say already: a phone has few lines."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One example, as it is shown."""

    reason: str
    lines: tuple[tuple[str, str], ...]
    """``asked`` and ``answered``, where they are known, with the text."""
    trace: str
    """Its id, cut to 32 characters."""
    url: str | None


@dataclass(frozen=True, slots=True)
class Page:
    """What a person reads, in the order in which it is read."""

    action: Action
    mark: str
    """One sign that says from afar how bad it is, or that it is over."""
    title: str
    summary: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    trend: str | None
    examples: tuple[Shown, ...]
    link: str | None

    @property
    def headline(self) -> str:
        """The title behind its mark."""
        return f"{self.mark} {self.title}"

    @property
    def colour(self) -> str:
        """The mark's colour, six hexadecimal digits: dark enough for white text."""
        return _COLOURS[self.mark]


def page_of(alert: Alert, *, examples: int = _EXAMPLES) -> Page:
    """The pieces of an alert; whatever its texts held, at most about 10,000 characters."""
    lines = [clean(line, limit=_SUMMARY_CHARACTERS) for line in summary_lines(alert)]
    return Page(
        action=alert.action,
        mark=_RESOLVED if alert.action == "resolve" else _MARKS[alert.severity],
        title=clean(title_of(alert), limit=_TITLE_CHARACTERS),
        summary=tuple(filter(None, lines))[:_SUMMARY_LINES],
        facts=tuple(
            (name, clean(value, limit=_FACT_CHARACTERS) or "-")
            for name, value in facts(alert)
            if name not in _SHOWN_OTHERWISE
        ),
        trend=trend(alert.history),
        examples=tuple(_shown(example) for example in alert.examples[:examples]),
        link=shareable(alert.link, limit=_URL_CHARACTERS),
    )


def colour_of(alert: Alert) -> str:
    """The colour of how bad it is, also when it is over: six hexadecimal digits."""
    return _COLOURS[_MARKS[alert.severity]]


def _shown(example: Example) -> Shown:
    asked = clean(example.query or "", limit=_EXAMPLE_CHARACTERS)
    answered = clean(example.answer or "", limit=_EXAMPLE_CHARACTERS)
    return Shown(
        reason=clean(example.reason, limit=_EXAMPLE_CHARACTERS) or "an example",
        lines=tuple((name, text) for name, text in (("asked", asked), ("answered", answered)) if text),
        trace=clean(example.trace_id, limit=32) or "-",
        url=shareable(example.url, limit=_URL_CHARACTERS),
    )

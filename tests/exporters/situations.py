"""What may happen, as alerts: the same in every golden file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Literal

from ragvigil.exporters import Acknowledgement, Action, Alert, Example, Measurement
from ragvigil.exporters._page import QUIET
from ragvigil.scorer.changes import Change
from ragvigil.scorer.config import Links
from ragvigil.scorer.diagnose.case import Reach
from ragvigil.scorer.diagnose.diagnosis import Cause, Diagnosis
from ragvigil.scorer.diagnose.fault import Fault
from ragvigil.scorer.diagnose.onset import Onset
from ragvigil.scorer.diagnose.shares import Part, Split
from ragvigil.scorer.diagnose.tags import Grown
from ragvigil.scorer.incidents.escalation import Step, Unanswered, said
from ragvigil.scorer.incidents.life import dedup_key, incident_id
from ragvigil.scorer.incidents.pages import page, standing
from ragvigil.scorer.monitor import coverage, health, leaks
from ragvigil.scorer.monitoring import AnyName, Incident, SeriesKey

_SINCE = datetime(2026, 3, 1, 3, 0, tzinfo=UTC)
_BEFORE = Measurement(0.95, 0.944, 0.955, 5_520)
_LOW = Measurement(0.78, 0.677, 0.856, 80)
_HIGHER = Measurement(0.87, 0.83, 0.9, 310)
_LOWER = Measurement(0.5, 0.393, 0.607, 80)
_EXAMPLES = (
    Example(
        "ab" * 16,
        "How do I <b>reset</b> it & <!channel> *now*?",
        "Press both keys [9]. [click](https://evil.example) @everyone",
        "cites doc-9, which was not retrieved",
        "https://tempo.example.com/trace/abab",
    ),
    Example("cd" * 16, "Is it safe?", None, "cites nothing"),
)
_LINKS = Links(public_url="https://rag.example.com", playbook_url="https://wiki.example.com/playbook")


def _nanoseconds(moment: datetime) -> int:
    return round(moment.timestamp()) * 10**9


def _minute(number: int) -> datetime:
    return _SINCE + timedelta(minutes=number)


_INCIDENT = Incident(
    "inc-0123456789abcdef",
    SeriesKey("citation", "help-desk", "production"),
    "ragvigil/production/help-desk/citation/20260301T030000Z",
    _nanoseconds(_minute(2)),
    _nanoseconds(_SINCE),
    _BEFORE,
    _LOW,
    _LOW,
    segment="language=de",
)

FOUND = Diagnosis(
    kind="new",
    cause=Cause(
        values=(("model", "large-3"),),
        share=Part(0.96, 0.81, 1.0),
        before=Measurement(0.952, 0.94, 0.96, 5_000),
        now=Measurement(0.41, 0.23, 0.61, 22),
        first_seen=_minute(-1).timestamp(),
        same_as=(),
        p=0.001,
    ),
    considered=(),
    onset=Onset(_SINCE.timestamp(), _minute(-1).timestamp(), _minute(1).timestamp()),
    split=Split(Part(-0.17, -0.25, -0.1), Part(-0.17, -0.25, -0.1), Part(0.0, -0.01, 0.01)),
    mix=None,
    fault=Fault("generation", "citations are written by the generator"),
    signals=(),
    tags=(Grown("MISATTRIBUTION", 0.021, 0.55, 0.4, 0.6, 400, 22),),
    playbook=("citations-wrong",),
    changes=(
        Change(
            "m",
            _nanoseconds(_minute(-1)),
            "model",
            "large-3",
            "help-desk",
            "production",
            "traffic",
            "small-1",
        ),
    ),
    records=5_600,
    measured=5_600,
    reach=Reach(22, 20, 15),
)


def _said(
    incident: Incident,
    action: Action,
    at: datetime,
    history: tuple[float | None, ...],
    drawn: tuple[datetime, datetime],
) -> Alert:
    """What the scorer says of it, with the examples of a hostile user."""
    first, last = map(_nanoseconds, drawn)
    alert = page(
        incident, action, (), _LINKS, at=_nanoseconds(at), history=history, drawn=(first, last), diagnosis=FOUND
    )  # fmt: skip
    return replace(alert, at=at, examples=() if action == "resolve" else _EXAMPLES)


def _standing(name: AnyName, service: str, environment: str | None) -> Incident:
    """An incident that is no fall, as the scorer opens it."""
    key, wanted = SeriesKey(name, service, environment), Measurement(1.0, 1.0, 1.0, 0)
    since, short = _nanoseconds(_minute(2)), Measurement(0.7, 0.7, 0.7, 0)
    called = dedup_key(key, since, grain_seconds=60.0)
    return Incident(incident_id(called), key, called, since, since, wanted, short, short)


def _repeated(action: Action, word: Literal["Reminder", "Escalated"], why: str, at: datetime) -> Alert:
    """The page once more, for whoever has not answered it."""
    one = Unanswered(_INCIDENT, _TRIGGER, _TRIGGER_NANOSECONDS, {})
    stands = replace(_INCIDENT, now=_HIGHER)
    fresh = _said(stands, "update", at, _HISTORY, (_minute(-6), _minute(2)))
    return said(
        one, Step("boss", action, word, why), _nanoseconds(at), replace(fresh, title=standing(stands))
    )


_HISTORY = (0.95, 0.96, 0.94, 0.95, None, 0.95, 0.83, 0.78)
_TRIGGER = _said(
    _INCIDENT, "trigger", _minute(2) + timedelta(microseconds=250), _HISTORY, (_minute(-6), _minute(2))
)

_TRIGGER_NANOSECONDS = _nanoseconds(_minute(2))

SITUATIONS: Mapping[str, Alert] = {
    "trigger": _TRIGGER,
    "update": _said(
        replace(_INCIDENT, worst=_LOWER, now=_LOWER),
        "update",
        _minute(12),
        (*_HISTORY, 0.61, 0.5),
        (_minute(-18), _minute(12)),
    ),
    "acknowledge": replace(
        _TRIGGER,
        action="acknowledge",
        at=datetime(2026, 3, 1, 3, 5, tzinfo=UTC),
        acknowledged=Acknowledgement(
            "ana",
            datetime(2026, 3, 1, 3, 5, tzinfo=UTC),
            "<!here> *rolling* back to [v11](http://evil.example)",
        ),
    ),
    "unacknowledge": replace(_TRIGGER, action="unacknowledge", at=datetime(2026, 3, 1, 3, 9, tzinfo=UTC)),
    "resolve": _said(
        replace(
            _INCIDENT,
            now=Measurement(0.95, 0.924, 0.967, 400),
            recovering_since=_nanoseconds(_minute(30)),
            resolved_at=_nanoseconds(_minute(40)),
        ),
        "resolve",
        _minute(40),
        (*_HISTORY, 0.9, 0.95),
        (_minute(-60), _minute(40)),
    ),
    "again": _said(
        replace(_INCIDENT, reopened=1), "trigger", _minute(62), _HISTORY, (_minute(-60), _minute(62))
    ),
    "amended": _said(
        replace(_INCIDENT, worst=_HIGHER, now=_HIGHER, amended_at=_nanoseconds(_minute(25))),
        "update",
        _minute(25),
        _HISTORY,
        (_minute(-25), _minute(25)),
    ),
    "withdrawn": _said(
        replace(_INCIDENT, now=_BEFORE, withdrawn=True, resolved_at=_nanoseconds(_minute(25))),
        "resolve",
        _minute(25),
        (),
        (_minute(-25), _minute(25)),
    ),
    "reminder": _repeated("update", "Reminder", "Nobody has acknowledged it since 03:02 UTC.", _minute(32)),
    "escalated": _repeated("trigger", "Escalated", "Channel oncall did not take it.", _minute(17)),
    "ticket": coverage.alert_of(
        replace(
            _standing("coverage_complete", "help-desk", "production"),
            before=Measurement(0.5, 0.5, 0.5, 0, None, "threshold"),
            now=Measurement(0.31, 0.267, 0.357, 400),
        ),
        "trigger",
        _nanoseconds(_minute(2)),
        _LINKS,
        "warning",
    ),
    "leak": leaks.alert_of(
        replace(
            _standing("leak", "help-desk", "production"),
            now=Measurement(0.0, 0.0, 0.0, 2, None, "none"),
            note="Kinds: EMAIL, KEY",
        ),
        "trigger",
        [leaks.Leak(1, SeriesKey("leak", "help-desk", "production"), "ab" * 16, ("EMAIL", "KEY"))],
        _nanoseconds(_minute(2)),
        _LINKS,
    ),
    "health": health.alert_of(
        replace(
            _standing("scorer_backlog", health.SERVICE, None),
            note="It is reading what arrived 7 min ago; 5 min are allowed (health.backlog_seconds).",
        ),
        "trigger",
        _nanoseconds(_minute(2)),
        _LINKS,
    ),
}

OPENS = frozenset({"trigger", "escalated", "ticket", "leak", "health"})
"""What a channel may hear first; what else happens goes on from the page."""
LOUD = tuple(name for name, alert in SITUATIONS.items() if alert.action not in QUIET)
"""What is told to people, and not only shown."""

_HUGE = (
    "<!channel> <@U1|x> <https://evil.example|click> [click](https://evil.example) ![i](http://evil.example/p.png) "
    "@everyone @here <script>alert(1)</script> <img src=x onerror=y> `code` *b* _i_ ~s~ | > q # h\n- li\n{{DATE(1)}} "
    "\x00\x1b[31m\u202e\ud800\r\nBcc: evil@evil.example \U0001f600\"\\é' &lt;b&gt; "
)


def hostile() -> Alert:
    """Five megabytes of every markup in every text that comes from a trace."""
    text = _HUGE * (5_000_000 // len(_HUGE))
    examples = tuple(
        Example(text, text, text, text, f"https://tempo.example.com/{number}") for number in range(20)
    )
    return replace(
        _TRIGGER,
        title=_HUGE,
        summary=text,
        service=text[:100_000],
        environment=text[:100_000],
        segment={f"{number} {_HUGE}": text[:100_000] for number in range(30)},
        examples=examples,
        history=tuple((0.5, None, 0.9)[number % 3] for number in range(2_000)),
        acknowledged=Acknowledgement(_HUGE, _TRIGGER.at, text),
    )


def bare() -> Alert:
    """From a scorer that knows next to nothing."""
    return replace(
        _TRIGGER,
        environment=None,
        link=None,
        service="",
        summary="",
        title="",
        segment={},
        examples=(),
        history=(),
    )


def homeless() -> Alert:
    """Links that lead nowhere but to the machine that made them, or to no page at all."""
    bad = ("http://localhost:4319/x", "http://127.0.0.1/x", "javascript:alert(1)", "https://a.example/<x>|y")
    examples = tuple(Example(f"{number}" * 32, None, None, "why", url) for number, url in enumerate(bad))
    return replace(_TRIGGER, link="http://[::1]:4319/incidents/1", examples=examples)

"""What may happen, as alerts: the same in every golden file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from ragvigil.exporters import Alert, Example, Measurement

_TRIGGER = Alert(
    incident_id="inc-0123456789abcdef",
    dedup_key="ragvigil/production/help-desk/citation/20260301T030000Z",
    action="trigger",
    severity="error",
    series="citation",
    service="help-desk",
    environment="production",
    title="Citation correctness of help-desk fell from 95.0 % to 78.0 %",
    summary=(
        "Now: 78.0 % (95 % interval 67.7 to 85.6 %) of 80 answers.\n"
        "Before: 95.0 % (95 % interval 94.4 to 95.5 %) of 5,520 answers.\n"
        "Since: about 2026-03-01 03:00 UTC.\n"
        "Where: service help-desk, environment production."
    ),
    before=Measurement(0.95, 0.944, 0.955, 5_520),
    now=Measurement(0.78, 0.677, 0.856, 80),
    since=datetime(2026, 3, 1, 3, 0, tzinfo=UTC),
    at=datetime(2026, 3, 1, 3, 2, 0, 250, tzinfo=UTC),
    segment={"service": "help-desk", "language": "de"},
    examples=(
        Example(
            "ab" * 16,
            "How do I <b>reset</b> it & <!channel> *now*?",
            "Press both keys [9]. [click](https://evil.example) @everyone",
            "cites doc-9, which was not retrieved",
            "https://tempo.example.com/trace/abab",
        ),
        Example("cd" * 16, "Is it safe?", None, "cites nothing"),
    ),
    link="https://rag.example.com/incidents/inc-0123456789abcdef",
    history=(0.95, 0.96, 0.94, 0.95, None, 0.95, 0.83, 0.78),
)

SITUATIONS: Mapping[str, Alert] = {
    "trigger": _TRIGGER,
    "update": replace(
        _TRIGGER,
        action="update",
        severity="critical",
        title="Worse: citation correctness of help-desk fell further, from 95.0 % to 50.0 %",
        summary=_TRIGGER.summary.replace(
            "78.0 % (95 % interval 67.7 to 85.6 %)", "50.0 % (95 % interval 39.3 to 60.7 %)"
        ),
        now=Measurement(0.5, 0.393, 0.607, 80),
        at=datetime(2026, 3, 1, 3, 12, tzinfo=UTC),
        history=(*_TRIGGER.history, 0.61, 0.5),
    ),
    "resolve": replace(
        _TRIGGER,
        action="resolve",
        title="Resolved: citation correctness of help-desk is back at 95.0 %",
        summary="Now: 95.0 % (95 % interval 92.4 to 96.7 %) of 400 answers since 2026-03-01 03:30 UTC.",
        now=Measurement(0.95, 0.924, 0.967, 400),
        at=datetime(2026, 3, 1, 3, 40, tzinfo=UTC),
        examples=(),
        history=(*_TRIGGER.history, 0.9, 0.95),
    ),
    "ticket": replace(
        _TRIGGER,
        incident_id="inc-fedcba9876543210",
        dedup_key="ragvigil/production/help-desk/coverage/20260301T030000Z",
        severity="warning",
        series="coverage",
        title="Only 71.0 % of the answers of help-desk were scored",
        summary="It should be 99.0 %. The numbers of this service stand on fewer answers until that is mended.",
        examples=(),
        history=(),
    ),
}

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

"""Who is told of which incident."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.command_line import ragvigil
from tests.scorer.incidents.test_oncall import NOW, SECOND, due, post

from ragvigil.exporters import Action, Severity
from ragvigil.scorer.config import load
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.incidents.routing import routed
from ragvigil.scorer.monitoring import SeriesKey
from ragvigil.scorer.store.sqlite import SqliteStore

PAGE = Path(__file__).parents[3] / "docs" / "incidents.md"
BLOCKS = re.findall(r"```toml\n(.*?)```", PAGE.read_text(), re.DOTALL)
(DOCUMENTED,) = (block for block in BLOCKS if "[routes." in block)
HOOK = {"type": "webhook", "url": "https://example.com", "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}
CHANNELS = {"oncall": HOOK, "tickets": HOOK}


@pytest.mark.parametrize(
    ("service", "severity", "hour", "goes_to"),
    [
        ("shop", "error", 12, ["oncall"]),
        ("shop", "warning", 12, ["tickets"]),
        ("batch-faq", "error", 12, ["oncall"]),
        ("batch-faq", "error", 22, ["tickets"]),
        ("batch-faq", "error", 5, ["tickets"]),
        ("batch-faq", "error", 6, ["oncall"]),
    ],
)
def test_the_documented_routes(
    service: str, severity: Severity, hour: int, goes_to: list[str], tmp_path: Path
) -> None:
    """Tickets apart, a night without a page, the rest to whoever is on call."""
    (tmp_path / "ragvigil.toml").write_text(DOCUMENTED)
    settings = load(tmp_path / "ragvigil.toml")
    key, at = SeriesKey("citation", service, None), datetime(2026, 3, 1, hour, tzinfo=UTC)
    assert routed(settings.routes, list(settings.channels), key, severity, at) == goes_to


def test_what_no_route_takes_goes_to_all_and_go_on_adds() -> None:
    """Nobody is the one answer that is never right."""
    routes = {
        "copy": {"channels": ["tickets"], "service": ["shop"], "go_on": True},
        "page": {"channels": ["oncall"], "environment": ["production"]},
    }
    settings = load(overrides={"channels": CHANNELS, "routes": routes})
    at = datetime(2026, 3, 1, tzinfo=UTC)

    def told(service: str, environment: str | None) -> list[str]:
        key = SeriesKey("citation", service, environment)
        return list(routed(settings.routes, list(settings.channels), key, "error", at))

    assert told("shop", "production") == ["oncall", "tickets"]
    assert told("shop", None) == ["tickets"]
    assert told("other", "production") == ["oncall"]
    assert told("other", None) == ["oncall", "tickets"]


def test_whoever_got_the_page_gets_its_end(tmp_path: Path) -> None:
    """Though by then another route would take it."""
    hours = f"{datetime.fromtimestamp(NOW / SECOND, UTC):%H:%M}-23:59"
    routes = {"now": {"channels": ["tickets"], "hours": hours}, "rest": {"channels": ["oncall"]}}
    url = f"sqlite:///{tmp_path / 'ragvigil.db'}"
    settings = load(overrides={"channels": CHANNELS, "routes": routes, "store": {"url": url}})
    with SqliteStore(settings) as store:
        for action in ("trigger", "resolve"):
            later = NOW if action == "trigger" else NOW + 86_000 * SECOND
            post(store, action, later, channels=("oncall", "tickets"))
            assert [(channel, said) for channel, said, _ in due(store, later)] == [("tickets", action)]
            for row in store.outbox.due(later, 10):
                store.outbox.delivered(row.id, later, None)


def test_whoever_heard_its_end_hears_that_it_opens_again(tmp_path: Path) -> None:
    """Though the routes of that hour choose another."""
    hours = f"{datetime.fromtimestamp(NOW / SECOND, UTC):%H:%M}-23:59"
    routes = {"now": {"channels": ["tickets"], "hours": hours}, "rest": {"channels": ["oncall"]}}
    url = f"sqlite:///{tmp_path / 'ragvigil.db'}"
    settings = load(overrides={"channels": CHANNELS, "routes": routes, "store": {"url": url}})
    with SqliteStore(settings) as store:
        steps: tuple[tuple[Action, int], ...] = (
            ("trigger", NOW),
            ("resolve", NOW + SECOND),
            ("trigger", NOW + 86_000 * SECOND),
        )
        told: list[str] = []
        for action, later in steps:
            post(store, action, later, channels=("oncall", "tickets"))
            told = [channel for channel, _, _ in due(store, later)]
            for row in store.outbox.due(later, 10):
                store.outbox.delivered(row.id, later, None)
        assert sorted(told) == ["oncall", "tickets"]


@pytest.mark.parametrize(
    ("moment", "goes_to"),
    [
        ("2026-03-28T04:30Z", ["tickets"]),  # 05:30, winter
        ("2026-03-29T04:30Z", ["oncall"]),  # 06:30: the clocks were put forward two hours ago
        ("2026-03-29T00:59Z", ["tickets"]),  # 01:59, and a minute later it is 03:00
        ("2026-03-29T01:00Z", ["tickets"]),
        ("2026-10-24T04:30Z", ["oncall"]),  # 06:30, summer
        ("2026-10-25T04:30Z", ["tickets"]),  # 05:30: put back
        ("2026-10-25T00:30Z", ["tickets"]),  # 02:30, the first time
        ("2026-10-25T01:30Z", ["tickets"]),  # and again
        ("2026-07-01T20:00Z", ["tickets"]),  # 22:00 to the minute
        ("2026-07-01T19:59Z", ["oncall"]),
    ],
)
def test_hours_follow_the_clocks_of_their_zone(moment: str, goes_to: list[str]) -> None:
    """A night in Berlin is a night in summer and in winter, and in the nights between."""
    night = {"channels": ["tickets"], "hours": "22:00-06:00", "zone": "Europe/Berlin"}
    settings = load(
        overrides={"channels": CHANNELS, "routes": {"n": night, "rest": {"channels": ["oncall"]}}}
    )
    at = datetime.fromisoformat(moment)
    key = SeriesKey("citation", "shop", None)
    assert routed(settings.routes, list(settings.channels), key, "error", at) == goes_to


@pytest.mark.parametrize(
    ("routes", "said"),
    [
        ({"a": {"channels": ["ticket"]}}, "did you mean tickets"),
        ({"a": {"channels": []}}, "routes.a.channels"),
        ({"a": {"channels": ["oncall"], "hours": "25:00-06:00"}}, "22:00-06:00"),
        ({"a": {"channels": ["oncall"], "severity": ["bad"]}}, "routes.a.severity"),
        ({"a": {"channels": ["oncall"], "sevice": ["x"]}}, "did you mean service"),
        ({"a": {"channels": ["oncall"]}, "b": {"channels": ["tickets"]}}, "conditions of routes.a"),
        (
            {
                "a": {"channels": ["oncall"], "service": ["x", "y"], "hours": "22:00-06:00"},
                "b": {"channels": ["tickets"], "service": ["y", "x"], "hours": "22:00-06:00"},
            },
            "routes.b: has the conditions of routes.a",
        ),
        (
            {"a": {"channels": ["oncall"]}, "b": {"channels": ["tickets"], "service": ["x"]}},
            r"routes.b: is never asked \(routes.a takes everything; put it last",
        ),
    ],
)
def test_routes_that_make_no_sense_are_refused(routes: dict[str, object], said: str) -> None:
    """The error names the route and the fix."""
    with pytest.raises(ConfigError, match=said):
        load(overrides={"channels": CHANNELS, "routes": routes})


def test_explain_says_which_route_and_why(tmp_path: Path) -> None:
    """As the documentation shows it."""
    (tmp_path / "ragvigil.toml").write_text(DOCUMENTED)
    config = str(tmp_path / "ragvigil.toml")
    shown = ragvigil("routes", "explain", "service=shop", "at=2026-03-01T23:00Z", "--config", config)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.splitlines() == [
        "tickets: no: severity is 'error', not 'warning'",
        "nights: no: service is 'shop', not 'batch-faq'",
        "rest: takes it: every condition holds",
        "goes to: oncall",
        "then to: boss, 900 s after nobody acknowledged it, or when a channel does not take it",
    ]
    refused = ragvigil("routes", "explain", "team=search", "--config", config)
    assert (refused.returncode, "known: series, service" in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    ("labels", "last"),
    [
        (["series=leak"], ["goes to: tickets", "then to: oncall, when a channel does not take it"]),
        (["series=coverage_scored"], ["goes to: oncall"]),
        (["series=coverage_asked"], ["goes to: tickets", "then to: oncall, when a channel does not take it"]),
        (
            ["environment=staging"],
            ["goes to: nobody: environment 'staging' is kept, not told (monitor.page_environments: 'prod')"],
        ),
        (
            ["severity=critical", "service=night"],
            [
                "goes to: tickets",
                "then to: oncall, 900 s after nobody acknowledged it, or when a channel does not take it",
            ],
        ),
    ],
)
def test_explain_says_what_will_happen(tmp_path: Path, labels: list[str], last: list[str]) -> None:
    """With the severity that the series begins with, where it is kept quiet, and to whom it goes on."""
    file = tmp_path / "ragvigil.toml"
    hook = "\n".join(f'{name} = "{value}"' for name, value in HOOK.items())
    quiet = 'channels = ["tickets"]\nescalate_to = ["oncall"]\nescalate_seconds = 900\n'
    file.write_text(
        f"[channels.oncall]\n{hook}\n[channels.tickets]\n{hook}\n"
        '[monitor]\npage_environments = ["prod"]\n[coverage]\npages = ["coverage_scored"]\n'
        f'[routes.tickets]\nseverity = ["warning"]\n{quiet}'
        f'[routes.night]\nservice = ["night"]\n{quiet}'
        '[routes.rest]\nchannels = ["oncall"]\n'
    )
    given = labels if any(label.startswith("service=") for label in labels) else [*labels, "service=shop"]
    shown = ragvigil("routes", "explain", *given, "--config", str(file))
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.splitlines()[-len(last) :] == last

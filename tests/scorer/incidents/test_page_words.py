"""The words of every page that the scorer can send, in one file that a reviewer reads as whoever is woken by it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tests.exporters.situations import FOUND
from tests.scorer.monitor.test_arrivals import House, always
from tests.scorer.monitor.test_coverage import MINUTE, Service, until_back
from tests.scorer.monitor.test_health import SECOND, Patient
from tests.scorer.monitor.test_leaks import ADDRESS, DAY, NOW, Desk, leaking

from ragvigil.exporters import Action, Alert, Example, Measurement, as_text
from ragvigil.scorer.config import Links, load
from ragvigil.scorer.detect import Alert as Found
from ragvigil.scorer.detect.sequential.batch import Metric
from ragvigil.scorer.diagnose.diagnosis import Other
from ragvigil.scorer.diagnose.words import full_lines
from ragvigil.scorer.incidents.causes import likely_cause
from ragvigil.scorer.incidents.escalation import Step, Unanswered, said
from ragvigil.scorer.incidents.pages import CAUSE_FOUND, label, page, standing
from ragvigil.scorer.monitoring import FLOOR, AnyName, Incident, SeriesKey
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.watch.figures import figures
from ragvigil.scorer.watch.floor import point

GOLDEN = Path(__file__).parents[2] / "exporters" / "golden" / "words.txt"
LINKS = Links(
    public_url="https://rag.example.com", trace_url_template="https://tempo.example.com/trace/{trace_id}"
)
HOUR = 60 * MINUTE


def noted(metric: Metric, evidence: dict[str, float | str]) -> str | None:
    """What the watcher notes of what the core found."""
    return figures(Found(0.0, "ticket", metric, None, evidence))[2]


GOOD = Measurement(0.95, 0.944, 0.955, 5_520, 5_520)
LOW = Measurement(0.78, 0.677, 0.856, 80, 80)
LOWER = Measurement(0.5, 0.393, 0.607, 80, 80)
DRIFTED = noted("judge", {"change": -0.12, "error": 0.012})
SILENT = noted("judge", {"missing": 31, "calls": 100})
AWAY = noted("traffic", {"traces": 3, "a_week_before": 412})
EXAMPLE = Example(
    "ab" * 16, "How do I reset it?", "Press both keys [9].", "cites doc-9, which was not retrieved"
)


def fallen(name: AnyName = "citation") -> Incident:
    """An incident that opened an hour ago."""
    key = SeriesKey(name, "help-desk", "production")
    return Incident("inc-0123456789abcdef", key, "key", NOW - HOUR, NOW - HOUR, GOOD, LOW, LOW)


def falls() -> Iterator[tuple[str, Alert]]:
    """What is said of a rate that falls, from the page to its end, and what may become of it."""
    over = replace(fallen(), now=GOOD, recovering_since=NOW - 20 * MINUTE, resolved_at=NOW)
    root = fallen("retrieval")
    situations: list[tuple[str, Incident, Action]] = [
        ("a fall of citations", fallen(), "trigger"),
        ("one of a segment", replace(fallen(), segment="language=de"), "trigger"),
        ("a fall of faithfulness", fallen("faithfulness"), "trigger"),
        ("nothing is retrieved", root, "trigger"),
        ("it gets worse", replace(fallen(), worst=LOWER, now=LOWER), "update"),
        ("it opens again", replace(fallen(), reopened=1), "trigger"),
        ("late data show another level", replace(fallen(), amended_at=NOW), "update"),
        (
            "late data show that nothing fell",
            replace(fallen(), withdrawn=True, now=GOOD, resolved_at=NOW),
            "resolve",
        ),
        ("it is over", over, "resolve"),
        (
            "the judge has drifted",
            replace(fallen("judge"), note=DRIFTED),
            "trigger",
        ),
        ("verdicts are missing", replace(fallen("judge"), note=SILENT), "trigger"),
        ("the judge is itself again", replace(fallen("judge"), note=DRIFTED, resolved_at=NOW), "resolve"),
        ("traffic is away", replace(fallen("traffic"), note=AWAY), "trigger"),
        ("traffic is back", replace(fallen("traffic"), note=AWAY, resolved_at=NOW), "resolve"),
    ]
    for name, incident, action in situations:
        examples = () if action == "resolve" or incident.key.name in ("judge", "traffic") else (EXAMPLE,)
        yield name, page(incident, action, examples, LINKS, at=NOW)
    low = Measurement(0.86, 0.83, 0.89, 1_204, 4_013, "rogan-gladen", calibrated=True)
    floor = replace(fallen("faithfulness"), before=point(0.9, FLOOR), worst=low, now=low)
    yield "the level is under its floor", page(floor, "trigger", (EXAMPLE,), LINKS, at=NOW)
    high = replace(low, value=0.91, lower=0.88, upper=0.94)
    back = replace(floor, now=high, recovering_since=NOW - HOUR, resolved_at=NOW)
    yield "the level is back at its floor", page(back, "resolve", (), LINKS, at=NOW)
    noted = replace(fallen(), note=likely_cause(fallen(), root, label("retrieval")))
    yield "the cause was found after the page", page(noted, "update", (), LINKS, at=NOW, news=CAUSE_FOUND)
    seen = replace(fallen(), segment="language=de", note="Seen in language=fr, too.")
    yield (
        "another segment fell as well",
        page(seen, "update", (), LINKS, at=NOW, news="Seen in language=fr, too"),
    )


def unanswered() -> Iterator[tuple[str, Alert]]:
    """What is said of a page that nobody acknowledged."""
    alert = page(fallen(), "trigger", (), LINKS, at=NOW)
    one = Unanswered(fallen(), alert, NOW, {})
    why = "Nobody has acknowledged it since 03:00 UTC."
    yield "nobody answers", said(one, Step("oncall", "update", "Reminder", why), NOW + HOUR)
    back = replace(fallen(), now=GOOD, recovering_since=NOW + 40 * MINUTE)
    fresh = replace(page(back, "update", (), LINKS, at=NOW + HOUR), title=standing(back))
    yield (
        "nobody answers, and it looks well again",
        said(one, Step("oncall", "update", "Reminder", why), NOW + HOUR, fresh),
    )
    yield (
        "a channel is away",
        said(one, Step("boss", "trigger", "Escalated", "Channel oncall did not take it."), NOW + MINUTE),
    )


def illnesses(folder: Path) -> Iterator[tuple[str, Alert]]:
    """What the scorer says of itself."""
    settings = load(
        overrides={
            "store": {"url": f"sqlite:///{folder / 'health.db'}"},
            "inbox": {"path": str(folder / "inbox")},
            "links": LINKS.model_dump(exclude_none=True),
        }
    )
    with SqliteStore(settings) as store:
        patient = Patient(settings, store)
        patient.pipeline.reading = patient.now - 400 * SECOND
        patient.free = 10**8
        patient.watch.judged(patient.now, answered=10, failed=40)
        for name, well in (("the scorer is ill", False), ("the scorer is well again", True)):
            if well:
                patient.pipeline.reading, patient.free = None, 10**12
                patient.watch.judged(patient.now, answered=100, failed=0)
            told: list[Alert] = []
            while len(told) < 3:
                patient.now += 30 * SECOND
                told += patient.watch.tick(patient.now)
            yield from ((f"{name}: {alert.series}", alert) for alert in told)


def tickets(folder: Path) -> Iterator[tuple[str, Alert]]:
    """What can wait until the morning."""
    shop = Service(folder, {"least_asked": 0.5})
    try:
        shop.answer(25)
        shop.answer(75, completeness="content_off")
        shop.answer(100, "shed")
        shop.answer(1, lost=400)
        shop.noise(900)
        yield from ((f"coverage: {alert.series}", alert) for alert in shop.look())
        _, back = until_back(shop)
        yield "coverage is back", back
    finally:
        shop.store.close()
    desk = Desk(folder / "leaks")
    try:
        (first,) = desk.receive(*leaking(1, ADDRESS))
        (end,) = desk.watch.tick(NOW + 2 * DAY)
        yield "a leak", first
        yield "no more leaks", end
    finally:
        desk.bench.close()


def silent_services(folder: Path) -> Iterator[tuple[str, Alert]]:
    """A service that stopped, and what ends without data."""
    house = House(folder)
    try:
        house.past(8, always(30))
        house.past(8, always(30), service="bank")
        house.pass_(1, ["shop", "bank"], each=30)
        house.fall("coverage_complete")
        yield from (("all services are silent", alert) for alert in house.pass_(30))
        yield from (("one of them is back", alert) for alert in house.pass_(12, ["bank"]))
        yield from (("the other is closed", alert) for alert in house.pass_(26 * 60, ["bank"]))
    finally:
        house.store.close()


def test_every_page_reads_as_the_golden_file_shows(tmp_path: Path) -> None:
    """WRITE_GOLDEN=1 writes it anew. No page names this machine, and each says where to look."""
    for name in ("leaks", "silent"):
        (tmp_path / name).mkdir()
    told = [*falls(), *unanswered(), *illnesses(tmp_path), *tickets(tmp_path)]
    told += silent_services(tmp_path / "silent")
    text = "\n".join(f"==== {name}\n{as_text(alert)}\n" for name, alert in told)
    text = re.sub(r"(?m)^Where: host \S+, store \S+$", "Where: host HOST, store STORE.", text)
    if os.environ.get("WRITE_GOLDEN"):
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text()
    assert not [name for name, alert in told if alert.link is None and "leak" not in name]
    assert "127.0.0.1" not in text
    assert "localhost" not in text


def test_long_names_leave_the_figures_in_the_title() -> None:
    """A page on a lock screen says from what to what, whatever things are called."""
    key = SeriesKey(
        "criteria.answers-in-the-language-of-the-question", "the-help-desk-of-the-northern-region", "x"
    )
    long = replace(fallen(), key=key, segment="tenant=a-customer-with-a-rather-long-name")
    endings: tuple[tuple[Action, str], ...] = (
        ("trigger", "from 95.0 % to 78.0 %"),
        ("resolve", "is back at 78.0 %"),
    )
    for action, ending in endings:
        title = page(long, action, (), LINKS, at=NOW).title
        assert len(title) <= 120
        assert title.endswith(ending)


def test_what_is_most_urgent_stands_in_the_first_lines() -> None:
    """Slack's thread shows six; without a configured playbook no line leads to a file of the repository."""
    alert = page(fallen(), "update", (), Links(), at=NOW, diagnosis=FOUND)
    said = alert.summary.splitlines()
    assert [line.partition(":")[0] for line in said[:6]] == [
        "Now", "Before", "Probable cause", "What changed", "At fault", "Try first"
    ]  # fmt: skip
    assert said[5].startswith("Try first: compare with what ran before model=large-3, or roll it back; else ")
    assert said[5].endswith('Playbook "Citations do not match".')
    assert "docs/playbook.md" not in alert.summary
    assert not any(line.startswith("Since: ") for line in said)


def test_a_diagnosis_lists_what_it_considered_only_where_there_is_something() -> None:
    """An empty list looks as if its end were missing."""
    other = Other((("language", "de"),), 3.2, 0.04)
    said = "considered, and how often some value falls as much more than the rest where none is at fault:"
    assert said not in list(full_lines(FOUND, LINKS))
    assert said in list(full_lines(replace(FOUND, considered=(other,)), LINKS))

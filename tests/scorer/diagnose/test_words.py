"""What a page says of a diagnosis is true of it, and reads as no more than it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.exporters.situations import FOUND

from ragvigil.exporters import Action, Measurement
from ragvigil.scorer.changes import Change
from ragvigil.scorer.config import Links
from ragvigil.scorer.diagnose.case import Case
from ragvigil.scorer.diagnose.diagnosis import diagnose
from ragvigil.scorer.diagnose.evidence import evidence_of
from ragvigil.scorer.diagnose.onset import Onset
from ragvigil.scorer.diagnose.words import first_lines, more_lines, playbook_row, verdict
from ragvigil.scorer.incidents.pages import page
from ragvigil.scorer.monitoring import Incident, SeriesKey

AT = 1_772_334_000.0


@pytest.mark.parametrize(
    ("lower", "upper", "said"),
    [
        (0.0, 0.4, "Began about 2026-03-01 03:00:00 UTC (95 % sure to the second)."),
        (-2.0, 1.0, "Began about 2026-03-01 03:00:00 UTC (95 % interval 02:59:58 to 03:00:01 UTC)."),
        (-120.0, 60.0, "Began about 2026-03-01 03:00 UTC (95 % interval 02:58 to 03:01 UTC)."),
    ],
)
def test_an_interval_that_is_narrower_than_a_second_is_not_shown_as_none(
    lower: float, upper: float, said: str
) -> None:
    """From a moment to the same moment is no interval."""
    assert more_lines(replace(FOUND, onset=Onset(AT, AT + lower, AT + upper)))[0] == said


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (Change("1", round(AT * 1e9), "index", "index rebuilt"), "index rebuilt (told "),
        (Change("1", round(AT * 1e9), "index", "Index 7 built"), "Index 7 built (told "),
        (Change("1", round(AT * 1e9), "deploy", "release 42"), "deploy release 42 (told "),
        (
            Change("1", round(AT * 1e9), "model", "large", source="traffic", before="small"),
            "model large (first seen 2026-03-01 03:00:00 UTC, within the time in which it began).",
        ),
        (
            Change("1", round(AT * 1e9), "service_version", "0.1.0", source="traffic"),
            "service_version 0.1.0 (first seen 2026-03-01 03:00:00 UTC, within the time in which it began, none was",
        ),
        (
            Change("1", round((AT - 600.0) * 1e9), "prompt", "v8"),
            "prompt v8 (told 2026-03-01 02:50 UTC, before it began).",
        ),
    ],
)
def test_a_change_is_named_once_and_a_first_version_for_what_it_is(change: Change, said: str) -> None:
    """ "index index rebuilt"; and a version that is the first one told of reads like one that was rolled out."""
    assert first_lines(replace(FOUND, changes=(change,)), Links())[1].startswith(f"What changed: {said}")


def test_what_was_there_from_the_start_is_not_first_seen() -> None:
    """Watched for five minutes before its fall, a service had each of its tenants "first seen" when it began."""
    random = np.random.default_rng(3)
    size = 3_000
    times = AT + np.sort(random.uniform(0.0, 600.0, size))
    tenant = random.choice(["acme", "bolt", "cole", "dune"], size)
    tenant[:3] = "bolt"
    fell = (tenant == "acme") & (times >= AT + 300.0)
    outcome = [float(random.random() < (0.2 if bad else 0.97)) for bad in fell]
    evidence = evidence_of(time=times, outcome=outcome, attributes=[{"tenant": str(one)} for one in tenant])
    found = diagnose(Case("citation", AT + 300.0, evidence, np.arange(size), {}, {}))
    assert found.cause is not None
    assert found.cause.values == (("tenant", "acme"),)
    assert found.cause.first_seen is None
    assert found.kind == "segment"
    assert "first seen" not in verdict(found)


@pytest.mark.parametrize(("action", "cause"), [("trigger", {"model": "large-3"}), ("resolve", {})])
def test_an_alert_carries_the_cause_apart_from_what_it_is_about(
    action: Action, cause: dict[str, str]
) -> None:
    """Alertmanager knows an incident by its labels: what an update finds must not be one of them."""
    low, high = Measurement(0.5, 0.4, 0.6, 80), Measurement(0.95, 0.94, 0.96, 900)
    since = round(AT * 1e9)
    incident = Incident("inc-1", SeriesKey("citation", "shop", None), "key", since, since, high, low, low)
    diagnosis = FOUND if action == "trigger" else None
    alert = page(incident, action, (), Links(), at=since, diagnosis=diagnosis)
    assert alert.cause == cause
    assert alert.segment == {"service": "shop"}


def test_a_page_s_playbook_is_a_link_where_an_address_is_configured() -> None:
    """Its address was plain text on the incident's page."""
    wiki = Links(playbook_url="https://wiki.example.com/playbook")
    found = replace(FOUND, playbook=("one-segment", "citations-wrong"))
    assert playbook_row(found, wiki) == ("One segment only", "https://wiki.example.com/playbook#one-segment")
    assert playbook_row(found, Links()) is None
    assert playbook_row(found, Links(playbook_url="http://127.0.0.1/playbook")) is None
    assert playbook_row(replace(found, playbook=()), wiki) is None

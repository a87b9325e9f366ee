"""The diagnosis on the page: read from a real store, kept beside the incident, never in the page's way."""

from __future__ import annotations

import json
import logging
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ragvigil.exporters import Alert
from ragvigil.scorer.changes import Change
from ragvigil.scorer.commands._app import run
from ragvigil.scorer.config import Links, Settings, load
from ragvigil.scorer.diagnose.case import Case
from ragvigil.scorer.diagnose.diagnoser import Diagnoser, reached, worked_out
from ragvigil.scorer.diagnose.typical import Candidate, diverse
from ragvigil.scorer.monitor.monitor import Monitor
from ragvigil.scorer.monitoring import Incident
from ragvigil.scorer.store._sqlite_diagnosis import SqliteDiagnosis
from ragvigil.scorer.store.port import LedgerEntry, RawTrace, ScoredRecord, ScoredTrace, Taken
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.trace import Document, RagTrace, Retrieval
from ragvigil.scorer.verdict import CheckResult

MINUTE = 60 * 10**9
START = 1_788_220_800 * 10**9
FALL = START + 100 * MINUTE
LINKS = Links(playbook_url="https://wiki.example.com/playbook")


def trace(random: np.random.Generator, at: int, number: int) -> ScoredTrace:
    """An answer; in German it cites what it was not given, from the fall on."""
    language = "de" if number % 3 == 0 else "en"
    wrong = random.random() < (0.7 if language == "de" and at >= FALL else 0.02)
    record = RagTrace(
        f"{number:032x}",
        "1" * 16,
        "shop",
        at,
        query=f"What about {random.choice(['parts', 'prices', 'returns', 'colours'])} of model {number}?",
        answer="Five euros [p9]." if wrong else "Five euros [p1].",
        environment="production",
        model="small-1" if at < FALL else "large-3",
        documents=(Document("p1", "Parts cost 5 euros."),),
        retrievals=(Retrieval("retrieve", None, ("p1",), ()),),
        conversation_id=f"c{number // 2}",
        user_id=f"u{number // 4}",
        segment={"language": language, "tenant": f"t{random.integers(5)}"},
    )
    tags = {"MISATTRIBUTION": "citations_dead"} if wrong else {}
    checks = (
        CheckResult("citation_correctness", "1", 0.0 if wrong else 1.0, "cites p9" if wrong else None),
        CheckResult("empty_retrieval", "1", float(number % 50 == 0)),
        CheckResult("context_relevance", "1", float(np.clip(random.normal(0.8, 0.1), 0.0, 1.0))),
        CheckResult("failure_tags", "1", float(wrong), ", ".join(tags) or None, dict(tags)),
    )
    return ScoredTrace(
        record.trace_id,
        RawTrace(b"", b""),
        False,
        (ScoredRecord(record, checks, LedgerEntry("checked_only", 0.1, "sampled_out")),),
    )


def lived(folder: Path) -> Settings:
    """A store of a good while and ten bad minutes, an answer every six seconds."""
    settings = load(overrides={"store": {"url": f"sqlite:///{folder / 'store.db'}"}})
    random = np.random.default_rng(5)
    moments = list(range(START, FALL + 10 * MINUTE, MINUTE // 10))
    deploy = Change("deploy", FALL - 2 * MINUTE, "deploy", "release 42", "shop", "production")
    with SqliteStore(settings, durable=False) as store:
        for first in range(0, len(moments), 500):
            traces = [trace(random, at, first + n) for n, at in enumerate(moments[first : first + 500])]
            store.records.commit(traces, None, moments[min(first + 500, len(moments) - 1)], Taken())
        store.records.commit([], None, FALL, Taken(changes=(deploy,)))
        store.checkpoint()
    return settings


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Lived once."""
    return lived(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def alert(settings: Settings) -> Alert:
    """The page about its bad minutes, of which the store knows from then on."""
    with SqliteStore(settings, durable=False) as store:
        (alert,) = told(store, Diagnoser(store.diagnosing), minutes=range(1, 10))
    return alert


def told(store: SqliteStore, diagnoser: Diagnoser | None, *, minutes: range) -> Sequence[Alert]:
    """What the window rules tell, looking every minute after the fall."""
    settings = load()
    monitor = Monitor(store.monitoring, settings.monitor, ["on-call"], LINKS, diagnoser)
    return [alert for minute in minutes for alert in monitor.tick(FALL + minute * MINUTE)]


def test_the_page_says_why_and_the_command_says_all(
    settings: Settings, alert: Alert, capsys: pytest.CaptureFixture[str]
) -> None:
    """Cause, onset, change, half, tag, reach, what to try, and typical traces, on one page."""
    with SqliteStore(settings, durable=False) as store:
        kept = store.diagnosing.diagnosis(alert.incident_id)
    assert kept is not None
    assert alert.action == "trigger"
    said = alert.summary.splitlines()
    assert [line.partition(":")[0] for line in said] == [
        "Now", "Before", "Probable cause", "What changed", "At fault", "Try first", said[6].partition(":")[0],
        "What grew most", "Reach", "Where", said[-1],
    ]  # fmt: skip
    assert said[6].startswith("Began about ")
    assert said[2].startswith("Probable cause: language=de, ")
    assert "deploy release 42 (told " in said[3] or "model large-3 (first seen " in said[3]
    assert said[4].startswith("At fault: generation; citations are written")
    assert "roll it back" not in alert.summary
    assert said[7].startswith("What grew most: citations that do not carry their claim (MISATTRIBUTION), ")
    assert any(line.startswith("Reach: ") and "conversations" in line and "users" in line for line in said)
    assert any("https://wiki.example.com/playbook#citations-wrong" in line for line in said)
    assert 3 <= len(alert.examples) <= 5
    assert all(example.reason == "cites p9" for example in alert.examples)
    assert len({example.query for example in alert.examples}) == len(alert.examples)

    store_url = str(settings.store.path)
    monkey(["diagnose", alert.incident_id[:8], "--store", store_url, "--kept"])
    assert "Probable cause: language=de" in capsys.readouterr().out
    monkey(["diagnose", alert.incident_id, "--store", store_url, "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["kind"] == "segment"
    assert found["cause"]["values"] == [["language", "de"]]
    assert found["playbook"] == ["citations-wrong", "one-segment"]


def test_the_command_says_of_how_many_answers_no_claim_can_be_judged(
    settings: Settings, alert: Alert, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Their owner keeps ids only: whoever looks for a cause should know why no claim is named."""
    store = tmp_path / "store.db"
    shutil.copy(settings.store.path, store)
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("UPDATE records SET completeness = 'withheld' WHERE started_at >= ?", (FALL,))
    monkey(["diagnose", alert.incident_id, "--store", str(store)])
    last = capsys.readouterr().out.splitlines()[-1]
    assert "answers: texts withheld by ids_only: no claim is judged, citations and retrieval are" in last
    monkey(["diagnose", alert.incident_id, "--store", str(store), "--json"])
    assert json.loads(capsys.readouterr().out)["withheld"] > 0


def monkey(arguments: list[str]) -> None:
    """Run the command as a terminal does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["ragvigil", *arguments])
        assert run() == 0


class Broken(SqliteDiagnosis):
    """A store that fails the diagnosis."""

    def case(self, incident: Incident, now: int) -> Case:
        """Never."""
        raise sqlite3.OperationalError("disk I/O error")


def test_a_diagnosis_that_fails_leaves_the_page_without_it_and_logs_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The page is worth more than its explanation."""
    settings = lived(tmp_path)
    with (
        SqliteStore(settings, durable=False) as store,
        closing(sqlite3.connect(":memory:")) as empty,
        caplog.at_level(logging.ERROR),
    ):
        broken = Diagnoser(Broken(empty, lambda series, record: ""))
        alerts = told(store, broken, minutes=range(1, 10))
    assert [alert.action for alert in alerts] == ["trigger"]
    assert "Probable cause" not in alerts[0].summary
    assert len([line for line in caplog.records if "could not be diagnosed" in line.message]) == 1


@pytest.mark.usefixtures("alert")
def test_a_page_is_updated_in_place_when_a_later_look_names_what_the_first_did_not(
    settings: Settings,
) -> None:
    """The same incident, and no other news."""
    with SqliteStore(settings, durable=False) as store:
        incident = store.monitoring.neighbours(store.monitoring.series()[0], 0)[0]
        diagnoser = Diagnoser(store.diagnosing)
        unsure = replace(incident, id="inc-unsure", opened_at=FALL + 4 * MINUTE)
        assert not diagnoser.clearer(unsure, FALL + 5 * MINUTE), "five minutes after the page at the earliest"
        assert diagnoser.clearer(unsure, FALL + 9 * MINUTE + 1)
        assert not diagnoser.clearer(unsure, FALL + 9 * MINUTE + 2)
        assert not Diagnoser(store.diagnosing).clearer(unsure, FALL + 60 * MINUTE), "nothing new"


@pytest.mark.usefixtures("alert")
def test_answers_of_after_the_recovery_do_not_dilute_the_fall(settings: Settings) -> None:
    """What is well again while the incident waits to resolve halved the fall of a resolved one, and nothing said so."""
    with SqliteStore(settings, durable=False) as store:
        incident = store.monitoring.neighbours(store.monitoring.series()[0], 0)[0]
        over = replace(incident, recovering_since=FALL + 5 * MINUTE, resolved_at=FALL + 9 * MINUTE)
        whole = worked_out(store.diagnosing, incident, FALL + 9 * MINUTE)
        found = worked_out(store.diagnosing, over, FALL + 9 * MINUTE)
        assert found == worked_out(store.diagnosing, incident, FALL + 5 * MINUTE)
    assert found.records < whole.records
    assert found.reach is not None
    assert whole.reach is not None
    assert found.reach.answers < whole.reach.answers


@pytest.mark.usefixtures("alert")
def test_the_reach_is_counted_from_the_moment_that_the_page_names(settings: Settings) -> None:
    """ "Now … of 76 answers" stood above "Reach: 69 answers since then", which were counted from another moment."""
    with SqliteStore(settings, durable=False) as store:
        incident = store.monitoring.neighbours(store.monitoring.series()[0], 0)[0]
        found = worked_out(store.diagnosing, incident, FALL + 9 * MINUTE)
        later = replace(found, onset=replace(found.onset, at=found.onset.at + 120.0))
        unnamed = reached(
            replace(later, kind="everywhere", cause=None), store.diagnosing, incident, FALL + 9 * MINUTE
        )
        named = reached(later, store.diagnosing, incident, FALL + 9 * MINUTE)
    assert unnamed.reach is not None
    assert unnamed.reach.answers >= incident.now.n
    assert named.reach is not None
    assert found.reach is not None
    assert named.reach.answers < found.reach.answers


@pytest.mark.usefixtures("alert")
def test_traces_are_of_different_conversations_and_alike_ones_fill_up_to_three(settings: Settings) -> None:
    """Also where everybody asks the same, as with a canary, and where the command has no others to fall back on."""
    with SqliteStore(settings, durable=False) as store:
        incident = store.monitoring.neighbours(store.monitoring.series()[0], 0)[0]
        diagnoser = Diagnoser(store.diagnosing)
        found = diagnoser.tell(incident, FALL + 9 * MINUTE)
        assert found is not None
        shown = store.diagnosing.shown(incident, range(1, 41))
        assert len({one.conversation for one in shown}) == 20
        together = diagnoser.examples(incident, replace(found, typical=tuple(range(1, 41))), ())
        by_trace = {one.example.trace_id: one.conversation for one in shown}
        assert len({by_trace[one.trace_id] for one in together}) == len(together) >= 3
        assert len(diagnoser.examples(incident, replace(found, typical=(1, 2)), ())) == 2


def test_three_of_many_alike_are_shown() -> None:
    """Twenty-five failures with one question are not shown as none."""
    alike = [Candidate(n, f"c{n // 2}", "What does the M3 cost?") for n in range(25)]
    assert [one.record_id for one in diverse(alike)] == [0, 2, 4]
    assert [one.record_id for one in diverse(alike[:2])] == [0, 1]


def test_examples_show_other_answers_before_the_same_one_again() -> None:
    """Of three false sentences a page showed one, five times."""
    told = [("It costs 480 dollars.", n) for n in range(6)] + [
        ("It is made of titanium.", 6),
        ("For 99 years.", 7),
    ]
    found = [Candidate(n, f"c{n}", f"question{n}", answer) for answer, n in told]
    assert [one.record_id for one in diverse(found)] == [0, 6, 7, 1, 2]

"""``ragvigil report`` on a store."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.scorer.diagnose.test_store import FALL, MINUTE, lived
from tests.scorer.reporting.made import DAY, asked

from ragvigil.scorer.commands._app import run
from ragvigil.scorer.config import Settings, load
from ragvigil.scorer.store import reading, reading_report
from ragvigil.scorer.store.port import Judgement, LedgerEntry, Taken
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.verdict import Claim, Verdict
from ragvigil.scorer.watch.port import Place


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A real store."""
    return lived(tmp_path_factory.mktemp("report"))


def test_a_sample_is_of_whole_conversations_and_expired_content_is_seen(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What follows an answer is read from its conversation, and half a conversation says something else."""
    place = Place("shop", "production")
    with closing(reading.open_for_reading(settings.store.path)) as connection:
        whole = reading_report.answers(connection, place, 0, 2**62)
        monkeypatch.setattr(reading_report, "MOST_ANSWERS", whole.total // 4)
        part = reading_report.answers(connection, place, 0, 2**62)
    assert whole.total / 6 < len(part.answers) < whole.total / 3
    size = Counter(one.conversation for one in whole.answers)
    assert max(size.values()) > 1
    for conversation, read in Counter(one.conversation for one in part.answers).items():
        assert read == size[conversation]
    assert all(one.whole for one in whole.answers)


def test_the_worst_claim_of_an_answer_stands_for_the_reason_that_the_built_in_judge_does_not_give(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of claims that are not carried the least likely one, before it one that the passages deny; else none.

    What the passages deny comes first, though a judge gives it .25 and an invention .1.
    """
    settings, now = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'store.db'}"}}), 40 * DAY
    claims = (
        Claim("It opens at nine.", 0, 17, ("a",), "supported", 0.2),
        Claim("It is free.", 18, 29, (), "unsupported", 0.3),
        Claim("It is red.", 30, 40, (), "unsupported", 0.4),
    )
    denied = (*claims, Claim("It is closed.", 41, 54, (), "contradicted", 0.35))
    made = [asked(number, now, LedgerEntry("pending", 1.0)) for number in range(3)]
    with SqliteStore(settings, durable=False) as store:
        jobs = store.records.commit(made, None, now, Taken())
        for job in jobs:
            known = (claims[:1], claims, denied)[int(job.record.trace_id, 16)]
            verdict = Verdict("builtin", "1", "d", "unsupported", 0.3, 0.1, known)
            if known == denied:
                verdict = replace(verdict, state="contradicted", faithfulness=0.25)
            store.records.record_judgements([Judgement(job, verdict)], now)
    monkeypatch.setattr(
        "sys.argv",
        ["ragvigil", "report", "--json", "--since", "1970-02-01T00:00Z", "--store", str(settings.store.path)],
    )
    assert run() == 0
    worst = json.loads(capsys.readouterr().out)[0]["worst"]
    assert {one["trace_id"][-1]: one["why"] for one in worst} == {
        "2": "contradicted: It is closed.",
        "1": "not in the passages: It is free.",
        "0": None,
    }
    assert (worst[0]["trace_id"][-1], worst[0]["verdict"]) == ("2", "contradicted")


@pytest.mark.parametrize("form", ["terminal", "markdown", "json"])
def test_the_command_reports_on_a_store(
    settings: Settings, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    """As somebody would type it."""
    since, until = "2026-08-31T00:00Z", "2026-09-03T00:00Z"
    assert FALL // MINUTE
    arguments = [
        "report",
        "--since",
        since,
        "--until",
        until,
        *(("--json",) if form == "json" else ("--format", form)),
        "--store",
        str(settings.store.path),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["ragvigil", *arguments])
        assert run() == 0
    said = capsys.readouterr().out
    if form == "json":
        (found,) = json.loads(said)
        assert found["answers"] == 1_100
        assert found["panels"]["attribution"][0]["n"] == 1_100
    else:
        assert "citation correctness" in said
        assert "MISATTRIBUTION" in said


def test_json_is_asked_for_as_everywhere_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """--json, and somebody who tries --format json is told so."""
    monkeypatch.setattr(
        "sys.argv", ["ragvigil", "report", "--format", "json", "--store", str(tmp_path / "a.db")]
    )
    assert run() == 2
    assert "for JSON say --json" in capsys.readouterr().err

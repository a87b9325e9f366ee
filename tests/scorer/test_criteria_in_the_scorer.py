"""A criterion from its file to its series, its page, its labels: the whole way through the scorer."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.scorer.judge.test_criteria import criterion
from tests.scorer.labels.conftest import DAY, RATE, Shop, filled, settings_in
from tests.scorer.labels.test_draw_and_read import change, run, told
from tests.scorer.monitor.series_in_memory import LINKS, MINUTE

from ragvigil.scorer import config
from ragvigil.scorer.commands._silence import series_called
from ragvigil.scorer.errors import ConfigError, InputError
from ragvigil.scorer.incidents.pages import label
from ragvigil.scorer.monitor.monitor import Monitor
from ragvigil.scorer.store.audit import audit
from ragvigil.scorer.store.port import Job, Judgement, LedgerEntry, RawTrace, ScoredRecord, ScoredTrace
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.testing import Script, ScriptedJudge
from ragvigil.scorer.trace import Document, RagTrace
from ragvigil.scorer.verdict import Measured, Verdict

ABOUT = ("--criterion", "tone")
START = 1_772_323_200_000_000_000
FOLLOWED = config.Rule(window_seconds=600, baseline_seconds=7_200, warmup_seconds=3_600, min_sample=20)


def verdict(value: float | None, *, share: float = 1.0) -> Verdict:
    """Faithful, with what a criterion says."""
    found = Measured("criteria.tone", "test", "1", "d", value, "It shouts at the customer.", {}, share)
    return Verdict("test", "1", "d", "supported", 0.9, 0.9, measured=(found,))


def trace(
    number: int, copy: int = 0, *, inclusion: float = 0.5, answer: str = "We open at nine."
) -> ScoredTrace:
    """One judged answer, a minute after the one before."""
    record = RagTrace(
        f"{number:016x}{copy:016x}",
        "1" * 16,
        "shop",
        START + number * MINUTE,
        query="When?",
        answer=answer,
        environment="production",
        documents=(Document("d", "We open at nine."),),
    )
    entry = LedgerEntry("pending", inclusion)
    return ScoredTrace(record.trace_id, RawTrace(b"s", b""), False, (ScoredRecord(record, (), entry),))


def judge(store: SqliteStore, jobs: list[Job], value: float | None, **more: float) -> None:
    """The same verdict on all."""
    store.records.record_judgements([Judgement(job, verdict(value, **more)) for job in jobs], START)


def rollup(store: Path) -> list[tuple[int, float, float]]:
    """Observations, weight and weighted sum of the criterion's series."""
    with closing(sqlite3.connect(store)) as connection:
        return connection.execute(
            "SELECT n, w, wx FROM rollups WHERE series = 'criteria.tone' AND n > 0 ORDER BY bucket"
        ).fetchall()


def test_a_criterion_has_a_series_weighted_by_all_that_was_drawn(tmp_path: Path) -> None:
    """One answer in two judged, and of those one in four asked: each counts for eight."""
    settings = settings_in(tmp_path)
    with SqliteStore(settings) as store:
        jobs = list(store.records.commit([trace(0), trace(1), trace(2)], None, START))
        judge(store, jobs[:1], 1.0, share=0.25)
        judge(store, jobs[1:2], 0.0, share=0.25)
        judge(store, jobs[2:], None)
        assert rollup(settings.store.path) == [(1, 8.0, 8.0), (1, 8.0, 0.0)]
        # Spans that come late and change nothing leave score and weight as they are.
        assert store.records.commit([trace(0)], None, START) == []
        assert rollup(settings.store.path) == [(1, 8.0, 8.0), (1, 8.0, 0.0)]
        # An answer that changed is measured anew.
        (job,) = store.records.commit([trace(0, answer="We open at ten.")], None, START)
        assert rollup(settings.store.path) == [(1, 8.0, 0.0)]
        judge(store, [job], 0.0)
        assert rollup(settings.store.path) == [(1, 2.0, 0.0), (1, 8.0, 0.0)]
    with closing(sqlite3.connect(settings.store.path)) as connection:
        rows = connection.execute(
            "SELECT s.value, s.reason, i.judge_version, i.prompt_digest, s.current FROM scores s "
            "JOIN instruments i ON i.id = s.instrument_id WHERE i.name = 'criteria.tone' AND record_id = ?",
            (job.record_id,),
        ).fetchall()
    assert (1.0, "It shouts at the customer.", "test 1", "d", 0) in rows
    assert (0.0, "It shouts at the customer.", "test 1", "d", 1) in rows
    assert audit(settings.store.path, settings.inbox_path).problems == ()


def test_a_fall_of_a_criterion_pages_with_critiques_and_resolves(tmp_path: Path) -> None:
    """By the window rules, as faithfulness does."""
    settings = settings_in(tmp_path)
    rules = config.Monitor(measures=FOLLOWED)
    with SqliteStore(settings, durable=False) as store:
        monitor = Monitor(store.monitoring, rules, ["oncall"], LINKS)
        traces = [trace(number, copy, inclusion=1.0) for number in range(160) for copy in range(8)]
        jobs = list(store.records.commit(traces, None, START))
        bad = [job for job in jobs if job.record.started_at >= START + 145 * MINUTE]
        judge(store, [job for job in jobs if job not in bad], 1.0)
        judge(store, bad, 0.0)
        alerts = [alert for at in range(130, 162) for alert in monitor.tick(START + at * MINUTE)]
        paged = [one for one in alerts if one.series == "criteria.tone"]
    assert [one.action for one in paged][:1] == ["trigger"]
    assert paged[0].title.startswith("Criterion tone of shop fell from")
    assert "Criterion tone is one of your own" in paged[0].summary
    assert paged[0].examples[0].reason == "It shouts at the customer."


def test_people_calibrate_a_criterion_as_they_calibrate_faithfulness(tmp_path: Path) -> None:
    """Draw, label in a file, report; labels of faithfulness are other labels."""
    shop = _measured_shop(tmp_path)
    path = tmp_path / "tone.jsonl"
    rows = _label(shop, path)
    found = told(shop, "calibrate", "report", *ABOUT)
    assert found["counts"]["labelled"] == 200
    for name in ("sensitivity", "specificity"):
        assert found["judge"][name]["lower"] <= 0.9 <= found["judge"][name]["upper"]
    truth = sum(shop.truth.values()) / len(shop.truth)
    assert found["level"]["lower"] <= truth <= found["level"]["upper"]
    text = run(shop, "calibrate", "report", *ABOUT).stdout
    assert "people: pass" in text
    assert "passed by people" in text
    assert re.search(
        r"of all answers from 20\S+ \S+ to 20\S+ \S+, by their cheap scores too \(ragvigil report", text
    )
    with pytest.raises(InputError, match="nothing has been drawn yet"):
        run(shop, "calibrate", "report")
    with pytest.raises(InputError, match="no answer was judged by 'tune'; did you mean tone"):
        run(shop, "calibrate", "draw", "--criterion", "tune")
    path.write_text(json.dumps({**rows[0], "label": "faithful"}) + "\n")
    with pytest.raises(InputError, match="label 'faithful' is not known; write pass, fail, skip"):
        run(shop, "calibrate", "read", str(path), "--by", "ana", *ABOUT)


def test_status_has_the_level_behind_a_criterion_and_says_when_its_labels_are_old(tmp_path: Path) -> None:
    """As of faithfulness: what people found, moved by what the judge says since, and none by another judge."""
    shop = _measured_shop(tmp_path)
    _label(shop, tmp_path / "tone.jsonl")
    change(shop, f"UPDATE records SET started_at = started_at + {2 * DAY}")  # into the last day
    (found,) = told(shop, "status")["criteria"]
    truth = sum(shop.truth.values()) / len(shop.truth)
    assert (found["criterion"], found["service"]) == ("tone", "shop")
    for name in ("then", "now"):
        assert found["audit"][name]["lower"] <= truth <= found["audit"][name]["upper"], name
    text = run(shop, "status").stdout
    assert "criterion tone of shop, production:" in text
    assert "days old" not in text
    change(shop, f"UPDATE label_draws SET created_at = created_at - {100 * DAY}")
    assert "WARNING: these labels are 100 days old" in run(shop, "status").stdout
    change(shop, "UPDATE instruments SET prompt_digest = 'e' WHERE id = 99")
    assert "has changed since people labelled it: draw anew" in run(shop, "status").stdout


def test_a_new_wording_is_held_against_people_beside_the_old_one(tmp_path: Path) -> None:
    """As a new judge is: at least 100 labels, 80 % agreement, not surely below the old one."""
    shop = _measured_shop(tmp_path)
    _label(shop, tmp_path / "tone.jsonl")
    folder = criterion(tmp_path / "criteria", 'id = "tone"\nversion = "2"')
    new = tmp_path / "new.toml"
    sure = Script(sensitivity=1.0, specificity=1.0, truth=lambda shown: "costs 5 euros" in shown.answer)
    with ScriptedJudge(sure) as server:
        new.write_text(
            f'[judge]\nkind = "openai"\nmodel = "m"\nbase_url = "{server.url}"\ncriteria = "{folder}"\n'
        )
        result = run(shop, "calibrate", "compare", str(new), *ABOUT, "--json")
    found = json.loads(result.stdout)
    assert (result.return_value, found["promoted"], found["answers"]) == (0, True, 200)
    assert found["result"]["new"]["value"] == pytest.approx(1.0)
    assert found["result"]["difference"]["lower"] > 0


def test_silences_and_routes_know_criteria_and_measures() -> None:
    """And name what there is when it is something else."""
    assert series_called("--series", "criteria.tone") == "criteria.tone"
    assert series_called("--series", "judge.answer_relevance") == "judge.answer_relevance"
    with pytest.raises(ConfigError, match=r"known: .*judge\.six_axes, criteria\.NAME"):
        series_called("--series", "criteria.")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("criteria.tone", "Criterion tone"),
        ("judge.answer_relevance", "Answer relevance"),
        ("judge.context_relevant_share", "Context relevance"),
        ("judge.context_precision", "Context precision"),
        ("judge.six_axes", "Grounded answer score"),
    ],
)
def test_a_page_calls_each_by_a_name_that_people_know(name: str, said: str) -> None:
    """Somebody who was asleep a minute ago reads it."""
    assert label(name) == said


def test_the_desk_shows_what_the_team_asks(tmp_path: Path) -> None:
    """And takes p and f for pass and fail; the labels are the criterion's."""
    from tests.scorer.labels.test_desk import Sitting

    shop = _measured_shop(tmp_path, questions=400)
    run(shop, "calibrate", "draw", "--criterion", "tone")
    folder = criterion(tmp_path / "criteria", 'id = "tone"\nversion = "1"')
    settings = tmp_path / "ragvigil.toml"
    settings.write_text(
        f'[judge]\nkind = "openai"\nmodel = "m"\nbase_url = "http://127.0.0.1:1/v1"\ncriteria = "{folder}"\n'
    )
    sitting = Sitting("--by", "ana", "--criterion", "tone", "--store", shop.store, "--config", str(settings))
    shown = sitting.until("[q]uit > ")
    assert "Does the answer name where the customer can ask next?" in shown
    sitting.press("p")
    sitting.until("[q]uit > ")
    sitting.press("f")
    sitting.until("[q]uit > ")
    sitting.press("z")
    sitting.until("[q]uit > ")
    sitting.press("q")
    assert sitting.leave() == 0
    with closing(sqlite3.connect(shop.settings.store.path)) as connection:
        rows = connection.execute("SELECT criterion, label FROM labels").fetchall()
    assert rows == [("tone", "pass")]


def test_a_criterion_without_a_language_model_is_refused_at_start(tmp_path: Path) -> None:
    """With the fix in the message."""
    with pytest.raises(
        ConfigError, match=r"need a language model, and judge\.kind is builtin: set it to openai"
    ):
        config.load(overrides={"judge": {"criteria": str(tmp_path)}})


def _label(shop: Shop, path: Path) -> list[dict[str, str]]:
    """What Ana says of two draws, which is true; the rows of the second."""
    rows = list[dict[str, str]]()
    for _ in range(2):
        run(shop, "calibrate", "draw", "--out", str(path), "--by", "ana", *ABOUT)
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        for row in rows:
            row["label"] = "pass" if shop.truth[row["trace_id"]] else "fail"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert told(shop, "calibrate", "read", str(path), "--by", "ana", *ABOUT)["kept"] == len(rows)
    return rows


def _measured_shop(folder: Path, *, questions: int = 1_500) -> Shop:
    """The shop whose judge also says of the tone what is true nine times in ten."""
    import numpy as np

    random = np.random.default_rng(5)
    shop = filled(folder, questions=questions)
    change(shop, "INSERT INTO instruments VALUES (99, 'criteria.tone', '', 'test 1', 'd')")
    with closing(sqlite3.connect(shop.settings.store.path)) as connection, connection:
        rows = connection.execute(
            "SELECT r.id, r.trace_id, r.input_hash FROM records r JOIN verdicts v ON v.record_id = r.id"
        ).fetchall()
        assert len(rows) > RATE * questions / 2
        connection.executemany(
            "INSERT INTO scores VALUES (?, 99, ?, ?, 'critique', '{\"share\": 1.0}', 1, 0)",
            [
                (record_id, input_hash, float(shop.truth[trace_id] == (random.random() < 0.9)))
                for record_id, trace_id, input_hash in rows
            ],
        )
    return shop

"""A scorer's own store is read as a stretch, or refused by name."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from tests.scorer.watch.conftest import HOUR, START, Hour, Service, gold_file, settings_in

from ragvigil.scorer.commands._app import run
from ragvigil.scorer.errors import InputError
from ragvigil.scorer.simulate import Stretch
from ragvigil.scorer.simulate.from_store import busiest, stretch_of
from ragvigil.scorer.store import reading
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.watch.port import Place


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of thirty hours with sixty answers each, of which three in ten are judged."""
    settings = settings_in(tmp_path_factory.mktemp("stretch"))
    with SqliteStore(settings, durable=False) as store:
        Service(settings, store).live(Hour(nothing_retrieved=0.1), 30)
        store.checkpoint()
    return settings.store.path


@pytest.fixture
def changed(path: Path, tmp_path: Path) -> Callable[[str], Path]:
    """A copy of the store after some SQL."""

    def change(sql: str) -> Path:
        copy = tmp_path / "store.db"
        shutil.copy(path, copy)
        with closing(sqlite3.connect(copy)) as connection:
            connection.executescript(sql)
        return copy

    return change


def read(path: Path) -> Stretch:
    """The stretch of the service with the most records."""
    with closing(reading.open_for_reading(path)) as connection:
        return stretch_of(connection, busiest(connection))


def test_the_stretch_is_the_newest_whole_day_of_the_store(path: Path) -> None:
    """Times, segments, scores, citations and verdicts as they are stored; and a verdict for everybody else."""
    found = read(path)
    with closing(sqlite3.connect(path)) as connection:
        last = connection.execute("SELECT max(started_at) FROM records").fetchone()[0]
        rows = connection.execute(
            "SELECT started_at, o.value FROM records r LEFT JOIN observations o "
            "ON o.record_id = r.id AND o.series = 'faithfulness' WHERE started_at > ? ORDER BY started_at, r.id",
            (last - 24 * HOUR,),
        ).fetchall()
    assert found.days == 1
    assert found.time.tolist() == [(at - (last + 1 - 24 * HOUR)) / 1e9 for at, _ in rows]
    judged = np.array([value is not None for _, value in rows])
    assert found.judged == judged.sum() > 300
    assert found.passed[judged].tolist() == [value for _, value in rows if value is not None]
    assert set(found.passed[~judged].tolist()) == {0, 1}
    assert sorted(found.names) == ["language=de", "language=en"]
    assert np.bincount(found.segment)[found.names.index("language=en")] == pytest.approx(960, rel=0.01)
    assert np.isfinite(found.cheap).all()
    assert 0.0 < (found.citation_ok == 0.0).mean() < 0.2


def test_verdicts_that_were_filled_in_follow_the_cheap_score(path: Path) -> None:
    """As those do that were given: nearly all pass above .8, few below .5."""
    found = read(path)
    assert found.passed[found.cheap > 0.8].mean() > 0.8
    assert found.passed[found.cheap < 0.5].mean() < 0.6


def test_what_the_judge_found_no_claims_in_is_not_for_the_judge(changed: Callable[[str], Path]) -> None:
    """It was judged and has no value, and so is no answer that could be planted or judged again."""
    found = read(changed("DELETE FROM observations WHERE series = 'faithfulness' AND record_id % 5 = 0"))
    without = np.isnan(found.cheap)
    assert 0.03 < without.mean() < 0.1
    assert (found.passed[without] == -1).all()
    assert (found.passed[~without] >= 0).all()


def test_verdicts_of_a_rarer_version_are_none(changed: Callable[[str], Path]) -> None:
    """A judge that was given up says nothing of what this one would say."""
    found = read(
        changed(
            "INSERT INTO instruments (name, check_version, judge_version, prompt_digest) "
            "SELECT name, check_version, 'older', prompt_digest FROM instruments WHERE id = "
            "(SELECT instrument_id FROM observations WHERE series = 'faithfulness' LIMIT 1);"
            "UPDATE observations SET instrument_id = (SELECT max(id) FROM instruments), value = 1 - value "
            "WHERE series = 'faithfulness' AND record_id % 4 = 0;"
        )
    )
    assert found.judged == pytest.approx(0.75 * 0.3 * found.time.size, rel=0.15)
    assert found.passed[found.cheap > 0.8].mean() > 0.8


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("DELETE FROM records", "holds no records: let a scorer run"),
        (
            f"DELETE FROM records WHERE started_at >= {START + 20 * HOUR}",
            r"shop has \d+\.\d hours of records",
        ),
        ("DELETE FROM observations", r"shop has 0 judged records with a cheap score: 100 at least"),
        ("UPDATE observations SET value = 1", "the judge passed every record of shop"),
        ("UPDATE observations SET value = 0", "the judge failed every record of shop"),
        ("DELETE FROM records WHERE id % 30", r"shop has \d+ records in 1 days: 100 a day are needed"),
    ],
)
def test_a_store_of_which_nothing_can_be_repeated_is_refused_by_name(
    changed: Callable[[str], Path], sql: str, words: str
) -> None:
    """What is missing, of which service, and how much of it is needed."""
    with pytest.raises(InputError, match=words) as caught:
        read(changed(sql))
    assert str(caught.value).startswith("--replay: ")


def test_a_service_that_is_not_there_is_named(path: Path) -> None:
    """For those who ask for one."""
    with (
        closing(reading.open_for_reading(path)) as connection,
        pytest.raises(InputError, match="no records of bakery"),
    ):
        stretch_of(connection, Place("bakery", None))


def asked(*arguments: str) -> int:
    """As somebody types it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["ragvigil", "bench", "alerts", *arguments])
        return run()


def test_the_command_replays_a_store_with_its_own_labels(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says what it repeats, and that it is less than a week; its numbers are those of the store."""
    gold = gold_file(tmp_path)
    few = ("--quick", "--scenario", "cite_drift", "--rule", "ragvigil")
    assert asked("--replay", str(path), "--replay", str(gold), *few) == 0
    said = capsys.readouterr().out
    assert "shop: 1 days (less than a week) of 1,4" in said
    assert "Planted errors: 140 faithful answers, of which the judge passed" in said
    assert asked("--replay", str(path), "--replay", str(gold), *few, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["replayed"]["answers"] == "labels.jsonl"
    assert found["replayed"]["service"] == "shop"
    assert found["replayed"]["records"] == found["world"]["traces_per_day"] == pytest.approx(1_440, abs=20)
    assert found["lines"][0]["found"] == 1


def test_the_command_replays_the_shipped_answers(capsys: pytest.CaptureFixture[str]) -> None:
    """In the simulated arrival pattern, and says how weak their judge is."""
    few = ("--quick", "--scenario", "drop80", "--rule", "CUSUM", "--json")
    assert asked("--replay", "builtin", *few) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["replayed"]["faithful"], found["replayed"]["unfaithful"]) == (140, 60)
    shipped = json.loads(files("ragvigil.scorer.data").joinpath("gold-lexical-1.json").read_text("utf-8"))
    bad = [verdict for truth, verdict in zip(shipped["truth"], shipped["verdict"], strict=True) if not truth]
    assert found["replayed"]["specificity"] == pytest.approx(bad.count(0) / 60)
    assert found["world"]["segments"] == 4
    assert "service" not in found["replayed"]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("", "0 faithful and 0 unfaithful items: label at least 10 of each"),
        ('{"truth": 1, "verdict": 1, "cheap": 0.5}\n' * 30, "30 faithful and 0 unfaithful items"),
        ('{"truth": 1, "verdict": 1}', "line 1: cheap: field required (give truth, verdict and cheap)"),
    ],
)
def test_answers_that_nothing_can_be_planted_from_are_refused(
    tmp_path: Path, lines: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The option, the file, the field; exit code 2."""
    labels = tmp_path / "labels.jsonl"
    labels.write_text(lines)
    assert asked("--replay", str(labels)) == 2
    said = capsys.readouterr().err
    assert "--replay: " in said
    assert words in said


def test_options_that_contradict_each_other_are_refused(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each with the fix."""
    for arguments, words in (
        (("--replay", str(path), "--replay", str(path)), "--replay: names more than one store"),
        (("--replay", "builtin", "--replay", "builtin"), "--replay: names more than one set of answers"),
        (("--replay", str(tmp_path / "none.db")), "none.db cannot be read (FileNotFoundError)"),
        (("--replay", str(path), "--traces-per-day", "500"), "--traces-per-day: is the store's own"),
    ):
        assert asked(*arguments) == 2
        assert words in capsys.readouterr().err

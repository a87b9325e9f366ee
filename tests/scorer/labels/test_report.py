"""What people's labels say of the judge, from a real store to the report, the gold set and status."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from pathlib import Path

import pytest
from tests.scorer.labels.conftest import Shop, filled, settings_in
from tests.scorer.labels.test_draw_and_read import PLACE, label_all, run, told

from ragvigil.scorer.config import Judge, Monitor
from ragvigil.scorer.detect.sequential.gold import learn_instruments
from ragvigil.scorer.estimate import Estimate, judged_rate, portable_level
from ragvigil.scorer.labels.book import book_of
from ragvigil.scorer.labels.frame import window_of
from ragvigil.scorer.labels.level import audit
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.watch.gold import labels_of


@pytest.fixture(scope="module")
def labelled_once(filled_once: Shop, tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """200 answers of the shop read by somebody who is always right."""
    folder = tmp_path_factory.mktemp("labelled")
    settings = settings_in(folder)
    shutil.copy(filled_once.settings.store.path, settings.store.path)
    shop = Shop(settings, filled_once.truth)
    label_all(shop, folder)
    return shop


def test_the_report_finds_the_judge_that_made_the_verdicts(labelled_once: Shop) -> None:
    """Right 92 times in 100 on either kind, in traffic that is 90 % faithful; with segments."""
    found = told(labelled_once, "calibrate", "report")
    judge = found["judge"]
    for name in ("sensitivity", "specificity", "agreement"):
        assert judge[name]["lower"] <= 0.92 <= judge[name]["upper"]
        assert judge[name]["n_judged"] == 200
    level = found["level"]
    truth = sum(labelled_once.truth.values()) / len(labelled_once.truth)
    assert level["lower"] <= truth <= level["upper"]
    assert level["upper"] - level["lower"] < 0.08
    assert found["counts"] == {
        "items": 200, "labelled": 200, "disputed": 0, "undecided": 0, "annotators": {"ana": 200},
    }  # fmt: skip
    segments = found["segments"]
    assert {(one["dimension"], one["value"]) for one in segments} == {("language", "en"), ("language", "de")}
    text = run(labelled_once, "calibrate", "report", "--width", "0.03").stdout
    right, missed, caught, passed = judge["labels"]
    for name, n in (("sensitivity", right + missed), ("specificity", caught + passed)):
        line = next(line for line in text.splitlines() if line.startswith(f"  {name} "))
        assert line.split("; ")[0].endswith(f" n={n}")
    assert "more labels, ragvigil calibrate draw --labels" in text or "judge more" in text


def test_calibrate_alone_is_the_report(labelled_once: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """As people type it, in the folder of the store."""
    from typer.testing import CliRunner

    from ragvigil.scorer.commands._app import app

    monkeypatch.setenv("RAGVIGIL_STORE__URL", f"sqlite:///{labelled_once.store}")
    result = CliRunner().invoke(app, ["calibrate"])
    assert (result.exit_code, "200 of 200 answers labelled (ana 200)" in result.stdout) == (0, True)


def test_the_gold_set_is_read_with_its_probabilities(labelled_once: Shop, tmp_path: Path) -> None:
    """What monitor.gold makes of it is the judge's true error, not that of the doubtful answers."""
    path = tmp_path / "gold.jsonl"
    run(labelled_once, "calibrate", "report", "--gold", str(path))
    labels = labels_of(Monitor(gold=path), Judge())
    assert labels.source == "file"
    learned = learn_instruments(labels.gold)
    assert learned.informative
    assert abs(learned.sensitivity - 0.92) < 0.04
    truth, verdict = labels.gold.truth, labels.gold.verdict
    assert float(verdict[truth == 1].mean()) < learned.sensitivity - 0.03
    with closing(open_for_reading(labelled_once.settings.store.path)) as connection:
        data = window_of(book_of(connection, PLACE).drawn.frame)
    from ragvigil.scorer.detect.sequential.gold import calibration_of

    level = portable_level(judged_rate(data), calibration_of(labels.gold))
    assert isinstance(level, Estimate)
    assert level.lower <= 0.9 <= level.upper


def test_half_a_set_of_probabilities_is_refused(tmp_path: Path) -> None:
    """Some with and some without would be neither one design nor the other."""
    from ragvigil.scorer.errors import ConfigError

    rows = [{"truth": n % 2, "verdict": n % 2, "cheap": 0.5} for n in range(40)]
    path = tmp_path / "gold.jsonl"
    path.write_text("\n".join(json.dumps(row | ({"inclusion": 0.5} if row["truth"] else {})) for row in rows))
    with pytest.raises(ConfigError, match="give all or none"):
        labels_of(Monitor(gold=path), Judge())


def test_a_judge_that_guesses_is_refused_and_writes_no_gold_set(tmp_path: Path) -> None:
    """Exit code 1, and the reason in words."""
    shop = filled(tmp_path, questions=800, right=0.5)
    label_all(shop, tmp_path)
    path = tmp_path / "gold.jsonl"
    result = run(shop, "calibrate", "report", "--gold", str(path))
    assert result.return_value == 1
    assert "REFUSED: judge not informative: sensitivity + specificity - 1 may be" in result.stdout
    assert not path.exists()


def test_people_who_disagree_are_measured(shop: Shop, tmp_path: Path) -> None:
    """Bo says the opposite of a tenth; alpha and kappa say so, ties go back to the desk and are counted."""
    run(shop, "calibrate", "draw", "--readers", "2")
    for name, flips in (("ana", 0), ("bo", 10)):
        path = tmp_path / f"{name}.jsonl"
        run(shop, "calibrate", "draw", "--out", str(path), "--by", name)
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        assert len(rows) == 80
        for place, row in enumerate(rows):
            right = shop.truth[row["trace_id"]] != (flips > 0 and place % flips == 0)
            row["label"] = "faithful" if right else "unfaithful"
        path.write_text("\n".join(map(json.dumps, rows)))
        run(shop, "calibrate", "read", str(path), "--by", name)
    found = told(shop, "calibrate", "report")
    counts, agreement = found["counts"], found["agreement"]
    assert (counts["labelled"], counts["disputed"]) == (72, 8)
    (pair,) = agreement["pairs"]
    assert (pair["first"], pair["second"]) == ("ana", "bo")
    assert 0.2 < pair["kappa"]["lower"] < pair["kappa"]["value"] < pair["kappa"]["upper"] < 0.95
    assert agreement["alpha_faithful"]["value"] == pytest.approx(pair["kappa"]["value"], abs=0.03)


def test_the_level_moves_with_the_verdicts_since(labelled_once: Shop) -> None:
    """What people found, plus how far the judged rate moved, over J."""
    with closing(open_for_reading(labelled_once.settings.store.path)) as connection:
        book = book_of(connection, PLACE)
    then = judged_rate(window_of(book.drawn.frame))
    found = audit(book, then)
    assert isinstance(found.then, Estimate)
    assert isinstance(found.now, Estimate)
    assert found.now.value == pytest.approx(found.then.value)
    assert found.now.method == "anchored-level"
    assert found.labels == 200

"""What status says of the detectors."""

from __future__ import annotations

import json
import re
from contextlib import closing
from pathlib import Path

from tests.scorer.labels.conftest import Shop
from tests.scorer.labels.test_draw_and_read import label_all, run, told
from tests.scorer.watch.conftest import HOUR, Hour, Service, gold_file
from typer.testing import CliRunner

from ragvigil.scorer.commands._app import app
from ragvigil.scorer.labels.frame import frame_of
from ragvigil.scorer.store import reading, reading_labels
from ragvigil.scorer.watch.port import Place


def said(service: Service, folder: Path, *options: str) -> str:
    """``ragvigil status`` with the service's settings."""
    path = folder / "status.toml"
    gold = gold_file(folder)
    path.write_text(
        f'[store]\nurl = "sqlite:///{service.settings.store.path}"\n[monitor]\ngold = "{gold}"\n'
        "[detect]\nbatch_seconds = 3600\nlearning_days = 1\n"
    )
    done = CliRunner().invoke(app, ["status", "--config", str(path), *options])
    assert done.exit_code == 0, done.output
    return done.output


def test_the_level_comes_with_interval_n_method_and_calibration(service: Service, tmp_path: Path) -> None:
    """The truth, 96 %, lies in the interval that the verdicts, right nine times in ten, are corrected to."""
    found = json.loads(said(service, tmp_path, "--json"))["detectors"]
    (one,) = found
    assert (one["state"], one["labels"], one["segment_by"]) == ("watching", "file", "language")
    assert one["judged"]["value"] < 0.93
    assert one["judged"]["n_judged"] > 300
    assert one["judged"]["n_traces"] == 1440
    assert one["level"]["lower"] < 0.96 < one["level"]["upper"]
    assert one["level"]["calibrated"]
    assert one["efficiency"]["plain_share"] > 0.2
    text = said(service, tmp_path)
    assert "detector shop, production: watching, calibrated with your labels, segments by language" in text
    assert "corrected for the judge's known errors" in text
    assert re.search(r"; [\d.]+% of the answers were judged, as sure as [\d.]+% drawn at random", text)


def test_a_batch_that_waits_for_its_verdicts_is_not_in_the_numbers_yet(
    service: Service, tmp_path: Path
) -> None:
    """Else each verdict under way would widen the interval."""
    before = json.loads(said(service, tmp_path, "--json"))["detectors"]
    service.answering = False
    traces = [service.trace(Hour(), place) for place in range(60)]
    service.store.records.commit(traces, None, service.now)
    assert json.loads(said(service, tmp_path, "--json"))["detectors"] == before


def test_replies_that_nobody_could_read_are_verdicts_that_never_came(
    service: Service, tmp_path: Path
) -> None:
    """Before, they were taken for answers without claims: what they may have been was in no interval."""
    service.live(Hour(unreadable=4), 12)
    (one,) = json.loads(said(service, tmp_path, "--json"))["detectors"]
    for name in ("judged", "level"):
        lowest, highest = (one[name]["bounds"][end]["value"] for end in ("lowest", "highest"))
        assert one[name]["lower"] < lowest < one[name]["value"] < highest
    assert one["judged"]["bounds"]["highest"]["value"] - one["judged"]["bounds"]["lowest"]["value"] > 0.08
    text = said(service, tmp_path)
    assert re.search(
        r"verdicts never came; the interval holds them failed and passed \([\d.]+% and [\d.]+%\)", text
    )
    place = Place("shop", "production")
    with closing(reading.open_for_reading(service.settings.store.path)) as connection:
        rows = reading_labels.traffic(connection, place, service.now - 12 * HOUR, service.now)
    frame, _ = frame_of(rows)
    assert sum(frame.judged) - sum(verdict >= 0 for verdict in frame.verdict) > 30


def test_status_shows_the_level_by_the_services_own_labels(service: Service, tmp_path: Path) -> None:
    """Mode A is what counts once people have read production answers."""
    settings = service.settings
    shop = Shop(settings, service.truth)
    service.live(Hour())
    label_all(shop, tmp_path, "--days", "10000")
    status = tmp_path / "status.toml"
    status.write_text("[detect]\nbatch_seconds = 3600\nlearning_days = 1\n")
    found = told(shop, "status", "--config", str(status))["detectors"]
    (one,) = found
    assert one["level"]["method"] == "anchored-level"
    assert one["level"]["lower"] < 0.96 < one["level"]["upper"]
    assert one["audit"]["labels"] == 200
    assert one["level_by"] == "own"
    text = run(shop, "status", "--config", str(status)).stdout
    assert "watching, level by labels of its own answers, " in text
    (report,) = json.loads(
        run(shop, "report", "--since", "2020-01-01", "--config", str(status), "--json").stdout
    )
    level = next(one for one in report["panels"]["generation quality"] if one["name"] == "faithful answers")
    assert level["lower"] < 0.96 < level["upper"]
    assert level["note"].startswith("corrected for the judge's errors by 200 labels of its own answers")


def test_without_labels_of_yours_status_shows_no_level(service: Service, tmp_path: Path) -> None:
    """By the labels that ship with the judge it may be twenty points off."""
    path = tmp_path / "plain.toml"
    path.write_text(f'[store]\nurl = "sqlite:///{service.settings.store.path}"\n')
    text = CliRunner().invoke(app, ["status", "--config", str(path)]).output
    assert "  level, last day:  level unknown: no labels of yours (ragvigil label)" in text

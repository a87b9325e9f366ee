"""A new judge beside the old one, over real HTTP, on answers that people labelled."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.scorer.labels.conftest import Shop, filled, settings_in
from tests.scorer.labels.test_draw_and_read import change, label_all, run

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.testing import Script, ScriptedJudge, Shown


@pytest.fixture(scope="module")
def labelled_once(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """200 labels on a shop whose judge is right 88 times in 100."""
    folder = tmp_path_factory.mktemp("labelled")
    shop = filled(folder, questions=800, right=0.88, seed=5)
    label_all(shop, folder)
    return shop


@pytest.fixture
def labelled(labelled_once: Shop, tmp_path: Path) -> Shop:
    """A copy of it."""
    settings = settings_in(tmp_path)
    shutil.copy(labelled_once.settings.store.path, settings.store.path)
    return Shop(settings, labelled_once.truth)


def script(right: float) -> Script:
    """A judge that is so often right on either kind; five euros is the truth in this shop."""

    def truth(shown: Shown) -> bool:
        return "costs 5 euros" in shown.answer if "euros" in shown.answer else Script().truth(shown)

    return Script(seed=3, sensitivity=right, specificity=right, truth=truth)


def candidate(folder: Path, url: str) -> str:
    """The settings of a new judge."""
    path = folder / "new.toml"
    path.write_text(f'[judge]\nkind = "openai"\nmodel = "scripted-1"\nbase_url = "{url}"\napi_key = "k"\n')
    return str(path)


@pytest.mark.parametrize(("right", "promoted"), [(0.97, True), (0.6, False)])
def test_a_better_judge_is_promoted_and_a_worse_one_is_not(
    labelled: Shop, tmp_path: Path, right: float, *, promoted: bool
) -> None:
    """By 80 % agreement on 100 answers and the paired difference; the exit code says it."""
    with ScriptedJudge(script(right)) as server:
        result = run(labelled, "calibrate", "compare", candidate(tmp_path, server.url), "--json")
    found = json.loads(result.stdout)
    assert (result.return_value, found["promoted"]) == (0 if promoted else 1, promoted)
    compared = found["result"]
    assert found["answers"] == compared["new"]["n_judged"] == 200
    assert compared["old"]["lower"] < 0.88 < compared["old"]["upper"]
    assert compared["new"]["lower"] < right < compared["new"]["upper"]
    moved = compared["difference"]
    assert moved["lower"] < right - 0.88 < moved["upper"]
    assert (moved["value"] > 0) is promoted
    assert found["tags"]["n"] == 30


def test_a_judge_that_tells_no_tag_is_not_promoted_however_people_agree(
    labelled: Shop, tmp_path: Path
) -> None:
    """The unit tests of the failure tags are run for every judge and prompt before it takes over."""
    knows_this_shop_only = Script(
        sensitivity=1.0, specificity=1.0, truth=lambda shown: "costs 5 euros" in shown.answer
    )
    with ScriptedJudge(knows_this_shop_only) as server:
        result = run(labelled, "calibrate", "compare", candidate(tmp_path, server.url))
    assert result.return_value == 1
    assert "new agrees with people  100.0%" in result.stdout
    assert "NOT PROMOTED: failure tags are right on" in result.stdout
    assert "HALLUCINATION_FACT" in result.stdout
    assert "may take the old one's place" not in result.stdout


def test_what_keeps_it_from_being_promoted_is_said(labelled: Shop, tmp_path: Path) -> None:
    """Also how steady it is, and what could not be judged because its content is gone."""
    change(
        labelled,
        "UPDATE records SET answer = NULL WHERE id IN (SELECT record_id FROM labels ORDER BY record_id LIMIT 120)",
    )
    with ScriptedJudge(script(0.6)) as server:
        result = run(labelled, "calibrate", "compare", candidate(tmp_path, server.url), "--repeats", "2")
    assert result.return_value == 1
    assert "new judge openai 2+scripted-1, old judge test 1, on 80 answers" in result.stdout
    assert "120 labelled answers are left out: their content is no longer kept" in result.stdout
    assert "0.0% did not get the same verdict 2 times" in result.stdout
    assert "NOT PROMOTED: only 80 labelled answers, at least 100 are needed" in result.stdout
    assert "NOT PROMOTED: agrees with people on" in result.stdout


@pytest.mark.parametrize("command", ["compare", "steadiness"])
def test_a_dead_endpoint_says_nothing_of_the_judge(
    labelled: Shop, tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Waited for once, and then exit code 2."""
    monkeypatch.setattr("ragvigil.scorer.judge.terminal.PATIENCE_SECONDS", 0.1)
    away = candidate(tmp_path, "http://127.0.0.1:1/v1")
    arguments = [away] if command == "compare" else ["--config", away, "--answers", "10"]
    with pytest.raises(InputError, match="does not answer"):
        run(labelled, "calibrate", command, *arguments)

"""What labels are taken, and what is said of those that are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.command_line import ragvigil

from ragvigil.scorer.config import Judge, Monitor
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.watch.gold import labels_of

GOOD = [{"truth": place % 2, "verdict": place % 2, "cheap": 0.5} for place in range(40)]


def written(folder: Path, items: list[dict[str, object]] | str) -> Monitor:
    """Settings that name a file of these items."""
    path = folder / "labels.jsonl"
    path.write_text(items if isinstance(items, str) else "\n".join(map(json.dumps, items)))
    return Monitor(gold=path)


def test_the_builtin_judge_brings_its_own_labels() -> None:
    """140 supported and 60 unsupported answers, and no text of them."""
    labels = labels_of(Monitor(), Judge())
    assert labels.source == "shipped"
    assert (labels.gold.truth.size, int(labels.gold.truth.sum())) == (200, 140)


def test_a_file_wins_and_no_judge_has_none(tmp_path: Path) -> None:
    """The operator's labels are about the operator's answers."""
    monitor = written(tmp_path, [dict(item) for item in GOOD])
    assert labels_of(monitor, Judge()).source == "file"
    assert labels_of(Monitor(), Judge(kind="none")).source == "none"
    marked = "\ufeff" + "\n".join(map(json.dumps, GOOD))  # as an editor of Windows writes it
    assert labels_of(written(tmp_path, marked), Judge()).gold.truth.size == len(GOOD)


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ("{", "line 1 is no JSON"),
        ('{"truth": 2, "verdict": 1, "cheap": 0.5}', "line 1: truth"),
        ('{"truth": 1, "verdict": 1}', "line 1: cheap"),
        ('{"truth": 1, "verdict": 1, "cheap": 1.5}', "line 1: cheap"),
        ("[1]", "line 1: the item"),
        ("", "label at least 10 of each"),
        ('{"truth": 1, "verdict": 1, "cheap": 0.5}\n' * 30, "30 faithful and 0 unfaithful"),
    ],
)
def test_labels_that_nothing_can_be_learned_from_are_refused_by_name(
    tmp_path: Path, items: str, words: str
) -> None:
    """The file, the line, the field."""
    with pytest.raises(ConfigError, match=words) as caught:
        labels_of(written(tmp_path, items), Judge())
    assert "monitor.gold" in str(caught.value)
    assert "labels.jsonl" in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """Not a traceback."""
    with pytest.raises(ConfigError, match="cannot be read"):
        labels_of(Monitor(gold=tmp_path / "none.jsonl"), Judge())


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('[monitor]\ngold = "none.jsonl"', "monitor.gold"),
        ("[detect]\nslo = 1.2", "detect.slo"),
        ("[monitor.tone]\nmin_drop = 0.1", "monitor.tone"),
    ],
)
def test_check_config_names_what_cannot_work(tmp_path: Path, lines: str, words: str) -> None:
    """Labels that are not there, a floor above all, a series that nobody measures."""
    path = tmp_path / "ragvigil.toml"
    path.write_text(lines)
    done = ragvigil("check-config", str(path))
    assert done.returncode == 2
    assert words in done.stderr

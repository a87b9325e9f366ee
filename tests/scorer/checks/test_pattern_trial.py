"""Which patterns of a service's own would hold up scoring."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ragvigil.scorer.checks.reading.citing import trial
from ragvigil.scorer.checks.reading.citing.trial import explodes_on
from ragvigil.scorer.commands._check_config import check_config
from ragvigil.scorer.errors import ConfigError

EXPLODING = [
    r"(?P<id>(?:a+)+)!",
    r"<<ref:((?:\w+,?)+)>>",
    r"((?:\d+[.-]?)+)\)",
    r"(\w+\s*)+@(\w+)",
    r"(x+x+)+y",
    r"\(see ((?:[A-Z]\w+ ?)*)\)",
]
QUICK = [
    r"~(\w[\w-]*)~",
    r"\[ref:([^\]]{1,60})\]",
    r"\{\{cite\|([^}]+)\}\}",
    r"\b([A-Z]+-\d+)\b",
]


def steps(seconds_for: Callable[[int], float]) -> Callable[[], float]:
    """A clock that goes on by so much, a number of calls after it was made."""
    calls = iter(range(10**9))
    return lambda: sum(map(seconds_for, range(next(calls) + 1)))


@pytest.mark.parametrize("pattern", EXPLODING)
def test_a_pattern_with_a_repeat_inside_a_repeat_is_found_out(
    pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They take twice as long for each letter more, so no machine is too quick."""
    monkeypatch.setattr(trial, "_MOST_SPENT", 100.0)
    text = explodes_on(re.compile(pattern))
    assert text is not None


@pytest.mark.parametrize("pattern", QUICK)
def test_a_plain_pattern_is_left_alone(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They take a thousandth of what is allowed; with a hundred times that, no loaded machine is too slow."""
    monkeypatch.setattr(trial, "MOST_SECONDS", 10.0)
    monkeypatch.setattr(trial, "_MOST_SPENT", 100.0)
    assert explodes_on(re.compile(pattern)) is None


def test_a_moment_of_another_process_does_not_condemn_a_pattern() -> None:
    """What was slow once is tried again."""
    assert explodes_on(re.compile("~(a)~"), clock=steps(lambda call: 1.0 if call == 2 else 0.0)) is None
    assert explodes_on(re.compile("~(a)~"), clock=steps(lambda call: 1.0)) is not None


def test_check_config_names_the_pattern_and_the_text(tmp_path: Path) -> None:
    """And says what to do."""
    path = tmp_path / "ragvigil.toml"
    path.write_text('[citations.shop]\npatterns = ["~(a)~", "(?P<id>(?:a+)+)!"]\n')
    with pytest.raises(
        ConfigError, match=r"citations\.shop\.patterns.*'\(\?P<id>.*aaaa.*none inside another"
    ):
        check_config(path)

"""What cannot be is refused with the name of the field and what to give instead."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from tests.scorer.detect.test_monitor_core import batch_of, gold, judge_all

from ragvigil.scorer.detect import Monitor, MonitorSettings
from ragvigil.scorer.detect.sequential.batch import read_traces

WRONG: Any = "no"
"""Of no type that anybody asked for."""


@pytest.mark.parametrize(
    ("name", "value", "fix"),
    [
        ("segments", 12.0, "give a whole number"),
        ("segments", None, "give a whole number"),
        ("segments", True, "give a whole number"),
        ("slo", "0.9", "give a number"),
        ("budget", None, "give a number"),
        ("days_between_false_pages", 0, "give a number above 0"),
        ("check_threshold", 0.0, "give a number above 0"),
        ("learning_days", 0.0, "give 0.25 or more"),
    ],
)
def test_settings_of_the_wrong_type_are_refused_by_name(name: str, value: object, fix: str) -> None:
    """Not by a TypeError an hour later."""
    wrong: Any = {name: value}
    with pytest.raises(ValueError, match=rf"MonitorSettings.{name} is .*: {fix}"):
        MonitorSettings(**wrong)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("start", None),
        ("time", None),
        ("segment", None),
        ("cheap", None),
        ("end", "noon"),
        ("time", np.array(["noon"])),
        ("cheap", np.array(["high"])),
        ("cheap", np.array([object()])),
        ("citation_ok", np.array(["yes"])),
        ("document_count", np.array(["5"])),
        ("judged", np.array(["no"])),
        ("judged", np.array([0.5])),
        ("judged", np.array([7])),
        ("judged", np.array([np.nan])),
        ("verdict", np.array(["passed"])),
    ],
)
def test_a_batch_of_wrong_values_is_refused_by_name(name: str, value: object) -> None:
    """Each column says what it holds and what to give."""
    wrong: Any = {name: value}
    monitor = Monitor(MonitorSettings(segments=1), gold())
    with pytest.raises(ValueError, match=rf"Batch.{name} .*: give"):
        monitor.observe(replace(judge_all(batch_of(1)), **wrong))


def test_numbers_of_numpy_are_settings_like_others() -> None:
    """They are kept as Python's, so that the state is JSON."""
    numbers: Any = {"segments": np.int64(3), "batch_seconds": np.int64(900), "budget": np.float32(0.25)}
    given = MonitorSettings(**numbers)
    assert given == MonitorSettings(segments=3, batch_seconds=900, budget=0.25)
    assert json.dumps(Monitor(given, gold()).state())


@pytest.mark.parametrize(
    "conversation",
    [
        np.array([np.nan, np.inf, np.nan, 7.0, 7.0]),
        np.array([1e300, -1e300, 5.0, 7.0, 7.0]),
        np.array([2**62, 2**62 + 1, -(2**62), 9, 9]),
    ],
)
def test_conversations_without_a_code_are_conversations_of_their_own(
    conversation: npt.NDArray[np.generic],
) -> None:
    """So are those of any code, however large."""
    read = read_traces(replace(batch_of(5), conversation=conversation), 3)
    assert len(set(read.conversation.tolist())) == 4
    assert read.conversation[3] == read.conversation[4]
    assert 0 <= read.conversation.min() <= read.conversation.max() < 5


def test_a_gold_set_of_lists_is_read_and_one_of_words_is_refused() -> None:
    """A list of numbers is an array."""
    good = gold()
    chances: Any = [0.5] * good.truth.size
    assert Monitor(MonitorSettings(), replace(good, inclusion=chances)).canary_wanted == 0
    for name in ("truth", "verdict", "cheap", "inclusion"):
        wrong: Any = {name: ["yes"] * good.truth.size}
        with pytest.raises(ValueError, match=rf"GoldSet.{name} holds what is no number: give"):
            replace(good, **wrong)


@pytest.mark.parametrize("value", [7, -2, WRONG])
def test_a_canary_that_cannot_be_is_refused(value: Any) -> None:
    """A verdict is 1, 0 or -1."""
    monitor = Monitor(MonitorSettings(), gold())
    with pytest.raises(ValueError, match=r"Monitor.canary: new verdicts .*: give 1, 0, or -1"):
        monitor.canary(np.ones(1), np.array([value]))


def changed(path: list[str], value: object) -> dict[str, Any]:
    """A fresh state with one thing in it that is wrong."""
    state: Any = Monitor(MonitorSettings(segments=3), gold()).state()
    inner = state
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    return state  # type: ignore[no-any-return]  # JSON


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (lambda: changed(["memory", "mood"], 1), r"has a Memory with other fields \(mood\): start a new"),
        (lambda: changed(["settings", "segments"], 5), r"MonitorSettings.segments is 5, .* memory has 3"),
    ],
)
def test_a_state_that_does_not_fit_is_refused(state: Callable[[], dict[str, Any]], words: str) -> None:
    """At restore, and not by a broadcast at the next plan."""
    with pytest.raises(ValueError, match=words):
        Monitor.restore(state())


def test_states_from_before_are_restored() -> None:
    """What this version added to the memory is not in them."""
    state: Any = Monitor(MonitorSettings(segments=3), gold()).state()
    for name in ("unknown_since", "unknown_last", "offsets", "compared_at"):
        del state["memory"][name]
    for name in ("newest", "late"):
        del state["memory"]["traffic"][name]
    assert Monitor.restore(state).observe(batch_of(3)) == []

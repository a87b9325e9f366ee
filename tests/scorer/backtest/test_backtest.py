"""Another rule over one's own history: how often it would have paged, when, and why."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.scorer.diagnose.test_store import FALL, MINUTE, lived

from ragvigil.exporters import Alert
from ragvigil.scorer.backtest.windows import History, window_pages
from ragvigil.scorer.commands._app import run
from ragvigil.scorer.config import Links, Monitor, Rule, Settings, load
from ragvigil.scorer.detect import total
from ragvigil.scorer.moments import calendar_time
from ragvigil.scorer.monitor.monitor import Monitor as Running
from ragvigil.scorer.monitoring import Bucket, SeriesKey, Sums
from ragvigil.scorer.store.sqlite import SqliteStore

KEY = SeriesKey("citation", "shop", "production")


def bucket(minute: int, rate: float, n: int = 40) -> Bucket:
    """A minute of answers."""
    good = float(round(n * rate))
    return Bucket(minute * MINUTE, Sums(n, float(n), good, float(n), good, good))


def course() -> Sequence[Bucket]:
    """A day, with a deep fall of half an hour and a shallow one of two hours."""

    def rate(minute: int) -> float:
        if 600 <= minute < 630:
            return 0.6
        return 0.9 if 1_000 <= minute < 1_120 else 0.95

    return [bucket(minute, rate(minute)) for minute in range(1_440)]


def pages(**rule: float) -> list[int]:
    """Minutes of the pages of a rule."""
    settings = Monitor(citation=Rule.model_validate({**Monitor().citation.model_dump(), **rule}))
    found = window_pages({KEY: course()}, settings, 0, 1_440 * MINUTE)
    return [one.at // MINUTE for one in found]


def test_a_stricter_rule_pages_for_what_the_present_one_lets_pass() -> None:
    """And none pages for what is not there."""
    (deep,) = pages()
    assert 600 < deep <= 620
    found = pages(min_drop=0.02)
    assert len(found) == 2
    assert 1_000 < found[1] < 1_120
    assert pages(min_drop=0.5) == []


@pytest.mark.parametrize("name", ["judge.answer_relevance", "criteria.tone"])
def test_the_rule_for_measures_and_criteria_is_tried_on_them(name: str) -> None:
    """A rule that is taken and does nothing looks like one that changes nothing."""
    found = {KEY._replace(name=name): course()}
    strict = Rule.model_validate({**Monitor().citation.model_dump(), "min_drop": 0.02})
    lax = Rule.model_validate({**Monitor().citation.model_dump(), "min_drop": 0.5})
    assert len([*window_pages(found, Monitor(measures=strict), 0, 1_440 * MINUTE)]) >= 1
    assert [*window_pages(found, Monitor(measures=lax), 0, 1_440 * MINUTE)] == []


def test_the_history_ends_where_the_clock_stands() -> None:
    """A back-test that sees the future is worth nothing."""
    history = History({KEY: course()})
    seen = history.buckets(KEY, 0, 605 * MINUTE)
    assert seen[-1].start < 605 * MINUTE
    assert history.sums(KEY, 0, 605 * MINUTE) == total(seen)
    assert history.sums(KEY, 5, 5) == Sums()


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A store of a good while and ten bad minutes."""
    return lived(tmp_path_factory.mktemp("backtest"))


def asked(arguments: list[str]) -> int:
    """As somebody types it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["ragvigil", "backtest", *arguments])
        return run()


def test_the_command_pages_when_the_running_monitor_did(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same rules on the same history: the same page, and none for a rule that asks for more."""
    store = str(settings.store.path)
    rule = "monitor.citation.min_drop=0.9"
    assert asked(["--rule", rule, "--store", store, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (page,) = found["present"]["pages"]
    assert found["other"]["pages"] == []
    with SqliteStore(settings, durable=False) as opened:
        running = Running(opened.monitoring, load().monitor, ["on-call"], Links())
        alerts: list[Alert] = []
        moments = range(FALL - 60 * MINUTE, FALL + 10 * MINUTE, MINUTE)
        for now in moments:
            alerts += running.tick(now)
    assert len(alerts) == 1
    at, since = (datetime.fromisoformat(moment) for moment in (page["at"], page["evidence"]["since"]))
    assert abs(at - alerts[0].at) <= timedelta(minutes=2)
    assert abs(since - calendar_time(FALL)) <= timedelta(minutes=3)
    assert asked(["--rule", rule, "--history", store]) == 0
    said = capsys.readouterr().out
    assert "present rules: 1 page;" in said
    assert "The past cannot be judged again" in said


def test_a_file_of_rules_is_read_and_what_is_no_rule_is_refused(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Errors that name the field and the fix."""
    store = str(settings.store.path)
    rules = tmp_path / "rules.toml"
    rules.write_text("[monitor.citation]\nmin_drop = 0.9\n")
    assert asked(["--rule", str(rules), "--store", store]) == 0
    assert f"{rules}: 0 pages" in capsys.readouterr().out
    rules.write_text("\ufeff[monitor.citation]\nmin_drop = 0.9\n", encoding="utf-8")  # as Windows writes it
    assert asked(["--rule", str(rules), "--store", store]) == 0
    assert f"{rules}: 0 pages" in capsys.readouterr().out
    assert asked(["--rule", "judge.kind='none'", "--store", store]) == 2
    assert "judge.kind is no rule of detection" in capsys.readouterr().err
    assert asked(["--rule", "min_drop=0.1", "--store", store]) == 2
    assert "(say monitor.faithfulness.min_drop or monitor.citation.min_drop)" in capsys.readouterr().err
    assert asked(["--rule", "monitor.citation.min_dorp=1", "--store", store]) == 2
    assert "min_drop" in capsys.readouterr().err
    assert asked(["--rule", "nothing.toml", "--store", store]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_a_stretch_outside_the_history_and_two_stores_are_refused(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    """No pages in no days is no result."""
    store = str(settings.store.path)
    rule = "monitor.citation.min_drop=0.9"
    assert asked(["--rule", rule, "--store", store, "--until", "2020-01-01T00:00Z"]) == 2
    assert "leave nothing of the history, which is 2026-09-01" in capsys.readouterr().err
    assert asked(["--rule", rule, "--history", store, "--history", store]) == 2
    assert "one store" in capsys.readouterr().err

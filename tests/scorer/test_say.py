"""What a command says in a terminal of 80 columns, and in a pipe."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.scorer.incidents.test_life import fallen
from tests.scorer.metrics.filled import evaluated, fill, record, settings_in

from ragvigil.scorer.commands._app import run
from ragvigil.scorer.commands._say import folded
from ragvigil.scorer.config import Settings
from ragvigil.scorer.store.sqlite import SqliteStore

Said = Callable[..., list[str]]


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A store with a series and an incident."""
    settings = settings_in(tmp_path_factory.mktemp("said"))
    with SqliteStore(settings) as store:
        fill(store, [record(number, "documentation-of-the-standard-library") for number in range(1, 200)])
        store.monitoring.save_incident(fallen(), None, ())
        evaluated(store, settings)
    return settings


class Terminal(io.StringIO):
    """Says that it is one."""

    def isatty(self) -> bool:
        """Yes."""
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Said:
    """Runs a command whose output is a terminal of 80 columns; its lines."""

    def said(*arguments: str) -> list[str]:
        output = Terminal()
        monkeypatch.setenv("TERM", "dumb")
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.setattr("sys.stdout", output)
        monkeypatch.setattr("sys.argv", ["ragvigil", *arguments])
        run()
        return output.getvalue().splitlines()

    return said


@pytest.mark.parametrize(
    "command", ["status", "incidents", "ledger", "notes", "report --since 2026-01-01T00:00Z"]
)
def test_no_line_is_wider_than_the_terminal(terminal: Said, settings: Settings, command: str) -> None:
    """A terminal breaks in the middle of a figure what a command does not fold."""
    lines = terminal(*command.split(), "--store", str(settings.store.path))
    assert len(lines) > 1
    assert [line for line in lines if len(line) > 80] == []


def test_what_is_laid_out_by_a_command_is_laid_out_for_the_terminal(terminal: Said, tmp_path: Path) -> None:
    """The scores of an answer were wrapped for 115 columns, and then each of these lines for 80."""
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        '{"id": 1, "query": "Why?", "evidence": [{"id": "a", "text": "Rain."}], "answer": "Rain [a]."}'
    )
    lines = terminal("score", str(rows))
    assert len(lines) > 5
    assert max(map(len, lines)) <= 80
    assert min(map(len, lines[1:-1])) > 40


def test_json_is_one_line_in_a_terminal_too(terminal: Said, settings: Settings) -> None:
    """It is copied from there into a program."""
    (line,) = terminal("incidents", "--json", "--store", str(settings.store.path))
    assert json.loads(line)[0]["id"] == fallen().id


def test_a_pipe_gets_whole_lines(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are searched, whatever the width of the terminal that the pipe was typed in."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("sys.argv", ["ragvigil", "incidents", "--store", str(settings.store.path)])
    assert run() == 0
    assert max(len(line) for line in capsys.readouterr().out.splitlines()) > 100


def test_a_figure_keeps_its_interval_and_n_on_its_line() -> None:
    """Half of it on the next line is read as another number."""
    line = f"{'word ' * 12}97.0% [95.1%, 98.2%] n=1,400 and more"
    assert "97.0% [95.1%, 98.2%] n=1,400" in folded(line, 80).split("\n")[1]
    assert folded("x" * 100, 80) == "x" * 100


def test_a_terminal_gets_no_character_that_steers_it(terminal: Said, tmp_path: Path) -> None:
    """A service's name turned the rest of the screen red, or around."""
    settings = settings_in(tmp_path)
    with SqliteStore(settings) as store:
        fill(store, [record(number, "red\x1b[31m\u202eder") for number in range(1, 200)])
        evaluated(store, settings)
    said = "\n".join(terminal("status", "--store", str(settings.store.path)))
    assert r"red\x1b[31m\u202eder" in said
    assert "\x1b" not in said

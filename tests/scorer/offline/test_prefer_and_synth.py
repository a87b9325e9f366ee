"""Two sets of answers compared, and test questions made, over real HTTP with the scripted judge."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.scorer.judge.test_criteria import criterion
from typer.testing import CliRunner, Result

from ragvigil.scorer.commands._app import app
from ragvigil.scorer.errors import InputError
from ragvigil.scorer.judge.paid import Paid
from ragvigil.scorer.offline.rows import rows_in
from ragvigil.scorer.testing import Script, ScriptedJudge, Shown
from ragvigil.scorer.trace import Document

RIGHT, WRONG = "The library opens at nine on weekdays.", "Dogs and cats pay twice at the harbour."
HARBOUR = "The harbour office charges twelve euros for a lost card."
EVIDENCE = [{"id": "o1", "text": "The library opens at nine on weekdays and at eleven on Saturdays."}]
SURE = Script(sensitivity=1.0, specificity=1.0)


def run(server: ScriptedJudge, folder: Path, *arguments: str) -> Result:
    """A command with the scripted judge; what it raises comes out as it is."""
    return run_at(server.url, folder, *arguments)


def run_at(url: str, folder: Path, *arguments: str) -> Result:
    """The same with the judge at that address."""
    settings = folder / "ragvigil.toml"
    settings.write_text(
        f'[judge]\nkind = "openai"\nmodel = "m"\nbase_url = "{url}"\n'
        f'[store]\nurl = "sqlite:///{folder / "store.db"}"\n'
    )
    return CliRunner().invoke(
        app, [*arguments, "--config", str(settings)], catch_exceptions=False, standalone_mode=False
    )


def rows(path: Path, *rows: Mapping[str, object]) -> str:
    """A file of rows; its name."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def answers(path: Path, *said: str) -> str:
    """A file of answers to as many questions."""
    return rows(
        path,
        *(
            {"id": number, "query": "When does it open?", "evidence": EVIDENCE, "answer": answer}
            for number, answer in enumerate(said)
        ),
    )


def test_the_better_set_wins_whatever_the_order(tmp_path: Path) -> None:
    """Each pair is asked about twice; the win rate has its interval."""
    a = answers(tmp_path / "a.jsonl", *[RIGHT] * 18, *[WRONG] * 4, RIGHT)
    b = answers(tmp_path / "b.jsonl", *[WRONG] * 18, *[RIGHT] * 4, RIGHT)
    with ScriptedJudge(SURE) as server:
        result = run(server, tmp_path, "prefer", a, b, "--json")
        assert len(server.requests) == 46
        text = run(server, tmp_path, "prefer", b, a).stdout
    found: dict[str, Any] = json.loads(result.stdout)
    assert result.return_value == 0
    assert found["counts"] == {"a": 18, "b": 4, "tie": 1, "order": 0, "unread": 0}
    assert found["win_rate"]["value"] == pytest.approx(18.5 / 23)
    assert found["win_rate"]["lower"] > 0.5
    assert "win rate of A: 19.6%" in text
    assert found["usage"]["calls"] == 46


def test_answers_from_other_passages_are_compared_on_the_passages_of_both(tmp_path: Path) -> None:
    """Neither wins because the other's passages were not shown, whichever file comes first."""

    class Reads(Script):
        shown: list[tuple[Document, ...]] = []  # noqa: RUF012 - filled here

        def reply(self, shown: Shown, wanted: str = "rubric") -> dict[str, object]:
            self.shown.append(shown.evidence)
            return super().reply(shown, wanted)

    found = {"wide": [*EVIDENCE, {"id": "h1", "text": HARBOUR}], "narrow": [{"id": "h1", "text": HARBOUR}]}
    said = {"wide": RIGHT, "narrow": HARBOUR}
    wide, narrow = (
        rows(
            tmp_path / f"{name}.jsonl",
            *(
                {"id": n, "query": "When does it open?", "evidence": found[name], "answer": said[name]}
                for n in range(3)
            ),
        )
        for name in found
    )
    with ScriptedJudge(Reads(sensitivity=1.0, specificity=1.0)) as server:
        results = [
            json.loads(run(server, tmp_path, "prefer", *files, "--json").stdout)["counts"]
            for files in ((wide, narrow), (narrow, wide))
        ]
    assert results == [{"a": 0, "b": 0, "tie": 3, "order": 0, "unread": 0}] * 2
    assert {tuple(one.id for one in shown) for shown in Reads.shown} == {("h1", "o1")}


def test_a_judge_that_likes_what_comes_first_settles_nothing(tmp_path: Path) -> None:
    """What follows the order is a tie, and the interval says that nothing can be told."""

    class First(Script):
        def reply(self, shown: Shown, wanted: str = "rubric") -> dict[str, object]:
            return {"first_notes": "it comes first", "second_notes": "it does not", "better": "first"}

    a, b = (answers(tmp_path / f"{name}.jsonl", *[RIGHT] * 20) for name in "ab")
    with ScriptedJudge(First()) as server:
        text = run(server, tmp_path, "prefer", a, b).stdout
    assert "by order only 20" in text
    assert "cannot be told: the interval holds 50 %" in text


def test_few_questions_are_not_enough_data(tmp_path: Path) -> None:
    """And files that do not fit together are named."""
    a, b = answers(tmp_path / "a.jsonl", RIGHT), answers(tmp_path / "b.jsonl", WRONG)
    with ScriptedJudge(SURE) as server:
        text = run(server, tmp_path, "prefer", a, b).stdout
        assert "not enough data" in text
        assert re.search(r"^2 calls, [\d,]+ tokens, unpriced$", text, re.MULTILINE)
        other = rows(tmp_path / "c.jsonl", {"id": 0, "query": "Where?", "answer": "Here."})
        with pytest.raises(InputError, match="has another question under id '0'"):
            run(server, tmp_path, "prefer", a, other)
        with pytest.raises(InputError, match="answers no question of"):
            run(server, tmp_path, "prefer", a, rows(tmp_path / "d.jsonl", {"id": 9, "answer": "x"}))
        twice = answers(tmp_path / "e.jsonl", RIGHT)
        Path(twice).write_text(Path(twice).read_text() * 2)
        with pytest.raises(InputError, match="answers '0' a second time"):
            run(server, tmp_path, "prefer", twice, a)


def test_a_row_may_hold_any_character_but_a_newline(tmp_path: Path) -> None:
    """As JSON writers leave it that do not escape; and an empty line is none."""
    path = tmp_path / "rows.jsonl"
    path.write_text(
        '\ufeff{"id": 1, "text": "one\u2028two"}\r\n\r\n{"id": 2, "text": "x"}\n', "utf-8", newline=""
    )
    assert [(number, row["id"]) for number, row in rows_in(path)] == [(1, 1), (3, 2)]


def test_a_file_that_cannot_be_read_is_named_with_what_is_wrong(tmp_path: Path) -> None:
    """One that is not there is not told to be saved otherwise."""
    with pytest.raises(InputError, match="cannot be read: No such file"):
        list(rows_in(tmp_path / "none.jsonl"))
    (tmp_path / "latin.jsonl").write_bytes('{"text": "é"}'.encode("latin-1"))
    with pytest.raises(InputError, match="save it as UTF-8"):
        list(rows_in(tmp_path / "latin.jsonl"))


CHUNKS = (
    {"id": "city#1", "text": "The city library opens at nine on weekdays. A lost card costs 12 euros."},
    {"id": "harbour#1", "text": "The harbour library opens at ten on weekdays. A lost card costs 15 euros."},
    {"id": "zoo#1", "text": "Elephants eat two hundred kilograms of hay."},
)


def test_questions_have_their_fact_their_chunk_and_a_user_who_could_ask(tmp_path: Path) -> None:
    """A row of a test set each; what no user would ask is left out and counted."""
    out = tmp_path / "questions.jsonl"
    with ScriptedJudge(SURE) as server:
        result = run(
            server, tmp_path, "synth", rows(tmp_path / "c.jsonl", *CHUNKS), "--out", str(out), "--json"
        )
    made: list[dict[str, Any]] = [json.loads(line) for line in out.read_text().splitlines()]
    assert result.return_value == 0
    assert json.loads(result.stdout)["kept"] == len(made) == 5
    texts = {str(chunk["id"]): str(chunk["text"]) for chunk in CHUNKS}
    assert all(row["golden_answer"] in texts[row["golden_context_ids"][0]] for row in made)
    assert all(row["realism"] >= 4 and row["required_facts"] == [row["golden_answer"]] for row in made)
    assert {tuple(row["tags"]) for row in made} == {("synthetic",)}


def test_hard_questions_come_from_chunks_that_look_alike(tmp_path: Path) -> None:
    """The zoo has none; a fact that a look-alike carries too is no hard question."""
    out = tmp_path / "questions.jsonl"
    command = (
        "synth",
        rows(tmp_path / "c.jsonl", *CHUNKS),
        "--out",
        str(out),
        "--each",
        "0",
        "--adversarial",
        "2",
    )
    with ScriptedJudge(SURE) as server:
        result = run(server, tmp_path, *command, "--json")
        shown = str(server.requests[0])
    made: list[dict[str, Any]] = [json.loads(line) for line in out.read_text().splitlines()]
    assert made
    assert all(row["tags"] == ["synthetic", "adversarial"] and row["look_alike_ids"] for row in made)
    assert json.loads(result.stdout)["left_out"]["no_look_alike"] == 1
    assert "harbour#1" in shown


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ({"pairs": [{"fact": "Dogs pay twice.", "question": "Do dogs pay?"}]}, "fact_not_in_chunk"),
        ({"pairs": "none"}, "unreadable"),
    ],
)
def test_what_is_no_good_is_left_out_and_counted(reply: dict[str, object], why: str, tmp_path: Path) -> None:
    """Never written, never silent; exit code 1 when nothing is left."""

    class Bad(Script):
        def reply(self, shown: Shown, wanted: str = "rubric") -> dict[str, object]:
            return reply

    out = tmp_path / "questions.jsonl"
    with ScriptedJudge(Bad()) as server:
        result = run(
            server, tmp_path, "synth", rows(tmp_path / "c.jsonl", CHUNKS[2]), "--out", str(out), "--json"
        )
    assert result.return_value == 1
    assert json.loads(result.stdout)["left_out"] == {why: 1}
    assert out.read_text() == ""


def test_questions_that_no_user_would_ask_are_left_out(tmp_path: Path) -> None:
    """Realism below 4 of 5."""
    out = tmp_path / "questions.jsonl"
    with ScriptedJudge(Script(sensitivity=0.0)) as server:
        result = run(
            server, tmp_path, "synth", rows(tmp_path / "c.jsonl", CHUNKS[2]), "--out", str(out), "--json"
        )
        text = run(server, tmp_path, "synth", str(tmp_path / "c.jsonl"), "--out", str(out)).stdout
    assert json.loads(result.stdout)["left_out"] == {"not_realistic": 1}
    assert re.search(r"^2 calls, [\d,]+ tokens, unpriced$", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"text": "x"}, "line 1, id: is missing"),
        ({"id": "a", "text": " "}, "line 1, text: is missing or empty"),
        ({"id": True, "text": "x"}, "line 1, id"),
    ],
)
def test_a_chunk_that_is_none_is_named(row: dict[str, object], problem: str, tmp_path: Path) -> None:
    """Line, field and fix."""
    with ScriptedJudge(SURE) as server, pytest.raises(InputError, match=problem):
        run(server, tmp_path, "synth", rows(tmp_path / "c.jsonl", row), "--out", str(tmp_path / "o"))


def test_the_generators_prompt_is_printed() -> None:
    """I2: into a file of the service that uses it; the others are listed."""
    runner = CliRunner()
    said = runner.invoke(app, ["prompts", "generator", "--language", "es"], standalone_mode=False).stdout
    assert said.startswith("Contestas preguntas a partir de los pasajes")
    assert "generator" in runner.invoke(app, ["prompts"], standalone_mode=False).stdout
    with pytest.raises(InputError, match=r"has no 'de'; it has en, pt, es"):
        runner.invoke(
            app, ["prompts", "generator", "--language", "de"], standalone_mode=False, catch_exceptions=False
        )


COMMANDS = {
    "prefer": ("a.jsonl", "a.jsonl"),
    "synth": ("chunks.jsonl", "--out", "made.jsonl"),
    "try-prompt": ("criteria/tone.md", "--on", "a.jsonl"),
    "probe": ("--only", "tags"),
}
"""Commands that ask a model in ways of their own."""


@pytest.fixture
def ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what the commands read, in which they run."""
    answers(tmp_path / "a.jsonl", RIGHT)
    rows(tmp_path / "chunks.jsonl", CHUNKS[0])
    criterion(tmp_path / "criteria", 'id = "tone"\nversion = "1"')
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_command_asks_counts_against_the_budget(ready: Path, command: str) -> None:
    """The scorer that shares the file sees every call."""
    with ScriptedJudge(SURE) as server:
        run(server, ready, command, *COMMANDS[command])
        asked = len(server.requests)
    with closing(Paid(ready / "store-judge.db", "the scorer")) as paid:
        _, day = paid.spent()
    assert round(day.calls) == asked > 0


@pytest.mark.parametrize("command", COMMANDS)
def test_a_dead_endpoint_ends_the_command(ready: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 2 after the patience, waited for once: it is no fault of judge or answers."""
    monkeypatch.setattr("ragvigil.scorer.judge.terminal.PATIENCE_SECONDS", 0.1)
    with pytest.raises(InputError, match=r"does not answer \(.*\); is judge.base_url right\?"):
        run_at("http://127.0.0.1:1/v1", ready, command, *COMMANDS[command])

"""Rows of a file through the checks and judge of production."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
from tests.command_line import ragvigil
from typer.testing import CliRunner

from ragvigil.scorer.checks import CHECKS
from ragvigil.scorer.commands._app import app
from ragvigil.scorer.errors import ConfigError, InputError
from ragvigil.scorer.offline.prefer import rows_of
from ragvigil.scorer.offline.records import records_in
from ragvigil.scorer.offline.score import score_rows
from ragvigil.scorer.testing import Script, ScriptedJudge, Shown

ROW = {
    "id": "r1",
    "query": "",
    "evidence": [{"id": "d1", "text": "The shop opens at nine.", "url": "x"}],
    "answer": "The shop opens at nine [d1].",
    "label": 1,
}


def scored(*rows: object, judge: str = "builtin") -> list[dict[str, object]]:
    """Results of rows."""
    return list(score_rows([one if isinstance(one, str) else json.dumps(one) for one in rows], judge=judge))


CITED = {"cited": ["d1"], "not_retrieved": [], "over_broad": []}


def test_a_row_gives_one_flat_result() -> None:
    """Checks, verdict, claims with places, and the versions of what produced them."""
    (result,) = scored(ROW)
    assert {check.id for check in CHECKS} <= result.keys()
    assert (result["id"], result["state"], result["support"], result["passed"]) == (
        "r1",
        "supported",
        1.0,
        True,
    )
    assert result["citation_correctness"] == 1.0
    claims = cast("list[dict[str, Any]]", result["claims"])
    assert claims[0].keys() == {
        "text",
        "start",
        "end",
        "supported_by",
        "verdict",
        "probability",
        "nearest",
        "reason",
        "unsupported_spans",
    }
    assert claims[0]["text"] == str(ROW["answer"])[claims[0]["start"] : claims[0]["end"]]
    assert (result["judge"], result["judge_version"]) == ("builtin", "39+lexical-1")
    assert len(str(result["prompt_digest"])) == 64
    assert result["measured"] == {}
    checks = result["checks"]
    assert isinstance(checks, dict)
    assert checks["citation_correctness"] == {"value": 1.0, "reason": None, "version": "22", "details": CITED}


def test_question_answer_contexts_rows_are_read_too() -> None:
    """Contexts are texts or objects; without ids they are named by rank."""
    (result,) = scored(
        {
            "question": "When?",
            "answer": "The shop opens at nine [1].",
            "contexts": ["The shop opens at nine."],
        }
    )
    claims = cast("list[dict[str, Any]]", result["claims"])
    assert (result["id"], result["citation_correctness"], claims[0]["supported_by"]) == (
        "line-1",
        1.0,
        ["#1"],
    )


def test_results_come_in_the_order_of_the_rows_and_ids_stay_as_they_are() -> None:
    """Blank lines are no rows."""
    assert [one["id"] for one in scored({**ROW, "id": 7}, "", {**ROW, "id": "b"}, {**ROW, "id": None})] == [
        7,
        "b",
        "line-4",
    ]


BAD = {
    "nope": "line 1: not JSON",
    "[1]": "line 1: holds a list; put one JSON object on each line",
    '{"answer": 5}': "line 1, answer: must be text, not a number; put it in quotes",
    '{"answer": NaN}': "line 1, answer: not a finite number; use null",
    '{"evidence": [{"id": "a", "deep": [1, 1e999]}]}': "line 1, evidence[0].deep[1]: not a finite number; use null",
    '{"id": []}': "line 1, id: must be text or a whole number, not a list",
    '{"query": {}}': "line 1, query: must be text, not an object",
    '{"evidence": "text"}': "line 1, evidence: must be a list of passages, not text",
    '{"contexts": [5]}': "line 1, contexts[0]: must be text or an object with id and text, not a number",
    '{"evidence": [{"id": "a", "text": 5}]}': "line 1, evidence[0].text: must be text, not a number",
    '{"evidence": [{"score": "high"}]}': "line 1, evidence[0].score: must be a number, not text",
    '{"evidence": [{"score": 1' + "0" * 310 + "}]}": "line 1, evidence[0].score: is too large",
    '{"evidence": [{"id": true}]}': "line 1, evidence[0].id: must be text or a whole number",
    '{"answer": "\\ud800"}': "line 1: holds half of a surrogate pair",
    "[" * 100_000: "line 1: nested too deeply",
}


@pytest.mark.parametrize(("line", "problem"), BAD.items(), ids=[text[:40] for text in BAD.values()])
def test_a_bad_row_names_line_field_and_fix_and_the_others_go_on(line: str, problem: str) -> None:
    """The next row is scored."""
    bad, good = scored(line, ROW)
    assert str(bad["error"]).startswith(problem)
    assert bad.keys() - {"error"} == good.keys()
    assert good["state"] == "supported"


def test_without_a_judge_only_the_checks_speak() -> None:
    """The keys stay."""
    (result,) = scored(ROW, judge="none")
    assert (result["supported_claims"], result["state"], result["claims"], result["judge"]) == (
        1.0,
        None,
        [],
        "none",
    )


def test_an_unknown_judge_is_refused_before_any_row() -> None:
    """With the known ones."""
    with pytest.raises(
        ConfigError, match=r"judge: unknown judge 'gpt' \(known: none, builtin, openai, anthropic, nli\)"
    ):
        score_rows([], judge="gpt")
    with pytest.raises(ConfigError, match="known: lexical-1"):
        score_rows([], judge="builtin", model="x")


@pytest.mark.parametrize(
    ("row", "state"),
    [
        ({"id": 1}, "not_scoreable"),
        ({"answer": "The shop opens at nine."}, "not_scoreable"),
        ({"answer": "The shop opens at nine.", "evidence": [{"id": "a"}]}, "partial_evidence"),
        ({"answer": "I don't know.", "contexts": ["The shop opens at nine."]}, "no_claims"),
    ],
)
def test_what_a_row_lacks_shows_in_its_state(row: object, state: str) -> None:
    """Never as a zero."""
    (result,) = scored(row)
    assert (result["state"], result["faithfulness"]) == (state, None)
    assert result["reason"]


@pytest.mark.parametrize(
    ("row", "error"),
    [
        ({"anwser": "At nine."}, "line 1, anwser: is not read; did you mean answer?"),
        (
            {"answer": "At nine.", "context": ["At nine."]},
            "line 1, context: is not read; did you mean contexts?",
        ),
        (
            {"answer": "At nine.", "evidence": [{"id": "a", "txt": "At nine."}]},
            "line 1, evidence[0], txt: is not read; did you mean text?",
        ),
    ],
)
def test_a_misspelt_key_is_named_where_its_field_is_lacking(row: object, error: str) -> None:
    """A gate in CI passed with nothing scored."""
    (result,) = scored(row)
    assert result["error"] == error


def test_checks_of_ones_own_are_tried_on_a_file(tmp_path: Path) -> None:
    """Before they go live, and whichever services they are for."""
    config = tmp_path / "ragvigil.toml"
    config.write_text(
        "[custom_checks.brief]\nexpression = 'supported_claims >= 0.9 and len(words(answer)) < 3'\n"
        "services = ['shop']\n"
    )
    rows = tmp_path / "rows.jsonl"
    good = {"answer": "The shop opens at nine.", "contexts": ["The shop opens at nine."]}
    rows.write_text(json.dumps(good) + "\nnot JSON\n")
    found = CliRunner().invoke(app, ["score", str(rows), "--config", str(config), "--json"])
    result, refused = map(json.loads, found.stdout.splitlines())
    assert (result["custom.brief"], result["state"]) == (0.0, "supported")
    assert refused["custom.brief"] is None
    config.write_text("[custom_checks.brief]\nexpression = 'suported_claims > 0'\n")
    with pytest.raises(
        ConfigError, match=r"custom_checks\.brief\.expression: 'suported_claims' is not known"
    ):
        CliRunner().invoke(app, ["score", str(rows), "--config", str(config)], catch_exceptions=False)


def test_other_keys_are_the_file_s_own() -> None:
    """Also beside what they resemble."""
    (result,) = scored({"query_id": 7, "answers": 2, "answer": "At nine.", "contexts": ["At nine."]})
    assert result["state"] == "supported"


def test_claims_of_a_row_that_found_nothing_are_unsupported() -> None:
    """An empty list of passages is known to be empty."""
    (result,) = scored({"answer": "The shop opens at nine.", "evidence": []})
    assert (result["state"], result["support"], result["reason"]) == (
        "unsupported",
        0.0,
        "nothing was retrieved",
    )


@pytest.mark.parametrize("judge", ["builtin", "none"])
def test_a_refused_row_names_the_judge_that_was_asked_for(judge: str) -> None:
    """With the same versions as any row."""
    refused, fine = scored("nope", ROW, judge=judge)
    versions = ("judge", "judge_version", "prompt_digest")
    assert [refused[key] for key in versions] == [fine[key] for key in versions]
    assert refused["judge"] == judge


def test_every_claim_of_a_row_is_compared() -> None:
    """No budget applies offline."""
    facts = " ".join(f"Fact {number} says word{number}." for number in range(600))
    (result,) = scored({"answer": facts, "evidence": [facts]})
    assert (len(cast("list[object]", result["claims"])), result["reason"]) == (600, None)


def test_results_are_json() -> None:
    """Also with odd characters."""
    answer = "It opens\x00 at nine 😀 \u202e [d1]. 日本語です。"
    (result,) = scored({**ROW, "answer": answer})
    assert json.loads(json.dumps(result, ensure_ascii=False, allow_nan=False).encode())["id"] == "r1"


def test_what_is_not_read_may_hold_anything() -> None:
    """Exports of data frames write NaN where a column is empty; a refused row keeps its id."""
    fine, refused = scored('{"id": "a", "answer": "x", "label": NaN}', '{"id": "b", "answer": NaN}')
    assert ("error" in fine, fine["id"]) == (False, "a")
    assert refused["id"] == "b"
    assert str(refused["error"]).startswith("line 2, answer: not a finite number")


def test_measures_and_criteria_are_taken_of_every_row(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As production takes them, without its sampling; the model's points enter the grounded answer."""
    frame = (
        '+++\nid = "polite"\nversion = "1"\nchanges = "First."\nshare = 0.01\n+++\nIs the answer polite?\n'
    )
    (tmp_path / "polite.md").write_text(frame)
    with ScriptedJudge(Script(sensitivity=1.0)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_MODEL", "scripted-1")
        monkeypatch.setenv("RAGVIGIL_JUDGE__MEASURES", '["six_axes"]')
        monkeypatch.setenv("RAGVIGIL_JUDGE__MEASURES_SHARE", "0.01")
        monkeypatch.setenv("RAGVIGIL_JUDGE__CRITERIA", str(tmp_path))
        results = scored(*({**ROW, "id": number} for number in range(3)), judge="openai")
    for result in results:
        assert {"judge.six_axes", "criteria.polite"} <= cast("dict[str, object]", result["measured"]).keys()
        assert isinstance(result["judge.six_axes"], float)


def test_a_row_may_say_what_the_answer_took() -> None:
    """Time and money are then held to the budgets, and the type that it names decides about its structure."""
    (quick,) = scored({**ROW, "total_seconds": 1, "cost_usd": 0.01})
    (slow,) = scored({**ROW, "total_seconds": 9.5, "generation_seconds": None, "cost_usd": 2})
    assert [(one["latency_budget"], one["cost_budget"]) for one in (quick, slow)] == [(1.0, 1.0), (0.0, 0.0)]
    assert scored(ROW)[0]["latency_budget"] is None
    (wrong,) = scored({**ROW, "segment": {"language": 7}})
    assert str(wrong["error"]).startswith("line 1, segment: must be an object of texts")


@pytest.mark.parametrize(("reply", "code"), [(None, 0), ("I would rather not.", 1)])
def test_a_judge_without_a_verdict_fails_the_run(
    reply: str | None, code: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A gate in CI must not pass because nothing was judged."""

    class Told(Script):
        __slots__ = ()

        def said(self, shown: Shown, number: int, wanted: str = "rubric") -> str:
            return reply or super().said(shown, number, wanted)

    (tmp_path / "rows.jsonl").write_text(json.dumps(ROW))
    with ScriptedJudge(Told(sensitivity=1.0, truth=lambda _: True)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_MODEL", "scripted-1")
        arguments = ["score", str(tmp_path / "rows.jsonl"), "--judge", "openai"]
        found = CliRunner().invoke(app, arguments, catch_exceptions=False, standalone_mode=False)
    assert found.return_value == code, found.output


def test_a_row_that_cannot_be_read_is_told_with_file_and_line_once(tmp_path: Path) -> None:
    """It said "line-1: line 1: not JSON (…: line 2 column 1 (char 9))"."""
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps(ROW) + '\n{"id": 1,\n')
    found = CliRunner().invoke(app, ["score", str(rows)], standalone_mode=False)
    assert found.output.splitlines()[-1] == (
        f"{rows}, line 2: not JSON (expecting property name enclosed in double quotes, column 10); "
        "put one JSON object on each line"
    )
    piped = CliRunner().invoke(app, ["score", "-"], input='{"answer": 5}', standalone_mode=False)
    assert piped.output.startswith("standard input, line 1, answer: must be text")


@pytest.mark.parametrize("line", ["nope", '{"answer": 5}'])
def test_of_two_files_the_one_with_the_bad_row_is_named(tmp_path: Path, line: str) -> None:
    """`ragvigil prefer A B` told the line alone; `try-prompt --on` has other files beside it, too."""
    rows = tmp_path / "b.jsonl"
    rows.write_text(json.dumps(ROW) + f"\n{line}\n")
    with pytest.raises(InputError, match=r"b\.jsonl, line 2"):
        rows_of(rows)
    with pytest.raises(InputError, match=r"b\.jsonl, line 2"):
        records_in(rows)


def test_the_judge_of_a_configuration_is_taken_where_no_other_is_named(tmp_path: Path) -> None:
    """It was the built-in one, without a word, whatever `[judge]` said."""
    (tmp_path / "rows.jsonl").write_text(json.dumps(ROW))
    (tmp_path / "none.toml").write_text('[judge]\nkind = "none"\n')
    without = ragvigil("score", "rows.jsonl", "--config", "none.toml", folder=tmp_path)
    assert "not judged" in without.stdout, without.stderr
    named = ragvigil("score", "rows.jsonl", "--config", "none.toml", "--judge", "builtin", folder=tmp_path)
    assert "supported" in named.stdout.splitlines()[0]

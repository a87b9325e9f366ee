"""`ragvigil gate` as a job runs it: files, exit codes, and what its three reports say."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.command_line import ragvigil as typed
from tests.scorer.gate.files import REFUSAL, Files, answer, right, told
from tests.scorer.testset.sets import ragvigil, row, written

from ragvigil.scorer.testing import Script, ScriptedJudge, Shown

HOSTILE = 'The fee is 99 euros ]]></failure> <script> | **x** \x1b[31m \u202e\x00 "&amp;'

GATE = """
[limits]
faithfulness.at_least = 0.8
citation_correctness.at_least = 0.8
supported_claims.at_least = 0.8
false_refusals.at_most = 0.1
median_words.at_most = 60

[segments.german]
where = { language = "de" }
limits.faithfulness.at_least = 0.75

[segments.rare]
where = { tag = "long_tail", language = "de" }
limits.faithfulness.at_least = 0.5
"""


def test_good_answers_hold_and_a_segment_with_too_few_of_its_own_does_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each limit has its own n; three answers of a segment are no proof, whatever the others are like."""
    assert Files(tmp_path, GATE).run(right(60)) == 1
    said = capsys.readouterr().out.splitlines()
    assert [line[:4] for line in said] == ["ok  "] * 8 + ["FAIL"]
    assert said[0] == "ok   faithfulness: 100.0% [93.0%, 100.0%] n=51 of 60, at least 80% wanted"
    assert said[5].startswith("ok   with_verdict: ")
    assert said[5].endswith("n=51 of 60, at least 70% (by default) wanted")
    assert "faithfulness in german: 100.0%" in said[6]
    assert "n=27 of 30" in said[6]
    assert said[7].startswith("ok   with_verdict in german: ")
    assert said[8].endswith("n=3, at least 50% wanted: 3 answers, at least 20 are needed")
    whole = GATE.partition("[segments.rare]")[0]
    assert Files(tmp_path, whole).run(right(60)) == 0
    assert Files(tmp_path, f"\ufeff{whole}").run(right(60)) == 0, "as an editor of Windows writes it"


def test_a_share_written_as_a_percentage_is_asked_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No interval ends at 85, and what was meant is easy to guess."""
    assert Files(tmp_path, "limits.faithfulness.at_least = 85").run(right(30)) == 2
    assert "limits.faithfulness.at_least: is a share from 0 to 1" in capsys.readouterr().err


def test_a_limit_of_a_key_that_no_row_has_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The words "0 answers" sounded as if there were none."""
    assert Files(tmp_path, "limits.total_seconds.at_most = 2").run(right(30)) == 1
    assert "no row has total_seconds, at least 110 are needed" in capsys.readouterr().out


def test_wrong_answers_fail_and_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A person has to see what is wrong without looking for it."""
    rows = [answer(n, text=f"The fee of office {n} is {500 + n} euros [d{n}].") for n in range(30)]
    assert Files(tmp_path, "limits.faithfulness.at_least = 0.8").run([*rows, *right(60)[30:]]) == 1
    said = capsys.readouterr().out
    assert said.startswith("FAIL faithfulness: ")
    assert "the whole interval is beyond the limit" in said
    assert "     q0, contradicted: The fee of office 0 is 500 euros [d0]." in said


def test_false_claims_among_no_answer_items_are_held_to_their_upper_bound(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Thirty refusals are not enough data for 2 %; a claim, and a refusal that invents, are false claims."""
    rows = [answer(n) for n in range(200) if row(n).get("expected_refusal")]
    rows[0]["answer"] = "The fee of that office is 12 dollars."
    rows[1]["answer"] = f"{REFUSAL} Its director is Karl Huber of Vienna."
    files = Files(tmp_path, "limits.no_answer_false_claims.at_most = 0.02", rows=200)
    every = [*rows, *(answer(n) for n in range(200) if not row(n).get("expected_refusal"))]
    assert files.run(every, "--json") == 1
    (outcome,) = told(capsys)["outcomes"]
    assert outcome["figure"]["n"] == 30
    assert outcome["figure"]["value"] == pytest.approx(2 / 30)
    assert [one["id"] for one in outcome["worst"]] == [rows[0]["id"], rows[1]["id"]]
    assert outcome["decision"] == {
        "state": "not_enough_data",
        "said": "30 answers, at least 189 are needed, all of them right",
    }


def test_refusals_of_what_has_an_answer_count_as_much(tmp_path: Path) -> None:
    """A service that refuses everything makes no false claim."""
    rows = [answer(n, text=REFUSAL) for n in range(60)]
    assert Files(tmp_path, "limits.false_refusals.at_most = 0.1").run(rows) == 1


def test_labels_correct_the_judge_and_both_rates_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A judge that lets one wrong answer in four pass is no proof of its own rate."""
    items = [(1, 1)] * 95 + [(1, 0)] * 5 + [(0, 0)] * 75 + [(0, 1)] * 25
    written(tmp_path / "gold.jsonl", ({"truth": t, "verdict": v, "cheap": 0.5} for t, v in items))
    rows = [answer(n, text="The fee is 999 euros." if n % 5 == 0 else None) for n in range(300)]
    files = Files(tmp_path, 'limits.faithfulness = { at_least = 0.6, gold = "gold.jsonl" }', rows=300)
    assert files.run(rows, "--json") == 0
    outcome, _ = told(capsys)["outcomes"]
    raw, level = outcome["raw"], outcome["figure"]
    assert level["value"] == pytest.approx((raw["value"] + 0.75 - 1) / (0.95 + 0.75 - 1), abs=1e-6)
    assert level["lower"] < raw["lower"]
    assert "corrected for the judge's errors by your labels" in level["note"]


def test_what_answers_took_is_held_to_its_budget_where_rows_say_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The slowest twentieth decides, not the mean; without times nothing is known."""
    gate = "[limits]\ntotal_seconds.at_most = 2.0\ncost_usd.at_most = 0.05\n"
    files = Files(tmp_path, gate, rows=120)
    rows = [answer(n, total_seconds=0.5 if n < 100 else 3.0, cost_usd=0.01) for n in range(120)]
    assert files.run(rows) == 1
    slow, cost = capsys.readouterr().out.splitlines()
    assert slow == (
        "FAIL p95 of total_seconds: 3.00 s [3.00 s, 3.00 s] n=120, at most 2 s wanted: "
        "the whole interval is beyond the limit"
    )
    assert cost.startswith("ok   cost_usd: $0.0100")
    assert files.run(right(120)) == 1
    assert "not enough data, n=0" in capsys.readouterr().out
    assert files.run([answer(n, total_seconds="fast") for n in range(120)]) == 2
    assert "line 1, total_seconds: must be a number from 0" in capsys.readouterr().err


BASELINE = """
[baseline]
figures = ["faithfulness", "citation_correctness"]
"""


def test_a_fall_against_the_baseline_fails_and_noise_is_called_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pair by pair on the same questions; two answers more or less are no finding."""
    files = Files(tmp_path, BASELINE)
    before = files.answers(right(60), "before")
    wrong = [answer(n, text=f"It is {500 + n} euros [d{n}].") for n in range(60)]
    assert files.run(right(60), "--baseline", before) == 0
    assert "noise: the change is smaller than its interval" in capsys.readouterr().out
    assert files.run([*wrong[:2], *right(60)[2:]], "--baseline", before) == 0
    assert "noise" in capsys.readouterr().out.splitlines()[0]
    assert files.run([*wrong[:25], *right(60)[25:]], "--baseline", before) == 1
    faithful, cited = capsys.readouterr().out.splitlines()
    assert faithful.startswith("FAIL faithfulness against the baseline: -")
    assert faithful.endswith("n=51 of 60: worse")
    assert cited.startswith("ok   citation_correctness")
    worse = files.answers([*wrong[:25], *right(60)[25:]], "worse")
    assert files.run(right(60), "--baseline", worse) == 0
    assert capsys.readouterr().out.splitlines()[0].endswith(": better")


def test_with_a_margin_it_has_to_be_shown_that_nothing_fell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Noise hides a fall of any size that its interval holds."""
    before = Files(tmp_path, "").answers(right(60), "before")
    assert Files(tmp_path, f"{BASELINE}margin = 0.02").run(right(60), "--baseline", before) == 1
    assert "that it is worse by no more than 2.0% is not shown" in capsys.readouterr().out
    assert Files(tmp_path, f"{BASELINE}margin = 0.08").run(right(60), "--baseline", before) == 0


def test_no_gate_holds_because_its_judge_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Verdicts that never came widen the interval, and count as a fall against the baseline."""
    gate = """
judge.kind = "openai"
limits.faithfulness.at_least = 0.8
baseline.figures = ["faithfulness"]
"""
    files = Files(tmp_path, gate)
    monkeypatch.setenv("OPENAI_MODEL", "scripted-1")
    before = files.answers(right(60), "before")

    class Silent(Script):
        """Says nothing that can be read of offices whose number begins with 4 to 9."""

        __slots__ = ()

        def said(self, shown: Shown, number: int, wanted: str = "rubric") -> str:
            told = super().said(shown, number, wanted)
            return "I would rather not." if shown.answer > "The fee of office 4" else told

    for kind, code in ((Script, 0), (Silent, 1)):
        with ScriptedJudge(kind(sensitivity=1.0, truth=lambda _: True)) as server:
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            assert files.run(right(60), "--baseline", before) == code
    level, *_, fall = capsys.readouterr().out.partition("FAIL ")[2].splitlines()
    assert level.startswith("faithfulness: 100.0% [")
    assert "verdicts never came and count as a fall" in fall


def test_a_question_without_an_answer_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Else a service that crashes on the hard ones would pass."""
    assert Files(tmp_path, "limits.faithfulness.at_least = 0.8").run(right(58)) == 1
    assert "FAIL 2 questions have no answer: q58, q59" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"id": "q1", "query": 7}], "line 1, query: must be text, not a number"),
        ([answer(0), answer(0)], "line 2, id: answers 'q0' a second time"),
        ([answer(0) | {"id": "x"}], "line 1, id: the test set has no question 'x'"),
        ([answer(0) | {"query": "Why?"}], "line 1, query: is not the question 'q0' of the test set"),
        ([answer(0) | {"anwser": "x"} | {"answer": None}], None),
        ([{"id": "q0", "anwser": "x"}], "line 1, anwser: is not read; did you mean answer?"),
        ([answer(0, segment="de")], "line 1, segment: must be an object of texts"),
        ([], "holds no answer"),
    ],
)
def test_a_row_that_cannot_be_read_is_a_line_and_no_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rows: list[dict[str, object]], said: str | None
) -> None:
    """Exit code 2 is for whoever wrote the rows, 1 for whoever wrote the answers."""
    code = Files(tmp_path, "limits.faithfulness.at_least = 0.8").run(rows)
    assert code == (1 if said is None else 2)
    if said is not None:
        error = capsys.readouterr().err
        assert error.startswith(f"ragvigil: {tmp_path / 'answers.jsonl'}")
        assert said in error


def test_an_answer_to_nothing_is_named_by_file_and_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a test set nobody knows what it answers; empty lines count as lines."""
    gate, answers = tmp_path / "gate.toml", tmp_path / "answers.jsonl"
    gate.write_text("limits.faithfulness.at_least = 0.8", encoding="utf-8")
    answers.write_text('\n{"id": "a", "answer": "At nine.", "ctx": []}\n', encoding="utf-8")
    assert ragvigil("gate", gate, "--answers", answers) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"ragvigil: {answers}, line 2: has neither question nor passages")


@pytest.mark.parametrize(
    ("gate", "said"),
    [
        (
            "limits.faithfulnes.at_least = 0.8",
            "limits.faithfulnes: no figure is called so (did you mean faithfulness?)",
        ),
        (
            "limits.faithfulness.at_leas = 0.8",
            "limits.faithfulness.at_leas: unknown key (did you mean at_least?)",
        ),
        ("limit.faithfulness.at_least = 0.8", "limit: unknown key (did you mean limits?)"),
        ("limits.missing_refusal.at_least = 0.8", "limits.missing_refusal: a low one is good (say at_most)"),
        (
            'segments.de = { where = { langauge = "de" }, limits = { faithfulness = { at_least = 0.8 } } }',
            "segments.de.where: no answer says its langauge (did you mean language?)",
        ),
        ("limits.faithfulness.at_least = 1", "limits.faithfulness.at_least: no interval ends at 1"),
        (
            "limits.faithfulness = { at_least = 0.8, at_most = 0.9 }",
            "set at_least or at_most, one of the two",
        ),
        (
            'limits.language_match = { at_least = 0.8, gold = "g" }',
            "limits.language_match.gold: labels correct",
        ),
        ("segments.de.limits.faithfulness.at_least = 0.8", "segments.de.where: is missing"),
        ("baseline.figures = ['abstention']", "no end of abstention is the better one"),
        ("baseline.figures = ['median_words']", "baseline.figures: median_words is no share"),
        (BASELINE, "baseline: no answers to compare with are named (give --baseline FILE)"),
        (
            "judge.knd = 'openai'\nlimits.faithfulness.at_least = 0.8",
            "judge.knd: unknown key (did you mean kind?)",
        ),
        ("", "asks for nothing"),
        ("limits = [", "not valid TOML"),
    ],
)
def test_a_gate_file_that_cannot_be_used_names_key_and_fix(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], gate: str, said: str
) -> None:
    """A misspelt limit that is passed over would be one that always holds."""
    assert Files(tmp_path, gate).run(right(1)) == 2
    assert said in capsys.readouterr().err


def test_a_frozen_set_that_was_changed_is_not_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A gate that got easier by hand is no gate."""
    files = Files(tmp_path, "limits.faithfulness.at_least = 0.8")
    locked = tmp_path / "locked.jsonl"
    ragvigil("testset", "freeze", files.testset, "-o", locked)
    answers = files.answers(right(60))
    assert ragvigil("gate", files.gate, "--answers", answers, "--testset", locked) == 0
    locked.write_text(locked.read_text().replace("office 7?", "office seven?"))
    capsys.readouterr()
    assert ragvigil("gate", files.gate, "--answers", answers, "--testset", locked) == 2
    assert "row q7 was changed; ragvigil testset verify says all" in capsys.readouterr().err


SUITE = {"name", "tests", "failures", "errors", "skipped", "time"}
CASE = {"classname", "name", "time"}


def test_junit_is_what_a_ci_reads_whatever_answers_say(tmp_path: Path) -> None:
    """One case for each limit, counts that add up, and no text of an answer that breaks or paints the document."""
    gate = GATE + BASELINE
    files = Files(tmp_path, gate)
    rows = [answer(n, text=HOSTILE) for n in range(30)] + right(60)[30:]
    before = files.answers(right(60), "before")
    junit, markdown = tmp_path / "junit.xml", tmp_path / "gate.md"
    assert files.run(rows, "--baseline", before, "--junit", junit, "--markdown", markdown) == 1
    (suite,) = root = ET.fromstring(junit.read_text(encoding="utf-8"))
    assert (root.tag, suite.tag, set(suite.attrib)) == ("testsuites", "testsuite", SUITE)
    properties, *cases = suite
    assert properties.tag == "properties"
    assert [set(case.attrib) for case in cases] == [CASE] * 11
    failures = [failure for case in cases for failure in case]
    assert {(one.tag, *sorted(one.attrib)) for one in failures} == {("failure", "message", "type")}
    assert (suite.get("tests"), suite.get("failures")) == ("11", str(len(failures)))
    assert cases[0].get("classname") == "ragvigil.gate"
    assert 'The fee is 99 euros ]]></failure> <script> | **x** [31m "&amp;' in (failures[0].text or "")
    page = markdown.read_text(encoding="utf-8")
    assert "| **fails** | faithfulness |" in page
    assert "&lt;script&gt; \\| \\*\\*x\\*\\*" in page
    assert not {"<", "\x1b", "\u202e", "\x00"} & set(page)


def test_answers_may_say_themselves_what_a_test_set_would(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without --testset: language, tags and expected_refusal of the row."""
    gate = tmp_path / "gate.toml"
    gate.write_text(
        'segments.de = { where = { language = "de" }, limits = { false_refusals = { at_most = 0.2 } } }'
    )
    rows = [
        answer(n, language="de" if n < 30 else "en", expected_refusal=False) for n in range(60) if n % 20 < 12
    ]
    assert ragvigil("gate", gate, "--answers", written(tmp_path / "a", rows), "--json") == 0
    (outcome,) = told(capsys)["outcomes"]
    assert (outcome["segment"], outcome["answers"], outcome["figure"]["n"]) == ("de", 22, 22)


def test_answers_come_from_standard_input_as_they_do_for_score(tmp_path: Path) -> None:
    """A job that asks the service need not leave a file; what is wrong is told of standard input."""
    gate = tmp_path / "gate.toml"
    gate.write_text("limits.faithfulness.at_least = 0.8")
    lines = "".join(f"{json.dumps(one)}\n" for one in right(30))
    done = typed("gate", str(gate), "--answers", "-", text=f"\ufeff{lines}")
    assert (done.returncode, done.stdout[:17]) == (0, "ok   faithfulness"), done.stderr
    for text, wrong in (
        (f"{lines}{{", "standard input, line 31: "),
        ("", "standard input: holds no answer"),
    ):
        done = typed("gate", str(gate), "--answers", "-", text=text)
        assert (done.returncode, wrong in done.stderr) == (2, True), done.stderr

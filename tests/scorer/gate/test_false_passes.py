"""What a gate must not let pass: answers that leave its figures, and comparisons that are none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.scorer.gate.files import REFUSAL, Files, answer, right
from tests.scorer.testset.sets import ragvigil, written

from ragvigil.scorer.testing import Script, ScriptedJudge, Shown

FAITHFUL = "limits.faithfulness.at_least = 0.8"
COMPARED = '[baseline]\nfigures = ["faithfulness"]\n'
WRONG = "The fee is 9999 euros."


def half(**other: object) -> list[dict[str, object]]:
    """Right answers to the first thirty questions; the other thirty have these values."""
    return right(30) + [answer(n) | other for n in range(30, 60)]


@pytest.mark.parametrize("blank", ["", " \n", None])
def test_a_blank_answer_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], blank: str | None
) -> None:
    """A service that crashes on the hard ones writes just these; with a test set and without."""
    files = Files(tmp_path, FAITHFUL)
    assert files.run(half(answer=blank)) == 1
    assert "FAIL 30 questions have no answer: q30, q31, q32 and 27 more" in capsys.readouterr().out
    alone = files.answers(half(answer=blank))
    assert ragvigil("gate", files.gate, "--answers", alone) == 1
    assert "FAIL 30 questions have no answer" in capsys.readouterr().out


@pytest.mark.parametrize(
    "other",
    [{"evidence": None}, {"evidence": [{"id": "x", "text": None}]}, {"evidence": [{"id": "x"}, "Other."]}],
)
def test_wrong_answers_do_not_pass_by_leaving_their_evidence_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], other: Mapping[str, object]
) -> None:
    """What nobody can judge is as good as nothing known of it: it widens the interval, and is a fall."""
    rows = half(answer=WRONG, **other)
    files = Files(tmp_path, FAITHFUL)
    before = files.answers(right(60), "before")
    assert files.run(rows) == 1
    said = capsys.readouterr().out
    assert "n=27 of 60, at least 80% wanted" in said
    assert said.splitlines()[0].endswith(
        "the verdicts that never came would tell; were all whose verdicts never came wrong it would be 47.4%"
    )
    assert Files(tmp_path, COMPARED).run(rows, "--baseline", before) == 1
    assert "24 verdicts never came and count as a fall" in capsys.readouterr().out


@pytest.mark.parametrize("text", [REFUSAL, "Yes."])
def test_answers_that_say_nothing_fail_and_are_a_fall(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    """They have no part in faithfulness: a service that refuses half would be as faithful as before."""
    rows = half(answer=text)
    files = Files(tmp_path, FAITHFUL)
    before = files.answers(right(60), "before")
    assert files.run(right(60)) == 0
    assert files.run(rows) == 1
    said = capsys.readouterr().out
    assert "FAIL with_verdict: 52.9% [39.1%, 66.4%] n=51 of 60, at least 70% (by default) wanted" in said
    assert "with_verdict.at_least says how many may" in said
    assert Files(tmp_path, f"{FAITHFUL}\nlimits.with_verdict.at_least = 0.3").run(rows) == 0
    capsys.readouterr()
    assert Files(tmp_path, COMPARED).run(rows, "--baseline", before) == 1
    said = capsys.readouterr().out
    assert "24 answers had a value, have none now and count as a fall" in said
    assert "note 24 answers to questions that have one refuse or claim nothing" in said


def test_refusals_of_one_segment_do_not_hide_behind_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A third of all German answers is gone, and every limit is about those that are left."""
    limits = 'segments.de = { where = { language = "de" }, limits = { faithfulness = { at_least = 0.7 } } }'
    rows = [answer(n, text=REFUSAL) if n % 6 == 1 else answer(n) for n in range(120)]
    assert Files(tmp_path, limits, rows=120).run(rows) == 1
    said = capsys.readouterr().out
    assert said.startswith("ok   faithfulness in de: ")
    assert "FAIL with_verdict in de: " in said


def test_where_nobody_says_that_a_question_has_no_answer_it_has_one(tmp_path: Path) -> None:
    """Answers without a test set, of which none says expected_refusal: refusals are not taken for right ones."""
    gate = tmp_path / "gate.toml"
    gate.write_text("limits.language_match.at_least = 0.5")
    rows = [answer(n, text=REFUSAL) for n in range(60)]
    assert ragvigil("gate", gate, "--answers", written(tmp_path / "a", rows)) == 1
    known = [one | {"expected_refusal": True} for one in rows]
    assert ragvigil("gate", gate, "--answers", written(tmp_path / "b", known)) == 0


def test_where_the_right_answer_claims_nothing_none_is_due(tmp_path: Path) -> None:
    """Half the questions are answered by a bare yes, as their golden answers are."""
    gate = tmp_path / "gate.toml"
    gate.write_text(FAITHFUL)
    claiming = [answer(n) for n in range(60) if n % 20 not in (12, 13, 14)]
    rows = claiming + [
        answer(n, text="Yes.", golden_answer="Yes.") | {"id": f"again{n}"}
        for n in range(60)
        if n % 20 not in (12, 13, 14)
    ]
    assert ragvigil("gate", gate, "--answers", written(tmp_path / "a", rows)) == 0
    for one in rows:
        one.pop("golden_answer", None)
    assert ragvigil("gate", gate, "--answers", written(tmp_path / "a", rows)) == 1


def test_six_axes_of_a_silent_judge_are_no_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The checks alone would give a good one to what nobody judged."""
    monkeypatch.setenv("OPENAI_MODEL", "scripted-1")

    class Silent(Script):
        """Says nothing that can be read of offices whose number begins with 4 to 9."""

        __slots__ = ()

        def said(self, shown: Shown, number: int, wanted: str = "rubric") -> str:
            told = super().said(shown, number, wanted)
            return "I would rather not." if shown.answer > "The fee of office 4" else told

    files = Files(tmp_path, 'judge.kind = "openai"\nlimits.grounded_answer.at_least = 0.6')
    for kind, code in ((Script, 0), (Silent, 1)):
        with ScriptedJudge(kind(sensitivity=1.0, truth=lambda _: True)) as server:
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            assert files.run(right(60)) == code
    said = capsys.readouterr().out
    assert "FAIL grounded_answer: " in said
    assert "were all whose verdicts never came wrong it would be" in said


def test_a_right_refusal_is_no_fall(tmp_path: Path) -> None:
    """Of a question without an answer: the version before made something up, out of its passages."""
    files = Files(tmp_path, COMPARED)
    before = [answer(n, text=f"The fee of office {n} is {10 + n} euros [d{n}].") for n in range(60)]
    assert files.run(right(60), "--baseline", files.answers(before, "before")) == 0


@pytest.mark.parametrize("fewer", ["now", "before", "blank before"])
def test_the_baseline_has_to_answer_the_same_questions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fewer: str
) -> None:
    """What one side leaves out is compared with nothing, and may be all that got worse."""
    gate = tmp_path / "gate.toml"
    gate.write_text(COMPARED)
    wrong = [answer(n) if n < 25 else answer(n, text=WRONG) for n in range(60)]
    blank = right(25) + [answer(n, text="") for n in range(25, 60)]
    now, before = {
        "now": (right(25), right(60)),
        "before": (wrong, right(25)),
        "blank before": (wrong, blank),
    }[fewer]
    files = written(tmp_path / "now", now), written(tmp_path / "before", before)
    assert ragvigil("gate", gate, "--answers", files[0], "--baseline", files[1]) == 1
    said = capsys.readouterr().out
    assert "FAIL 35 questions are answered on one side alone: q25, q26, q27 and 32 more" in said


def test_another_question_under_an_id_is_refused_and_another_space_in_it_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rows are matched by id; without ids by line, where another order would compare anything with anything."""
    gate = tmp_path / "gate.toml"
    gate.write_text(COMPARED)
    now = written(tmp_path / "now", right(60))
    spaced = written(tmp_path / "spaced", [one | {"query": f"{one['query']} "} for one in right(60)])
    assert ragvigil("gate", gate, "--answers", now, "--baseline", spaced) == 0
    other = written(tmp_path / "other", [right(60)[0] | {"query": "What else?"}, *right(60)[1:]])
    assert ragvigil("gate", gate, "--answers", now, "--baseline", other) == 2
    assert "other: has another question under id 'q0'" in capsys.readouterr().err
    nameless = [{"evidence": one["evidence"], "answer": one["answer"]} for one in right(60)]
    now, before = written(tmp_path / "c", nameless), written(tmp_path / "d", nameless[::-1])
    assert ragvigil("gate", gate, "--answers", now, "--baseline", before) == 2
    assert "d, line 1: has neither id nor question" in capsys.readouterr().err


def test_a_baseline_that_is_compared_with_nothing_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever names one believes that it is looked at."""
    files = Files(tmp_path, FAITHFUL)
    assert files.run(right(60), "--baseline", files.answers(right(60), "before")) == 2
    assert (
        "baseline: the gate file compares nothing with the answers of --baseline" in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("gate", "said"),
    [
        (f"{COMPARED}margin = 5", "baseline.margin: must be under 1 (got 5; 0.05 is 5 points"),
        ("limits.faithfulness.at_least = 0", "limits.faithfulness.at_least: must be over 0"),
        ("limits.faithfulness.at_least = -0.0", "limits.faithfulness.at_least: must be over 0"),
        ("limits.median_words.at_most = inf", "limits.median_words.at_most: must be a finite number"),
        ("limits.median_words.at_most = 1e400", "limits.median_words.at_most: must be a finite number"),
        (
            "limits.judge.answer_relevance.at_least = 0.8",
            'limits.judge.answer_relevance: a figure\'s name holds the dot (write limits."judge.answer_relevance")',
        ),
    ],
)
def test_a_limit_that_everything_keeps_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], gate: str, said: str
) -> None:
    """5 was meant as points; a fall of 500 % nobody has."""
    assert Files(tmp_path, gate).run(right(1)) == 2
    assert said in capsys.readouterr().err


def test_a_row_cannot_leave_the_segment_that_its_test_set_puts_it_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The service names its segment, and may take a German question for an English one: just where it is wrong."""
    gate = 'segments.de = { where = { language = "de" }, limits = { faithfulness = { at_least = 0.7 } } }'
    rows = [
        answer(n, text=WRONG, segment={"language": "en"}) if n % 2 and n > 30 else answer(n)
        for n in range(60)
    ]
    assert Files(tmp_path, gate).run(rows) == 1
    assert "n=29 of 30" in capsys.readouterr().out


def test_a_figure_of_which_a_low_one_is_good_falls_when_it_rises(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """More refusals are worse, fewer are better."""
    files = Files(tmp_path, '[baseline]\nfigures = ["false_refusals"]')
    refusing = half(answer=REFUSAL)
    good, bad = files.answers(right(60), "good"), files.answers(refusing, "bad")
    assert files.run(refusing, "--baseline", good) == 1
    assert capsys.readouterr().out.startswith("FAIL false_refusals against the baseline: +")
    assert files.run(right(60), "--baseline", bad) == 0
    assert capsys.readouterr().out.rstrip().endswith(": better")
    files.run(half(answer=""), "--baseline", good)
    assert capsys.readouterr().out.startswith("FAIL false_refusals against the baseline: +")


def test_the_quantile_of_a_limit_is_the_one_that_is_held(tmp_path: Path) -> None:
    """The median is fast, the slowest twentieth is not."""
    rows = [answer(n, total_seconds=0.5 if n < 100 else 3.0) for n in range(120)]
    for quantile, code in ((0.5, 0), (0.95, 1)):
        gate = f"limits.total_seconds = {{ at_most = 2.0, quantile = {quantile} }}"
        assert Files(tmp_path, gate, rows=120).run(rows) == code


CRITERION = """+++
id = "polite"
version = "1"
changes = "First version."
+++
Is the answer polite?
"""
MEASURED = """
judge.kind = "openai"
judge.criteria = "criteria"
limits."criteria.polite".at_least = 0.5
baseline.figures = ["criteria.polite"]
"""


def test_what_a_judge_did_not_say_of_a_criterion_counts_as_a_verdict_that_never_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else a judge that cannot read the bad answers would hide them."""
    (tmp_path / "criteria").mkdir()
    (tmp_path / "criteria" / "polite.md").write_text(CRITERION, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_MODEL", "scripted-1")

    class Silent(Script):
        """Says nothing that can be read of the criterion for offices whose number begins with 4 to 9."""

        __slots__ = ()

        def said(self, shown: Shown, number: int, wanted: str = "rubric") -> str:
            told = super().said(shown, number, wanted)
            silent = wanted != "rubric" and shown.answer > "The fee of office 4"
            return "I would rather not." if silent else told

    files = Files(tmp_path, MEASURED)
    before = files.answers(right(60), "before")
    for kind, code in ((Script, 0), (Silent, 1)):
        with ScriptedJudge(kind(sensitivity=1.0, truth=lambda _: True)) as server:
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            assert files.run(right(60), "--baseline", before) == code
    said = capsys.readouterr().out
    assert "were all whose verdicts never came wrong it would be" in said
    assert "verdicts never came and count as a fall" in said


def no_answer(text: str, **more: object) -> list[dict[str, object]]:
    """Two hundred answers to questions that have none."""
    return [
        {
            "id": f"q{n}",
            "query": f"What is the fee of office {n}?",
            "evidence": [{"id": "d", "text": f"Office {n} opens at 8."}],
            "answer": text,
            "expected_refusal": True,
            **more,
        }
        for n in range(200)
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Yes.", 1),
        ("No.", 1),
        ("Yes, definitely!", 1),
        ("Unfortunately I don't know, probably 12 dollars.", 1),
        ("I don't know exactly, but it costs 12 dollars.", 1),
        (REFUSAL, 0),
        ("I found nothing about that in 1 document.", 0),
        ("I don't know what it costs, only that it opens at 8.", 0),
    ],
)
def test_what_does_not_refuse_is_a_false_claim_and_so_is_a_guess_beside_a_refusal(
    tmp_path: Path, text: str, code: int
) -> None:
    """A judge finds nothing to compare in "Yes.", and whoever asked believes it."""
    gate = tmp_path / "gate.toml"
    gate.write_text("limits.no_answer_false_claims.at_most = 0.02")
    assert ragvigil("gate", gate, "--answers", written(tmp_path / "a", no_answer(text))) == code


def test_answers_of_one_conversation_are_no_two_hundred_proofs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody knows how alike they are as long as none is wrong."""
    gate = tmp_path / "gate.toml"
    gate.write_text("limits.no_answer_false_claims.at_most = 0.02")
    rows = no_answer(REFUSAL, conversation_id="c")
    assert ragvigil("gate", gate, "--answers", written(tmp_path / "a", rows)) == 1
    said = capsys.readouterr().out
    assert "no_answer_false_claims: 0.0% [0.0%, 43.4%] n=200" in said
    assert "answers of more conversations would tell" in said

"""Code that has items, answers and a judge at hand gets what production would say."""

from __future__ import annotations

import asyncio
import re
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest
from tests.scorer.judge.test_measures import Saying
from tests.scorer.judge.test_rubric import PERFECT, settings

from ragvigil.scorer.config import Judge
from ragvigil.scorer.errors import ConfigError, InputError
from ragvigil.scorer.evaluate import Evaluation, evaluate, faithfulness, relevance
from ragvigil.scorer.judge.paid import Paid
from ragvigil.scorer.testing import Script, ScriptedJudge, Shown

OPENS = "The library opens at nine on weekdays."
ITEM: dict[str, object] = {"question": "When does the library open on weekdays?", "contexts": [OPENS]}


def test_the_built_in_judge_needs_nothing() -> None:
    """Checks, verdict, and rates with their intervals."""
    items = [ITEM] * 30
    found = evaluate(items, [OPENS] * 24 + ["Dogs and cats pay twice at the harbour."] * 6)
    assert [result.verdict.passed for result in found.results] == [True] * 24 + [False] * 6
    rate = found.rates["faithfulness"]
    assert rate is not None
    assert (rate.value, rate.lower < 0.8 < rate.upper, rate.n_judged) == (0.8, True, 30)
    assert evaluate(items[:5], [OPENS] * 5).rates["faithfulness"] is None


def test_rates_on_synthetic_questions_come_with_a_warning() -> None:
    """Rows of `ragvigil synth` say what they are."""
    made = {**ITEM, "tags": ["synthetic", "adversarial"]}
    assert evaluate([ITEM] * 2, [OPENS] * 2).warnings == ()
    (mixed,) = evaluate([ITEM, made], [OPENS] * 2).warnings
    assert mixed == "1 of 2 answers are to synthetic questions, which stand for no traffic."
    (alone,) = evaluate([made], [OPENS]).warnings
    assert alone.startswith("All 1 answers are to synthetic questions")


def test_a_key_that_nobody_reads_is_told_where_passages_are_missing() -> None:
    """Every answer came out as not scoreable, and nothing said why."""
    found = evaluate([{"question": "When?", "ctx": [OPENS], "tags": []}, ITEM], [OPENS] * 2)
    assert found.warnings == (
        "1 of 2 items have no passages (evidence or contexts): the judge has less to go by; not read: ctx",
    )
    assert evaluate([ITEM], [OPENS]).warnings == ()


def test_a_language_model_measures_what_its_settings_name() -> None:
    """The same judge, measures and prompts as in production."""
    with ScriptedJudge(PERFECT) as server:
        chosen = settings(server, measures=["context_relevance", "answer_relevance"], mode="claimwise")
        found = evaluate([ITEM], [OPENS], chosen)
    (result,) = found.results
    assert result.verdict.judge_version == "claimwise-1+scripted-1"
    assert result.measured["judge.context_relevant_share"].value == 1.0
    assert set(found.rates) >= {"judge.answer_relevance", "faithfulness", "answer_structure"} - {
        "answer_structure"
    }


def test_listed_sources_share_the_budget_of_the_passages_under_ids_of_their_own() -> None:
    """Else one long source overflows the model's context, and two texts answer to one id."""
    near = "Dogs and cats pay twice at the harbour."
    seen: list[dict[str, str]] = []

    def noted(shown: Shown) -> bool:
        seen.append({one.id or "": one.text or "" for one in shown.evidence})
        return True

    passages = [{"id": "source 1", "text": OPENS}, {"id": "source 3", "text": "A card costs nothing."}]
    item = {**ITEM, "contexts": passages, "sources": [near, "Trains leave for Porto. " * 200]}
    with ScriptedJudge(Script(sensitivity=1.0, specificity=1.0, truth=noted)) as server:
        chosen = settings(server, measures=["six_axes"], max_evidence_chars=1_000)
        evaluate([item], [f"{OPENS} {near}"], chosen)
    (shown,) = [one for one in seen if len(one) > 2]
    assert set(shown) == {"source 1", "source 2", "source 3", "source 4"}
    assert (shown["source 1"], shown["source 2"]) == (OPENS, near), "what is nearest stands whole"
    assert 500 < sum(map(len, shown.values())) <= 1_050


def test_the_six_axes_take_the_sources_that_a_test_set_lists_for_evidence() -> None:
    """An external source carries a statement as a passage does (A); the verdict is on the passages alone."""
    answer = f"{OPENS} Dogs and cats pay twice at the harbour."
    items = [{**ITEM, "sources": ["Dogs and cats pay twice at the harbour."]}, ITEM]
    carried = Script(
        sensitivity=1.0,
        specificity=1.0,
        truth=lambda shown: any("harbour" in str(one.text) for one in shown.evidence),
    )
    with ScriptedJudge(carried) as server:
        known, unknown = evaluate(items, [answer] * 2, settings(server, measures=["six_axes"])).results
        shown = [str(one["messages"]) for one in server.requests if "factuality" in str(one["messages"])]
    assert sorted("source 1" in one for one in shown) == [False, True]
    assert (known.verdict.passed, unknown.verdict.passed) == (False, False)
    axes = [
        cast("dict[str, int]", one.measured["judge.six_axes"].details["axes"]) for one in (known, unknown)
    ]
    assert axes[0]["factuality"] > axes[1]["factuality"]
    with pytest.raises(InputError, match="line 1, sources: must be a list of texts"):
        evaluate([{**ITEM, "sources": "a text"}], [OPENS])


def test_the_rates_say_how_many_queries_were_a_success_from_end_to_end() -> None:
    """Each of these passes, and cites nothing."""
    with ScriptedJudge(PERFECT) as server:
        bare = evaluate([ITEM] * 20, [OPENS] * 20, settings(server)).rates["success"]
    assert bare is not None
    assert (bare.value, bare.n_judged) == (0.0, 20)
    assert evaluate([ITEM] * 20, [OPENS] * 20).rates.get("success") is None


def test_a_reference_brings_correctness_with_the_sentence_that_decides() -> None:
    """G13; what the model says is stated must stand in the answer."""
    item = {
        **ITEM,
        "ground_truth": OPENS,
        "required_facts": [OPENS, "It is closed on Mondays."],
        "forbidden_claims": ["Dogs are welcome."],
    }
    decided = {"sentence": OPENS, "points": 5}
    reply: dict[str, object] = {
        "required": [
            {"fact": 1, "sentence": OPENS, "stated": True},
            {"fact": 2, "sentence": "It is closed on Mondays.", "stated": True},
        ],
        "forbidden": [{"claim": 1, "sentence": None, "stated": False}],
        "factual_accuracy": decided,
        "completeness": decided,
        "relevance": decided,
    }
    rubric = PERFECT

    class Both(Saying):
        def reply(self, shown: object, wanted: str = "rubric") -> dict[str, object]:
            if wanted == "correctness":
                return reply
            return rubric.reply(shown, wanted)  # type: ignore[arg-type]  # the script's own type

    with ScriptedJudge(Both()) as server:
        (result,) = evaluate([item], [OPENS], settings(server)).results
        shown = str(server.requests)
    measured = result.measured
    assert measured["judge.factual_accuracy"].value == 1.0
    assert measured["judge.required_facts"].value == 0.5
    assert measured["judge.completeness"].value == 0.5
    assert measured["judge.completeness"].reason == "lacks: It is closed on Mondays."
    assert measured["judge.completeness"].details["flags"] == ["sentence_not_in_answer"]
    by = cast("dict[str, str]", measured["judge.factual_accuracy"].details["decided_by"])
    assert by["factual_accuracy"] == OPENS
    assert "Dogs are welcome." in shown


def test_single_answers_have_calls_of_their_own() -> None:
    """Faithfulness and relevance."""
    assert faithfulness("When?", [OPENS], OPENS).passed
    with ScriptedJudge(PERFECT) as server:
        found = relevance(str(ITEM["question"]), OPENS, settings(server))
    assert found.value is not None
    assert found.value > 0.5
    with pytest.raises(ConfigError, match="this needs a language model"):
        relevance("When?", OPENS, "builtin")


async def test_it_works_where_a_loop_runs_already() -> None:
    """As in a notebook."""
    await asyncio.sleep(0)
    assert isinstance(evaluate([ITEM], [OPENS]), Evaluation)


def test_an_endpoint_that_is_away_is_an_error_with_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    """As at a terminal."""
    monkeypatch.setattr("ragvigil.scorer.evaluate.PATIENCE_SECONDS", 0.1)
    away = Judge(kind="openai", model="m", base_url="http://127.0.0.1:1/v1")
    with pytest.raises(InputError, match=r"does not answer .* is judge\.base_url right"):
        evaluate([ITEM], [OPENS], away)


def test_what_is_asked_counts_against_the_budget_that_a_file_shares(tmp_path: Path) -> None:
    """`judge.shared` names it; without one there is no scorer whose budget it could be."""
    with ScriptedJudge(PERFECT) as server:
        evaluate([ITEM], [OPENS], settings(server, shared=tmp_path / "shared.db"))
        relevance(str(ITEM["question"]), OPENS, settings(server, shared=tmp_path / "shared.db"))
        asked = len(server.requests)
    with closing(Paid(tmp_path / "shared.db", "the scorer")) as paid:
        _, day = paid.spent()
    assert round(day.calls) == asked == 2


@pytest.mark.parametrize(
    ("item", "answers", "problem"),
    [
        (ITEM, [], "0 for 1 items; give one for each"),
        (
            {"q": "x", "ctx": ["y"]},
            [OPENS],
            "line 1: has neither question nor passages; it holds q, ctx: name them",
        ),
        ({"question": 3}, [OPENS], "line 1, question: must be text"),
        ({**ITEM, "ground_truth": 3}, [OPENS], "ground_truth: must be text"),
        (
            {**ITEM, "ground_truth": OPENS, "required_facts": "x"},
            [OPENS],
            "required_facts: must be a list of texts",
        ),
    ],
)
def test_what_is_wrong_is_named_with_the_fix(
    item: dict[str, object], answers: list[str], problem: str
) -> None:
    """Item and field."""
    with pytest.raises(InputError, match=problem):
        evaluate([item], answers)


PAGE = (Path(__file__).parents[2] / "docs" / "evaluating.md").read_text()


def test_the_example_on_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """As a reader would copy it."""
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(block, {})
    assert capsys.readouterr().out.splitlines() == ["supported 1.0", "None", "False"]

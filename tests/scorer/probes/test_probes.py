"""The probes let a good judge pass over real HTTP, and each of them stops the judge that it is there to stop."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.command_line import ragvigil

from ragvigil.prompts import Prompt
from ragvigil.scorer import config
from ragvigil.scorer.failure_tags import TAGS
from ragvigil.scorer.judge import build_asker, build_judge, rubric_of
from ragvigil.scorer.probes import PROBES, Judged, Result, items, run
from ragvigil.scorer.testing import Script, ScriptedJudge, Shown
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import State, Verdict

PAGE = Path(__file__).parents[3] / "docs" / "probes.md"
ANSWERS = {case.answer for case in items.cases().values()}
GOLD = {one.text for case in items.cases().values() for one in case.passages if one.id == case.gold}


def right(shown: Shown) -> bool:
    """Whether an answer is carried; of the items of the tags, what the built-in judge says."""
    if any(answer in shown.answer for answer in ANSWERS):
        return any(one.text in GOLD for one in shown.evidence)
    return any(one.silent.answer == shown.answer for one in items.tagged())


def good(truth: Callable[[Shown], bool] = right) -> Script:
    """A judge that says what it takes for true."""
    return Script(sensitivity=1.0, specificity=1.0, truth=truth)


def obeys(shown: Shown) -> bool:
    """Passes what it is told to pass."""
    read = " ".join([shown.query, shown.answer, *(one.text or "" for one in shown.evidence)])
    return right(shown) or any(one.text in read for one in items.injections())


BAD: dict[str, Callable[[Shown], bool]] = {
    "attribution": lambda _: True,
    "verbosity": lambda shown: len(shown.answer) > 150,
    "abstain": lambda _: True,
    "order": lambda shown: shown.evidence[0].id == "a#1",
    "injection": obeys,
    "tags": lambda _: True,
}
"""For each probe the truth of a judge that it must stop."""


class Patriotic(Script):
    """Passes what it is asked about in English."""

    asked: list[ScriptedJudge] = []  # noqa: RUF012 - filled by the test

    def said(self, shown: Shown, number: int, wanted: str = "rubric") -> str:
        """By the language of the instructions."""
        english = "You audit one answer" in str(self.asked[0].requests[number]["messages"])
        return good(lambda _: english).said(shown, number, wanted)


async def probed(script: Script, *wanted: str) -> list[Result]:
    """What the probes say of such a judge."""
    with ScriptedJudge(script) as server:
        Patriotic.asked[:] = [server]
        chosen = config.Judge.model_validate(
            {"kind": "openai", "model": "scripted-1", "base_url": server.url}
        )
        asker, rubric = build_asker(chosen), rubric_of(chosen)
        judge = build_judge(chosen, asker=asker)
        assert judge is not None
        found = {code: build_judge(chosen, asker=asker.instructing_in(code)) for code in rubric.texts}
        instructed = {code: one for code, one in found.items() if one is not None}
        try:
            return await run(Judged(judge, rubric, instructed=instructed, at_once=8), wanted)
        finally:
            await judge.close()


async def test_a_good_judge_passes_every_probe() -> None:
    """Each result says how many items, which interval, and what it was held to."""
    results = await probed(good(), *PROBES)
    assert [one.probe for one in results] == list(PROBES)
    for one in results:
        assert one.passed, one
        assert (one.right, one.upper, one.wrong) == (1.0, 1.0, ())
        assert one.n >= 30
        assert one.limit <= one.lower < 1.0


@pytest.mark.parametrize("name", BAD)
async def test_each_probe_stops_the_judge_that_it_is_there_to_stop(name: str) -> None:
    """And names the items."""
    (found,) = await probed(good(BAD[name]), name)
    assert found.passed is False
    assert found.wrong


async def test_a_judge_that_depends_on_the_language_of_its_instructions_is_stopped() -> None:
    """Its scores would differ between two services that ask the same."""
    (found,) = await probed(Patriotic(), "language")
    assert (found.passed, found.right) == (False, 0.0)


async def test_a_judge_that_errs_too_often_passes_few_probes() -> None:
    """Right in 70 % of the carried answers and 60 % of the others."""
    results = await probed(Script(sensitivity=0.7, specificity=0.6, truth=right), *PROBES)
    failed = {one.probe for one in results if one.passed is False}
    assert failed >= {"attribution", "abstain", "order"}


def test_the_items_are_as_many_as_they_should_be_in_three_languages() -> None:
    """Ten cases a language, fifty without an answer, every tag, ten kinds of injection."""
    assert Counter(case.language for case in items.cases().values()) == {"en": 10, "pt": 10, "es": 10}
    assert len(items.unanswered()) == 50
    assert Counter(one.tag for one in items.tagged()) == dict.fromkeys(TAGS, 3)
    assert len(items.injections()) == 30
    assert len({one.text for one in items.injections()}) >= 28


def test_the_command_reports_on_the_configured_judge_and_its_exit_code_says_whether_it_passed(
    tmp_path: Path,
) -> None:
    """The built-in judge, which asks nobody, passes what applies to it; a name that is none is an error."""
    command = ("probe", "--store", f"sqlite:///{tmp_path / 's.db'}")
    found = ragvigil(*command, "--json")
    told = json.loads(found.stdout)
    assert (found.returncode, told["passed"], told["calls"]) == (0, True, 0)
    by_name = {one["probe"]: one for one in told["probes"]}
    assert (by_name["language"]["n"], by_name["language"]["passed"]) == (0, None)
    assert by_name["abstain"]["n"] == 50
    assert 0.0 < by_name["abstain"]["limit"] <= by_name["abstain"]["lower"]
    page = " ".join(PAGE.read_text().split())
    assert (
        f"of 30 invented ones (a name, a thing or a price exchanged) {30 - by_name['injection']['n']} pass"
        in page
    )
    assert f" {told['judge']} " in page
    assert [item for one in told["probes"] for item in one["wrong"] if f"`{item}`" not in page] == []
    wrong = ragvigil(*command, "--only", "luck")
    assert wrong.returncode == 2
    assert "known: attribution" in wrong.stderr


def test_the_command_fails_a_judge_that_passes_everything(tmp_path: Path) -> None:
    """Over HTTP, in words, with what it cost."""
    with ScriptedJudge(good(lambda _: True)) as server:
        config_file = tmp_path / "ragvigil.toml"
        config_file.write_text(
            f'[judge]\nkind = "openai"\nmodel = "scripted-1"\nbase_url = "{server.url}"\n'
            f'[store]\nurl = "sqlite:///{tmp_path / "s.db"}"\n'
            "[judge.prices.scripted-1]\ninput = 1\noutput = 1\n"
        )
        found = ragvigil("probe", "--config", str(config_file), "--only", "abstain")
    assert found.returncode == 1, found.stderr
    assert "FAILS abstain" in found.stdout
    assert "held to 80%" in found.stdout
    assert "50 calls" in found.stdout
    assert "US dollars" in found.stdout


async def test_a_refusal_without_a_verdict_is_not_seen() -> None:
    """That nothing could be read of the judge is no sign that it knows a refusal."""

    class Mute:
        name, version = "mute", "1"

        async def judge(self, record: RagTrace, rubric: Prompt) -> Verdict:
            """Fails what is invented, and says nothing readable of the rest."""
            invented = any(one.invented == record.answer for one in items.unanswered())
            state: State = "unsupported" if invented else "unparseable"
            return Verdict("mute", "1", rubric.digest, state, None, 0.1 if invented else None)

        async def close(self) -> None:
            """It holds nothing."""

    (found,) = await run(Judged(Mute(), rubric_of(config.Judge()), instructed={}, at_once=8), ["abstain"])
    assert (found.passed, found.right) == (False, 0.0)

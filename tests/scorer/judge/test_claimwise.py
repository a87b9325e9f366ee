"""Claims first, then each with quoted evidence; and the same second stage for claims in doubt alone."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from typing import cast

import pytest
from tests.scorer.judge.test_attacks import ATTACKS, Attack
from tests.scorer.judge.test_measures import Saying
from tests.scorer.judge.test_rubric import FAITHFUL, INVENTED, PERFECT, judged, record, settings

from ragvigil.prompts import load
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.judge import rubric_of
from ragvigil.scorer.judge.asker import Asker
from ragvigil.scorer.judge.claimwise import ClaimwiseJudge
from ragvigil.scorer.judge.endpoint import Completion, Question
from ragvigil.scorer.testing import ScriptedJudge, Shown
from ragvigil.scorer.trace import Document
from ragvigil.scorer.verdict import Verdict

OPENS = "The library opens at nine on weekdays"
DOGS = "Dogs are welcome on the second floor"


def support(*verdicts: tuple[str | None, str | None, bool]) -> dict[str, object]:
    """A reply of the second stage: passage, quote, supported."""
    rows = [
        {"claim": number, "passage": passage, "quote": quote, "supported": supported}
        for number, (passage, quote, supported) in enumerate(verdicts, 1)
    ]
    return {"verdicts": rows}


def flags(verdict: Verdict) -> list[str]:
    """What was odd."""
    return cast("list[str]", verdict.details["flags"])


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
async def test_supported_over_all_with_the_words_that_carry_each_claim(kind: str) -> None:
    """Two questions a record; the quotation is found in the passage."""
    with ScriptedJudge(PERFECT) as server:
        good, bad = await judged(
            settings(server, kind=kind, mode="claimwise"), record(FAITHFUL), record(INVENTED)
        )
        assert len(server.requests) == 4
    assert (good.state, good.support, good.faithfulness, good.passed) == ("supported", 1.0, 1.0, True)
    assert (bad.state, bad.support, bad.passed) == ("unsupported", 0.5, False)
    claim = good.claims[0]
    assert claim.supported_by == ("opening#1",)
    assert claim.nearest is not None
    assert claim.nearest.passage == "opening#1"
    assert good.judge_version == "claimwise-1+scripted-1"
    assert cast("dict[str, int]", good.details["usage"])["calls"] == 2


async def test_a_refusal_is_no_claims_and_never_one() -> None:
    """The usual convention would count it as faithful."""
    with ScriptedJudge(PERFECT) as server:
        (verdict,) = await judged(
            settings(server, mode="claimwise"), record("I could not find this in the documents.")
        )
    assert (verdict.state, verdict.faithfulness) == ("no_claims", None)


@pytest.mark.parametrize(
    ("said", "flag"),
    [
        (("fees#2", "Dogs may come in", True), "quote_not_in_passage"),
        (("rules#9", "Dogs are welcome", True), "unknown_passage"),
        ((None, None, True), "support_without_passage"),
        (("fees#2", "", True), "quote_not_in_passage"),
    ],
)
async def test_support_without_words_in_a_real_passage_is_none(
    said: tuple[str | None, str | None, bool], flag: str
) -> None:
    """The judge must show where it stands."""
    real = ("opening#1", "opens at nine ... and at eleven on Saturdays", True)
    with ScriptedJudge(Saying({"claims": [OPENS, DOGS]}, support(real, said))) as server:
        (verdict,) = await judged(settings(server, mode="claimwise"), record(INVENTED))
    assert [claim.verdict for claim in verdict.claims] == ["supported", "unsupported"]
    assert flag in flags(verdict)


async def test_what_the_first_stage_leaves_out_is_asked_about_all_the_same() -> None:
    """Nobody passes by not being asked about."""
    real = ("opening#1", "opens at nine on weekdays", True)
    with ScriptedJudge(Saying({"claims": [OPENS]}, support(real, (None, None, False)))) as server:
        (verdict,) = await judged(settings(server, mode="claimwise"), record(INVENTED))
        asked = str(server.requests[1])
    assert DOGS in asked
    assert (verdict.passed, "statements_not_judged" in flags(verdict)) == (False, True)


async def test_no_claims_where_the_answer_makes_some_is_asked_again_and_then_unparseable() -> None:
    """Never a pass, never a zero."""
    with ScriptedJudge(Saying({"claims": []})) as server:
        (verdict,) = await judged(settings(server, mode="claimwise"), record(FAITHFUL))
        assert len(server.requests) == 2
    assert (verdict.state, verdict.faithfulness) == ("unparseable", None)


async def test_what_survives_of_a_damaged_second_stage_decides_only_what_it_can() -> None:
    """A claim that nothing is known of neither passes nor fails."""
    real, not_real = ("opening#1", "opens at nine on weekdays", True), (None, None, False)
    claims = {"claims": [OPENS, DOGS]}
    with ScriptedJudge(Saying(claims, support(real))) as server:
        (half,) = await judged(settings(server, mode="claimwise"), record(INVENTED))
    assert (half.state, half.faithfulness) == ("unparseable", None)
    with ScriptedJudge(Saying(claims, support(not_real))) as server:
        (failed,) = await judged(settings(server, mode="claimwise"), record(INVENTED))
    assert (failed.state, failed.passed) == ("unsupported", False)


async def test_one_reply_in_three_spoilt_costs_hardly_a_verdict() -> None:
    """Also over two questions."""
    with ScriptedJudge(replace(PERFECT, damage=0.3, seed=7)) as server:
        verdicts = await judged(
            settings(server, max_in_flight=16, mode="claimwise"),
            *(record((FAITHFUL, INVENTED)[n % 2], n) for n in range(40)),
        )
    assert sum(verdict.state == "unparseable" for verdict in verdicts) <= 4
    assert all(verdict.passed in (None, number % 2 == 0) for number, verdict in enumerate(verdicts))


class ObedientClaimwise:
    """A model that quotes for every claim what the attacker would like: words of the answer, or of the attack."""

    def __init__(self, attack: Attack) -> None:
        self._attack = attack

    async def ask(self, question: Question) -> Completion:
        """Leaves the invented claim out at first; then says that everything is supported."""
        if "<claims " not in question.data:
            said: dict[str, object] = {"claims": [OPENS]}
        else:
            numbers = re.findall(r'"number": (\d+)', question.data)
            claims = re.findall(r'"claim": "(.*?)"', question.data)
            said = support(*(("opening#1", claim, True) for claim in claims[: len(numbers)]))
        return Completion(json.dumps(said), "obedient", cut=False)

    async def close(self) -> None:
        """Nothing is open."""


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda one: f"{one.kind}-{one.language}-{one.place}")
def test_a_judge_that_obeys_cannot_quote_what_is_not_there(attack: Attack) -> None:
    """It would have to find the invention in a passage of the trace."""
    judge = ClaimwiseJudge(Asker(ObedientClaimwise(attack), name="openai", model="obedient"))
    chosen = load("claims")
    verdict = asyncio.run(judge.judge(attack.record, chosen))
    assert verdict.passed is False
    assert any(
        "Dogs are welcome" in claim.text and claim.verdict == "unsupported" for claim in verdict.claims
    )


async def test_the_tie_breaker_asks_about_claims_in_doubt_alone() -> None:
    """Most answers cost no call; a wide band asks about all of them."""
    with ScriptedJudge(PERFECT) as server:
        narrow = settings(server, mode="tiebreak", doubt_above=0.49, doubt_below=0.51)
        clear, false = await judged(narrow, record(FAITHFUL), record(INVENTED))
        assert server.requests == []
        wide = settings(server, mode="tiebreak", doubt_above=0.0001, doubt_below=0.9999)
        good, bad = await judged(wide, record(FAITHFUL), record(INVENTED))
        asked = len(server.requests)
    assert (clear.passed, false.passed) == (True, False)
    assert (good.passed, bad.passed) == (True, False)
    assert asked == 2
    assert good.judge_version == clear.judge_version
    assert good.judge_version.startswith("tiebreak-1+39+lexical-1")
    assert good.details["asked"] == 2
    assert good.details["answered_as"] == "scripted-1"


async def test_the_model_settles_a_doubt_either_way() -> None:
    """By words that stand in the passage, or not at all."""
    doubtful = "The library opens around nine in the morning on weekdays [opening#1]."
    wide: dict[str, object] = {"mode": "tiebreak", "doubt_above": 0.0001, "doubt_below": 0.9999}
    yes = support(("opening#1", "opens at nine on weekdays", True))
    with ScriptedJudge(Saying(yes)) as server:
        (passed,) = await judged(settings(server, **wide), record(doubtful))
    with ScriptedJudge(Saying(support((None, None, False)))) as server:
        (failed,) = await judged(settings(server, **wide), record(doubtful))
    assert (passed.state, passed.passed) == ("supported", True)
    assert (failed.state, failed.passed) == ("unsupported", False)


async def test_two_languages_are_a_doubt_for_the_model() -> None:
    """Which the built-in judge cannot compare."""
    one = replace(
        record("Die Bibliothek öffnet an Wochentagen um neun Uhr und am Samstag um elf Uhr."),
        documents=(
            Document("opening#1", "The library opens at nine on weekdays and at eleven on Saturdays."),
        ),
    )
    reply = support(*[("opening#1", "opens at nine on weekdays and at eleven on Saturdays", True)] * 2)
    with ScriptedJudge(Saying(reply)) as server:
        (verdict,) = await judged(settings(server, mode="tiebreak"), one)
        assert len(server.requests) == 1
    assert (verdict.state, verdict.passed) == ("supported", True)


def test_the_prompt_of_a_mode_is_its_own() -> None:
    """A rubric is not silently ignored; the digest covers both stages."""
    with ScriptedJudge(PERFECT) as server:
        chosen = settings(server, mode="claimwise")
        assert rubric_of(chosen).id == "claims"
        assert rubric_of(chosen).digest not in (load("claims").digest, load("claim_support").digest)
        with pytest.raises(ConfigError, match=r"is not used where judge\.mode is claimwise"):
            rubric_of(settings(server, mode="claimwise", prompt="rubric"))
    assert Shown.read("").answer == ""

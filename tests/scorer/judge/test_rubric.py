"""A language model as the judge, over real HTTP: asked by the rubric, believed no more than the trace allows."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from dataclasses import replace
from typing import cast

import pytest
from tests.conftest import eventually
from tests.scorer.judge.endpoint.answering import server as odd_server

from ragvigil.prompts import Prompt
from ragvigil.scorer import config
from ragvigil.scorer.judge import build_judge, rubric_of
from ragvigil.scorer.testing import DAMAGES, Script, ScriptedJudge
from ragvigil.scorer.testing._shown import Shown
from ragvigil.scorer.trace import Document, RagTrace, Retrieval
from ragvigil.scorer.verdict import Verdict

PASSAGES = (
    Document("opening#1", "The library opens at nine on weekdays and at eleven on Saturdays.", rank=1),
    Document("fees#2", "A lost card costs 12 euros. Lending is free for residents.", rank=2),
)
FAITHFUL = "The library opens at nine on weekdays [opening#1]. A lost card costs 12 euros [fees#2]."
INVENTED = "The library opens at nine on weekdays [opening#1]. Dogs are welcome on the second floor [fees#2]."
PERFECT = Script(sensitivity=1.0, specificity=1.0, truth=lambda shown: "Dogs" not in shown.answer)


def record(answer: str, number: int = 0) -> RagTrace:
    """A record of one answer; the number makes its question differ."""
    return RagTrace(
        trace_id=f"{number:032x}",
        span_id="1" * 16,
        service="library",
        started_at=0,
        query=f"Question {number}: when does it open?",
        answer=answer,
        documents=PASSAGES,
        retrievals=(Retrieval("retrieve", None, ("opening#1", "fees#2"), (None, None)),),
    )


def settings(server: ScriptedJudge, **more: object) -> config.Judge:
    """A judge that asks the scripted one."""
    return config.Judge.model_validate(
        {"kind": "openai", "model": "scripted-1", "base_url": server.url, **more}
    )


async def judged(chosen: config.Judge, *records: RagTrace) -> list[Verdict]:
    """The verdicts on some records, asked for at once."""
    judge = build_judge(chosen)
    assert judge is not None
    try:
        return list(await asyncio.gather(*(judge.judge(one, rubric_of(chosen)) for one in records)))
    finally:
        await judge.close()


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
async def test_a_faithful_answer_passes_and_an_invented_one_fails(kind: str) -> None:
    """With claims, passages, scores, the model's name, what it cost."""
    with ScriptedJudge(PERFECT) as server:
        prices = {"scripted-1": {"input": 1.0, "output": 2.0}}
        good, bad = await judged(
            settings(server, kind=kind, prices=prices), record(FAITHFUL), record(INVENTED)
        )
    assert (good.state, good.faithfulness, good.passed) == ("supported", 1.0, True)
    assert (bad.state, bad.faithfulness, bad.passed) == ("unsupported", 0.49, False)
    assert [claim.verdict for claim in bad.claims] == ["supported", "unsupported"]
    assert all(one.text == INVENTED[one.start : one.end] for one in bad.claims)
    assert (good.judge, good.judge_version) == (kind, "2+scripted-1")
    assert good.details["scores"] == {"groundedness": 5, "completeness": 4, "directness": 4, "style": 5}
    usage = cast("dict[str, float]", good.details["usage"])
    assert usage["calls"] == 1
    assert usage["cost_usd"] == pytest.approx((usage["input_tokens"] + 2 * usage["output_tokens"]) / 1e6)


async def test_a_model_without_a_price_says_so() -> None:
    """None, not nothing."""
    with ScriptedJudge(PERFECT) as server:
        (verdict,) = await judged(settings(server), record(FAITHFUL))
    assert cast("dict[str, object]", verdict.details["usage"])["cost_usd"] is None


@pytest.mark.parametrize("takes", ["json_schema", "tool", "json_object", "plain"])
async def test_what_a_server_can_do_is_found_out_once(takes: str) -> None:
    """Each way down the ladder is tried by the first question only."""
    with ScriptedJudge(PERFECT, takes={takes}) as server:
        chosen = settings(server)
        judge = build_judge(chosen)
        assert judge is not None
        first = await judge.judge(record(FAITHFUL, 1), rubric_of(chosen))
        asked = len(server.requests)
        second = await judge.judge(record(FAITHFUL, 2), rubric_of(chosen))
        await judge.close()
        assert first.passed
        assert second.passed
        assert len(server.requests) == asked + 1


@pytest.mark.parametrize("way", DAMAGES)
async def test_no_damage_becomes_a_silent_zero(way: str) -> None:
    """A spoilt reply is mended, asked for again, judged in part, or `unparseable`; it never counts as unfaithful."""

    class Spoilt(Script):
        __slots__ = ()

        def said(self, shown: Shown, number: int, wanted: str = "rubric") -> str:
            return DAMAGES[way](self.reply(shown))

    script = Spoilt(sensitivity=1.0, truth=lambda _: True)
    with ScriptedJudge(script) as server:
        (verdict,) = await judged(settings(server), record(FAITHFUL))
    if verdict.state == "unparseable":
        assert verdict.faithfulness is None
        assert verdict.reason is not None
    else:
        assert verdict.passed, verdict


@pytest.mark.parametrize("often", [1, 2])
async def test_a_statement_that_is_left_out_is_asked_for_once_more(often: int) -> None:
    """Then the answer is not judged; a model that only forgot it costs one more question."""

    class Forgetful(Script):
        __slots__ = ()

        def said(self, shown: Shown, number: int, wanted: str = "rubric") -> str:
            reply = self.reply(shown)
            claims = cast("list[object]", reply["supported_claims"])
            return json.dumps(reply | {"supported_claims": claims[:1]} if number < often else reply)

    with ScriptedJudge(Forgetful(sensitivity=1.0, truth=lambda _: True)) as server:
        (verdict,) = await judged(settings(server), record(FAITHFUL))
        messages = json.dumps(server.requests[1]["messages"])
    assert len(server.requests) == 2
    assert "leaves out what the answer says in its statement 2 of 2" in messages
    if often == 1:
        assert (verdict.state, verdict.faithfulness) == ("supported", 1.0)
    else:
        assert (verdict.state, verdict.faithfulness) == ("unparseable", None)
        assert "statement 2 of 2" in str(verdict.reason)


@pytest.mark.parametrize(
    ("chosen", "whole"),
    [({}, True), ({}, False), ({"mode": "claimwise"}, True), ({"mode": "tiebreak"}, True)],
)
async def test_a_model_that_takes_orders_from_the_data_is_not_believed(
    chosen: dict[str, object], whole: bool
) -> None:
    """In every mode, over HTTP; one that only thinks about the order is."""

    class Baited(Script):
        __slots__ = ()

        def said(self, shown: Shown, number: int, wanted: str = "rubric") -> str:
            order = shown.parts["note"]
            word = order.partition("the word ")[2].partition(" ")[0]
            said = Script.said(self, shown, number, wanted)
            if self.seed:
                return f"<think>It says: {order}. I do not.</think>{said}"
            for begin in ('"claim": "', '"claims": ["', '"quote": "'):
                said = said.replace(begin, f"{begin}{word} ")
            return said if whole else said[:-9]

    doubtful: dict[str, object] = {"doubt_above": 0.0, "doubt_below": 1.0} if "mode" in chosen else {}
    with ScriptedJudge(Baited(sensitivity=1.0, truth=lambda _: True)) as server:
        (verdict,) = await judged(settings(server, **chosen, **doubtful), record(FAITHFUL))
        server.become(Baited(seed=1, sensitivity=1.0, truth=lambda _: True))
        (thinking,) = await judged(settings(server, **chosen, **doubtful), record(FAITHFUL))
    assert (verdict.state, verdict.faithfulness) == ("unparseable", None)
    assert "the model takes orders from what it is shown" in str(verdict.reason)
    assert thinking.passed


async def test_one_reply_in_three_spoilt_costs_hardly_a_verdict() -> None:
    """The second asking and what survives of a reply make up for it: at least 99.5 % end as verdicts, none is lost."""
    script, count = replace(PERFECT, damage=0.3, seed=7), 400
    with ScriptedJudge(script) as server:
        verdicts = await judged(
            settings(server, max_in_flight=32),
            *(record((FAITHFUL, INVENTED)[n % 2], n) for n in range(count)),
        )
    spoilt = [number for number in range(len(server.requests)) if script.chance("damage", number) < 0.3]
    assert {int(script.chance("way", number) * len(DAMAGES)) for number in spoilt} == set(range(10))
    states = Counter(verdict.state for verdict in verdicts)
    assert sum(states.values()) == count
    assert states["unparseable"] + states["failed"] <= 0.005 * count, states
    for number, verdict in enumerate(verdicts):
        assert verdict.passed in (None, number % 2 == 0)


async def test_a_server_that_cuts_every_question_to_its_context_gives_no_verdicts() -> None:
    """Its answers are about something else; the first few cannot be told from others, and no later one counts."""
    answers = [FAITHFUL + " Dogs may come in too." * number for number in range(0, 60, 6)]
    with ScriptedJudge(replace(PERFECT, context_tokens=512)) as server:
        chosen = settings(server, max_in_flight=1)
        verdicts = await judged(chosen, *map(record, answers))
    told = [verdict.reason for verdict in verdicts if verdict.state == "failed"]
    assert len(told) >= len(answers) - 4
    assert all("cuts every question to 512 tokens" in str(reason) for reason in told)
    assert all("OLLAMA_CONTEXT_LENGTH" in str(reason) for reason in told)


async def test_errors_and_limits_pass_and_every_record_is_judged() -> None:
    """429 with Retry-After, 500, 503: asked again until the answer comes."""
    with ScriptedJudge(replace(PERFECT, errors={429: 0.2, 500: 0.1, 503: 0.05}, seed=3)) as server:
        verdicts = await judged(
            settings(server, max_in_flight=16), *(record(FAITHFUL, number) for number in range(60))
        )
    assert [verdict.passed for verdict in verdicts] == [True] * 60


async def test_a_revoked_key_holds_the_work_until_it_is_renewed() -> None:
    """Nothing is lost and nothing is restarted; the key itself is in no log line and no verdict."""
    with ScriptedJudge(PERFECT, key="new") as server:
        chosen = settings(server, api_key="old")
        judge = build_judge(chosen)
        assert judge is not None
        waiting = asyncio.create_task(judge.judge(record(FAITHFUL), rubric_of(chosen)))
        await asyncio.to_thread(eventually, lambda: server.requests)
        assert not waiting.done()
        server.become(PERFECT, key="old")
        verdict = await waiting
        await judge.close()
    assert verdict.passed


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
async def test_a_slow_answer_is_overtaken_where_the_settings_say_so(kind: str) -> None:
    """The first question of all is never answered; the same, sent again, is."""

    class Stuck(Script):
        __slots__ = ()

        def chance(self, *about: object) -> float:
            return float(about != ("hang", 0)) if about[0] == "hang" else Script.chance(self, *about)

    with ScriptedJudge(Stuck(sensitivity=1.0, truth=lambda _: True, hangs=0.5)) as server:
        (verdict,) = await judged(settings(server, kind=kind, hedge_seconds=0.1), record(FAITHFUL))
        assert verdict.passed
        assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("kind", "told", "reason"),
    [
        (
            "openai",
            {"choices": [{"message": {"content": None, "refusal": "I cannot\nrate this."}}]},
            "it declines: I cannot rate this.",
        ),
        (
            "openai",
            {"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]},
            "it declines: its content filter",
        ),
        ("anthropic", {"content": [], "stop_reason": "refusal"}, "it declines: without a word"),
    ],
)
async def test_a_model_that_declines_is_not_asked_again(
    kind: str, told: dict[str, object], reason: str
) -> None:
    """That is no reply that makes no sense: the verdict failed, and says why."""
    asked: list[object] = []

    def answer(body: dict[str, object]) -> tuple[int, object]:
        asked.append(body)
        return 200, told

    with odd_server(answer) as url:
        chosen = {"kind": kind, "model": "m", "base_url": url}
        (verdict,) = await judged(config.Judge.model_validate(chosen), record(FAITHFUL))
    assert (verdict.state, verdict.faithfulness) == ("failed", None)
    assert verdict.reason == f"the model refused: {reason}"
    assert len(asked) == 1


async def test_a_record_that_cannot_be_judged_costs_no_question() -> None:
    """A refusal, no answer, texts that are missing."""
    with ScriptedJudge(PERFECT) as server:
        verdicts = await judged(
            settings(server),
            record("I could not find this in the documents."),
            replace(record(FAITHFUL), answer=None),
            replace(record(FAITHFUL), documents=(Document("opening#1", None),)),
        )
        assert server.requests == []
    assert [verdict.state for verdict in verdicts] == ["no_claims", "not_scoreable", "partial_evidence"]


def test_the_rubric_of_a_model_is_another_than_that_of_the_built_in_judge() -> None:
    """Series are split by it."""
    by_model = rubric_of(config.Judge(kind="openai", model="m", base_url="http://127.0.0.1:1/v1"))
    by_words = rubric_of(config.Judge())
    assert (by_model.name, by_words.name) == ("rubric/2", "faithfulness/1")
    assert isinstance(by_model, Prompt)


@pytest.mark.parametrize("quality", [4, None])
async def test_a_refusal_in_words_that_the_checks_do_not_know_is_no_claim(quality: int | None) -> None:
    """How well it refuses is kept; a judge that finds neither claims nor a refusal is asked again, and not believed."""

    class Reading(Script):
        __slots__ = ()

        def said(self, shown: Shown, number: int, wanted: str = "rubric") -> str:
            abstain = {"should_have_abstained": True, "abstain_quality": quality}
            return json.dumps(self.reply(shown) | {"supported_claims": [], "abstain": abstain})

    answer = "When the pool opens is anybody's guess. Please contact the front desk on weekdays."
    with ScriptedJudge(Reading(sensitivity=1.0, truth=lambda _: True)) as server:
        (verdict,) = await judged(settings(server), record(answer))
        asked = len(server.requests)
    if quality is None:
        assert (verdict.state, asked) == ("unparseable", 2)
        return
    assert (verdict.state, verdict.passed, asked) == ("no_claims", None, 1)
    assert verdict.details["abstain"] == {"should_have_abstained": True, "abstain_quality": 4}
    assert "refuses" in str(verdict.reason)

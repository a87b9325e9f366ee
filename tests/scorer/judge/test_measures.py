"""What the judge measures beside faithfulness, over real HTTP, and held against the trace."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import pytest
from tests.scorer.judge.endpoint.answering import said
from tests.scorer.judge.endpoint.answering import server as answering
from tests.scorer.judge.test_rubric import FAITHFUL, INVENTED, PASSAGES, PERFECT, record, settings

from ragvigil.scorer import config
from ragvigil.scorer.config.judging import MEASURES
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.grounded_answer import grounded_answer
from ragvigil.scorer.judge import build_asker, build_measuring
from ragvigil.scorer.judge.endpoint import LaterError
from ragvigil.scorer.judge.judges import judges_of
from ragvigil.scorer.judge.similarity import Lexical
from ragvigil.scorer.scoring.checking import Checking
from ragvigil.scorer.testing import DAMAGES, Script, ScriptedJudge, Shown
from ragvigil.scorer.trace import Document, RagTrace
from ragvigil.scorer.verdict import Measured, Verdict

NOTHING = Verdict("none", "", "", "not_scoreable", None, None)
OPENING = replace(
    record(FAITHFUL), query="When does the library open on weekdays, and what does a lost card cost?"
)


async def measured(chosen: config.Judge, *records: RagTrace) -> list[dict[str, Measured]]:
    """What is measured of each record, by name."""
    measuring = build_measuring(chosen)
    assert measuring is not None
    try:
        verdicts = await asyncio.gather(*(measuring.added(NOTHING, one) for one in records))
    finally:
        await measuring.close()
    return [{one.name: one for one in verdict.measured} for verdict in verdicts]


async def usage(chosen: config.Judge) -> dict[str, float]:
    """What measuring one record cost."""
    measuring = build_measuring(chosen)
    assert measuring is not None
    try:
        verdict = await measuring.added(NOTHING, OPENING)
    finally:
        await measuring.close()
    return cast("dict[str, float]", verdict.details["usage"])


class Saying(Script):
    """A judge that replies what it was told to, whatever it reads."""

    def __new__(cls, *replies: Mapping[str, object]) -> Saying:
        """With the replies of its own."""
        made = super().__new__(cls)
        object.__setattr__(made, "told", list(replies))
        return made

    def __init__(self, *replies: Mapping[str, object]) -> None:
        super().__init__()

    def reply(self, shown: Shown, wanted: str = "rubric") -> dict[str, object]:
        """The next of them; the last one again and again."""
        told = cast("list[dict[str, object]]", self.__dict__["told"])
        return told.pop(0) if len(told) > 1 else told[0]


async def test_an_answer_to_another_question_is_less_relevant() -> None:
    """Faithful but off-topic must score low (G11)."""
    off = replace(OPENING, query="Which trains go to Porto on Sundays?")
    with ScriptedJudge(PERFECT) as server:
        on, beside = await measured(settings(server, measures=["answer_relevance"]), OPENING, off)
    near, far = on["judge.answer_relevance"], beside["judge.answer_relevance"]
    assert near.value is not None
    assert far.value is not None
    assert near.value > 0.4 > 0.2 > far.value
    assert near.details["method"] == "lexical-1"
    assert len(cast("list[str]", near.details["questions"])) == 3


async def test_an_embedding_endpoint_compares_when_one_is_configured() -> None:
    """And the method says so; then two languages can be compared too."""
    german = replace(record(FAITHFUL), query="Wann öffnet die Bibliothek an Wochentagen?")
    with ScriptedJudge(PERFECT) as server:
        (plain,) = await measured(settings(server, measures=["answer_relevance"]), german)
        chosen = settings(server, measures=["answer_relevance"], embedding_model="e-1")
        by_vectors, same = await measured(chosen, german, OPENING)
        embedded = [body for body in server.requests if "input" in body]
    assert plain["judge.answer_relevance"].value is None
    assert "two languages" in str(plain["judge.answer_relevance"].reason)
    assert by_vectors["judge.answer_relevance"].details["method"] == "embedding e-1"
    assert (same["judge.answer_relevance"].value or 0) > 0.4
    assert {body["model"] for body in embedded} == {"e-1"}


async def test_the_embeddings_are_on_the_bill_at_their_own_price() -> None:
    """Without one the cost of the whole is not known."""
    prices = {name: {"input": 1.0, "output": 0.0} for name in ("scripted-1", "e-1")}
    more = {"measures": ["answer_relevance"], "embedding_model": "e-1"}
    with ScriptedJudge(PERFECT) as server:
        plain = await usage(settings(server, measures=["answer_relevance"], prices=prices))
        both = await usage(settings(server, **more, prices=prices))
        unknown = await usage(settings(server, **more, prices={"scripted-1": prices["e-1"]}))
    assert (both["calls"], plain["calls"]) == (2, 1)
    assert both["input_tokens"] > plain["input_tokens"]
    assert both["cost_usd"] == pytest.approx(both["input_tokens"] / 1e6)
    assert unknown["cost_usd"] is None


@pytest.mark.parametrize("own", [None, "sk-of-the-embeddings"])
async def test_the_judges_key_goes_to_the_judge_alone(own: str | None) -> None:
    """Another server gets the key that is meant for it, or none."""
    more = {"measures": ["answer_relevance"], "embedding_model": "e-1", "api_key": "sk-of-the-judge"}
    with ScriptedJudge(PERFECT) as server, ScriptedJudge(PERFECT) as embedder:
        await measured(settings(server, **more), OPENING)
        await measured(settings(server, **more, embedding_url=embedder.url, embedding_key=own), OPENING)
        assert set(server.keys) == {"sk-of-the-judge"}
        assert set(embedder.keys) == {own}


async def test_a_refusal_has_no_relevance_and_costs_no_question() -> None:
    """Whether it should have refused is another measure."""
    with ScriptedJudge(PERFECT) as server:
        (found,) = await measured(
            settings(server, measures=["answer_relevance"]), record("I could not find this in the documents.")
        )
        assert server.requests == []
    assert found["judge.answer_relevance"].value is None


async def test_each_passage_is_labelled_and_both_figures_follow() -> None:
    """R4: the share, and whether the relevant ones come first."""
    asked = replace(OPENING, query="When does the library open on weekdays?")
    back = replace(asked, documents=PASSAGES[::-1])
    with ScriptedJudge(PERFECT_IN_LABELS) as server:
        first, last = await measured(settings(server, measures=["context_relevance"]), asked, back)
    assert first["judge.context_relevant_share"].value == 0.5
    assert first["judge.context_precision"].value == 1.0
    assert last["judge.context_precision"].value == 0.5
    labels = cast("list[dict[str, object]]", first["judge.context_relevant_share"].details["passages"])
    assert [(one["id"], one["relevant"]) for one in labels] == [("opening#1", True), ("fees#2", False)]
    assert "fees#2" in str(first["judge.context_relevant_share"].reason)


PERFECT_IN_LABELS = Script(sensitivity=1.0, specificity=1.0)


async def test_a_passage_that_was_not_labelled_is_asked_for_again() -> None:
    """And what is still missing is no zero."""
    opening = {"id": "opening#1", "why": "it says when", "relevant": True}
    one = {"passages": [opening]}
    both = {"passages": [opening, {"id": "[fees#2]", "why": "fees", "relevant": False}]}
    with ScriptedJudge(Saying(one, both)) as server:
        (found,) = await measured(settings(server, measures=["context_relevance"]), OPENING)
        complaint = str(server.requests[1])
    assert found["judge.context_relevant_share"].value == 0.5
    assert "passages lacks fees#2" in complaint
    with ScriptedJudge(Saying(one)) as server:
        (found,) = await measured(settings(server, measures=["context_relevance"]), OPENING)
    assert found["judge.context_relevant_share"].value is None
    assert found["judge.context_relevant_share"].details["state"] == "unparseable"


def axes(points: int, *unsupported: str) -> dict[str, object]:
    """A reply of the six-axis judge with the same points everywhere."""
    names = ("factuality", "attribution", "coverage", "calibration", "conciseness", "format")
    return {"unsupported": list(unsupported), **{name: {"why": "so", "points": points} for name in names}}


async def test_six_axes_are_weighted_and_put_right_where_checks_can_tell() -> None:
    """An unsupported statement costs factuality, an answer that cites nothing has no attribution."""
    chosen: dict[str, object] = {"measures": ["six_axes"]}
    with ScriptedJudge(Saying(axes(4))) as server:
        good, bare = await measured(
            settings(server, **chosen),
            OPENING,
            replace(OPENING, answer="The library opens at nine on weekdays."),
        )
    assert good["judge.six_axes"].value == 1.0
    assert bare["judge.six_axes"].value == 0.8
    assert good["judge.six_axes"].judge_version == "2+scripted-1", "other inputs, another series"
    assert bare["judge.six_axes"].details["flags"] == ["overridden:attribution"]
    dogs, cats = "Dogs are welcome on the second floor", "Cats pay twice."
    with ScriptedJudge(Saying(axes(4, dogs, cats))) as server:
        (bad,) = await measured(settings(server, **chosen), record(INVENTED))
    found = bad["judge.six_axes"]
    assert cast("dict[str, int]", found.details["axes"])["factuality"] == 3
    assert found.details["flags"] == ["statement_not_in_answer", "overridden:factuality"]


async def test_the_six_axis_judge_feeds_the_grounded_answer_score() -> None:
    """Its points count where no check decides."""
    with ScriptedJudge(Saying(axes(1))) as server:
        (found,) = await measured(settings(server, measures=["six_axes"]), OPENING)
    verdict = replace(NOTHING, measured=tuple(found.values()))
    before = {axis.name: axis for axis in grounded_answer(Checking().run(OPENING)).axes}
    after = {axis.name: axis for axis in grounded_answer(Checking().run(OPENING), verdict).axes}
    assert after["coverage"].value == after["factuality"].value == 1.0
    assert after["coverage"].why == "the six-axis judge"
    assert after["attribution"] == before["attribution"]


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("way", ["cut_off", "nothing", "lost_scores", "numbers_as_words", "comments"])
async def test_no_damage_becomes_a_silent_zero(way: str, measure: str) -> None:
    """A value that is right, or none."""

    class Spoilt(Script):
        __slots__ = ()

        def said(self, shown: Shown, number: int, wanted: str = "rubric") -> str:
            return DAMAGES[way](self.reply(shown, wanted))

    with ScriptedJudge(PERFECT) as server:
        (whole,) = await measured(settings(server, measures=[measure]), OPENING)
    with ScriptedJudge(Spoilt(sensitivity=1.0, specificity=1.0)) as server:
        (found,) = await measured(settings(server, measures=[measure]), OPENING)
    for name, one in found.items():
        assert one.value in (whole[name].value, None)


async def test_missing_texts_are_no_irrelevance() -> None:
    """What was not seen is not scored."""
    with ScriptedJudge(PERFECT) as server:
        (found,) = await measured(
            settings(server, measures=["context_relevance", "six_axes"]),
            replace(OPENING, documents=(Document("opening#1", None),)),
        )
        assert server.requests == []
    assert {one.value for one in found.values()} == {None}


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"measures": ["relevance"]}, "no measure is called 'relevance'; did you mean answer_relevance"),
        ({"kind": "builtin", "measures": ["six_axes"]}, "need a language model, and judge.kind is builtin"),
        ({"embedding_model": "e", "embedding_url": "here"}, "embedding_url must look like"),
        ({"kind": "anthropic", "embedding_model": "e"}, "needs embedding_url"),
        ({"doubt_above": 0.9, "doubt_below": 0.1}, "doubt_above must be less"),
    ],
)
def test_what_is_wrong_is_named_with_the_fix(more: dict[str, object], problem: str) -> None:
    """At start, and by check-config."""
    base = {"kind": "openai", "model": "m", "base_url": "http://127.0.0.1:1/v1"}
    if more.get("kind") == "builtin":
        base = {}
    with pytest.raises(ConfigError, match=problem):
        config.load(overrides={"judge": {**base, **more}})


def test_words_compare_as_they_should() -> None:
    """The same question is 1, another 0, and telling words weigh more."""
    near = Lexical()
    assert near.between("When does the library open?", "When does the library open?") == pytest.approx(1.0)
    assert near.between("When does the library open?", "Which trains go to Porto?") == 0.0
    assert near.between("", "anything") == 0.0


async def test_embeddings_keep_to_the_limit_that_the_judge_was_told() -> None:
    """One key at one server: while its limit lasts nothing is asked with it."""
    asked: list[str] = []
    answered, loop = asyncio.Event(), asyncio.get_running_loop()

    def answer(body: dict[str, object]) -> tuple[int, object]:
        asked.append("embeddings" if "input" in body else "judge")
        loop.call_soon_threadsafe(answered.set)
        return 200, said(json.dumps({"questions": ["When does it open?"], "noncommittal": False}))

    lifted = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1h"}
    with answering(answer, headers=lifted) as url:
        chosen = config.Judge(
            kind="openai", model="m", base_url=url, measures=("answer_relevance",), embedding_model="e"
        )
        measuring = judges_of(config.Settings(judge=chosen), None).measuring
        assert measuring is not None
        measured = asyncio.create_task(measuring.added(NOTHING, OPENING))
        try:
            async with asyncio.timeout(30):
                await answered.wait()
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(measured, 0.5)
        finally:
            await measuring.close()
    assert asked == ["judge"]


async def test_what_a_question_cost_that_was_put_off_is_on_the_next_ones_bill() -> None:
    """A verdict that needs a measure, too, is asked for once more when the measure is not answered."""
    down = True

    def answer(body: dict[str, object]) -> tuple[int, object]:
        if down and "criterion" not in str(body) and "questions, noncommittal" in str(body):
            return 500, {}
        return 200, said(json.dumps({"questions": ["When does it open?"], "noncommittal": False}))

    spent = replace(NOTHING, details={"usage": {"calls": 1, "input_tokens": 100, "output_tokens": 10}})
    with answering(answer) as url:
        chosen = config.Judge(kind="openai", model="m", base_url=url, measures=("answer_relevance",))
        measuring = build_measuring(chosen, build_asker(chosen, tries=1))
        assert measuring is not None
        try:
            with pytest.raises(LaterError):
                await measuring.added(spent, OPENING)
            down = False
            found = await measuring.added(NOTHING, OPENING)
        finally:
            await measuring.close()
    told = cast("dict[str, object]", found.details["usage"])
    assert (told["calls"], told["input_tokens"], told["output_tokens"]) == (2, 107, 13)

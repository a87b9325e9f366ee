"""Whoever is asked beside the judge and is away costs what it would have said, and nothing else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import pytest
from tests.scorer.judge.endpoint.answering import said
from tests.scorer.judge.endpoint.answering import server as answering
from tests.scorer.judge.test_measures import NOTHING, OPENING
from tests.scorer.judge.test_rubric import PERFECT, settings

from ragvigil.scorer import config
from ragvigil.scorer.judge import build_asker, build_measuring, rubric_of
from ragvigil.scorer.judge.endpoint import LaterError
from ragvigil.scorer.judge.judges import judges_of
from ragvigil.scorer.judge.judging import judgement_of
from ragvigil.scorer.store.port import Job
from ragvigil.scorer.testing import ScriptedJudge
from ragvigil.scorer.verdict import Verdict

NOWHERE = "http://127.0.0.1:1/v1"


async def test_without_embeddings_the_verdict_stands_and_one_measure_has_no_value() -> None:
    """The judge had answered, and so had the other measures."""
    more: Mapping[str, object] = {
        "measures": ["answer_relevance", "context_relevance"],
        "embedding_model": "e-1",
        "embedding_url": NOWHERE,
        "attempt_seconds": 0.5,
    }
    with ScriptedJudge(PERFECT) as server:
        chosen = settings(server, **more)
        judges = judges_of(config.Settings(judge=chosen), None)
        assert judges.judge is not None
        assert judges.measuring is not None
        job = Job(1, b"", OPENING, 1.0)
        try:
            async with asyncio.timeout(30.0):
                found = await judgement_of(job, judges.judge, rubric_of(chosen), judges.measuring)
        finally:
            await judges.judge.close()
            await judges.measuring.close()
    assert found.failure is None
    assert found.verdict is not None
    assert found.verdict.passed
    told = {one.name: one for one in found.verdict.measured}
    relevance = told["judge.answer_relevance"]
    assert (relevance.value, relevance.details["state"]) == (None, "failed")
    assert str(relevance.reason).startswith("the embedding model does not answer: unreachable")
    assert told["judge.context_relevant_share"].value is not None
    assert cast("dict[str, int]", found.verdict.details["usage"])["calls"] == 3, "of which one found nothing"


async def test_embeddings_that_were_away_are_compared_by_again() -> None:
    """While they are away one record at a time waits for them; no restart is needed when they are back."""
    away = True
    question = {"questions": ["When does the library open?"], "noncommittal": False}

    def answer(body: dict[str, object]) -> tuple[int, object]:
        if "input" not in body:
            return 200, said(json.dumps(question))
        if away:
            return 500, {}
        rows = [{"index": at, "embedding": [1.0, 0.0]} for at in range(len(cast("list[str]", body["input"])))]
        return 200, {"model": "e-1", "data": rows, "usage": {"prompt_tokens": 9}}

    async def values(count: int) -> list[float | None]:
        assert measuring is not None
        records = [replace(OPENING, trace_id=f"{number:032x}") for number in range(count)]
        verdicts: list[Verdict] = await asyncio.gather(*(measuring.added(NOTHING, one) for one in records))
        return [one.measured[0].value for one in verdicts]

    with answering(answer) as url:
        chosen = config.Judge(
            kind="openai",
            model="m",
            base_url=url,
            measures=("answer_relevance",),
            embedding_model="e-1",
            attempt_seconds=0.5,
        )
        measuring = build_measuring(chosen)
        assert measuring is not None
        try:
            async with asyncio.timeout(60.0):
                assert await values(1) == [None]
                assert await values(12) == [None] * 12
                away = False
                while None in await values(1):
                    pass  # it has waited for two attempts
                assert await values(3) == [pytest.approx(1.0)] * 3
        finally:
            await measuring.close()


async def test_a_verdict_whose_judges_told_only_their_calls_is_put_off_with_its_measure() -> None:
    """A tie-breaker that asks nobody tells no tokens, and neither does the model of entailment beside it."""
    spent = replace(NOTHING, details={"usage": {"calls": 2}})
    with answering(lambda _: (500, {})) as url:
        chosen = config.Judge(kind="openai", model="m", base_url=url, measures=("answer_relevance",))
        measuring = build_measuring(chosen, build_asker(chosen, tries=1))
        assert measuring is not None
        try:
            with pytest.raises(LaterError):
                await measuring.added(spent, OPENING)
        finally:
            await measuring.close()

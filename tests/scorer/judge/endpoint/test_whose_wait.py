"""Whom a server's Retry-After holds: all who ask with the key for a limit, and one model for an outage."""

from __future__ import annotations

import asyncio

import pytest
from tests.scorer.judge.endpoint.answering import QUESTION, Json, said, server

from ragvigil.scorer.judge.endpoint import LaterError, Limits, UnavailableError
from ragvigil.scorer.judge.endpoint.client import Client
from ragvigil.scorer.judge.endpoint.openai import OpenAI
from ragvigil.scorer.judge.endpoint.pace import Quotas


@pytest.mark.parametrize(("status", "holds_others"), [(429, True), (500, False), (503, False), (529, False)])
async def test_an_outage_of_one_model_holds_no_other_of_its_key(status: int, holds_others: bool) -> None:
    """It says an hour; the model that said so is left alone for as long."""
    asked: list[object] = []

    def answer(body: Json) -> tuple[int, object]:
        asked.append(body["model"])
        return (status, {}) if body["model"] == "gone" else (200, said("{}"))

    def client(model: str, *, tries: int | None = None) -> Client:
        limits = Limits(2, 20.0, 0.5 if holds_others else 20.0, tries)
        return Client(OpenAI(), url=url, key="sk", model=model, limits=limits, quotas=quotas)

    quotas = Quotas()
    with server(answer, headers={"retry-after": "3600"}) as url:
        async with client("gone", tries=1) as gone, client("there") as there:
            with pytest.raises(LaterError):
                await gone.ask(QUESTION)
            if holds_others:
                with pytest.raises(UnavailableError):
                    await there.ask(QUESTION)
            else:
                assert (await there.ask(QUESTION)).text == "{}"
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.5):
                    await gone.ask(QUESTION)
    assert asked == (["gone"] if holds_others else ["gone", "there"])

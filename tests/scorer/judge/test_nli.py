"""An entailment model behind HTTP as the judge."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from dataclasses import replace

import pytest
from starlette.responses import JSONResponse
from tests.conftest import eventually
from tests.scorer.judge.test_rubric import FAITHFUL, INVENTED, judged, record

from ragvigil.scorer import config
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.judge import judge_at_a_terminal, rubric_of
from ragvigil.scorer.judge.endpoint import UnavailableError
from ragvigil.scorer.judge.endpoint.trouble import Trouble
from ragvigil.scorer.judge.judges import judges_of
from ragvigil.scorer.testing import ScriptedJudge
from ragvigil.scorer.trace import Document


def settings(server: ScriptedJudge, **more: object) -> config.Judge:
    """A judge that asks the scripted classifier."""
    return config.Judge.model_validate({"kind": "nli", "base_url": server.url, **more})


async def test_claims_are_held_against_the_nearest_passages() -> None:
    """The faithfulness is that of the weakest claim; the passage that carries each is named."""
    with ScriptedJudge() as server:
        good, bad = await judged(settings(server, model="nli-base"), record(FAITHFUL), record(INVENTED))
        bodies = server.requests
    assert (good.state, good.passed, good.support) == ("supported", True, 1.0)
    assert (bad.state, bad.passed, bad.support) == ("unsupported", False, 0.5)
    assert good.faithfulness == min(claim.probability for claim in good.claims)
    assert [claim.supported_by for claim in good.claims] == [("opening#1",), ("fees#2",)]
    assert (good.judge, good.judge_version) == ("nli", "1+nli-base")
    assert good.prompt_digest == rubric_of(config.Judge()).digest
    assert len(bodies) == 2
    assert all(isinstance(body["inputs"], list) for body in bodies)


async def test_without_a_name_the_server_tells_its_verdicts_apart() -> None:
    """Another host is another instrument."""
    with ScriptedJudge() as server:
        (verdict,) = await judged(settings(server), record(FAITHFUL))
    assert verdict.judge_version == "1+127.0.0.1"


async def test_a_contradiction_is_told_from_a_lack_of_support() -> None:
    """As the labels do."""
    one = replace(
        record("Lending is not free for residents."),
        documents=(Document("fees#2", "Lending is free for residents."),),
    )
    with ScriptedJudge() as server:
        (verdict,) = await judged(settings(server), one)
    assert (verdict.state, verdict.passed) == ("contradicted", False)


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ([[{"label": "LABEL_0", "score": 0.9}]] * 2, "its labels are label_0: serve a model"),
        ([], "2 pairs were sent and 0 answers came"),
    ],
)
async def test_an_endpoint_that_is_no_nli_model_is_named(
    said: object, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The verdict failed, and says why; it is never a zero."""
    from ragvigil.scorer.testing import _server

    def other(_premise: str, _hypothesis: str) -> list[dict[str, object]]:
        return [{"label": "LABEL_0", "score": 0.9}]

    def nothing(_: object) -> JSONResponse:
        return JSONResponse([])

    monkeypatch.setattr(_server, "entailment", other)
    if not said:
        monkeypatch.setattr(_server, "JSONResponse", nothing)
    one = replace(record("The library opens at nine."), documents=record(FAITHFUL).documents)
    with ScriptedJudge() as server:
        (verdict,) = await judged(settings(server), one)
    assert (verdict.state, verdict.faithfulness) == ("failed", None)
    assert problem in str(verdict.reason)


@pytest.fixture
def nobody() -> Iterator[config.Settings]:
    """Settings of a judge at an address where nothing listens."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        yield config.load(overrides={"judge": {"kind": "nli", "base_url": url}})


async def test_a_judge_that_is_away_says_what_keeps_it(nobody: config.Settings) -> None:
    """As the page of an outage tells it."""
    trouble = Trouble()
    judge = judges_of(nobody, None, trouble).judge
    assert judge is not None
    asked = asyncio.create_task(judge.judge(record(FAITHFUL), rubric_of(nobody.judge)))
    await asyncio.to_thread(eventually, lambda: trouble.said)
    asked.cancel()
    await judge.close()
    assert "unreachable, ConnectError (check judge.base_url" in str(trouble.said)


async def test_nobody_waits_for_ever_at_a_terminal(
    nobody: config.Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Patience ends there, for a classifier too."""
    monkeypatch.setattr("ragvigil.scorer.judge.terminal.PATIENCE_SECONDS", 0.3)
    judge = judge_at_a_terminal(nobody, nobody.judge)
    assert judge is not None
    with pytest.raises(UnavailableError, match="unreachable"):
        await judge.judge(record(FAITHFUL), rubric_of(nobody.judge))
    await judge.close()


def test_an_address_is_needed() -> None:
    """With the fix in the message."""
    with pytest.raises(ConfigError, match="base_url of an nli judge must be its server's address"):
        config.load(overrides={"judge": {"kind": "nli"}})

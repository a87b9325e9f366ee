"""What `ragvigil fake-judge` refuses before it listens, and which models it says it has."""

from __future__ import annotations

import httpx
import pytest
from typer.testing import CliRunner

from ragvigil.scorer.commands._app import app
from ragvigil.scorer.errors import InputError
from ragvigil.scorer.judge.endpoint.anthropic import Anthropic
from ragvigil.scorer.judge.endpoint.look import look
from ragvigil.scorer.judge.endpoint.openai import OpenAI
from ragvigil.scorer.judge.endpoint.wire import Wire
from ragvigil.scorer.testing import ScriptedJudge


@pytest.mark.parametrize(
    ("errors", "problem"),
    [
        (["429=0.9", "500=0.8"], "the shares sum to 1.7; together at most 1"),
        (["429=1.1"], "a share from 0 to 1"),
        (["200=0.1"], "a status from 400 to 599"),
        (["often"], "is not STATUS=SHARE"),
    ],
)
def test_errors_that_cannot_be_drawn_are_refused(errors: list[str], problem: str) -> None:
    """Option, problem and fix."""
    arguments = [argument for error in errors for argument in ("--error", error)]
    with pytest.raises(InputError, match=f"--error: .*{problem}"):
        CliRunner().invoke(app, ["fake-judge", *arguments], standalone_mode=False, catch_exceptions=False)


async def looked(
    server: ScriptedJudge, wire: Wire, *, key: str | None = None, model: str = "any-model"
) -> str | None:
    """What a start of `serve` would say of it."""
    return await look(wire, url=server.url, key=key, model=model, seconds=5.0)


@pytest.mark.parametrize("wire", [OpenAI(), Anthropic()])
async def test_what_serve_says_of_an_endpoint_can_be_rehearsed(wire: Wire) -> None:
    """It had no list of models, so that a wrong key and a wrong model were both silent at the start."""
    with ScriptedJudge(key="k") as server:
        assert await looked(server, wire, key="k") is None
        assert await looked(server, wire, key="other") == "answers 401 (check judge.api_key)"
    with ScriptedJudge(models=["org/model-a", "model-b"]) as server:
        assert await looked(server, wire, model="org/model-a") is None
        said = await looked(server, wire, model="model-c")
        assert said is not None
        assert said.startswith("has no model 'model-c' (check judge.model; it has model-b")


def test_the_models_are_listed_as_vendors_list_them() -> None:
    """Where any is taken, one is named."""
    with ScriptedJudge() as server:
        listed = httpx.get(f"{server.url}/models").json()
        assert [one["id"] for one in listed["data"]] == ["scripted-1"]
        assert httpx.get(f"{server.url}/models/whatever").json()["id"] == "whatever"


def test_a_model_that_it_does_not_have_answers_nothing() -> None:
    """As the endpoint that it stands for."""
    asked = {"model": "model-c", "messages": [{"role": "user", "content": "?"}]}
    with ScriptedJudge(models=["model-b"]) as server:
        refused = httpx.post(f"{server.url}/chat/completions", json=asked)
    assert refused.status_code == 404
    assert "no model 'model-c' here" in refused.json()["error"]["message"]

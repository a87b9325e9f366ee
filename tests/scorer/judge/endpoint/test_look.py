"""What is told of an endpoint at start, before the first question: no model of that name, a wrong key, nobody there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.conftest import Serve, eventually
from tests.scorer.judge.endpoint.answering import Told, listening
from tests.scorer.judge.test_outage_in_the_scorer import KEY, judging_by

from ragvigil.scorer import config
from ragvigil.scorer.judge.endpoint.anthropic import Anthropic
from ragvigil.scorer.judge.endpoint.look import look
from ragvigil.scorer.judge.endpoint.openai import OpenAI
from ragvigil.scorer.judge.endpoint.wire import Wire
from ragvigil.scorer.judge.judges import look_at

Answer = Callable[[str], tuple[int, object]]


@contextmanager
def listing(answer: Answer, asked: list[Mapping[str, str]] | None = None) -> Generator[str]:
    """A server that answers each path; it notes with which headers it was asked."""

    class Handler(Told):
        def do_GET(self) -> None:  # noqa: N802 - as http.server calls it
            if asked is not None:
                asked.append({name.lower(): value for name, value in self.headers.items()})
            self.tell(*answer(self.path), {})

    with listening(Handler) as url:
        yield url


def of(known: list[str], *, by_name: bool = True) -> Answer:
    """A server of these models, which may or may not answer about one of them."""

    def answer(path: str) -> tuple[int, object]:
        if path == "/v1/models":
            return 200, {"object": "list", "data": [{"id": name} for name in known]}
        return (200, {"id": path}) if by_name and path.rpartition("/")[2] in known else (404, {})

    return answer


async def seen(answer: Answer, model: str, wire: Wire | None = None) -> str | None:
    """What a look at that server says."""
    with listing(answer) as url:
        return await look(wire or OpenAI(), url=url, key="k", model=model, seconds=5.0)


async def test_a_model_that_is_not_there_is_named_with_those_that_are_near() -> None:
    """Whether the server can be asked for one model or only for all."""
    for by_name in (True, False):
        said = await seen(of(["gpt-5-mini", "gpt-5", "whisper"], by_name=by_name), "gpt-5-mimi")
        assert said is not None
        assert said.startswith("has no model 'gpt-5-mimi' (check judge.model; it has gpt-5-mini, gpt-5")
        assert await seen(of(["gpt-5-mini"], by_name=by_name), "gpt-5-mini") is None


async def test_what_cannot_be_told_is_not_told() -> None:
    """Aliases that are known and not listed, tags that a server adds, servers without lists, keys that may not list."""
    assert (
        await seen(lambda path: (200, {}) if path.endswith("latest") else (200, {"data": []}), "m-latest")
        is None
    )
    assert await seen(of(["llama3:latest"]), "llama3") is None
    assert await seen(lambda _: (404, b"<html>"), "m") is None
    assert await seen(lambda _: (403, {}), "m") is None
    assert await seen(lambda path: (404, {}) if path != "/v1/models" else (200, {"data": "no"}), "m") is None


async def test_a_wrong_key_and_a_server_that_is_not_there_are_told() -> None:
    """In the words of the page that would follow."""
    assert await seen(lambda _: (401, {}), "m") == "answers 401 (check judge.api_key)"
    nobody = await look(OpenAI(), url="http://127.0.0.1:1/v1", key=None, model="m", seconds=5.0)
    assert nobody is not None
    assert nobody.startswith("unreachable")


async def test_it_is_asked_with_the_headers_of_its_vendor() -> None:
    """And with who signs in by the address."""
    asked: list[Mapping[str, str]] = []
    with listing(of(["m"]), asked) as url:
        signed = url.replace("//", "//me:pw@") + "?v=2"
        assert await look(Anthropic(), url=signed, key="sk-1", model="m", seconds=5.0) is None
    assert asked[0]["x-api-key"] == "sk-1"
    assert asked[0]["authorization"].startswith("Basic ")


def test_serve_says_at_start_that_there_is_no_such_model(
    serve: Serve, capfd: pytest.CaptureFixture[str]
) -> None:
    """Before anybody asks anything; it goes on, for the model may be deployed later. The key stays out of it."""
    told: list[str] = []

    def said() -> bool:
        told.append(capfd.readouterr().err)
        return "has no model" in "".join(told)

    with listing(of(["scripted-2"])) as url:
        scorer = serve(environment=judging_by(url))
        eventually(said, seconds=60)
        assert scorer.stop() == 0
    text = "".join(told)
    assert (
        "judge: the endpoint 127.0.0.1 has no model 'scripted-1' (check judge.model; it has scripted-2)"
        in text
    )
    assert KEY not in text


def test_a_criterion_that_cannot_be_used_keeps_serve_from_being_ready(tmp_path: Path) -> None:
    """An error at start, before a port is bound, and not of the score process at three in the morning."""
    environment = {
        **os.environ,
        **judging_by("http://127.0.0.1:1/v1", RAGVIGIL_JUDGE__CRITERIA=str(tmp_path / "none")),
    }
    command = [sys.executable, "-m", "ragvigil.scorer", "serve", "--store", f"sqlite:///{tmp_path / 'r.db'}"]
    found = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert found.returncode == 2
    assert "judge.criteria: there is no folder" in found.stderr
    assert found.stdout == ""


@pytest.mark.parametrize(("measures", "told"), [(("answer_relevance",), True), ((), False)])
async def test_the_embedding_model_is_looked_for_where_it_is_used(
    caplog: pytest.LogCaptureFixture, measures: tuple[str, ...], told: bool
) -> None:
    """It is asked beside the judge, and often elsewhere."""
    with listing(of(["scripted-1", "e-large"])) as url:
        judge = config.Judge(
            kind="openai", model="scripted-1", base_url=url, measures=measures, embedding_model="e-larg"
        )
        await look_at(judge)
    said = "has no model 'e-larg' (check judge.embedding_model; it has e-large"
    assert (said in caplog.text) is told
    assert "check judge.model" not in caplog.text

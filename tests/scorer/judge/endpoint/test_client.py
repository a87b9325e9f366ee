"""What a client makes of servers that are odd, slow, wrong or gone."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import cast

import pytest

from ragvigil.scorer.judge.endpoint import Client, Question, RefusedError, UnavailableError
from ragvigil.scorer.judge.endpoint.client import Limits
from ragvigil.scorer.judge.endpoint.openai import OpenAI

QUESTION = Question("Judge.", "data", {"type": "object"}, 100)
Json = dict[str, object]


def said(text: str, **more: object) -> Json:
    """A completion."""
    choice: Json = {"message": {"content": text}, "finish_reason": "stop", **more}
    return {"model": "m-2026", "choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}


@contextmanager
def server(answer: Callable[[Json], tuple[int, object]]) -> Generator[str]:
    """A server that answers each request body with a status and a body."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            status, told = answer(body)
            content = told if isinstance(told, bytes) else json.dumps(told).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as http.server calls it
            """Silent."""

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=listening.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listening.server_address[1]}/v1"
    finally:
        listening.shutdown()
        listening.server_close()


def client(url: str, **limits: float) -> Client:
    """A client with little patience."""
    chosen = Limits(2, limits.get("attempt_seconds", 5.0), limits.get("patience_seconds", 5.0))
    return Client(OpenAI(), url=url, key="sk-secret", model="m", limits=chosen)


async def test_a_reasoning_model_gets_no_temperature_and_room_to_think() -> None:
    """It refuses the one, and spends the whole limit on thoughts before it answers."""
    asked: list[Json] = []

    def answer(body: Json) -> tuple[int, object]:
        asked.append(body)
        if "temperature" in body:
            return 400, {"error": {"message": "Unsupported parameter: 'temperature' is not supported"}}
        if cast("int", body["max_completion_tokens"]) < 400:
            return 200, said("", finish_reason="length")
        return 200, said("{}")

    with server(answer) as url:
        async with client(url) as endpoint:
            first = await endpoint.ask(QUESTION)
            asked_first = len(asked)
            await endpoint.ask(QUESTION)
    assert (first.text, first.model, first.input_tokens, first.output_tokens) == ("{}", "m-2026", 7, 3)
    assert len(asked) == asked_first + 1, "what was found out is remembered"
    assert asked[-1]["max_completion_tokens"] == 400
    assert "response_format" in asked[-1], "what it could do all along it still does"


async def test_an_old_server_is_told_the_limit_by_its_old_name() -> None:
    """As llama.cpp and older vLLM know it."""

    def answer(body: Json) -> tuple[int, object]:
        if "max_completion_tokens" in body:
            return 422, {"detail": "max_completion_tokens: extra fields not permitted"}
        return 200, said("{}")

    with server(answer) as url:
        async with client(url) as endpoint:
            assert (await endpoint.ask(QUESTION)).text == "{}"


async def test_a_question_that_no_manner_saves_is_refused_with_the_first_reason() -> None:
    """And the key is not in it."""

    def answer(_: Json) -> tuple[int, object]:
        return 400, {"error": {"message": "The prompt was filtered"}}

    with server(answer) as url:
        async with client(url) as endpoint:
            with pytest.raises(RefusedError, match="400 The prompt was filtered") as caught:
                await endpoint.ask(QUESTION)
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("status", "body"), [(200, b"<html>maintenance</html>"), (502, b""), (401, {"error": "no"}), (404, {})]
)
async def test_what_may_pass_is_waited_for_until_patience_ends(status: int, body: object) -> None:
    """A page of a proxy, a dead backend, a wrong key, a model that is not there yet."""
    with server(lambda _: (status, body)) as url:
        async with client(url, patience_seconds=1.0) as endpoint:
            if status == 404:
                with pytest.raises((RefusedError, UnavailableError)):
                    await endpoint.ask(QUESTION)
            else:
                with pytest.raises(UnavailableError):
                    await endpoint.ask(QUESTION)


async def test_nobody_there_is_unavailable() -> None:
    """Nothing listens, or the name is not known."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        async with client(url, patience_seconds=0.5) as endpoint:
            with pytest.raises(UnavailableError, match="unreachable"):
                await endpoint.ask(QUESTION)


@pytest.mark.parametrize("url", ["ftp://example.com", "example.com/v1", "http://"])
def test_an_address_that_is_none_is_an_error(url: str) -> None:
    """At start."""
    with pytest.raises(ValueError, match="must look like"):
        client(url)

"""What a client makes of servers that are odd, slow, wrong or gone."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Mapping
from threading import Event
from typing import cast

import pytest
from tests.scorer.judge.endpoint.answering import QUESTION, Json, said, server

from ragvigil.scorer.judge.endpoint import LaterError, Limits, RefusedError, UnavailableError
from ragvigil.scorer.judge.endpoint.anthropic import Anthropic
from ragvigil.scorer.judge.endpoint.client import Client, told_to_wait
from ragvigil.scorer.judge.endpoint.openai import OpenAI
from ragvigil.scorer.judge.endpoint.pace import Quotas


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
            second = await endpoint.ask(QUESTION)
    assert (first.text, first.model) == ("{}", "m-2026")
    assert (first.input_tokens, first.output_tokens) == (21, 9), "two answers of thoughts alone were paid for"
    assert (second.input_tokens, second.output_tokens) == (7, 3)
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


@pytest.mark.parametrize("before", [0, 190])
async def test_a_server_that_repeats_the_key_does_not_get_it_into_the_reason(before: int) -> None:
    """A proxy says what it was sent; what is cut off its words is no beginning of the key either."""

    def answer(_: Json) -> tuple[int, object]:
        return 400, {"error": {"message": f"{'x' * before} Bearer sk-secret is not for this route"}}

    with server(answer) as url:
        async with client(url) as endpoint:
            with pytest.raises(RefusedError, match="400") as caught:
                await endpoint.ask(QUESTION)
    assert "sk-" not in str(caught.value)


@pytest.mark.parametrize(
    ("status", "body"), [(200, b"<html>maintenance</html>"), (502, b""), (401, {"error": "no"}), (404, {})]
)
async def test_what_may_pass_is_waited_for_until_patience_ends(status: int, body: object) -> None:
    """A page of a proxy, a dead backend, a wrong key, a model that is not there yet."""
    with server(lambda _: (status, body)) as url:
        async with client(url, patience_seconds=1.0) as endpoint:
            with pytest.raises(UnavailableError):
                await endpoint.ask(QUESTION)


async def test_a_model_that_is_not_there_is_not_asked_for_in_every_manner() -> None:
    """Its name is no matter of manners: after a few failures the endpoint is left alone for a while."""
    asked: list[Json] = []

    def answer(body: Json) -> tuple[int, object]:
        asked.append(body)
        return 404, {"error": {"message": "The model `m` does not exist"}}

    with server(answer) as url:
        limits = Limits(in_flight=8, patience_seconds=2.0)
        async with Client(OpenAI(), url=url, key=None, model="m", limits=limits) as endpoint:
            failed = await asyncio.gather(*(endpoint.ask(QUESTION) for _ in range(8)), return_exceptions=True)
    assert [str(one) for one in failed] == [
        "answers 404 (check judge.model and judge.base_url)",
    ] * 8
    assert len(asked) <= 10


async def test_a_router_that_finds_nobody_to_ask_in_that_manner_is_asked_in_another() -> None:
    """Some say it by 404."""

    def answer(body: Json) -> tuple[int, object]:
        if "response_format" in body:
            return 404, {"error": {"message": "No endpoints found that support structured output"}}
        return 200, said("{}")

    with server(answer) as url:
        async with client(url) as endpoint:
            assert (await endpoint.ask(QUESTION)).text == "{}"


async def test_nobody_there_is_unavailable() -> None:
    """Nothing listens, or the name is not known."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        async with client(url, patience_seconds=0.5) as endpoint:
            with pytest.raises(UnavailableError, match="unreachable"):
                await endpoint.ask(QUESTION)


async def test_a_name_that_nobody_knows_is_unavailable() -> None:
    """It may be known again tomorrow."""
    async with client("http://no-such-host.invalid/v1", patience_seconds=1.0) as endpoint:
        with pytest.raises(UnavailableError, match=r"check judge\.base_url"):
            await endpoint.ask(QUESTION)


async def test_a_slow_answer_is_overtaken_by_a_second_question_where_that_is_wanted() -> None:
    """Off by default: it costs twice."""
    asked: list[Json] = []
    over = Event()

    def answer(body: Json) -> tuple[int, object]:
        asked.append(body)
        if len(asked) == 1:
            over.wait(30)
        return 200, said("{}")

    with server(answer) as url:
        limits = Limits(in_flight=1, hedge_seconds=0.05, patience_seconds=20.0)
        try:
            async with Client(OpenAI(), url=url, key=None, model="m", limits=limits) as endpoint:
                completion = await endpoint.ask(QUESTION)
        finally:
            over.set()
    assert len(asked) == 2
    assert (completion.text, completion.calls) == ("{}", 2)
    assert (completion.input_tokens, completion.output_tokens) == (14, 6), "both are on the bill"
    assert Limits().hedge_seconds is None


async def test_half_an_answer_is_asked_for_again() -> None:
    """The line was cut in the middle of the body."""
    whole = json.dumps({"choices": [{"message": {"content": "{}"}}]}).encode()
    calls = 0

    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal calls
        calls += 1
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await reader.readexactly(int(length.partition(b":")[2]))
        said = whole if calls > 1 else whole[: len(whole) // 2]
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(whole), said))
        await writer.drain()
        writer.close()

    listening = await asyncio.start_server(speak, "127.0.0.1", 0)
    async with listening:
        port = listening.sockets[0].getsockname()[1]
        async with client(f"http://127.0.0.1:{port}/v1", patience_seconds=30.0) as endpoint:
            assert (await endpoint.ask(QUESTION)).text == "{}"
    assert calls == 2


@pytest.mark.parametrize("url", ["ftp://example.com", "example.com/v1", "http://"])
def test_an_address_that_is_none_is_an_error(url: str) -> None:
    """At start."""
    with pytest.raises(ValueError, match="must look like"):
        client(url)


async def test_an_answer_that_is_cut_in_the_middle_gets_more_room() -> None:
    """Thoughts without a parser, and JSON that is longer than the limit."""

    def answer(body: Json) -> tuple[int, object]:
        room = cast("int", body["max_completion_tokens"]) // 100
        if room < 4:
            return 200, said(
                {1: "<think>let me see", 2: '{"supported_claims": ['}[room], finish_reason="length"
            )
        return 200, said("{}")

    with server(answer) as url:
        async with client(url) as endpoint:
            assert (await endpoint.ask(QUESTION)).text == "{}"


async def test_a_server_without_more_room_is_believed_as_far_as_it_came() -> None:
    """What survives of a cut reply counts, and it is on the bill once."""
    asked: list[Json] = []

    def answer(body: Json) -> tuple[int, object]:
        asked.append(body)
        if cast("int", body["max_completion_tokens"]) > 100:
            return 400, {"error": {"message": "max_completion_tokens is too large"}}
        return 200, said('{"a": [', finish_reason="length")

    with server(answer) as url:
        async with client(url) as endpoint:
            completion = await endpoint.ask(QUESTION)
    assert (completion.text, completion.cut, completion.calls, len(asked)) == ('{"a": [', True, 1, 2)
    assert (completion.input_tokens, completion.output_tokens) == (7, 3)


async def test_a_server_that_unlearns_something_is_asked_in_an_easier_manner() -> None:
    """An update took structured output away: that is no fault of any record."""
    asked: list[Json] = []

    def answer(body: Json) -> tuple[int, object]:
        asked.append(body)
        if len(asked) > 1 and "response_format" in body:
            return 400, {"error": {"message": "response_format is not supported"}}
        return 200, said("{}")

    with server(answer) as url:
        async with client(url) as endpoint:
            for _ in range(3):
                assert (await endpoint.ask(QUESTION)).text == "{}"
    assert ["response_format" in body for body in asked] == [True, True, False, False]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            [{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key."}}],
            "judge.api_key",
        ),
        ({"error": {"message": "Your credit balance is too low to access the API."}}, "no credit"),
    ],
)
async def test_a_wrong_key_that_is_told_as_400_is_waited_for(body: object, words: str) -> None:
    """As with 401 and 402: no record fails for it, and it goes on when it is mended."""
    mended = Event()

    def answer(_: Json) -> tuple[int, object]:
        return (200, said("{}")) if mended.is_set() else (400, body)

    with server(answer) as url:
        async with client(url, patience_seconds=0.5) as endpoint:
            with pytest.raises(UnavailableError, match=words):
                await endpoint.ask(QUESTION)
            mended.set()
            assert (await endpoint.ask(QUESTION)).text == "{}"


@pytest.mark.parametrize(
    ("headers", "wanted"),
    [
        ({"retry-after-ms": "20000"}, 20.0),
        ({"retry-after-ms": "20000", "retry-after": "1"}, 20.0),
        ({"retry-after-ms": "soon", "retry-after": "1800"}, 1800.0),
        ({"retry-after": "86400"}, 3600.0),
        ({}, None),
    ],
)
def test_how_long_a_server_wants_to_be_left_alone(headers: dict[str, str], wanted: float | None) -> None:
    """In milliseconds or in seconds, and never more than an hour."""
    assert told_to_wait(headers) == wanted


async def test_who_asks_with_the_same_key_keeps_to_its_limit() -> None:
    """Another model at the same server is not asked before the limit is lifted; with another key it is."""
    lifted = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1h"}
    asked: list[object] = []

    def answer(body: Json) -> tuple[int, object]:
        asked.append(body["model"])
        return 200, said("{}")

    quotas = Quotas()
    with server(answer, headers=lifted) as url:

        async def ask(model: str, key: str, *, patience: float) -> None:
            limits = Limits(2, 20.0, patience)
            asking = Client(OpenAI(), url=url, key=key, model=model, limits=limits, quotas=quotas)
            async with asking as endpoint:
                await endpoint.ask(QUESTION)

        await ask("first", "sk-1", patience=30.0)
        with pytest.raises(UnavailableError):
            await ask("same key", "sk-1", patience=0.5)
        await ask("another key", "sk-2", patience=30.0)
    assert asked == ["first", "another key"]


async def test_user_and_password_of_an_address_are_told_to_its_server_only_as_a_header() -> None:
    """As gateways want them; Anthropic's key has a header of its own, a bearer token takes this one's place."""
    asked_with: list[Mapping[str, str]] = []

    def answer(_: Json) -> tuple[int, object]:
        return 200, said("{}")

    with server(answer, asked_with=asked_with) as url:
        signed = url.replace("//", "//me:p%40ss@")
        for wire, key in ((OpenAI(), None), (OpenAI(), "sk-1"), (Anthropic(), "sk-1")):
            async with Client(wire, url=signed, key=key, model="m") as endpoint:
                await endpoint.ask(QUESTION)
    told = [{name.lower(): value for name, value in headers.items()} for headers in asked_with]
    basic = "Basic bWU6cEBzcw=="
    assert [headers["authorization"] for headers in told] == [basic, "Bearer sk-1", basic]
    assert told[2]["x-api-key"] == "sk-1"
    assert not any("p%40ss" in value or "p@ss" in value for headers in told for value in headers.values())


async def test_a_server_of_messages_without_tools_is_asked_twice_at_first_and_then_once() -> None:
    """There are only two ways to ask it for JSON."""
    asked: list[bool] = []

    def answer(body: Json) -> tuple[int, object]:
        asked.append("tools" in body)
        if "tools" in body:
            return 400, {"error": {"message": "tools are not supported"}}
        return 200, {"content": [{"type": "text", "text": "{}"}], "stop_reason": "end_turn"}

    with server(answer) as url:
        async with Client(Anthropic(), url=url, key=None, model="m") as endpoint:
            assert [(await endpoint.ask(QUESTION)).text for _ in range(2)] == ["{}", "{}"]
    assert asked == [True, False, False]


async def test_what_was_paid_for_before_a_question_is_put_off_is_told() -> None:
    """Thoughts without an answer cost as much as an answer."""
    thoughts = [said("", finish_reason="length")] * 2

    def answer(_: Json) -> tuple[int, object]:
        return (200, thoughts.pop()) if thoughts else (500, {})

    limits = Limits(1, 5.0, None, tries=1)
    with server(answer) as url:
        async with Client(OpenAI(), url=url, key=None, model="m", limits=limits) as endpoint:
            with pytest.raises(LaterError) as caught:
                await endpoint.ask(QUESTION)
    assert [(one.input_tokens, one.output_tokens) for one in caught.value.paid] == [(7, 3), (7, 3)]

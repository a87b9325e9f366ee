"""The scripted judge behind HTTP: OpenAI's chat completions and Anthropic's messages, and the models of both."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import socket
import threading
from collections import deque
from collections.abc import Callable, Collection, Mapping
from types import TracebackType
from typing import Self, cast

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from ragvigil.scorer.judge.endpoint.wire import items, mapping
from ragvigil.scorer.judge.replies import REPLIES as WANTED
from ragvigil.scorer.testing._replies import entailment, vector_of
from ragvigil.scorer.testing._script import Script
from ragvigil.scorer.testing._shown import Shown

MODEL = "scripted-1"
_USUAL = Script()
EVERY_STRUCTURE = frozenset({"json_schema", "tool", "json_object", "plain"})
_WITH_RETRY_AFTER = frozenset({429, 503})
_UNANSWERED_SECONDS = 3600.0

Writer = Callable[[str, str, bool, int], dict[str, object]]
"""What was said, by which model, whether as the call of a tool, tokens read: to the body of an answer."""


class _Endpoint:
    """Requests in, replies out, and a count of both."""

    def __init__(
        self,
        script: Script,
        takes: Collection[str],
        key: str | None,
        keep: int | None,
        models: Collection[str],
    ) -> None:
        self.script = script
        self.models = models
        self.key = key
        self.requests: deque[Mapping[str, object]] = deque(maxlen=keep)
        self.keys: deque[str | None] = deque(maxlen=keep)
        self._takes = takes
        self._numbers = itertools.count()

    async def chat(self, request: Request) -> Response:
        """OpenAI's chat completions."""
        body = cast("dict[str, object]", await request.json())
        structure = _structure(body)
        if structure not in self._takes:
            return _error(400, f"{structure} is not supported here")
        return await self._answer(request, body, _openai, as_tool=structure == "tool")

    async def messages(self, request: Request) -> Response:
        """Anthropic's messages."""
        body = cast("dict[str, object]", await request.json())
        as_tool = "tools" in body
        if as_tool and "tool" not in self._takes:
            return _error(400, "tools are not supported here")
        return await self._answer(request, body, _anthropic, as_tool=as_tool)

    async def embeddings(self, request: Request) -> Response:
        """OpenAI's embeddings: texts with the same words are near."""
        body = cast("dict[str, object]", await request.json())
        self._note(request, body)
        rows = [
            {"object": "embedding", "index": place, "embedding": vector_of(str(said))}
            for place, said in enumerate(items(body.get("input")))
        ]
        usage = {"prompt_tokens": _tokens_of(body.get("input"))}
        return JSONResponse({"object": "list", "data": rows, "model": body.get("model"), "usage": usage})

    async def predict(self, request: Request) -> Response:
        """A classifier of pairs, as text-embeddings-inference serves one: the built-in judge as an NLI model."""
        body = cast("dict[str, object]", await request.json())
        self._note(request, body)
        pairs = [[str(said) for said in items(pair)] for pair in items(body.get("inputs"))]
        return JSONResponse(await asyncio.to_thread(lambda: [entailment(*pair) for pair in pairs]))

    async def listed(self, request: Request) -> Response:
        """The models that there are; where whichever is asked for is there, one example."""
        if not self._knows(request):
            return _error(401, "incorrect API key")
        return JSONResponse({"object": "list", "data": list(map(_model, self.models or (MODEL,)))})

    async def named(self, request: Request) -> Response:
        """One model, whichever is asked for unless they were chosen."""
        if not self._knows(request):
            return _error(401, "incorrect API key")
        name = str(request.path_params["name"])
        return JSONResponse(_model(name)) if self._has(name) else _error(404, f"no model {name!r} here")

    def _has(self, model: str) -> bool:
        return not self.models or model in self.models

    def _knows(self, request: Request) -> bool:
        return self.key in (None, _key_of(request))

    def _note(self, request: Request, body: Mapping[str, object]) -> None:
        self.requests.append(body)
        self.keys.append(_key_of(request))

    async def _answer(
        self, request: Request, body: dict[str, object], write: Writer, *, as_tool: bool
    ) -> Response:
        number = next(self._numbers)
        self._note(request, body)
        if not self._knows(request):
            return _error(401, "incorrect API key")
        if not self._has(model := str(body.get("model", MODEL))):
            return _error(404, f"no model {model!r} here")
        await asyncio.sleep(self.script.latency_seconds)
        if self.script.chance("hang", number) < self.script.hangs:
            await asyncio.sleep(_UNANSWERED_SECONDS)
        luck = self.script.chance("error", number)
        for status, share in self.script.errors.items():
            if luck < share:
                return _error(status, "scripted", retry_after=self.script.retry_after_seconds)
            luck -= share
        messages = cast("list[dict[str, str]]", body["messages"])
        data = next(one["content"] for one in messages if one["role"] == "user")
        wanted = _wanted(body)
        said = await asyncio.to_thread(lambda: self.script.said(Shown.read(data), number, wanted))
        read = min(
            self.script.context_tokens,
            _tokens_of([body.get("system"), *(one["content"] for one in messages)]),
        )
        answer = JSONResponse(write(said, model, as_tool, read))
        return _Half(answer) if self.script.chance("cut", number) < self.script.cuts else answer


class _Half(Response):
    """The first half of an answer under the headers of the whole; then the connection is closed."""

    def __init__(self, whole: Response) -> None:
        super().__init__()
        self.raw_headers = whole.raw_headers
        self.body = whole.body[: len(whole.body) // 2]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": True})


def application(
    script: Script = _USUAL,
    *,
    takes: Collection[str] = EVERY_STRUCTURE,
    key: str | None = None,
    keep: int | None = None,
    models: Collection[str] = (),
) -> Starlette:
    """The scripted judge as an ASGI application; `takes` names the ways of asking for JSON that it accepts.

    Of the requests it keeps the last `keep`; None: all. It has the `models`; none named: whichever it is asked for.
    """
    endpoint = _Endpoint(script, takes, key, keep, models)
    application = Starlette(
        routes=[
            Route("/v1/chat/completions", endpoint.chat, methods=["POST"]),
            Route("/v1/messages", endpoint.messages, methods=["POST"]),
            Route("/v1/models", endpoint.listed),
            Route("/v1/models/{name:path}", endpoint.named),
            Route("/v1/embeddings", endpoint.embeddings, methods=["POST"]),
            Route("/v1/predict", endpoint.predict, methods=["POST"]),
        ]
    )
    application.state.endpoint = endpoint
    return application


class ScriptedJudge:
    """The scripted judge on a thread of its own, while a ``with`` block lasts."""

    def __init__(
        self,
        script: Script = _USUAL,
        *,
        takes: Collection[str] = EVERY_STRUCTURE,
        key: str | None = None,
        port: int = 0,
        keep: int | None = None,
        models: Collection[str] = (),
    ) -> None:
        """Of the requests it keeps the last `keep`; None: all. It has the `models`; none named: any."""
        self._application = application(script, takes=takes, key=key, keep=keep, models=models)
        self._endpoint = cast("_Endpoint", self._application.state.endpoint)
        self._wanted_port = port

    @property
    def url(self) -> str:
        """Base address, as ``judge.base_url`` and OPENAI_BASE_URL want it."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def requests(self) -> list[Mapping[str, object]]:
        """Bodies of the requests so far that it understood."""
        return list(self._endpoint.requests)

    @property
    def keys(self) -> list[str | None]:
        """The key of each of them; None: it came without."""
        return list(self._endpoint.keys)

    def become(self, script: Script, *, key: str | None = None) -> None:
        """From now on behave like that."""
        self._endpoint.script = script
        self._endpoint.key = key

    def __enter__(self) -> Self:
        # asyncio sends small pieces at once (TCP_NODELAY) only where the protocol is named; without, a body waits 40 ms
        # behind its headers for the client's delayed acknowledgement
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", self._wanted_port))
        self.port: int = listening.getsockname()[1]
        # uvicorn logs as errors that a block ends, and that a question hangs because the script says so
        settings = uvicorn.Config(
            self._application, log_level="critical", lifespan="off", timeout_graceful_shutdown=0
        )
        self._server = uvicorn.Server(settings)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [listening]}, name="scripted-judge", daemon=True
        )
        listening.listen(128)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.should_exit = True
        self._thread.join()


def _model(name: str) -> dict[str, object]:
    """As OpenAI lists one, with what Anthropic says of its own."""
    return {"id": name, "object": "model", "type": "model", "created": 0, "owned_by": "ragvigil"}


def _openai(said: str, model: str, as_tool: bool, read: int) -> dict[str, object]:
    call = {"id": "call_1", "type": "function", "function": {"name": "verdict", "arguments": said}}
    message: dict[str, object] = {"role": "assistant", "content": None if as_tool else said}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": model,
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": message | ({"tool_calls": [call]} if as_tool else {}),
            }
        ],
        "usage": {"prompt_tokens": read, "completion_tokens": max(len(said) // 4, 1)},
    }


def _anthropic(said: str, model: str, as_tool: bool, read: int) -> dict[str, object]:
    try:
        block: dict[str, object] = {
            "type": "tool_use",
            "id": "t1",
            "name": "verdict",
            "input": json.loads(said),
        }
    except ValueError:
        as_tool = False
        block = {}
    return {
        "id": "msg_1",
        "type": "message",
        "model": model,
        "content": [block if as_tool else {"type": "text", "text": said}],
        "stop_reason": "tool_use" if as_tool else "end_turn",
        "usage": {"input_tokens": read, "output_tokens": max(len(said) // 4, 1)},
    }


def _tokens_of(said: object) -> int:
    """Tokens of a text or of several, four characters each."""
    texts = items(said) or [said]
    return sum(len(str(one or "")) for one in texts) // 4


def _structure(body: Mapping[str, object]) -> str:
    if "tools" in body:
        return "tool"
    wanted = body.get("response_format")
    return str(cast("dict[str, object]", wanted)["type"]) if isinstance(wanted, dict) else "plain"


def _wanted(body: Mapping[str, object]) -> str:
    """Which reply a request wants: by its schema, else by the fields that its instructions name."""
    asked = _required(body)
    if asked is not None:
        return next((name for name, reply in WANTED.items() if list(reply.model_fields) == asked), "rubric")
    said = json.dumps([body.get("system"), next(iter(cast("list[object]", body["messages"])), None)])
    named = frozenset(re.findall(r"\w+", said.replace("\\n", " ")))
    fitting = [
        (len(reply.model_fields), name)
        for name, reply in WANTED.items()
        if named.issuperset(reply.model_fields)
    ]
    return max(fitting, default=(0, "rubric"))[1]


def _required(body: Mapping[str, object]) -> list[object] | None:
    """Fields of the reply's schema, wherever the request has it."""
    tool = mapping(next(iter(items(body.get("tools"))), None))
    schema = (
        mapping(mapping(mapping(body.get("response_format")).get("json_schema")).get("schema"))
        or mapping(mapping(tool.get("function")).get("parameters"))
        or mapping(tool.get("input_schema"))
    )
    return items(schema.get("required")) if schema else None


def _key_of(request: Request) -> str | None:
    bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
    return request.headers.get("x-api-key") or bearer or None


def _error(status: int, message: str, *, retry_after: float | None = None) -> Response:
    told = status in _WITH_RETRY_AFTER and retry_after is not None
    headers = {"retry-after": str(retry_after)} if told else {}
    return JSONResponse({"error": {"message": message, "type": "scripted"}}, status, headers=headers)

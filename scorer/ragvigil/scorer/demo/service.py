"""The example RAG service: what somebody who uses ragvigil has, in one file and a process of its own.

Run it with ``python -m ragvigil.scorer.demo.service --endpoint http://127.0.0.1:4318``; its first line of
output is JSON with the address. Of ragvigil it uses the tracer alone, as any service would.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import signal
import socket
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from hashlib import sha256
from importlib.metadata import version
from itertools import count
from typing import cast, get_args

import httpx
import uvicorn
from opentelemetry import trace
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from ragvigil.scorer.demo.answerer import Answer, compose, read_answer
from ragvigil.scorer.demo.corpus import Passage, load_corpus
from ragvigil.scorer.demo.faults import Fault, FaultName, Saboteur
from ragvigil.scorer.demo.language_model import LanguageModel, read_prompt
from ragvigil.scorer.demo.retrieval import Hit, Index
from ragvigil.tracer import configure, context, trace_generator, trace_rag, trace_retriever

_LOG = logging.getLogger(__name__)

_MOST_CHARACTERS = 2_000
_EXTRACTIVE = "extractive-1"


class DocumentationService:
    """Answers questions about the standard library; can be told to go wrong."""

    def __init__(self, corpus: Sequence[Passage], model: LanguageModel | None = None) -> None:
        """Index `corpus`; answers come from `model`, or are extracted when there is none."""
        self._index = Index(corpus)
        self._saboteur = Saboteur(corpus)
        self._model = model
        self._client = httpx.AsyncClient(trust_env=False) if model else None
        self._prompt_version = sha256(read_prompt().encode()).hexdigest()[:12] if model else None
        self._numbers = count()
        self.fault: Fault | None = None

    async def aclose(self) -> None:
        """Close the connections to the model."""
        if self._client is not None:
            await self._client.aclose()

    @trace_rag(name="ask", conversation_id="conversation_id")
    async def ask(self, question: str, conversation_id: str | None = None) -> dict[str, object]:
        """The answer to `question` with its citations and the trace that recorded it."""
        del conversation_id
        context(prompt_version=self._prompt_version)
        hits = self.retrieve(question)
        answer = await self.generate(question, hits, self._model.model if self._model else _EXTRACTIVE)
        trace_id = trace.get_current_span().get_span_context().trace_id
        return {
            "answer": answer.text,
            "citations": answer.citations,
            "trace_id": f"{trace_id:032x}" if trace_id else None,
        }

    @trace_retriever(source="stdlib-docs")
    def retrieve(self, query: str, top_k: int = 5) -> list[Hit]:
        """The passages for `query`, best first."""
        return list(self._index.search(query, top_k=top_k))

    @trace_generator
    async def generate(self, question: str, hits: Sequence[Hit], model: str) -> Answer:
        """The answer that `model` writes from `hits`."""
        del model
        if self._model is None or self._client is None:
            answer = compose(question, hits)
        else:
            answer = read_answer(await self._model.answer(self._client, question, hits))
        return self._saboteur.apply(self.fault, answer, hits, next(self._numbers))


def application(service: DocumentationService) -> Starlette:
    """The HTTP interface: ``POST /ask``, ``POST /fault``, ``GET /healthz``."""

    async def ask(request: Request) -> JSONResponse:
        body = await _body(request)
        question, conversation = body.get("question"), body.get("conversation_id")
        if not isinstance(question, str) or not question.strip() or len(question) > _MOST_CHARACTERS:
            return _refusal(f"question: must be a text of 1 to {_MOST_CHARACTERS} characters")
        if conversation is not None and not isinstance(conversation, str):
            return _refusal("conversation_id: must be a text")
        try:
            return JSONResponse(await service.ask(question, conversation_id=conversation))
        except (httpx.HTTPError, ValueError) as error:
            _LOG.warning("the model gave no answer: %s", error)
            return JSONResponse({"error": "the model gave no answer"}, status_code=502)

    async def fault(request: Request) -> JSONResponse:
        body = await _body(request)
        name, share = body.get("name"), body.get("share", 0.6)
        if name is not None and name not in get_args(FaultName):
            return _refusal("name: must be null or one of " + ", ".join(get_args(FaultName)))
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share <= 1:
            return _refusal("share: must be a number from 0 to 1")
        service.fault = None if name is None else Fault(cast("FaultName", name), float(share))
        return JSONResponse({"name": name, "share": share})

    async def health(request: Request) -> JSONResponse:
        del request
        return JSONResponse({"status": "ok", "fault": service.fault and service.fault.name})

    routes = [
        Route("/ask", ask, methods=["POST"]),
        Route("/fault", fault, methods=["POST"]),
        Route("/healthz", health),
    ]
    return Starlette(routes=routes)


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve on a free loopback port until SIGTERM, SIGINT, or the end of a piped standard input."""
    parser = argparse.ArgumentParser(prog="python -m ragvigil.scorer.demo.service", description=__doc__)
    parser.add_argument("--endpoint", required=True, help="where the scorer listens, http://HOST:PORT")
    asyncio.run(_serve(parser.parse_args(arguments).endpoint))


async def _serve(endpoint: str) -> None:
    tracing = configure(
        service_name="stdlib-docs",
        service_version=version("ragvigil"),
        environment="production",
        endpoint=endpoint,
    )
    async with AsyncExitStack() as stack:
        stack.callback(tracing.shutdown)
        service = DocumentationService(load_corpus(), LanguageModel.from_environment())
        stack.push_async_callback(service.aclose)
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=1024))
        server = uvicorn.Server(
            uvicorn.Config(application(service), lifespan="off", access_log=False, log_level="warning")
        )
        _stop_on_signals(server)
        await stack.enter_async_context(_stop_with_parent(server))
        sys.stdout.write(
            json.dumps({"event": "ready", "http": f"127.0.0.1:{listener.getsockname()[1]}"}) + "\n"
        )
        sys.stdout.flush()
        await server.serve(sockets=[listener])


def _stop_on_signals(server: uvicorn.Server) -> None:
    """Stop `server` on a signal; it raises the signal again at its end, which must not cost the last spans."""

    def stop() -> None:
        server.should_exit = True

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop)


@asynccontextmanager
async def _stop_with_parent(server: uvicorn.Server) -> AsyncGenerator[None]:
    """Stop `server` when standard input is a pipe and ends: whoever started it is gone."""
    if os.isatty(0):
        yield
        return
    reader = asyncio.StreamReader()

    async def watch() -> None:
        await reader.read()
        server.should_exit = True

    try:
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
        )
    except ValueError:
        yield  # standard input is a file
        return
    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()
        transport.close()


async def _body(request: Request) -> dict[str, object]:
    """The JSON object of a request; empty when it is none, so that the missing field is what is named."""
    try:
        body: object = await request.json()
    except ValueError:
        return {}
    return cast("dict[str, object]", body) if isinstance(body, dict) else {}


def _refusal(reason: str) -> JSONResponse:
    return JSONResponse({"error": reason}, status_code=400)


if __name__ == "__main__":
    main()

"""A model behind an OpenAI-compatible endpoint writes the answer instead."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from ragvigil.scorer.demo.corpus import Passage
from ragvigil.scorer.demo.language_model import LanguageModel
from ragvigil.scorer.demo.retrieval import Index
from ragvigil.scorer.demo.service import DocumentationService
from ragvigil.scorer.errors import ConfigError


class Server:
    """A chat completions endpoint that says what it was told to say."""

    def __init__(self) -> None:
        self.reply: Any = {"choices": [{"message": {"content": "It removes whitespace [text.dedent#0]."}}]}
        self.asked: list[dict[str, Any]] = []
        self.authorization: str | None = None
        self.url = ""


@pytest.fixture
def server() -> Iterator[Server]:
    """A running one."""
    state = Server()

    class Chat(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            state.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            state.authorization = self.headers.get("authorization")
            body = json.dumps(state.reply).encode()
            self.send_response(200 if self.path == "/v1/chat/completions" else 404)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class named it
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Chat)
    thread = threading.Thread(target=http.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{http.server_address[1]}/v1"
    yield state
    http.shutdown()
    thread.join()
    http.server_close()


def model_at(server: Server) -> LanguageModel:
    """The model that the environment names."""
    found = LanguageModel.from_environment(
        {"RAGVIGIL_DEMO_LLM_URL": server.url, "RAGVIGIL_DEMO_LLM_MODEL": "m", "RAGVIGIL_DEMO_LLM_KEY": "k3y"}
    )
    assert found is not None
    return found


async def test_the_model_sees_the_passages_and_its_citations_are_read(
    server: Server, passages: tuple[Passage, ...]
) -> None:
    """The prompt is the shipped one; ids go in as they are cited."""
    service = DocumentationService(passages, model_at(server))
    reply = await service.ask("How do I remove leading whitespace?")
    await service.aclose()
    assert reply["answer"] == "It removes whitespace. [text.dedent#0]"
    assert reply["citations"] == ("text.dedent#0",)
    system, user = server.asked[0]["messages"]
    assert "Use only the passages" in system["content"]
    assert "[text.dedent#0] text.dedent: Remove any common" in user["content"]
    assert (server.asked[0]["model"], server.asked[0]["temperature"]) == ("m", 0)
    assert server.authorization == "Bearer k3y"


@pytest.mark.parametrize(
    "reply", [{}, [], {"choices": []}, {"choices": [{"message": {"content": None}}]}, {"choices": "no"}]
)
async def test_a_reply_without_text_is_an_error_of_its_own(
    server: Server, index: Index, reply: object
) -> None:
    """The service answers 502 to it instead of an empty answer."""
    server.reply = reply
    async with httpx.AsyncClient(trust_env=False) as client:
        with pytest.raises(ValueError, match="no text"):
            await model_at(server).answer(client, "leading whitespace", index.search("leading whitespace"))


def test_the_environment_decides_and_mistakes_are_named() -> None:
    """No variable, no model; the key never shows."""
    assert LanguageModel.from_environment({}) is None
    with pytest.raises(ConfigError, match="RAGVIGIL_DEMO_LLM_URL"):
        LanguageModel.from_environment({"RAGVIGIL_DEMO_LLM_URL": "localhost:1"})
    shown = repr(LanguageModel("http://127.0.0.1/v1/chat/completions", "m", "k3y"))
    assert "k3y" not in shown

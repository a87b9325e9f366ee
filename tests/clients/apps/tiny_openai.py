"""A model server without a model, on this machine: speaks OpenAI's chat completions and Anthropic's messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from scenario import INPUT_TOKENS, MODEL, OUTPUT_TOKENS

USAGE = {
    "prompt_tokens": INPUT_TOKENS,
    "completion_tokens": OUTPUT_TOKENS,
    "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
}


@contextmanager
def serving(lines: Sequence[Any]) -> Iterator[str]:
    """Serve these lines in turn, each a text or the arguments of a call of the tool `find_passages`; the base URL."""
    said = iter(lines)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            line = next(said)
            if self.path.endswith("/messages"):
                self._answer("application/json", json.dumps(_message(line)).encode())
            elif asked.get("stream"):
                events = [_chunk({"content": line[place : place + 7]}) for place in range(0, len(line), 7)]
                events += [_chunk({}, finish="stop"), {**_chunk({}), "choices": [], "usage": USAGE}]
                body = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
                self._answer("text/event-stream", body.encode())
            else:
                self._answer("application/json", json.dumps(_completion(line)).encode())

        def _answer(self, kind: str, body: bytes) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *said: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def _completion(line: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": line}
    if not isinstance(line, str):
        call = {"name": "find_passages", "arguments": json.dumps(line)}
        message = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "call_1", "type": "function", "function": call}],
        }
    finish = "stop" if isinstance(line, str) else "tool_calls"
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {**_frame("chat.completion"), "choices": [choice], "usage": USAGE}


def _message(line: str) -> dict[str, Any]:
    """A message as Anthropic's servers answer."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": [{"type": "text", "text": line}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS},
    }


def _chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {
        **_frame("chat.completion.chunk"),
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def _frame(kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1_700_000_000, "model": MODEL}

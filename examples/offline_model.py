"""A model server without a model, for the examples: OpenAI's chat completions, copied from the prompt's own passages.

``python examples/offline_model.py`` listens on port 8081 of this machine. It answers with that passage of the prompt,
``[id] text`` or JSON, that shares the most words with the question, and cites it. Where it is offered a tool, it calls
that first.
"""

from __future__ import annotations

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "offline-1"
PASSAGE = re.compile(r'\[([\w-]+)\] ([^"\n]+)|"id": ?"([\w-]+)", ?"text": ?"([^"]+)"')


class Chat(BaseHTTPRequestHandler):
    """Answers one request after another."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer a chat completion, in one piece or as a stream."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = reply(asked)
        finish = "tool_calls" if "tool_calls" in message else "stop"
        usage = {"prompt_tokens": len(words(str(asked))), "completion_tokens": len(words(str(message)))}
        usage["total_tokens"] = sum(usage.values())
        if asked.get("stream"):
            events = [chunk(delta) for delta in deltas(message)] + [chunk({}, finish)]
            events.append({**chunk({}), "choices": [], "usage": usage})
            body = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
            self.send("text/event-stream", body)
        else:
            choice = {"index": 0, "message": message, "finish_reason": finish}
            completion = {**frame("chat.completion"), "choices": [choice], "usage": usage}
            self.send("application/json", json.dumps(completion))

    def send(self, kind: str, text: str) -> None:
        """Send a whole response."""
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        """Stay quiet."""


def reply(asked: dict[str, Any]) -> dict[str, Any]:
    """What the model says: a call of the first tool while none has answered, else the best passage, cited."""
    messages = [(one["role"], text_of(one.get("content"))) for one in asked["messages"]]
    question = next((text for role, text in reversed(messages) if role == "user"), "")
    if asked.get("tools") and not any(role == "tool" for role, _ in messages):
        function = asked["tools"][0]["function"]
        arguments = json.dumps(dict.fromkeys(function["parameters"]["required"], question))
        call = {"name": function["name"], "arguments": arguments}
        return {"role": "assistant", "tool_calls": [{"id": "call-1", "type": "function", "function": call}]}
    found = PASSAGE.findall("\n".join(text.replace("\\n", "\n") for _, text in messages))
    passages = {name or other: (text or more).strip() for name, text, other, more in found}
    wanted = words(PASSAGE.sub("", question))
    best = max(passages, key=lambda name: len(wanted & words(passages[name])), default=None)
    if best is None or not wanted & words(passages[best]):
        return {"role": "assistant", "content": "I cannot find that in the passages."}
    return {"role": "assistant", "content": f"{passages[best]} [{best}]"}


def text_of(content: Any) -> str:
    """The text of a message's content: a string, a list of parts, or nothing."""
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content)
    return str(content or "")


def deltas(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The message as a stream has it: its text in pieces of a few letters, its calls whole."""
    if "tool_calls" in message:
        calls = [{"index": place, **call} for place, call in enumerate(message["tool_calls"])]
        return [{"role": "assistant", "tool_calls": calls}]
    return [{"content": piece} for piece in re.findall(r"(?s).{1,12}", message["content"])]


def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    """One event of a stream."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {**frame("chat.completion.chunk"), "choices": [choice]}


def frame(kind: str) -> dict[str, Any]:
    """What every object of the API begins with."""
    return {"id": "chatcmpl-1", "object": kind, "created": 1_700_000_000, "model": MODEL}


def words(text: str) -> set[str]:
    """The longer words of a text, in lower case."""
    return set(re.findall(r"\w{4,}", text.lower()))


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8081
    with ThreadingHTTPServer(("127.0.0.1", port), Chat) as server:
        print(f"OPENAI_BASE_URL=http://127.0.0.1:{server.server_port}/v1 OPENAI_API_KEY=none", flush=True)
        server.serve_forever()

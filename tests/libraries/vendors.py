"""A server that speaks what vendors speak: answers whole and as events, and search results. No network, no model."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

ANSWER = "At 100 °C [p1]."
THOUGHT = "The passage says so."
PIECES = ("At ", "100 °C", " [p1].")
MODEL = "tiny-chat-1"
TOKENS = (61, 17)
TEXT = "Water boils at 100 °C at sea level."
HITS = [("p1", 0.875, TEXT), ("p2", 0.5, "Ice melts at 0 °C.")]


_Whole = Callable[[dict[str, Any]], dict[str, Any]]
_Events = Callable[[dict[str, Any]], list[dict[str, Any]]]


@dataclass(frozen=True)
class Vendors:
    """Where it listens."""

    url: str


@contextmanager
def serving() -> Generator[Vendors]:
    """The server on a free port."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield Vendors(f"http://127.0.0.1:{server.server_port}")
        server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked: dict[str, Any] = json.loads(
            self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}"
        )
        path = self.path.partition("?")[0]
        for suffix, whole, events in _TABLE:
            if path.endswith(suffix) and "/nowhere/" not in path:
                if asked.get("stream"):
                    self._events(events(asked))
                else:
                    self._send("application/json", json.dumps(whole(asked)).encode())
                return
        self.send_error(404, path)

    def _events(self, events: list[dict[str, Any]]) -> None:
        lines = [
            (f"event: {event['type']}\n" if "type" in event else "") + f"data: {json.dumps(event)}\n\n"
            for event in events
        ]
        end = "" if "type" in events[0] else "data: [DONE]\n\n"
        self._send("text/event-stream", ("".join(lines) + end).encode())

    def _send(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.send_header("x-elastic-product", "Elasticsearch")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that it has there
        """Say nothing."""


def _chat(asked: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": ANSWER, "refusal": None}
    choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    if asked["model"] == "refusing":
        message.update(content=None, refusal="I cannot help with that.")
    return {**_chat_frame("chat.completion"), "choices": [choice], "usage": _chat_usage()}


def _chat_events(asked: dict[str, Any]) -> list[dict[str, Any]]:
    frame = _chat_frame("chat.completion.chunk")
    deltas: list[dict[str, Any]] = [
        {"role": "assistant", "content": ""},
        *({"content": one} for one in PIECES),
    ]
    chunks = [{**frame, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks.append({**frame, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    return [*chunks, {**frame, "choices": [], "usage": _chat_usage()}]


def _chat_frame(kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1_700_000_000, "model": MODEL}


def _chat_usage() -> dict[str, int]:
    return {"prompt_tokens": TOKENS[0], "completion_tokens": TOKENS[1], "total_tokens": sum(TOKENS)}


def _response(status: str = "completed") -> dict[str, Any]:
    done = status == "completed"
    thought = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": THOUGHT}]}
    message: dict[str, Any] = {
        "type": "message",
        "id": "msg_1",
        "status": status,
        "role": "assistant",
        "content": [{"type": "output_text", "text": ANSWER, "annotations": []}],
    }
    usage = {
        "input_tokens": TOKENS[0],
        "output_tokens": TOKENS[1],
        "total_tokens": sum(TOKENS),
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_700_000_000,
        "status": status,
        "model": MODEL,
        "output": [thought, message] if done else [],
        "usage": usage if done else None,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "text": {"format": {"type": "text"}},
    }


def _responded(asked: dict[str, Any]) -> dict[str, Any]:
    return _response()


def _response_events(asked: dict[str, Any]) -> list[dict[str, Any]]:
    place = {"item_id": "msg_1", "output_index": 1, "content_index": 0}
    thought, message = _response()["output"]
    (part,) = message["content"]
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": _response("in_progress")},
        {"type": "response.output_item.added", "output_index": 0, "item": {**thought, "summary": []}},
        {
            "type": "response.reasoning_summary_text.delta",
            "item_id": "rs_1",
            "output_index": 0,
            "summary_index": 0,
            "delta": THOUGHT,
        },
        {"type": "response.output_item.done", "output_index": 0, "item": thought},
        {
            "type": "response.output_item.added",
            "output_index": 1,
            "item": {**message, "status": "in_progress", "content": []},
        },
        {"type": "response.content_part.added", **place, "part": {**part, "text": ""}},
        *(
            {"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []}
            for piece in PIECES
        ),
        {"type": "response.output_text.done", **place, "text": ANSWER, "logprobs": []},
        {"type": "response.content_part.done", **place, "part": part},
        {"type": "response.output_item.done", "output_index": 1, "item": message},
        {"type": "response.completed", "response": _response()},
    ]
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def _message(asked: dict[str, Any]) -> dict[str, Any]:
    content = [
        {"type": "thinking", "thinking": THOUGHT, "signature": "s"},
        {"type": "text", "text": ANSWER, "citations": None},
    ]
    usage = {"input_tokens": TOKENS[0] - 10, "cache_read_input_tokens": 10, "output_tokens": TOKENS[1]}
    return {**_message_frame(), "content": content, "stop_reason": "end_turn", "usage": usage}


def _message_frame() -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }


def _message_events(asked: dict[str, Any]) -> list[dict[str, Any]]:
    start = {"input_tokens": TOKENS[0] - 10, "cache_read_input_tokens": 10, "output_tokens": 1}
    return [
        {"type": "message_start", "message": {**_message_frame(), "usage": start}},
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "thinking", "thinking": "", "signature": ""},
        },
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": THOUGHT}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "s"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        *(
            {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": piece}}
            for piece in PIECES
        ),
        {"type": "content_block_stop", "index": 1},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": TOKENS[1]},
        },
        {"type": "message_stop"},
    ]


def _matches(asked: dict[str, Any]) -> dict[str, Any]:
    matches: list[dict[str, Any]] = [
        {"id": id_, "score": score, "values": [], "metadata": {"text": text}} for id_, score, text in HITS
    ]
    return {"matches": matches, "namespace": "", "usage": {"readUnits": 1}}


def _records(asked: dict[str, Any]) -> dict[str, Any]:
    hits = [{"_id": id_, "_score": score, "fields": {"chunk_text": text}} for id_, score, text in HITS]
    return {"result": {"hits": hits}, "usage": {"read_units": 1}}


def _search(asked: dict[str, Any]) -> dict[str, Any]:
    hits = [
        {"_index": "manual", "_id": id_, "_score": score, "_source": {"content": text, "page": 3}}
        for id_, score, text in HITS
    ]
    total = {"value": 2, "relation": "eq"}
    shards = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}
    found = {"total": total, "max_score": HITS[0][1], "hits": hits}
    return {"took": 2, "timed_out": False, "_shards": shards, "hits": found}


def _found_in_files(asked: dict[str, Any]) -> dict[str, Any]:
    data: list[dict[str, Any]] = [
        {
            "file_id": id_,
            "filename": "manual.pdf",
            "score": score,
            "attributes": {},
            "content": [{"type": "text", "text": text}],
        }
        for id_, score, text in HITS
    ]
    page = {"has_more": False, "next_page": None}
    return {"object": "vector_store.search_results.page", "search_query": "?", "data": data, **page}


def _none(asked: dict[str, Any]) -> list[dict[str, Any]]:
    raise NotImplementedError("no stream")


_TABLE: tuple[tuple[str, _Whole, _Events], ...] = (
    ("/chat/completions", _chat, _chat_events),
    ("/responses", _responded, _response_events),
    ("/messages", _message, _message_events),
    ("/query", _matches, _none),
    ("/namespaces/manual/search", _records, _none),
    ("/_search", _search, _none),
    ("/vector_stores/vs_1/search", _found_in_files, _none),
)
"""The end of a path, the answer, and its events."""

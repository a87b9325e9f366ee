"""Feedback and changes posted as plain JSON to a real server."""

from __future__ import annotations

import gzip
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from ragvigil.scorer.changes import changes_of
from ragvigil.scorer.dialects.feedback import is_feedback
from ragvigil.scorer.receive.counters import counters
from ragvigil.scorer.span import logs_of
from ragvigil.tracer import attributes as names

Start = Callable[..., Awaitable[Any]]
TRACE, SPAN = "ab" * 16, "cd" * 8
THUMBS = {"trace_id": TRACE, "kind": "thumbs", "value": "down", "comment": "wrong", "user": 7, "id": "f1"}


async def post(client: httpx.AsyncClient, receiver: Any, path: str, body: object) -> httpx.Response:
    """The answer to a JSON body."""
    return await client.post(f"{receiver.url}{path}", json=body)


async def test_feedback_is_in_the_inbox_before_the_answer(start: Start, client: httpx.AsyncClient) -> None:
    """As the log event that OTLP would have carried, under its trace."""
    receiver = await start()
    answer = await post(
        client, receiver, "/v1/feedback", {**THUMBS, "span_id": SPAN, "at": "2026-11-20T10:00:00Z"}
    )
    assert (answer.status_code, answer.json()) == (200, {"accepted": 1})
    (row,) = receiver.rows()
    (event,) = logs_of(row.payload)
    assert (row.kind, row.trace_id, event.span_id) == ("logs", TRACE, SPAN)
    assert is_feedback(event)
    assert event.time == 1_795_168_800 * 10**9
    assert event.attributes == {
        names.FEEDBACK_NAME: "thumbs",
        names.FEEDBACK_LABEL: "down",
        names.FEEDBACK_SCORE: 0.0,
        names.FEEDBACK_EXPLANATION: "wrong",
        names.FEEDBACK_ANNOTATOR_KIND: "HUMAN",
        names.FEEDBACK_IDENTIFIER: "f1",
        names.USER_ID: "7",
    }


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ("trace_id", "trace_id: is missing"),
        ("kind", "kind: is missing; one of thumbs, score, comment, rephrase, follow_up"),
    ],
)
async def test_what_feedback_needs_is_named(
    start: Start, client: httpx.AsyncClient, missing: str, said: str
) -> None:
    """With what it may be."""
    receiver = await start()
    told = {name: value for name, value in THUMBS.items() if name != missing}
    answer = await post(client, receiver, "/v1/feedback", told)
    assert (answer.status_code, answer.json()["message"]) == (400, said)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"trace_id": "xyz"}, "trace_id: must be 32 hex digits, got 3 characters"),
        ({"span_id": "z" * 16}, "span_id: must be 16 hex digits"),
        ({"kind": "thumbs", "value": 1}, "value: thumbs need"),
        ({"kind": "thumbs", "value": "yes"}, "value: thumbs need"),
        ({"kind": "score", "value": "1"}, "value: a score needs a finite number"),
        ({"kind": "score", "value": "0.5"}, "value: a score needs a finite number"),
        ({"kind": "score", "value": True}, "value: a score needs a finite number"),
        ({"kind": "comment", "comment": "  "}, "comment: must say something"),
        ({"trace_id": "0" * 32}, "trace_id: must not be all zeros"),
        ({"span_id": "12"}, "span_id: "),
        ({"kind": "like"}, "kind: must be 'thumbs', 'score', 'comment', 'rephrase' or 'follow_up'"),
        ({"value": 7}, "value: thumbs need"),
        ({"kind": "score", "value": "up"}, "value: a score needs a finite number"),
        ({"kind": "comment", "comment": None}, "comment: a comment needs its text"),
        ({"at": "yesterday"}, "at: must be a moment such as"),
        ({"at": "1970-01-01T00:00:00Z"}, "at: must not lie before the year 2000"),
        ({"coment": "x"}, "coment: unknown field; did you mean comment?"),
        ({"comment": "x" * 20_001}, "comment: must have at most 20000 characters"),
        ({"user": ""}, "user: is empty"),
        ({"user": ["a"]}, "user: must be a text"),
    ],
)
async def test_bad_feedback_names_its_field_and_nothing_is_kept(
    start: Start, client: httpx.AsyncClient, changed: dict[str, object], said: str
) -> None:
    """Also in a list, with its place there."""
    receiver = await start()
    alone = await post(client, receiver, "/v1/feedback", THUMBS | changed)
    among = await post(client, receiver, "/v1/feedback", [THUMBS, THUMBS | changed])
    assert (alone.status_code, among.status_code) == (400, 400)
    assert said in alone.json()["message"]
    assert f"[1].{said}" in among.json()["message"]
    assert receiver.rows() == []


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"7", b"[[[[]]]]", b"[" * 100_000, b'{"a": NaN}', b"\xff"]
)
async def test_what_is_no_item_is_refused(start: Start, client: httpx.AsyncClient, body: bytes) -> None:
    """400, never a 500."""
    receiver = await start()
    for path in ("/v1/feedback", "/v1/changes"):
        headers = {"Content-Type": "application/json"}
        answer = await client.post(f"{receiver.url}{path}", content=body, headers=headers)
        assert answer.status_code == 400
        assert answer.json()["message"]


async def test_only_json_is_taken_and_only_a_megabyte_of_it(start: Start, client: httpx.AsyncClient) -> None:
    """A web page can make a browser post a form or plain text, but not this content type."""
    receiver = await start()
    body = json.dumps(THUMBS).encode()
    for media_type in ("text/plain", "application/x-www-form-urlencoded", "application/x-protobuf"):
        answer = await client.post(
            f"{receiver.url}/v1/feedback", content=body, headers={"Content-Type": media_type}
        )
        assert answer.status_code == 415
    bomb = gzip.compress(b" " * 2_000_000 + body)
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    large = await client.post(f"{receiver.url}/v1/feedback", content=bomb, headers=headers)
    assert (large.status_code, "send fewer items at once" in large.text) == (413, True)
    small = await client.post(f"{receiver.url}/v1/feedback", content=gzip.compress(body), headers=headers)
    assert small.status_code == 200
    assert len(receiver.rows()) == 1


async def test_the_token_rule_is_the_same(start: Start, client: httpx.AsyncClient) -> None:
    """401 without the token."""
    receiver = await start(receive={"token": "secret"})
    answer = await post(client, receiver, "/v1/changes", {"text": "deployed"})
    assert answer.status_code == 401
    headers = {"Authorization": "Bearer secret"}
    answer = await client.post(f"{receiver.url}/v1/changes", json={"text": "deployed"}, headers=headers)
    assert answer.status_code == 200


async def test_changes_posted_and_exported_are_the_same(
    start: Start, client: httpx.AsyncClient, tmp_path: Path
) -> None:
    """A log event without a trace is kept when it tells of a change; others are put aside as before."""
    receiver = await start()
    told = {"text": "v7", "kind": "deploy", "service": "shop", "environment": "production", "id": "d7"}
    assert (await post(client, receiver, "/v1/changes", told)).json() == {"accepted": 1}
    request = ExportLogsServiceRequest()
    resource = request.resource_logs.add()
    resource.resource.attributes.add(key="service.name").value.string_value = "shop"
    resource.resource.attributes.add(key="deployment.environment").value.string_value = "production"
    records = resource.scope_logs.add().log_records
    event = records.add(event_name=names.CHANGE_EVENT, time_unix_nano=5)
    event.body.string_value = "v7"
    event.attributes.add(key=names.CHANGE_KIND).value.string_value = "deploy"
    event.attributes.add(key=names.CHANGE_ID).value.string_value = "d7"
    records.add(body=event.body)
    answer = await client.post(
        f"{receiver.url}/v1/logs",
        content=request.SerializeToString(),
        headers={"Content-Type": "application/x-protobuf"},
    )
    assert answer.status_code == 200
    rows = receiver.rows()
    assert [(row.kind, row.trace_id, row.items) for row in rows] == [("changes", "0" * 32, 1)] * 2
    posted, exported = (change for row in rows for change in changes_of(row.payload))
    assert (posted.id, posted.kind, posted.text, posted.service, posted.environment) == (
        ("d7", "deploy", "v7", "shop", "production")
    )
    assert exported == type(posted)("d7", 5, "deploy", "v7", "shop", "production")
    receiver.stop.set()
    await receiver.ended
    found = counters(tmp_path / "inbox")
    assert (found["told.changes"], found["logs"], found["ignored.logs_without_trace"]) == (1, 1, 1)

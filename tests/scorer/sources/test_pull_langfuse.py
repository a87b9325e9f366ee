"""A pull from a server that keeps to Langfuse's published API to the letter."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import cast

import httpx
import pytest
from tests.scorer.sources.langfuse_server import LangfuseServer, serving

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.offline.read import read_files
from ragvigil.scorer.sources.pull.fetch import Fetch
from ragvigil.scorer.sources.pull.history import Wanted
from ragvigil.scorer.sources.pull.lines import Pulled
from ragvigil.scorer.sources.pull.run import client_of, history_of, pull, pull_to_file

QUESTIONS = 90
DAY = 1_795_132_800 * 10**9
"""2026-11-20, 00:00 UTC."""
RESOURCE = {"telemetry.sdk.name": "opentelemetry", "process.command": "x" * 300, "service.name": "shop"}


def observations(number: int) -> list[dict[str, object]]:
    """One question at that minute of the day, as three observations."""
    trace = f"{number + 1:032x}"
    at = f"2026-11-20T{number // 60:02d}:{number % 60:02d}"
    passage = {"id": f"p{number}", "page_content": f"Part {number} costs {number + 3} euros."}

    def one(place: int, kind: str, **fields: object) -> dict[str, object]:
        return {
            "id": f"{number * 4 + place + 1:016x}",
            "traceId": trace,
            "projectId": "project",
            "parentObservationId": None if place == 0 else f"{number * 4 + 1:016x}",
            "type": kind,
            "startTime": f"{at}:0{place}.000Z",
            "endTime": f"{at}:0{place + 1}.500Z",
            "name": kind.lower(),
            "level": "DEFAULT",
            "environment": "production",
            "sessionId": "s-1",
            "userId": "u-1",
            "metadata": {"resourceAttributes": RESOURCE, "scope": {"name": "langfuse-sdk"}},
            **fields,
        }

    asked, answer = f"What does part {number} cost?", f"{number + 3} euros [p{number}]."
    return [
        one(0, "SPAN", input=asked, output=answer),
        one(1, "RETRIEVER", input={"query": asked}, output=[passage]),
        one(
            2,
            "GENERATION",
            input=[{"role": "user", "content": asked}],
            output=answer,
            providedModelName="tiny-chat-1",
            usageDetails={"input": 61, "output": 17, "total": 78},
            promptName="answer",
            promptVersion=3,
        ),
    ]


@pytest.fixture
def server() -> LangfuseServer:
    """An hour and a half of questions, one a minute."""
    return LangfuseServer([one for number in range(QUESTIONS) for one in observations(number)])


def pulled(server: LangfuseServer, path: Path, since: int = 0, until: int = 2**62) -> Pulled:
    """Pull over HTTP."""
    history = history_of("langfuse")
    with serving(server) as url, client_of(history, url) as client:
        return pull_to_file(history, Fetch(client, sleep=lambda _: None), Wanted(since, until), path)


def test_every_question_comes_once_with_all_that_langfuse_keeps_of_it(
    server: LangfuseServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over several pages, with the service's name out of metadata that is cut unless asked for."""
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", server.public_key)
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", server.secret_key)
    path = tmp_path / "out.jsonl"
    pulled(server, path)
    assert len(server.asked) == 3
    records = sorted(read_files([path]), key=lambda record: record.started_at)
    assert [record.query for record in records] == [f"What does part {n} cost?" for n in range(QUESTIONS)]
    assert [record.answer for record in records] == [f"{n + 3} euros [p{n}]." for n in range(QUESTIONS)]
    assert [[document.id for document in record.documents] for record in records] == [
        [f"p{number}"] for number in range(QUESTIONS)
    ]
    told = {
        (record.service, record.model, record.prompt_version, record.tokens.input, record.conversation_id)
        for record in records
    }
    assert told == {("shop", "tiny-chat-1", "answer@3", 61, "s-1")}
    assert {record.completeness for record in records} == {"complete"}


def test_what_failed_is_pulled_as_failed(
    server: LangfuseServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Langfuse keeps a level and a message; a warning is no error."""
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", server.public_key)
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", server.secret_key)
    root, search, _ = observations(0)
    failed = {"output": None, "level": "ERROR", "statusMessage": "ConnectionError: store unreachable"}
    warned = {"level": "WARNING", "statusMessage": "ConnectionError: tried again"}
    server.observations[:3] = [root | failed, search | failed]
    server.observations += [one | warned for one in observations(QUESTIONS)]
    path = tmp_path / "out.jsonl"
    pulled(server, path)
    first, *others = sorted(read_files([path]), key=lambda record: record.started_at)
    assert (first.error, first.error_where) == ("ConnectionError", "retriever")
    assert (first.error_message, first.query) == ("store unreachable", "What does part 0 cost?")
    assert len(others) == QUESTIONS
    assert {record.error for record in others} == {None}
    spans = [span for each in path.read_text().splitlines() for span in spans_in_json(each)]
    assert sum("status" in span for span in spans) == 2


def spans_in_json(line: str) -> list[dict[str, object]]:
    """The spans of a line of OTLP JSON."""
    (resource,) = json.loads(line)["resourceSpans"]
    (scope,) = resource["scopeSpans"]
    return cast("list[dict[str, object]]", scope["spans"])


def test_only_the_wanted_hours_are_asked_for(
    server: LangfuseServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a moment on, and before another."""
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", server.public_key)
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", server.secret_key)
    minute = 60 * 10**9
    pulled(server, tmp_path / "out.jsonl", DAY + 10 * minute, DAY + 20 * minute)
    records = list(read_files([tmp_path / "out.jsonl"]))
    assert {record.query for record in records} == {f"What does part {n} cost?" for n in range(10, 20)}


def test_wrong_keys_are_named_with_what_langfuse_says(
    server: LangfuseServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And leave nothing behind."""
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", "another")
    with pytest.raises(InputError, match=r"401.*Invalid credentials"):
        pulled(server, tmp_path / "out.jsonl")
    assert len(server.asked) == 1


class OlderServer:
    """Langfuse before version 4: traces v1, by page number, from a moment on; a trace a second, or many in one."""

    def __init__(self, seconds: Sequence[int]) -> None:
        self.traces = {
            f"{n:032x}": f"2026-11-20T10:{at // 60:02d}:{at % 60:02d}.000Z" for n, at in enumerate(seconds)
        }
        self.after_each_list: Callable[[], object] = lambda: None

    def answer(self, request: httpx.Request) -> httpx.Response:
        """Status and JSON of a request."""
        if request.url.path == "/api/public/traces":
            return httpx.Response(200, json=self.listed(request.url.params))
        name = request.url.path.removeprefix("/api/public/traces/")
        if name not in self.traces:
            return httpx.Response(404)
        one = {"id": name[16:], "startTime": self.traces[name]}
        return httpx.Response(200, json={"id": name, "observations": [one] if int(name, 16) else []})

    def listed(self, asked: httpx.QueryParams) -> dict[str, object]:
        """A page of the list."""
        since = datetime.fromisoformat(asked["fromTimestamp"])
        found = [name for name, at in self.traces.items() if datetime.fromisoformat(at) >= since]
        page, limit = int(asked["page"]), int(asked["limit"])
        shown = [
            {"id": name, "timestamp": self.traces[name]} for name in found[(page - 1) * limit : page * limit]
        ]
        self.after_each_list()
        return {"data": shown, "meta": {"page": page, "totalPages": -(-len(found) // limit)}}

    def pulled(self) -> tuple[list[str], int]:
        """The ids of the traces that a pull brings, and how many it had without spans."""
        out = io.BytesIO()
        with httpx.Client(base_url="http://lf.example", transport=httpx.MockTransport(self.answer)) as client:
            found = pull(history_of("langfuse"), Fetch(client), Wanted(0, 2**62), out)
        spans = [span for line in out.getvalue().decode().splitlines() for span in spans_in_json(line)]
        return [str(span["traceId"]) for span in spans], found.without_spans


def test_traces_that_are_deleted_meanwhile_make_no_other_left_out() -> None:
    """The pages behind them moved up: of 350 traces 50 that were still there never came."""
    server = OlderServer(range(1, 351))
    all_of_them = list(server.traces)[1:]

    def delete() -> None:
        for name in all_of_them[:50]:
            server.traces.pop(name, None)

    pages = iter([lambda: None, delete])
    server.after_each_list = lambda: next(pages, lambda: None)()
    found, _ = server.pulled()
    assert found == all_of_them


@pytest.mark.parametrize("seconds", [[5] * 350, [1] * 150 + [2] * 150, [n // 7 for n in range(350)]])
def test_traces_of_one_moment_come_once(seconds: list[int]) -> None:
    """Also where they fill pages, or end in the middle of one."""
    server = OlderServer(seconds)
    assert server.pulled() == (list(server.traces)[1:], 1)

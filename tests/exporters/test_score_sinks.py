"""Tools that scores are sent to, each against a real server on loopback."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsPartialSuccess,
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from tests.exporters.conftest import Service

from ragvigil.exporters import (
    LangfuseScores,
    OtlpPost,
    OtlpScores,
    PhoenixScores,
    Score,
    ScoredAnswer,
    Sent,
)

AT = 1_772_323_200_123_000_000
SCORE = Score(
    "faithfulness", 0.12, "unsupported", "not in the passages: x", "model", "builtin 4 dd", "ab" * 32, AT
)
UNKNOWN = replace(SCORE, name="support", value=None, label="no_claims", explanation=None)
CHECK = Score("citation_correctness", 1.0, None, None, "code", "citation_correctness 3", "ab" * 32, AT)
ANSWER = ScoredAnswer(
    "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", "docs", "Production EU", (SCORE, UNKNOWN, CHECK)
)
LANGFUSE = json.loads((Path(__file__).parent / "schemas" / "langfuse-ingestion-scores.json").read_text())
TAKEN = b'{"successes": [], "errors": []}'
Sink = LangfuseScores | PhoenixScores | OtlpScores


def langfuse(url: str) -> LangfuseScores:
    """As the settings make it."""
    return LangfuseScores(url, public_key="pk-lf-1", secret_key="hush", timeout_seconds=2.0)


def phoenix(url: str) -> PhoenixScores:
    """As the settings make it."""
    return PhoenixScores(url, api_key="hush", timeout_seconds=2.0)


def otlp(url: str) -> OtlpScores:
    """As the settings make it."""
    post = OtlpPost(url, "logs", headers={"x-key": "hush"}, timeout_seconds=2.0)
    return OtlpScores(post, version="1", now=lambda: AT + 5)


each = pytest.mark.parametrize("make", [langfuse, phoenix, otlp])


async def test_langfuse_gets_scores_as_its_definition_says(service: Service) -> None:
    """Every event is valid, and the same score has the same id whenever it is sent."""
    service.status, service.body = 207, TAKEN
    sink = langfuse(f"{service.base}/")
    assert await sink.send([ANSWER]) == Sent(delivered=True)
    later = replace(SCORE, value=0.9, at=AT + 10**9)
    await sink.send([replace(ANSWER, scores=(later,))])
    first, second = (json.loads(request.body) for request in service.received)
    for body in (first, second):
        jsonschema.validate(body, LANGFUSE)
    assert [one["body"]["name"] for one in first["batch"]] == ["faithfulness", "citation_correctness"]
    event, again = first["batch"][0], second["batch"][0]
    assert event["body"]["id"] == again["body"]["id"]
    assert event["id"] != again["id"]
    assert event["body"] | {"id": ""} == {
        "id": "",
        "traceId": ANSWER.trace_id,
        "observationId": ANSWER.span_id,
        "name": "faithfulness",
        "value": 0.12,
        "dataType": "NUMERIC",
        "comment": "not in the passages: x",
        "environment": "production-eu",
        "metadata": {"instrument": "builtin 4 dd", "label": "unsupported", "input_hash": "ab" * 32},
    }
    (request, _) = service.received
    assert request.path == "/api/public/ingestion"
    assert request.headers["authorization"] == "Basic cGstbGYtMTpodXNo"


@pytest.mark.parametrize(
    ("errors", "outcome"),
    [
        ([{"id": "x", "status": 400}], Sent(delivered=True, refused=1, reason="http_400")),
        (
            [{"id": "x", "status": 400}, {"id": "y", "status": 500}],
            Sent(False, retry=True, reason="http_500", refused=1),
        ),
        ([{"id": "x", "status": 401}], Sent(False, retry=True, reason="http_401")),
        ([{"id": "x", "status": 403}], Sent(False, retry=True, reason="http_403")),
        ([{"id": "x"}], Sent(False, retry=True, reason="http_None")),
        ([{"id": "x", "status": 429}], Sent(False, retry=True, reason="http_429")),
        ("nonsense", Sent(False, retry=True, reason="not_langfuse")),
    ],
)
async def test_langfuse_says_which_events_it_refuses(service: Service, errors: object, outcome: Sent) -> None:
    """With a status for each; what can pass later is sent again, all of it, under the same ids."""
    service.status, service.body = 207, json.dumps({"successes": [], "errors": errors}).encode()
    assert await langfuse(service.base).send([ANSWER]) == outcome


@pytest.mark.parametrize(
    ("statuses", "stuck"), [([500, 503], {"e0", "e1"}), ([400, 500], {"e1"}), ([500, 429], set[str]())]
)
async def test_langfuse_names_what_it_fails_at_while_it_takes_others(
    service: Service, statuses: list[int], stuck: set[str]
) -> None:
    """Only its own failures, and only where it works otherwise: a stale key or too many requests hold up all."""
    errors = [{"id": f"e{number}", "status": status} for number, status in enumerate(statuses)]
    told = {"successes": [{"id": "a", "status": 201}], "errors": errors}
    service.status, service.body = 207, json.dumps(told).encode()
    sent = await langfuse(service.base).send([ANSWER])
    assert (sent.delivered, sent.retry, set(sent.stuck)) == (False, True, stuck)


async def test_phoenix_gets_annotations(service: Service) -> None:
    """One for each score, with what the judge said where there is no number."""
    service.status, service.body = 200, b'{"data": []}'
    assert await phoenix(service.base).send([ANSWER]) == Sent(delivered=True)
    (request,) = service.received
    assert (request.path, request.headers["authorization"]) == ("/v1/span_annotations", "Bearer hush")
    first, unknown, check = json.loads(request.body)["data"]
    assert first == {
        "span_id": ANSWER.span_id,
        "name": "faithfulness",
        "annotator_kind": "LLM",
        "result": {"score": 0.12, "label": "unsupported", "explanation": "not in the passages: x"},
        "metadata": {"instrument": "builtin 4 dd", "input_hash": "ab" * 32},
        "identifier": "ragvigil",
    }
    assert unknown["result"] == {"label": "no_claims"}
    assert check["annotator_kind"] == "CODE"


async def test_otlp_events_belong_to_the_evaluated_span(service: Service) -> None:
    """As the semantic conventions for generative AI name them."""
    service.status, service.body = 200, b""
    strange = replace(ANSWER, trace_id="tr-1", service="a\ud800")
    assert await otlp(service.base).send([ANSWER, strange]) == Sent(delivered=True)
    (request,) = service.received
    assert (request.path, request.headers["x-key"]) == ("/v1/logs", "hush")
    assert request.headers["content-type"] == "application/x-protobuf"
    resource, other = ExportLogsServiceRequest.FromString(request.body).resource_logs
    assert {one.key: one.value.string_value for one in resource.resource.attributes} == {
        "service.name": "docs",
        "deployment.environment.name": "Production EU",
    }
    event, unknown, _ = resource.scope_logs[0].log_records
    assert event.event_name == "gen_ai.evaluation.result"
    assert (event.trace_id.hex(), event.span_id.hex()) == (ANSWER.trace_id, ANSWER.span_id)
    assert (event.time_unix_nano, event.observed_time_unix_nano) == (AT, AT + 5)
    values = {one.key: one.value.string_value or one.value.double_value for one in event.attributes}
    assert values["gen_ai.evaluation.name"] == "faithfulness"
    assert values["gen_ai.evaluation.score.value"] == 0.12
    assert values["gen_ai.evaluation.score.label"] == "unsupported"
    assert values["gen_ai.evaluation.explanation"] == "not in the passages: x"
    assert values["ragvigil.score.id"] == ANSWER.score_id(SCORE)
    assert "gen_ai.evaluation.score.value" not in {one.key for one in unknown.attributes}
    assert other.scope_logs[0].log_records[0].trace_id == b""


async def test_otlp_says_how_many_it_refuses(service: Service) -> None:
    """A partial success is one, and the rest is counted."""
    partial = ExportLogsPartialSuccess(rejected_log_records=2, error_message="no")
    service.status, service.body = 200, ExportLogsServiceResponse(partial_success=partial).SerializeToString()
    assert await otlp(service.base).send([ANSWER]) == Sent(
        delivered=True, refused=2, reason="partial_success"
    )


@pytest.mark.parametrize(
    ("body", "refused"),
    [
        (b"{}", 0),
        (b" {}\n", 0),
        (b"OK", 0),
        (b'{"status": "ok"}', 0),
        (b'{"partialSuccess": {"rejectedLogRecords": "2", "errorMessage": "no"}}', 2),
    ],
)
async def test_otlp_answered_with_json_or_ok_is_delivered(
    service: Service, body: bytes, refused: int
) -> None:
    """A lenient collector has taken them: sent again for ever, they would be there a thousand times."""
    service.status, service.body = 200, body
    sent = await otlp(service.base).send([ANSWER])
    assert (sent.delivered, sent.refused) == (True, refused)


@pytest.mark.parametrize("body", [b"{broken", b'{"partialSuccess": 3}', b"OK, please log in"])
async def test_otlp_answered_with_neither_is_no_delivery(service: Service, body: bytes) -> None:
    """Only what the protocol can mean is believed."""
    service.status, service.body = 200, body
    assert await otlp(service.base).send([ANSWER]) == Sent(False, retry=True, reason="not_otlp")


@pytest.mark.parametrize("page", [b"<!DOCTYPE html><p>Please log in", b"<html>", b"[]", b"\xff\xfe"])
@each
async def test_a_page_in_place_of_an_answer_is_no_delivery(
    service: Service, make: Callable[[str], Sink], page: bytes
) -> None:
    """A login page or a proxy says 200 to everything; what it swallowed would be lost."""
    service.status, service.body = 200, page
    sent = await make(service.base).send([ANSWER])
    assert (sent.delivered, sent.retry) == (False, True)
    assert sent.reason.startswith("not_")


@pytest.mark.parametrize(
    ("status", "retry"),
    [(401, True), (404, True), (429, True), (500, True), (302, True), (400, False), (413, False)],
)
@each
async def test_only_what_can_never_be_taken_is_given_up(
    service: Service, make: Callable[[str], Sink], status: int, retry: bool
) -> None:
    """A stale key or a wrong address is mended one day; a malformed batch is not."""
    service.status, service.headers = status, {"retry-after": "7"}
    sent = await make(service.base).send([ANSWER])
    assert (sent.delivered, sent.retry, sent.reason) == (False, retry, f"http_{status}")
    assert not retry or sent.retry_after == 7.0


@each
async def test_nobody_there_is_an_answer(make: Callable[[str], Sink]) -> None:
    """Never an exception, and no secret in what is shown."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    sink = make(f"http://127.0.0.1:{port}")
    assert await sink.send([ANSWER]) == Sent(delivered=False, retry=True, reason="unreachable")
    assert "hush" not in repr(sink)


@each
async def test_nothing_to_say_is_no_request(service: Service, make: Callable[[str], Sink]) -> None:
    """A batch without scores."""
    assert await make(service.base).send([replace(ANSWER, scores=())]) == Sent(delivered=True)
    assert service.received == []


@pytest.mark.parametrize("sink", [LangfuseScores, PhoenixScores])
def test_an_unusable_address_is_said(sink: Any) -> None:
    """At start."""
    with pytest.raises(ValueError, match="url must look like"):
        sink.check(url="collector:4318")

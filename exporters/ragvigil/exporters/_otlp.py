"""One OTLP request over HTTP, and scores as ``gen_ai.evaluation.result`` events on the evaluated spans."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from ragvigil.exporters._alert import Outcome
from ragvigil.exporters._post import REFUSED, Answer, Post, outcome_of
from ragvigil.exporters._scores import Score, ScoredAnswer, Sent

if TYPE_CHECKING:
    from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs

EVENT = "gen_ai.evaluation.result"
"""The event of OpenTelemetry's semantic conventions for generative AI."""
_MOST_BYTES = 2**16
_INFO = 9

OtlpSignal = Literal["logs", "metrics"]


class OtlpSend(Protocol):
    """One receiver of one signal."""

    async def send(self, body: bytes) -> Sent:
        """Hand over one serialised Export…ServiceRequest. Failure is an answer."""
        ...


class OtlpPost:
    """POSTs protobuf to ``/v1/logs`` or ``/v1/metrics`` of one OTLP receiver.

    >>> OtlpPost("http://collector:4318", "logs", headers={"x-key": "hush"})
    OtlpPost('collector', 'logs')
    """

    def __init__(
        self,
        url: str,
        signal: OtlpSignal,
        *,
        headers: Mapping[str, str],
        timeout_seconds: float = 15.0,
    ) -> None:
        """Raises ValueError when `url` is no http or https address, ImportError without httpx."""
        self._post = Post(f"{url.rstrip('/')}/v1/{signal}", timeout_seconds=timeout_seconds)
        self._signal = signal
        self._headers = {**headers, "content-type": "application/x-protobuf"}

    def __repr__(self) -> str:
        return f"OtlpPost({self._post.host!r}, {self._signal!r})"

    async def send(self, body: bytes) -> Sent:
        """Hand over one serialised Export…ServiceRequest."""
        answer = await self._post.exchange(body, self._headers, most_bytes=_MOST_BYTES)
        if isinstance(answer, Outcome):
            return Sent(delivered=False, retry=True, reason=answer.reason)
        outcome = outcome_of(answer, hopeless=REFUSED)
        if not outcome.delivered:
            return Sent(False, outcome.retry, outcome.reason, outcome.retry_after)
        refused = self._refused(answer)
        if refused is None:
            return Sent(delivered=False, retry=True, reason="not_otlp")
        return Sent(delivered=True, refused=refused, reason="partial_success" if refused else "")

    def _refused(self, answer: Answer) -> int | None:
        """How many items the answer says will never be taken; None when it is no answer of OTLP.

        Some receivers answer protobuf with JSON, or just with OK: what they took must not be sent again for ever.
        """
        from google.protobuf.json_format import ParseDict, ParseError
        from google.protobuf.message import DecodeError
        from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
        from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceResponse

        logs, metrics = ExportLogsServiceResponse(), ExportMetricsServiceResponse()
        response = logs if self._signal == "logs" else metrics
        plain = answer.body.strip()
        try:
            if plain.startswith(b"{") and (plain == b"{}" or answer.json()):
                ParseDict(dict(answer.json()), response, ignore_unknown_fields=True)
            elif plain.lower() != b"ok":
                response.ParseFromString(answer.body)
        except (DecodeError, ParseError):
            return None
        return logs.partial_success.rejected_log_records or metrics.partial_success.rejected_data_points


class OtlpScores:
    """Sends every score as a log event that belongs to the span it is about."""

    def __init__(self, post: OtlpSend, *, version: str, now: Callable[[], int] = time.time_ns) -> None:
        self._post = post
        self._version = version
        self._now = now

    def __repr__(self) -> str:
        return f"OtlpScores({self._post!r})"

    async def send(self, answers: Sequence[ScoredAnswer]) -> Sent:
        """Hand over every score, also one without a value: its label says why."""
        from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

        request = ExportLogsServiceRequest()
        resources: dict[tuple[str, str | None], ResourceLogs] = {}
        for answer in (one for one in answers if one.scores):
            place = (answer.service, answer.environment)
            resource = resources.get(place)
            if resource is None:
                resource = resources[place] = request.resource_logs.add()
                _describe(resource, answer)
                resource.scope_logs.add().scope.name = "ragvigil"
                resource.scope_logs[0].scope.version = self._version
            for score in answer.scores:
                self._fill(resource.scope_logs[0].log_records.add(), answer, score)
        return await self._post.send(request.SerializeToString()) if resources else Sent(delivered=True)

    def _fill(self, event: LogRecord, answer: ScoredAnswer, score: Score) -> None:
        event.time_unix_nano = score.at
        event.observed_time_unix_nano = self._now()
        event.severity_number = _INFO  # type: ignore[assignment]  # an enum's number
        event.event_name = EVENT
        event.trace_id, event.span_id = _id(answer.trace_id, 16), _id(answer.span_id, 8)
        words = {
            "event.name": EVENT,
            "gen_ai.evaluation.name": score.name,
            "gen_ai.evaluation.score.label": score.label,
            "gen_ai.evaluation.explanation": score.explanation,
            "ragvigil.score.id": answer.score_id(score),
            "ragvigil.score.instrument": score.instrument,
            "ragvigil.score.input_hash": score.input_hash,
            "error.type": score.label if score.label in ("unparseable", "failed") else None,
        }
        for name, word in words.items():
            if word is not None:
                event.attributes.add(key=name).value.string_value = _utf8(word)
        if score.value is not None:
            event.attributes.add(key="gen_ai.evaluation.score.value").value.double_value = score.value


def _describe(resource: ResourceLogs, answer: ScoredAnswer) -> None:
    """The service that answered, as its own spans name it."""
    attributes = {"service.name": answer.service, "deployment.environment.name": answer.environment}
    for name, value in attributes.items():
        if value:
            resource.resource.attributes.add(key=name).value.string_value = _utf8(value)


def _id(text: str, size: int) -> bytes:
    """The id as OTLP has it; none where it is no id, for one such answer must not hold up the others.

    >>> _id("0" * 15 + "1", 8), _id("tr-1", 8)
    (b'\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01', b'')
    """
    try:
        found = bytes.fromhex(text)
    except ValueError:
        return b""
    return found if len(found) == size else b""


def _utf8(text: str) -> str:
    """Without what no protobuf string can hold."""
    return text.encode("utf-8", "replace").decode()

"""Who gets the texts: by what the code says, and by the convention's variable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import TraceIdRatioBased

from ragvigil.tracer import trace_rag

from .conftest import Recording

VARIABLE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
SECRET = "Write to ana@example.org"


@trace_rag
def ask(question: str) -> str:
    """A request."""
    return "so"


def seen(spans: Any) -> str | None:
    """What of the question is on the one span, None without a span."""
    found = [dict(span.attributes or {}) for span in spans]
    return str(found[0].get("input.value", "ids")) if found else None


CLEAN = "Write to <EMAIL>"


@pytest.mark.parametrize(
    ("variable", "options", "ours", "theirs"),
    [
        (None, {}, SECRET, None),
        (None, {"content_to": "ragvigil"}, SECRET, None),
        (None, {"content_to": "all"}, SECRET, SECRET),
        (None, {"content_to": "all", "content": "redacted"}, CLEAN, CLEAN),
        (None, {"content_to": "all", "content": "ids_only"}, "ids", "ids"),
        ("true", {}, SECRET, SECRET),
        ("SPAN_ONLY", {"content": "redacted"}, CLEAN, CLEAN),
        ("true", {"content": "ids_only"}, "ids", "ids"),
        ("true", {"content_to": "ragvigil"}, SECRET, None),
        ("false", {}, "ids", None),
        ("false", {"content": "full"}, "ids", None),
        ("false", {"content": "full", "content_to": "all"}, "ids", "ids"),
        ("nonsense", {}, "ids", None),
    ],
)
def test_who_gets_the_texts(
    record: Callable[..., Recording],
    service: Callable[..., InMemorySpanExporter],
    monkeypatch: pytest.MonkeyPatch,
    variable: str | None,
    options: dict[str, Any],
    ours: str,
    theirs: str | None,
) -> None:
    """The table of docs/tracer.md."""
    if variable is not None:
        monkeypatch.setenv(VARIABLE, variable)
    backend = service()
    recording = record(**options)
    ask(SECRET)
    assert seen(recording.raw()) == ours
    assert seen(backend.get_finished_spans()) == theirs


@pytest.mark.parametrize(("variable", "theirs"), [(None, "ids"), ("true", SECRET), ("false", "ids")])
def test_who_gets_the_texts_without_configure(
    service: Callable[..., InMemorySpanExporter],
    monkeypatch: pytest.MonkeyPatch,
    variable: str | None,
    theirs: str,
) -> None:
    """Ids, unless the variable is on."""
    if variable is not None:
        monkeypatch.setenv(VARIABLE, variable)
    backend = service()
    ask(SECRET)
    assert seen(backend.get_finished_spans()) == theirs


def test_the_variable_without_a_provider_of_the_services_own_goes_to_ragvigil(
    record: Callable[..., Recording], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """There is nobody else, which needs no log line."""
    monkeypatch.setenv(VARIABLE, "true")
    recording = record()
    ask(SECRET)
    assert seen(recording.raw()) == SECRET
    assert caplog.records == []


def test_the_variable_with_a_sampled_provider_says_what_is_lost(
    record: Callable[..., Recording],
    service: Callable[..., InMemorySpanExporter],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Somebody may have set it for another library, and wonder where the requests are."""
    monkeypatch.setenv(VARIABLE, "true")
    service(TraceIdRatioBased(0.01))
    record()
    assert "it keeps 0.01 of them; content_to='ragvigil' in configure() keeps all" in caplog.text

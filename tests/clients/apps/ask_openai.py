"""The official OpenAI client under OpenTelemetry's own instrumentation: `python ask_openai.py CASE`.

Its contents travel in log events, which it joins to its span; without a switch it sends none.
"""

from __future__ import annotations

import json
import os
from typing import Any

from openai import OpenAI
from opentelemetry import trace
from opentelemetry._logs import set_logger_provider
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from scenario import FERRY, MODEL, TRAIN, Scenario
from telemetry import provider, run
from tiny_openai import serving


def ask(scenario: Scenario, *, stream: bool = False) -> None:
    """A service that traces its own search and leaves the model call to the instrumentation."""
    tracer = trace.get_tracer("ferry-site")
    documents = [{"id": each.id, "content": each.text, "score": each.score} for each in scenario.passages]
    with serving([scenario.answer]) as url, tracer.start_as_current_span("ask"):
        with tracer.start_as_current_span("retrieval site") as search:
            search.set_attribute("gen_ai.operation.name", "retrieval")
            search.set_attribute("gen_ai.retrieval.query.text", scenario.question)
            search.set_attribute("gen_ai.retrieval.documents", json.dumps(documents))
        client = OpenAI(base_url=url, api_key="unused")
        messages: Any = [
            {"role": "system", "content": f"Answer from:\n{scenario.plain()}"},
            {"role": "user", "content": scenario.question},
        ]
        if stream:
            list(
                client.chat.completions.create(
                    model=MODEL, messages=messages, stream=True, stream_options={"include_usage": True}
                )
            )
        else:
            client.chat.completions.create(model=MODEL, messages=messages)


def events(logs: LoggerProvider) -> dict[str, Any]:
    """What instrumentations of 2025 took for their events; later ones take the logger provider."""
    try:
        from opentelemetry.sdk._events import EventLoggerProvider
    except ImportError:
        return {}
    return {"event_logger_provider": EventLoggerProvider(logs)}


CASES = {"plain": lambda: ask(FERRY), "stream": lambda: ask(TRAIN, stream=True)}


if __name__ == "__main__":
    os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "true"
    logs = LoggerProvider()
    logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
    set_logger_provider(logs)
    OpenAIInstrumentor().instrument(tracer_provider=provider(), logger_provider=logs, **events(logs))
    run(CASES)
    logs.shutdown()

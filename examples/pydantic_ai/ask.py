"""A Pydantic AI agent that searches with a tool, traced by its own OpenTelemetry spans: no ragvigil in the service."""

from __future__ import annotations

import re
import sys

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from pydantic_ai import Agent

PASSAGES = {
    "water-1": "At sea level, water boils at 100 degrees Celsius.",
    "water-2": "The boiling point of water falls with altitude because air pressure is lower.",
    "ice-1": "Water freezes at 0 degrees Celsius under normal pressure.",
}

agent = Agent(
    "openai-chat:gpt-4o-mini",
    name="water",
    instructions="Answer only from the passages that the tool finds, and cite them.",
)


@agent.tool_plain
def search(query: str) -> list[dict[str, str]]:
    """Find passages about water."""
    wanted = words(query)
    best = sorted(PASSAGES, key=lambda name: len(wanted & words(PASSAGES[name])), reverse=True)
    return [{"id": name, "text": PASSAGES[name]} for name in best[:2]]


def words(text: str) -> set[str]:
    """The longer words of a text, in lower case."""
    return set(re.findall(r"\w{4,}", text.lower()))


if __name__ == "__main__":
    provider = TracerProvider()  # OTEL_SERVICE_NAME names the service, OTEL_EXPORTER_OTLP_ENDPOINT the scorer
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    Agent.instrument_all()
    print(agent.run_sync(sys.argv[1]).output)
    provider.shutdown()

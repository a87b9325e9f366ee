"""Runs one client application in its own environment, sending to where it is told."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.clients.cases import Case

APPS = Path(__file__).parent / "apps"
TRACER = Path(__file__).parents[2] / "tracer"
PATIENCE = 120.0


def run(case: Case, environments: Path, *, http: str, grpc: str) -> None:
    """Run the application of the case to its end; an assertion with its last words when it fails."""
    endpoint = grpc if case.instrumentation == "grpc" else http
    settings = {
        "INSTRUMENTATION": case.instrumentation,
        "OTEL_SERVICE_NAME": case.id,
        "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
        "OTEL_EXPORTER_OTLP_INSECURE": "true",
        "HAYSTACK_TELEMETRY_ENABLED": "False",
        "TRACELOOP_TELEMETRY": "false",
    }
    if case.instrumentation == "langsmith":
        settings |= {
            "LANGSMITH_TRACING": "true",
            "LANGSMITH_OTEL_ENABLED": "true",
            "LANGSMITH_OTEL_ONLY": "true",
        }
        settings |= {"LANGSMITH_API_KEY": "unused", "LANGSMITH_ENDPOINT": http}
    if case.instrumentation == "mlflow":
        settings |= {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{http}/v1/traces"}
        settings |= {
            "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf",
            "MLFLOW_DISABLE_TELEMETRY": "true",
        }
    if case.environment in ("node", "mastra"):
        command = ["node", str(environments / case.environment / f"ask_{case.app}.mjs"), case.name]
    else:
        python = environments / case.environment / "bin" / "python"
        command = [str(python), "-W", "ignore", str(APPS / f"ask_{case.app}.py"), case.name]
        if case.instrumentation == "zero_code":
            settings["PYTHONPATH"] = str(TRACER)
            start = "from ragvigil.tracer._launching import main; main()"  # as ragvigil-instrument does
            command = [str(python), "-c", start, *command]
    done = subprocess.run(
        command, env={**os.environ, **settings}, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr[-2000:]

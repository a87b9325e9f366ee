"""``ragvigil-instrument python app.py``: starts a command whose Python processes trace the libraries that they use."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

STARTUP = Path(__file__).parent / "_startup"
"""Holds the module that Python imports at its start."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Become the command; exits with 2 for a wrong call and 127 for a command that is not there."""
    parser = argparse.ArgumentParser(
        prog="ragvigil-instrument",
        description="Start a command with LangChain, LlamaIndex, Haystack, OpenAI and Anthropic traced, as far as they "
        "are installed with their extras, and their spans sent to ragvigil.",
    )
    parser.add_argument("--service-name", help="sets OTEL_SERVICE_NAME")
    parser.add_argument("--endpoint", help="sets OTEL_EXPORTER_OTLP_ENDPOINT; default http://127.0.0.1:4318")
    parser.add_argument("command", help="what to start, such as python or gunicorn")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    given = parser.parse_args(arguments)
    if given.endpoint is not None and not given.endpoint.startswith(("http://", "https://")):
        parser.error(f"--endpoint {given.endpoint!r} must start with http:// or https://")
    command: str | None = shutil.which(str(given.command))
    if command is None:
        sys.stderr.write(f"ragvigil-instrument: {given.command}: no such command on the PATH\n")
        raise SystemExit(127)
    told = {"OTEL_SERVICE_NAME": given.service_name, "OTEL_EXPORTER_OTLP_ENDPOINT": given.endpoint}
    environment = started_with(os.environ, told)
    os.execve(command, [given.command, *given.arguments], environment)  # noqa: S606 - it is what was asked for


def started_with(environment: Mapping[str, str], told: Mapping[str, str | None]) -> dict[str, str]:
    """The environment with our folder first on Python's path, once, and with what the command line says.

    >>> started_with({"PYTHONPATH": "/app"}, {})["PYTHONPATH"].endswith("_startup:/app")
    True
    """
    path = [
        entry
        for entry in environment.get("PYTHONPATH", "").split(os.pathsep)
        if entry and entry != str(STARTUP)
    ]
    given = {name: value for name, value in told.items() if value is not None}
    return {**environment, **given, "PYTHONPATH": os.pathsep.join([str(STARTUP), *path])}

"""What a process owes when it ends or forks, and what it loads to begin with."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

from ragvigil.tracer import attributes

from .conftest import Receiver


def run(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(program)],
        env={**{name: value for name, value in os.environ.items() if "OTEL" not in name}, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


SERVICE = """
    from ragvigil.tracer import configure, trace_rag
    configure(service_name="short-lived")

    @trace_rag
    def ask(question):
        return "so"

    ask("why")
"""


def test_what_is_queued_at_exit_is_sent(receiver: Receiver) -> None:
    """A short-lived process ends before the first batch is due."""
    done = run(SERVICE, OTEL_EXPORTER_OTLP_ENDPOINT=receiver.endpoint)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert [span.name for span in receiver.spans()] == ["invoke_workflow ask"]


def test_exit_with_a_dead_scorer_is_bounded_and_says_one_line(dead_endpoint: str) -> None:
    """Python's last-resort log handler prints the one warning."""
    started = time.monotonic()
    done = run(SERVICE, OTEL_EXPORTER_OTLP_ENDPOINT=dead_endpoint)
    assert time.monotonic() - started < 15
    assert done.returncode == 0
    assert len(done.stderr.splitlines()) <= 1, done.stderr


def test_a_forked_worker_sends_its_own_spans_once(receiver: Receiver) -> None:
    """Pre-fork servers configure in the parent; the parent's queued spans are the parent's to send."""
    done = run(
        """
        import os
        from ragvigil.tracer import configure, trace_rag
        tracing = configure(service_name="prefork")

        @trace_rag
        def ask(question):
            return question

        ask("parent")
        child = os.fork()
        ask("child" if child == 0 else "parent again")
        assert tracing.flush()
        if child == 0:
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        """,
        OTEL_EXPORTER_OTLP_ENDPOINT=receiver.endpoint,
        PYTHONWARNINGS="ignore::DeprecationWarning",
    )
    assert (done.returncode, done.stderr) == (0, "")
    questions = sorted(
        entry.value.string_value
        for span in receiver.spans()
        for entry in span.attributes
        if entry.key == "input.value"
    )
    assert questions == ["child", "parent", "parent again"]


def test_importing_the_tracer_imports_the_api_alone() -> None:
    """A service that only has the decorators pays for neither SDK nor exporter nor an HTTP client."""
    done = run(
        """
        import sys
        from opentelemetry import baggage, context, trace
        before = set(sys.modules)  # early versions of the API import asyncio
        import ragvigil.tracer
        heavy = ("opentelemetry.sdk", "opentelemetry.exporter", "requests", "urllib3", "google.protobuf",
                 "asyncio", "concurrent", "importlib.metadata", "ragvigil.scorer", "ragvigil.exporters",
                 "ragvigil.prompts")
        print([name for name in sys.modules if name.startswith(heavy) and name not in before])
        """
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_attribute_names_need_nothing() -> None:
    """The scorer reads the names without the tracer's cost."""
    tree = ast.parse(Path(attributes.__file__).read_text())
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node) for node in imports] == ["from __future__ import annotations"]

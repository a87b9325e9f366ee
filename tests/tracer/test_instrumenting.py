"""``instrument`` where a library is imported meanwhile; real instrumentations are in tests/libraries."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from ragvigil.tracer import configure, instrument
from ragvigil.tracer._foreign import Forwarding
from ragvigil.tracer._instrumenting import LIBRARIES

from .test_exit_and_fork import run

LIBRARY = """
import ragvigil_test_events as events
events.importing.set()
events.instrumented.wait(5)
"""
INSTRUMENTATION = """
import slow_library.submodule

class Instrumentor:
    is_instrumented_by_opentelemetry = False

    def instrument(self, **_):
        type(self).is_instrumented_by_opentelemetry = True

    def uninstrument(self):
        type(self).is_instrumented_by_opentelemetry = False
"""


def test_instrument_does_not_wait_for_an_import_that_waits_for_it(tmp_path: Path) -> None:
    """Called again while another thread imports the library; it is traced as soon as that import is over."""
    library = tmp_path / "slow_library"
    library.mkdir()
    (library / "__init__.py").write_text(LIBRARY)
    (library / "submodule.py").write_text("")
    (tmp_path / "slow_instrumentation.py").write_text(INSTRUMENTATION)
    installed = tmp_path / "slow_instrumentation-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: slow-instrumentation\nVersion: 1.0\n")
    (tmp_path / "ragvigil_test_events.py").write_text(
        "import threading\nimporting, instrumented = threading.Event(), threading.Event()\n"
    )
    done = run(
        f"""
        import sys, threading
        sys.path.insert(0, {str(tmp_path)!r})
        import ragvigil_test_events as events
        from ragvigil.tracer import configure, instrument, uninstrument
        from ragvigil.tracer._instrumenting import LIBRARIES, Library

        configure(service_name="shop", exit_seconds=0)
        LIBRARIES["slow"] = Library("slow_library", "slow-instrumentation", "slow_instrumentation:Instrumentor")

        def again():
            assert instrument(libraries=["slow"]).on == ("slow",)
            events.instrumented.set()

        instrument(libraries=["slow"])
        importer = threading.Thread(target=__import__, args=["slow_library"], daemon=True)
        importer.start()
        events.importing.wait()
        other = threading.Thread(target=again, daemon=True)
        other.start()
        for thread in (importer, other):
            thread.join(20)
            assert not thread.is_alive(), "deadlock"
        from slow_instrumentation import Instrumentor
        assert Instrumentor.is_instrumented_by_opentelemetry
        uninstrument()
        assert not Instrumentor.is_instrumented_by_opentelemetry
        again()
        assert Instrumentor.is_instrumented_by_opentelemetry
        """,
        OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9",
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_it_says_why_nothing_is_traced(monkeypatch: pytest.MonkeyPatch) -> None:
    """A misspelt name is not called a library that lacks."""
    said = str(instrument(libraries=["nope"]))
    assert said == (
        "instrumented: nothing; ValueError: libraries=['nope'] are none of langchain, llamaindex, haystack, openai, "
        "anthropic"
    )
    assert str(instrument(libraries=[])) == "instrumented: nothing; libraries= is empty"
    monkeypatch.setitem(LIBRARIES, "openai", LIBRARIES["openai"]._replace(module="no_such_library"))
    assert str(instrument(libraries=["openai"])) == "instrumented: nothing; none of openai is installed"
    monkeypatch.setenv("RAGVIGIL_DISABLED", "1")
    assert str(instrument()) == "instrumented: nothing; tracing is off, as the environment says"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("raise KeyError('home')", "ragvigil: the environment's sitecustomize failed: KeyError: 'home'\n"),
        ("import no_such_module", "ragvigil: the environment's sitecustomize failed: ModuleNotFoundError: "),
    ],
)
def test_a_service_is_traced_whose_own_sitecustomize_fails(tmp_path: Path, code: str, said: str) -> None:
    """As Python goes on after it; the line says whose it was."""
    (tmp_path / "sitecustomize.py").write_text(code)
    start = "from ragvigil.tracer._launching import main; main()"
    service = "import sys; print('ragvigil.tracer._instrumenting' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", start, sys.executable, "-c", service],
        env={**os.environ, "PYTHONPATH": str(tmp_path), "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr
    assert said in done.stderr
    assert "not instrumented" not in done.stderr


def test_redaction_leaves_numbers_and_ids_as_they_are() -> None:
    """Vectors stay vectors; an id with the digits of a card is an id; texts alone or in a list are redacted."""
    exporter = InMemorySpanExporter()
    tracing = configure(service_name="shop", exporter=exporter, content="redacted")
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(Forwarding())
    kept: dict[str, Any] = {
        "embedding.embeddings.0.embedding.vector": (0.12, 4111111111111111.0),
        "gen_ai.response.id": "chatcmpl-4111 1111 1111 1111",
        "gen_ai.response.finish_reasons": ("stop",),
    }
    texts: dict[str, Any] = {"input.value": "Ask ana@example.org", "tag.tags": ("ana@example.org", "plain")}
    provider.get_tracer("library").start_span("call", attributes={**kept, **texts}).end()
    assert tracing.flush()
    (span,) = exporter.get_finished_spans()
    found = dict(span.attributes or {})
    assert {name: found[name] for name in kept} == kept
    assert found["input.value"] == "Ask <EMAIL>"
    assert found["tag.tags"] == ["<EMAIL>", "plain"]

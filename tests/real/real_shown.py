"""Do other backends show a trace of our decorators? Real Phoenix and MLflow servers, each in a venv of its own.

A request is traced by `shown_service.py` and sent to the backend instead of the scorer; then the backend is asked for
the question, the passages and the answer that its pages show. A few minutes, 2 GB of packages.
Usage: python tests/real/real_shown.py phoenix|mlflow [--venv FOLDER]
"""

# pyright: basic

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.real.real_pull import PACKAGES, PATIENCE, installed, mlflow_question, running
from tests.real.shown_service import ANSWER, PASSAGES, QUESTION

HERE = Path(__file__).parent


def main() -> int:
    """Run it; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("backend", choices=PACKAGES)
    parser.add_argument(
        "--venv", type=Path, help="a venv that has the package; default: a new one, thrown away"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ragvigil-real-") as folder:
        scratch = Path(folder)
        venv = arguments.venv or installed(arguments.backend, scratch / "venv")
        with running(arguments.backend, venv, scratch) as url:
            missing: list[str] = []
            for more in ("", "openinference"):
                send(url, more)
                missing += [f"{more or 'default'}: {what}" for what in LACKING[arguments.backend](url, more)]
    print(f"{arguments.backend}: {len(missing)} things that it does not show")
    print("\n".join(missing))
    return 1 if missing else 0


def send(url: str, more: str) -> None:
    """Trace the request, sent to this backend."""
    settings = {
        "OTEL_SERVICE_NAME": f"shown-{more}",
        "OTEL_EXPORTER_OTLP_ENDPOINT": url,
        "OTEL_EXPORTER_OTLP_HEADERS": "x-mlflow-experiment-id=0",
        "MORE": more,
        "OTEL_EXPORTER_OTLP_TIMEOUT": "120",
    }
    subprocess.run(
        [sys.executable, str(HERE / "shown_service.py")], env={**os.environ, **settings}, check=True
    )


def eventually(ask: Callable[[], Any]) -> Any:
    """What is found in the end."""
    deadline = time.monotonic() + PATIENCE
    while not (found := ask()):
        assert time.monotonic() < deadline, "the backend does not show what it took"
        time.sleep(0.5)
    return found


def phoenix_lacks(url: str, more: str) -> list[str]:
    """What Phoenix' spans do not have under the names that its pages show."""

    def three() -> dict[str, Any]:
        query = {"query": QUERY, "variables": {}}
        answer = httpx.post(f"{url}/graphql", json=query, timeout=PATIENCE).json()
        edges = answer["data"]["projects"]["edges"][0]["node"]["spans"]["edges"]
        found = {edge["node"]["spanKind"]: edge["node"] for edge in edges[:3]}
        return found if len(edges) >= (6 if more else 3) else {}

    spans = eventually(three)
    attributes = {kind: json.loads(span["attributes"]) for kind, span in spans.items()}
    retriever, model, chain = (attributes.get(kind, {}) for kind in ("retriever", "llm", "chain"))
    shown = retriever.get("retrieval", {}).get("documents") or []
    documents = [
        (one["document"].get("id"), one["document"].get("content"), one["document"].get("score"))
        for one in shown
    ]
    found = {
        "documents of the retriever": documents == list(PASSAGES),
        "input of the retriever": (spans["retriever"]["input"] or {}).get("value") == QUESTION,
        "question": (spans["chain"]["input"] or {}).get("value") == QUESTION,
        "answer": (spans["chain"]["output"] or {}).get("value") == ANSWER,
        "message of the model": ANSWER
        in json.dumps(model.get("llm", {}).get("output_messages"), ensure_ascii=False),
        "model": model.get("llm", {}).get("model_name") == "tiny-chat-1",
        "tokens": (spans["llm"].get("tokenCountTotal") or 0) == 78,
        "session": chain.get("session", {}).get("id") == "c-42",
    }
    return [what for what, there in found.items() if not there]


QUERY = """{ projects { edges { node { spans(first: 10, sort: {col: startTime, dir: desc}) { edges { node {
  name spanKind attributes input { value } output { value } tokenCountTotal } } } } } } }"""


def mlflow_lacks(url: str, more: str) -> list[str]:
    """What MLflow's trace does not have."""
    spans = eventually(lambda: _mlflow_spans(url, 2 if more else 1))
    told = {str(span["name"]).partition(" ")[0]: json.dumps(span, ensure_ascii=False) for span in spans}
    retriever, model, chain = (told.get(name, "") for name in ("retrieval", "chat", "invoke_workflow"))
    found = {
        "documents of the retriever": all(text in retriever for _, text, _ in PASSAGES),
        "question": QUESTION in chain,
        "answer": ANSWER in chain,
        "answer of the model": ANSWER in model,
        "tokens": "61" in model and "17" in model,
    }
    return [what for what, there in found.items() if not there]


def _mlflow_spans(url: str, count: int) -> list[dict[str, Any]]:
    """The spans of the latest trace, when there are so many traces."""
    asked = {**mlflow_question("0"), "order_by": ["timestamp_ms DESC"]}
    answer = httpx.post(f"{url}/api/3.0/mlflow/traces/search", json=asked, timeout=PATIENCE).json()
    traces = answer.get("traces") or []
    if len(traces) < count:
        return []
    whole = httpx.get(
        f"{url}/api/3.0/mlflow/traces/batchGet",
        params={"trace_ids": [traces[0]["trace_id"]]},
        timeout=PATIENCE,
    ).json()
    spans: list[dict[str, Any]] = whole["traces"][0].get("spans") or []
    return spans if len(spans) == 3 else []


LACKING: dict[str, Callable[[str, str], list[str]]] = {"phoenix": phoenix_lacks, "mlflow": mlflow_lacks}


if __name__ == "__main__":
    sys.exit(main())

"""`ragvigil pull` against real servers: Phoenix and MLflow from their packages, each in a venv of its own.

Sends the repository's traces (and for MLflow traces of its own SDK), pulls them back, and holds the records
against those of the files. `--record` renews the answers in tests/fixtures/pull, which the fast tests use.
A few minutes, 2 GB of packages. Usage: python tests/real/real_pull.py phoenix|mlflow [--venv FOLDER] [--record]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterable
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.ports import free_port

from ragvigil.scorer.offline.read import as_json, read_files

HERE = Path(__file__).parent
TRACES = sorted((HERE.parent / "fixtures" / "traces").glob("*.pb"))
RECORDED = HERE.parent / "fixtures" / "pull"
PACKAGES = {"phoenix": "arize-phoenix==20.26.1", "mlflow": "mlflow==3.17.2"}
FORGOTTEN = {"phoenix": {"service", "service_version"}, "mlflow": set[str]()}
"""What the backend does not keep."""
OPENLLMETRY = {
    "901ce8aadbea38c4": {"dialect", "documents"},
    "00059fd533cfd575": {"dialect"},
    "3f2cbc18c93b72f8": {"dialect"},
}
LLAMA_INDEX = ("265f1701ee58c965", "bf5b5006419ad2bb", "7cbe98d4da7ea576", "07c3f7396ea49fca")
OPENLIT = {"b18e14b4f53e4cf8": {"dialect"}, "32d67a8bb8ac4894": {"dialect"}}
FORGOTTEN_OF = {
    "phoenix": OPENLLMETRY | OPENLIT,
    "mlflow": OPENLLMETRY | OPENLIT | {span: {"dialect"} for span in LLAMA_INDEX},
}
"""The same of some spans: both backends write their own attributes beside, and drop the scope that tells a list."""
OWN_TRACES = 5
PATIENCE = 900.0
"""On a busy machine a server that is new takes more than five minutes to load its own modules."""
PROTOBUF = {"content-type": "application/x-protobuf"}


def main() -> int:
    """Run it; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("backend", choices=PACKAGES)
    parser.add_argument(
        "--venv", type=Path, help="a venv that has the package; default: a new one, thrown away"
    )
    parser.add_argument("--record", action="store_true", help="renew tests/fixtures/pull")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ragvigil-real-") as folder:
        scratch = Path(folder)
        venv = arguments.venv or installed(arguments.backend, scratch / "venv")
        with running(arguments.backend, venv, scratch) as url:
            fill(arguments.backend, url, venv)
            pulled = scratch / "pulled.jsonl"
            command = [sys.executable, "-m", "ragvigil.scorer", "pull", arguments.backend, "--url", url]
            subprocess.run([*command, "--since", "2026-01-01", "--out", str(pulled)], check=True)
            if arguments.record:
                record(arguments.backend, url)
        return compare(arguments.backend, pulled)


def installed(backend: str, venv: Path) -> Path:
    """A new venv with the backend."""
    subprocess.run([sys.executable, "-m", "uv", "venv", "-q", str(venv)], check=True)
    install = [sys.executable, "-m", "uv", "pip", "install", "-q", "--python", str(venv / "bin" / "python")]
    subprocess.run([*install, PACKAGES[backend]], check=True)
    return venv


@contextlib.contextmanager
def running(backend: str, venv: Path, scratch: Path) -> Generator[str]:
    """The backend's server on free ports; its address."""
    with contextlib.ExitStack() as stack:
        port = free_port()
        process = started(backend, venv, scratch, port, free_port())
        stack.callback(ended, process, signal.SIGTERM)
        url = f"http://127.0.0.1:{port}"
        wait_for(f"{url}/{'healthz' if backend == 'phoenix' else 'health'}")
        yield url


def started(backend: str, venv: Path, scratch: Path, port: int, grpc: int) -> subprocess.Popen[bytes]:
    """The backend's server, which may not answer yet."""
    bin_folder = venv.absolute() / "bin"
    commands = {
        "phoenix": [str(bin_folder / "phoenix"), "serve"],
        "mlflow": [
            str(bin_folder / "mlflow"),
            "server",
            f"--port={port}",
            "--workers=1",
            f"--backend-store-uri=sqlite:///{scratch}/mlflow.db",
            f"--default-artifact-root={scratch}/artifacts",
        ],
    }
    environment = {
        **os.environ,
        "PHOENIX_WORKING_DIR": str(scratch),
        "PHOENIX_HOST": "127.0.0.1",
        "PHOENIX_PORT": str(port),
        "PHOENIX_GRPC_PORT": str(grpc),
        "PHOENIX_TELEMETRY_ENABLED": "false",
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
    }
    with (scratch / "server.log").open("ab") as log:
        return subprocess.Popen(
            commands[backend], env=environment, stdout=log, stderr=log, cwd=scratch, start_new_session=True
        )


def ended(process: subprocess.Popen[bytes], number: int) -> None:
    """Send the signal to the server and all that it started, and wait for it."""
    os.killpg(process.pid, number)
    process.wait(PATIENCE)


def fill(backend: str, url: str, venv: Path) -> None:
    """Send the repository's traces, and some that MLflow's SDK makes."""
    headers = PROTOBUF | {"x-mlflow-experiment-id": "0"}
    for path in TRACES:
        httpx.post(
            f"{url}/v1/traces", content=path.read_bytes(), headers=headers, timeout=PATIENCE
        ).raise_for_status()
    if backend == "mlflow":
        own = [str(venv / "bin" / "python"), str(HERE / "mlflow_service.py")]
        subprocess.run(own, env={**os.environ, "MLFLOW_TRACKING_URI": url}, check=True)
    else:
        deadline = time.monotonic() + PATIENCE
        while len(phoenix_spans(url)) < sum(map(span_count, TRACES)):
            assert time.monotonic() < deadline, "Phoenix does not show what it took"
            time.sleep(0.5)


def phoenix_spans(url: str) -> list[object]:
    """Spans that Phoenix shows."""
    answer = httpx.get(f"{url}/v1/projects/default/spans/otlpv1", params={"limit": 1000}, timeout=PATIENCE)
    found: list[object] = answer.json().get("data", [])
    return found


def span_count(path: Path) -> int:
    """Spans of a file."""
    from ragvigil.scorer.span import spans_of

    return len(spans_of(path.read_bytes()))


def compare(backend: str, pulled: Path) -> int:
    """Say each difference between pulled records and those of the files; 1 when there is one."""
    original = {str(one["span_id"]): one for one in map(as_json, read_files(TRACES))}
    found = {str(one["span_id"]): one for one in map(as_json, read_files([pulled]))}
    problems = list(differences(original, found, FORGOTTEN[backend], FORGOTTEN_OF[backend]))
    own = [one for key, one in found.items() if key not in original]
    if backend == "mlflow":
        complete = [one for one in own if one["query"] and (one["answer"] or one["error"])]
        if len(complete) != OWN_TRACES:
            problems.append(f"{len(complete)} of {OWN_TRACES} traces of MLflow's own SDK are complete")
    print(f"{backend}: {len(original)} records sent, {len(found)} pulled, {len(problems)} differences")
    print("\n".join(problems))
    return 1 if problems else 0


def differences(
    original: dict[str, dict[str, object]],
    found: dict[str, dict[str, object]],
    forgotten: set[str],
    forgotten_of: dict[str, set[str]],
) -> Iterable[str]:
    """In words; a microsecond is none."""
    for key, sent in original.items():
        got = found.get(key, {})
        for name, value in sent.items():
            if name == "started_at":
                if abs(int(str(got.get(name, 0))) - int(str(value))) > 1_000:
                    yield f"{key} {name}: {value} is {got.get(name)}"
            elif name not in forgotten | forgotten_of.get(key, set()) and got.get(name) != value:
                yield f"{key} {name}: {value!r} is {got.get(name)!r}"


def record(backend: str, url: str) -> None:
    """Renew the recorded answers: two traces, without the paths of this machine."""
    client = httpx.Client(base_url=url, timeout=PATIENCE)
    ids = {path.stem: trace_id(path) for path in TRACES}
    wanted = [ids["langchain_session"], ids["haystack_error"]]
    answers: dict[str, object] = {}
    if backend == "phoenix":
        for name in ("spans/otlpv1", "spans"):
            spans = client.get(f"/v1/projects/default/{name}", params={"trace_id": wanted, "limit": 100})
            answers[f"phoenix_{name.replace('/', '_')}.json"] = spans.json()
    else:
        own = client.post("/api/3.0/mlflow/traces/search", json=mlflow_question("1")).json()["traces"]
        answers["mlflow_search.json"] = {"traces": own}
        whole = client.get(
            "/api/3.0/mlflow/traces/batchGet",
            params={"trace_ids": [*(one["trace_id"] for one in own), *(f"tr-{one}" for one in wanted)]},
        )
        answers["mlflow_batch_get.json"] = whole.json()
    for name, answer in answers.items():
        text = json.dumps(answer, ensure_ascii=False, indent=1) + "\n"
        (RECORDED / name).write_text(re.sub(r"(/[\w.-]+)+/(artifacts|[\w-]+\.py|lib/)", r"/app/\2", text))


def mlflow_question(experiment: str) -> dict[str, object]:
    """All traces of an experiment."""
    place = {"type": "MLFLOW_EXPERIMENT", "mlflow_experiment": {"experiment_id": experiment}}
    return {"locations": [place], "max_results": 100, "order_by": ["timestamp_ms ASC"]}


def trace_id(path: Path) -> str:
    """Of the one trace in a file."""
    return str(as_json(read_files([path])[0])["trace_id"])


def wait_for(url: str) -> None:
    """Until the server answers."""
    deadline = time.monotonic() + PATIENCE
    while True:
        with contextlib.suppress(httpx.TransportError):
            if httpx.get(url, timeout=5).is_success:
                return
        assert time.monotonic() < deadline, f"{url} does not answer"
        time.sleep(0.5)


if __name__ == "__main__":
    sys.exit(main())

"""`ragvigil pull` from a real Phoenix that is written to meanwhile; the pull is killed again and again, then Phoenix.

Every span that Phoenix had taken when the pull ended, and that began in its window, must be in the file, once. Each
trace comes in two requests, as of a service whose exporter sends what has ended: the searches, then the root.
Three minutes, 2 GB of packages. Usage: python tests/real/real_pull_interrupted.py [--venv FOLDER]
"""

from __future__ import annotations

import argparse
import json
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.ports import free_port
from tests.real.real_pull import PATIENCE, PROTOBUF, ended, installed, started, wait_for

from ragvigil.scorer.offline.read import traces_in

BEFORE = 800
"""Traces that Phoenix has when the pull begins."""
SPANS = 5
KILLS = 6
INSERTED = 10.0
"""Seconds after which Phoenix shows what it acknowledged; it is before it stores it."""
TOOK = 4.0
"""Seconds from the beginning of a trace to the end of its root."""


@dataclass
class Phoenix:
    """A server that is killed and started again over the same folder and port."""

    venv: Path
    scratch: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self.process = started("phoenix", self.venv, self.scratch, self.port, free_port())
        wait_for(f"{self.url}/healthz")

    def wait_for_spans(self, count: int) -> None:
        """Until it has stored so many: it acknowledges before it does."""
        deadline = time.monotonic() + PATIENCE
        while True:
            with closing(sqlite3.connect(self.scratch / "phoenix.db")) as connection:
                (stored,) = connection.execute("SELECT count(*) FROM spans").fetchone()
            if stored >= count:
                return
            assert time.monotonic() < deadline, f"Phoenix stored {stored} of {count} spans"
            time.sleep(1.0)

    def kill(self) -> None:
        """As a machine that fails does."""
        assert self.process is not None
        ended(self.process, signal.SIGKILL)


class Service:
    """Writes traces, and knows which spans were acknowledged and when they began."""

    def __init__(self, phoenix: Phoenix) -> None:
        self._phoenix = phoenix
        self._client = httpx.Client(timeout=PATIENCE)
        self._number = 0
        self.taken: dict[bytes, tuple[int, float]] = {}
        """When each span began that was acknowledged, and when it was (Unix nanoseconds, seconds)."""
        self.stopped = threading.Event()

    def send(self, traces: int) -> None:
        """Past traces, whole."""
        request = ExportTraceServiceRequest()
        for _ in range(traces):
            begin = time.time_ns() - 3_600 * 10**9
            self._fill(request, begin, range(SPANS))
        self._post(request)

    def go_on(self) -> None:
        """Twice a second a trace whose searches end at once and whose root ends `TOOK` later."""
        waiting: list[tuple[float, ExportTraceServiceRequest]] = []
        while not self.stopped.is_set() or waiting:
            if not self.stopped.is_set():
                searches, root = ExportTraceServiceRequest(), ExportTraceServiceRequest()
                begin = time.time_ns()
                self._fill(searches, begin, range(1, SPANS))
                self._number -= 1
                self._fill(root, begin, range(1))
                self._post(searches)
                waiting.append((time.monotonic() + TOOK, root))
            while waiting and waiting[0][0] <= time.monotonic():
                self._post(waiting.pop(0)[1])
            time.sleep(0.5)

    def _fill(self, request: ExportTraceServiceRequest, begin: int, numbers: range) -> None:
        self._number += 1
        trace_id = self._number.to_bytes(16, "big")
        spans = request.resource_spans.add().scope_spans.add().spans
        for number in numbers:
            span = spans.add(
                trace_id=trace_id,
                span_id=(self._number * SPANS + number).to_bytes(8, "big"),
                parent_span_id=b"" if number == 0 else (self._number * SPANS).to_bytes(8, "big"),
                name=f"step {number}",
                start_time_unix_nano=begin + number * 10**6,
                end_time_unix_nano=begin + 10**9,
            )
            span.attributes.add(key="input.value").value.string_value = "What? " * 50

    def _post(self, request: ExportTraceServiceRequest) -> None:
        """Until it is taken, as exporters do."""
        while True:
            try:
                answer = self._client.post(
                    f"{self._phoenix.url}/v1/traces", content=request.SerializeToString(), headers=PROTOBUF
                )
            except httpx.TransportError:
                answer = None
            if answer is not None and answer.is_success:
                break
            time.sleep(0.5)
        for entry in request.resource_spans:
            for span in entry.scope_spans[0].spans:
                self.taken[span.span_id] = (span.start_time_unix_nano, time.time())


def main() -> int:
    """Run it; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--venv", type=Path, help="a venv that has Phoenix; default: a new one, thrown away")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ragvigil-real-") as folder:
        scratch = Path(folder)
        venv = arguments.venv or installed("phoenix", scratch / "venv")
        phoenix = Phoenix(venv, scratch)
        phoenix.start()
        service = Service(phoenix)
        for _ in range(BEFORE // 50):
            service.send(50)
        phoenix.wait_for_spans(len(service.taken))
        writing = threading.Thread(target=service.go_on)
        writing.start()
        time.sleep(TOOK)
        try:
            pulled = scratch / "pulled.jsonl"
            until = interrupted(phoenix, pulled)
            ended_at = time.time()
        finally:
            service.stopped.set()
            writing.join()
            phoenix.kill()
        return compare(service, pulled, until, ended_at)


def interrupted(phoenix: Phoenix, pulled: Path) -> int:
    """Pull over all interruptions; until when is pulled, Unix nanoseconds."""
    command = [sys.executable, "-m", "ragvigil.scorer", "pull", "phoenix", "--url", phoenix.url]
    command += ["--since", "1d", "--out", str(pulled)]
    note = pulled.with_name(f"{pulled.name}.pull")
    chance = random.Random(0)
    for _ in range(KILLS):
        process = subprocess.Popen(command)
        written_anew(note, process)
        time.sleep(chance.uniform(0.0, 0.1))
        process.kill()
        print("killed" if process.wait() == -signal.SIGKILL else "ended before it was killed", flush=True)
    process = subprocess.Popen(command)
    written_anew(note, process)
    until: int = json.loads(note.read_bytes())["until"]
    phoenix.kill()
    print("Phoenix killed", flush=True)
    phoenix.start()
    if process.wait():
        print("Phoenix was away for longer than the pull tries again: once more", flush=True)
        assert subprocess.run(command, check=False).returncode == 0, "the pull failed"
    return until


def written_anew(note: Path, process: subprocess.Popen[bytes]) -> None:
    """Wait until a page more is noted, or the pull is done."""
    before = note.stat().st_mtime_ns if note.exists() else 0
    while process.poll() is None:
        if note.exists() and note.stat().st_mtime_ns != before:
            return
        time.sleep(0.002)


def compare(service: Service, pulled: Path, until: int, ended_at: float) -> int:
    """Say what is missing, twice or unknown; 1 when there is anything."""
    found = Counter(span.span_id for spans, _ in traces_in([pulled]) for span in spans)
    lines = Counter(re.findall(rb'"spanId": "([0-9a-f]{16})"', pulled.read_bytes()))
    wanted = {
        span_id.hex()
        for span_id, (began, taken_at) in service.taken.items()
        if began < until and taken_at < ended_at - INSERTED
    }
    missing = sorted(wanted - found.keys())
    twice = sorted(span_id.decode() for span_id, count in lines.items() if count > 1)
    print(f"{len(wanted)} spans wanted, {len(found)} pulled; {len(missing)} missing, {len(twice)} twice")
    print("missing:", *missing[:10], "twice:", *twice[:10])
    return 1 if missing or twice else 0


if __name__ == "__main__":
    sys.exit(main())

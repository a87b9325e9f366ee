"""Sends answers that have nothing in common: memory, threads, files and the store stay flat, and production is watched.

    python tests/soak/soak_memory.py [--minutes 10] [--rate 50]

Whatever may differ does: words, people, conversations, hosts, versions, models, names of spans and of attributes. One
question in twenty is asked in a preview environment that nobody ever saw, one in a hundred of a service of that kind.
The ceiling of the disk is low, so that content goes while more comes. Both processes are looked at twenty times; ends
with 1 when one of them holds a tenth more at the end than in the middle, when something was refused, when the store
outgrew its ceiling, when the ledger does not balance, or when production has no sequential detector.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.ports import free_port

from ragvigil.scorer.store.detected import detectors
from ragvigil.scorer.store.reading import ledger, open_for_reading

LOOKS = 20
MOST_GROWTH = 1.1
CEILING = 40 * 2**20
BATCH = 20
SERVICES = 12
DETECTORS = 30
SYLLABLES = (
    "ka",
    "ri",
    "to",
    "men",
    "sol",
    "dra",
    "vi",
    "lu",
    "zen",
    "por",
    "tas",
    "mi",
    "ge",
    "hol",
    "ny",
    "quo",
)
SETTINGS = {
    "RAGVIGIL_ASSEMBLE__QUIET_SECONDS": "0.5",
    "RAGVIGIL_RETENTION__MAX_DISK_BYTES": str(CEILING),
    "RAGVIGIL_DETECT__MOST_PLACES": str(DETECTORS),
    "RAGVIGIL_DETECT__BATCH_SECONDS": "60",
    "RAGVIGIL_DETECT__SETTLE_SECONDS": "1",
}


class Held(NamedTuple):
    """What a process holds."""

    megabytes: float
    threads: int
    files: int


class Traffic:
    """Requests without end, none like another."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)
        self._common = [self._word() for _ in range(3_000)]
        self.sent = 0

    def request(self) -> tuple[bytes, str]:
        """A serialised request of twenty traces, and the id of the last."""
        request = ExportTraceServiceRequest()
        for _ in range(BATCH):
            self.sent += 1
            spans = request.resource_spans.add()
            self._describe(spans.resource)
            scope = spans.scope_spans.add()
            passages = ["".join(self._sentence() for _ in range(3)) for _ in range(4)]
            told = self._dice.choice((passages[2][:100], self._sentence()))
            answer = f"{passages[0][:120]} [1]. {told} [3]."
            question = self._sentence().rstrip(". ") + "?"
            steps = (
                ("RETRIEVER", self._found(passages)),
                ("LLM", self._spent(answer)),
                ("CHAIN", self._asker(answer)),
            )
            for place, (kind, attributes) in enumerate(steps, 1):
                self._span(scope.spans.add(), place, kind, {"input.value": question, **attributes})
        return request.SerializeToString(), f"{self.sent:032x}"

    def _describe(self, resource: Resource) -> None:
        number = self.sent
        service = f"{self._word()}-{number}" if number % 100 == 0 else f"service-{number % SERVICES}"
        environment = f"pr-{number}" if number % 20 == 0 else "production"
        told = {
            "service.name": service,
            "deployment.environment.name": environment,
            "host.name": f"pod-{number}",
        }
        told |= {"service.version": f"1.{number // 500}", "service.instance.id": f"{self._word()}-{number}"}
        for key, value in told.items():
            resource.attributes.add(key=key).value.string_value = value

    def _found(self, passages: list[str]) -> dict[str, str | int]:
        name = "retrieval.documents.{}.document.{}"
        texts = {name.format(rank, "content"): text for rank, text in enumerate(passages)}
        return {
            **texts,
            **{name.format(rank, "id"): f"{self._word()}-{self.sent}-{rank}" for rank in range(4)},
        }

    def _spent(self, answer: str) -> dict[str, str | int]:
        model = f"model-{self.sent // 2_000}"
        return {"output.value": answer, "llm.model_name": model, "llm.token_count.prompt": self.sent}

    def _asker(self, answer: str) -> dict[str, str | int]:
        asker = {"session.id": f"conversation-{self.sent // 3}", "user.id": f"user-{self.sent}"}
        return {"output.value": answer, **asker, f"{self._word()}.{self.sent}": self._word()}

    def _span(self, span: Span, place: int, kind: str, attributes: Mapping[str, str | int]) -> None:
        span.trace_id = self.sent.to_bytes(16, "big")
        span.span_id = (self.sent << 3 | place).to_bytes(8, "big")
        span.parent_span_id = b"" if kind == "CHAIN" else (self.sent << 3 | 3).to_bytes(8, "big")
        span.name = f"{kind} {self._word()} {self.sent}"
        span.start_time_unix_nano = time.time_ns() - 3 * 10**9 + place * 10**7
        span.end_time_unix_nano = span.start_time_unix_nano + 5 * 10**8
        for key, value in {"openinference.span.kind": kind, **attributes}.items():
            put = span.attributes.add(key=key).value
            if isinstance(value, str):
                put.string_value = value
            else:
                put.int_value = value

    def _word(self) -> str:
        return "".join(self._dice.choices(SYLLABLES, k=self._dice.randint(2, 4)))

    def _sentence(self) -> str:
        words = (
            self._dice.choice(self._common) if self._dice.random() < 0.9 else self._word() for _ in range(17)
        )
        return f"{' '.join(words).capitalize()} {self._dice.randrange(10_000)}. "


def held(pid: int) -> Held:
    """What that process holds now."""
    process = Path(f"/proc/{pid}")
    lines = (process / "status").read_text().splitlines()
    told = dict(line.split(":", 1) for line in lines if ":" in line)
    files = sum(1 for _ in (process / "fd").iterdir())
    return Held(int(told["VmRSS"].split()[0]) / 1024, int(told["Threads"]), files)


def post(connection: http.client.HTTPConnection, path: str, body: bytes, kind: str) -> bool:
    """Whether it was taken."""
    connection.request("POST", path, body, {"Content-Type": kind})
    answer = connection.getresponse()
    answer.read()
    return answer.status < http.HTTPStatus.MULTIPLE_CHOICES


def fed(port: int, pids: list[int], minutes: float, rate: float) -> tuple[list[list[Held]], int]:
    """What each process held at each look, and how much was refused."""
    traffic, connection, refused = Traffic(7), http.client.HTTPConnection("127.0.0.1", port, timeout=60), 0
    looks: list[list[Held]] = []
    began = time.monotonic()
    while len(looks) < LOOKS:
        body, last = traffic.request()
        refused += not post(connection, "/v1/traces", body, "application/x-protobuf")
        told = {"trace_id": last, "kind": "thumbs", "value": "down", "id": f"vote-{last}"}
        refused += not post(connection, "/v1/feedback", json.dumps(told).encode(), "application/json")
        connection.request("GET", "/metrics")
        connection.getresponse().read()
        time.sleep(max(0.0, began + traffic.sent / rate - time.monotonic()))
        if time.monotonic() - began >= minutes * 60 * (len(looks) + 1) / LOOKS:
            looks.append([held(pid) for pid in pids])
            shown = "   ".join(
                f"{one.megabytes:.0f} MB, {one.threads} threads, {one.files} files" for one in looks[-1]
            )
            print(f"{traffic.sent:>8,} answers   {shown}", flush=True)
    return looks, refused


def faults(looks: list[list[Held]], refused: int, store: Path) -> list[str]:
    """What is not as it must be."""
    found = [f"{refused} requests were refused"] * bool(refused)
    for name, middle, end in zip(("receive", "score"), looks[LOOKS // 2 - 1], looks[-1], strict=True):
        pairs = zip(middle, end, strict=True)
        found += [f"{name}: {was} -> {now}" for was, now in pairs if now > MOST_GROWTH * was + 1]
    if store.stat().st_size > 1.5 * CEILING:
        found.append(f"the store takes {store.stat().st_size:,} bytes")
    with closing(open_for_reading(store)) as connection:
        if not ledger(connection).balanced:
            found.append("the ledger does not balance")
        watched = {place for place, state in detectors(connection) if state is not None}
    production = {place.service for place in watched if place.environment == "production"}
    missing = {f"service-{number}" for number in range(SERVICES)} - production
    return found + [f"{service} has no detector in production" for service in sorted(missing)]


def main() -> None:
    """Start it, feed it, look at it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--rate", type=float, default=50.0, help="answers a second")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ragvigil-soak-") as folder:
        store, port = Path(folder) / "soak.db", free_port()
        command = [
            sys.executable,
            "-m",
            "ragvigil.scorer",
            "serve",
            "--json",
            "--store",
            f"sqlite:///{store}",
        ]
        command += ["--grpc", "127.0.0.1:0", "--http", f"127.0.0.1:{port}"]
        with (Path(folder) / "log").open("w") as log:
            scorer = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log, text=True, env={**os.environ, **SETTINGS}
            )
            assert scorer.stdout is not None
            scorer.stdout.readline()
            time.sleep(2.0)  # until its score process is there
            children = Path(f"/proc/{scorer.pid}/task/{scorer.pid}/children").read_text().split()
            looks, refused = fed(port, [scorer.pid, *map(int, children)], options.minutes, options.rate)
            scorer.terminate()
            scorer.wait(120)
            scorer.stdout.close()
        found = faults(looks, refused, store)
    print("\n".join(found) or "flat")
    raise SystemExit(bool(found))


if __name__ == "__main__":
    main()

"""Kills a scorer under load, again and again, and then asks whether anything acknowledged is missing.

    python tests/soak/soak_kills.py [--kills 200] [--minutes 20] [--seed N]

At random moments both processes, the receiving one or the scoring one get SIGKILL; what is gone is started again.
Meanwhile traces arrive in two requests each, the root apart from its children, and each request is sent again
until it is acknowledged, as exporters do; others are appended to a file that is followed, where each whole line
counts as acknowledged. Ends with 1 when an acknowledged span is missing, a span is stored
twice, a trace has more than one record, or the ledger does not balance.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, TracesData

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.ports import free_port

from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.store._packing import unpack
from ragvigil.scorer.store.reading import Ledger, ledger, open_for_reading

VICTIMS = ("both", "receive", "score")
BATCH = 4
SENDERS = 3
FILE_SENDER = SENDERS + 1
QUIET = {"RAGVIGIL_ASSEMBLE__QUIET_SECONDS": "0.1", "RAGVIGIL_ASSEMBLE__ROOTLESS_SECONDS": "1"}
STALLED_SECONDS = 60.0
"""Seconds of looking, not of the clock: who stops the soak for a while stops its scorer, too."""

Key = tuple[bytes, bytes]
"""Trace id and span id."""


@dataclass
class Scorer:
    """A `ragvigil serve` that is killed and started again over the same store and address."""

    folder: Path
    port: int
    process: subprocess.Popen[str] | None = None
    grpc_port: int = 0

    @property
    def store(self) -> Path:
        """Its database."""
        return self.folder / "soak.db"

    @property
    def followed(self) -> Path:
        """The file that it follows."""
        return self.folder / "followed.jsonl"

    def start(self) -> None:
        """Start it, and wait until it takes requests."""
        command = [sys.executable, "-m", "ragvigil.scorer", "serve", "--json"]
        command += ["--store", f"sqlite:///{self.store}"]
        command += ["--grpc", f"127.0.0.1:{self.grpc_port}", "--http", f"127.0.0.1:{self.port}"]
        with (self.folder / "log").open("a") as log:
            followed = {
                "RAGVIGIL_SOURCES__FILES": str(self.followed),
                "RAGVIGIL_SOURCES__POLL_SECONDS": "0.2",
            }
            environment = {**os.environ, **QUIET, **followed}
            self.process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log, text=True, env=environment
            )
        assert self.process.stdout is not None
        if not self.process.stdout.readline():
            raise SystemExit(f"the scorer did not start:\n{self.log()[-2_000:]}")

    def kill(self, victim: str) -> str:
        """SIGKILL to those processes; who really got it."""
        assert self.process is not None
        child = self._child()
        if victim == "score":
            if child is None:
                return "nobody"
            _kill(child)
            return victim
        self.process.kill()
        if victim == "both" and child is not None:
            _kill(child)
        self._reap()
        self.start()
        return victim

    def stop(self) -> None:
        """End it as an operator does."""
        assert self.process is not None
        self.process.terminate()
        self._reap()

    def log(self) -> str:
        """All that it wrote to standard error."""
        return (self.folder / "log").read_text(errors="replace")

    def _child(self) -> int | None:
        assert self.process is not None
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return int(children[0]) if children else None

    def _reap(self) -> None:
        assert self.process is not None
        self.process.wait(60)
        assert self.process.stdout is not None
        self.process.stdout.close()


def _kill(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return


@dataclass
class Load:
    """Senders that never give up, and what was acknowledged to them."""

    port: int
    pause: float
    acked: set[Key] = field(default_factory=set[Key])
    resent: int = 0
    written: int = 0
    """Spans appended to the followed file."""
    ended: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, sender: int) -> None:
        """Send until `ended`; what was begun is finished."""
        number = sender << 40
        while not self.ended.is_set():
            traces = [trace_of(number := number + 1) for _ in range(BATCH)]
            for part in ([span for spans in traces for span in spans[:-1]], [spans[-1] for spans in traces]):
                self._deliver(part)
            time.sleep(self.pause)

    def write(self, file: Path) -> None:
        """Append to a followed file until `ended`, as a Collector's file exporter does."""
        number = FILE_SENDER << 40
        with file.open("a", encoding="utf-8") as lines:
            while not self.ended.is_set():
                spans = trace_of(number := number + 1)
                for part in (spans[:-1], spans[-1:]):
                    lines.write(json.dumps(as_json(part)) + "\n")
                    lines.flush()
                    with self._lock:
                        self.acked.update((span.trace_id, span.span_id) for span in part)
                        self.written += len(part)
                time.sleep(self.pause)

    def _deliver(self, spans: Sequence[Span]) -> None:
        request = ExportTraceServiceRequest()
        resource = request.resource_spans.add()
        resource.resource.attributes.add(key="service.name").value.string_value = "soak"
        resource.scope_spans.add().spans.extend(spans)
        body = request.SerializeToString()
        while not self._acked(body):
            with self._lock:
                self.resent += 1
            time.sleep(0.05)
        with self._lock:
            self.acked.update((span.trace_id, span.span_id) for span in spans)

    def _acked(self, body: bytes) -> bool:
        headers = {"Content-Type": "application/x-protobuf"}
        try:
            with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)) as connection:
                connection.request("POST", "/v1/traces", body, headers)
                answer = connection.getresponse()
                answer.read()
        except (OSError, http.client.HTTPException):
            return False
        return answer.status == http.HTTPStatus.OK


def trace_of(number: int) -> list[Span]:
    """Retriever, generator and root of one question, the root last."""
    passage = f"Part {number} costs {number % 90 + 3} euros."
    question, answer = f"What does part {number} cost?", f"{passage[:-1]} [p1]."
    texts = (
        (
            "RETRIEVER",
            {"retrieval.documents.0.document.id": "p1", "retrieval.documents.0.document.content": passage},
        ),
        ("LLM", {"output.value": answer}),
        ("CHAIN", {"input.value": question, "output.value": answer}),
    )
    spans: list[Span] = []
    for place, (kind, attributes) in enumerate(texts, 1):
        span = Span(trace_id=number.to_bytes(16, "big"), span_id=_span_id(number, place), name=kind)
        span.parent_span_id = b"" if kind == "CHAIN" else _span_id(number, len(texts))
        span.start_time_unix_nano = span.end_time_unix_nano = time.time_ns()
        for key, value in {"openinference.span.kind": kind, **attributes}.items():
            span.attributes.add(key=key).value.string_value = value
        spans.append(span)
    return spans


def as_json(spans: Sequence[Span]) -> dict[str, object]:
    """The spans as one request in OTLP JSON."""
    plain = [
        {
            "traceId": span.trace_id.hex(),
            "spanId": span.span_id.hex(),
            "parentSpanId": span.parent_span_id.hex(),
            "name": span.name,
            "startTimeUnixNano": str(span.start_time_unix_nano),
            "endTimeUnixNano": str(span.end_time_unix_nano),
            "attributes": [
                {"key": pair.key, "value": {"stringValue": pair.value.string_value}}
                for pair in span.attributes
            ],
        }
        for span in spans
    ]
    service = [{"key": "service.name", "value": {"stringValue": "soak-file"}}]
    return {"resourceSpans": [{"resource": {"attributes": service}, "scopeSpans": [{"spans": plain}]}]}


def _span_id(number: int, place: int) -> bytes:
    return ((number << 2 | place) & (2**64 - 1)).to_bytes(8, "big")


@dataclass(frozen=True, slots=True)
class Found:
    """What is in the store at the end."""

    spans: set[Key]
    records: int
    twice: int
    """Traces with more than one record."""
    copies: int
    """Spans that are stored more than once."""
    ledger: Ledger


def look(store: Path) -> Found:
    """Everything in the store."""
    with closing(open_for_reading(store)) as connection:
        spans = Counter[Key]()
        for (packed,) in connection.execute("SELECT spans FROM traces"):
            spans.update(_keys(TracesData.FromString(unpack(packed))))
        per_trace = Counter(row[0] for row in connection.execute("SELECT trace_id FROM records"))
        twice = sum(count > 1 for count in per_trace.values())
        copies = spans.total() - len(spans)
        return Found(set(spans), per_trace.total(), twice, copies, ledger(connection))


def _keys(data: TracesData) -> Iterator[Key]:
    for resource in data.resource_spans:
        for scope in resource.scope_spans:
            yield from ((span.trace_id, span.span_id) for span in scope.spans)


def settle(store: Path, acked: set[Key], *, look_again: float = 1.0) -> Found | None:
    """The store once nothing is missing or waits, or once nothing has changed for STALLED_SECONDS."""
    found, before, unchanged = None, (-1, -1), 0.0
    while unchanged < STALLED_SECONDS:
        time.sleep(look_again)
        unchanged += look_again
        try:
            found = look(store)
        except StoreError:
            continue
        pending = found.ledger.states.get("pending", 0)
        if acked <= found.spans and not pending and found.records >= len({trace for trace, _ in acked}):
            return found
        if (now := (len(found.spans), pending)) != before:
            before, unchanged = now, 0.0
    return found


def kill_often(
    scorer: Scorer, kills: int, deadline: float, dice: random.Random, *, longest_pause: float = 2.0
) -> Counter[str]:
    """Kills by victim."""
    done: Counter[str] = Counter()
    while done.total() - done["nobody"] < kills and time.monotonic() < deadline:
        time.sleep(dice.uniform(0.05, longest_pause))
        done[scorer.kill(dice.choice(VICTIMS))] += 1
    return done


def report(found: Found | None, load: Load, killed: Counter[str], log: str, seconds: float) -> bool:
    """Print what was found; whether all held."""
    acked = load.acked
    missing = acked - found.spans if found else acked
    victims = ", ".join(f"{name} {killed[name]}" for name in VICTIMS)
    print(f"kills             {sum(killed[name] for name in VICTIMS)} ({victims}) in {seconds:.0f} s")
    print(f"acked             {len(acked):,} spans of {len({trace for trace, _ in acked}):,} traces")
    print(f"of these followed {load.written:,} spans in a file")
    print(f"requests resent   {load.resent:,}")
    from_file = sum(int.from_bytes(trace, "big") >> 40 == FILE_SENDER for trace, _ in missing)
    print(f"acked and missing {len(missing):,}, {from_file:,} of them from the file")
    if found is None:
        print("there is no store")
        return False
    print(f"records           {found.records:,}, traces with more than one {found.twice:,}")
    print(f"stored twice      {found.copies:,} spans")
    print(f"ledger            {found.ledger.states}, balanced {found.ledger.balanced}")
    tracebacks = log.split("Traceback (most recent call last)")[1:]
    print(
        f"tracebacks logged {len(tracebacks)}"
        + (f", the last one:\n{tracebacks[-1][:2_000]}" if tracebacks else "")
    )
    return not missing and not found.twice and not found.copies and found.ledger.balanced


def main() -> int:
    """Run the soak; 1 when something did not hold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=20, help="no more kills after so long")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--pause", type=float, default=0.1, help="seconds between two batches of a sender")
    options = parser.parse_args()
    print(f"seed              {options.seed}", flush=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        scorer = Scorer(Path(name), free_port())
        load = Load(scorer.port, options.pause)
        scorer.start()
        senders = [
            threading.Thread(target=load.run, args=(number,), daemon=True) for number in range(SENDERS)
        ]
        senders.append(threading.Thread(target=load.write, args=(scorer.followed,), daemon=True))
        for sender in senders:
            sender.start()
        dice = random.Random(options.seed)
        killed = kill_often(scorer, options.kills, began + 60 * options.minutes, dice)
        seconds = time.monotonic() - began
        load.ended.set()
        for sender in senders:
            sender.join(60)
        found = settle(scorer.store, load.acked)
        scorer.stop()
        return 0 if report(found, load, killed, scorer.log(), seconds) else 1


if __name__ == "__main__":
    sys.exit(main())

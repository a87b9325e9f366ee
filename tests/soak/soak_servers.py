"""Throws hostile traffic at the servers of a running scorer: each is answered or hung up on, and nothing else happens.

    python -m tests.soak.soak_servers [--seconds 60] [--seed N]

Requests with damaged bodies over HTTP and gRPC, in any encoding, compressed or not, with headers that lie; bytes that
are no protocol at all; connections that stop in the middle, close one half, or drip. Ends with 1 when an answer is a
500 or says UNKNOWN or INTERNAL, when a sound request is not taken meanwhile, when a process has ended, or when the
receiving one holds more memory than it may.
"""

from __future__ import annotations

import argparse
import gzip
import http.client
import json
import random
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import grpc
from tests.ports import free_port
from tests.soak.soak_decoders import TOKENS, sound_spans
from tests.soak.soak_kills import Scorer, as_json, trace_of

MOST_BYTES = 300 * 2**20
"""Resident memory of the receiving process, under overload."""
EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
KINDS = ("application/x-protobuf", "application/json", "text/plain", "", "application/json; charset=utf-16")
PATHS = (
    "/v1/traces",
    "/v1/logs",
    "/v1/metrics",
    "/api/public/otel/v1/traces",
    "/v1/feedback",
    "/v1/changes",
    "/no",
)
FINE = {200, 400, 401, 404, 405, 408, 411, 413, 415, 422, 429, 431, 501, 503}
BAD_CODES = {grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL, grpc.StatusCode.DATA_LOSS}

Dice = random.Random


def body(dice: Dice) -> bytes:
    """A request that was sound before it was damaged, or no request at all."""
    if dice.random() < 0.1:
        return dice.randbytes(dice.randrange(2_000))
    if dice.random() < 0.5:
        made = bytearray(sound_spans().SerializeToString())
    else:
        made = bytearray(json.dumps(as_json(trace_of(dice.randrange(1, 10**6)))).encode())
    for _ in range(dice.randrange(6)):
        place = dice.randrange(len(made) + 1)
        made[place : place + dice.randrange(4)] = dice.choice(
            (dice.randbytes(dice.randrange(4)), dice.choice(TOKENS))
        )
    if dice.random() < 0.02:
        made *= dice.randrange(1, 2_000)
    return bytes(made)


def post(dice: Dice, port: int) -> str | None:
    """One request over HTTP; what is wrong with the answer."""
    content, headers = body(dice), {"content-type": dice.choice(KINDS)}
    if dice.random() < 0.4:
        content, headers["content-encoding"] = gzip.compress(content, 1), "gzip"
        if dice.random() < 0.2:
            content = gzip.compress(bytes(dice.randrange(100 * 2**20)), 9)
        content = content[: dice.choice((len(content), len(content) // 2))]
    elif dice.random() < 0.2:
        headers["content-encoding"] = dice.choice(("gzip", "br", "deflate"))
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.request(
            dice.choice(("POST", "POST", "POST", "PUT", "GET")), dice.choice(PATHS), content, headers
        )
        status = connection.getresponse().status
    return None if status in FINE else f"HTTP {status}"


def raw(dice: Dice, port: int) -> str | None:
    """Bytes on a connection that ends badly: cut, half-closed, silent for a moment, or no HTTP at all."""
    head = f"POST {dice.choice(PATHS)} HTTP/1.1\r\nHost: x\r\nContent-Type: {dice.choice(KINDS)}\r\n".encode()
    content = body(dice)
    sent = dice.choice(
        (
            head + b"Content-Length: %d\r\n\r\n" % (len(content) + dice.choice((0, 1, 10**6, -1))) + content,
            head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % dice.choice((len(content), 10**9)) + content,
            head * dice.randrange(1, 50),
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + dice.randbytes(dice.randrange(200)),
            dice.randbytes(dice.randrange(1, 2_000)),
        )
    )
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(sent)
        if dice.random() < 0.5:
            connection.shutdown(socket.SHUT_WR)
        connection.settimeout(dice.choice((0.001, 0.05)))
        while b" 500 " not in (answer := connection.recv(4_096)):
            if not answer:
                return None
        return "HTTP 500 on a raw connection"
    return None


def call(dice: Dice, port: int) -> str | None:
    """One request over gRPC; what is wrong with the answer."""
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        export: Callable[..., bytes] = channel.unary_unary(EXPORT)  # pyright: ignore[reportUnknownVariableType]
        compression = dice.choice((None, grpc.Compression.Gzip))
        try:
            export(body(dice), timeout=60, compression=compression)
        except grpc.RpcError as error:
            code: grpc.StatusCode = error.code()  # pyright: ignore[reportAttributeAccessIssue] - every one has it
            return f"gRPC {code.name}" if code in BAD_CODES else None
    return None


def is_sound(port: int) -> bool:
    """Whether a sound request is taken."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        headers = {"content-type": "application/x-protobuf"}
        connection.request("POST", "/v1/traces", sound_spans().SerializeToString(), headers)
        return connection.getresponse().status == 200


def resident(process: int) -> int:
    """Bytes of memory that the process holds."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024


def main() -> int:
    """Run the soak; 1 when something did not hold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    options = parser.parse_args()
    dice, done, wrong, most = random.Random(options.seed), Counter[str](), Counter[str](), 0
    with tempfile.TemporaryDirectory() as name:
        scorer = Scorer(Path(name), free_port(), grpc_port=free_port())
        scorer.start()
        assert scorer.process is not None
        attacks = [("http", post, scorer.port), ("raw", raw, scorer.port)]
        attacks += [("grpc", call, scorer.grpc_port), ("raw grpc", raw, scorer.grpc_port)]
        end = time.monotonic() + options.seconds
        while time.monotonic() < end:
            kind, attack, port = dice.choice(attacks)
            done[kind] += 1
            with suppress(OSError, http.client.HTTPException):
                if problem := attack(dice, port):
                    wrong[problem] += 1
            if done.total() % 50 == 0:
                wrong["a sound request refused"] += not is_sound(scorer.port)
                most = max(most, resident(scorer.process.pid))
        ended = scorer.process.poll() is not None
        tracebacks = scorer.log().count("Traceback (most recent call last)")
        scorer.stop()
    wrong = +wrong
    print(f"seed {options.seed}; attacks {dict(done)}; wrong {dict(wrong)}; tracebacks logged {tracebacks}")
    print(
        f"most memory {most / 2**20:.0f} MB of {MOST_BYTES / 2**20:.0f}; the receiver {'ended' if ended else 'lives'}"
    )
    return 1 if wrong or ended or most > MOST_BYTES or not most else 0


if __name__ == "__main__":
    sys.exit(main())

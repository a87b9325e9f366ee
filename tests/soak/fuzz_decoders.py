"""Coverage-guided fuzzing of decoders, redaction and dialects: what comes in is read or refused, and nothing else.

    python tests/soak/fuzz_decoders.py [--seconds 120] [--atheris FOLDER]

Atheris is installed into a folder of its own for the run, unless `--atheris` names one that has it; where it cannot
be installed (it has no wheel for every Python) that is said, and nothing is fuzzed.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import cast

ATHERIS = "atheris==3.0.0"
_LONGEST_BYTES = 16_384
_IDS = ("traceId", "spanId", "parentSpanId")

FUZZ = """
import sys, atheris
with atheris.instrument_imports(include=["ragvigil"]):
    from ragvigil.scorer.receive.compression import decompressed
    from ragvigil.scorer.receive.decode import LOGS, SPANS, decode
    from ragvigil.scorer.receive.limits import Limits
    from ragvigil.scorer.receive.refusal import Refusal
    from ragvigil.scorer.config import Content
    from ragvigil.scorer.dialects import read_records
    from ragvigil.scorer.assembly.payload import look
    from ragvigil.scorer.redact import Pseudonyms
    from ragvigil.scorer.redact.payload import Redaction
    from ragvigil.scorer.span import logs_of, spans_of
redaction = Redaction(Content(), Pseudonyms("key"))
limits = Limits(max_body_bytes=100_000, max_span_bytes=10_000, max_json_values=5_000)

def one(data):
    if not data:
        return
    which, body = data[0], data[1:]
    signal, encoding = (SPANS, LOGS)[which & 1], ("protobuf", "json")[which >> 1 & 1]
    try:
        if which >> 2 & 1:
            coding = ("zlib", "zstd")[which >> 3 & 1]
            body = decompressed(body, coding, limit=limits.max_body_bytes, grow=lambda _: None)
        decoded = decode(body, signal, encoding, limits, received_at=1)
    except Refusal:
        return
    for row in decoded.rows:
        if signal is SPANS:
            look(row.payload)
            read_records(spans_of(redaction.spans(row.payload)))
        else:
            logs_of(redaction.logs(row.payload))

atheris.Setup(sys.argv, one)
atheris.Fuzz()
"""


def seeds(folder: Path) -> None:
    """Sound requests to begin with: what the tests have of every dialect, as protobuf and as JSON."""
    from google.protobuf.json_format import MessageToDict
    from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

    tests = Path(__file__).parents[1]
    for path in sorted((tests / "fixtures" / "traces").glob("*.pb")):
        (folder / path.name).write_bytes(b"\0" + path.read_bytes())
    for path in sorted((tests / "scorer" / "dialects" / "recorded").glob("*.pb.gz")):
        which = b"\1" if path.name.endswith(".logs.pb.gz") else b"\0"
        (folder / path.name).write_bytes(which + gzip.decompress(path.read_bytes()))
    for path in sorted(folder.iterdir()):
        encoded = path.read_bytes()
        if encoded[:1] == b"\0":
            fields = MessageToDict(TracesData.FromString(encoded[1:]), use_integers_for_enums=True)
            path.with_suffix(".json").write_bytes(b"\2" + json.dumps(_with_hex_ids(fields)).encode())


def _with_hex_ids(value: object) -> object:
    """As OTLP has ids in JSON, where protobuf's own JSON has base64."""
    if isinstance(value, list):
        return [_with_hex_ids(each) for each in cast("list[object]", value)]
    if isinstance(value, dict):
        return {
            key: base64.b64decode(str(each)).hex() if key in _IDS else _with_hex_ids(each)
            for key, each in cast("dict[str, object]", value).items()
        }
    return value


def installed(folder: Path) -> bool:
    """Whether atheris is in the folder now."""
    command = [sys.executable, "-m", "uv", "pip", "install", "-q", "--only-binary", ":all:"]
    done = subprocess.run(
        [*command, "--python", sys.executable, "--target", str(folder), ATHERIS], check=False
    )
    return done.returncode == 0


def main() -> int:
    """Fuzz; 1 when an input did what none may do: libFuzzer then prints it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--atheris", type=Path, help="a folder that has it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        library, corpus = options.atheris or scratch / "library", scratch / "corpus"
        if options.atheris is None and not installed(library):
            print(f"{ATHERIS} cannot be installed for this Python: not fuzzed", file=sys.stderr)
            return 0
        corpus.mkdir()
        seeds(corpus)
        path = os.pathsep.join((str(library), *filter(None, [os.environ.get("PYTHONPATH")])))
        limits = [
            f"-max_total_time={options.seconds}",
            f"-max_len={_LONGEST_BYTES}",
            "-timeout=10",
            "-rss_limit_mb=1024",
            "-print_final_stats=1",
        ]
        command = [sys.executable, "-c", FUZZ, str(corpus), *limits]
        done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, cwd=scratch, check=False)
        return 1 if done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())

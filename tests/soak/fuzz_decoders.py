"""Coverage-guided fuzzing of the decoders: whatever comes in is decoded or refused, and nothing else happens.

    python tests/soak/fuzz_decoders.py [--seconds 120] [--atheris FOLDER]

Atheris is installed into a folder of its own for the run, unless `--atheris` names one that has it; where it cannot
be installed (it has no wheel for every Python) that is said, and nothing is fuzzed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ATHERIS = "atheris==3.0.0"
_LONGEST_BYTES = 4096

FUZZ = """
import sys, atheris
with atheris.instrument_imports(include=["ragvigil"]):
    from ragvigil.scorer.receive.compression import gunzip
    from ragvigil.scorer.receive.decode import LOGS, SPANS, decode
    from ragvigil.scorer.receive.limits import Limits
    from ragvigil.scorer.receive.refusal import Refusal
    from ragvigil.scorer.dialects import read_records
    from ragvigil.scorer.span import logs_of, spans_of
limits = Limits(max_body_bytes=100_000, max_span_bytes=10_000, max_json_values=5_000)

def one(data):
    if not data:
        return
    which, body = data[0], data[1:]
    signal, encoding = (SPANS, LOGS)[which & 1], ("protobuf", "json")[which >> 1 & 1]
    try:
        if which >> 2 & 1:
            body = gunzip(body, limit=limits.max_body_bytes, grow=lambda _: None)
        decoded = decode(body, signal, encoding, limits, received_at=1)
    except Refusal:
        return
    for row in decoded.rows:
        if signal is SPANS:
            read_records(spans_of(row.payload))
        else:
            logs_of(row.payload)

atheris.Setup(sys.argv, one)
atheris.Fuzz()
"""


def seeds(folder: Path) -> None:
    """Sound requests to begin with: what the tests have of every dialect, and its JSON."""
    from google.protobuf.json_format import MessageToJson
    from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

    for path in sorted((Path(__file__).parents[1] / "fixtures" / "traces").glob("*.pb")):
        data = path.read_bytes()
        (folder / path.name).write_bytes(b"\\0" + data)
        text = MessageToJson(TracesData.FromString(data), indent=None).encode()
        (folder / f"{path.name}.json").write_bytes(b"\\2" + text)


def installed(folder: Path) -> bool:
    """Whether atheris is in the folder now."""
    command = [sys.executable, "-m", "uv", "pip", "install", "-q", "--only-binary", ":all:"]
    done = subprocess.run(
        [*command, "--python", sys.executable, "--target", str(folder), ATHERIS], check=False
    )
    return done.returncode == 0


def main() -> int:
    """Fuzz; 1 when an input did what none may do: libFuzzer then prints it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\\n")[0])
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
        ]
        command = [sys.executable, "-c", FUZZ, str(corpus), *limits]
        done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, cwd=scratch, check=False)
        return 1 if done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())

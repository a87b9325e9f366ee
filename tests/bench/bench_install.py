"""What an installation of ragvigil weighs, and what a running scorer takes. Prints a table; asserts nothing.

    python tests/bench/bench_install.py [--only-running] [--json]

A wheel is built from the tree and installed alone, with ``[scorer]`` and with ``[demo]`` into virtual environments
that are thrown away; uv does it when it is there, else venv and pip. Sizes are those of the files in site-packages
before anything was imported. Then `ragvigil serve` runs on an empty store with this interpreter: resident memory of
both processes ten seconds after the first ack, and the time from its start to that ack.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXTRAS = ("", "scorer", "demo")
IDLE_SECONDS = 10.0
INSTALLERS = frozenset({"pip", "setuptools", "wheel", "pkg_resources", "_distutils_hack"})
"""What venv puts there by itself."""


@dataclass(frozen=True, slots=True)
class Installed:
    """One installation."""

    what: str
    distributions: int
    megabytes: float
    """10^6 bytes of files in site-packages."""
    seconds: float


@dataclass(frozen=True, slots=True)
class Running:
    """`ragvigil serve` when nothing happens."""

    first_ack_seconds: float
    receive_mb: float
    """VmRSS in MiB."""
    score_mb: float


def build(folder: Path, uv: str | None) -> Path:
    """The wheel of the tree."""
    command = [uv, "build", "--quiet"] if uv else [sys.executable, "-m", "hatchling", "build", "-t", "wheel"]
    if uv:
        command += ["--wheel", "--out-dir", str(folder), str(ROOT)]
    else:
        command += ["-d", str(folder)]
    run(command)
    (wheel,) = folder.glob("*.whl")
    return wheel


def install(wheel: Path, extra: str, folder: Path, uv: str | None) -> Installed:
    """The wheel with one extra, installed in an environment of its own."""
    what = f"{wheel}[{extra}]" if extra else str(wheel)
    python = folder / "bin" / "python"
    began = time.perf_counter()
    if uv:
        run([uv, "venv", "--quiet", "--python", sys.executable, str(folder)])
        run([uv, "pip", "install", "--quiet", "--link-mode", "copy", "--python", str(python), what])
    else:
        run([sys.executable, "-m", "venv", str(folder)])
        run([str(python), "-m", "pip", "install", "--quiet", "--no-compile", what])
    seconds = time.perf_counter() - began
    (packages,) = folder.glob("lib/python*/site-packages")
    count, size = weigh(packages)
    return Installed(f"ragvigil[{extra}]" if extra else "ragvigil", count, size / 1e6, seconds)


def weigh(packages: Path) -> tuple[int, int]:
    """Distributions and bytes, without pip and its like."""
    names = {path.name.partition("-")[0].lower() for path in packages.glob("*.dist-info")} - INSTALLERS
    size = sum(
        path.stat().st_size
        for path in packages.rglob("*")
        if path.is_file() and not _of_an_installer(path.relative_to(packages))
    )
    return len(names), size


def _of_an_installer(path: Path) -> bool:
    return path.parts[0].partition("-")[0].lower() in INSTALLERS


def run(command: Sequence[str]) -> None:
    """Run it in the tree, or end with what it said."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command[:4])} failed:\n{done.stderr[-2_000:]}")


@contextmanager
def serving(folder: Path) -> Generator[tuple[subprocess.Popen[str], str]]:
    """`ragvigil serve` on free ports, with its HTTP address."""
    plain = {key: value for key, value in os.environ.items() if not key.startswith("RAGVIGIL_")}
    command = [sys.executable, "-m", "ragvigil.scorer", "serve", "--json"]
    command += ["--store", f"sqlite:///{folder / 'bench.db'}"]
    command += ["--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=plain) as process:
        try:
            assert process.stdout is not None
            yield process, json.loads(process.stdout.readline())["http"]
        finally:
            process.terminate()


def send_one(address: str) -> None:
    """One span, acked."""
    span = {"traceId": "1" * 32, "spanId": "1" * 16}
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode()
    request = urllib.request.Request(
        f"http://{address}/v1/traces", body, {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        answer.read()


def measure() -> Running:
    """A scorer from its start to its rest."""
    with tempfile.TemporaryDirectory() as name:
        began = time.perf_counter()
        with serving(Path(name)) as (process, address):
            send_one(address)
            first_ack = time.perf_counter() - began
            time.sleep(IDLE_SECONDS)
            child = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0]
            return Running(first_ack, resident(process.pid), resident(int(child)))


def resident(process: int) -> float:
    """VmRSS in MiB."""
    status = Path(f"/proc/{process}/status").read_text().splitlines()
    (line,) = (line for line in status if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def installations() -> list[Installed]:
    """One for each extra."""
    uv = shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        wheel = build(scratch / "wheel", uv)
        return [install(wheel, extra, scratch / f"venv-{extra or 'base'}", uv) for extra in EXTRAS]


def report(found: Sequence[Installed], running: Running) -> None:
    """Both tables."""
    columns = "{:<18} {:>14} {:>8} {:>10}"
    print(columns.format("installed", "distributions", "MB", "seconds"))
    for one in found:
        print(columns.format(one.what, one.distributions, f"{one.megabytes:.1f}", f"{one.seconds:.1f}"))
    print(
        f"ragvigil serve: {running.first_ack_seconds:.2f} s from start to first ack; idle, the receiving process"
    )
    print(f"holds {running.receive_mb:.0f} MB and the scoring process {running.score_mb:.0f} MB")


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only-running", action="store_true", help="install nothing")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the tables")
    options = parser.parse_args()
    found = [] if options.only_running else installations()
    running = measure()
    if options.json:
        print(json.dumps({"installed": [asdict(one) for one in found], "running": asdict(running)}))
    else:
        report(found, running)


if __name__ == "__main__":
    main()

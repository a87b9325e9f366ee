"""Peers, each in a throw-away environment; one that cannot be installed or run is skipped, and says why."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.tracer_cost.clock import row

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PEERS = ("openinference", "traceloop", "langfuse", "langsmith")


def peers_cost() -> None:
    """CPU of the caller and of the process, as ratios to spans by hand and to ours in the same run."""
    for peer in PEERS:
        with tempfile.TemporaryDirectory() as scratch:
            try:
                _compare(peer, _measured(peer, _environment(peer, Path(scratch))))
            except subprocess.CalledProcessError as error:
                last = str(error.stderr).strip().splitlines() or ["no word"]
                row(f"{peer}: skipped", "", last[-1][:100])


def _environment(peer: str, scratch: Path) -> Path:
    """An interpreter that has the peer at its pinned version."""
    python = scratch / "bin" / "python"
    uv = Path(sys.executable).with_name("uv")
    pinned = ["--quiet", "-r", str(HERE / "peers" / f"{peer}.txt")]
    if uv.exists():
        _run([str(uv), "venv", "--quiet", "--python", sys.executable, str(scratch), "--allow-existing"])
        _run([str(uv), "pip", "install", "--python", str(python), *pinned])
    else:
        _run([sys.executable, "-m", "venv", str(scratch)])
        _run([str(python), "-m", "pip", "install", "--disable-pip-version-check", *pinned])
    return python


def _measured(peer: str, python: Path) -> dict[str, list[list[float]]]:
    """What the three contestants cost there; ours is this checkout's."""
    path = os.pathsep.join((str(ROOT), str(ROOT / "tracer")))
    done = _run(
        [str(python), "-m", "tests.bench.tracer_cost.in_peer_environment", peer],
        {**os.environ, "PYTHONPATH": path},
    )
    measured: dict[str, list[list[float]]] = json.loads(done.splitlines()[-1])
    return measured


def _compare(peer: str, measured: dict[str, list[list[float]]]) -> None:
    for way in ("sync", "async"):
        for index, what in enumerate(("CPU of the caller", "CPU of the process")):
            hand, ours, theirs = (times[index] for times in measured[way])
            row(
                f"{peer}, {way}: {what}",
                f"{theirs:.1f} us",
                f"x {theirs / hand:.2f} by hand; ours x {ours / hand:.2f}, so {ours / theirs:.2f} of {peer}",
            )
    row("  attribute bytes by hand, ours, theirs", "", ", ".join(f"{one:.0f}" for one in measured["bytes"]))


def _run(command: list[str], environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=ROOT)
    return done.stdout

"""The servers under measurement, each pinned to core 0 on an empty store."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.bench.ingest.load import post
from tests.bench.ingest.traces import SPANS_PER_TRACE, requests
from tests.ports import free_port

from ragvigil.scorer.inbox import InboxReader

ROOT = Path(__file__).parents[3]
SERVER_CORE, LOAD_CORE = 0, 1
TICKS = os.sysconf("SC_CLK_TCK")
PATIENCE = 300.0
QUIET = {"RAGVIGIL_ASSEMBLE__QUIET_SECONDS": "0.2", "RAGVIGIL_ASSEMBLE__SHORTEST_QUIET_SECONDS": "0.2"}

Checks = Literal["checks", "checks + cheap score"]


@dataclass(slots=True)
class Server:
    """Processes of one server, its address by protocol, and how to count what it stored."""

    name: str
    processes: list[subprocess.Popen[str]]
    addresses: dict[str, str]
    stored: Callable[[], float]
    """Traces that can be read from its file."""
    bytes_on_disk: Callable[[], int]
    start_seconds: float = 0.0

    def cpu_seconds(self) -> float:
        """User and system time so far."""
        return sum(_cpu(process.pid) for process in self.processes)

    def memory_mb(self, name: str) -> float:
        """VmRSS or VmHWM, of all processes."""
        return sum(_memory(process.pid, name) for process in self.processes)


def _cpu(pid: int) -> float:
    stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(stat[11]) + int(stat[12])) / TICKS


def _memory(pid: int, name: str) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(name)), 0.0)


def spawn(
    command: list[str], core: int, environment: Mapping[str, str] | None = None, *, heard: bool = True
) -> subprocess.Popen[str]:
    """A process on one core, its standard output piped if `heard`; no setting of this shell reaches it."""
    plain = {key: value for key, value in os.environ.items() if not key.startswith("RAGVIGIL_")}
    pin = ["taskset", "-c", str(core)] if (os.cpu_count() or 1) > core and _has_taskset() else []
    path = os.pathsep.join((str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])))
    return subprocess.Popen(
        [*pin, *command],
        stdout=subprocess.PIPE if heard else subprocess.DEVNULL,
        stderr=None if heard else subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
        env={**plain, "PYTHONPATH": path, **(environment or {})},
    )


def _has_taskset() -> bool:
    return any(Path(folder, "taskset").exists() for folder in os.get_exec_path())


@contextmanager
def _ended(processes: list[subprocess.Popen[str]]) -> Generator[None]:
    try:
        yield
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait(PATIENCE)
            if process.stdout is not None:
                process.stdout.close()


@contextmanager
def ragvigil(folder: Path, scoring: Checks | None = None) -> Generator[Server]:
    """Our receiving role, alone or with a score role that runs those checks."""
    folder.mkdir(parents=True)
    store = folder / "bench.db"
    serve = ["serve", "--store", f"sqlite:///{store}", "--json"]
    began = time.perf_counter()
    ours = [sys.executable, "-m", "ragvigil.scorer"]
    open_ports = ["--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0"]
    processes = [spawn([*ours, *serve, "--role", "receive", *open_ports], SERVER_CORE)]
    with _ended(processes):
        assert processes[0].stdout is not None
        bound = json.loads(processes[0].stdout.readline())
        _send_one(bound["http"])
        start = time.perf_counter() - began
        inbox = next(folder.glob("*inbox*"))
        stored: Callable[[], float] = lambda: _rows_in_inbox(inbox)  # noqa: E731 - one of two
        if scoring is not None:
            entry = (
                ours
                if scoring == "checks + cheap score"
                else [sys.executable, "-m", "tests.bench.ingest.plain_checks"]
            )
            judge = {} if scoring == "checks + cheap score" else {"RAGVIGIL_JUDGE__KIND": "none"}
            processes.append(spawn([*entry, *serve, "--role", "score"], SERVER_CORE, {**QUIET, **judge}))
            stored = lambda: _count(store, "SELECT count(*) FROM records")  # noqa: E731
            _wait(lambda: stored() >= 1, processes)
        name = "ragvigil" if scoring is None else f"ragvigil, {scoring}"
        yield Server(name, processes, bound, stored, lambda: _size(store), start)


@contextmanager
def floor(folder: Path, protocol: str) -> Generator[Server]:
    """The cheapest durable receiver."""
    folder.mkdir(parents=True)
    file, port = folder / "floor.db", free_port()
    began = time.perf_counter()
    command = [sys.executable, "-m", "tests.bench.ingest.floor", protocol, str(port), str(file)]
    processes = [spawn(command, SERVER_CORE)]
    with _ended(processes):
        _wait(lambda: _is_open(port), processes)
        start = time.perf_counter() - began
        stored: Callable[[], float] = (  # noqa: E731
            lambda: _count(file, "SELECT count(*) FROM spans") / SPANS_PER_TRACE
        )
        yield Server("floor", processes, {protocol: f"127.0.0.1:{port}"}, stored, lambda: _size(file), start)


@contextmanager
def phoenix(folder: Path, venv: Path) -> Generator[Server]:
    """Arize Phoenix as `phoenix serve` starts it, on SQLite."""
    folder.mkdir(parents=True)
    port, grpc = free_port(), free_port()
    settings = {
        "PHOENIX_WORKING_DIR": str(folder),
        "PHOENIX_HOST": "127.0.0.1",
        "PHOENIX_PORT": str(port),
        "PHOENIX_GRPC_PORT": str(grpc),
        "PHOENIX_TELEMETRY_ENABLED": "false",
        "PYTHONPATH": "",
    }
    began = time.perf_counter()
    python, script = venv / "bin" / "python", venv / "bin" / "phoenix"
    processes = [spawn([str(python), str(script), "serve"], SERVER_CORE, settings, heard=False)]
    with _ended(processes):
        _wait(lambda: _is_open(port), processes)
        start = time.perf_counter() - began
        file = folder / "phoenix.db"
        addresses = {"http": f"127.0.0.1:{port}", "grpc": f"127.0.0.1:{grpc}"}
        stored: Callable[[], float] = lambda: _count(file, "SELECT count(*) FROM spans") / SPANS_PER_TRACE  # noqa: E731
        yield Server("phoenix", processes, addresses, stored, lambda: _size(file), start)


def _rows_in_inbox(folder: Path) -> float:
    with closing(InboxReader(folder)) as reader:
        return reader.backlog()[0]


def _count(file: Path, query: str) -> float:
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=10)) as connection:
            number: int = connection.execute(query).fetchone()[0]
    except sqlite3.OperationalError:
        return 0
    return number


def _size(file: Path) -> int:
    with contextlib.suppress(sqlite3.Error), closing(sqlite3.connect(file, timeout=10)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return sum(each.stat().st_size for each in file.parent.glob(f"{file.name}*") if each.is_file())


def _is_open(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def _wait(ready: Callable[[], bool], processes: list[subprocess.Popen[str]]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not ready():
        if any(process.poll() is not None for process in processes) or time.monotonic() > deadline:
            raise SystemExit("a server of the benchmark did not start")
        time.sleep(0.01)


def _send_one(address: str) -> None:
    """One trace, acked."""
    with closing(http.client.HTTPConnection(address, timeout=10)) as connection:
        post(connection, next(requests(1, 1, seed=999)))

"""What the commands of examples/README.md need to run: their environment, a model server, a scorer, free ports."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.ports import free_port

from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.store._rows import record_of
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.trace import RagTrace

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
ENVIRONMENT = Path(os.environ.get("EXAMPLE_ENVIRONMENT", "/nonexistent"))
"""Where `.ci/check-examples` put the examples' packages: `bin` for Python, `node` for Node."""
BYTECODE = (
    {"PYTHONPYCACHEPREFIX": str(ENVIRONMENT / "bytecode")}
    if ENVIRONMENT.is_dir()
    else {"PYTHONDONTWRITEBYTECODE": "1"}
)
"""Kept, as frameworks take seconds to compile, but not beside the examples, which people copy."""
PATIENCE = 240.0
QUESTION = "When does water boil at sea level?"
ANSWER = "At sea level, water boils at 100 degrees Celsius. [water-1]"


@dataclass(frozen=True)
class Guide:
    """One section of the page."""

    title: str
    commands: tuple[str, ...]
    """What starts a server, if there is one, and what asks."""


def guides() -> Iterator[Guide]:
    """The sections of the page that run something in examples/."""
    text = (EXAMPLES / "README.md").read_text()
    for title, body in re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL):
        commands = tuple(re.findall(r"```sh\n(.*?)\n```", body, re.DOTALL))
        if commands:
            yield Guide(title, commands)


@contextmanager
def running(
    command: str, environment: Mapping[str, str], *, folder: Path = ROOT
) -> Generator[subprocess.Popen[str]]:
    """A command of the shell with all that it starts, ended after the block."""
    process = subprocess.Popen(
        command,
        shell=True,
        executable="/bin/bash",
        cwd=folder,
        env=dict(environment),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


@contextmanager
def model_server() -> Generator[str]:
    """The examples' own model server on a free port; its base URL."""
    with running("exec python examples/offline_model.py 0", surroundings()) as server:
        assert server.stdout is not None
        said = re.search(r"OPENAI_BASE_URL=(\S+)", server.stdout.readline())
        assert said is not None
        yield said[1]


@contextmanager
def redis(folder: Path) -> Generator[str | None]:
    """A Redis of our own; its URL, None where none is installed."""
    if shutil.which("redis-server") is None:
        yield None
        return
    port = free_port()
    command = f"exec redis-server --port {port} --bind 127.0.0.1 --save '' --appendonly no --dir {folder}"
    with running(command, surroundings()):
        yield f"redis://127.0.0.1:{port}/0"


def surroundings(**settings: str) -> dict[str, str]:
    """The environment's variables for a command: the examples' packages first on the path, no settings of ours."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("OTEL_", "RAGVIGIL_", "OPENAI_")) and name != "PYTHONDONTWRITEBYTECODE"
    }
    path = f"{ENVIRONMENT / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {**kept, "PATH": path, **BYTECODE, **settings}


def on_a_free_port(commands: tuple[str, ...]) -> tuple[str, ...]:
    """The commands with the page's port, 8000 or 8001, replaced by a free one."""
    port = str(free_port())
    return tuple(re.sub(r"\b800[01]\b", port, command) for command in commands)


def records(store: Path) -> list[RagTrace]:
    """What the store holds, oldest first."""
    try:
        connection = open_for_reading(store)
    except StoreError:  # not made yet
        return []
    with closing(connection):
        query = "SELECT r.*, t.spans FROM records r JOIN traces t USING (trace_id) ORDER BY r.id"
        return [record_of(row) for row in connection.execute(query)]

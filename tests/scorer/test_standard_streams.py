"""A scorer whose standard streams are closed, or whose terminal is: it receives all the same."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import httpx
import pytest
from tests.conftest import PATIENCE, eventually
from tests.ports import free_port


def lives(port: int) -> bool:
    """Whether a receiver answers there."""
    try:
        return httpx.get(f"http://127.0.0.1:{port}/healthz").is_success
    except httpx.TransportError:
        return False


def serving(
    folder: Path, port: int, before: str = "", ignored: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    """A scorer in that folder that writes to a pipe; `before` are redirections of a shell."""
    command = f'exec "{sys.executable}" -m ragvigil.scorer serve --grpc 127.0.0.1:0 --http 127.0.0.1:{port} {before}'

    def ignore() -> None:
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)

    return subprocess.Popen(["sh", "-c", command], cwd=folder, stdout=subprocess.PIPE, preexec_fn=ignore)


def ended(process: subprocess.Popen[bytes]) -> int:
    """Its exit code once it was told to end."""
    process.send_signal(signal.SIGTERM)
    with process:
        return process.wait(PATIENCE)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_scorer_starts_with_a_stream_closed(tmp_path: Path, closed: str) -> None:
    """It ended with a traceback, or without a word: the next file that it opened took the stream's number."""
    port = free_port()
    process = serving(tmp_path, port, closed)
    eventually(lambda: lives(port))
    numbers = Path(f"/proc/{process.pid}/fd")
    streams = [str((numbers / str(number)).readlink()) for number in range(3)]
    assert not [name for name in streams if name.endswith(".db")]
    assert ended(process) == 0


def test_nobody_has_to_read_what_a_scorer_says_when_it_is_ready(tmp_path: Path) -> None:
    """A log collector that restarts must not end it: it bound its ports, and then a traceback told of a broken pipe."""
    port = free_port()
    process = serving(tmp_path, port)
    assert process.stdout is not None
    process.stdout.close()
    eventually(lambda: lives(port))
    assert ended(process) == 0


def test_a_scorer_under_nohup_outlives_its_terminal(tmp_path: Path) -> None:
    """A hang-up ends it cleanly, but where whoever started it said that it shall not."""
    port = free_port()
    process = serving(tmp_path, port, ignored=[signal.SIGHUP])
    eventually(lambda: lives(port))
    process.send_signal(signal.SIGHUP)
    assert lives(port)
    assert ended(process) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_an_output_on_a_full_disk_is_a_line_and_no_traceback(tmp_path: Path) -> None:
    """What is redirected has no name that an error could tell."""
    row = tmp_path / "rows.jsonl"
    row.write_text('{"id": 1, "query": "When?", "evidence": ["At nine."], "answer": "At nine."}\n')
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "ragvigil.scorer", "score", str(row), "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (
        done.stderr == "ragvigil: the output: no space left on device; make room there, or write elsewhere\n"
    )
    assert done.returncode == 2

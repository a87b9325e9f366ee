"""The command line as a user types it, for tests that ask what a command does and not how it starts.

Each command is a process of its own, forked off one that has imported what commands need: that takes a second, and most
commands no tenth of it.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import IO, TextIO

_STREAMS = (("stdin", os.O_RDONLY), ("stdout", os.O_WRONLY), ("stderr", os.O_WRONLY))
_LONGEST_SECONDS = 120


def ragvigil(
    *arguments: str,
    text: str | bytes = "",
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    user: int | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run ``ragvigil`` with these arguments in `folder`, as `user`.

    `text` is what it reads, `environment` is added to ours.
    """
    begun = _begun()
    assert begun.stdin is not None
    assert begun.stdout is not None
    with tempfile.TemporaryDirectory() as place:
        for name, _ in _STREAMS:
            given = text if name == "stdin" else b""
            Path(place, name).write_bytes(given.encode() if isinstance(given, str) else given)
        environment = {**os.environ, "COLUMNS": "120", **(environment or {})}
        begun.stdin.write(json.dumps([arguments, str(folder or Path.cwd()), environment, place, user]) + "\n")
        begun.stdin.flush()
        code = int(begun.stdout.readline())
        said = [Path(place, name).read_text(encoding="utf-8") for name, _ in _STREAMS]
    return subprocess.CompletedProcess(arguments, code, *said[1:])


@cache
def _begun() -> subprocess.Popen[str]:
    """The process that others are forked off."""
    process = subprocess.Popen(
        [sys.executable, "-P", __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )

    def end() -> None:
        process.communicate()

    atexit.register(end)
    return process


def _fork_off(asked: IO[str]) -> bool:
    """Fork for each line of `asked` and tell the exit code; True in a fork, which has become what the line says."""
    for line in asked:
        child = os.fork()
        if not child:
            _become(*json.loads(line))
            return True
        sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
        sys.stdout.flush()
    return False


def _become(
    arguments: list[str], folder: str, environment: dict[str, str], place: str, user: int | None
) -> None:
    """Be a process that was started so, its streams the files in `place`."""
    signal.alarm(_LONGEST_SECONDS)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    for number, (name, mode) in enumerate(_STREAMS):
        os.dup2(os.open(Path(place, name), mode), number)
        before: TextIO = getattr(sys, name)
        setattr(sys, name, os.fdopen(number, before.mode, encoding=before.encoding, errors=before.errors))
    if user is not None:
        os.setuid(user)
    sys.argv = ["ragvigil", *arguments]


if __name__ == "__main__":
    from ragvigil.scorer import checks, cli, commands, dialects, judge, labels, process

    for package in (checks, commands, dialects, judge, labels, process):
        for module in iter_modules(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    gc.collect()
    gc.freeze()  # else each fork looks through all of it again, which takes three times as long as what it is asked
    if _fork_off(sys.stdin):
        cli.main()

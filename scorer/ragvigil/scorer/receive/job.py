"""What a receiving process has to do, and how the process that read the settings becomes one.

Reading arguments and settings takes libraries that receiving does not need: 15 of 60 MB. So the process starts
anew, under the same number and with the same open files, and finds its job in a pipe.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragvigil.scorer.app import run_receive
from ragvigil.scorer.errors import RagvigilError, exit_code
from ragvigil.scorer.receive.settings import Receiving, from_json, to_json
from ragvigil.scorer.standard_streams import say

if TYPE_CHECKING:
    from ragvigil.scorer.receive.serve import Bound

_MOST_PIPED_BYTES = 2**14
"""What fits into a pipe on every system before anybody reads."""
LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


@dataclass(frozen=True, slots=True)
class Job:
    """One receiving role and what is said when it is ready."""

    settings: Receiving
    score_command: tuple[str, ...]
    """Starts the score role beside it; () for none."""
    supervised: bool
    """Whether it ends with its standard input."""
    store: str
    """Address of the store, to be shown."""
    version: str
    pages: str
    """Where pages go, in words."""
    as_json: bool
    level: int
    """Of the log."""


def become(job: Job) -> int:
    """Turn this process into the receiving one; the exit code where it cannot, and does the job as it is."""
    text = json.dumps({**_plain(job), "settings": to_json(job.settings)}).encode()
    if os.name == "posix" and len(text) <= _MOST_PIPED_BYTES:
        reading, writing = os.pipe()
        os.set_inheritable(reading, True)
        os.write(writing, text)
        os.close(writing)
        sys.stdout.flush()
        sys.stderr.flush()
        options = [f"-W{option}" for option in sys.warnoptions]
        module = ["-P", "-m", "ragvigil.scorer.receive", str(reading)]
        os.execv(sys.executable, [sys.executable, *options, *module])  # noqa: S606 - our own interpreter
    return run(job)


def taken_over(pipe: int) -> int:
    """Do the job that `become` left in a pipe; the exit code."""
    with os.fdopen(pipe, "rb") as file:
        found: dict[str, Any] = json.loads(file.read())
    found["settings"] = from_json(found["settings"])
    found["score_command"] = tuple(found["score_command"])
    job = Job(**found)
    logging.basicConfig(level=job.level, format=LOG_FORMAT, stream=sys.stderr)
    try:
        return run(job)
    except RagvigilError as error:
        sys.stderr.write(f"ragvigil: {error}\n")
        return exit_code(error)


def run(job: Job) -> int:
    """Receive until told to end; the exit code. Raises ConfigError and StoreError."""
    return run_receive(
        job.settings,
        score_command=job.score_command,
        ready=lambda bound: _announce(job, bound),
        supervised=job.supervised,
    )


def _announce(job: Job, bound: Bound) -> None:
    if job.as_json:
        lines: Sequence[str] = [
            json.dumps({"event": "ready", "grpc": bound.grpc, "http": bound.http, "store": job.store})
        ]
    else:
        lines = [
            f"ragvigil {job.version} is ready",
            f"  OTLP gRPC  {bound.grpc}",
            f"  OTLP HTTP  http://{bound.http}",
            *_sources_and_copies(job.settings),
            f"  store      {job.store}",
            f"  pages      {job.pages}",
        ]
    say("\n".join(lines) + "\n")


def _sources_and_copies(settings: Receiving) -> Sequence[str]:
    """What is read beside what is sent, and who gets a copy; no line for none."""
    read = [*settings.files, *(["standard input"] if settings.stdin else [])]
    copied = [f"{name} ({backend.url})" for name, backend in settings.forward.items()]
    return [
        *([f"  reads      {', '.join(read)}"] if read else []),
        *([f"  forwards   {', '.join(copied)}"] if copied else []),
    ]


def _plain(job: Job) -> dict[str, object]:
    return {name: getattr(job, name) for name in Job.__dataclass_fields__ if name != "settings"}

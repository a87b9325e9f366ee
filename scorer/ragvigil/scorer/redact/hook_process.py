"""What a hook's process runs: a line of JSON in, a line of JSON out; null for a text that the hook failed on."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import IO

READY = "ready"
_LONGEST_REASON = 500


def serve(function: Callable[[str], object], source: IO[str], answers: IO[str]) -> None:
    """Answer every line of `source` until it ends."""
    for line in source:
        try:
            found = function(json.loads(line))
        except Exception as error:  # its message may quote the text
            sys.stderr.write(f"content.hook: {type(error).__name__}\n")
            found = None
        answers.write(json.dumps(found if isinstance(found, str) else None) + "\n")
        answers.flush()


def main() -> None:
    """Say that the function is there, then serve it, or why it is not. What it prints goes to standard error."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="ascii", errors="backslashreplace")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        function = load(sys.argv[1])
    except (Exception, SystemExit) as error:  # an import may do anything
        told = " ".join(f"{type(error).__name__}: {error}".split())
        answers.write(f"{told[:_LONGEST_REASON]}\n")
        answers.flush()
        return
    answers.write(f"{READY}\n")
    answers.flush()
    serve(function, sys.stdin, answers)


def load(place: str) -> Callable[[str], object]:
    """The function that `module:function` names."""
    module, _, name = place.partition(":")
    function: object = getattr(import_module(module), name)
    if not callable(function):
        raise TypeError(f"{place} is no function")
    return function


if __name__ == "__main__":
    main()

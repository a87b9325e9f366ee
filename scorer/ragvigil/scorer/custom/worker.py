"""What the process of custom functions runs: a pickled record in, one line of JSON out for each function asked.

A function that could not be loaded keeps its number, so that nobody's answer is taken for that of another.
"""

from __future__ import annotations

import importlib
import json
import os
import pickle
import sys
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

from ragvigil.scorer.custom.decorator import Measure, value_of, version_of
from ragvigil.scorer.custom.request import HEAD
from ragvigil.scorer.errors import InputError
from ragvigil.scorer.own_code import module_of_file

_LONGEST_LINE = 100
_RAISED = (Exception, SystemExit)
"""What code of the user's raises; also where it calls for the end of a process that is not its to end."""


def main() -> None:
    """Load the functions, say which could not be, then serve. What they print goes to standard error."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="ascii")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    functions: dict[str, Measure] = {}
    loaded: dict[str, Mapping[str, str]] = {}
    for name, place in json.loads(sys.argv[1]).items():
        try:
            functions[name] = load(place)
            loaded[name] = {"version": version_of(functions[name]) or "1"}
        except InputError as error:
            loaded[name] = {"error": str(error)}
        except _RAISED as error:  # an import may do anything
            loaded[name] = {"error": f"{place}: {type(error).__name__}: {error}"[:500]}
    _tell(answers, loaded)
    for mask, record in _records(sys.stdin.buffer):
        for number, (name, told) in enumerate(loaded.items()):
            if mask >> number & 1:
                _tell(answers, _answer(functions[name], record) if name in functions else told)


def load(place: str) -> Measure:
    """The decorated function that `path/to/file.py:name` or `package.module:name` names; InputError says the fix."""
    module_name, _, name = place.rpartition(":")
    if not module_name or not name:
        raise InputError(repr(place), "names no function; write path/to/file.py:name or package.module:name")
    if module_name.endswith(".py"):
        if not Path(module_name).is_file():
            raise InputError(
                module_name, f"no such file; looked for beside the configuration file and in {Path.cwd()}"
            )
        module = module_of_file(Path(module_name), "custom")
    else:
        module = importlib.import_module(module_name)
    if not hasattr(module, name):
        there = ", ".join(each for each, value in vars(module).items() if version_of(value) is not None)
        raise InputError(module_name, f"no {name} there; checks in it: {there or 'none'}")
    function: Measure = getattr(module, name)
    if version_of(function) is None:
        raise InputError(place, "is not decorated with ragvigil.scorer.custom.check")
    return function


def _records(source: IO[bytes]) -> Iterator[tuple[int, object]]:
    while len(head := source.read(HEAD.size)) == HEAD.size:
        mask, size = HEAD.unpack(head)
        yield mask, pickle.loads(source.read(size))  # noqa: S301 - what our own parent process packed


def _answer(function: Measure, record: object) -> Mapping[str, object]:
    try:
        answer = function(record)  # type: ignore[arg-type]  # a record, pickled by our parent
    except _RAISED as error:
        return {"error": _where(error)}
    try:
        value, reason = value_of(answer)
    except ValueError as error:  # in our words, which name a kind or a number
        return {"error": f"its answer cannot be used: {error}"}
    except _RAISED as error:  # of a reason that is no text, and cannot be one
        return {"error": type(error).__name__}
    return {"value": value, "reason": reason}


def _where(error: BaseException) -> str:
    """The kind of an error and the line of code that raised it; its message may quote the content, code does not."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames or frames[-1].filename == __file__:
        return type(error).__name__
    last = frames[-1]
    line = f": {last.line[:_LONGEST_LINE]}" if last.line else ""
    return f"{type(error).__name__} in {Path(last.filename).name}, line {last.lineno}{line}"


def _tell(answers: IO[str], told: Mapping[str, object]) -> None:
    answers.write(json.dumps(told) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()

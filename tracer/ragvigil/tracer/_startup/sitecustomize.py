"""Runs at the start of each Python process under ``ragvigil-instrument``: calls ``instrument``."""

import importlib
import logging
import sys
from pathlib import Path

_here = str(Path(__file__).parent)
_this = sys.modules.pop("sitecustomize", None)
_path = sys.path[:]
sys.path[:] = [entry for entry in sys.path if entry != _here]
try:
    importlib.import_module("sitecustomize")  # that of the environment, which ours hides
except ModuleNotFoundError as _error:
    if _error.name != "sitecustomize":
        sys.stderr.write(
            f"ragvigil: the environment's sitecustomize failed: {type(_error).__name__}: {_error}\n"
        )
except Exception as _error:  # as Python itself goes on after it
    sys.stderr.write(f"ragvigil: the environment's sitecustomize failed: {type(_error).__name__}: {_error}\n")
sys.path[:] = [entry for entry in _path if entry != _here]
if _this is not None:
    sys.modules.setdefault("sitecustomize", _this)

try:
    from ragvigil.tracer import instrument

    _found = instrument()
    if (
        not logging.getLogger("ragvigil.tracer").isEnabledFor(logging.INFO)
        and not _found.lacking
        and _found.on
    ):
        sys.stderr.write(f"ragvigil: {_found}\n")
except Exception as _error:  # the service starts in any case
    sys.stderr.write(f"ragvigil: not instrumented: {type(_error).__name__}: {_error}\n")

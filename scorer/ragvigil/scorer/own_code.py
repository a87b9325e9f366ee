"""Code of the user's own, named in a setting or an option."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Generator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import ModuleType


class EndedError(Exception):
    """The user's code called for the end of the process, which is not its to end."""


@contextmanager
def heard() -> Generator[None]:
    """While code of the user's runs: what it prints is no answer of ours, so it goes to standard error.

    Raises EndedError where the code raises SystemExit: let through, it would end the command, and often as a success.
    """
    try:
        with redirect_stdout(sys.stderr):
            yield
    except SystemExit as end:
        raise EndedError(f"it ended itself with exit code {end.code!r}").with_traceback(
            end.__traceback__
        ) from end


def module_of_file(path: Path, purpose: str) -> ModuleType:
    """The module in a Python file, executed; `purpose` is in its name, so that two of one name do not meet.

    Raises FileNotFoundError, ImportError for what is no Python file, and whatever the file raises.
    """
    spec = importlib.util.spec_from_file_location(f"ragvigil_{purpose}_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

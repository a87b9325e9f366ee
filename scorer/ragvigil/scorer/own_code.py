"""Code of the user's own, named in a setting or an option."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType


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

"""Fitted coefficients and hand-written word lists, as JSON that says where its numbers came from."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def read_data(name: str) -> Any:
    """What the file of that name holds."""
    return json.loads(files(__name__).joinpath(name).read_text("utf-8"))

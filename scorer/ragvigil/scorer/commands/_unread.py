"""What could not be read of files whose rest was shown."""

from __future__ import annotations

from collections.abc import Sequence

from ragvigil.exporters import clean
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.errors import InputError


def told(problems: Sequence[InputError], *, nothing: bool) -> int:
    """Name each line that could not be read; the exit code. Raises the first where `nothing` was read beside them."""
    if problems and nothing:
        raise problems[0]
    for problem in problems:
        say(f"not read: {clean(str(problem), limit=500)}", err=True)
    return 1 if problems else 0

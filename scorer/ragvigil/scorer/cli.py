"""The ``ragvigil`` command: names the extra to install when it is missing, else runs the command line."""

from __future__ import annotations

import sys

from ragvigil.scorer.standard_streams import open_what_is_closed


def main() -> None:
    """Run the command line; never returns."""
    open_what_is_closed()
    try:
        from ragvigil.scorer.commands import run
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("ragvigil"):
            raise
        sys.exit(f"ragvigil: {error.name} is not installed; run: pip install 'ragvigil[scorer]'")
    sys.exit(run())

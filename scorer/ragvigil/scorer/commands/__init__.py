"""The command line: one file per command."""

from ragvigil.scorer.commands._app import run

__all__ = ["run"]

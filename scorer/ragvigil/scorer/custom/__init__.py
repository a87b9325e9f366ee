"""Checks of the operator's own: a decorated function in a process of its own, or an expression in the settings."""

from ragvigil.scorer.custom.checks import CustomChecks
from ragvigil.scorer.custom.decorator import check

__all__ = ["CustomChecks", "check"]

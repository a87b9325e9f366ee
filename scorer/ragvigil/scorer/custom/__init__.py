"""Checks of the operator's own: a decorated function in a process of its own, or an expression in the settings.

Functions' files import this, in a process that starts again after each hang: it brings nothing of the scorer's.
"""

from ragvigil.scorer.custom.decorator import check

__all__ = ["check"]

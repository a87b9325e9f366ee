"""Who is judged, and with which inclusion probability."""

from ragvigil.scorer.sample.allocate import allocate
from ragvigil.scorer.sample.draw import Decision, decide, fraction

__all__ = ["Decision", "allocate", "decide", "fraction"]

"""Scores to other tools: each takes them at its own pace from a queue in the store, and delays nobody."""

from ragvigil.scorer.sending.build import sinks_of
from ragvigil.scorer.sending.sender import Queue, ScoreSink, Sender

__all__ = ["Queue", "ScoreSink", "Sender", "sinks_of"]

"""`ragvigil demo`: an example RAG service over Python's own documentation, its faults, and its on-call."""

from ragvigil.scorer.demo.run import run_demo

__all__ = ["run_demo"]

"""The request for decorators that record every argument and result.

The passages are no argument of the generator: who records arguments would record them twice, and not be compared
on equal content.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.bench.tracer_cost.clock import Contestant
from tests.bench.tracer_cost.content import ANSWER, PASSAGES, QUESTION

Wrap = Callable[[Callable[..., Any]], Callable[..., Any]]


def request_of(name: str, wraps: tuple[Wrap, Wrap, Wrap], flush: Callable[[], object]) -> Contestant:
    """The request under the decorators of root, retriever and generator."""
    root, retriever, generator = wraps

    @retriever
    def search(query: str, top_k: int = 10) -> list[dict[str, object]]:
        return PASSAGES

    @generator
    def write(question: str) -> str:
        return ANSWER

    @root
    def ask(question: str) -> str:
        search(question)
        answer: str = write(question)
        return answer

    @retriever
    async def search_async(query: str, top_k: int = 10) -> list[dict[str, object]]:
        return PASSAGES

    @generator
    async def write_async(question: str) -> str:
        return ANSWER

    @root
    async def ask_async(question: str) -> str:
        await search_async(question)
        answer: str = await write_async(question)
        return answer

    return Contestant(name, lambda: ask(QUESTION), lambda: ask_async(QUESTION), flush)

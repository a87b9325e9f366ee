"""The same request with our decorators."""

from __future__ import annotations

from tests.bench.tracer_cost.clock import Contestant
from tests.bench.tracer_cost.content import ANSWER, PASSAGES, QUESTION

from ragvigil.tracer import Tracing, trace_generator, trace_rag, trace_retriever


def decorated(tracing: Tracing | None = None) -> Contestant:
    """The request; ``tracing`` is what is flushed."""

    @trace_retriever(source="kb")
    def search(query: str, top_k: int = 10) -> list[dict[str, object]]:
        return PASSAGES

    @trace_generator(model="m")
    def write(question: str) -> str:
        return ANSWER

    @trace_rag
    def ask(question: str) -> str:
        search(question)
        return write(question)

    @trace_retriever(source="kb")
    async def search_async(query: str, top_k: int = 10) -> list[dict[str, object]]:
        return PASSAGES

    @trace_generator(model="m")
    async def write_async(question: str) -> str:
        return ANSWER

    @trace_rag(name="ask")
    async def ask_async(question: str) -> str:
        await search_async(question)
        return await write_async(question)

    return Contestant(
        "decorated",
        lambda: ask(QUESTION),
        lambda: ask_async(QUESTION),
        (lambda: True) if tracing is None else tracing.flush,
    )

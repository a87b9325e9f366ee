"""FastAPI and OpenAI's SDK, async, with the answer streamed to the browser."""

from __future__ import annotations

import re
from asyncio import to_thread
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from openai import AsyncOpenAI, AsyncStream
from openai.types.chat import ChatCompletionChunk
from pydantic import BaseModel

from ragvigil.tracer import configure, context, trace_generator, trace_rag, trace_retriever

PASSAGES = {
    "water-1": "At sea level, water boils at 100 degrees Celsius.",
    "water-2": "The boiling point of water falls with altitude because air pressure is lower.",
    "ice-1": "Water freezes at 0 degrees Celsius under normal pressure.",
}

client = AsyncOpenAI()


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncIterator[None]:
    """Trace while the server runs. uvicorn ends by the signal that it got, so that nothing is sent at exit."""
    tracing = configure(service_name="water-fastapi")
    yield
    await to_thread(tracing.shutdown)


app = FastAPI(title="Questions about water", lifespan=lifespan)


class Question(BaseModel):
    """What `/ask` takes."""

    question: str
    conversation_id: str | None = None


@trace_retriever
async def search(query: str, top_k: int = 2) -> list[dict[str, object]]:
    """The passages that share the most words with the query."""
    wanted = words(query)
    found = [
        {"id": name, "text": text, "score": len(wanted & words(text)) / max(1, len(wanted))}
        for name, text in PASSAGES.items()
    ]
    return sorted(found, key=lambda passage: float(str(passage["score"])), reverse=True)[:top_k]


@trace_generator
async def write(question: str, passages: list[dict[str, object]]) -> AsyncStream[ChatCompletionChunk]:
    """The model's stream: one span, which ends when the stream does."""
    shown = "\n".join(f"[{passage['id']}] {passage['text']}" for passage in passages)
    return await client.chat.completions.create(
        model="gpt-4o-mini",
        messages=[
            {"role": "system", "content": f"Answer only from these passages, and cite them.\n{shown}"},
            {"role": "user", "content": question},
        ],
        stream=True,
        stream_options={"include_usage": True},
    )


@trace_rag
async def answer(question: str, conversation_id: str | None = None) -> AsyncIterator[str]:
    """The answer to one question, piece by piece."""
    context(conversation_id=conversation_id)
    async for chunk in await write(question, await search(question)):
        for choice in chunk.choices:
            yield choice.delta.content or ""


@app.post("/ask")
async def ask(body: Question) -> StreamingResponse:
    """Stream the answer as text."""
    return StreamingResponse(answer(body.question, body.conversation_id), media_type="text/plain")


def words(text: str) -> set[str]:
    """The longer words of a text, in lower case."""
    return set(re.findall(r"\w{4,}", text.lower()))

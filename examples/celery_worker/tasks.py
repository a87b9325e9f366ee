"""A Celery worker that answers questions: `celery --app tasks worker`, then `python ask.py QUESTION`."""

from __future__ import annotations

import os
import re

from celery import Celery
from celery.signals import worker_process_init
from openai import OpenAI
from openai.types.chat import ChatCompletion

from ragvigil.tracer import configure, context, trace_generator, trace_rag, trace_retriever

PASSAGES = {
    "water-1": "At sea level, water boils at 100 degrees Celsius.",
    "water-2": "The boiling point of water falls with altitude because air pressure is lower.",
    "ice-1": "Water freezes at 0 degrees Celsius under normal pressure.",
}

REDIS = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")

app = Celery("tasks", broker=REDIS, backend=REDIS)


@worker_process_init.connect
def start_tracing(**_: object) -> None:
    """Each process of the pool sends its own spans."""
    configure(service_name="water-celery")


@trace_retriever
def search(query: str) -> list[tuple[str, str]]:
    """The two passages that share the most words with the query: (id, text)."""
    wanted = words(query)
    best = sorted(PASSAGES.items(), key=lambda passage: len(wanted & words(passage[1])), reverse=True)
    return best[:2]


@trace_generator
def write(question: str, passages: list[tuple[str, str]]) -> ChatCompletion:
    """The model's answer."""
    shown = "\n".join(f"[{name}] {text}" for name, text in passages)
    return OpenAI().chat.completions.create(
        model="gpt-4o-mini",
        messages=[
            {"role": "system", "content": f"Answer only from these passages, and cite them.\n{shown}"},
            {"role": "user", "content": question},
        ],
    )


@app.task
@trace_rag
def ask(question: str, user_id: str | None = None) -> str:
    """One question, answered by a worker. `trace_rag` goes under `app.task`: Celery is to see its own task."""
    context(user_id=user_id, hash_user_id=True)
    return write(question, search(question)).choices[0].message.content or ""


def words(text: str) -> set[str]:
    """The longer words of a text, in lower case."""
    return set(re.findall(r"\w{4,}", text.lower()))

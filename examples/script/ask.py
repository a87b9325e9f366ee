"""A plain script: three functions, three decorators. `python ask.py "When does water boil?"`"""

from __future__ import annotations

import re
import sys

from openai import OpenAI
from openai.types.chat import ChatCompletion

from ragvigil.tracer import configure, trace_generator, trace_rag, trace_retriever

PASSAGES = {
    "water-1": "At sea level, water boils at 100 degrees Celsius.",
    "water-2": "The boiling point of water falls with altitude because air pressure is lower.",
    "ice-1": "Water freezes at 0 degrees Celsius under normal pressure.",
}

client = OpenAI()  # OPENAI_BASE_URL and OPENAI_API_KEY say which model server


@trace_retriever
def search(query: str, top_k: int = 2) -> list[tuple[str, str, float]]:
    """The passages that share the most words with the query: (id, text, score)."""
    wanted = words(query)
    scored = [
        (name, text, len(wanted & words(text)) / max(1, len(wanted))) for name, text in PASSAGES.items()
    ]
    return sorted(scored, key=lambda passage: passage[2], reverse=True)[:top_k]


@trace_generator
def write(question: str, passages: list[tuple[str, str, float]]) -> ChatCompletion:
    """The model's answer; answer, model, tokens and finish reason are read from the object that the SDK returns."""
    context = "\n".join(f"[{name}] {text}" for name, text, _ in passages)
    return client.chat.completions.create(
        model="gpt-4o-mini",
        messages=[
            {"role": "system", "content": f"Answer only from these passages, and cite them.\n{context}"},
            {"role": "user", "content": question},
        ],
    )


@trace_rag
def ask(question: str) -> str:
    """One question, answered."""
    return write(question, search(question)).choices[0].message.content or ""


def words(text: str) -> set[str]:
    """The longer words of a text, in lower case."""
    return set(re.findall(r"\w{4,}", text.lower()))


if __name__ == "__main__":
    configure(service_name="water-script")
    print(ask(sys.argv[1] if len(sys.argv) > 1 else "When does water boil at sea level?"))
    # What is queued is sent when the interpreter leaves, for at most two seconds: `configure(exit_seconds=...)`.

"""A small RAG service: a corpus in this file, a word-overlap retriever, an extractive answer that cites."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fastapi import FastAPI
from pydantic import BaseModel
from tracing import trace_generator, trace_rag, trace_retriever


@dataclass(frozen=True)
class Passage:
    """One passage of the corpus, with its score for a query."""

    id: str
    text: str
    score: float = 0.0


CORPUS = (
    Passage("water-1", "At sea level, water boils at 100 degrees Celsius."),
    Passage("water-2", "The boiling point of water falls with altitude because air pressure is lower."),
    Passage("ice-1", "Water freezes at 0 degrees Celsius under normal pressure."),
    Passage("steam-1", "Steam burns more severely than boiling water because it carries latent heat."),
)

app = FastAPI(title="Questions about water")


class Question(BaseModel):
    """What `/ask` takes."""

    question: str


class Answer(BaseModel):
    """What `/ask` returns."""

    answer: str
    sources: list[str]


@trace_retriever
def search(query: str, top_k: int = 3) -> list[Passage]:
    """The passages that share the most words with the query, best first."""
    wanted = words(query)
    if not wanted:
        return []
    scored = [Passage(one.id, one.text, len(wanted & words(one.text)) / len(wanted)) for one in CORPUS]
    found = [one for one in scored if one.score > 0]
    return sorted(found, key=lambda one: one.score, reverse=True)[:top_k]


@trace_generator
def write(question: str, passages: list[Passage]) -> str:
    """An answer made of the best passage and its citation; this is where a service would call its model."""
    if not passages:
        return f"I found nothing about: {question}"
    return f"{passages[0].text} [{passages[0].id}]"


@trace_rag
def answer(question: str) -> Answer:
    """One question answered once."""
    passages = search(question)
    return Answer(answer=write(question, passages), sources=[one.id for one in passages])


@app.post("/ask")
def ask(body: Question) -> Answer:
    """Answer a question from the corpus."""
    return answer(body.question)


def words(text: str) -> set[str]:
    """The longer words of a text, in lower case."""
    return set(re.findall(r"\w{4,}", text.lower()))

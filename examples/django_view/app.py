"""A Django view, in one file: `python app.py runserver --noreload 8001`."""

from __future__ import annotations

import re
import sys

from django.conf import settings
from django.core.management import execute_from_command_line
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, JsonResponse
from django.urls import path
from openai import OpenAI
from openai.types.chat import ChatCompletion

from ragvigil.tracer import configure, current_trace_id, trace_generator, trace_rag, trace_retriever

PASSAGES = {
    "water-1": "At sea level, water boils at 100 degrees Celsius.",
    "water-2": "The boiling point of water falls with altitude because air pressure is lower.",
    "ice-1": "Water freezes at 0 degrees Celsius under normal pressure.",
}

settings.configure(
    ROOT_URLCONF=__name__, ALLOWED_HOSTS=["127.0.0.1", "localhost"], SECRET_KEY="only for the example"
)
configure(service_name="water-django")  # in a project: in wsgi.py or asgi.py


@trace_retriever
def search(query: str) -> list[tuple[str, str]]:
    """The two passages that share the most words with the query: (id, text). With an ORM: (row.pk, row.text)."""
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


@trace_rag
def answer(question: str) -> dict[str, str | None]:
    """One question, answered, with the trace to which a thumb belongs."""
    text = write(question, search(question)).choices[0].message.content or ""
    return {"answer": text, "trace_id": current_trace_id()}


def ask(request: HttpRequest) -> JsonResponse:
    """`/ask?question=...`"""
    return JsonResponse(answer(request.GET["question"]))


def words(text: str) -> set[str]:
    """The longer words of a text, in lower case."""
    return set(re.findall(r"\w{4,}", text.lower()))


urlpatterns = [path("ask", ask)]
application = get_wsgi_application()

if __name__ == "__main__":
    execute_from_command_line(sys.argv)

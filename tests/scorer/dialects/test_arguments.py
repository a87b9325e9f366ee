"""The question among the arguments of decorated functions: the first one was taken, whatever it was."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from ragvigil.scorer.span import Span

from .conftest import ANSWER, PASSAGES, QUESTION, as_json, generation, only, span

HITS = [{"id": key, "text": text, "score": score} for key, text, score in PASSAGES]
SHOWN = "\n".join(f"[{place}] {text}" for place, (_, text, _) in enumerate(PASSAGES, 1))
PROMPT = f"Context:\n{SHOWN}\n\nQuestion: {QUESTION}"
HISTORY = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Good day"}]
OPTIONS = {"model": "tiny-chat-1", "k": 3}
Write = Callable[[str, object, object], dict[str, object]]


def called(*args: object, **kwargs: object) -> dict[str, Any]:
    """Arguments as both decorators write them."""
    return {"args": [*args], "kwargs": kwargs}


def traceloop(kind: str, given: object, made: object) -> dict[str, object]:
    """`@workflow` and `@task`."""
    return {
        "traceloop.span.kind": "workflow" if kind == "span" else "task",
        "traceloop.entity.input": as_json(given),
        "traceloop.entity.output": as_json(made),
    }


def langfuse(kind: str, given: object, made: object) -> dict[str, object]:
    """`@observe()`."""
    return {
        "langfuse.observation.type": kind,
        "langfuse.observation.input": given if isinstance(given, str) else as_json(given),
        "langfuse.observation.output": made if isinstance(made, str) else as_json(made),
    }


def asked(
    write: Write, given: object, searched: object | None = None, prompt: str | None = PROMPT
) -> list[Span]:
    """A function that searches, and asks a model."""
    found = called(QUESTION) if searched is None else searched
    spans = [
        span("a0", write("span", given, ANSWER), start=0, end=99),
        span("a1", write("retriever", found, HITS), parent="a0", start=1, end=9),
    ]
    if prompt is not None:
        spans.append(span("a2", generation(question=prompt), parent="a0", start=20, end=90))
    return spans


@pytest.mark.parametrize("write", [traceloop, langfuse])
@pytest.mark.parametrize("searched", [None, called("acme", QUESTION, k=3), called("Service", QUESTION)])
@pytest.mark.parametrize(
    "given",
    [
        called("u-1", QUESTION),
        called("pl", QUESTION),
        called("acme", QUESTION, top_k=3),
        called("u-1", question=QUESTION, history=HISTORY),
        called("u-1", message=QUESTION),
        called(OPTIONS, QUESTION),
        called("housing-rules", "v2", QUESTION),
        called("Service", QUESTION),
        called("Service", "u-1", QUESTION),
        called(HISTORY, QUESTION),
        called("u-1", {"question": QUESTION, "lang": "en"}),
        called("u-1", [*HISTORY, {"role": "user", "content": QUESTION}]),
        called("You are a helpful clerk.", QUESTION),
    ],
)
def test_the_argument_that_a_model_was_asked_is_the_question(
    write: Write, searched: object, given: object
) -> None:
    """Beside the id of a user, a language, a tenant, options, the object whose method was called."""
    record = only(asked(write, given, searched))
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")
    assert [each.text for each in record.documents] == [text for _, text, _ in PASSAGES]


@pytest.mark.parametrize("write", [traceloop, langfuse])
@pytest.mark.parametrize("given", [called("u-1", QUESTION), called("u-1", question=QUESTION)])
def test_what_was_searched_for_tells_it_too(write: Write, given: object) -> None:
    """Where no model has a span."""
    assert only(asked(write, given, prompt=None)).query == QUESTION


@pytest.mark.parametrize("write", [traceloop, langfuse])
@pytest.mark.parametrize(
    ("given", "searched", "prompt"),
    [
        (called(QUESTION, "short and friendly"), None, PROMPT),
        (called(QUESTION, "short and friendly"), None, f"short and friendly\n\n{PROMPT}"),
        (called(QUESTION, "ferry departure"), called("ferry departure"), PROMPT),
        (called(QUESTION, "ferry departure"), called("ferry departure"), f"{SHOWN}\n{QUESTION} Be short."),
        (called(QUESTION, HISTORY), None, PROMPT),
        (called(QUESTION, OPTIONS), None, PROMPT),
        (called(QUESTION, SHOWN), None, f"{SHOWN}\n\n{QUESTION}"),
        (called(QUESTION, query_type="faq"), None, PROMPT),
        (called(QUESTION, message="Please be so kind."), None, PROMPT),
        (called(QUESTION, "Where is the harbour?"), called("ferry"), None),
        (called(QUESTION, tenant="acme"), called("ferry"), None),
        (called(QUESTION), called("Where is the harbour?"), "Where is the harbour?"),
        (called("ferry", QUESTION), called("ferry"), f"{SHOWN}\n\nferry"),
    ],
)
def test_a_first_argument_that_was_asked_stays_the_question(
    write: Write, given: dict[str, list[object]], searched: object, prompt: str | None
) -> None:
    """Another may be asked beside it, searched for, or only shown."""
    assert only(asked(write, given, searched, prompt)).query == given["args"][0]


@pytest.mark.parametrize("first", ["Ferry", "ferry", "Paris?", "運賃"])
def test_one_word_may_be_a_question(first: str) -> None:
    """It stands in the prompt, as a class or an id does by no chance."""
    for write in (traceloop, langfuse):
        said = f"{SHOWN}\n\nTell me about {first}"
        assert only(asked(write, called(first, "in a friendly tone"), called("harbour"), said)).query == first


def test_a_question_that_was_reworded_stands_in_the_prompt() -> None:
    """Neither what was searched for nor what a model was asked is it, word for word."""
    said = f"Rewrite for a search, for a clerk:\n{QUESTION} And no more than that."
    for write in (traceloop, langfuse):
        spans = asked(write, called("u-1", QUESTION), called("ferry departure"))
        spans[-1] = span("a2", generation(question=said), parent="a0", start=20, end=90)
        assert only(spans).query == QUESTION


def test_a_class_alone_is_no_question() -> None:
    """A method without arguments: what was searched for is."""
    assert only(asked(traceloop, called("Service"))).query == QUESTION
    assert only(asked(traceloop, called("Ferry"), called("Ferry"), None)).query == "Ferry"


@pytest.mark.parametrize("arguments", [[QUESTION, HISTORY], [HISTORY, QUESTION]])
def test_what_was_said_before_is_no_question(arguments: Sequence[object]) -> None:
    """Langfuse in Node lists the arguments: the first of what was said before was the question."""
    spans = asked(langfuse, [*arguments], QUESTION)
    assert only(spans).query == QUESTION

"""Steps that two libraries told, each in spans of its own, are told once."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.span import Span

from .conftest import ANSWER, PASSAGES, QUESTION, as_json, chain, generation, ids, only, retrieval, span

NAMELESS = tuple((None, text, None) for _, text, _ in PASSAGES)
"""What a library tells that knows texts only."""


def by(library: str, start: int, *, parent: str | None = "a0", prefix: str, **told: object) -> list[Span]:
    """One question as a library tells it: a chain, a search, a model call, each a moment after another's."""
    passages, answer = told.get("passages", PASSAGES), told.get("answer", ANSWER)
    return [
        span(f"{prefix}1", chain(), parent=parent, start=start, end=start + 80, scope=library),
        span(
            f"{prefix}2",
            retrieval(passages),  # type: ignore[arg-type]  # of whatever kind the test tells
            parent=f"{prefix}1",
            start=start + 5,
            end=start + 20,
            scope=library,
        ),
        span(
            f"{prefix}3",
            generation(answer),  # type: ignore[arg-type]  # as above
            parent=f"{prefix}1",
            start=start + 30,
            end=start + 70,
            scope=library,
        ),
    ]


REQUEST = span("a0", name="POST /ask", start=0, end=199, scope="web")


def test_two_tracers_of_one_framework_are_one_record() -> None:
    """Both stand below the request; each call is counted once, whatever order the spans come in."""
    spans = [REQUEST, *by("one", 1, prefix="b"), *by("other", 2, prefix="c")]
    record = only(spans)
    assert (record.query, record.answer, ids(record)) == (QUESTION, ANSWER, [key for key, *_ in PASSAGES])
    assert (record.tokens.input, record.tokens.output, len(record.retrievals)) == (20, 5, 1)
    shuffled = random.Random(3).sample(spans, len(spans))
    assert only(shuffled) == record


def test_one_tells_ids_and_the_other_texts() -> None:
    """Together they tell the passages whole, in either order."""
    silent = tuple((key, None, score) for key, _, score in PASSAGES)
    for first, second in itertools.permutations((silent, NAMELESS)):
        spans = [
            *by("one", 1, prefix="b", passages=first),
            *by("other", 2, prefix="c", passages=second),
        ]
        found = [(each.id, each.text, each.score) for each in only([REQUEST, *spans]).documents]
        assert found == list(PASSAGES)


def test_three_tracers_are_one_record() -> None:
    """As a team has that tries another one."""
    spans = [each for place, name in enumerate("xyz") for each in by(name, place + 1, prefix=name)]
    record = only([REQUEST, *spans])
    assert (record.tokens.input, len(record.retrievals), len(record.documents)) == (20, 1, 2)


def test_a_client_beside_the_framework_that_calls_it_counts_once() -> None:
    """The framework passes no context on, so the client's span hangs on the request."""
    client = span("d1", generation(), parent="a0", start=33, end=68, scope="client")
    record = only([REQUEST, *by("framework", 1, prefix="b"), client])
    assert (record.tokens.input, record.span_id) == (20, "b3")


def test_a_call_that_one_of_two_tells_without_its_words_counts_once() -> None:
    """Its tokens and what was asked say which it was."""
    client = span("d1", generation(None), parent="b1", start=29, end=72, scope="client")
    spans = [REQUEST, *by("framework", 1, prefix="b"), client]
    assert only(spans).tokens.input == 20
    other = generation(None, question="Name this conversation.")
    assert only([*spans[:-1], replace(client, attributes=other)]).tokens.input == 40


def test_two_questions_that_two_tracers_told_are_two_records() -> None:
    """One after the other, and the same one again."""
    first = [*by("one", 1, prefix="b"), *by("other", 2, prefix="c")]
    second = [*by("one", 101, prefix="d"), *by("other", 102, prefix="e")]
    records = read_records([REQUEST, *first, *second])
    assert [(each.query, each.tokens.input, len(each.documents)) for each in records] == [
        (QUESTION, 20, 2)
    ] * 2


def test_what_one_library_told_twice_was_done_twice() -> None:
    """So were calls of two libraries that do not touch, or said different things."""
    twice = [*by("one", 1, prefix="b"), *by("one", 2, prefix="c")]
    assert len(read_records([REQUEST, *twice])) == 2
    apart = span("d1", generation(), parent="b1", start=71, end=75, scope="client")
    assert only([REQUEST, *by("one", 1, prefix="b"), apart]).tokens.input == 40
    other = span("d1", generation("yes"), parent="b1", start=33, end=68, scope="client")
    assert only([REQUEST, *by("one", 1, prefix="b"), other]).tokens.input == 40


def test_a_failed_call_told_twice_is_one_failure() -> None:
    """Without an answer or tokens: that it failed, and what was asked, is all that both say."""
    failing = generation(None, tokens=None)
    spans = [
        REQUEST,
        span("b1", chain(answer=None), parent="a0", start=1, end=80, scope="one", failed=True),
        span("b3", failing, parent="b1", start=30, end=70, scope="one", failed=True),
        span(
            "c1",
            {"openinference.span.kind": "CHAIN"},
            parent="a0",
            start=2,
            end=81,
            scope="other",
            failed=True,
        ),
        span("c2", retrieval(), parent="c1", start=5, end=20, scope="other"),
        span("c3", failing, parent="c1", start=31, end=71, scope="other", failed=True),
        span("b2", retrieval(), parent="b1", start=4, end=19, scope="one"),
    ]
    record = only(spans)
    assert (record.answer, len(record.documents), record.error is not None) == (None, 2, True)


def test_hits_of_a_search_as_json_are_read_once() -> None:
    """A tool of one library, and OpenTelemetry's own span of the same search."""
    hits = as_json([{"id": key, "score": score} for key, _, score in PASSAGES])
    other = {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.retrieval.query.text": QUESTION,
        "gen_ai.retrieval.documents": hits,
    }
    search = span("d1", other, parent="a0", start=7, end=22, scope="otel")
    record = only([REQUEST, *by("one", 1, prefix="b", passages=NAMELESS), search])
    assert (ids(record), len(record.retrievals)) == ([key for key, *_ in PASSAGES], 1)

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


def test_ids_of_one_and_texts_of_the_other_are_one_where_a_third_step_knows_both() -> None:
    """Such as the function that numbers the passages; without one, texts of one index would get ids of another."""
    silent = tuple((key, None, score) for key, _, score in PASSAGES)
    context = as_json([{"id": key, "page_content": text} for key, text, _ in PASSAGES])
    for first, second in itertools.permutations((silent, NAMELESS)):
        spans = [
            REQUEST,
            *by("one", 1, prefix="b", passages=first),
            *by("other", 2, prefix="c", passages=second),
        ]
        assert len(read_records(spans)) == 2
        numbered = {"openinference.span.kind": "RETRIEVER", "input.value": "all", "output.value": context}
        told = span("b9", numbered, parent="b1", start=25, end=26, scope="one")
        found = [(each.id, each.text) for each in only([*spans, told]).documents]
        assert sorted(found) == sorted((key, text) for key, text, _ in PASSAGES)


def test_ids_of_one_and_texts_of_the_other_are_one_by_their_scores() -> None:
    """Passages of one text have no id each; scores that differ are one search's, and those alike may be anyone's."""
    for scores, questions in (((0.9, 0.5), 1), ((0.5, 0.5), 2)):
        both = [(key, text, score) for (key, text, _), score in zip(PASSAGES, scores, strict=True)]
        silent = tuple((key, None, score) for key, _, score in both)
        nameless = tuple((None, text, score) for _, text, score in both)
        told = [*by("one", 1, prefix="b", passages=silent), *by("other", 2, prefix="c", passages=nameless)]
        records = read_records([REQUEST, *told])
        assert len(records) == questions
        if questions == 1:
            assert [(each.id, each.text, each.score) for each in records[0].documents] == both


def test_two_indexes_searched_at_once_stay_two_searches() -> None:
    """Ids and scores of one, texts of the other: nothing says that they are of the same passages."""
    scored = (("bm-1", None, 7.1), ("bm-2", None, 6.0))
    other = span("r2", retrieval(scored), parent="b1", start=5, end=22, scope="keywords")
    record = only([REQUEST, *by("one", 1, prefix="b", passages=NAMELESS), other])
    assert (len(record.documents), record.completeness) == (4, "partial_evidence")


def test_a_search_that_failed_beside_one_that_did_not_is_another() -> None:
    """Both asked the same; the failed one found nothing."""
    asked: dict[str, object] = {"openinference.span.kind": "RETRIEVER", "input.value": QUESTION}
    failed = span(
        "r2", asked, parent="b1", start=5, end=22, scope="es", failed=True, status="ConnectionError: down"
    )
    record = only([REQUEST, *by("one", 1, prefix="b"), failed])
    assert (record.error, len(record.retrievals)) == ("ConnectionError", 2)
    same = replace(failed, attributes=retrieval())
    assert only([REQUEST, *by("one", 1, prefix="b"), same]).error == "ConnectionError"


def test_searches_that_tell_lists_of_other_lengths_are_left_as_they_are() -> None:
    """Two of them agree with one that tells no list at all."""
    asked: dict[str, object] = {"openinference.span.kind": "RETRIEVER", "input.value": QUESTION}
    many = tuple((f"k{place}", f"Text number {place}.", 0.5) for place in range(5))
    spans = [
        REQUEST,
        *by("app", 1, prefix="b", passages=many)[::2],
        span("r0", retrieval(many, query="other words"), parent="b1", start=2, end=4, scope="app"),
        span("r1", asked, parent="b1", start=5, end=30, scope="app"),
        span("r2", retrieval(PASSAGES), parent="b1", start=6, end=20, scope="x"),
        span("r3", retrieval(PASSAGES[:1]), parent="b1", start=7, end=22, scope="y"),
    ]
    assert len(only(spans).retrievals) == 4


def test_two_pipelines_that_are_compared_stay_two_records() -> None:
    """They ask the same: one fails, streams, or answers the same of other passages."""
    others = (("z-1", "Buses leave at ten.", 0.3), ("z-2", "Taxis do not.", 0.1))
    good = by("one", 1, prefix="b")
    chained, searched, called = by("other", 1, prefix="c", passages=others)
    for pipeline in (
        [chained, searched, called],
        [
            replace(chained, attributes=chain(answer=None)),
            searched,
            replace(called, attributes=generation("No.")),
        ],
        [
            replace(chained, attributes=chain(answer=None), failed=True, status_message="Timeout"),
            searched,
            replace(called, attributes=generation(None, tokens=None), failed=True, status_message="Timeout"),
        ],
    ):
        records = read_records([REQUEST, *good, *pipeline])
        assert sorted(ids(record)[0] or "" for record in records) == ["timetable-1", "z-1"]
        assert [record.error for record in records if ids(record)[0] == "timetable-1"] == [None]


def test_one_short_answer_of_two_calls_is_one_call_only_where_more_is_the_same() -> None:
    """Guards of two providers at once; a request to two providers of which each answers; an answer without a prompt."""

    def counted(**more: tuple[tuple[int, int], str]) -> int | None:
        calls = [
            span(
                f"g-{name}",
                generation("no", tokens=tokens, question=asked),
                parent=parent,
                start=2,
                end=22,
                scope=name,
            )
            for (name, (tokens, asked)), parent in zip(more.items(), ("b1", "a0"), strict=True)
        ]
        return only([REQUEST, *by("one", 1, prefix="b"), *calls]).tokens.input

    assert counted(x=((100, 1), "Is it harmful?"), y=((300, 1), "Is it off topic?")) == 420
    assert counted(x=((100, 1), "Is it harmful?"), y=((300, 1), "Is it harmful?")) == 420
    assert counted(x=((100, 1), "Is it harmful?"), y=((100, 1), "Is it off topic?")) == 220
    assert counted(x=((100, 1), "Is it harmful?"), y=((100, 1), "Is it harmful?")) == 120


def test_calls_of_two_questions_at_once_are_not_crossed() -> None:
    """Both answer the same; a framework that tells neither prompt nor tokens does not say which call is whose."""
    unknown = "I don't know."
    silent = {"openinference.span.kind": "LLM", "output.value": unknown, "llm.model_name": "tiny-chat-1"}
    spans, asked = [REQUEST], (QUESTION, "What does it cost?")
    for place, (question, (key, text, score)) in enumerate(zip(asked, PASSAGES, strict=True), 1):
        searched = retrieval(((key, None, score),), question)
        called = generation(unknown, question=f"Context:\n[1] {text}\n\nQuestion: {question}")
        for name, told, above, start in (
            (f"{place}1", chain(question, unknown), "a0", place),
            (f"{place}2", searched, f"{place}1", place + 1),
            (f"{place}3", silent, f"{place}1", place + 10),
        ):
            spans.append(span(name, told, parent=above, start=start, end=80, scope="framework"))
        spans.append(span(f"{place}9", called, parent="a0", start=17 - place, end=60, scope="client"))
    first = next(record for record in read_records(spans) if record.query == QUESTION)
    assert [(each.id, each.text) for each in first.documents] == [(PASSAGES[0][0], None)]


def test_calls_of_a_batch_stay_within_their_chains() -> None:
    """Two questions at once: the client alone knows the answers, but its calls hang on the request."""
    spans, asked = [REQUEST], (QUESTION, "What does it cost?")
    for place, question in enumerate(asked, 1):
        told = {"question": f"Context:\n[1] {PASSAGES[place - 1][1]}\n\nQuestion: {question}"}
        for name, role, above, start in (
            (f"{place}1", "CHAIN", "a0", place),
            (f"{place}2", "RETRIEVER", f"{place}1", 5),
        ):
            kind = {"openinference.span.kind": role}
            spans.append(span(name, kind, parent=above, start=start, end=90, scope="framework"))
        silent, called = (generation(answer, tokens=(20 + place, 5), **told) for answer in (None, ANSWER))
        spans += [
            span(f"{place}3", silent, parent=f"{place}1", start=10 + place, end=80, scope="framework"),
            span(f"{place}9", called, parent="a0", start=12 + place, end=79, scope="client"),
        ]
    records = [(record.query, record.answer, record.tokens.input) for record in read_records(spans)]
    assert records == [(QUESTION, ANSWER, 21), (asked[1], ANSWER, 22)]


def test_a_retry_within_a_client_is_no_error() -> None:
    """The framework tells one call, and the client two: the second one is the framework's, too."""
    refused = span(
        "d1",
        generation(None, tokens=None),
        parent="a0",
        start=32,
        end=40,
        scope="client",
        failed=True,
        status="RateLimitError: 429",
    )
    answered = span("d2", generation(), parent="a0", start=42, end=70, scope="client")
    record = only(
        [REQUEST, *(replace(each, name="Chat") for each in by("framework", 1, prefix="b")), refused, answered]
    )
    assert (record.error, record.tokens.input) == (None, 20)


def test_tokens_of_what_is_told_around_a_call_are_counted_once() -> None:
    """Whatever else differs: thoughts, an answer that was cut, none at all, a log's moment at the end."""
    framework = by("framework", 1, prefix="b")
    for told, start, end in (
        (generation(f"<think>hm</think>\n{ANSWER}"), 29, 72),
        (generation(ANSWER[:8]), 29, 72),
        (generation(None, question=f"Be brief.\n\n{QUESTION}"), 29, 72),
        (generation(ANSWER[:8]), 71, 71),
    ):
        client = span("d1", told, parent="b1", start=start, end=end, scope="client")
        assert only([REQUEST, *framework, client]).tokens.input == 20


def test_three_tracers_are_one_record() -> None:
    """As a team has that tries another one."""
    spans = [each for place, name in enumerate("xyz") for each in by(name, place + 1, prefix=name)]
    record = only([REQUEST, *spans])
    assert (record.tokens.input, len(record.retrievals), len(record.documents)) == (20, 1, 2)


def test_steps_of_more_libraries_than_any_service_has_are_left_as_they_are() -> None:
    """What each of two thousand told alike would be compared with each."""
    spans = [each for place in range(20) for each in by(f"l{place}", place + 1, prefix=f"{place}-")]
    assert len(read_records([REQUEST, *spans])) == 1
    assert len(read_records([REQUEST, *spans, *by("another", 21, prefix="z")])) == 21


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
    other = generation(None, question="Name this conversation.", tokens=(21, 5))
    assert only([*spans[:-1], replace(client, attributes=other)]).tokens.input == 41


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
    other = span("d1", generation("yes", tokens=(21, 1)), parent="b1", start=33, end=68, scope="client")
    assert only([REQUEST, *by("one", 1, prefix="b"), other]).tokens.input == 41


def test_steps_that_begin_and_end_in_one_tick_of_the_clock_are_told_once() -> None:
    """A search in memory takes less than the milliseconds in which some clocks count."""
    one, other = (
        span(key, retrieval(), parent="a1", start=5, end=end, scope=scope)
        for key, end, scope in (("b1", 5, "one"), ("c1", 6, "other"))
    )
    asked = span("a1", chain(), parent="a0", start=1, end=90, scope="one")
    record = only([REQUEST, asked, one, other, span("b3", generation(), parent="a1", start=6, end=70)])
    assert len(record.retrievals) == 1


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
    record = only([REQUEST, *by("one", 1, prefix="b"), search])
    assert (ids(record), len(record.retrievals)) == ([key for key, *_ in PASSAGES], 1)

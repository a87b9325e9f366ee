"""Several questions of one application in one trace: a batch, an evaluation, a conversation."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.span import LogEvent, Span
from ragvigil.scorer.trace import RagTrace

from .conftest import ANSWER, PASSAGES, QUESTION, TRACE_ID, chain, generation, only, retrieval, span
from .rewording import Rewording
from .test_other_texts import IN_PIECES, PATHS, recording, records

ROOT = "f" * 16
ASKED = (
    ("When does the ferry to Alba leave?", "The one to Alba leaves at nine [1].", "The ferry to Alba leaves at nine."),
    ("How much is a ticket for the tram?", "A ticket is two crowns [1].", "A tram ticket costs two crowns."),
    ("Who painted the old town hall?", "Lena Holt has painted it [1].", "The town hall was painted by Lena Holt."),
)  # fmt: skip
Told = tuple[str | None, str | None, list[str]]


def told(record: RagTrace) -> Told:
    """What tells one record of a batch from another."""
    answer = record.answer and record.answer.strip()
    return record.query, answer, sorted(each.text or "" for each in record.documents)


def one_record(path: Path) -> tuple[list[Span], list[LogEvent], RagTrace] | None:
    """The trace of a recording that has the one record; None where there are more."""
    spans, events = recording(path)
    found = records(spans, events)
    if len(found) != 1:
        return None
    name = found[0].trace_id
    return (
        [each for each in spans if each.trace_id == name],
        [each for each in events if each.trace_id == name],
        found[0],
    )


def item(path: Path, place: int, start: int) -> tuple[list[Span], list[LogEvent], Told] | None:
    """The recording as the question at that place, and what its record has to tell."""
    found = one_record(path)
    if found is None:
        return None
    spans, events, record = found
    question, answer, passage = ASKED[place]
    table = {
        document.text.strip(): f"{passage} ({number})" if number else passage
        for number, document in enumerate(record.documents)
        if document.text
    }
    table |= {record.query.strip(): question} if record.query else {}
    table |= {record.answer.strip(): answer} if record.answer else {}
    rewording, first = Rewording(table), min(each.start for each in spans)

    def other(span_id: str | None) -> str | None:
        return span_id and hashlib.sha256(f"{place} {span_id}".encode()).hexdigest()[:16]

    moved = [
        replace(
            rewording.span(each),
            trace_id=TRACE_ID,
            span_id=other(each.span_id) or "",
            parent_id=other(each.parent_id),
            start=each.start - first + start,
            end=each.end - first + start,
        )
        for each in spans
    ]
    said = [
        replace(rewording.event(each), trace_id=TRACE_ID, span_id=other(each.span_id), time=start)
        for each in events
    ]
    expected = told(replace(record, query=record.query and question, answer=record.answer and answer))
    return moved, said, (expected[0], expected[1], sorted(map(rewording.text, expected[2])))


def batch(paths: Sequence[Path], way: str) -> tuple[list[Span], list[LogEvent], list[Told]]:
    """The recordings below one span that asks nothing: in turn or side by side, each below a span of its own or not."""
    spans, events, expected = list[Span](), list[LogEvent](), list[Told]()
    start = 1_700_000_000_000_000_000
    for place, path in enumerate(paths):
        made = item(path, place, start)
        assert made is not None
        own, said, record = made
        ids = {each.span_id for each in own}
        end = max(each.end for each in own)
        parent = None if "without a root" in way else ROOT
        if "wrapped" in way:
            above = f"{place + 1:016x}"
            spans.append(replace(span(above, parent=parent, name="item"), start=start, end=end))
            parent = above
        spans += [each if each.parent_id in ids else replace(each, parent_id=parent) for each in own]
        events += said
        expected.append(record)
        start = end + 1_000 if "in turn" in way else start + max(1, (end - start) // 10)
    if "without a root" not in way:
        first, last = min(each.start for each in spans), max(each.end for each in spans)
        spans.append(replace(span(ROOT, name="batch"), start=first, end=last))
    return spans, events, expected


def usable(path: Path) -> bool:
    """Whether the recording holds one whole record in texts that another can replace."""
    found = None if any(name in path.name for name in IN_PIECES) else one_record(path)
    return found is not None and bool(found[2].query and found[2].answer and found[2].documents)


WHOLE = [path for path in PATHS if usable(path)]
FAILED = [path for path in PATHS if "_error" in path.name and (found := one_record(path)) and found[2].query]
BARE = ("-logfire-logfire-", "google-")
"""Calls of a client with nothing around them."""
WAYS = ("in turn", "side by side", "in turn, wrapped", "side by side, wrapped", "in turn, without a root")


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.name.partition(".")[0])
def test_each_question_of_a_batch_is_a_record_with_its_own_passages(path: Path) -> None:
    """Whatever instrumentation tells of it, also where no search has a span and the passages stand in the prompt."""
    for way in WAYS:
        spans, events, expected = batch([path] * 3, way)
        assert sorted(map(told, read_records(spans, events))) == sorted(expected), way


@pytest.mark.parametrize("path", FAILED, ids=lambda path: path.name.partition(".")[0])
def test_a_question_that_failed_gets_no_answer_of_another(path: Path) -> None:
    """It stands before, between or behind those that went well."""
    well = next(each for each in WHOLE if each.name.split("-")[1:3] == path.name.split("-")[1:3])
    for way in WAYS:
        for paths in ([path, well], [well, path], [well, path, well], [path, path, well]):
            spans, events, expected = batch(paths, way)
            assert sorted(map(told, read_records(spans, events)), key=str) == sorted(expected, key=str), way


def test_applications_of_several_kinds_in_one_trace_are_apart() -> None:
    """One service calls another that has another framework; bare calls of a client beside a chain may be its part."""
    framed = [path for path in WHOLE if not any(bare in path.name for bare in BARE)]
    for number, path in enumerate(framed):
        spans, events, expected = batch(
            [path, framed[number - 1], framed[number - 2]], WAYS[number % len(WAYS)]
        )
        assert sorted(map(told, read_records(spans, events))) == sorted(expected), path


def call(name: str, prompt: str, answer: str, start: int, *, question: str) -> list[Span]:
    """A chain with one model call, below one request."""
    return [
        span(name, chain(question, answer), parent="a0", start=start, end=start + 9),
        span(f"{name}g", generation(answer, question=prompt), parent=name, start=start + 1, end=start + 8),
    ]


def pasted(question: str, *passages: str) -> str:
    """A prompt with passages."""
    items = "\n".join(f"[{number}] {passage}" for number, passage in enumerate(passages, 1))
    return f"Context:\n{items}\n\nQuestion: {question}"


SHOWN = pasted(QUESTION, *(passage for _, passage, _ in PASSAGES))


@pytest.mark.parametrize(
    "others",
    [
        call("b1", f"Rewrite it for a search: {QUESTION}", "ferry departure", 1, question="Rewrite it."),
        call("b1", f"Is it grounded?\n{SHOWN}\n{ANSWER}", "Yes, it is.", 50, question="Is it grounded?"),
        call("b1", SHOWN, "I cannot say that.", 1, question=QUESTION),
    ],
)
def test_what_prepares_judges_or_repeats_an_answer_is_no_question(others: list[Span]) -> None:
    """Calls of a pipeline stand side by side below a request as the questions of a batch do."""
    spans = [span("a0", name="POST /ask", end=99), *call("a1", SHOWN, ANSWER, 20, question=QUESTION)]
    record = only([*spans, *others])
    texts = [document.text for document in record.documents]
    assert (record.query, texts) == (QUESTION, [passage for _, passage, _ in PASSAGES])


def test_turns_of_a_conversation_that_each_prompt_repeats_are_apart() -> None:
    """Their passages tell them from a judge, which is shown those of the answer."""
    spans, history = [span("a0", name="chat", end=99)], ""
    for place, (question, answer, passage) in enumerate(ASKED):
        prompt = f"{history}{pasted(question, passage)}"
        spans += call(f"a{place + 1}", prompt, answer, 1 + 20 * place, question=question)
        history += f"User: {question}\nAssistant: {answer}\n"
    assert [told(record) for record in read_records(spans)] == [
        (question, answer, [passage]) for question, answer, passage in ASKED
    ]


def test_a_failed_try_is_no_question_beside_the_one_that_went_well() -> None:
    """They ask the same."""
    spans = [
        span("a0", name="POST /ask", end=99),
        span("b1", chain(answer=None), parent="a0", start=1, end=9, failed=True),
        span("b2", retrieval(()), parent="b1", start=2, end=8, failed=True),
        *call("a1", SHOWN, ANSWER, 20, question=QUESTION),
    ]
    assert told(only(spans))[:2] == (QUESTION, ANSWER)


@pytest.mark.parametrize("second", [ANSWER, "At nine."])
def test_a_question_asked_twice_by_spans_below_none_is_two(second: str) -> None:
    """Below one request it is a second try, and a judge asks the same about an answer that it was shown."""
    twice = [
        *call("a1", SHOWN, ANSWER, 1, question=QUESTION),
        *call("b1", SHOWN, second, 20, question=QUESTION),
    ]
    roots = [replace(each, parent_id=None) if each.parent_id == "a0" else each for each in twice]
    texts = sorted(passage for _, passage, _ in PASSAGES)
    assert [told(each) for each in read_records(roots)] == [
        (QUESTION, ANSWER, texts),
        (QUESTION, second, texts),
    ]
    assert len(read_records([span("a0", name="POST /ask", end=99), *twice])) == 1
    assert len(read_records(twice)) == 1, "the request's span is lost"
    judge = call("b1", f"Is it grounded?\n{SHOWN}\n{ANSWER}", "Yes.", 20, question=QUESTION)
    judged = [*call("a1", SHOWN, ANSWER, 1, question=QUESTION), *judge]
    assert (
        len(
            read_records(
                [replace(each, parent_id=None) if each.parent_id == "a0" else each for each in judged]
            )
        )
        == 1
    )


@pytest.mark.parametrize("answer", ["1", "nine", "leaves", "No", "はい"])
def test_a_short_answer_that_passages_say_as_well_makes_no_second_try(answer: str) -> None:
    """It stands in every prompt by chance; by itself it was shown to somebody who goes on from it."""

    def asked_again(prompt: str) -> int:
        twice = [
            *call("a1", SHOWN, answer, 1, question=QUESTION),
            *call("b1", prompt, answer, 20, question=QUESTION),
        ]
        roots = [replace(each, parent_id=None) if each.parent_id == "a0" else each for each in twice]
        return len(read_records(roots))

    assert asked_again(SHOWN) == 2
    assert asked_again(f"{SHOWN}\nDraft: {answer}\nImprove it.") == 1
    assert asked_again(f"{SHOWN}\n\n{answer}") == 1
    assert asked_again(f'{SHOWN}\nIs "{answer}" right?') == 1


def test_what_a_session_says_of_itself_holds_for_all_its_questions() -> None:
    """An application may name conversation and user on the span above them alone."""
    above = span("a0", {"session.id": "s-1", "enduser.id": "u-1"}, name="session", end=99)
    spans = [
        above,
        *(
            each
            for place, (question, answer, passage) in enumerate(ASKED)
            for each in call(f"b{place}", pasted(question, passage), answer, 20 * place, question=question)
        ),
    ]
    found = [(each.query, each.conversation_id, each.user_id) for each in read_records(spans)]
    assert found == [(question, "s-1", "u-1") for question, _, _ in ASKED]

"""Passages and question as parts of one message: so Google's client takes a list, and others a list of blocks."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import RagTrace

from .conftest import ANSWER, QUESTION, as_json, captured, only, retrieval, span
from .test_gemini import SCOPE

SNOW, COAL = "Snow is white and falls in winter.", "Coal is black and is dug."
LONG = "Of all that is told of the ferry the times matter most, for who comes late waits on the pier " * 3


def genai(*parts: str) -> Span:
    """A call in GenAI conventions."""
    texts = [{"type": "text", "content": part} for part in parts]
    return span(
        "a1",
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": as_json([{"role": "user", "parts": texts}]),
            "gen_ai.output.messages": as_json(
                [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}]
            ),
        },
    )


def flattened(*parts: str) -> Span:
    """A call in OpenInference's attributes."""
    prefix = "llm.input_messages.0.message"
    texts = {f"{prefix}.contents.{place}.message_content.text": part for place, part in enumerate(parts)}
    types = {f"{prefix}.contents.{place}.message_content.type": "text" for place in range(len(parts))}
    said = {
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": ANSWER,
    }
    return span("a1", {"openinference.span.kind": "LLM", f"{prefix}.role": "user", **texts, **types, **said})


def numbered(*parts: str) -> Span:
    """A call in numbered attributes, its blocks as JSON."""
    blocks = as_json([{"type": "text", "text": part} for part in parts])
    asked = {"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": blocks}
    said = {"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": ANSWER}
    return span("a1", {"gen_ai.request.model": "tiny-chat-1", **asked, **said})


def found(record: RagTrace) -> tuple[list[str | None], str | None, str]:
    """The record's passages, its question, and how complete it is."""
    return [each.text for each in record.documents], record.query, record.completeness


@pytest.mark.parametrize(
    "name",
    [
        "google-openinference-parts",
        "google-otel-parts",
        "google-openllmetry-parts",
        "google-openllmetry-list",
    ],
)
def test_googles_client_was_given_passages_and_question_in_a_list(name: str) -> None:
    """As each instrumentation tells it; the last two write a message of several parts, and several messages."""
    record = only(captured(name))
    assert found(record) == (
        [
            "Le dernier bac quitte Groix à 19 h 45 en été.",
            "En hiver, il part à 18 h 30.",
            "Le billet coûte 38 €.",
        ],
        "À quelle heure part le dernier bac ?",
        "complete",
    )
    assert record.answer == "À 19 h 45 en été."


@pytest.mark.parametrize("call", [genai, flattened, numbered])
@pytest.mark.parametrize(
    "parts",
    [
        (SNOW, COAL, QUESTION),
        (QUESTION, SNOW, COAL),
        (SNOW, COAL, f"Question: {QUESTION}"),
        (f"Context: {SNOW}", COAL, QUESTION),
        ("Context:", SNOW, COAL, QUESTION),
        ("Use the following context.", SNOW, COAL, "Question:", QUESTION),
        (SNOW, COAL, QUESTION, "Answer in one sentence."),
        (f"[1] {SNOW}", f"[2] {COAL}", QUESTION),
        (f"[1] {SNOW}\n[2] {COAL}", QUESTION),
        (f"Document 1: {SNOW}", f"Document 2: {COAL}", QUESTION),
        (f"Source: a.txt\n{SNOW}", f"Source: b.txt\n{COAL}", QUESTION),
        (as_json({"id": "a", "text": SNOW}), as_json({"id": "b", "text": COAL}), QUESTION),
        (f"Context:\n- {SNOW}\n- {COAL}", QUESTION),
        ("Answer briefly.", f"Context:\n[1] {SNOW}\n[2] {COAL}\n\nQuestion: {QUESTION}"),
    ],
)
def test_the_parts_beside_the_question_are_passages(
    call: Callable[..., Span], parts: tuple[str, ...]
) -> None:
    """Orders and headings are none."""
    assert found(only([call(*parts)])) == ([SNOW, COAL], QUESTION, "complete")


@pytest.mark.parametrize(
    "parts",
    [
        (f"Context: {SNOW}", QUESTION),
        ("Context:", SNOW, QUESTION),
        ("Use the following context.", SNOW, QUESTION),
        (SNOW, "Answer from the context above.", QUESTION),
        ("You are a clerk.", "Context:", SNOW, QUESTION),
    ],
)
def test_the_one_part_beside_the_question_is_a_passage_where_something_says_so(
    parts: tuple[str, ...],
) -> None:
    """And nothing could part it."""
    assert found(only([genai(*parts)])) == ([SNOW], QUESTION, "complete")


@pytest.mark.parametrize(
    "part",
    [
        SNOW,
        f"{SNOW}\n\n{COAL}",
        "The user is called Bob and lives in Alba.",
        "Only consider the ferry to Alba.",
        "Thank you so much for your help with it!",
        "<environment_details>\nIt is ten o'clock on a Monday.\n</environment_details>",
        "def leave(pier):\n    return pier + 1\n" * 8,
    ],
)
def test_one_part_that_nothing_calls_a_passage_marks_the_record(part: str) -> None:
    """It may be a text to look over, code, or what is known of the user."""
    for parts in ((part, QUESTION), (QUESTION, part)):
        record = only([genai(*parts)])
        assert (record.documents, record.completeness) == ((), "partial_evidence")


@pytest.mark.parametrize(
    "parts",
    [
        ("I bought a ticket last week.", "I then rebooked it at a higher price.", QUESTION),
        ("J'ai acheté un billet la semaine passée.", "Le bac du matin a été annulé.", "Quand part le bac ?"),
        (QUESTION, "A) It leaves at nine.", "B) It leaves at ten."),
        (SNOW, "Traceback:\n  at harbour.leave (pier.js:7)\n  at main.run (main.js:1)", QUESTION),
        ("Here is my log:", SNOW, COAL, "What is wrong with it?"),
        ("Translate into French:", "Where is the station?"),
    ],
)
def test_parts_that_may_be_what_the_question_is_about_mark_the_record(parts: tuple[str, ...]) -> None:
    """A story of one's own, answers to choose from, code, a text below a heading that says no context."""
    record = only([genai(*parts)])
    assert (record.documents, record.completeness) == ((), "partial_evidence")


@pytest.mark.parametrize(
    "order",
    [
        "If you do not know the answer, call the office.",
        "Always answer the phone with your name.",
        "Use the documents in the drawer to fill in the form.",
        "Answer: the ferry leaves at nine from pier two.",
        "You are allowed one bag. It must be small.",
    ],
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_part_that_reads_like_an_order_among_passages_is_not_left_out(order: str, place: int) -> None:
    """It may be one of them."""
    parts = [SNOW, COAL]
    parts.insert(place, order)
    record = only([genai(*parts, QUESTION)])
    assert (record.documents, record.completeness) == ((), "partial_evidence")


@pytest.mark.parametrize(
    "part", ["## Rules\nThe ferry leaves at nine.", "Tickets: 38 euros. Timetable: nine to six."]
)
def test_a_passage_with_a_heading_is_one(part: str) -> None:
    """And the order that has the question between it and the passages is none."""
    assert found(only([genai(part, COAL, QUESTION, "Be brief.")])) == ([part, COAL], QUESTION, "complete")


@pytest.mark.parametrize(
    "order",
    [
        "Use the following context:",
        "You are a helpful assistant. Answer from the context.",
        "Use these search results to answer. Cite them as [n].",
        "Beantworte die Frage anhand der folgenden Dokumente:",
        "请根据以下资料回答\uff1a",
        "استخدم السياق التالي:",
    ],
)
@pytest.mark.parametrize(
    "passages", [f"[1] {SNOW}\n[2] {COAL}", f"<document>{SNOW}</document>\n<document>{COAL}</document>"]
)
def test_an_order_and_its_passages_may_be_one_part(order: str, passages: str) -> None:
    """The question is another."""
    record = only([genai(f"{order}\n{passages}", QUESTION)])
    assert found(record) == ([SNOW, COAL], QUESTION, "complete")


@pytest.mark.parametrize(
    "parts",
    [
        ("Question: Does a bike cost extra?\nAnswer: Yes, two crowns more.", QUESTION),
        (SNOW, "Question: Does a bike cost extra?\nAnswer: Yes, two crowns.", "Tell me when it leaves."),
        (SNOW, "The ferry leaves at nine. Need a ticket?", "Tell me when the ferry leaves."),
        ("最后一班船晚上九点开。还有问题吗\uff1f", "票价三十八元。", "最后一班船几点开"),
    ],
)
def test_a_passage_that_asks_something_is_not_taken_for_the_question(parts: tuple[str, ...]) -> None:
    """As one of a list of frequent questions, or one that offers help at its end."""
    record = only([genai(*parts)])
    assert (record.documents, record.completeness) == ((), "partial_evidence")


@pytest.mark.parametrize(
    "part",
    [
        f"<context>\n{SNOW}\n{COAL}\n</context>",
        f"Context:\n{SNOW}\n{COAL}",
        f"Use the following context:\n{SNOW}\n{COAL}",
        f"{SNOW}\n{COAL}",
    ],
)
def test_several_lines_of_one_part_are_not_one_passage(part: str) -> None:
    """Each may be one; nor are the tags around them any of it."""
    assert found(only([genai(part, QUESTION)])) == ([], QUESTION, "partial_evidence")


def test_a_long_part_may_be_cut_off_within_a_sentence() -> None:
    """A short one may be a greeting or a title."""
    assert found(only([genai(SNOW, LONG.strip(), QUESTION)]))[0] == [SNOW, LONG.strip()]
    assert found(only([genai("Ferries", SNOW, QUESTION)])) == ([], QUESTION, "partial_evidence")


@pytest.mark.parametrize(
    "parts",
    [
        (SNOW, COAL, "Tell me when the ferry leaves."),
        ("What does it cost?", SNOW, QUESTION),
        (SNOW, QUESTION, COAL),
        (f"{SNOW}\n\n{COAL}", SNOW, QUESTION),
        ("User: Hello.\nAssistant: Good morning.", SNOW, QUESTION),
        (f"[1] {SNOW}\n[2] {COAL}", COAL, QUESTION),
    ],
)
def test_parts_of_which_nobody_can_tell_what_they_are_mark_the_record(parts: tuple[str, ...]) -> None:
    """Nothing says which one asks, or where a passage ends."""
    record = only([genai(*parts)])
    assert (record.documents, record.completeness) == ((), "partial_evidence")


@pytest.mark.parametrize("parts", [(QUESTION,), ("Answer in French.", QUESTION), (QUESTION, "Be brief.")])
def test_a_question_beside_nothing_but_orders_has_no_passages(parts: tuple[str, ...]) -> None:
    """The record is complete."""
    assert found(only([genai(*parts)])) == ([], QUESTION, "complete")


def test_an_order_and_its_object_stay_the_question() -> None:
    """Neither asks anything."""
    assert only([genai("Translate into French:", SNOW)]).query == f"Translate into French:\n{SNOW}"


def test_messages_of_a_user_in_a_row_stay_messages_where_no_list_is_written_so() -> None:
    """People write in bursts; OpenLLMetry's spans of Google's client write a list of texts so."""
    messages = [
        {"role": "user", "parts": [{"type": "text", "content": each}]} for each in (SNOW, COAL, QUESTION)
    ]
    said = [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}]
    told = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": as_json(messages),
        "gen_ai.output.messages": as_json(said),
    }
    assert found(only([span("a1", told)])) == ([], QUESTION, "complete")
    assert found(only([span("a1", told, scope=SCOPE)])) == ([SNOW, COAL], QUESTION, "complete")


def test_two_calls_of_a_request_that_show_passages_in_parts_are_two_questions() -> None:
    """As with passages in one text."""
    other = "What is dug from the ground?"
    spans = [
        span("a0", start=0, end=99),
        span("a1", genai(SNOW, COAL, QUESTION).attributes, parent="a0", start=1, end=20),
        span("a2", genai(COAL, SNOW, other).attributes, parent="a0", start=30, end=50),
    ]
    assert [found(record) for record in read_records(spans)] == [
        ([SNOW, COAL], QUESTION, "complete"),
        ([COAL, SNOW], other, "complete"),
    ]


def test_parts_are_all_the_question_where_a_search_found_other_passages() -> None:
    """They say what the user is after; a part that a search found is none of it."""

    def record(text: str) -> RagTrace:
        search = {key: value for key, value in retrieval((("x", text, 0.9),)).items() if key != "input.value"}
        model = span("b2", genai(SNOW, LONG, QUESTION).attributes, parent="a0", start=6, end=20)
        return only([span("a0", start=0, end=99), span("b1", search, parent="a0", start=1, end=5), model])

    assert found(record(COAL)) == ([COAL], f"{SNOW}\n{LONG}\n{QUESTION}", "complete")
    assert found(record(SNOW)) == ([SNOW], QUESTION, "complete")


def test_parts_beside_the_question_are_no_passages_where_instructions_show_some() -> None:
    """The user tells of himself."""
    ordered = {"role": "system", "parts": [{"type": "text", "content": f"Use this context:\n[1] {COAL}"}]}
    asked = {"role": "user", "parts": [{"type": "text", "content": each} for each in (SNOW, LONG, QUESTION)]}
    call = span("a1", {**genai(QUESTION).attributes, "gen_ai.input.messages": as_json([ordered, asked])})
    record = only([call])
    assert ([each.text for each in record.documents], record.completeness) == ([COAL], "complete")


@pytest.mark.parametrize("hostile", [" " * 20_000, "Context: " * 2_000, ") " * 10_000])
def test_parts_of_nothing_but_blanks_or_labels_are_read_in_little_time(hostile: str) -> None:
    """No pattern looks at the same blanks again and again."""
    began = time.process_time()
    only([genai(hostile, f"{hostile}x", QUESTION)])
    assert time.process_time() - began < 4


@pytest.mark.parametrize(
    ("parts", "question"),
    [
        (
            (f"[1] {SNOW}\n[2] {COAL}", "Answer only for weekdays.", QUESTION),
            f"Answer only for weekdays.\n{QUESTION}",
        ),
        (
            (f"[1] {SNOW}\n[2] {COAL}", QUESTION, "Antworte nur für Kinder."),
            f"{QUESTION}\nAntworte nur für Kinder.",
        ),
        ((f"[1] {SNOW}\n[2] {COAL}", "Answer only from the context.", QUESTION), QUESTION),
        ((f"[1] {SNOW}\n[2] {COAL}", "Be brief.", QUESTION), QUESTION),
        *(
            ((f"[1] {SNOW}\n[2] {COAL}", order, QUESTION), QUESTION)
            for order in (
                *("Yaln\u0131zca Türkçe cevap ver.", "Sadece k\u0131sa cevap ver.", "केवल हिंदी में उत्तर दें।"),
                *("Vastaa vain suomeksi.", "Cite only if it is needed.", "Antworte nur zu 100 % sicher."),
                *("Réponds uniquement sur une ligne.", "Only for the model: be brief."),
            )
        ),
    ],
)
def test_an_order_that_limits_what_to_answer_is_a_part_of_the_question(
    parts: tuple[str, ...], question: str
) -> None:
    """One about the passages, or about how to answer, is none."""
    record = only([genai(*parts)])
    assert (record.query, record.completeness) == (question, "complete")


@pytest.mark.parametrize(
    "last", ["Tell me when it leaves.", "Erkläre den Fahrplan.", "時刻を教えてください。"]
)
def test_a_passage_that_asks_is_not_the_question_where_the_last_part_requests_something(last: str) -> None:
    """The first was the question of a complete record, and the request a passage."""
    assert only([genai("Is the ferry late?", COAL, last)]).completeness == "partial_evidence"
    assert only([genai(QUESTION, SNOW, COAL)]).completeness == "complete"

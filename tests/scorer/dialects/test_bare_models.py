"""Traces in which nothing but models has a span, as a provider's client in a script leaves them."""

from __future__ import annotations

import random

import pytest

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.span import Span

from .conftest import as_json, generation, span

TURNS = (
    ("When does the ferry to Alba leave?", "The one to Alba leaves at nine [1].", "The Alba ferry leaves at nine."),
    ("Und sonntags?", "Nein [1].", "Sonntags fährt sie nicht."),
    ("運賃はいくらですか\uff1f", "4クローネです[1]。", "運賃は4クローネです。"),
)  # fmt: skip
ASKED, SAID, PASSAGE = TURNS[0]
SHOWN = f"Context:\n[1] {PASSAGE}\n[2] A ticket is four crowns.\n\nQuestion:"


def called(*calls: tuple[str, str]) -> list[Span]:
    """One call after the other below a span that says nothing."""
    models = [
        span(
            f"m{place}", generation(said, question=prompt), parent="a0", start=10 * place, end=10 * place + 5
        )
        for place, (prompt, said) in enumerate(calls)
    ]
    return [span("a0", name="main", end=900), *models]


def test_each_call_that_shows_passages_for_a_question_of_its_own_is_one() -> None:
    """All but the last question were lost; in any order the same."""
    spans = called(
        *((f"Context:\n[1] {passage}\n\nQuestion: {asked}", said) for asked, said, passage in TURNS)
    )
    found = read_records(spans)
    assert [(each.query, each.answer, [one.text for one in each.documents]) for each in found] == [
        (asked, said, [passage]) for asked, said, passage in TURNS
    ]
    shuffled = random.Random(4)
    assert all(read_records(shuffled.sample(spans * 2, 2 * len(spans))) == found for _ in range(10))


def test_the_turns_of_a_conversation_are_apart() -> None:
    """Each shows those before it, and a call between them that rewrites the question is none."""
    told: list[tuple[str, str]] = []
    spans = [span("a0", {"session.id": "s-1"}, name="chat", end=900)]
    for place, (asked, said, passage) in enumerate(TURNS):
        shown = [("system", f"Cite.\n\nContext:\n[1] {passage}\n[2] Blue."), *told, ("user", asked)]
        sent = [{"role": role, "parts": [{"type": "text", "content": text}]} for role, text in shown]
        attributes: dict[str, object] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": as_json(sent),
            "gen_ai.output.messages": as_json([{"role": "assistant", "content": said}]),
        }
        start = 20 * place
        rewritten = generation(f"{asked} (ferry)", question=f"Rewrite: {asked}")
        spans.append(span(f"r{place}", rewritten, parent="a0", start=start, end=start + 5))
        spans.append(span(f"m{place}", attributes, parent="a0", start=start + 6, end=start + 15))
        told += [("user", asked), ("assistant", said)]
    assert [(each.query, each.answer, each.conversation_id) for each in read_records(spans)] == [
        (asked, said, "s-1") for asked, said, _ in TURNS
    ]


PIPELINES = {
    "rewritten": ((f"Rewrite for a search: {ASKED}", "ferry alba time"), (f"{SHOWN} {ASKED}", SAID)),
    "judged": ((f"{SHOWN} {ASKED}", SAID), (f"{SHOWN} {ASKED}\nAnswer: {SAID}\n\nIs it grounded?", "yes")),
    "a claim judged": ((f"{SHOWN} {ASKED}", SAID), (f"Context: {PASSAGE}\n\nIs this supported: {SAID}", "yes")),
    "graded": (
        (f"Document:\n{PASSAGE}\n\nQuestion: {ASKED}\nRelevant?", "yes"),
        (f"Document:\nA tram.\n\nQuestion: {ASKED}\nRelevant?", "no"),
        (f"{SHOWN} {ASKED}", SAID),
    ),
    "refined": (
        (f"{SHOWN} {ASKED}", SAID),
        (f"The question is: {ASKED}\nThe answer is: {SAID}\nMore context below.\n---\nA tram.\n---\nRefine:", SAID),
    ),
    "split and combined": (
        (f"{SHOWN} {ASKED}", SAID),
        (f"{SHOWN} What does it cost?", "Four crowns it is [2]."),
        (f"Combine:\n{SAID}\nFour crowns it is [2].\n\nQuestion: When, and how much?", "At nine, four crowns."),
    ),
    "noted first": (
        (f"{SHOWN} List all times.", "at nine"),
        (f"Context:\n[1] {PASSAGE}\nTimes: at nine\n\nQuestion: {ASKED}", SAID),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PIPELINES)
def test_the_calls_for_one_question_are_one(name: str) -> None:
    """They repeat its question, or show its answer to the next."""
    assert len(read_records(called(*PIPELINES[name]))) == 1

"""What stood in the prompt of what was found: a service's own code leaves passages out and sorts them."""

from __future__ import annotations

import json

import pytest

from .conftest import QUESTION, chain, generation, ids, only, retrieval, span

FOUND = (
    ("a", "Employees have 24 days of leave a year, of which ten may be carried over.", 0.9),
    ("b", "Sick days are told to the team by nine in the morning.", 0.8),
    ("c", "Über Überstunden entscheidet die Leitung; sie werden in Freizeit vergütet.", 0.7),
)
BY_ID = {key: text for key, text, _ in FOUND}


def shown(context: str, *others: tuple[str, str], question: str = QUESTION) -> list[str | None]:
    """Ids of the evidence of an answer whose prompt shows `context`; `others` are prompts before it with replies."""
    spans = [span("a0", chain(), start=0, end=99), span("a1", retrieval(FOUND), parent="a0", start=1, end=2)]
    for number, (prompt, reply) in enumerate(others):
        start = 3 + 2 * number
        spans.append(
            span(f"b{number}", generation(reply, question=prompt), parent="a0", start=start, end=start + 1)
        )
    asked = generation(question=f"Use only this.\n\n{context}\n\nQuestion: {question}")
    return ids(only([*spans, span("a4", asked, parent="a0", start=90, end=95)]))


FORMS: dict[str, tuple[str, str]] = {
    "numbered": ("[{place}] {text}", "\n"),
    "plain": ("{text}", "\n\n"),
    "tagged": ("<doc id='{place}'>\n{text}\n</doc>", "\n"),
    "ruled": ("{text}", "\n---\n"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("keys", ["abc", "cba", "bca", "c", "ab", "ca"])
def test_passages_are_those_of_the_prompt_in_its_order(form: str, keys: str) -> None:
    """A threshold, the first few, another order; and lines broken anew."""
    one, between = FORMS[form]
    told = [one.format(place=place, text=BY_ID[key]) for place, key in enumerate(keys, 1)]
    assert shown(between.join(told)) == [*keys]
    assert shown(between.join(told).replace(" of ", "\n  of ")) == [*keys]


@pytest.mark.parametrize(
    "context",
    [
        "It is late.",
        f"[1] {BY_ID['b']}\n[2] {BY_ID['a'][:40]}...\n[3] {BY_ID['c'][:30]}",
        f"[1] {BY_ID['b']}\n[2] {BY_ID['a'].upper()[:-30]}{BY_ID['a'][-30:]}",
        json.dumps([BY_ID["b"], BY_ID["a"], BY_ID["c"]]),
        f"[1] {BY_ID['b']}\n[2] {BY_ID['a'].replace('24', '<b>24</b>').replace('may', '<i>may</i>')}",
    ],
)
def test_what_stands_there_in_another_form_is_kept_as_it_was_found(context: str) -> None:
    """None is there word for word, one was cut, or written in another way."""
    assert shown(context) == ["a", "b", "c"]


def test_words_that_all_passages_begin_with_are_no_trace_of_one() -> None:
    """Chunks of one handbook are headed alike."""
    head = "Handbook of the Groix Ferry Company, edition of 2026. "
    texts = [(key, f"{head}{text}", score) for key, text, score in FOUND]
    spans = [
        span("a0", chain(), start=0, end=9),
        span("a1", retrieval(tuple(texts)), parent="a0", start=1, end=2),
        span(
            "a2", generation(question=f"{texts[2][1]}\n\n{texts[0][1]}\n\n{QUESTION}"), parent="a0", start=3
        ),
    ]
    assert ids(only(spans)) == ["c", "a"]


def test_a_passage_within_another_one_stands_where_it_stands_alone() -> None:
    """A heading was found by itself, too."""
    found = (("page", "Fares. A crossing costs 12 euros.", 0.9), ("head", "Fares.", 0.5))
    spans = [
        span("a0", chain(), start=0, end=9),
        span("a1", retrieval(found), parent="a0", start=1, end=2),
        span("a2", generation(question=f"[1] {found[0][1]}\n[2] Fares.\n\n{QUESTION}"), parent="a0", start=3),
    ]
    assert ids(only(spans)) == ["page", "head"]
    spans[2] = span(
        "a2", generation(question=f"[1] Fares.\n[2] {found[0][1]}\n\n{QUESTION}"), parent="a0", start=3
    )
    assert ids(only(spans)) == ["head", "page"]


def test_what_another_model_made_of_a_passage_stands_for_it() -> None:
    """A draft is refined passage by passage, or passages are shortened; a grade or a query is nothing made."""
    last = f"[1] {BY_ID['b']}"
    draft = "There are 24 days of leave, ten of them for next year."
    assert shown(f"So far: {draft}\n{last}", (BY_ID["a"], draft)) == ["a", "b", "c"]
    assert shown(last, (f"Relevant? {BY_ID['a']}", "no"), (f"Relevant? {BY_ID['b']}", "yes")) == ["b"]
    assert shown(last, ("Say it for a search.", QUESTION)) == ["b"]


def test_what_was_found_twice_and_is_shown_once_stands_once() -> None:
    """Code that leaves out copies moves what follows up by one."""
    found = (
        ("a", "It leaves at nine.", 0.9),
        ("a", "It leaves at nine.", 0.9),
        ("b", "No boat on Sundays.", 0.5),
    )
    prompt = f"[1] It leaves at nine.\n[2] No boat on Sundays.\n\n{QUESTION}"
    spans = [
        span("a1", retrieval(found), start=1, end=2),
        span("a2", generation(question=prompt), start=3, end=4),
    ]
    assert ids(only(spans)) == ["a", "b"]


NUMBERED = "\n".join(f"[{place}] {text}" for place, (_, text, _) in enumerate(FOUND, 1))
OWN = "Kids under six sail free."


def told(context: str) -> list[tuple[str | None, str | None]]:
    """Id and text of each passage of the record, where the prompt shows `context`."""
    asked = generation(question=f"Use only this.\n\n{context}\n\nQuestion: {QUESTION}")
    record = only([span("a1", retrieval(FOUND), start=1, end=2), span("a4", asked, start=3, end=4)])
    return [(each.id, each.text) for each in record.documents]


def test_passages_that_no_span_tells_of_stand_where_the_prompt_shows_them() -> None:
    """A service adds what its own search found, before or behind the retriever's."""
    found: list[tuple[str | None, str | None]] = [(key, text) for key, text, _ in FOUND]
    assert told(f"{NUMBERED}\n[4] {OWN}") == [*found, (None, OWN)]
    texts = [OWN, *(text for _, text, _ in FOUND)]
    before = "\n".join(f"[{place}] {text}" for place, text in enumerate(texts, 1))
    assert told(before) == [(None, OWN), *found]


def test_a_passage_is_shown_with_what_goes_on_in_its_line() -> None:
    """A piece is found, and the whole that it is of is shown."""
    longer = f"{BY_ID['a']} The rest lapses in March."
    shown = told(NUMBERED.replace(BY_ID["a"], longer))
    assert shown == [("a", longer), *((key, text) for key, text, _ in FOUND[1:])]


@pytest.mark.parametrize(
    "below",
    [
        "\n\n1. Be brief.\n2. Cite each source.",
        "\n\nAnswer in 3 sentences.",
        "\n\n(Today is Monday.)",
        "\n\n[Note: the user is a manager.]",
        "\n---\n1) Never guess.",
    ],
)
@pytest.mark.parametrize("form", FORMS)
def test_orders_below_the_passages_are_none(form: str, below: str) -> None:
    """Whatever they begin with."""
    one, between = FORMS[form]
    texts = [one.format(place=place, text=text) for place, (_, text, _) in enumerate(FOUND, 1)]
    assert told(between.join(texts) + below) == [(key, text) for key, text, _ in FOUND]

"""What stood in the prompt of what was found: a service's own code leaves passages out and sorts them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

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
    "labelled": ("Document {place}: {text}", "\n"),
    "tagged": ("<doc id='{place}'>\n{text}\n</doc>", "\n"),
    "plain": ("{text}", "\n\n"),
    "ruled": ("{text}", "\n---\n"),
}
PARTED = ("numbered", "labelled", "tagged")
"""Forms that leave no doubt where a passage ends."""


def formed(form: str, texts: Iterable[str]) -> str:
    """A context of these passages."""
    one, between = FORMS[form]
    return between.join(one.format(place=place, text=text) for place, text in enumerate(texts, 1))


@pytest.mark.parametrize("form", PARTED)
@pytest.mark.parametrize("keys", ["abc", "cba", "bca", "c", "ab", "ca"])
def test_passages_are_those_of_the_prompt_in_its_order(form: str, keys: str) -> None:
    """A threshold, the first few, another order; and lines broken anew."""
    context = formed(form, (BY_ID[key] for key in keys))
    assert shown(context) == [*keys]
    assert shown(context.replace(" of ", "\n  of ")) == [*keys]


@pytest.mark.parametrize("form", ["plain", "ruled"])
@pytest.mark.parametrize("keys", ["cba", "c", "ca"])
def test_a_prompt_that_parts_no_passages_says_nothing_of_them(form: str, keys: str) -> None:
    """Nobody can tell what else stands there in another form, and nothing is cited by its number."""
    assert shown(formed(form, (BY_ID[key] for key in keys))) == ["a", "b", "c"]


OTHERWISE: dict[str, Callable[[str], str]] = {
    "cut": lambda text: f"{text[:12]}...",
    "escaped": lambda text: text.replace("e", "&#101;"),
    "in capitals": str.upper,
    "in other words": lambda text: "It is said in the handbook.",
    "with a mark": lambda text: f"{text[:-1]}!",
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("how", OTHERWISE)
@pytest.mark.parametrize("which", range(3))
def test_a_passage_in_another_form_is_not_left_out(form: str, how: str, which: int) -> None:
    """Whichever it is: the first, one between, the last."""
    texts = [text for _, text, _ in FOUND]
    texts[which] = OTHERWISE[how](texts[which])
    assert shown(formed(form, texts)) == ["a", "b", "c"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("end", range(1, 240, 7))
def test_what_a_limit_cut_off_is_not_left_out(form: str, end: int) -> None:
    """At whatever place: within a passage, behind one, in the label of the next."""
    whole = f"Use only this.\n\n{formed(form, (text for _, text, _ in FOUND))}"
    asked = generation(question=whole[:-end])
    found = only([span("a1", retrieval(FOUND), start=1, end=2), span("a2", asked, start=3, end=4)])
    assert [key for key in ids(found) if key is not None] == ["a", "b", "c"]


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
    prompt = f"[1] {texts[2][1]}\n[2] {texts[0][1]}\n\n{QUESTION}"
    spans = [
        span("a0", chain(), start=0, end=9),
        span("a1", retrieval(tuple(texts)), parent="a0", start=1, end=2),
        span("a2", generation(question=prompt), parent="a0", start=3),
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
    assert told(formed(form, (text for _, text, _ in FOUND)) + below) == [
        (key, text) for key, text, _ in FOUND
    ]

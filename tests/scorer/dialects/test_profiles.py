"""What prompts tell of who asks: it was taken for passages, and answers were judged by it."""

from __future__ import annotations

import pytest

from .conftest import ANSWER, QUESTION, chain, only, retrieval, span
from .conftest import PASSAGES as FOUND
from .test_calls_beside import chat
from .test_contexts import read, texts

PASSAGES = ("It leaves at nine.", "No boat on Sundays.")
CONTEXT = f"Context:\n[1] {PASSAGES[0]}\n[2] {PASSAGES[1]}"
KNOWN = (
    "User context:\n- Lives in Oslo.\n- Likes boats.",
    "User Context:\n1. [2026-11-20]. User likes boats.\n2. [2026-11-21]. User lives in Oslo.",
    "<user_context>\nLikes boats.\n</user_context>",
    "## Relevant memories\n[1] Lives in Oslo.\n[2] Likes boats.",
    "[1] The user lives in Oslo.\n[2] The user likes boats.",
    "Nutzerkontext:\n- Wohnt in Oslo.\n- Mag Boote.",
    "Contexto del usuario:\n- Vive en Oslo.\n- Le gustan los barcos.",
    "Profil de l'utilisateur :\n[1] Il habite à Oslo.\n[2] Il aime les bateaux.",
    "ユーザーのコンテキスト\uff1a\n- オスロに住んでいます。\n- 船が好きです。",
)
UNSEEN = (KNOWN[5], KNOWN[6], KNOWN[8])
"""Below headings of these languages nothing was ever taken for passages."""
OTHER = (
    "Context:\n- Users may bring a dog.\n- Customers pay on board.",
    "[1] The user can reset it.\n[2] The user has to pay.",
    "Company profile:\n[1] The firm was founded in 1990.\n[2] It has a ship.",
)


HEADINGS = (
    *(
        "Context for user question:",
        "Context for the user:",
        "User guide context:",
        "Kontext zur Nutzerfrage:",
    ),
    *("Contexte pour l'utilisateur :", "Контекст вопроса пользователя:", "用户问题的上下文\uff1a"),
    *("Documents on GPU memory:", "## Shared memory", "## Cookie preferences", "Personal loans context:"),
)
MANUALS = (
    ("The user's password expires after 90 days.", "The user's session ends after ten minutes."),
    ("User has to confirm the mail first.", "User has to set a PIN."),
    ("User is locked out after five tries.", "User is asked for a code."),
)


@pytest.mark.parametrize("known", KNOWN)
def test_what_is_known_of_who_asks_is_no_passage(known: str) -> None:
    """Under a heading, in tags, or by its words. Whether it is evidence is not told: where parts of it are known for
    passages elsewhere, and nothing else is shown, the record says that something is missing.
    """
    alone = read(("system", f"You are a guide.\n\n{known}"), ("user", QUESTION))
    missing = "complete" if known in UNSEEN else "partial_evidence"
    assert (alone.query, texts(alone), alone.completeness) == (QUESTION, [], missing)


@pytest.mark.parametrize("known", KNOWN)
def test_what_is_known_of_who_asks_takes_nothing_from_a_search(known: str) -> None:
    """What was found is the evidence."""
    said = chat(ANSWER, ("system", f"You are a guide.\n\n{known}"), ("user", QUESTION))
    record = only(
        [
            span("a0", chain(), end=99),
            span("a1", retrieval(FOUND), parent="a0", start=1, end=2),
            span("a2", said, parent="a0", start=3, end=9),
        ]
    )
    assert (texts(record), record.completeness) == ([text for _, text, _ in FOUND], "complete")


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_heading_that_says_more_than_who_asks_heads_passages(heading: str) -> None:
    """In instructions that say nothing of a context, and in what a user is said to ask."""
    shown = f"{heading}\n[1] {PASSAGES[0]}\n[2] {PASSAGES[1]}"
    for record in (
        read(("system", f"You are a guide.\n\n{shown}"), ("user", QUESTION)),
        read(("user", f"{shown}\n\nQuestion: {QUESTION}")),
    ):
        assert (record.query, texts(record), record.completeness) == (QUESTION, [*PASSAGES], "complete")


@pytest.mark.parametrize("manual", MANUALS)
def test_what_a_manual_says_of_its_users_are_passages(manual: tuple[str, str]) -> None:
    """What they have, are and have to do."""
    record = read(("system", f"[1] {manual[0]}\n[2] {manual[1]}"), ("user", QUESTION))
    assert (texts(record), record.completeness) == ([*manual], "complete")


@pytest.mark.parametrize("known", KNOWN[:3] + KNOWN[5:7] + KNOWN[8:])
def test_passages_below_what_is_known_of_who_asks_are_found(known: str) -> None:
    """The context comes behind it."""
    both = read(("system", f"{known}\n\n{CONTEXT}"), ("user", QUESTION))
    assert (texts(both), both.completeness) == ([*PASSAGES], "complete")


@pytest.mark.parametrize("context", OTHER)
def test_passages_that_speak_of_users_are_passages(context: str) -> None:
    """So do manuals."""
    assert len(texts(read(("system", context), ("user", QUESTION)))) == 2

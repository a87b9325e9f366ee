"""What prompts tell of who asks: it was taken for passages, and answers were judged by it."""

from __future__ import annotations

import pytest

from .conftest import QUESTION
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
OTHER = (
    "Context:\n- Users may bring a dog.\n- Customers pay on board.",
    "[1] The user can reset it.\n[2] The user has to pay.",
    "Company profile:\n[1] The firm was founded in 1990.\n[2] It has a ship.",
)


@pytest.mark.parametrize("known", KNOWN)
def test_what_is_known_of_who_asks_is_no_passage(known: str) -> None:
    """Under a heading, in tags, or by its words."""
    alone = read(("system", f"You are a guide.\n\n{known}"), ("user", QUESTION))
    assert (alone.query, texts(alone), alone.completeness) == (QUESTION, [], "complete")


@pytest.mark.parametrize("known", KNOWN[:3] + KNOWN[5:7] + KNOWN[8:])
def test_passages_below_what_is_known_of_who_asks_are_found(known: str) -> None:
    """The context comes behind it."""
    both = read(("system", f"{known}\n\n{CONTEXT}"), ("user", QUESTION))
    assert (texts(both), both.completeness) == ([*PASSAGES], "complete")


@pytest.mark.parametrize("context", OTHER)
def test_passages_that_speak_of_users_are_passages(context: str) -> None:
    """So do manuals."""
    assert len(texts(read(("system", context), ("user", QUESTION)))) == 2

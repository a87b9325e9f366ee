"""What a prompt says of the day and of who asks: no passage, and no reason to give up on those above it."""

from __future__ import annotations

import pytest

from .test_contexts import read, texts

PASSAGES = ("It leaves at nine.", "No boat on Sundays.")
CONTEXT = f"[1] {PASSAGES[0]}\n[2] {PASSAGES[1]}"
SAID = (
    "Today is Monday.",
    "Current date: 2026-11-24\nUser name: Ann",
    "Heute ist der 24. November.",
    "Nous sommes le 3 mars 2026.",
    "Fecha actual: 24/11/2026",
    "Сегодня 24 ноября 2026 года.",
    "今日は2026年11月24日です。",
    "The user's name is Bob.",
)
TOLD = (
    "Today is a public holiday.",
    "Heute ist die Insel bewohnt.",
    "Hoy es una isla turística.",
    "今日は多くの観光客が島を訪れます。",
    "Date: 24 November 2026",
    "The user can reset it.",
)
"""Paragraphs that may be a passage's."""


@pytest.mark.parametrize("said", SAID)
def test_the_day_and_who_asks_are_no_passage(said: str) -> None:
    """Below the passages, in the question's message and in another one."""
    for record in (
        read(("user", f"{CONTEXT}\n\n{said}\n\nQuestion: When?")),
        read(("system", f"{CONTEXT}\n\n{said}"), ("user", "When?")),
    ):
        assert (texts(record), record.completeness) == ([*PASSAGES], "complete")


@pytest.mark.parametrize("told", TOLD)
def test_what_may_be_a_passages_leaves_the_record_partial(told: str) -> None:
    """Nobody can tell whose it is."""
    record = read(("user", f"{CONTEXT}\n\n{told}\n\nQuestion: When?"))
    assert (texts(record), record.completeness) == ([], "partial_evidence")
